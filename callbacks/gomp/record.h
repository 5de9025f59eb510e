/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The common part of all wrappers of libgomp. Each wrapper passes its call on with the same arguments. It
 * calls the OMPT callbacks (callbacks/callbacks.h) as a runtime with OMPT does, so that the records are the
 * same. Called on the program's threads.
 */
#pragma once

#include "buffers/producer.h"
#include "callbacks/callbacks.h"
#include "callbacks/gomp/gomp.h"
#include "callbacks/gomp/runtimes.h"

#include <stdint.h>

/* These begin the wrapper of a function: they determine `site`, the return address, and `runtime`. If the
 * runtime's calls are not recorded, the wrapper passes the call on and returns. */
#define OMPTAPE_GOMP_FIND(name)                                                                              \
    const void *const site = __builtin_return_address(0);                                                    \
    OMPTAPE_GOMP_FIND_AT(name)
#define OMPTAPE_GOMP_FIND_AT(name)                                                                           \
    struct omptape_gomp_runtime *const runtime = omptape_gomp_runtime_of(site, OMPTAPE_CALL_##name)
#define OMPTAPE_GOMP_PASS(name, ...)                                                                         \
    if (__builtin_expect(!runtime->is_traced, 0)) {                                                          \
        OMPTAPE_GOMP_REAL(runtime, name)(__VA_ARGS__);                                                       \
        return;                                                                                              \
    }
#define OMPTAPE_GOMP_ENTER(name, ...)                                                                        \
    OMPTAPE_GOMP_FIND(name);                                                                                 \
    OMPTAPE_GOMP_PASS(name, __VA_ARGS__)
/* The same for a known `site`. */
#define OMPTAPE_GOMP_ENTER_AT(name, ...)                                                                     \
    OMPTAPE_GOMP_FIND_AT(name);                                                                              \
    OMPTAPE_GOMP_PASS(name, __VA_ARGS__)
/* The same for functions that have a result. */
#define OMPTAPE_GOMP_ENTER_RESULT_AT(name, ...)                                                              \
    OMPTAPE_GOMP_FIND_AT(name);                                                                              \
    if (__builtin_expect(!runtime->is_traced, 0))                                                            \
    return OMPTAPE_GOMP_REAL(runtime, name)(__VA_ARGS__)
#define OMPTAPE_GOMP_ENTER_RESULT(name, ...)                                                                 \
    const void *const site = __builtin_return_address(0);                                                    \
    OMPTAPE_GOMP_ENTER_RESULT_AT(name, __VA_ARGS__)

/* Returns true if the instruction before `site` is a direct call (x86-64: relative call, aarch64: "bl").
 * Otherwise the wrapper may have been entered by the tail call of another function. */
static inline bool omptape_gomp_is_direct_call(const void *site)
{
    const unsigned char *before = site;
#if defined(__x86_64__)
    enum { CALL_BYTES = 5, PAGE_BYTES = 4096 };
    /* The bytes before a page's begin may not be code. */
    if ((uintptr_t)site % PAGE_BYTES < CALL_BYTES)
        return true;
    return before[-CALL_BYTES] == 0xe8;
#elif defined(__aarch64__)
    return before[-1] >> 2 == 0x94 >> 2;
#else
    (void)before;
    return true;
#endif
}

/* Returns the call site of a construct whose body is a function. This is `site`, unless the wrapper may have
 * been entered by a tail call. Then it is the body's first byte, given as the address behind it. */
static inline const void *omptape_gomp_call_site(const void *site, void (*function)(void *))
{
    return __builtin_expect(omptape_gomp_is_direct_call(site), 1) ? site
                                                                  : (const void *)((uintptr_t)function + 1);
}

/* True if the event is wanted (--events). */
#define OMPTAPE_GOMP_WANTS(event) ((omptape_gomp_events >> ompt_callback_##event & 1) != 0)

/* Returns the calling thread's slot (threads.c), or NULL if the thread cannot be recorded. A thread without a
 * slot or OpenMP state begins as an initial thread. `kind` is the record that follows. */
struct omptape_slot *omptape_gomp_begin_thread(enum omptape_kind kind);

static inline struct omptape_slot *omptape_gomp_thread(enum omptape_kind kind)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (__builtin_expect(slot == NULL || slot->gomp.task == 0, 0))
        slot = omptape_gomp_begin_thread(kind);
    return slot;
}

