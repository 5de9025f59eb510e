/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells the functions that compute a loop's bounds from those that have the loop in them. Called by
 * symbols.c.
 */
#include "writers/symbols/bounds.h"

#include "writers/symbols/callees.h"
#include "writers/symbols/functions.h"
#include "writers/symbols/lines.h"

#include <string.h>

enum {
    NEAR = 128,         /* bytes before a call that are read */
    MAX_CODE = 1 << 20, /* bytes of an inlined function that are read, */
    MOST_RANGES = 128   /* ...in so many pieces */
};

/* One of libgomp's functions for loops, by the last part of its name. */
static bool is_loop(const struct omptape_callee *callee, const char *part)
{
    size_t length = strcspn(callee->name, "@");
    size_t last = strlen(part);
    return strncmp(callee->name, "GOMP_loop", 9) == 0 && length > last &&
           strncmp(callee->name + length - last, part, last) == 0;
}

/* An inlined function, and how many of the unit's bytes lie before those of its module. */
struct inlined {
    const struct omptape_unit *unit;
    Dwarf_Addr address;
    size_t depth;
    uint64_t bias;
};

/* Is there a call for the next chunk of a loop in this piece of code? */
static bool calls_next(const struct omptape_loaded_place *call, uint64_t low, uint64_t high)
{
    struct omptape_callee callee;
    struct omptape_loaded_place at = *call;
    for (at.address = low; at.address < high; at.address++)
        if (omptape_callee_of_call(&at, &callee) && is_loop(&callee, "_next"))
            return true;
    return false;
}

/* A function that tells a bound is done before the loop begins; one that has the loop in it has code behind
 * that, too, of lines that are not those before, and the call for the next chunk, if that has a line. */
static bool has_loop(const struct inlined *inlined, const struct omptape_loaded_place *call)
{
    Dwarf_Die lines = inlined->unit->lines;
    Dwarf_Addr begin = inlined->address;
    Dwarf_Addr low[MOST_RANGES];
    Dwarf_Addr high[MOST_RANGES];
    uint64_t left = MAX_CODE;
    size_t count = 0;
    while (count < MOST_RANGES &&
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
    return count == MOST_RANGES;
}

/* The bounds stand in the line below the construct, or where that is longer some lines below. Where code
 * begins for the line above it is the construct's. */
static unsigned line_of_construct(struct omptape_loaded *loaded, const struct inlined *inlined,
                                  uint64_t function, const char *file, unsigned line)
{
    Dwarf_Die lines = inlined->unit->lines;
    Dwarf_Addr low = inlined->address - function > NEAR ? inlined->address - NEAR : function;
    bool begins =
        line > 1 && omptape_lines_start(&lines, low, inlined->address, &loaded->strings, file, line - 1);
    return begins ? line - 1 : line;
}

bool omptape_bounds_find(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
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
    while (omptape_functions_inlined_call(inlined.unit, inlined.address, inlined.depth, &loaded->strings,
                                          &caller, &at)) {
        if (!has_loop(&inlined, call)) {
            *file = caller;
            *line = line_of_construct(loaded, &inlined, function.low - inlined.bias, caller, at);
            *around = inlined.depth;
            return true;
        }
        inlined.depth++;
    }
    return false;
}
