/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds constructs in the text of the source (image.h). Called by symbols.c for calls for which compilers
 * emit no line: gcc's calls without arguments, and flang's critical and sections.
 */
#include "src/core/words.h"
#include "writers/symbols/image.h"

#include "writers/symbols/directives.h"
#include "writers/symbols/functions.h"
#include "writers/symbols/lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BEHIND = 8,                   /* Lines after a directive within which its code begins. */
    MAX_FUNCTION_DIRECTIVES = 64, /* Most directives of a function that are compared, to limit the time. */
    MAX_CODE = 1 << 20            /* Most bytes of a function that are read. */
};

/* Calls of the runtime, and the directives for which compilers make them. */
struct directive_kind {
    const char *const *callees;
    const char *const *words;
    const char *const *others; /* Directives that make the same calls and have correct lines; or NULL. */
    bool passes_body;          /* True if the call passes the body's function. */
    bool is_dynamic;           /* True if static loops make another call. */
    bool waits;                /* True for barriers: a construct's or a separate one. */
};

static const char *const loop_words[] = {"for", "do", NULL};
static const char *const sections_words[] = {"sections", NULL};
static const char *const barrier_calls[] = {"GOMP_barrier*", NULL};
static const char *const waiting_words[] = {"barrier", "for", "do", "single", NULL};
static const char *const ending_words[] = {"barrier", "for", "do", "single", "sections", NULL};

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})
static const struct directive_kind kinds[] = {
    {.callees = TEXTS("GOMP_single_start*", "GOMP_single_copy_start"), .words = TEXTS("single")},
    {.callees = TEXTS("GOMP_ordered_start"), .words = TEXTS("ordered")},
    {.callees = TEXTS("GOMP_taskgroup_start"), .words = TEXTS("taskgroup")},
    {.callees = TEXTS("GOMP_loop*"), .words = loop_words, .is_dynamic = true},
    {.callees = TEXTS("GOMP_sections_start", "GOMP_sections2_start"), .words = sections_words},
    {.callees = TEXTS("GOMP_parallel_loop*"), .words = loop_words, .passes_body = true, .is_dynamic = true},
    {.callees = TEXTS("GOMP_parallel_sections*"), .words = sections_words, .passes_body = true},
    {.callees = TEXTS("GOMP_parallel", "GOMP_parallel_reductions"),
     .words = waiting_words,
     .passes_body = true,
     .waits = true},
    {.callees = barrier_calls, .words = waiting_words, .waits = true},
    {.callees = TEXTS("__kmpc_critical*"), .words = TEXTS("critical")},
    {.callees = TEXTS("__kmpc_for_static_init*"),
     .words = sections_words,
     .others = TEXTS("do", "distribute", "workshare")},
};

/* Function that contains the construct. */
struct directive_scope {
    struct omptape_unit *unit;
    Dwarf_Addr low;
    Dwarf_Addr high;
    const char *file;
    unsigned line; /* Its first line. */
    time_t built;  /* Modification time of the module. */
};

/* Finds the function and its code. `path`: the module's. */
static bool find_scope(struct omptape_image *image, const struct omptape_image_address *place,
                       const char *path, struct directive_scope *scope, struct omptape_code_range *range)
{
    struct omptape_symbol around;
    struct stat status;
    Dwarf_Addr address;
    if (!omptape_module_symbol(place->module, place->address, &around) || path == NULL ||
        stat(path, &status) != 0)
        return false;
    scope->built = status.st_mtime;
    *range = omptape_callee_code(place, around.low, around.high);
    scope->unit = omptape_module_unit(place->module, place->address, &address);
    if (scope->unit == NULL)
        return false;
    uint64_t bias = place->address - address;
    scope->low = around.low - bias;
    scope->high = around.high - bias - 1;
    Dwarf_Die *lines = &scope->unit->lines;
    return omptape_lines_find_first(lines, scope->low, &image->strings, &scope->file, &scope->line) ||
           omptape_lines_find(lines, scope->low, &image->strings, &scope->file, &scope->line);
}