/* Returns how many workers have ended so far (threads.c). */
uint64_t omptape_gomp_count_ended(void);
/* The first begins the implicit task of member `number` of a team of `size`; `ended` workers had ended at the
 * fork (threads.c). The second begins the final barrier after the region's function returned. */
void omptape_gomp_begin_member(uint64_t region, uint64_t ended, unsigned number, unsigned size);
void omptape_gomp_begin_final_barrier(void);
/* Ends the region's final barrier and the implicit task, if the thread is in such a barrier. */
void omptape_gomp_end_member(struct omptape_slot *slot);

/* What a thread waits for after the region's function has returned. */
enum omptape_gomp_ending {
    OMPTAPE_GOMP_RUNS,
    OMPTAPE_GOMP_ENDS_SINGLE, /* Waits for its own tasks only. */
    OMPTAPE_GOMP_ENDS         /* Waits in the team's barrier. */
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

/* Begins a work-sharing construct and ends one that is still open (loops.c). At the end of a single, and of a
 * loop that is left early, libgomp is not called. */
void omptape_gomp_begin_work(struct omptape_slot *slot, unsigned type, uint64_t count, const void *site);
/* Ends the open work-sharing construct, if there is one. */
static inline void omptape_gomp_end_work(struct omptape_slot *slot)
{
    if (slot == NULL || slot->gomp.work == 0)
        return;
    omptape_on_work((ompt_work_t)slot->gomp.work, ompt_scope_end, NULL, NULL, 0, NULL);
    slot->gomp.work = 0;
}

/* A loop as described by the arguments of its start. */
struct omptape_gomp_loop {
    unsigned type;  /* ompt_work_t; 0 if there is no loop. */
    uint64_t count; /* Count of iterations or sections. */
    uint64_t step;  /* The distance from one iteration to the next. */
    bool counts_down;
};

/* Returns how many iterations of width `step` are in `distance`. */
static inline uint64_t omptape_gomp_count(uint64_t distance, uint64_t step)
{
    return step == 1 ? distance : distance == 0 || step == 0 ? 0 : (distance - 1) / step + 1;
}

/* The values of omp_sched_t, which GOMP_loop_start also takes, and one for the environment's schedule. */
enum omptape_gomp_schedule {
    OMPTAPE_GOMP_RUNTIME,
    OMPTAPE_GOMP_STATIC,
    OMPTAPE_GOMP_DYNAMIC,
    OMPTAPE_GOMP_GUIDED
};

/* These describe and begin a loop (loops.c). */
struct omptape_gomp_loop omptape_gomp_loop_of(struct omptape_gomp_runtime *runtime, long schedule, long first,
                                              long last, long step);
void omptape_gomp_begin_loop(struct omptape_slot *slot, const struct omptape_gomp_loop *loop,
                             const void *site);

/* Records the dependences of a task from the list that gcc passes (tasks.c). */
void omptape_gomp_put_dependences(uint64_t task, void **depend);

/* Tasks that were created and have not begun (pending_tasks.c). A cancellation may discard them, which
 * libgomp does not report. Tasks left in the list when their region ends were discarded. */

struct omptape_gomp_pending_task;

/* Adds a task. Returns NULL if out of memory; its discard is then not recorded. Any thread. */
struct omptape_gomp_pending_task *omptape_gomp_pending_task_add(uint64_t task, uint64_t region);
/* Removes and frees the entry when the task begins. Any thread. */
void omptape_gomp_pending_task_remove(struct omptape_gomp_pending_task *waiting);
/* Records the cancellation of the region's remaining tasks, at its end on the encountering thread. */
void omptape_gomp_pending_tasks_discard(uint64_t region);
/* Empties the list in a forked child, which has none of these tasks. */
void omptape_gomp_pending_tasks_forget(void);
