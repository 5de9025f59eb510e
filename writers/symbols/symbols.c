/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The symbol resolver: maps a return address to a module, and, by its debug information or symbol table, to
 * the user's source. Called by the translation of call sites.
 */
#include "writers/symbols/symbols.h"

#include "src/core/words.h"
#include "writers/symbols/functions.h"
#include "writers/symbols/image.h"
#include "writers/symbols/lines.h"
#include "writers/symbols/names.h"
#include "writers/symbols/runtime.h"
#include "writers/symbols/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct omptape_symbols {
    struct omptape_image image;
    struct omptape_unwinder *unwinder;
};

int omptape_symbols_create(struct omptape_symbols **symbols)
{
    (void)unsetenv("DEBUGINFOD_URLS");
    *symbols = calloc(1, sizeof(**symbols));
    return *symbols != NULL ? 0 : -ENOMEM;
}

void omptape_symbols_set_start(struct omptape_symbols *symbols, uint64_t realtime_ns)
{
    symbols->image.start_ns = realtime_ns;
}

const char *omptape_symbols_replaced(const struct omptape_symbols *symbols)
{
    return symbols->image.replaced;
}

void omptape_symbols_destroy(struct omptape_symbols *symbols)
{
    if (symbols == NULL)
        return;
    omptape_unwind_free(symbols->unwinder);
    omptape_image_free(&symbols->image);
    free(symbols);
}

int omptape_symbols_add_maps(struct omptape_symbols *symbols, const char *maps, size_t bytes)
{
    int error = omptape_maps_add(&symbols->image.maps, &symbols->image.strings, maps, bytes);
    omptape_runtime_examine(&symbols->image.maps);
    return error;
}

bool omptape_symbols_covers(const struct omptape_symbols *symbols, uint64_t return_address)
{
    return return_address != 0 && omptape_maps_find(&symbols->image.maps, return_address - 1) != NULL;
}

uint32_t omptape_symbols_code_id(const struct omptape_symbols *symbols, uint64_t return_address)
{
    return return_address != 0 ? omptape_maps_code(&symbols->image.maps, return_address - 1) : 0;
}

void omptape_symbols_select_code(struct omptape_symbols *symbols, uint32_t code)
{
    symbols->image.code_id = code;
}

/* Returns a copy of the text that lives as long as the object, and frees the text. NULL for an empty text:
 * the names of a file that became shorter are zeros (lost_pages.h). */
static const char *keep_text(struct omptape_symbols *symbols, char *text)
{
    const char *kept = NULL;
    if (text != NULL && text[0] != '\0')
        kept = omptape_rows_keep(&symbols->image.strings, text, strlen(text));
    free(text);
    return kept;
}

static const char *readable_name(struct omptape_symbols *symbols, const char *name, size_t length)
{
    return keep_text(symbols, omptape_name_readable(name, length));
}

/* Returns the demangled symbol with its suffixes: "foo()" and ".omp_outlined". */
static const char *readable_symbol(struct omptape_symbols *symbols, const char *name, size_t stem)
{
    char *text = omptape_name_readable(name, stem);
    size_t length = text != NULL ? strlen(text) : 0;
    size_t suffix = strlen(name + stem);
    char *grown = text != NULL ? realloc(text, length + suffix + 1) : NULL;
    if (grown == NULL) {
        free(text);
        return NULL;
    }
    memcpy(grown + length, name + stem, suffix + 1);
    return keep_text(symbols, grown);
}

/* *plain: see omptape_functions_name. */
static void resolve_debug_info(struct omptape_symbols *symbols, struct omptape_module *module,
                               uint64_t address, struct omptape_source *source, bool *plain)
{
    Dwarf_Addr unit_address;
    struct omptape_unit *unit = omptape_module_unit(module, address, &unit_address);
    if (unit == NULL)
        return;
    const char *file = NULL;
    unsigned line = 0;
    if (omptape_lines_find(&unit->lines, unit_address, &symbols->image.strings, &file, &line)) {
        source->file = file;
        source->line = line;
    }
    char *name = omptape_functions_name(unit, unit_address, &symbols->image.strings, source->file,
                                        source->line, SIZE_MAX, plain);
    source->function = keep_text(symbols, name);
}

