/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel of a simulated machine tells the writer of a thread: the readings of processor time at
 * context switches, as writers/observe/switches.c makes them, and samples. They are records in the thread's
 * stream. writer_kernel.c takes the readings from there.
 */
#pragma once

#include "tests/simulate/machine.h"
#include "tests/simulate/session.h"

/* `a` of a record OMPTAPE_SAMPLE that is a reading. b: 1: at a switch; p0: ns on a processor; p1: ns in a run
 * queue */
enum { KERNEL_READING = 0xffff };
/* The environment's variable with the archive's properties that the writer has from the kernel, "KEY=value",
 * a line each. */
#define KERNEL_PROPERTIES "SIMULATED_KERNEL"

struct kernel_thread {
    struct session_stream *stream; /* NULL: the thread is not recorded now */
    uint64_t begin;
    uint64_t running;
    uint64_t queued;
    uint64_t next_reading; /* time */
    uint64_t next_sample;  /* processor time */
};

/* Begins and ends what is recorded of a thread. */
void kernel_begin(struct kernel_thread *thread, struct session_stream *stream);
void kernel_end(struct kernel_thread *thread);

/* As in struct machine_observer. */
void kernel_ran(struct kernel_thread *thread, uint64_t begin, const struct machine_place *place);
void kernel_was_off(struct kernel_thread *thread, uint64_t begin, uint64_t wanted);
