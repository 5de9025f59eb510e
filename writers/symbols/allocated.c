/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pairs the calls that allocate a task with those that create it. clang gives the second one no line where
 * the task is that of a target construct. Called by symbols.c.
 */
#include "writers/symbols/allocated.h"

#include "writers/symbols/callees.h"

enum { MAX_CODE = 1 << 20 }; /* bytes of one function that are read */

static const char *const allocations[] = {"__kmpc_omp_task_alloc", "__kmpc_omp_target_task_alloc", NULL};
static const char *const creations[] = {"__kmpc_omp_task", "__kmpc_omp_task_with_deps", NULL};

/* What one function does, in the order of its code. */
struct pairing {
    struct omptape_loaded_place allocation; /* whose task is not created yet; address 0: there is none */
    struct omptape_loaded_place found;      /* that of the construct */
    bool merged;                            /* an allocation without a creation behind it */
};

static void take_call(struct pairing *pairing, const struct omptape_loaded_place *at, const char *name,
                      const struct omptape_loaded_place *construct)
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

bool omptape_allocated_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                            const char **file, unsigned *line)
{
    struct omptape_symbol around;
    struct omptape_code_range range;
    struct omptape_callee callee;
    struct pairing pairing = {.merged = false};
    if (!omptape_callee_at(call, &around, &range, &callee) ||
        !omptape_callee_is_listed(callee.name, creations) || range.high - range.low > MAX_CODE)
        return false;
    struct omptape_loaded_place at = *call;
    struct omptape_loaded_place last = *call;
    for (at.address = range.low; at.address < range.high; at.address += range.step) {
        last.address = at.address + range.step - 1;
        if (omptape_callee_of_jump(&range, &at, &callee))
            take_call(&pairing, &at, callee.name, call);
        else if (omptape_callee_of_call(&last, &callee))
            take_call(&pairing, &last, callee.name, call);
    }
    return !pairing.merged && pairing.allocation.address == 0 && pairing.found.address != 0 &&
           omptape_loaded_line(loaded, &pairing.found, file, line);
}
