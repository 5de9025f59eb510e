/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unwinds a copy of a thread's stack with the call frame information of the program's modules. Reads only the
 * copy and the files in the program's memory map, and no debug information. Writer's main thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_image;

/* Registers and stack of a thread at one moment. */
struct omptape_stack_copy {
    const uint64_t *registers;  /* In the order of perf_event_open (registers.h). */
    const unsigned char *bytes; /* The stack from the stack pointer on. */
    size_t count;               /* Number of copied bytes. */
    bool few_registers;         /* Only the program counter and the stack pointer are known. */
    uint64_t thread;            /* Any number that identifies the thread. */
    uint64_t time_ns;           /* Of any clock, the same for all of a process's stacks. */
};

enum { OMPTAPE_MAX_CALL_PATH = 192 };

/* Return addresses, innermost first. The innermost entry is the program counter + 1, so that each address
 * - 1 lies in its function. */
struct omptape_call_path {
    uint64_t addresses[OMPTAPE_MAX_CALL_PATH];
    uint32_t count;
    bool complete; /* True if the last address is in the thread's first function. */
};

/* Modules opened for unwinding. All zeros: none. */
struct omptape_unwinder;

/* Fills *path as far as the stack can be unwound. Opens a module when a stack first leads there. Returns
 * false if out of memory or the machine's registers are not supported. */
bool omptape_unwind(struct omptape_unwinder **unwinder, struct omptape_image *image,
                    const struct omptape_stack_copy *copy, struct omptape_call_path *path);
void omptape_unwind_free(struct omptape_unwinder *unwinder);
