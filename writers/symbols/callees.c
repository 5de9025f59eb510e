/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names the target of a call or jump, from machine code and symbols. Called by bodies.c and calls.c.
 */
#include "writers/symbols/image.h"

#include <string.h>

const char *const omptape_callees_with_body[] = {
    "__kmpc_fork_call*",
    "__kmpc_fork_teams*",
    "__kmpc_omp_task",
    "__kmpc_omp_task_with_deps",
    "__kmpc_omp_task_begin_if0",
    "__kmpc_omp_task_parts",
    "__kmpc_omp_target_task*",
    "__kmpc_taskloop*",
    "__tgt_target*",
    "GOMP_parallel*",
    "GOMP_task",
    "GOMP_taskloop*",
    "GOMP_teams*",
    "GOMP_target*",
    NULL,
};

const char *const omptape_callees_of_runtime[] = {"__kmp*", "GOMP_*", "__tgt_*", NULL};

bool omptape_callee_is_listed(const char *name, const char *const *list)
{
    size_t length = strcspn(name, "@"); /* Excludes the symbol's version. */
    for (; *list != NULL; list++) {
        size_t wanted = strcspn(*list, "*");
        bool prefix = (*list)[wanted] == '*';
        if (strncmp(name, *list, wanted) == 0 && (prefix ? length >= wanted : length == wanted))
            return true;
    }
    return false;
}

struct omptape_code_range omptape_callee_code(const struct omptape_image_address *place, uint64_t low,
                                              uint64_t high)
{
    const struct omptape_code *code = place->module != NULL ? omptape_module_code(place->module) : NULL;
    return code != NULL ? omptape_code_range(code, low, high) : (struct omptape_code_range){0};
}

static bool identify_target(const struct omptape_image_address *from,
                            const struct omptape_code_target *target, struct omptape_callee *callee)
{
    struct omptape_symbol symbol;
    *callee = (struct omptape_callee){.name = target->import};
    /* Looks into the symbols first: a function may look like a stub, its cold part be entered anywhere. */
    if (target->address != 0 && omptape_module_symbol(from->module, target->address, &symbol) &&
        (symbol.low == target->address || strstr(symbol.name, ".cold") != NULL)) {
        callee->name = symbol.name;
        callee->here = true;
        callee->start = *from;
        callee->start.address = symbol.low;
    }
    return callee->name != NULL;
}

bool omptape_callee_of_call(const struct omptape_image_address *call, struct omptape_callee *callee)
{
    const struct omptape_code *code = call->module != NULL ? omptape_module_code(call->module) : NULL;
    struct omptape_code_target target;
    return code != NULL && omptape_code_call_before(code, call->address + 1, &target) &&
           identify_target(call, &target, callee);
}

bool omptape_callee_of_jump(const struct omptape_code_range *range, const struct omptape_image_address *jump,
                            struct omptape_callee *callee)
{
    struct omptape_code_target target;
    return omptape_code_jump_at(range, jump->address, &target) && identify_target(jump, &target, callee);
}

bool omptape_callee_at(const struct omptape_image_address *place, struct omptape_call_code *code)
{
    if (place->module == NULL || !omptape_module_symbol(place->module, place->address, &code->around))
        return false;
    code->range = omptape_callee_code(place, code->around.low, code->around.high);
    return place->address < code->range.high && (omptape_callee_of_call(place, &code->callee) ||
                                                 omptape_callee_of_jump(&code->range, place, &code->callee));
}
