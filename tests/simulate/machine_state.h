/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the simulated machine share: coroutines in machine.c, processors and their run queues in
 * processors.c.
 */
#pragma once

#include "tests/simulate/machine.h"

#include <setjmp.h>
#include <ucontext.h>

struct machine_thread {
    ucontext_t context;
    sigjmp_buf jump_point;
    bool begun;
    bool ended;
    bool is_other; /* another program's */
    void *stack;
    void (*function)(void *);
    void *argument;
    uint64_t token; /* of its next moment: earlier ones do not count */
    uint64_t noise; /* state of its random numbers */

    struct machine_processor *processor; /* which it has, or had last */
    struct machine_thread *next;         /* in a run queue */
    bool in_queue;
    bool yields;        /* it spins, and lets others have its processor */
    uint64_t slice;     /* what is left of it */
    uint64_t left_at;   /* when it left its processor, */
    uint64_t wanted_at; /* ...and since when it wants one */
    uint64_t woken_at;  /* of one that spins: it goes on then */
};

/* machine.c: goes on with the thread at `time`, and at no other that was asked for before. */
void machine_resume(struct machine_thread *thread, uint64_t time);
/* Lets others go on, until somebody has the calling thread go on. */
void machine_leave(void);
void *machine_get(size_t count, size_t bytes);
/* From 0 to 1. */
double machine_uniform(uint64_t *state);

/* processors.c */
void processors_start(void);
void processors_stop(void);
struct machine_processor *processors_get(unsigned number);
unsigned processors_number(const struct machine_processor *processor);
/* The calling thread waits until it has a processor, or leaves it to others. */
void processors_obtain(void);
void processors_release(void);
