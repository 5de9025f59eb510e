/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Units whose scopes are nested without end: they are read up to a limit. Arguments are libraries of
 * optimised.c; the names of those with too many scopes end in "-deep.so". Run by CTest as unit.deep_trees.
 */
#include "src/core/words.h"
#include "writers/symbols/dies.h"
#include "writers/symbols/functions.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const *libraries;

static void deep_trees_have_no_functions(void **state)
{
    (void)state;
    for (const char *const *library = libraries; *library != NULL; library++) {
        Dwarf_CU *cu = NULL;
        struct omptape_unit unit = {0};
        const int fd = open(*library, O_RDONLY | O_CLOEXEC);
        assert_true(fd >= 0);
        Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
        assert_non_null(dwarf);
        assert_int_equal(dwarf_get_units(dwarf, NULL, &cu, NULL, NULL, &unit.tree, NULL), 0);
        unit.functions = omptape_functions_create(&unit);
        if ((unit.functions == NULL) != omptape_ends_with(*library, "-deep.so"))
            fail_msg("%s: %s functions", *library, unit.functions != NULL ? "has" : "has no");
        omptape_functions_free(unit.functions);
        dwarf_end(dwarf);
        close(fd);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deep_trees_have_no_functions)};
    libraries = (const char *const *)argv + (argc > 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
