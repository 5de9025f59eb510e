/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resolves call sites with libdw: from a return address in the traced program to file, line and function. Not
 * thread-safe, like everything in this folder. Modules are recorded from the text of /proc/PID/maps, so that
 * addresses can be resolved after the program or a library is gone.
 */
#pragma once

#include "writers/symbols/sampled_code.h"
#include "writers/symbols/unwind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_symbols;

/* Source of a call site, looked up at the return address - 1. The object owns the strings. NULL or 0:
 * unknown. */
struct omptape_source {
    /* Full path from the debug information; relative names are joined to the compilation folder. */
    const char *file;
    unsigned line;
    /* Innermost inlined function that the user wrote: demangled, without suffixes. */
    const char *function;
    /* Set only if `line` is 0: the symbol that contains the address, demangled, with the compiler's
     * suffixes ("main.omp_outlined"). The offset is the distance of the looked-up address from its start. */
    const char *symbol;
    uint64_t function_offset;
    /* Path of the executable or library, or "[vdso]". The offset is the linked address in it (as addr2line
     * expects it) or, if the file cannot be read, the offset in the file. */
    const char *module;
    uint64_t module_offset;
    /* True if the address belongs to another construct and this one's place is unknown. It is somewhere in
     * `file` (or NULL) or `module`. */
    bool is_approximate;
    bool packed; /* Set only if `line` is 0: the module's debug information cannot be decompressed. */
    /* True if the call begins or ends a reduction, in any implementation of the runtime. */
    bool reduction;
    bool more;           /* Set only for a frame: another function is inlined into this one there. */
    bool is_unoptimised; /* Set only for a frame: compiled without optimisation (optimisation.h). */
    bool is_call;        /* No place, but the name of a called function (writers/regions/contexts.c). */
    bool is_provisional; /* Only the symbol was looked up, though there may be debug information. */
};

/* Creates the object. Returns 0 or -ENOMEM. Removes DEBUGINFOD_URLS from the environment, because nothing
 * here may wait for a network. */
int omptape_symbols_create(struct omptape_symbols **symbols);
/* Sets when the program began (CLOCK_REALTIME, ns). A file that replaced a mapped one since is not read. */
void omptape_symbols_set_start(struct omptape_symbols *symbols, uint64_t realtime_ns);
/* Returns the path of a file whose code ran, but which was deleted or replaced before it was read, or
 * NULL. */
const char *omptape_symbols_replaced(const struct omptape_symbols *symbols);
void omptape_symbols_destroy(struct omptape_symbols *symbols);

/* Records the executable mappings of a /proc/PID/maps text. May be called again with a newer text: new
 * mappings are added, and replace older ones at the same addresses. Returns 0 or negative errno. */
int omptape_symbols_add_maps(struct omptape_symbols *symbols, const char *maps, size_t bytes);

/* True if the call before this return address lies in a recorded mapping. Cheap, for each new call site. */
bool omptape_symbols_covers(const struct omptape_symbols *symbols, uint64_t return_address);

/* Returns the number of the code at the address now; 0 if it is the first code there. Libraries that are
 * loaded one after the other may lie at the same addresses. Cheap: called for most new call sites. */
uint32_t omptape_symbols_code_id(const struct omptape_symbols *symbols, uint64_t return_address);
/* Selects the code for the following look-ups if several were loaded at an address; 0: the first one. */
void omptape_symbols_select_code(struct omptape_symbols *symbols, uint32_t code);

/* Resolves a return address and fills *source as far as possible. Returns 0, or -ENOENT if even the module
 * is unknown. Slow for the first address of a module. Damaged or missing debug information is no error;
 * then less is known. */
int omptape_symbols_resolve(struct omptape_symbols *symbols, uint64_t return_address,
                            struct omptape_source *source);

