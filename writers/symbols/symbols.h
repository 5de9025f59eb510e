/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Source positions of call sites, by libdw: from a return address in the traced program to file, line and
 * function. Belongs to one thread of the writer, like all of this folder. Modules are remembered from the
 * text of /proc/PID/maps, so that addresses can be resolved after the program, or a dlclosed library, is
 * gone.
 */
#pragma once

#include "writers/symbols/unwind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_symbols;

/* What is known of one call site, looked up at the return address - 1. Strings belong to the symbols object
 * and live as long as it does. NULL or 0: not known. */
struct omptape_source {
    /* Full path as the debug info gives it; relative names are joined to the compilation folder. */
    const char *file;
    unsigned line;
    /* The enclosing function that the user wrote, the innermost inlined one: demangled, without suffixes. */
    const char *function;
    /* Only where `line` is 0: the symbol that holds the address, demangled, with the compiler's suffixes
     * ("main.omp_outlined"), and the distance of the looked-up address from its start. */
    const char *symbol;
    uint64_t function_offset;
    /* Path of the executable or library, or "[vdso]"; and where the looked-up address lies in it as linked
     * (what addr2line takes), or, if the file cannot be read, in the file. */
    const char *module;
    uint64_t module_offset;
    /* The address is that of another construct, and where this one is cannot be told: it is somewhere in
     * `file` (or NULL) or `module`, and nothing else is known. */
    bool other;
    bool packed; /* only where `line` is 0: the module's debug info cannot be unpacked */
    /* The call is the one with which a reduction begins or ends, however the runtime does it. */
    bool reduction;
    bool more; /* only of a frame: another function is inlined into this one there */
};

/* 0, or -ENOMEM. Removes DEBUGINFOD_URLS from the environment: nothing here may wait for a network. */
int omptape_symbols_create(struct omptape_symbols **symbols);
void omptape_symbols_destroy(struct omptape_symbols *symbols);

/* Remembers the executable mappings of a /proc/PID/maps text. May be called again with a newer text. Then new
 * mappings are added to those from before, and a new mapping at an old address takes its place. 0 or negative
 * errno. */
int omptape_symbols_add_maps(struct omptape_symbols *symbols, const char *maps, size_t bytes);

/* True if the call before this return address lies in a remembered mapping. Cheap: called for each new call
 * site. */
bool omptape_symbols_covers(const struct omptape_symbols *symbols, uint64_t return_address);

/* Libraries that are loaded in turn lie at the same addresses. The number of the code at the address now; 0
 * if it is what was there first. Cheap: called for most new call sites. */
uint32_t omptape_symbols_code(const struct omptape_symbols *symbols, uint64_t return_address);
/* Which code the look-ups that follow are about, where there was more than one; 0: what was there first. */
void omptape_symbols_choose_code(struct omptape_symbols *symbols, uint32_t code);

/* Resolves a return address. Fills *source, whatever is known; returns 0, or -ENOENT when not even the module
 * is known. Slow on the first address of a module. Never fails on damaged or missing debug info: less is
 * known then. */
int omptape_symbols_resolve(struct omptape_symbols *symbols, uint64_t return_address,
                            struct omptape_source *source);

/* As omptape_symbols_resolve, for a construct. `callees` are the names of the runtime's functions; one of
 * them was called. The list ends with NULL, and a name that ends in '*' is a prefix. `parent` is the return
 * address of the construct around it, or 0. Compilers make a jump of a call that ends a function (a tail
 * call); the return address is then that of an outer frame. Where the machine code before the return address
 * (x86-64, aarch64) calls something else than a callee, the answer is the jump to a callee that this leads
 * to. Where the return address lies in a runtime, it is the jump that ends the parent's body. If such a jump
 * does not stand on exactly one line, the answer is the place of the return address. For an address in the
 * runtime it is then the parent's place, if that calls a callee, or source->other is set. The line is the
 * construct's own even where gcc gave its call none, or it is not known: source->line is then 0.
 * source->other is set if the call before the return address is one to libgomp's interface, but to none of
 * the callees. It is also set if that calls a pointer, since the construct may be anywhere. */
int omptape_symbols_resolve_call(struct omptape_symbols *symbols, uint64_t return_address, uint64_t parent,
                                 const char *const *callees, struct omptape_source *source);

/* For a construct that has no return address of its own: `parent` is that of the construct that encloses it.
 * If the parent calls one of the callees itself (a combined construct), it is there. Else it is where a
 * callee is called in the parent's body, or in the functions of the module that this calls. That must be one
 * place of the source. If not, source->other is set. 0, or -ENOENT when not even the module is known. */
int omptape_symbols_resolve_inside(struct omptape_symbols *symbols, uint64_t parent,
                                   const char *const *callees, struct omptape_source *source);

/* True if the return address cannot be that of a construct with these callees (see
 * omptape_symbols_resolve_call). It is that of a call to another function of the program, which does not
 * lead to a callee for certain. For a construct that is a call `alone` it may also be that of another
 * construct. */
bool omptape_symbols_calls_other(struct omptape_symbols *symbols, uint64_t return_address,
                                 const char *const *callees, bool alone);

/* True if the address lies in an OpenMP runtime: libomp, libiomp5, libgomp or libomptarget by file name or by
 * shared-object name (so LLVM's runtime under libgomp's name too). Cheap: called for each record. */
bool omptape_symbols_in_runtime(const struct omptape_symbols *symbols, uint64_t address);

/* True if the address lies in our library that MPI's functions go through. */
bool omptape_symbols_in_wrappers(const struct omptape_symbols *symbols, uint64_t address);

/* True if the address lies in the C library or the dynamic linker, by file name. Cheap: called for each frame
 * of a sample. */
bool omptape_symbols_in_libc(const struct omptape_symbols *symbols, uint64_t address);

/* Unwinds a copied stack (writers/symbols/unwind.h). False: nothing is known. */
bool omptape_symbols_unwind(struct omptape_symbols *symbols, const struct omptape_stack_copy *copy,
                            struct omptape_call_path *path);

/* True if the instruction at the address is in a loop that waits for a change in memory (waiting_loop.h). */
bool omptape_symbols_waits_at(struct omptape_symbols *symbols, uint64_t address);

/* As omptape_symbols_resolve, for one of the functions that have code at the address. 0 is the one that is
 * called, 1 the function that was inlined into it there, and so on as long as source->more. The line is where
 * it calls the next one. A function that the compiler made of a construct's body is the one that the
 * construct stands in. Libraries of the system are read for their symbols alone: their debug information may
 * be large, and their lines tell a user nothing. `known`: debug information that has not been read yet is not
 * read. Returns 0, or negative errno: -EAGAIN if the name is that of the symbol for this reason. */
int omptape_symbols_resolve_frame(struct omptape_symbols *symbols, uint64_t return_address, unsigned depth,
                                  bool known, struct omptape_source *source);
