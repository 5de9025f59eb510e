/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches machine code for tail calls: jumps that replace a call at a function's end. Debug information does
 * not help, because clang writes no call sites for the runtime's functions. Called by symbols.c.
 */
#include "src/core/words.h"
#include "writers/symbols/image.h"

#include <string.h>

enum {
    MAX_FUNCTIONS = 64,  /* Most functions that one search reads. */
    MAX_CONSTRUCTS = 64, /* Most constructs that end a function, each inside another one's body. */
    MAX_CODE = 1 << 22   /* Most bytes that one search reads. */
};

struct searched_function {
    struct omptape_image_address start;
    uint64_t end;
};

struct call_search {
    struct omptape_image *image;
    const char *const *callees;
    struct searched_function functions[MAX_FUNCTIONS]; /* Functions that were read or will be read. */
    size_t function_count, functions_done;
    /* Constructs with a body at the end of a function. */
    struct omptape_image_address constructs[MAX_CONSTRUCTS];
    size_t construct_count;
    bool calls_too;  /* True: also looks for calls, and follows calls. */
    bool incomplete; /* True if a limit of the search was reached. */
    uint64_t bytes_read;
    size_t found; /* Number of sites at different source lines: 0, 1 or more. */
    struct omptape_image_address site;
};

static bool find_line(struct omptape_image *image, const struct omptape_image_address *site,
                      const char **file, unsigned *line)
{
    return omptape_bodies_line(image, site, file, line) || omptape_image_find_line(image, site, file, line);
}

static bool have_same_source(struct omptape_image *image, const struct omptape_image_address *a,
                             const struct omptape_image_address *b)
{
    const char *file;
    const char *other_file;
    unsigned line;
    unsigned other_line;
    if (a->module == b->module && a->address == b->address)
        return true;
    return find_line(image, a, &file, &line) && find_line(image, b, &other_file, &other_line) &&
           file == other_file && line == other_line;
}

static void add_site(struct call_search *search, const struct omptape_image_address *site)
{
    if (search->found == 0) {
        search->site = *site;
        search->found = 1;
    } else if (!have_same_source(search->image, &search->site, site)) {
        search->found++;
    }
}

static void add_function(struct call_search *search, const struct omptape_image_address *start)
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

static void add_bodies(struct call_search *search, const struct omptape_image_address *construct)
{
    struct omptape_image_address bodies[OMPTAPE_MAX_BODIES];
    size_t count = omptape_bodies_find(search->image, construct, bodies);
    for (size_t i = 0; i < count; i++)
        add_function(search, &bodies[i]);
}

/* Handles the target of a call or jump: a callee, a construct with a body, or a function to read. */
static void follow_callee(struct call_search *search, const struct omptape_image_address *from,
                          const struct omptape_callee *callee)
{
    struct omptape_image_address start;
    if (omptape_callee_is_listed(callee->name, search->callees))
        add_site(search, from);
    if (omptape_callee_is_listed(callee->name, omptape_callees_with_body) &&
        search->construct_count < MAX_CONSTRUCTS)
        search->constructs[search->construct_count++] = *from;
    if (omptape_callee_is_listed(callee->name, omptape_callees_of_runtime))
        return;
    if (callee->here)
        add_function(search, &callee->start);
    else if (!search->calls_too && omptape_image_find_export(search->image, from, callee->name, &start))
        add_function(search, &start);
}

/* x86-64: returns the length of a long jump's distance, whose bytes may look like a jump. */
static uint64_t rest_of_jump(const struct omptape_code_range *range, uint64_t address)
{
    return range->step == 1 && range->bytes[address - range->low] == 0xe9 ? 4 : 0;
}

static void search_function(struct call_search *search, const struct searched_function *function)
{
    struct omptape_image_address at = function->start;
    struct omptape_image_address last = at;
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

/* Reads all added functions, and the functions to which they lead. */
static void search_all_functions(struct call_search *search)
{
    while (search->functions_done < search->function_count && search->found <= 1) {
        struct searched_function function = search->functions[search->functions_done++];
        search_function(search, &function);
    }
}

static bool finish_search(const struct call_search *search, struct omptape_image_address *site)
{
    *site = search->site;
    return search->found == 1 && !search->incomplete;
}

bool omptape_calls_find_jump(struct omptape_image *image, const struct omptape_image_address *call,
                             const char *const *callees, struct omptape_image_address *site)
{
    struct call_search search = {.image = image, .callees = callees};
    struct omptape_callee callee;
    if (!omptape_callee_of_call(call, &callee) || omptape_callee_is_listed(callee.name, callees))
        return false;
    follow_callee(&search, call, &callee);
    search_all_functions(&search);
    return finish_search(&search, site);
}

/* Finds a call, not only a jump, because for some calls the runtimes report no address. */
static bool find_call_in_body(struct omptape_image *image, const struct omptape_image_address *construct,
                              const char *const *callees, struct omptape_image_address *site)
{
    struct call_search search = {.image = image, .callees = callees, .calls_too = true};
    add_bodies(&search, construct);
    search_all_functions(&search);
    return finish_search(&search, site);
}

bool omptape_calls_find_in_body(struct omptape_image *image, const struct omptape_image_address *construct,
                                const char *const *callees, struct omptape_image_address *site)
{
    struct call_search search = {.image = image, .callees = callees};
    add_bodies(&search, construct);
    search_all_functions(&search);
    /* Searches bodies of constructs that end a body, too: their own return addresses lie in the runtime. */
    for (size_t i = 0; search.found == 0 && i < search.construct_count; i++) {
        struct omptape_image_address inner = search.constructs[i];
        add_bodies(&search, &inner);
        search_all_functions(&search);
    }
    return search.found == 0 ? find_call_in_body(image, construct, callees, site)
                             : finish_search(&search, site);
}

bool omptape_calls_find_inside(struct omptape_image *image, const struct omptape_image_address *construct,
                               const char *const *callees, struct omptape_image_address *site)
{
    struct omptape_call_code code;
    *site = *construct;
    if (omptape_callee_at(construct, &code) && omptape_starts_with(code.callee.name, "GOMP_parallel_") &&
        omptape_callee_is_listed(code.callee.name, callees))
        return true;
    return find_call_in_body(image, construct, callees, site);
}

bool omptape_calls_is_indirect(const struct omptape_image_address *call)
{
    const struct omptape_code *code = call->module != NULL ? omptape_module_code(call->module) : NULL;
    return code != NULL && !omptape_bodies_is_start(call) &&
           omptape_code_is_indirect(code, call->address + 1);
}

bool omptape_calls_is_of_other(struct omptape_image *image, const struct omptape_image_address *call,
                               const char *const *callees, bool alone)
{
    static const char *const others[] = {"GOMP_*", "__kmpc_fork_*", "__kmpc_barrier", "__tgt_*", NULL};
    struct omptape_call_code code;
    struct omptape_image_address site;
    if (*callees == NULL || !omptape_callee_at(call, &code) ||
        omptape_callee_is_listed(code.callee.name, callees))
        return false;
    if (omptape_callee_is_listed(code.callee.name, others))
        return alone;
    return !omptape_callee_is_listed(code.callee.name, omptape_callees_of_runtime) &&
           (code.callee.here || omptape_image_find_export(image, call, code.callee.name, &site)) &&
           !omptape_calls_find_jump(image, call, callees, &site);
}
