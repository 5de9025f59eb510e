/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the user's function around an address in the debug information of a unit. Follows inlined functions,
 * and outlined ones back to the function in which the user wrote the construct.
 */
#include "writers/symbols/functions.h"

#include "src/core/array.h"
#include "src/core/words.h"
#include "writers/symbols/dies.h"
#include "writers/symbols/lines.h"
#include "writers/symbols/names.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static const size_t NO_FUNCTION = (size_t)-1;

struct unit_function {
    Dwarf_Die die;
    size_t parent; /* Function in which this one is nested, or NO_FUNCTION. */
    size_t first_extent, extents;
    unsigned depth;
    bool outlined;
    const char *file; /* File of the declaration; NULL: unknown. */
    unsigned line;
    unsigned last_line; /* Last line of its code; 0: unknown. */
};

struct function_extent {
    Dwarf_Addr low, high;
    size_t function;
};

struct omptape_functions {
    struct unit_function *list;
    uint32_t count;
    uint32_t capacity;
    struct function_extent *extents;
    uint32_t extent_count;
    uint32_t extent_capacity;
    bool declarations_read;
};

struct tree_reader {
    struct omptape_functions *functions;
    Dwarf_Addr relative_base;
    struct omptape_die_walk walk;
    bool failed;
};

static const char *symbol_of(Dwarf_Die *die)
{
    const char *name = omptape_die_linkage_name(die);
    return name != NULL ? name : omptape_die_string(die, DW_AT_name);
}

static bool is_outlined(Dwarf_Die *die)
{
    const char *symbol = symbol_of(die);
    return symbol != NULL && omptape_name_is_outlined(symbol);
}

static bool add_extent(struct omptape_functions *functions, const struct function_extent *extent)
{
    return OMPTAPE_APPEND(functions->extents, functions->extent_count, functions->extent_capacity, *extent);
}

/* Adds the function and returns its index. Returns `outer` for a mere declaration. */
static size_t add_function(struct tree_reader *reader, Dwarf_Die *die, size_t outer, unsigned depth)
{
    struct omptape_functions *functions = reader->functions;
    if (dwarf_hasattr(die, DW_AT_declaration))
        return outer;
    reader->failed = !OMPTAPE_RESERVE(functions->list, functions->count + 1, &functions->capacity);
    if (reader->failed)
        return outer;
    struct function_extent extent = {.function = functions->count};
    struct omptape_die_ranges ranges = {0};
    size_t first = functions->extent_count;
    while (omptape_die_next_range(die, reader->relative_base, &ranges, &extent.low, &extent.high))
        if (extent.low != 0 && extent.low < extent.high && !add_extent(functions, &extent))
            reader->failed = true;
    functions->list[functions->count] = (struct unit_function){.die = *die,
                                                               .first_extent = first,
                                                               .extents = functions->extent_count - first,
                                                               .parent = outer,
                                                               .depth = depth,
                                                               .outlined = is_outlined(die)};
    return functions->count++;
}

static void read_scope(struct tree_reader *reader, Dwarf_Die *scope, Dwarf_Off end, size_t outer,
                       unsigned depth)
{
    Dwarf_Die die;
    Dwarf_Die next;
    Dwarf_Off own_end;
    if (depth > OMPTAPE_MAX_DIE_DEPTH || dwarf_child(scope, &die) != 0)
        return;
    for (bool more = true; more && !reader->failed; die = next) {
        more = omptape_die_next(&reader->walk, &die, end, &next, &own_end);
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
        case DW_TAG_entry_point: {
            size_t function = add_function(reader, &die, outer, depth);
            if (function != outer)
                read_scope(reader, &die, own_end, function, depth + 1);
            break;
        }
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
            read_scope(reader, &die, own_end, outer, depth + 1);
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
            /* gcc places the code of functions of local classes (such as lambdas) here. */
            if (outer != NO_FUNCTION)
                read_scope(reader, &die, own_end, outer, depth + 1);
            break;
        default:
            break;
        }
    }
}

