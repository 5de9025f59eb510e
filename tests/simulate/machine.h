/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated machine: threads that run one after the other on its processors, in virtual time. A thread is a
 * coroutine, and its function is ordinary C. It spends time by the functions below, and nothing else takes
 * any. There is one machine in a process, and all of it is on the process's main thread. The same seed gives
 * the same run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A machine, and how far its threads are from equal. */
struct machine_model {
    unsigned processors;
    unsigned sockets; /* the processors are divided evenly among them */
    double jitter;    /* standard deviation of equal work, as a part of it */
    uint64_t tick_ns; /* the kernel interrupts each processor so often (0: never), */
    uint64_t tick_takes_ns;
    uint64_t daemon_ns; /* ...and something else has it about so often (0: never) */
    uint64_t daemon_takes_ns;
    uint64_t slice_ns; /* so long a thread has a processor that others want, too */
    uint64_t seed;
};

struct machine_thread;

void machine_start(const struct machine_model *model);
const struct machine_model *machine_model(void);

/* A further thread, which begins at `time` on this processor and stays there. */
struct machine_thread *machine_spawn(void (*function)(void *), void *argument, unsigned processor,
                                     uint64_t time);
/* Runs all threads to their ends. False: some wait for ever. */
bool machine_run(void);
void machine_stop(void);

/* For the functions of threads. Times in ns. */
uint64_t machine_now(void);
struct machine_thread *machine_self(void);
/* What its function was given. */
void *machine_argument(void);
unsigned machine_socket(const struct machine_thread *thread);
/* Computes: so much processor time, with the machine's noise. */
void machine_work(uint64_t ns);
/* The same without noise: what a runtime does. */
void machine_spend(uint64_t ns);
/* Sleeps or waits until it is woken. Others may have its processor meanwhile. */
void machine_park(void);
/* Has a parked thread go on at `time`, or later if its processor is taken. */
void machine_wake(struct machine_thread *thread, uint64_t time);
/* From 0 to 1; of its own row of numbers, so that a repaired program has the same noise. */
double machine_random(void);

/* How long the thread has wanted a processor and had none. */
uint64_t machine_queued(const struct machine_thread *thread);