static void resolve_symbol(struct omptape_symbols *symbols, struct omptape_module *module, uint64_t address,
                           struct omptape_source *source, bool plain)
{
    struct omptape_symbol symbol;
    if (!omptape_module_symbol(module, address, &symbol))
        return;
    size_t stem = omptape_name_stem(symbol.name);
    if (source->function == NULL || (plain && omptape_starts_with(symbol.name, "_Z")))
        source->function = readable_name(symbols, symbol.name, stem ? stem : strlen(symbol.name));
    if (source->line == 0) {
        source->symbol = readable_symbol(symbols, symbol.name, stem);
        source->function_offset = address - symbol.low;
    }
}

/* Returns a name for a function without a symbol: its file and where it begins there, as addr2line and gdb
 * expect it. NULL: unknown. */
static const char *name_by_start(struct omptape_symbols *symbols, const struct omptape_image_address *place)
{
    enum { NAME_BYTES = 256 };
    char name[NAME_BYTES];
    uint64_t start;
    if (!omptape_module_function_start(place->module, place->address, &start))
        return NULL;
    snprintf(name, sizeof(name), "%s+0x%" PRIx64, omptape_base_name(place->path), start);
    return omptape_rows_keep(&symbols->image.strings, name, strlen(name));
}

static void resolve_place(struct omptape_symbols *symbols, const struct omptape_image_address *place,
                          struct omptape_source *source)
{
    *source = (struct omptape_source){.module = place->path, .module_offset = place->address};
    if (place->module == NULL)
        return;
    bool plain = false;
    resolve_debug_info(symbols, place->module, place->address, source, &plain);
    if (source->function == NULL || source->line == 0 || plain)
        resolve_symbol(symbols, place->module, place->address, source, plain);
    source->packed = source->line == 0 && omptape_module_is_packed(place->module);
}

/* Finds the place of the call before the return address. */
static bool find_call(struct omptape_symbols *symbols, uint64_t return_address,
                      struct omptape_image_address *call)
{
    return return_address != 0 && omptape_image_find(&symbols->image, return_address - 1, call);
}

int omptape_symbols_resolve(struct omptape_symbols *symbols, uint64_t return_address,
                            struct omptape_source *source)
{
    struct omptape_image_address call;
    *source = (struct omptape_source){0};
    if (!find_call(symbols, return_address, &call))
        return -ENOENT;
    resolve_place(symbols, &call, source);
    return 0;
}

/* Keeps only file and module of the source, because the rest is unknown. */
static void forget_place(struct omptape_source *source)
{
    *source = (struct omptape_source){.file = source->file, .module = source->module, .is_approximate = true};
}

/* Finds the construct of a body's last call, which returns to the runtime. If there is no such construct,
 * sets the parent's place if both may be the same. Returns false if this cannot be determined. */
static bool find_in_parent(struct omptape_symbols *symbols, uint64_t parent, const char *const *callees,
                           struct omptape_image_address *site)
{
    struct omptape_image_address construct;
    if (omptape_symbols_in_runtime(symbols, parent) || !find_call(symbols, parent, &construct))
        return false;
    if (omptape_calls_find_jump(&symbols->image, &construct, omptape_callees_with_body, site))
        construct = *site;
    else if (omptape_calls_is_indirect(&construct))
        return false;
    if (omptape_calls_find_in_body(&symbols->image, &construct, callees, site))
        return true;
    *site = construct;
    return !omptape_calls_is_of_other(&symbols->image, site, callees, true);
}

