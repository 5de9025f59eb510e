/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples that the program's threads take of themselves if the kernel does not take them. Each thread has a
 * timer on its CPU time. The handler of the timer's signal appends the thread's registers and a part of its
 * stack to its buffer. Only on request (--sample=signal).
 *
 * The signal is SIGURG, which is ignored by default, so that a late signal does no harm. A timer expires
 * once, and the handler sets it again. So a program that installs its own handler later receives at most one
 * such signal on each thread. Calls that SA_RESTART does not restart (poll, nanosleep) may fail with EINTR.
 */
#pragma once

#include "buffers/slot.h"

#include <stdbool.h>
#include <stdint.h>

/* Threads that begin from now on take a sample for each *period_ns of their CPU time. It is increased if the
 * kernel's timers are coarser. Returns 0, -EBUSY if the program handles the signal itself, -EAGAIN
 * if the limit on pending signals allows no timer, or another negative errno. Called on the thread that opens
 * a session, before it is open. */
int omptape_signal_samples_start(uint64_t *period_ns);
/* Stops all samples. Returns false if the program has changed the signal's handler meanwhile. Any thread. */
bool omptape_signal_samples_stop(void);

/* Begin and end this thread's samples, if they are on. Signals are blocked, or the handler finds no slot. */
void omptape_signal_samples_begin_thread(struct omptape_slot *slot);
void omptape_signal_samples_end_thread(struct omptape_slot *slot);
