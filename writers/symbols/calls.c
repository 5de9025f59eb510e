/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches machine code for the jumps that compilers make of calls at a function's end. Debug info does not
 * serve: clang writes no call sites for the runtime's functions. Called by symbols.c.
 */
#include "writers/symbols/loaded.h"

#include <string.h>

enum {
    MAX_FUNCTIONS = 64,  /* that one search looks into */
    MAX_CONSTRUCTS = 64, /* one at the end of another's body */
    MAX_CODE = 1 << 22   /* bytes that one search reads */
};

struct searched_function {
    struct omptape_loaded_place start;
    uint64_t end;
};

struct call_search {
    struct omptape_loaded *loaded;
    const char *const *callees;
    struct searched_function functions[MAX_FUNCTIONS]; /* looked into, or still to look into */
    size_t function_count, functions_done;
    struct omptape_loaded_place constructs[MAX_CONSTRUCTS]; /* with a body, at the end of a function */
    size_t construct_count;
    bool calls_too;  /* look for calls, and through them, too */
    bool incomplete; /* there was more than one search may look at */
    uint64_t bytes_read;
    size_t found; /* sites that the source can tell apart: 0, 1 or more */
    struct omptape_loaded_place site;
};

static bool find_line(struct omptape_loaded *loaded, const struct omptape_loaded_place *site,
                      const char **file, unsigned *line)
{
    return omptape_bodies_line(loaded, site, file, line) || omptape_loaded_line(loaded, site, file, line);
}

static bool have_same_source(struct omptape_loaded *loaded, const struct omptape_loaded_place *a,
                             const struct omptape_loaded_place *b)
{
    const char *file;
    const char *other_file;
    unsigned line;
    unsigned other_line;
    if (a->module == b->module && a->address == b->address)
        return true;
    return find_line(loaded, a, &file, &line) && find_line(loaded, b, &other_file, &other_line) &&
           file == other_file && line == other_line;
}

static void add_site(struct call_search *search, const struct omptape_loaded_place *site)
{
    if (search->found == 0) {
        search->site = *site;
        search->found = 1;
    } else if (!have_same_source(search->loaded, &search->site, site)) {
        search->found++;
    }
}

static void add_function(struct call_search *search, const struct omptape_loaded_place *start)
{
    struct omptape_symbol symbol;
    for (size_t i = 0; i < search->function_count; i++) {
        const struct searched_function *known = &search->functions[i];
        if (known->start.module == start->module && known->start.address == start->address)
            return;
    }
    search->incomplete = search->incomplete || search->function_count == MAX_FUNCTIONS;
    if (search->incomplete || !omptape_module_symbol(start->module, start->address, &symbol))
        return;
    struct searched_function *function = &search->functions[search->function_count++];
    function->start = *start;
    function->end = symbol.high;
}

static void add_bodies(struct call_search *search, const struct omptape_loaded_place *construct)
{
    struct omptape_loaded_place bodies[OMPTAPE_MAX_BODIES];
    size_t count = omptape_bodies_find(search->loaded, construct, bodies);
    for (size_t i = 0; i < count; i++)
        add_function(search, &bodies[i]);
}

/* A function that the call or jump at `from` leads to. */
static void follow_callee(struct call_search *search, const struct omptape_loaded_place *from,
                          const struct omptape_callee *callee)
{
    struct omptape_loaded_place start;
    if (omptape_callee_is_listed(callee->name, search->callees))
        add_site(search, from);
    if (omptape_callee_is_listed(callee->name, omptape_callees_with_body) &&
        search->construct_count < MAX_CONSTRUCTS)
        search->constructs[search->construct_count++] = *from;
    if (omptape_callee_is_listed(callee->name, omptape_callees_of_runtime))
        return;
    if (callee->here)
        add_function(search, &callee->start);
    else if (!search->calls_too && omptape_loaded_export(search->loaded, from, callee->name, &start))
        add_function(search, &start);
}

/* x86-64: the bytes of a long jump's distance, which may look like a jump themselves. */
static uint64_t rest_of_jump(const struct omptape_code_range *range, uint64_t address)
{
    return range->step == 1 && range->bytes[address - range->low] == 0xe9 ? 4 : 0;
}

