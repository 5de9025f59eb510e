/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unwinds a copy of a thread's stack by the call frame information of the program's modules. Nothing of the
 * program is read but the copy and the files that its memory map names; no debug info is looked for. On the
 * writer's main thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_loaded;

/* A thread at one moment. */
struct omptape_stack_copy {
    const uint64_t *registers;  /* as perf_event_open orders them (registers.h) */
    const unsigned char *bytes; /* the stack from the stack pointer on, */
    size_t count;               /* ...so many bytes */
};

enum { OMPTAPE_CALL_PATH_MOST = 192 };

/* Return addresses, the innermost first; that of the innermost frame is the byte behind its program counter,
 * so that one less is in the function for all of them. */
struct omptape_call_path {
    uint64_t addresses[OMPTAPE_CALL_PATH_MOST];
    uint32_t count;
    bool complete; /* the last one is the thread's first function */
};

/* The modules that are open for unwinding. All zeros: none. */
struct omptape_unwinder;

/* Fills *path, as far as the stack can be unwound. Modules are opened when a stack first leads there. False:
 * there is no memory, or the machine's registers are not known. */
bool omptape_unwind(struct omptape_unwinder **unwinder, struct omptape_loaded *loaded,
                    const struct omptape_stack_copy *copy, struct omptape_call_path *path);
void omptape_unwind_free(struct omptape_unwinder *unwinder);