struct omptape_functions *omptape_functions_create(const struct omptape_unit *unit)
{
    struct omptape_functions *functions = calloc(1, sizeof(*functions));
    if (functions == NULL)
        return NULL;
    struct tree_reader reader = {.functions = functions, .relative_base = unit->package.relative_base};
    Dwarf_Die tree = unit->tree;
    read_scope(&reader, &tree, omptape_die_unit_end(&tree), NO_FUNCTION, 0);
    if (reader.failed || omptape_die_walk_is_over_limit(&reader.walk)) {
        omptape_functions_free(functions);
        return NULL;
    }
    return functions;
}

void omptape_functions_free(struct omptape_functions *functions)
{
    if (functions == NULL)
        return;
    free(functions->list);
    free(functions->extents);
    free(functions);
}

/* Entries of the functions at one address, outermost first. */
struct function_chain {
    struct unit_function *function; /* The outermost function. */
    Dwarf_Die frames[OMPTAPE_MAX_DIE_DEPTH];
    size_t count;
};

/* Adds the inlined functions inside `scope` that contain the address. */
static void follow_inlined(struct omptape_die_walk *walk, Dwarf_Die *scope, Dwarf_Off end,
                           Dwarf_Addr relative_base, Dwarf_Addr address, struct function_chain *chain,
                           unsigned depth)
{
    Dwarf_Die die;
    Dwarf_Die next;
    Dwarf_Off own_end;
    if (depth > OMPTAPE_MAX_DIE_DEPTH || chain->count == OMPTAPE_MAX_DIE_DEPTH ||
        dwarf_child(scope, &die) != 0)
        return;
    for (bool more = true; more; die = next) {
        more = omptape_die_next(walk, &die, end, &next, &own_end);
        int tag = dwarf_tag(&die);
        bool inlined = tag == DW_TAG_inlined_subroutine;
        if (!inlined && tag != DW_TAG_lexical_block && tag != DW_TAG_try_block && tag != DW_TAG_catch_block)
            continue;
        if (!omptape_die_covers(&die, relative_base, address))
            continue;
        if (inlined)
            chain->frames[chain->count++] = die;
        follow_inlined(walk, &die, own_end, relative_base, address, chain, depth + 1);
        return;
    }
}

/* Returns the innermost function with separate code at the address, or NULL. */
static struct unit_function *find_function(struct omptape_functions *functions, Dwarf_Addr address)
{
    struct unit_function *best = NULL;
    for (size_t i = 0; i < functions->extent_count; i++) {
        const struct function_extent *extent = &functions->extents[i];
        struct unit_function *function = &functions->list[extent->function];
        if (extent->low <= address && address < extent->high &&
            (best == NULL || function->depth > best->depth))
            best = function;
    }
    return best;
}

/* Returns the function's name as the user wrote it; the caller frees it. */
static char *readable_function(const struct omptape_unit *unit, Dwarf_Die *die)
{
    const char *symbol = omptape_die_linkage_name(die);
    bool fortran = unit->language == OMPTAPE_LANGUAGE_FORTRAN;
    /* In Fortran the plain names are the user's, but flang gives none to the main program. */
    if (symbol != NULL && (!fortran || strcmp(symbol, "_QQmain") == 0)) {
        char *name = omptape_name_readable(symbol, omptape_name_stem(symbol));
        if (name == NULL || !omptape_starts_with(name, "_Z"))
            return name;
        free(name); /* The name could not be demangled. */
    }
    return omptape_die_path(die);
}

static char *name_of_parent(const struct omptape_unit *unit, const struct unit_function *function)
{
    struct unit_function *list = unit->functions->list;
    for (size_t i = function->parent; i != NO_FUNCTION; i = list[i].parent)
        if (!list[i].outlined)
            return readable_function(unit, &list[i].die);
    return NULL;
}

/* Returns the name from the part of an outlined function's symbol that is copied from the parent's. */
static char *name_by_stem(const struct omptape_unit *unit, Dwarf_Die *die)
{
    const char *symbol = symbol_of(die);
    size_t stem = symbol != NULL ? omptape_name_stem(symbol) : 0;
    if (stem == 0)
        return NULL;
    for (size_t i = 0; unit->language == OMPTAPE_LANGUAGE_FORTRAN && i < unit->functions->count; i++) {
        struct unit_function *function = &unit->functions->list[i];
        const char *linkage = omptape_die_linkage_name(&function->die);
        if (linkage != NULL && !function->outlined && strncmp(linkage, symbol, stem) == 0 &&
            linkage[stem] == '\0')
            return readable_function(unit, &function->die);
    }
    return omptape_name_readable(symbol, stem);
}