static bool has_code_after(struct omptape_image *image, const struct directive_scope *scope,
                           const struct omptape_directive *directive)
{
    unsigned last = directive->last + BEHIND;
    last = directive->next > 0 && directive->next <= last ? directive->next - 1 : last;
    if (omptape_lines_any(&scope->unit->lines, scope->low, scope->high, &image->strings, scope->file,
                          directive->last + 1, last))
        return true;
    for (unsigned line = directive->last + 1; line <= last; line++)
        if (omptape_functions_inlined_at(scope->unit, scope->low, line))
            return true;
    return false;
}

/* Returns true if a call of this function begins a construct. A loop of libgomp makes several calls. Static
 * loops, for which gcc 17 makes some, too, are not among the directives that are compared with these calls.
 */
static bool begins(const char *name)
{
    return !omptape_starts_with(name, "GOMP_loop") ||
           (strstr(name, "_start") != NULL && strstr(name, "static_worksharing") == NULL);
}

/* Returns how many calls of `callees` in the function begin a construct, or 0 if the function is too large.
 * *before receives how many of them precede `call`. */
static size_t count_calls(const struct omptape_code_range *range, const struct omptape_image_address *call,
                          const char *const *callees, size_t *before)
{
    struct omptape_image_address at = *call;
    struct omptape_callee callee;
    size_t count = 0;
    *before = 0;
    if (range->high - range->low > MAX_CODE)
        return 0;
    for (at.address = range->low + range->step - 1; at.address < range->high; at.address += range->step) {
        if (!omptape_callee_of_call(&at, &callee) || !omptape_callee_is_listed(callee.name, callees) ||
            !begins(callee.name))
            continue;
        *before += at.address < call->address;
        count++;
    }
    return count;
}

/* Returns true if the directive could make such calls. Barriers are counted by calls that many constructs
 * make, so directives of inlined functions must be excluded. */
static bool is_of_kind(const struct directive_kind *kind, const struct directive_scope *scope,
                       const struct omptape_directive *directive)
{
    if (kind->is_dynamic)
        return directive->dynamic;
    return !kind->waits || (!directive->dynamic && directive->line >= scope->line);
}

/* Keeps the directives near the function's code; keeps none if there are too many. */
static size_t filter_nearby(struct omptape_image *image, const struct directive_scope *scope,
                            struct omptape_directive *list, size_t count)
{
    unsigned first;
    unsigned last;
    size_t kept = 0;
    if (count == 0 || !omptape_lines_range(&scope->unit->lines, scope->low, scope->high, &image->strings,
                                           scope->file, &first, &last))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].line <= last + BEHIND && list[i].last + BEHIND >= first)
            list[kept++] = list[i];
    return kept <= MAX_FUNCTION_DIRECTIVES ? kept : 0;
}

/* Keeps the directives for which the function has code. */
static size_t filter_with_code(struct omptape_image *image, const struct directive_scope *scope,
                               const struct directive_kind *kind, struct omptape_directive *list,
                               size_t count)
{
    size_t kept = 0;
    count = filter_nearby(image, scope, list, count);
    for (size_t i = 0; i < count; i++)
        if (is_of_kind(kind, scope, &list[i]) && has_code_after(image, scope, &list[i]))
            list[kept++] = list[i];
    return kept;
}

/* Returns true if the call was inlined from a function, possibly of another file with its own directives. */
static bool is_inlined(struct omptape_image *image, const struct omptape_image_address *call)
{
    const char *file;
    unsigned line;
    Dwarf_Addr address;
    struct omptape_unit *unit = omptape_module_unit(call->module, call->address, &address);
    return unit != NULL && omptape_functions_inlined_call(unit, address, 0, &image->strings, &file, &line);
}

/* Chooses the directive of a barrier. At the end of a parallel region, the barrier of a static loop or
 * single is the region's own. So is the barrier for which a loop without one (nowait) waits there. */
