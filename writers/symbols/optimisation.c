/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads how a unit was compiled. Called by symbols.c.
 */
#include "writers/symbols/optimisation.h"

#include "src/core/words.h"
#include "writers/symbols/dies.h"
#include "writers/symbols/names.h"

#include <dwarf.h>
#include <string.h>

/* gcc: the last option -O counts. Without any option, none were recorded (-gno-record-gcc-switches). */
static bool has_no_option(const char *producer)
{
    bool optimised = strstr(producer, " -g") == NULL;
    for (const char *at = strstr(producer, " -O"); at != NULL; at = strstr(at + 1, " -O"))
        optimised = at[strlen(" -O")] != '0';
    return !optimised;
}

/* An optimised unit has arrays in fixed places, too, but nearly always other variables. */
enum { MIN_FIXED = 3 };

/* Numbers of variables and parameters: those that have one place in all of their scope, and all others. */
struct places {
    unsigned fixed, moving;
};

static void count_variables(Dwarf_Die *scope, struct places *places, unsigned depth)
{
    Dwarf_Die die;
    Dwarf_Attribute place;
    if (depth > OMPTAPE_MAX_DIE_DEPTH || dwarf_child(scope, &die) != 0)
        return;
    do {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_lexical_block) {
            count_variables(&die, places, depth + 1);
        } else if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
                   !dwarf_hasattr(&die, DW_AT_external)) {
            const bool fixed =
                dwarf_attr(&die, DW_AT_location, &place) != NULL && dwarf_whatform(&place) == DW_FORM_exprloc;
            places->fixed += fixed;
            places->moving += !fixed;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Returns true for a function with code that the compiler did not make of a construct. The variables of such
 * parts have no places, even without optimisation. */
static bool is_written(Dwarf_Die *function)
{
    Dwarf_Attribute low;
    const char *name = omptape_die_linkage_name(function);
    name = name != NULL ? name : omptape_die_string(function, DW_AT_name);
    return dwarf_tag(function) == DW_TAG_subprogram && dwarf_attr(function, DW_AT_low_pc, &low) != NULL &&
           name != NULL && !omptape_name_is_outlined(name);
}

/* Counts the variables of the functions. */
static struct places count_places(struct omptape_unit *unit)
{
    struct places places = {0};
    Dwarf_Die die;
    if (dwarf_child(&unit->tree, &die) != 0)
        return places;
    do {
        if (is_written(&die))
            count_variables(&die, &places, 0);
    } while (places.moving == 0 && dwarf_siblingof(&die, &die) == 0);
    return places;
}

bool omptape_unit_is_unoptimised(struct omptape_unit *unit)
{
    const char *producer = omptape_die_string(&unit->tree, DW_AT_producer);
    if (producer == NULL || omptape_starts_with(producer, "GNU AS"))
        return false;
    if (omptape_starts_with(producer, "GNU "))
        return has_no_option(producer);
    if (strstr(producer, "clang") == NULL && strstr(producer, "flang") == NULL)
        return false;
    const struct places places = count_places(unit);
    return places.fixed >= MIN_FIXED && places.moving == 0;
}