static bool is_same_file(const char *path, const struct omptape_ident *ident)
{
    const char *name = omptape_base_name(path);
    size_t length = strlen(name);
    return length <= ident->file_length &&
           memcmp(ident->file + ident->file_length - length, name, length) == 0 &&
           (length == ident->file_length || ident->file[ident->file_length - length - 1] == '/');
}

/* Finds the ident_t that clang or flang passes to the called runtime function, if that is in the list. */
static bool find_ident(const struct omptape_image_address *call, const char *const *callees,
                       struct omptape_ident *ident)
{
    struct omptape_call_code code;
    uint64_t record;
    return omptape_callee_at(call, &code) && omptape_callee_is_listed(code.callee.name, callees) &&
           omptape_code_first_argument(&code.range, call->address, &record) &&
           omptape_module_ident(call->module, record, ident);
}

/* Corrects the line of a loop with dynamic chunks or dependent iterations: clang's line table may have the
 * statement's line. The ident_t has the construct's line. */
static void mend_loop(const struct omptape_image_address *call, struct omptape_source *source)
{
    static const char *const loops[] = {"__kmpc_dispatch_init*", "__kmpc_dist_dispatch_init*",
                                        "__kmpc_doacross_init", NULL};
    struct omptape_ident ident;
    if (source->line != 0 && find_ident(call, loops, &ident) && is_same_file(source->file, &ident) &&
        ident.line < source->line)
        source->line = ident.line;
}

/* Resolves the function of a line that is not in the line table. Considers `around` functions inlined
 * there. */
static void resolve_function(struct omptape_symbols *symbols, const struct omptape_image_address *call,
                             size_t around, struct omptape_source *source)
{
    Dwarf_Addr address;
    struct omptape_unit *unit = omptape_module_unit(call->module, call->address, &address);
    bool plain = false;
    if (unit == NULL) /* The line is the source text's or an ident_t's. */
        return;
    source->function = keep_text(symbols, omptape_functions_name(unit, address, &symbols->image.strings,
                                                                 source->file, source->line, around, &plain));
    if (plain)
        resolve_symbol(symbols, call->module, call->address, source, plain);
}

/* Returns true if the name ends with the record's function name. */
static bool is_same_function(const char *name, const struct omptape_ident *ident)
{
    size_t length = name != NULL ? strlen(name) : 0;
    return name != NULL && length >= ident->function_length &&
           memcmp(name + length - ident->function_length, ident->function, ident->function_length) == 0;
}

/* Resolves flang's calls by their ident_t: flang emits no line for most of its calls, and for some the
 * line of code inlined before. It uses the same file name for every file. */
static bool resolve_flang(struct omptape_symbols *symbols, const struct omptape_image_address *call,
                          struct omptape_source *source)
{
    static const char *const all[] = {"__kmpc_*", NULL};
    static const char file[] = "FIRModule";
    struct omptape_ident ident;
    if (source->line == 0 || !find_ident(call, all, &ident) || ident.file_length != strlen(file) ||
        memcmp(ident.file, file, strlen(file)) != 0)
        return false;
    source->line = ident.line;
    if (!is_same_function(source->function, &ident))
        resolve_function(symbols, call, 0, source);
    return true;
}

/* Resolves a loop whose bounds are computed by inlined functions. */
static bool resolve_bounds(struct omptape_symbols *symbols, const struct omptape_image_address *call,
                           struct omptape_source *source)
{
    size_t around;
    if (source->line == 0 ||
        !omptape_call_line_of_loop(&symbols->image, call, &source->file, &source->line, &around))
        return false;
    resolve_function(symbols, call, around, source);
    return true;
}

/* Resolves a construct without a reliable line by its directive in the source text. */
static bool resolve_written(struct omptape_symbols *symbols, const struct omptape_image_address *call,
                            const char *const *callees, struct omptape_source *source)
{
    if (!omptape_directive_line_find(&symbols->image, call, callees, &source->file, &source->line))
        return false;
    resolve_function(symbols, call, SIZE_MAX, source);
    return true;
}

