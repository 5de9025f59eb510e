/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks whether calls have a line of their own, by the begin of their row in the line table and by
 * neighbouring calls. Called by symbols.c.
 */
#include "writers/symbols/image.h"

#include "src/core/words.h"
#include "writers/symbols/functions.h"
#include "writers/symbols/lines.h"

#include <string.h>

enum {
    NEAR = 128,         /* Bytes before a call that are read. */
    MAX_CODE = 1 << 20, /* Most bytes of one function that are read, inlined or not. */
    MAX_RANGES = 128    /* Most pieces of an inlined function. */
};

/* For these functions gcc emits no line, or not always, and no argument has one. */
static const char *const without_arguments[] = {
    "GOMP_single_start*", "GOMP_single_copy_start", "GOMP_ordered_start",
    "GOMP_barrier*",      "GOMP_taskgroup*",        "GOMP_loop_end*",
    "GOMP_sections_end*", "GOMP_atomic_start",      NULL,
};

/* For these functions gcc emits no line, but their arguments may have one. */
static const char *const with_arguments[] = {
    "GOMP_loop*", "GOMP_sections*", "GOMP_taskwait_depend", "GOMP_parallel*",
    "GOMP_task",  "GOMP_taskloop*", "GOMP_teams*",          NULL,
};

/* For these functions gcc emits no line in Fortran if they come first in a procedure. */
static const char *const routines[] = {"omp_*", NULL};

/* For these functions flang emits another statement's line. */
static const char *const of_flang[] = {"__kmpc_critical*", NULL};

/* Returns the begin of the instruction whose last byte is `last`. */
static uint64_t start_of_call(const struct omptape_code_range *range, uint64_t last)
{
    if (range->step != 1)
        return last + 1 - range->step;
    uint64_t indirect = last - 5;
    bool is_indirect = indirect >= range->low && range->bytes[indirect - range->low] == 0xff &&
                       range->bytes[indirect + 1 - range->low] == 0x15;
    return is_indirect ? indirect : last - 4;
}

/* Returns the end of the previous call if there is one nearby, else the lower limit. */
static uint64_t end_of_last(const struct omptape_image_address *call, const struct omptape_code_range *range,
                            uint64_t start)
{
    struct omptape_image_address last = *call;
    struct omptape_callee callee;
    uint64_t low = start - range->low > NEAR ? start - NEAR : range->low;
    for (last.address = start - 1; last.address > low; last.address--)
        if ((last.address + 1) % range->step == 0 && omptape_callee_of_call(&last, &callee))
            return last.address + 1;
    return low;
}

struct line_place {
    struct omptape_unit *unit;
    Dwarf_Addr address;
    const char *file;
    unsigned line;
};

/* Returns true for the line of a function's head, of a body's construct or of an inlined function's call.
 * The first statement of a function without its own line gets one of these. */
static bool is_opening(struct omptape_image *image, const struct line_place *place, Dwarf_Addr function)
{
    return omptape_lines_start(&place->unit->lines, function, function, &image->strings, place->file,
                               place->line) ||
           omptape_functions_inlined_at(place->unit, place->address, place->line) ||
           omptape_functions_any_at(place->unit, &image->strings, place->file, place->line);
}

static bool has_line(struct omptape_image *image, const struct line_place *place, Dwarf_Addr address)
{
    const char *file;
    unsigned line;
    return omptape_lines_find(&place->unit->lines, address, &image->strings, &file, &line) &&
           file == place->file && line == place->line;
}

bool omptape_call_line_is_own(struct omptape_image *image, const struct omptape_image_address *call)
{
    struct omptape_call_code code;
    struct line_place place;
    Dwarf_Addr row;
    if (!omptape_callee_at(call, &code))
        return true;
    place.unit = omptape_module_unit(call->module, call->address, &place.address);
    if (place.unit == NULL)
        return true;
    bool fortran = place.unit->language == OMPTAPE_LANGUAGE_FORTRAN;
    bool bare = omptape_callee_is_listed(code.callee.name, without_arguments);
    bool routine = fortran && omptape_callee_is_listed(code.callee.name, routines);
    if (fortran && omptape_callee_is_listed(code.callee.name, of_flang))
        return false;
    if (!bare && !routine && !omptape_callee_is_listed(code.callee.name, with_arguments))
        return true;
    if (!omptape_image_find_line(image, call, &place.file, &place.line) ||
        !omptape_lines_row(&place.unit->lines, place.address, &row))
        return true;
    uint64_t bias = call->address - place.address;
    uint64_t start = omptape_callee_of_call(call, &code.callee) ? start_of_call(&code.range, call->address)
                                                                : call->address;
    if (is_opening(image, &place, code.around.low - bias) || (bare && row + bias != start))
        return false;
    uint64_t low = bare ? start : end_of_last(call, &code.range, start);
    return omptape_lines_start(&place.unit->lines, low - bias, start - bias, &image->strings, place.file,
                               place.line) ||
           !has_line(image, &place, low - bias - 1);
}

static const char *const allocations[] = {"__kmpc_omp_task_alloc", "__kmpc_omp_target_task_alloc", NULL};
static const char *const creations[] = {"__kmpc_omp_task", "__kmpc_omp_task_with_deps", NULL};

/* State while the code of a function is read in order. */
struct pairing {
    struct omptape_image_address allocation; /* Allocation whose task is not created yet; address 0: none. */
    struct omptape_image_address found;      /* Allocation of the construct's task. */
    bool merged;                             /* True if an allocation was not followed by a creation. */
};