static void read_declarations(const struct omptape_unit *unit, struct omptape_rows *strings)
{
    struct omptape_functions *functions = unit->functions;
    Dwarf_Die lines = unit->lines;
    for (size_t i = 0; !functions->declarations_read && i < functions->count; i++) {
        struct unit_function *function = &functions->list[i];
        if (function->outlined ||
            !omptape_lines_declaration(&lines, &function->die, strings, &function->file, &function->line))
            function->file = NULL;
    }
    functions->declarations_read = true;
}

/* Returns true if the function's source text extends to the line, as far as known. */
static bool reaches_line(const struct omptape_unit *unit, struct unit_function *function,
                         struct omptape_rows *strings, unsigned line)
{
    Dwarf_Die lines = unit->lines;
    if (function->extents == 0) {
        /* All copies are inlined. Functions follow one another, but a lambda ends inside its function. */
        const char *name = omptape_die_string(&function->die, DW_AT_name);
        return name == NULL || strcmp(name, "operator()") != 0;
    }
    for (size_t i = 0; function->last_line < line && i < function->extents; i++) {
        const struct function_extent *extent = &unit->functions->extents[function->first_extent + i];
        unsigned first;
        unsigned last;
        if (extent->low < extent->high &&
            omptape_lines_range(&lines, extent->low, extent->high - 1, strings, function->file, &first,
                                &last) &&
            last > function->last_line)
            function->last_line = last;
    }
    return function->last_line >= line;
}

static bool have_same_symbol(struct unit_function *a, struct unit_function *b)
{
    const char *left = symbol_of(&a->die);
    const char *right = symbol_of(&b->die);
    return left != NULL && right != NULL && strcmp(left, right) == 0;
}

/* Returns the name of the function whose source contains the line: the last that begins before it. */
static char *name_by_line(const struct omptape_unit *unit, struct omptape_rows *strings, const char *file,
                          unsigned line)
{
    struct unit_function *best = NULL;
    bool best_reaches = false, ambiguous = false;
    read_declarations(unit, strings);
    for (size_t i = 0; i < unit->functions->count; i++) {
        struct unit_function *function = &unit->functions->list[i];
        if (function->file == NULL || function->file != file || function->line > line)
            continue;
        if (best != NULL && best_reaches && function->line < best->line)
            continue;
        bool reached = reaches_line(unit, function, strings, line);
        if (best != NULL &&
            (reached < best_reaches || (reached == best_reaches && function->line < best->line)))
            continue;
        bool tie = best != NULL && reached == best_reaches && function->line == best->line;
        ambiguous = tie && (ambiguous || !have_same_symbol(function, best));
        best = function;
        best_reaches = reached;
    }
    if (best == NULL)
        return NULL;
    /* Instances of a template begin at the same line, so only their common name is known. */
    return ambiguous ? omptape_die_path(&best->die) : readable_function(unit, &best->die);
}

/* Finds the innermost function with separate code at the address, and those inlined there. False if none. */
static bool find_chain(const struct omptape_unit *unit, Dwarf_Addr address, struct function_chain *chain)
{
    struct omptape_die_walk walk = {0};
    chain->function = unit->functions != NULL ? find_function(unit->functions, address) : NULL;
    chain->count = 0;
    if (chain->function == NULL)
        return false;
    chain->frames[chain->count++] = chain->function->die;
    follow_inlined(&walk, &chain->function->die, omptape_die_unit_end(&chain->function->die),
                   unit->package.relative_base, address, chain, 0);
    return true;
}

