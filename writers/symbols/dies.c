/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads single entries of the debug information with libdw, with limits against damaged data.
 */
#include "writers/symbols/dies.h"

#include "src/core/words.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Largest walk, and what a step counts in addition to its bytes. */
enum { MAX_BYTES = 512 << 20, STEP_BYTES = 16 };

bool omptape_die_walk_is_over_limit(const struct omptape_die_walk *walk)
{
    return walk->bytes > MAX_BYTES;
}

Dwarf_Off omptape_die_unit_end(Dwarf_Die *die)
{
    Dwarf_Off end;
    Dwarf_Off unit = dwarf_dieoffset(die) - dwarf_cuoffset(die);
    return dwarf_next_unit(dwarf_cu_getdwarf(die->cu), unit, &end, NULL, NULL, NULL, NULL, NULL, NULL,
                           NULL) == 0
               ? end
               : 0;
}

bool omptape_die_next(struct omptape_die_walk *walk, Dwarf_Die *die, Dwarf_Off end, Dwarf_Die *next,
                      Dwarf_Off *own_end)
{
    const Dwarf_Off at = dwarf_dieoffset(die);
    const bool found = !omptape_die_walk_is_over_limit(walk) && dwarf_siblingof(die, next) == 0;
    if (!found)
        *next = *die;
    *own_end = found ? dwarf_dieoffset(next) : end;
    walk->bytes += STEP_BYTES;
    if (*own_end > at && (found || dwarf_haschildren(die) > 0))
        walk->bytes += *own_end - at;
    return found;
}

const char *omptape_die_string(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute value;
    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &value));
}

const char *omptape_die_linkage_name(Dwarf_Die *die)
{
    const char *name = omptape_die_string(die, DW_AT_linkage_name);
    return name != NULL ? name : omptape_die_string(die, DW_AT_MIPS_linkage_name);
}

bool omptape_die_next_range(Dwarf_Die *die, Dwarf_Addr relative_base, struct omptape_die_ranges *ranges,
                            Dwarf_Addr *low, Dwarf_Addr *high)
{
    ranges->offset = dwarf_ranges(die, ranges->offset, &ranges->base, low, high);
    if (ranges->offset <= 0)
        return false;
    if (relative_base != 0 && ranges->base == 0 && dwarf_hasattr(die, DW_AT_ranges)) {
        *low += relative_base;
        *high += relative_base;
    }
    return true;
}

bool omptape_die_covers(Dwarf_Die *die, Dwarf_Addr relative_base, Dwarf_Addr address)
{
    struct omptape_die_ranges ranges = {0};
    Dwarf_Addr low;
    Dwarf_Addr high;
    while (omptape_die_next_range(die, relative_base, &ranges, &low, &high))
        if (low <= address && address < high)
            return true;
    return false;
}

/* Finds the entry's declaration: the end of its chain of origins. */
static void find_origin(Dwarf_Die *die, Dwarf_Die *origin)
{
    *origin = *die;
    for (int step = 0; step < OMPTAPE_MAX_DIE_DEPTH; step++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (dwarf_attr(origin, DW_AT_abstract_origin, &attribute) == NULL &&
            dwarf_attr(origin, DW_AT_specification, &attribute) == NULL)
            return;
        if (dwarf_formref_die(&attribute, &next) == NULL)
            return;
        *origin = next;
    }
}

static bool is_named_scope(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
        return true;
    default:
        return false;
    }
}

/* Returns "a" or "before::a"; frees `before`. */
static char *join_names(char *before, const char *name)
{
    size_t length = strlen(name);
    const char *arguments = strchr(name, '<');
    if (arguments != NULL && !omptape_starts_with(name, "operator"))
        length = (size_t)(arguments - name);
    size_t prefix = before != NULL ? strlen(before) + 2 : 0;
    char *text = malloc(prefix + length + 1);
    if (text != NULL) {
        if (before != NULL) {
            memcpy(text, before, prefix - 2);
            memcpy(text + prefix - 2, "::", 2);
        }
        memcpy(text + prefix, name, length);
        text[prefix + length] = '\0';
    }
    free(before);
    return text;
}

/* Replaces *scope by its child that is or contains `target`, and returns true. Returns false if it has
 * none. Entries are stored in the order of their tree. */
static bool enter_child(Dwarf_Die *scope, const Dwarf_Die *target)
{
    Dwarf_Die child;
    Dwarf_Die next;
    if (dwarf_child(scope, &child) != 0 || (const char *)child.addr > (const char *)target->addr)
        return false;
    while (dwarf_siblingof(&child, &next) == 0 && (const char *)next.addr <= (const char *)target->addr)
        child = next;
    *scope = child;
    return true;
}

char *omptape_die_path(Dwarf_Die *die)
{
    Dwarf_Die origin;
    Dwarf_Die scope;
    find_origin(die, &origin);
    const char *name = dwarf_diename(&origin);
    if (name == NULL || dwarf_diecu(&origin, &scope, NULL, NULL) == NULL)
        return NULL;
    char *path = NULL;
    for (int depth = 0; depth < OMPTAPE_MAX_DIE_DEPTH; depth++) {
        if (!enter_child(&scope, &origin) || scope.addr == origin.addr)
            break;
        const char *scope_name = is_named_scope(&scope) ? dwarf_diename(&scope) : NULL;
        if (scope_name != NULL)
            path = join_names(path, scope_name);
    }
    return join_names(path, name);
}