static void take_call(struct pairing *pairing, const struct omptape_image_address *at, const char *name,
                      const struct omptape_image_address *construct)
{
    if (omptape_callee_is_listed(name, allocations)) {
        pairing->merged = pairing->merged || pairing->allocation.address != 0;
        pairing->allocation = *at;
    } else if (omptape_callee_is_listed(name, creations)) {
        if (at->address == construct->address)
            pairing->found = pairing->allocation;
        pairing->allocation.address = 0;
    }
}

bool omptape_call_line_of_task(struct omptape_image *image, const struct omptape_image_address *call,
                               const char **file, unsigned *line)
{
    struct omptape_call_code code;
    struct pairing pairing = {.merged = false};
    if (!omptape_callee_at(call, &code) || !omptape_callee_is_listed(code.callee.name, creations) ||
        code.range.high - code.range.low > MAX_CODE)
        return false;
    struct omptape_image_address at = *call;
    struct omptape_image_address last = *call;
    for (at.address = code.range.low; at.address < code.range.high; at.address += code.range.step) {
        last.address = at.address + code.range.step - 1;
        if (omptape_callee_of_jump(&code.range, &at, &code.callee))
            take_call(&pairing, &at, code.callee.name, call);
        else if (omptape_callee_of_call(&last, &code.callee))
            take_call(&pairing, &last, code.callee.name, call);
    }
    return !pairing.merged && pairing.allocation.address == 0 && pairing.found.address != 0 &&
           omptape_image_find_line(image, &pairing.found, file, line);
}

/* Returns true for libgomp's functions for loops whose name ends with `part`. */
static bool is_loop(const struct omptape_callee *callee, const char *part)
{
    size_t length = strcspn(callee->name, "@");
    size_t last = strlen(part);
    return omptape_starts_with(callee->name, "GOMP_loop") && length > last &&
           strncmp(callee->name + length - last, part, last) == 0;
}

/* An inlined function. `bias` is the difference between addresses in the module and in the unit. */
struct inlined {
    const struct omptape_unit *unit;
    Dwarf_Addr address;
    size_t depth;
    uint64_t bias;
};

/* Returns true if this code calls the function that fetches a loop's next chunk. */
static bool calls_next(const struct omptape_image_address *call, uint64_t low, uint64_t high)
{
    struct omptape_callee callee;
    struct omptape_image_address at = *call;
    for (at.address = low; at.address < high; at.address++)
        if (omptape_callee_of_call(&at, &callee) && is_loop(&callee, "_next"))
            return true;
    return false;
}

/* Returns true if the inlined function contains the loop. A function that computes a bound ends before the
 * loop begins. One with the loop also has code after that, with other lines, and calls for the next chunk. */
static bool has_loop(const struct inlined *inlined, const struct omptape_image_address *call)
{
    Dwarf_Die lines = inlined->unit->lines;
    Dwarf_Addr begin = inlined->address;
    Dwarf_Addr low[MAX_RANGES];
    Dwarf_Addr high[MAX_RANGES];
    uint64_t left = MAX_CODE;
    size_t count = 0;
    while (count < MAX_RANGES &&
           omptape_functions_inlined_range(inlined->unit, inlined->address, inlined->depth, count,
                                           &low[count], &high[count])) {
        begin = low[count] < begin ? low[count] : begin;
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        Dwarf_Addr behind = low[i] > inlined->address ? low[i] : inlined->address + 1;
        if (high[i] - low[i] > left || calls_next(call, low[i] + inlined->bias, high[i] + inlined->bias) ||
            (behind < high[i] && omptape_lines_differ(&lines, behind, high[i], begin, inlined->address + 1)))
            return true;
        left -= high[i] - low[i];
    }
    return count == MAX_RANGES;
}

/* Returns the construct's line. The bounds are in the line below the construct, or some lines further
 * down. If code begins for the line above, that line is the construct's. */
static unsigned line_of_construct(struct omptape_image *image, const struct inlined *inlined,
                                  uint64_t function, const char *file, unsigned line)
{
    Dwarf_Die lines = inlined->unit->lines;
    Dwarf_Addr low = inlined->address - function > NEAR ? inlined->address - NEAR : function;
    bool begins =
        line > 1 && omptape_lines_start(&lines, low, inlined->address, &image->strings, file, line - 1);
    return begins ? line - 1 : line;
}

bool omptape_call_line_of_loop(struct omptape_image *image, const struct omptape_image_address *call,
                               const char **file, unsigned *line, size_t *around)
{
    struct omptape_symbol function;
    struct omptape_callee callee;
    struct inlined inlined = {.depth = 0};
    if (!omptape_callee_of_call(call, &callee) || !is_loop(&callee, "_start") ||
        !omptape_module_symbol(call->module, call->address, &function))
        return false;
    inlined.unit = omptape_module_unit(call->module, call->address, &inlined.address);
    if (inlined.unit == NULL)
        return false;
    inlined.bias = call->address - inlined.address;
    const char *caller;
    unsigned at;
    while (omptape_functions_inlined_call(inlined.unit, inlined.address, inlined.depth, &image->strings,
                                          &caller, &at)) {
        if (!has_loop(&inlined, call)) {
            *file = caller;
            *line = line_of_construct(image, &inlined, function.low - inlined.bias, caller, at);
            *around = inlined.depth;
            return true;
        }
        inlined.depth++;
    }
    return false;
}