/* Resolves a task whose creation has no line. */
static bool resolve_allocated(struct omptape_symbols *symbols, const struct omptape_image_address *call,
                              struct omptape_source *source)
{
    if (source->line != 0 || call->module == NULL ||
        !omptape_call_line_of_task(&symbols->image, call, &source->file, &source->line))
        return false;
    source->symbol = NULL;
    source->function_offset = 0;
    resolve_function(symbols, call, SIZE_MAX, source);
    return true;
}

/* Returns true if the code before the call loads the address of clang's lock for reductions. */
static bool takes_lock_of_reduction(const struct omptape_image_address *call,
                                    const struct omptape_code_range *range)
{
    enum { NEAR = 64 };
    static const char *const locks[] = {OMPTAPE_SYMBOL_OF_LOCK ".reduction.var",
                                        OMPTAPE_SYMBOL_OF_LOCK ".atomic_reduction.var", NULL};
    uint64_t low = call->address - range->low > NEAR ? call->address - NEAR : range->low;
    for (uint64_t at = call->address; at > low; at--) {
        struct omptape_symbol symbol;
        uint64_t address;
        if (omptape_code_address_at(range, at, &address) &&
            omptape_module_symbol(call->module, address, &symbol) && symbol.low == address &&
            omptape_starts_with(symbol.name, OMPTAPE_SYMBOL_OF_LOCK))
            return omptape_callee_is_listed(symbol.name, locks);
    }
    return false;
}

static bool is_reduction(const struct omptape_image_address *call)
{
    static const char *const reductions[] = {"__kmpc_reduce*", "__kmpc_end_reduce*", NULL};
    static const char *const criticals[] = {"__kmpc_critical*", "__kmpc_end_critical*", NULL};
    struct omptape_call_code code;
    if (!omptape_callee_at(call, &code))
        return false;
    return omptape_callee_is_listed(code.callee.name, reductions) ||
           (omptape_callee_is_listed(code.callee.name, criticals) &&
            takes_lock_of_reduction(call, &code.range));
}

/* Resolves a call whose line in the table is another statement's. So may be the function that is inlined
 * there: takes the one around it. */
static void resolve_without_line(struct omptape_symbols *symbols, const struct omptape_image_address *call,
                                 struct omptape_source *source)
{
    Dwarf_Addr address;
    unsigned line;
    const struct omptape_unit *unit = omptape_module_unit(call->module, call->address, &address);
    source->line = 0;
    if (unit != NULL &&
        omptape_functions_declaration(unit, address, &symbols->image.strings, &source->file, &line))
        resolve_function(symbols, call, 0, source);
    resolve_symbol(symbols, call->module, call->address, source, false);
}

/* Resolves the place of a construct with these callees. The line table may have another one's. */
static void resolve_construct(struct omptape_symbols *symbols, const struct omptape_image_address *call,
                              const char *const *callees, struct omptape_source *source)
{
    const char *file;
    unsigned line;
    resolve_place(symbols, call, source);
    source->reduction = is_reduction(call);
    if (source->line != 0 && omptape_bodies_line(&symbols->image, call, &file, &line)) {
        source->file = file;
        source->line = line;
        (void)resolve_written(symbols, call, callees, source);
    } else if (resolve_bounds(symbols, call, source) || resolve_allocated(symbols, call, source)) {
        return;
    } else if (resolve_flang(symbols, call, source)) {
        (void)resolve_written(symbols, call, callees, source);
        return;
    } else if (source->line != 0 && !omptape_call_line_is_own(&symbols->image, call) &&
               !resolve_written(symbols, call, callees, source)) {
        resolve_without_line(symbols, call, source);
    }
    mend_loop(call, source);
}