static void look_into(struct call_search *search, const struct searched_function *function)
{
    struct omptape_loaded_place at = function->start;
    struct omptape_loaded_place last = at;
    struct omptape_code_range range = omptape_callee_code(&at, at.address, function->end);
    struct omptape_callee callee;
    search->bytes_read += range.high - range.low;
    search->incomplete = search->incomplete || search->bytes_read > MAX_CODE;
    if (search->incomplete)
        return;
    for (; at.address < range.high; at.address += range.step) {
        last.address = at.address + range.step - 1;
        if (omptape_callee_of_jump(&range, &at, &callee)) {
            follow_callee(search, &at, &callee);
            at.address += rest_of_jump(&range, at.address);
        } else if (search->calls_too && omptape_callee_of_call(&last, &callee)) {
            follow_callee(search, &last, &callee);
        }
    }
}

/* Looks into all functions that were added, and into those that they lead to. */
static void look_into_function(struct call_search *search)
{
    while (search->functions_done < search->function_count && search->found <= 1) {
        struct searched_function function = search->functions[search->functions_done++];
        look_into(search, &function);
    }
}

static bool finish_search(const struct call_search *search, struct omptape_loaded_place *site)
{
    *site = search->site;
    return search->found == 1 && !search->incomplete;
}

bool omptape_calls_find_jump(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                             const char *const *callees, struct omptape_loaded_place *site)
{
    struct call_search search = {.loaded = loaded, .callees = callees};
    struct omptape_callee callee;
    if (!omptape_callee_of_call(call, &callee) || omptape_callee_is_listed(callee.name, callees))
        return false;
    follow_callee(&search, call, &callee);
    look_into_function(&search);
    return finish_search(&search, site);
}

/* For some calls the runtimes name an address of their own, wherever the call stands. */
static bool find_call_in_body(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                              const char *const *callees, struct omptape_loaded_place *site)
{
    struct call_search search = {.loaded = loaded, .callees = callees, .calls_too = true};
    add_bodies(&search, construct);
    look_into_function(&search);
    return finish_search(&search, site);
}

bool omptape_calls_find_in_body(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                                const char *const *callees, struct omptape_loaded_place *site)
{
    struct call_search search = {.loaded = loaded, .callees = callees};
    add_bodies(&search, construct);
    look_into_function(&search);
    /* Constructs that end a body hide behind it: their own addresses lie in the runtime too. */
    for (size_t i = 0; search.found == 0 && i < search.construct_count; i++) {
        struct omptape_loaded_place inner = search.constructs[i];
        add_bodies(&search, &inner);
        look_into_function(&search);
    }
    return search.found == 0 ? find_call_in_body(loaded, construct, callees, site)
                             : finish_search(&search, site);
}

bool omptape_calls_find_inside(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                               const char *const *callees, struct omptape_loaded_place *site)
{
    struct omptape_symbol around;
    struct omptape_code_range range;
    struct omptape_callee callee;
    *site = *construct;
    if (omptape_callee_at(construct, &around, &range, &callee) &&
        strncmp(callee.name, "GOMP_parallel_", 14) == 0 && omptape_callee_is_listed(callee.name, callees))
        return true;
    return find_call_in_body(loaded, construct, callees, site);
}

bool omptape_calls_is_indirect(const struct omptape_loaded_place *call)
{
    const struct omptape_code *code = call->module != NULL ? omptape_module_code(call->module) : NULL;
    return code != NULL && !omptape_bodies_is_start(call) &&
           omptape_code_is_indirect(code, call->address + 1);
}

bool omptape_calls_is_of_other(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                               const char *const *callees, bool alone)
{
    static const char *const others[] = {"GOMP_*", "__kmpc_fork_*", "__kmpc_barrier", "__tgt_*", NULL};
    struct omptape_symbol around;
    struct omptape_code_range range;
    struct omptape_callee callee;
    struct omptape_loaded_place site;
    if (*callees == NULL || !omptape_callee_at(call, &around, &range, &callee) ||
        omptape_callee_is_listed(callee.name, callees))
        return false;
    if (omptape_callee_is_listed(callee.name, others))
        return alone;
    return !omptape_callee_is_listed(callee.name, omptape_callees_of_runtime) &&
           (callee.here || omptape_loaded_export(loaded, call, callee.name, &site)) &&
           !omptape_calls_find_jump(loaded, call, callees, &site);
}
