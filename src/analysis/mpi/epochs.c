/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matches epochs of windows and computes the waiting for them (calls.h).
 */
#include "src/analysis/mpi/calls.h"

#include <string.h>

enum { MAX_AHEAD = 1024 };

/* One epoch of two processes. Its calls are kept until all four steps have occurred. */
struct waits_epoch {
    struct waits_epoch *next; /* next epoch of the same two processes, or link of the free list */
    struct waits_call *calls[WAITS_STEPS];
};

/* Lock of one process's part of a window, or of all parts. */
struct waits_lock {
    struct waits_call *released[2]; /* last release by a shared holder, and by an exclusive one */
    struct waits_call *taken;       /* last call that acquired it; NULL if none */
    bool taken_alone;
    uint32_t holders; /* number of holders, according to the events */
};

/* How a process holds a lock, or held it last. */
struct waits_held {
    bool alone;
    bool is_held;
};

static bool is_over(const struct waits_epoch *epoch)
{
    for (unsigned i = WAITS_NO_STEP + 1; i < WAITS_STEPS; i++)
        if (epoch->calls[i] == NULL)
            return false;
    return true;
}

static void drop_oldest(struct waits *waits, uint64_t high, uint64_t low, struct waits_epoch *epoch)
{
    omptape_pairs_remove(&waits->epochs, high, low);
    if (epoch->next != NULL)
        (void)omptape_pairs_put(&waits->epochs, high, low, epoch->next);
    for (unsigned i = WAITS_NO_STEP + 1; i < WAITS_STEPS; i++)
        omptape_waits_call_drop(waits, epoch->calls[i]);
    omptape_free_list_free(&waits->free_epochs, epoch);
}

static struct waits_epoch *append_epoch(struct waits *waits, uint64_t high, uint64_t low,
                                        struct waits_epoch *last)
{
    struct waits_epoch *epoch = omptape_free_list_alloc(&waits->free_epochs, &waits->arena, sizeof(*epoch));
    if (epoch == NULL)
        return NULL;
    *epoch = (struct waits_epoch){.next = NULL};
    if (last != NULL)
        last->next = epoch;
    else if (omptape_pairs_put(&waits->epochs, high, low, epoch) != 0)
        return NULL;
    return epoch;
}

/* Returns the oldest epoch of these two processes without this step, created if necessary. Returns NULL if
 * events are missing or memory is exhausted. */
static struct waits_epoch *find_epoch(struct waits *waits, uint64_t high, uint64_t low, enum waits_step step)
{
    struct waits_epoch *last = NULL;
    struct waits_epoch *epoch = omptape_pairs_get(&waits->epochs, high, low);
    uint32_t passed = 0;
    for (; epoch != NULL && epoch->calls[step] != NULL; epoch = epoch->next, passed++)
        last = epoch;
    /* One process can be only one step ahead of the other. A longer list: the other's events are missing. */
    waits->state->mpi_incomplete |= passed > MAX_AHEAD;
    if (epoch == NULL && passed <= MAX_AHEAD)
        epoch = append_epoch(waits, high, low, last);
    return epoch;
}

/* Charges the wait of one step for another once both have occurred. Called for each of the two steps. */
static void needs(struct waits *waits, const struct waits_epoch *epoch, enum waits_step waiting,
                  enum waits_step other)
{
    if (epoch->calls[waiting] != NULL && epoch->calls[other] != NULL)
        omptape_waits_needs(waits, epoch->calls[waiting], OMPTAPE_FINDING_WINDOW_WAIT, epoch->calls[other]);
}

