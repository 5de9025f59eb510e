/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells the writer of code that was loaded while the program ran, so that its call sites can be named even
 * after it is unloaded. Called by callbacks on program threads.
 */
#ifndef OMPTAPE_CALLBACKS_MODULE_H
#define OMPTAPE_CALLBACKS_MODULE_H

#include "buffers/producer.h"

/* Looks up the module of `address`, records it if it is new, and makes it the thread's present one. */
void omptape_module_note(struct omptape_slot *slot, uintptr_t address);

/* The same, for one comparison where nothing changed. */
static inline void omptape_module_check(struct omptape_slot *slot, uintptr_t address)
{
    if (__builtin_expect(address - slot->code_begin >= slot->code_bytes, 0) && address != 0)
        omptape_module_note(slot, address);
}

#endif