static bool select_waiting(const struct omptape_directive *list, size_t count, bool at_end,
                           const struct omptape_code_range *range, const struct omptape_image_address *call,
                           size_t *chosen)
{
    size_t waiting = 0;
    size_t before;
    size_t calls = count_calls(range, call, barrier_calls, &before);
    const struct omptape_directive *last = count > 0 ? &list[count - 1] : NULL;
    for (size_t i = 0; i < count; i++) {
        if (waiting <= before && !list[i].nowait)
            *chosen = i;
        waiting += !list[i].nowait;
    }
    if (last == NULL)
        return false;
    bool merged = !last->nowait && strcmp(last->word, "barrier") != 0 && calls + 1 == waiting;
    bool is_loop = strcmp(last->word, "for") == 0 || strcmp(last->word, "do") == 0;
    if (!at_end) /* A single directive may have several calls. */
        return waiting == 1 || (before < waiting && (merged || calls == waiting));
    *chosen = count - 1;
    return is_loop && (merged || (last->nowait && calls == waiting));
}

/* Chooses the directive among those of the function, or of a body whose code is the range. */
static bool select_directive(struct omptape_image *image, const struct directive_kind *kind,
                             const struct omptape_directive *list, size_t count,
                             const struct omptape_code_range *range, const struct omptape_image_address *call,
                             size_t *chosen)
{
    *chosen = 0;
    if (kind->waits)
        return (kind->passes_body || !is_inlined(image, call)) &&
               select_waiting(list, count, kind->passes_body, range, call, chosen);
    if (count == 1 && (kind->passes_body || !is_inlined(image, call)))
        return true;
    return count > 0 && !kind->passes_body && count_calls(range, call, kind->callees, chosen) == count;
}

static size_t list_own(struct omptape_image *image, const struct directive_scope *scope,
                       const struct directive_kind *kind, unsigned line, struct omptape_directive *list)
{
    bool fortran = scope->unit->language == OMPTAPE_LANGUAGE_FORTRAN;
    size_t others = kind->others != NULL
                        ? omptape_directives_list(scope->file, scope->built, fortran, kind->others, list)
                        : 0;
    while (others > 0 && list[others - 1].line != line)
        others--;
    return others > 0 ? 0
                      : filter_with_code(
                            image, scope, kind, list,
                            omptape_directives_list(scope->file, scope->built, fortran, kind->words, list));
}

/* Returns NULL if the source text is not needed. Any parallel construct has its call's line. */
static const struct directive_kind *kind_of(const char *callee, const char *const *callees)
{
    bool is_barrier = omptape_callee_is_listed("GOMP_barrier", callees);
    bool is_parallel = !is_barrier && omptape_callee_is_listed("GOMP_parallel", callees);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (omptape_callee_is_listed(callee, kinds[i].callees) && begins(callee))
            return kinds[i].passes_body && (is_parallel || (kinds[i].waits && !is_barrier)) ? NULL
                                                                                            : &kinds[i];
    return NULL;
}

/* Returns true if it is the last construct of the body that has or may have a barrier. */
static bool is_last(struct omptape_image *image, const struct directive_scope *scope, unsigned line,
                    struct omptape_directive *list)
{
    static const struct directive_kind ending = {.words = ending_words};
    size_t count = list_own(image, scope, &ending, 0, list);
    return count > 0 && list[count - 1].line == line;
}

bool omptape_directive_line_find(struct omptape_image *image, const struct omptape_image_address *call,
                                 const char *const *callees, const char **file, unsigned *line)
{
    struct omptape_call_code code;
    struct omptape_image_address bodies[OMPTAPE_MAX_BODIES] = {*call};
    struct directive_scope scope;
    size_t chosen = 0;
    const struct directive_kind *kind =
        omptape_callee_at(call, &code) ? kind_of(code.callee.name, callees) : NULL;
    if (kind == NULL || (kind->passes_body && omptape_bodies_find(image, call, bodies) != 1) ||
        !find_scope(image, &bodies[0], call->path, &scope, &code.range))
        return false;
    struct omptape_directive *list = calloc(OMPTAPE_MAX_DIRECTIVES, sizeof(*list));
    size_t count = list != NULL ? list_own(image, &scope, kind, *line, list) : 0;
    bool found = count > 0 && select_directive(image, kind, list, count, &code.range, call, &chosen);
    unsigned at = found ? list[chosen].line : 0;
    if (found && kind->waits && kind->passes_body)
        found = is_last(image, &scope, at, list);
    if (found) {
        *file = scope.file;
        *line = at;
    }
    free(list);
    return found;
}
