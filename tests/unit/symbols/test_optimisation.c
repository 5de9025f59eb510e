/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which units were compiled without optimisation: optimised.c of several compilers, at all levels. Arguments
 * are libraries; the names of those compiled so that it is certain end in "-O0.so". Run by CTest as
 * unit.optimisation.
 */
#include "src/core/words.h"
#include "writers/symbols/optimisation.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const *libraries;

/* Counts the library's units that contain functions and were compiled without optimisation. */
static unsigned count_unoptimised(const char *library)
{
    unsigned count = 0;
    Dwarf_CU *cu = NULL;
    struct omptape_unit unit = {0};
    const int fd = open(library, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    assert_non_null(dwarf);
    while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit.tree, NULL) == 0)
        count += omptape_unit_is_unoptimised(&unit);
    dwarf_end(dwarf);
    close(fd);
    return count;
}

static void only_what_is_certain_is_told(void **state)
{
    (void)state;
    for (const char *const *library = libraries; *library != NULL; library++) {
        const unsigned count = count_unoptimised(*library);
        if (count != omptape_ends_with(*library, "-O0.so"))
            fail_msg("%s: %u units were compiled without optimisation", *library, count);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_is_certain_is_told)};
    libraries = (const char *const *)argv + (argc > 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
