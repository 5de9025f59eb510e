/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells the writer of code that was loaded while the program ran, so that its call sites can be named even
 * after it is unloaded, and told from those of other code that comes to the same addresses. Called by
 * callbacks on program threads.
 */
#ifndef OMPTAPE_CALLBACKS_MODULE_H
#define OMPTAPE_CALLBACKS_MODULE_H

#include "buffers/producer.h"

/* The main program's code, which stays where it is; known from the first region in it on. */
struct omptape_main_code {
    _Atomic uintptr_t begin;
    _Atomic uintptr_t bytes;
};
extern struct omptape_main_code omptape_main_code;

/* At the start of each session, on its thread: nothing is known to the writer yet but its map of that time.
 */
void omptape_module_start(void);

/* A number that differs if other code is at the address than before: made of the library's name, or, before
 * glibc 2.35, of how often anything was loaded. */
uint64_t omptape_module_recognise(uintptr_t address);

/* Records the code of `address`, which calls us, unless the writer knows that it is there. Some ten
 * nanoseconds where that is so. */
void omptape_module_note(struct omptape_slot *slot, uintptr_t address);

/* The same, for one comparison in the main program. */
static inline void omptape_module_check(struct omptape_slot *slot, uintptr_t address)
{
    uintptr_t into = address - atomic_load_explicit(&omptape_main_code.begin, memory_order_relaxed);
    uintptr_t bytes = atomic_load_explicit(&omptape_main_code.bytes, memory_order_relaxed);
    if (__builtin_expect(into >= bytes, 0) && address != 0)
        omptape_module_note(slot, address);
}

/* Records what was loaded since the session's start, for code that runs without a parallel region of its own.
 */
void omptape_module_note_new(struct omptape_slot *slot);

#endif
