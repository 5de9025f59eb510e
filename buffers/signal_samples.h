/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples that the program's threads take of themselves, where the kernel takes none. Each thread has a timer
 * on its processor time. The handler of the timer's signal appends the thread's registers and a part of its
 * stack to its buffer. Only on request (--sample=signal).
 *
 * The signal is SIGURG: whoever does not handle it ignores it, so that one that comes late hurts nobody. A
 * timer goes off once, and the handler sets it again. A program that installs a handler of its own later so
 * gets at most one of these signals on each thread. Calls that SA_RESTART does not restart (poll, nanosleep)
 * may end with EINTR.
 */
#ifndef OMPTAPE_BUFFERS_SIGNAL_SAMPLES_H
#define OMPTAPE_BUFFERS_SIGNAL_SAMPLES_H

#include "buffers/slot.h"

#include <stdbool.h>
#include <stdint.h>

/* Threads that begin from now on take a sample for each *period_ns of their processor time. It is made longer
 * where the kernel's timers are coarser. 0, -EBUSY: the program handles the signal itself, or another
 * negative errno. On the thread that opens a session, before it is open. */
int omptape_signal_samples_start(uint64_t *period_ns);
/* No thread takes any more. Returns false if the program has taken the signal meanwhile. Any thread. */
bool omptape_signal_samples_stop(void);

/* The calling thread takes samples from now on, if any thread does, or does not any more. With its signals
 * blocked, or without a slot that the handler would find. */
void omptape_signal_samples_begin_thread(struct omptape_slot *slot);
void omptape_signal_samples_end_thread(struct omptape_slot *slot);

#endif
