/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated machine: threads that run one after the other on its processors, in virtual time. A thread is a
 * coroutine, and its function is ordinary C. It spends time by the functions below, and nothing else takes
 * any. There is one machine in a process, and all of it is on the process's main thread. The same seed gives
 * the same run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_thread;

/* Where a thread computes: an address of code, and the stack pointer there. */
struct machine_place {
    const void *code;
    const char *stack;
};

/* The call of the function that uses this. The stack pointer is known on x86-64 only. */
#define MACHINE_CALLER                                                                                       \
    ((struct machine_place){.code = (const char *)__builtin_return_address(0) - 1,                           \
                            .stack = (const char *)__builtin_frame_address(0) + 2 * sizeof(void *)})

/* Receives what the kernel sees of a thread, in the order of time. `argument` belongs to the function. */
struct machine_observer {
    /* It ran from `begin` to now. */
    void (*ran)(void *argument, uint64_t begin, const struct machine_place *place);
    /* It had no processor from `begin` to now, and wanted one since `wanted`. */
    void (*was_off)(void *argument, uint64_t begin, uint64_t wanted);
};

/* A machine, and how far its threads are from equal. */
struct machine_model {
    unsigned processors;
    unsigned sockets; /* the processors are divided evenly among them */
    double jitter;    /* standard deviation of equal work, as a part of it */
    uint64_t tick_ns; /* the kernel interrupts each processor so often (0: never), */
    uint64_t tick_takes_ns;
    uint64_t daemon_ns; /* ...and something else has it about so often (0: never) */
    uint64_t daemon_takes_ns;
    uint64_t slice_ns; /* not 0: so long a thread has a processor that others want, too */
    bool is_free;      /* threads are not bound: they take any processor that nobody has */
    bool has_queues;   /* such threads queue for one processor, not for all */
    uint64_t seed;
    struct machine_observer observer;
};

void machine_start(const struct machine_model *model);
const struct machine_model *machine_model(void);

/* A further thread, which begins at `time` on this processor. */
struct machine_thread *machine_spawn(void (*function)(void *), void *argument, unsigned processor,
                                     uint64_t time);
/* Another program on this processor: it runs for `run_ns`, then sleeps for `sleep_ns`, until all threads have
 * ended. */
void machine_spawn_other(unsigned processor, uint64_t run_ns, uint64_t sleep_ns);
/* Runs all threads to their ends. False: some wait for ever. */
bool machine_run(void);
void machine_stop(void);

/* For the functions of threads. Times in ns. */
uint64_t machine_now(void);
struct machine_thread *machine_self(void);
/* What its function was given. */
void *machine_argument(void);
/* Computes at this place: so much processor time, with the machine's noise. */
void machine_work(uint64_t ns, struct machine_place place);
/* The same without noise, where it is called: what a runtime does. */
void machine_spend(uint64_t ns);
/* Sleeps until it is woken. Others may have its processor meanwhile. */
void machine_park(void);
/* Sleeps for so long. */
void machine_sleep(uint64_t ns);
/* Computes at this place until it is woken. If it yields, others have its processor as soon as they want it.
 */
void machine_spin(bool yields, struct machine_place place);
/* Has a thread that is parked or spins go on at `time`, or later if its processor is taken. */
void machine_wake(struct machine_thread *thread, uint64_t time);

/* How many bytes the calling thread has in use on its stack, from this pointer on. */
size_t machine_stack_bytes(const char *stack);

/* How long `count` processors from `first` on were busy, ns. */
uint64_t machine_busy(unsigned first, unsigned count);