static void take_step(struct waits *waits, struct waits_call *call, uint64_t window, uint64_t accesses,
                      uint64_t exposed)
{
    const uint64_t high = window << 32 | (accesses & UINT32_MAX);
    struct waits_epoch *epoch = find_epoch(waits, high, exposed, call->about.step);
    if (epoch == NULL)
        return;
    epoch->calls[call->about.step] = omptape_waits_call_use(call);
    switch (call->about.step) {
    case WAITS_POST:
        needs(waits, epoch, WAITS_START, WAITS_POST);
        needs(waits, epoch, WAITS_COMPLETE, WAITS_POST);
        break;
    case WAITS_START:
        needs(waits, epoch, WAITS_START, WAITS_POST);
        break;
    case WAITS_COMPLETE: /* MPI may delay the begin of the epoch until it is needed */
        needs(waits, epoch, WAITS_COMPLETE, WAITS_POST);
        needs(waits, epoch, WAITS_WAIT, WAITS_COMPLETE);
        break;
    default:
        needs(waits, epoch, WAITS_WAIT, WAITS_COMPLETE);
        break;
    }
    if (is_over(epoch) && epoch == omptape_pairs_get(&waits->epochs, high, exposed))
        drop_oldest(waits, high, exposed, epoch);
}

void omptape_waits_epoch_step(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    const struct omptape_rank_list *others =
        omptape_ranks_of_group(&waits->channels.ranks, event->refs[1].id);
    const bool has_access = call->about.step == WAITS_START || call->about.step == WAITS_COMPLETE;
    if (others == NULL || call->about.step == WAITS_NO_STEP)
        return;
    if (others->present < others->size && call->about.step != WAITS_POST)
        omptape_waits_unknown(waits, call);
    for (uint32_t i = 0; i < others->size; i++)
        if (others->processes[i] != OMPTAPE_NO_PROCESS)
            take_step(waits, call, event->refs[0].id, has_access ? call->process : others->processes[i],
                      has_access ? others->processes[i] : call->process);
}

static void replace(struct waits *waits, struct waits_call **kept, struct waits_call *call)
{
    if (*kept != NULL)
        omptape_waits_call_drop(waits, *kept);
    *kept = omptape_waits_call_use(call);
}

static struct waits_lock *lock_of(struct waits *waits, uint64_t window, uint64_t rank)
{
    return omptape_pairs_obtain(&waits->window_locks, &waits->arena, window, rank, sizeof(struct waits_lock));
}

/* Charges the wait for holders that released the lock while the call waited. An exclusive lock waits for all
 * holders, a shared one for exclusive holders. */
static void wait_for_release(struct waits *waits, struct waits_call *call, const struct waits_lock *lock,
                             bool alone)
{
    for (int by = alone ? 0 : 1; by < 2; by++)
        if (lock->released[by] != NULL && lock->released[by]->process != call->process)
            omptape_waits_needs(waits, call, OMPTAPE_FINDING_WINDOW_WAIT, lock->released[by]);
}

static void release_lock(struct waits *waits, struct waits_call *call, struct waits_lock *lock, bool alone)
{
    /* The next holder's event may precede the event of the release. */
    if (lock->taken != NULL && lock->taken->process != call->process && (alone || lock->taken_alone))
        omptape_waits_needs(waits, lock->taken, OMPTAPE_FINDING_WINDOW_WAIT, call);
    replace(waits, &lock->released[alone], call);
}

/* MPI may need the target process for progress: the operation waits until the target calls MPI again. */
static void wait_for_target(struct waits *waits, struct waits_call *call, const struct omptape_event *event,
                            uint64_t rank)
{
    const struct omptape_definition *window =
        omptape_reader_find(waits->state->reader, OMPTAPE_DEF_RMA_WIN, event->refs[0].id);
    const uint64_t process =
        window != NULL && rank != OMPTAPE_EVENT_ALL_RANKS
            ? omptape_ranks_process(&waits->channels.ranks, window->refs[1].id, rank, call->process)
            : OMPTAPE_NO_PROCESS;
    const struct waits_thread *target = process != OMPTAPE_NO_PROCESS && process != call->process
                                            ? omptape_waits_caller(waits, process)
                                            : NULL;
    if (target != NULL)
        omptape_waits_stalled(waits, call, target, call->begin, event->time);
}