/* Resolves a return address of a construct. The construct called one of the runtime functions in
 * `callees`. This list ends with NULL, and '*' at a name's end matches any suffix. `parent` is the return
 * address of the surrounding construct, or 0.
 * Compilers turn a call that ends a function into a jump (a tail call); the return address is then an
 * outer frame's. If the code before the return address (x86-64, aarch64) calls another function, resolves
 * the jump to a callee in which that function ends. If the return address lies in a runtime, resolves the
 * jump that ends the parent's body. If no such jump has a unique source line, resolves the return address
 * itself. For an address in the runtime it then resolves the parent's place, if that calls a callee, or
 * sets source->is_approximate.
 * The line is the construct's own line, even if gcc emitted none for its call, or 0 if it is unknown. Sets
 * source->is_approximate if the call before the return address calls a function of libgomp's interface that
 * is no callee. Also sets it for a call through a pointer, because the construct may be anywhere. */
int omptape_symbols_resolve_call(struct omptape_symbols *symbols, uint64_t return_address, uint64_t parent,
                                 const char *const *callees, struct omptape_source *source);

/* Resolves a construct without a return address. `parent` is the return address of the enclosing
 * construct. If the parent itself calls a callee (a combined construct), resolves that call. Otherwise
 * resolves the only call of a callee in the parent's body, or in functions of the module that the body
 * calls. Sets source->is_approximate if there are none or several. Returns 0, or -ENOENT if even the module
 * is unknown. */
int omptape_symbols_resolve_inside(struct omptape_symbols *symbols, uint64_t parent,
                                   const char *const *callees, struct omptape_source *source);

/* Returns true if the return address cannot belong to a construct with these callees (see
 * omptape_symbols_resolve_call). It then belongs to a call of another function of the program, which does
 * not certainly lead to a callee. For a construct that is a separate call (`alone`) it may also belong to
 * another construct. */
bool omptape_symbols_calls_other(struct omptape_symbols *symbols, uint64_t return_address,
                                 const char *const *callees, bool alone);

/* Returns true if the address lies in an OpenMP runtime: libomp, libiomp5, libgomp or libomptarget. Checks
 * file name and shared-object name, so it recognises LLVM's runtime under libgomp's name. Cheap: called
 * for each record. */
bool omptape_symbols_in_runtime(const struct omptape_symbols *symbols, uint64_t address);

/* Returns true if the address lies in omptape's library that wraps MPI's functions. */
bool omptape_symbols_in_wrappers(const struct omptape_symbols *symbols, uint64_t address);

/* True if the address lies in the C library or the dynamic linker, by file name. Cheap: for each frame. */
bool omptape_symbols_in_libc(const struct omptape_symbols *symbols, uint64_t address);

/* Unwinds a copied stack (writers/symbols/unwind.h). Returns false if nothing is known. */
bool omptape_symbols_unwind(struct omptape_symbols *symbols, const struct omptape_stack_copy *copy,
                            struct omptape_call_path *path);

/* Returns the name of the library function that the call before the return address names, or NULL. The
 * address `entered` must lie in the system library that exports it. This function may have no name of its
 * own, because the exported one ends with a jump to it. */
const char *omptape_symbols_called(struct omptape_symbols *symbols, uint64_t return_address,
                                   uint64_t entered);

/* Returns what the machine code around the address does (sampled_code.h). An instruction must begin there.
 * `has_frame`: the frame pointer leads to the stack. */
struct omptape_sampled_code
omptape_symbols_sampled_code(struct omptape_symbols *symbols, uint64_t address, bool has_frame,
                             struct omptape_code_operand space[OMPTAPE_CODE_OPERANDS]);

/* Resolves one of the functions with code at the address. Depth 0 is the called function, 1 the function
 * inlined into it there, and so on while source->more. The line is the call of the next function. A
 * function made by the compiler from a construct's body is reported as the function that contains the
 * construct. Of system libraries only the symbols are read: their debug information may be large, and
 * their lines do not help users. `known`: does not read debug information that has not been read yet.
 * Returns 0 or negative errno: -EAGAIN if only the symbol's name was set for this reason. */
int omptape_symbols_resolve_frame(struct omptape_symbols *symbols, uint64_t return_address, unsigned depth,
                                  bool known, struct omptape_source *source);