/* Resolves only the file: the one of the surrounding construct, if it is known. */
static void resolve_file(struct omptape_symbols *symbols, uint64_t parent, struct omptape_source *source)
{
    struct omptape_image_address construct;
    *source = (struct omptape_source){0};
    if (find_call(symbols, parent, &construct) && !omptape_calls_is_indirect(&construct))
        resolve_place(symbols, &construct, source);
    forget_place(source);
}

int omptape_symbols_resolve_call(struct omptape_symbols *symbols, uint64_t return_address, uint64_t parent,
                                 const char *const *callees, struct omptape_source *source)
{
    struct omptape_image_address call;
    struct omptape_image_address site;
    *source = (struct omptape_source){0};
    if (!find_call(symbols, return_address, &call))
        return -ENOENT;
    if (!omptape_symbols_in_runtime(symbols, return_address - 1)) {
        bool found = omptape_calls_find_jump(&symbols->image, &call, callees, &site);
        if (!found && omptape_calls_is_indirect(&call)) {
            forget_place(source);
            return 0;
        }
        resolve_construct(symbols, found ? &site : &call, callees, source);
        return 0;
    }
    if (find_in_parent(symbols, parent, callees, &site)) {
        resolve_construct(symbols, &site, callees, source);
        return 0;
    }
    if (*callees == NULL) {
        resolve_place(symbols, &call, source);
        return 0;
    }
    resolve_file(symbols, parent, source);
    return 0;
}

int omptape_symbols_resolve_inside(struct omptape_symbols *symbols, uint64_t parent,
                                   const char *const *callees, struct omptape_source *source)
{
    struct omptape_image_address construct;
    struct omptape_image_address site;
    *source = (struct omptape_source){.is_approximate = true};
    if (omptape_symbols_in_runtime(symbols, parent) || !find_call(symbols, parent, &construct))
        return -ENOENT;
    if (omptape_calls_find_inside(&symbols->image, &construct, callees, &site))
        resolve_construct(symbols, &site, callees, source);
    else
        resolve_file(symbols, parent, source);
    return 0;
}

bool omptape_symbols_calls_other(struct omptape_symbols *symbols, uint64_t return_address,
                                 const char *const *callees, bool alone)
{
    struct omptape_image_address call;
    return !omptape_symbols_in_runtime(symbols, return_address) &&
           find_call(symbols, return_address, &call) &&
           omptape_calls_is_of_other(&symbols->image, &call, callees, alone);
}

bool omptape_symbols_in_runtime(const struct omptape_symbols *symbols, uint64_t address)
{
    const struct omptape_mapping *mapping = omptape_maps_find(&symbols->image.maps, address);
    return mapping != NULL && mapping->runtime;
}

/* Returns true if the file name at the address begins with one of the names. The list ends with NULL. */
static bool is_in(const struct omptape_symbols *symbols, uint64_t address, const char *const *names)
{
    const struct omptape_mapping *mapping = omptape_maps_find(&symbols->image.maps, address);
    const char *name = mapping != NULL && mapping->path != NULL ? omptape_base_name(mapping->path) : "";
    return omptape_starts_with_one_of(name, names);
}

bool omptape_symbols_in_wrappers(const struct omptape_symbols *symbols, uint64_t address)
{
    static const char *const names[] = {"libomptape-mpi", NULL};
    return is_in(symbols, address, names);
}

bool omptape_symbols_in_libc(const struct omptape_symbols *symbols, uint64_t address)
{
    static const char *const names[] = {"libc.", "libc-", "libpthread", "ld-", "ld.", "[vdso]", NULL};
    return is_in(symbols, address, names);
}

bool omptape_symbols_unwind(struct omptape_symbols *symbols, const struct omptape_stack_copy *copy,
                            struct omptape_call_path *path)
{
    return omptape_unwind(&symbols->unwinder, &symbols->image, copy, path);
}

