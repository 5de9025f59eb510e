/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records the modules (shared libraries) that are loaded while the program runs. So the writer can resolve
 * their call sites after an unload, and distinguish them from other code loaded later at the same addresses.
 * Called by callbacks on program threads.
 */
#pragma once

#include "buffers/producer.h"

/* The address range of the main program's code, which never moves. Zero until its first region has begun. */
struct omptape_main_code {
    _Atomic uintptr_t begin;
    _Atomic uintptr_t bytes;
};
extern struct omptape_main_code omptape_main_code;

/* Forgets all modules. Called at the start of each session, on the thread that starts it: the writer knows
 * only the memory map of that moment. */
void omptape_module_start(void);

/* Returns a number that changes if other code is loaded at the address. It is a hash of the library's name,
 * or, before glibc 2.35, the count of all loads so far. */
uint64_t omptape_module_version(uintptr_t address);

/* Records the module that contains `address` unless the writer knows it. That takes about ten nanoseconds. */
void omptape_module_record(struct omptape_slot *slot, uintptr_t address);

/* Does the same as omptape_module_record. Costs one comparison if the address is in the main program. */
static inline void omptape_module_check(struct omptape_slot *slot, uintptr_t address)
{
    uintptr_t into = address - atomic_load_explicit(&omptape_main_code.begin, memory_order_relaxed);
    uintptr_t bytes = atomic_load_explicit(&omptape_main_code.bytes, memory_order_relaxed);
    if (__builtin_expect(into >= bytes, 0) && address != 0)
        omptape_module_record(slot, address);
}

/* Records all modules loaded since the start. For code that runs outside its own parallel regions. */
void omptape_module_record_new(struct omptape_slot *slot);