void omptape_waits_lock(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    const uint64_t window = event->refs[0].id;
    const uint64_t rank = event->value[0];
    struct waits_lock *lock = lock_of(waits, window, rank);
    struct waits_lock *all = lock_of(waits, window, OMPTAPE_EVENT_ALL_RANKS);
    struct waits_held *held =
        omptape_pairs_obtain(&waits->held, &waits->arena, window << 32 | rank, call->process, sizeof(*held));
    if (lock == NULL || all == NULL || held == NULL)
        return;
    const bool takes = event->kind == OMPTAPE_EVENT_RMA_LOCK;
    call->released = takes ? 0 : event->time;
    held->is_held = takes;
    if (takes)
        held->alone = event->value[2] == OTF2_LOCK_EXCLUSIVE;
    /* MPI may acquire the lock late, so that the unlock waits instead of the lock. */
    wait_for_release(waits, call, lock, held->alone);
    if (lock != all && held->alone && all->released[0] != NULL)
        omptape_waits_needs(waits, call, OMPTAPE_FINDING_WINDOW_WAIT, all->released[0]);
    /* A holder that still has the lock is handled at its release. */
    if (lock->holders <= !takes || (!held->alone && !lock->taken_alone))
        wait_for_target(waits, call, event, rank);
    if (takes)
        lock->holders++;
    else
        lock->holders -= lock->holders > 0;
    if (takes) {
        replace(waits, &lock->taken, call);
        lock->taken_alone = held->alone;
        return;
    }
    release_lock(waits, call, lock, held->alone);
    if (lock != all && held->alone) /* a lock of all parts needs each part */
        replace(waits, &all->released[1], call);
}

void omptape_waits_operation(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    const bool gets = strcmp(event->name, "RmaGet") == 0;
    void *operation = (void *)(uintptr_t)(2 * (event->value[0] & UINT32_MAX) + gets + 2);
    (void)omptape_pairs_put(&waits->under_way, call->process, event->value[1], operation);
}

/* Charges the wait for the lock that the process has acquired, of this part or of all. Other holders kept the
 * call waiting until their release. */
static void wait_for_part(struct waits *waits, struct waits_call *call, uint64_t window, uint64_t rank)
{
    const uint64_t taken[] = {rank, OMPTAPE_EVENT_ALL_RANKS};
    const struct waits_lock *lock = omptape_pairs_get(&waits->window_locks, window, rank);
    const struct waits_lock *all = omptape_pairs_get(&waits->window_locks, window, OMPTAPE_EVENT_ALL_RANKS);
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        const struct waits_held *held =
            omptape_pairs_get(&waits->held, window << 32 | taken[i], call->process);
        if (held == NULL || !held->is_held)
            continue;
        if (lock != NULL)
            wait_for_release(waits, call, lock, held->alone);
        if (all != NULL && held->alone && all->released[0] != NULL)
            omptape_waits_needs(waits, call, OMPTAPE_FINDING_WINDOW_WAIT, all->released[0]);
    }
}

/* Processes the end of an operation by MPI_Win_flush or by waiting for a request. A put completes locally
 * before it reaches the target: local completion shows nothing about the lock; remote completion does. */
void omptape_waits_operation_end(struct waits *waits, struct waits_call *call,
                                 const struct omptape_event *event)
{
    const bool there = event->value[2] != 0;
    const uintptr_t operation =
        (uintptr_t)omptape_pairs_get(&waits->under_way, call->process, event->value[1]);
    if (operation == 0 || (!there && operation % 2 == 0))
        return;
    omptape_pairs_remove(&waits->under_way, call->process, event->value[1]);
    wait_for_part(waits, call, event->refs[0].id, operation / 2 - 1);
    wait_for_target(waits, call, event, operation / 2 - 1);
}