/* Sets name and line of the function at this depth. Returns true if another function is inlined into it. */
static bool resolve_inlined(struct omptape_symbols *symbols, const struct omptape_image_address *place,
                            unsigned depth, struct omptape_source *source, bool *plain)
{
    Dwarf_Addr address;
    struct omptape_rows *strings = &symbols->image.strings;
    struct omptape_unit *unit = omptape_module_unit(place->module, place->address, &address);
    const char *file = NULL;
    unsigned line = 0;
    if (unit == NULL)
        return false;
    source->is_unoptimised = unit->is_unoptimised;
    const bool more = omptape_functions_inlined_call(unit, address, depth, strings, &file, &line);
    if (more || omptape_lines_find(&unit->lines, address, strings, &file, &line)) {
        source->file = file;
        source->line = line;
    }
    source->function =
        keep_text(symbols, omptape_functions_name(unit, address, strings, source->file, source->line,
                                                  more ? depth : SIZE_MAX, plain));
    return more;
}

const char *omptape_symbols_called(struct omptape_symbols *symbols, uint64_t return_address, uint64_t entered)
{
    struct omptape_image_address call;
    struct omptape_image_address place;
    struct omptape_callee callee;
    uint64_t start;
    if (!find_call(symbols, entered, &place) || place.module == NULL || !omptape_is_system_path(place.path) ||
        !find_call(symbols, return_address, &call) || call.module == place.module ||
        omptape_is_system_path(call.path) || !omptape_callee_of_call(&call, &callee) || callee.here ||
        !omptape_module_export(place.module, callee.name, &start))
        return NULL;
    return readable_name(symbols, callee.name, strcspn(callee.name, "@"));
}

/* Sets *start to the begin of the function at the place. Returns false if it is unknown. */
static bool find_start(const struct omptape_image_address *place, uint64_t *start)
{
    struct omptape_symbol symbol;
    if (!omptape_module_symbol(place->module, place->address, &symbol))
        return omptape_module_function_start(place->module, place->address, start);
    *start = symbol.low;
    return true;
}

struct omptape_sampled_code
omptape_symbols_sampled_code(struct omptape_symbols *symbols, uint64_t address, bool has_frame,
                             struct omptape_code_operand space[OMPTAPE_CODE_OPERANDS])
{
    enum { AROUND = 512 };
    struct omptape_image_address place;
    struct omptape_code_range range = {.bytes = NULL};
    if (find_call(symbols, address + 1, &place) && place.module != NULL) {
        const struct omptape_code *code = omptape_module_code(place.module);
        const uint64_t low = place.address > AROUND ? place.address - AROUND : 0;
        if (code != NULL && omptape_code_is_x86(code))
            range = omptape_code_range(code, low, place.address + AROUND);
    }
    if (range.bytes == NULL)
        return (struct omptape_sampled_code){.operands = space};
    uint64_t start;
    if (!find_start(&place, &start) || start < range.low)
        start = place.address;
    return omptape_sampled_code_read(range.bytes, range.high - range.low, start - range.low,
                                     place.address - range.low, has_frame, space);
}

int omptape_symbols_resolve_frame(struct omptape_symbols *symbols, uint64_t return_address, unsigned depth,
                                  bool known, struct omptape_source *source)
{
    struct omptape_image_address place;
    *source = (struct omptape_source){0};
    if (!find_call(symbols, return_address, &place))
        return -ENOENT;
    *source = (struct omptape_source){.module = place.path, .module_offset = place.address};
    if (place.module == NULL)
        return 0;
    bool plain = false;
    bool more = false;
    const bool of_system = omptape_is_system_path(place.path);
    const bool unread = known && !omptape_module_has_read_units(place.module);
    if (!of_system && !unread)
        more = resolve_inlined(symbols, &place, depth, source, &plain);
    if (source->function == NULL || plain)
        resolve_symbol(symbols, place.module, place.address, source, plain);
    if (source->function == NULL && !of_system)
        source->function = name_by_start(symbols, &place);
    source->more = more;
    return unread && !of_system ? -EAGAIN : 0;
}
