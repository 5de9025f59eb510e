/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the functions that stand in front of libgomp have in common. Each passes its call on with the
 * arguments it got, and calls the OMPT callbacks (callbacks/callbacks.h) as a runtime would that has OMPT:
 * the records are the same. Called on the program's threads.
 */
#ifndef OMPTAPE_CALLBACKS_GOMP_RECORD_H
#define OMPTAPE_CALLBACKS_GOMP_RECORD_H

#include "buffers/producer.h"
#include "callbacks/callbacks.h"
#include "callbacks/gomp/gomp.h"
#include "callbacks/gomp/runtimes.h"

#include <sched.h>

/* A lock for what is rare: whoever has it does little. */
static inline void omptape_gomp_hold(atomic_flag *lock)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        sched_yield();
}
static inline void omptape_gomp_release(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

/* Begins a function NAME(...): where it was called, and which runtime is meant. Where that is not to be
 * recorded, the function is left here, by a jump that leaves no trace on the stack. */
#define OMPTAPE_GOMP_FIND(name)                                                                              \
    const void *const site = __builtin_return_address(0);                                                    \
    OMPTAPE_GOMP_FIND_AT(name)
#define OMPTAPE_GOMP_FIND_AT(name)                                                                           \
    struct omptape_gomp_runtime *const runtime = omptape_gomp_runtime_of(site, OMPTAPE_CALL_##name)
#define OMPTAPE_GOMP_PASS(name, ...)                                                                         \
    if (__builtin_expect(!runtime->recorded, 0)) {                                                           \
        OMPTAPE_GOMP_REAL(runtime, name)(__VA_ARGS__);                                                       \
        return;                                                                                              \
    }
#define OMPTAPE_GOMP_ENTER(name, ...)                                                                        \
    OMPTAPE_GOMP_FIND(name);                                                                                 \
    OMPTAPE_GOMP_PASS(name, __VA_ARGS__)
/* The same where `site` is known. */
#define OMPTAPE_GOMP_ENTER_AT(name, ...)                                                                     \
    OMPTAPE_GOMP_FIND_AT(name);                                                                              \
    OMPTAPE_GOMP_PASS(name, __VA_ARGS__)
/* The same for functions that have a result. */
#define OMPTAPE_GOMP_ASK_AT(name, ...)                                                                       \
    OMPTAPE_GOMP_FIND_AT(name);                                                                              \
    if (__builtin_expect(!runtime->recorded, 0))                                                             \
    return OMPTAPE_GOMP_REAL(runtime, name)(__VA_ARGS__)
#define OMPTAPE_GOMP_ASK(name, ...)                                                                          \
    const void *const site = __builtin_return_address(0);                                                    \
    OMPTAPE_GOMP_ASK_AT(name, __VA_ARGS__)

/* Is the call that returns here one whose target its code names: x86-64's by distance, or aarch64's "bl"?
 * Else it may be that of a function that ends with a jump to us. */
static inline bool omptape_gomp_is_direct_call(const void *site)
{
    const unsigned char *before = site;
#if defined(__x86_64__)
    enum { CALL_BYTES = 5, PAGE_BYTES = 4096 };
    if ((uintptr_t)site % PAGE_BYTES < CALL_BYTES) /* what lies before may not be code */
        return true;
    return before[-CALL_BYTES] == 0xe8;
#elif defined(__aarch64__)
    return before[-1] >> 2 == 0x94 >> 2;
#else
    (void)before;
    return true;
#endif
}

/* The place of a construct whose body is a function: the call's, or, where another function may have been
 * called there, the body's first byte, given as the address behind it. */
static inline const void *omptape_gomp_place(const void *site, void (*function)(void *))
{
    return __builtin_expect(omptape_gomp_is_direct_call(site), 1) ? site
                                                                  : (const void *)((uintptr_t)function + 1);
}

/* Is the event asked for (--events)? */
#define OMPTAPE_GOMP_WANTS(event) ((omptape_gomp_events >> ompt_callback_##event & 1) != 0)

/* threads.c: the calling thread's slot. A thread that had none, or did nothing of OpenMP's yet, begins as an
 * initial thread; `kind` is the record that is about to be written. NULL: there is none. */
struct omptape_slot *omptape_gomp_begin_thread(enum omptape_kind kind);

static inline struct omptape_slot *omptape_gomp_thread(enum omptape_kind kind)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (__builtin_expect(slot == NULL || slot->gomp.task == 0, 0))
        slot = omptape_gomp_begin_thread(kind);
    return slot;
}

/* threads.c: how many workers have ended so far. */
uint64_t omptape_gomp_count_ended(void);
/* threads.c: the thread becomes member `number` of the `size` of the region. `ended` workers had ended when
 * it was forked. Or the region's function has returned, and the thread waits for the region's end. */
void omptape_gomp_begin_member(uint64_t region, uint64_t ended, unsigned number, unsigned size);
void omptape_gomp_leave_member(void);
/* The region that the thread waits for the end of is over. */
void omptape_gomp_end_member(struct omptape_slot *slot);

/* What a thread waits for after a region's function. */
enum omptape_gomp_ending {
    OMPTAPE_GOMP_RUNS,
    OMPTAPE_GOMP_ENDS_ALONE, /* its own tasks */
    OMPTAPE_GOMP_ENDS        /* the team's barrier */
};

static inline void omptape_gomp_begin_sync(ompt_sync_region_t kind, const void *site)
{
    if (OMPTAPE_GOMP_WANTS(sync_region))
        omptape_on_sync_region(kind, ompt_scope_begin, NULL, NULL, site);
}
static inline void omptape_gomp_begin_wait(ompt_sync_region_t kind, const void *site)
{
    if (OMPTAPE_GOMP_WANTS(sync_region_wait))
        omptape_on_sync_region_wait(kind, ompt_scope_begin, NULL, NULL, site);
}
static inline void omptape_gomp_end_wait(ompt_sync_region_t kind)
{
    if (OMPTAPE_GOMP_WANTS(sync_region_wait))
        omptape_on_sync_region_wait(kind, ompt_scope_end, NULL, NULL, NULL);
}
static inline void omptape_gomp_end_sync(ompt_sync_region_t kind)
{
    if (OMPTAPE_GOMP_WANTS(sync_region))
        omptape_on_sync_region(kind, ompt_scope_end, NULL, NULL, NULL);
}

/* loops.c: a work-sharing construct begins. One that is still open ends: libgomp is not called at the end of
 * a single, nor of a loop that is left early. */
void omptape_gomp_begin_work(struct omptape_slot *slot, unsigned type, uint64_t count, const void *site);
/* The construct that is open, if there is one, ends. */
static inline void omptape_gomp_end_work(struct omptape_slot *slot)
{
    if (slot == NULL || slot->gomp.work == 0)
        return;
    omptape_on_work((ompt_work_t)slot->gomp.work, ompt_scope_end, NULL, NULL, 0, NULL);
    slot->gomp.work = 0;
}

/* A loop as its start was called. */
struct omptape_gomp_loop {
    unsigned type;  /* ompt_work_t; 0: there is none */
    uint64_t count; /* of iterations or sections */
    uint64_t step;  /* how far it is from one iteration to the next */
    bool down;
};

/* How many iterations there are in this distance. */
static inline uint64_t omptape_gomp_count(uint64_t distance, uint64_t step)
{
    return step == 1 ? distance : distance == 0 || step == 0 ? 0 : (distance - 1) / step + 1;
}

/* omp_sched_t, and what GOMP_loop_start takes: the same numbers, and one for what the environment says. */
enum omptape_gomp_schedule {
    OMPTAPE_GOMP_RUNTIME,
    OMPTAPE_GOMP_STATIC,
    OMPTAPE_GOMP_DYNAMIC,
    OMPTAPE_GOMP_GUIDED
};

/* loops.c: describes a loop, and begins one. */
struct omptape_gomp_loop omptape_gomp_loop_of(struct omptape_gomp_runtime *runtime, long schedule, long first,
                                              long last, long step);
void omptape_gomp_begin_loop(struct omptape_slot *slot, const struct omptape_gomp_loop *loop,
                             const void *site);

/* tasks.c: the dependences of a task, as gcc lists them. */
void omptape_gomp_put_dependences(uint64_t task, void **depend);

#endif
