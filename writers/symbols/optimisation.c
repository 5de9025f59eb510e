/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads how a unit was compiled. Called by symbols.c.
 */
#include "writers/symbols/optimisation.h"

#include "src/core/words.h"
#include "writers/symbols/dies.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* gcc: the last option -O counts. Without any option, none were recorded (-gno-record-gcc-switches). */
static bool has_no_option(const char *producer)
{
    bool optimised = strstr(producer, " -g") == NULL;
    for (const char *at = strstr(producer, " -O"); at != NULL; at = strstr(at + 1, " -O"))
        optimised = at[strlen(" -O")] != '0';
    return !optimised;
}

struct written {
    bool any;       /* There are functions with code. */
    bool optimised; /* One of them says that all of its calls are described. */
};

static bool is_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module;
}

static void find_functions(Dwarf_Die *scope, struct written *written, unsigned depth)
{
    Dwarf_Die die;
    if (depth > OMPTAPE_MAX_DIE_DEPTH || dwarf_child(scope, &die) != 0)
        return;
    do {
        if (is_scope(dwarf_tag(&die)))
            find_functions(&die, written, depth + 1);
        if (dwarf_tag(&die) != DW_TAG_subprogram ||
            !(dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges)))
            continue;
        written->any = true;
        written->optimised =
            dwarf_hasattr(&die, DW_AT_call_all_calls) || dwarf_hasattr(&die, DW_AT_GNU_all_call_sites);
    } while (!written->optimised && dwarf_siblingof(&die, &die) == 0);
}

/* clang writes that a function's calls are described where it optimises, and only there. Older ones do not,
 * nor do those of other languages, and in older formats it cannot be written. */
static bool lacks_calls(struct omptape_unit *unit, const char *producer)
{
    enum { FIRST_CLANG = 8, FIRST_DWARF = 4 };
    static const char name[] = "clang version ";
    struct written written = {0};
    Dwarf_Half format = 0;
    const char *version = strstr(producer, name);
    if (version == NULL || atoi(version + strlen(name)) < FIRST_CLANG ||
        dwarf_cu_info(unit->tree.cu, &format, NULL, NULL, NULL, NULL, NULL, NULL) != 0 ||
        format < FIRST_DWARF)
        return false;
    find_functions(&unit->tree, &written, 0);
    return written.any && !written.optimised;
}

bool omptape_unit_is_unoptimised(struct omptape_unit *unit)
{
    const char *producer = omptape_die_string(&unit->tree, DW_AT_producer);
    if (producer == NULL || omptape_starts_with(producer, "GNU AS"))
        return false;
    if (omptape_starts_with(producer, "GNU "))
        return has_no_option(producer);
    return lacks_calls(unit, producer);
}
