/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells calls with a line of their own by where the row of the line table begins that they belong to. Called
 * by symbols.c.
 */
#include "writers/symbols/located.h"

#include "writers/symbols/callees.h"
#include "writers/symbols/functions.h"
#include "writers/symbols/lines.h"

enum { NEAR = 128 }; /* bytes before a call that are read */

/* To these gcc gives no line, or not always, and there is nothing to hand over that could have one. */
static const char *const without_arguments[] = {
    "GOMP_single_start",  "GOMP_single_copy_start", "GOMP_ordered_start",
    "GOMP_barrier*",      "GOMP_taskgroup*",        "GOMP_loop_end*",
    "GOMP_sections_end*", "GOMP_atomic_start",      NULL,
};

/* To these it gives none, but perhaps to their arguments. */
static const char *const with_arguments[] = {
    "GOMP_loop*", "GOMP_sections*", "GOMP_taskwait_depend", "GOMP_parallel*",
    "GOMP_task",  "GOMP_taskloop*", "GOMP_teams*",          NULL,
};

/* In Fortran it gives none to these where they come first in a procedure. */
static const char *const routines[] = {"omp_*", NULL};

/* flang gives these another statement's. */
static const char *const of_flang[] = {"__kmpc_critical*", NULL};

/* Where the instruction begins whose last byte this is. */
static uint64_t start_of_call(const struct omptape_code_range *range, uint64_t last)
{
    if (range->step != 1)
        return last + 1 - range->step;
    uint64_t indirect = last - 5;
    bool is_indirect = indirect >= range->low && range->bytes[indirect - range->low] == 0xff &&
                       range->bytes[indirect + 1 - range->low] == 0x15;
    return is_indirect ? indirect : last - 4;
}

/* Where the call before this one ends, if there is one near. */
static uint64_t end_of_last(const struct omptape_loaded_place *call, const struct omptape_code_range *range,
                            uint64_t start)
{
    struct omptape_loaded_place last = *call;
    struct omptape_callee callee;
    uint64_t low = start - range->low > NEAR ? start - NEAR : range->low;
    for (last.address = start - 1; last.address > low; last.address--)
        if ((last.address + 1) % range->step == 0 && omptape_callee_of_call(&last, &callee))
            return last.address + 1;
    return low;
}

/* A place in the line table. */
struct line_place {
    struct omptape_unit *unit;
    Dwarf_Addr address;
    const char *file;
    unsigned line;
};

/* The line of a function's head or, in a body, that of its construct, or of an inlined function's call: what
 * comes first in a function and has no line of its own has one of these. */
static bool is_opening(struct omptape_loaded *loaded, const struct line_place *place, Dwarf_Addr function)
{
    return omptape_lines_start(&place->unit->lines, function, function, &loaded->strings, place->file,
                               place->line) ||
           omptape_functions_inlined_at(place->unit, place->address, place->line) ||
           omptape_functions_any_at(place->unit, &loaded->strings, place->file, place->line);
}

static bool has_line(struct omptape_loaded *loaded, const struct line_place *place, Dwarf_Addr address)
{
    const char *file;
    unsigned line;
    return omptape_lines_find(&place->unit->lines, address, &loaded->strings, &file, &line) &&
           file == place->file && line == place->line;
}

bool omptape_located(struct omptape_loaded *loaded, const struct omptape_loaded_place *call)
{
    struct omptape_symbol around;
    struct omptape_code_range range;
    struct omptape_callee callee;
    struct line_place place;
    Dwarf_Addr row;
    if (!omptape_callee_at(call, &around, &range, &callee))
        return true;
    place.unit = omptape_module_unit(call->module, call->address, &place.address);
    if (place.unit == NULL)
        return true;
    bool fortran = place.unit->language == OMPTAPE_LANGUAGE_FORTRAN;
    bool bare = omptape_callee_is_listed(callee.name, without_arguments);
    bool routine = fortran && omptape_callee_is_listed(callee.name, routines);
    if (fortran && omptape_callee_is_listed(callee.name, of_flang))
        return false;
    if (!bare && !routine && !omptape_callee_is_listed(callee.name, with_arguments))
        return true;
    if (!omptape_loaded_line(loaded, call, &place.file, &place.line) ||
        !omptape_lines_row(&place.unit->lines, place.address, &row))
        return true;
    uint64_t bias = call->address - place.address;
    uint64_t start =
        omptape_callee_of_call(call, &callee) ? start_of_call(&range, call->address) : call->address;
    if (is_opening(loaded, &place, around.low - bias) || (bare && row + bias != start))
        return false;
    uint64_t low = bare ? start : end_of_last(call, &range, start);
    return omptape_lines_start(&place.unit->lines, low - bias, start - bias, &loaded->strings, place.file,
                               place.line) ||
           !has_line(loaded, &place, low - bias - 1);
}
