/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records that a signal handler makes while its thread is making one (the thread's slot is held). They are
 * put aside in memory of the thread's own, and appended by omptape_producer_settle as soon as the interrupted
 * record is done. For buffers/producer.c only. All functions run on the slot's thread; a handler may in turn
 * be interrupted anywhere by another, which returns before it goes on.
 */
#ifndef OMPTAPE_BUFFERS_INTERRUPT_H
#define OMPTAPE_BUFFERS_INTERRUPT_H

#include "buffers/slot.h"

#include <omptape/record.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* True if the record that took the slot at the stack pointer `holder` will never be done: a handler left it
 * by longjmp. When in doubt, false. */
bool omptape_interrupt_left(uintptr_t holder);

/* Room aside for the record with this header; NULL: there is none, and the event is counted as lost. */
struct omptape_record *omptape_interrupt_reserve(struct omptape_slot *slot, uint64_t header);

/* The first record that was put aside. NULL: there is no more, and the memory is empty again. Only the slot's
 * holder may call this and the next. */
struct omptape_record *omptape_interrupt_next(struct omptape_slot *slot);
/* That record has been read. */
void omptape_interrupt_remove(struct omptape_slot *slot, struct omptape_record *record);

/* Holds signals off, and lets them come again, where a thread has no slot yet. */
void omptape_interrupt_hold_off(sigset_t *mask);
void omptape_interrupt_let_come(const sigset_t *mask);

#endif
