/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches machine code for the jumps that compilers make of calls at a function's end. Debug info does not
 * serve: clang writes no call sites for the runtime's functions. Called by the symbol resolver, on the
 * writer's translating thread.
 */
#include "writers/symbols_calls.h"

#include "writers/symbols_functions.h"
#include "writers/symbols_lines.h"
#include "writers/symbols_names.h"

#include <string.h>

enum {
    MAX_FUNCTIONS = 64, /* that one search looks into */
    MAX_BODIES = 64,    /* constructs at the end of a body, bodies in a function */
    MAX_CODE = 1 << 22  /* bytes that one search reads */
};

const char *const omptape_calls_with_body[] = {
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

/* What begins the names of the runtimes' functions, but of no function of a user. */
static const char *const runtime_names[] = {"__kmp*", "GOMP_*", "__tgt_*", NULL};

struct function {
    struct omptape_place start;
    uint64_t end;
};

struct search {
    struct omptape_loaded *loaded;
    const char *const *callees;
    struct function functions[MAX_FUNCTIONS]; /* still to look into, or done */
    size_t function_count, functions_done;
    struct omptape_place constructs[MAX_BODIES]; /* with a body, at the end of a function */
    size_t construct_count;
    uint64_t bytes_read;
    size_t found; /* sites that the source can tell apart: 0, 1 or more */
    struct omptape_place site;
};

static bool is_listed(const char *name, const char *const *list)
{
    size_t length = strcspn(name, "@");
    for (; *list; list++) {
        size_t wanted = strcspn(*list, "*");
        bool prefix = (*list)[wanted] == '*';
        if (strncmp(name, *list, wanted) == 0 && (prefix ? length >= wanted : length == wanted))
            return true;
    }
    return false;
}

/* What a call or jump leads to. `name` is NULL where nothing known begins. */
struct callee {
    const char *name;
    struct omptape_place start;
    bool here; /* start is known: code of the module of the call itself */
};

static struct callee identify(const struct omptape_place *from, const struct omptape_code_target *target)
{
    struct callee callee = {.start = *from};
    struct omptape_symbol symbol;
    callee.start.address = target->address;
    /* First the symbols: a function may look like a stub. */
    if (target->address != 0 && omptape_module_symbol(from->module, target->address, &symbol) &&
        (symbol.low == target->address || strstr(symbol.name, ".cold"))) {
        callee.name = symbol.name;
        callee.here = true;
        callee.start.address = symbol.low;
    } else {
        callee.name = target->import;
    }
    return callee;
}

static bool find_line(struct omptape_loaded *loaded, const struct omptape_place *place, const char **file,
                      unsigned *line)
{
    Dwarf_Addr address;
    struct omptape_unit *unit = omptape_module_unit(place->module, place->address, &address);
    return unit && omptape_lines_find(&unit->lines, address, &loaded->strings, file, line);
}

static bool same_source(struct omptape_loaded *loaded, const struct omptape_place *a,
                        const struct omptape_place *b)
{
    const char *file, *other_file;
    unsigned line, other_line;
    if (a->module == b->module && a->address == b->address)
        return true;
    return find_line(loaded, a, &file, &line) && find_line(loaded, b, &other_file, &other_line) &&
           file == other_file && line == other_line;
}

static void add_site(struct search *search, const struct omptape_place *site)
{
    if (search->found == 0) {
        search->site = *site;
        search->found = 1;
    } else if (!same_source(search->loaded, &search->site, site)) {
        search->found++;
    }
}

static void add_function(struct search *search, const struct omptape_place *start)
{
    struct omptape_symbol symbol;
    for (size_t i = 0; i < search->function_count; i++) {
        const struct function *known = &search->functions[i];
        if (known->start.module == start->module && known->start.address == start->address)
            return;
    }
    if (search->function_count == MAX_FUNCTIONS ||
        !omptape_module_symbol(start->module, start->address, &symbol))
        return;
    struct function *function = &search->functions[search->function_count++];
    function->start = *start;
    function->start.address = symbol.low;
    function->end = symbol.high;
}

/* A jump, or a call, that leads to the callee. */
static void follow(struct search *search, const struct omptape_place *from, const struct callee *callee)
{
    struct omptape_place start;
    if (!callee->name)
        return;
    if (is_listed(callee->name, search->callees))
        add_site(search, from);
    if (is_listed(callee->name, omptape_calls_with_body) && search->construct_count < MAX_BODIES)
        search->constructs[search->construct_count++] = *from;
    if (is_listed(callee->name, runtime_names))
        return;
    if (callee->here)
        add_function(search, &callee->start);
    else if (omptape_loaded_export(search->loaded, from, callee->name, &start))
        add_function(search, &start);
}

static struct omptape_code_range read_code(struct omptape_module *module, uint64_t low, uint64_t high)
{
    const struct omptape_code *code = omptape_module_code(module);
    return code ? omptape_code_range(code, low, high) : (struct omptape_code_range){0};
}

static void look_into(struct search *search, const struct function *function)
{
    struct omptape_place at = function->start;
    struct omptape_code_range range = read_code(at.module, at.address, function->end);
    search->bytes_read += range.high - range.low;
    if (search->bytes_read > MAX_CODE)
        return;
    for (; at.address < range.high; at.address += range.step) {
        struct omptape_code_target target;
        if (!omptape_code_jump_at(&range, at.address, &target))
            continue;
        struct callee callee = identify(&at, &target);
        follow(search, &at, &callee);
    }
}

/* Looks into all functions that were added, and into those that they lead to. */
static void look(struct search *search)
{
    while (search->functions_done < search->function_count && search->found <= 1) {
        struct function function = search->functions[search->functions_done++];
        look_into(search, &function);
    }
}

static bool finish(const struct search *search, struct omptape_place *site)
{
    *site = search->site;
    return search->found == 1 && search->bytes_read <= MAX_CODE;
}

bool omptape_calls_find_jump(struct omptape_loaded *loaded, const struct omptape_place *call,
                             const char *const *callees, struct omptape_place *site)
{
    struct search search = {.loaded = loaded, .callees = callees};
    const struct omptape_code *code = call->module ? omptape_module_code(call->module) : NULL;
    struct omptape_code_target target;
    if (!code || !omptape_code_call_before(code, call->address + 1, &target))
        return false;
    struct callee callee = identify(call, &target);
    if (!callee.name || is_listed(callee.name, callees) || is_listed(callee.name, runtime_names))
        return false;
    follow(&search, call, &callee);
    look(&search);
    return finish(&search, site);
}

/* True if the function at `start` was made of the body of the construct that stands there in the source;
 * where there are no lines, it may be. */
static bool belongs(struct omptape_loaded *loaded, const struct omptape_place *start,
                    const struct omptape_place *construct)
{
    const char *file, *declared_file;
    unsigned line, declared_line;
    Dwarf_Addr address;
    struct omptape_unit *unit = omptape_module_unit(start->module, start->address, &address);
    if (!unit || !find_line(loaded, construct, &file, &line))
        return true;
    if (omptape_functions_declaration(unit, address, &loaded->strings, &declared_file, &declared_line) &&
        declared_file == file && declared_line == line)
        return true;
    return omptape_lines_start(&unit->lines, address, &loaded->strings, file, line);
}

/* Adds the bodies of the construct: the functions that compilers made, whose addresses the function around it
 * takes. */
static void add_bodies(struct search *search, const struct omptape_place *construct)
{
    struct omptape_symbol around, symbol;
    if (!construct->module || !omptape_module_symbol(construct->module, construct->address, &around))
        return;
    struct omptape_code_range range = read_code(construct->module, around.low, around.high);
    search->bytes_read += range.high - range.low;
    for (uint64_t at = range.low; at < range.high; at += range.step) {
        uint64_t addresses[OMPTAPE_CODE_READINGS];
        unsigned count = omptape_code_addresses_at(&range, at, addresses);
        for (unsigned i = 0; i < count; i++) {
            struct omptape_place start = {construct->path, construct->module, addresses[i]};
            if (omptape_module_symbol(start.module, start.address, &symbol) && symbol.low == start.address &&
                omptape_name_is_outlined(symbol.name) && belongs(search->loaded, &start, construct))
                add_function(search, &start);
        }
    }
}

bool omptape_calls_find_in_body(struct omptape_loaded *loaded, const struct omptape_place *construct,
                                const char *const *callees, struct omptape_place *site)
{
    struct search search = {.loaded = loaded, .callees = callees};
    add_bodies(&search, construct);
    look(&search);
    /* Constructs that end a body hide behind it: their own addresses lie in the runtime too. */
    for (size_t i = 0; search.found == 0 && i < search.construct_count; i++) {
        struct omptape_place inner = search.constructs[i];
        add_bodies(&search, &inner);
        look(&search);
    }
    return finish(&search, site);
}
