/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Knows which compilation unit an address belongs to. Not all compilers write .debug_aranges, so the ranges
 * are read from the units themselves, once a module. Called by module.c.
 */
#include "writers/symbols/units.h"

#include "src/core/array.h"
#include "writers/symbols/dies.h"
#include "writers/symbols/functions.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct unit_range {
    Dwarf_Addr low, high;
    Dwarf_Addr reach; /* the highest `high` up to here in the sorted list */
    uint32_t unit;
};

struct omptape_units {
    Dwarf *dwarf;
    struct omptape_packages packages;
    struct omptape_unit *list;
    uint32_t count;
    uint32_t capacity;
    struct unit_range *ranges;
    uint32_t range_count;
    uint32_t range_capacity;
};

/* Linkers leave the ranges of code that they threw away at 0 or at the end of the address space. */
static bool is_real_code(Dwarf_Addr low, Dwarf_Addr high)
{
    return low != 0 && low < high && low < (Dwarf_Addr)-2;
}

static bool add_ranges(struct omptape_units *units, Dwarf_Die *die)
{
    struct omptape_die_ranges ranges = {0};
    struct unit_range range = {.unit = units->count};
    while (omptape_die_next_range(die, 0, &ranges, &range.low, &range.high)) {
        if (!is_real_code(range.low, range.high))
            continue;
        struct unit_range *list = omptape_array_reserve(units->ranges, units->range_count + 1,
                                                        &units->range_capacity, sizeof(*list));
        if (list == NULL)
            return false;
        units->ranges = list;
        list[units->range_count++] = range;
    }
    return true;
}

static bool add_unit(struct omptape_units *units, const Dwarf_Die *die)
{
    struct omptape_unit *list =
        omptape_array_reserve(units->list, units->count + 1, &units->capacity, sizeof(*list));
    if (list == NULL)
        return false;
    units->list = list;
    list[units->count++] = (struct omptape_unit){.lines = *die};
    return true;
}

static bool read_units(struct omptape_units *units)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    uint8_t type;
    while (dwarf_get_units(units->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton)
            continue;
        size_t before = units->range_count;
        if (!add_ranges(units, &die) || (units->range_count > before && !add_unit(units, &die)))
            return false;
    }
    return true;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct unit_range *left = a;
    const struct unit_range *right = b;
    return left->low < right->low ? -1 : left->low > right->low;
}

struct omptape_units *omptape_units_create(Dwarf *dwarf, const char *debug_file, const char *file)
{
    struct omptape_units *units = calloc(1, sizeof(*units));
    if (units == NULL)
        return NULL;
    units->dwarf = dwarf;
    omptape_packages_name(&units->packages, debug_file, file);
    if (!read_units(units)) {
        omptape_units_free(units);
        return NULL;
    }
    if (units->range_count)
        qsort(units->ranges, units->range_count, sizeof(*units->ranges), compare_ranges);
    Dwarf_Addr reach = 0;
    for (size_t i = 0; i < units->range_count; i++) {
        if (units->ranges[i].high > reach)
            reach = units->ranges[i].high;
        units->ranges[i].reach = reach;
    }
    return units;
}

void omptape_units_free(struct omptape_units *units)
{
    if (units == NULL)
        return;
    for (size_t i = 0; i < units->count; i++) {
        omptape_functions_free(units->list[i].functions);
        omptape_package_unit_close(&units->list[i].package);
    }
    omptape_packages_free(&units->packages);
    free(units->list);
    free(units->ranges);
    free(units);
}

/* The narrowest range around the address: units that share code by mistake claim it with wide ones. */
static const struct unit_range *find_range(const struct omptape_units *units, Dwarf_Addr address)
{
    size_t low = 0;
    size_t high = units->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (units->ranges[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct unit_range *best = NULL;
    for (size_t i = low; i > 0 && units->ranges[i - 1].reach > address; i--) {
        const struct unit_range *range = &units->ranges[i - 1];
        if (range->high > address && (best == NULL || range->high - range->low < best->high - best->low))
            best = range;
    }
    return best;
}

/* Finds the unit's functions: beside the lines, in the file that libdw finds for a split unit, or in a
 * package. */
static void find_tree(struct omptape_units *units, struct omptape_unit *unit)
{
    uint8_t type;
    uint64_t id;
    Dwarf_Die split = {0};
    unit->tree = unit->lines;
    if (dwarf_cu_info(unit->lines.cu, NULL, &type, NULL, &split, &id, NULL, NULL) != 0 ||
        type != DW_UT_skeleton)
        return;
    if (split.addr != NULL) {
        unit->tree = split;
        return;
    }
    if (omptape_package_unit_open(&units->packages, &unit->lines, id, &unit->package) == 0)
        unit->tree = unit->package.die;
}

static enum omptape_language find_language(Dwarf_Die *die)
{
    int language = dwarf_srclang(die);
    switch (language) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
    case 0x2d: /* Fortran 2018, which older headers do not name */
        return OMPTAPE_LANGUAGE_FORTRAN;
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b: /* C++ 17 */
    case 0x2c: /* C++ 20 */
        return OMPTAPE_LANGUAGE_CXX;
    default:
        return OMPTAPE_LANGUAGE_OTHER;
    }
}

struct omptape_unit *omptape_units_find(struct omptape_units *units, Dwarf_Addr address)
{
    const struct unit_range *range = find_range(units, address);
    if (range == NULL)
        return NULL;
    struct omptape_unit *unit = &units->list[range->unit];
    if (!unit->opened) {
        unit->opened = true;
        find_tree(units, unit);
        unit->language = find_language(&unit->tree);
        unit->functions = omptape_functions_create(unit);
    }
    return unit;
}