char *omptape_functions_name(const struct omptape_unit *unit, Dwarf_Addr address,
                             struct omptape_rows *strings, const char *file, unsigned line, size_t inlined,
                             bool *plain)
{
    struct function_chain chain;
    *plain = false;
    if (!find_chain(unit, address, &chain))
        return NULL;
    if (inlined < chain.count - 1)
        chain.count = inlined + 1;
    for (size_t i = chain.count; i > 0; i--) {
        Dwarf_Die *frame = &chain.frames[i - 1];
        if (is_outlined(frame))
            continue;
        /* gcc writes no linkage name for functions that other files cannot call. */
        *plain = i == 1 && unit->language == OMPTAPE_LANGUAGE_CXX && omptape_die_linkage_name(frame) == NULL;
        return readable_function(unit, frame);
    }
    /* In Fortran the parent's entry has the name; in other languages the symbol has as much or more. */
    char *name = unit->language == OMPTAPE_LANGUAGE_FORTRAN ? name_of_parent(unit, chain.function) : NULL;
    for (size_t i = chain.count; name == NULL && i > 0; i--)
        name = name_by_stem(unit, &chain.frames[i - 1]);
    if (name == NULL)
        name = name_of_parent(unit, chain.function);
    return name != NULL || file == NULL ? name : name_by_line(unit, strings, file, line);
}

bool omptape_functions_inlined_call(const struct omptape_unit *unit, Dwarf_Addr address, size_t depth,
                                    struct omptape_rows *strings, const char **file, unsigned *line)
{
    struct function_chain chain;
    Dwarf_Die lines = unit->lines;
    return find_chain(unit, address, &chain) && depth + 1 < chain.count &&
           omptape_lines_call(&lines, &chain.frames[depth + 1], strings, file, line);
}

bool omptape_functions_inlined_range(const struct omptape_unit *unit, Dwarf_Addr address, size_t depth,
                                     size_t index, Dwarf_Addr *low, Dwarf_Addr *high)
{
    struct function_chain chain;
    struct omptape_die_ranges ranges = {0};
    if (!find_chain(unit, address, &chain) || depth + 1 >= chain.count)
        return false;
    Dwarf_Die *frame = &chain.frames[depth + 1];
    bool found = omptape_die_next_range(frame, unit->package.relative_base, &ranges, low, high);
    while (found && index-- > 0)
        found = omptape_die_next_range(frame, unit->package.relative_base, &ranges, low, high);
    return found;
}

static bool inlines_at(struct omptape_die_walk *walk, Dwarf_Die *scope, Dwarf_Off end, unsigned line,
                       unsigned depth)
{
    Dwarf_Die die;
    Dwarf_Die next;
    Dwarf_Off own_end;
    if (depth > OMPTAPE_MAX_DIE_DEPTH || dwarf_child(scope, &die) != 0)
        return false;
    for (bool more = true; more; die = next) {
        more = omptape_die_next(walk, &die, end, &next, &own_end);
        int tag = dwarf_tag(&die);
        Dwarf_Attribute attribute;
        Dwarf_Word value;
        bool inlined = tag == DW_TAG_inlined_subroutine;
        if (inlined && dwarf_formudata(dwarf_attr(&die, DW_AT_call_line, &attribute), &value) == 0 &&
            value == line)
            return true;
        if ((inlined || tag == DW_TAG_lexical_block) && inlines_at(walk, &die, own_end, line, depth + 1))
            return true;
    }
    return false;
}

bool omptape_functions_inlined_at(const struct omptape_unit *unit, Dwarf_Addr address, unsigned line)
{
    struct unit_function *function = unit->functions != NULL ? find_function(unit->functions, address) : NULL;
    struct omptape_die_walk walk = {0};
    return function != NULL &&
           inlines_at(&walk, &function->die, omptape_die_unit_end(&function->die), line, 0);
}

bool omptape_functions_any_at(const struct omptape_unit *unit, struct omptape_rows *strings, const char *file,
                              unsigned line)
{
    if (unit->functions == NULL)
        return false;
    read_declarations(unit, strings);
    for (size_t i = 0; i < unit->functions->count; i++)
        if (unit->functions->list[i].file == file && unit->functions->list[i].line == line)
            return true;
    return false;
}

bool omptape_functions_declaration(const struct omptape_unit *unit, Dwarf_Addr address,
                                   struct omptape_rows *strings, const char **file, unsigned *line)
{
    struct unit_function *function = unit->functions != NULL ? find_function(unit->functions, address) : NULL;
    Dwarf_Die lines = unit->lines;
    return function != NULL && omptape_lines_declaration(&lines, &function->die, strings, file, line);
}
