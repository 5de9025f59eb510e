/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks. Those who wait get one in the order in which they came.
 */
#include "tests/simulate/runtime_state.h"

#include <omptape/ompt.h>

static void put_mutex(struct omp_thread *thread, enum omptape_kind kind, const struct omp_lock *lock,
                      uint64_t site)
{
    session_put2(&thread->stream, machine_now(), kind, ompt_mutex_critical, 0, runtime_site(lock), site);
}

static void acquire(struct omp_thread *thread, struct omp_lock *lock)
{
    if (lock->owner == NULL) {
        lock->owner = thread;
        machine_spend(thread->process->costs.lock);
        return;
    }
    thread->next = NULL;
    if (lock->last != NULL)
        lock->last->next = thread;
    else
        lock->first = thread;
    lock->last = thread;
    runtime_wait(thread);
}

static void release(struct omp_lock *lock)
{
    struct omp_thread *next = lock->first;
    lock->owner = next;
    if (next == NULL)
        return;
    lock->first = next->next;
    if (next->next == NULL)
        lock->last = NULL;
    runtime_wake(next, machine_now() + next->process->costs.handover);
}

void omp_critical(struct omp_lock *lock, uint64_t ns)
{
    struct omp_thread *thread = runtime_self();
    const uint64_t site = runtime_site(__builtin_return_address(0));
    put_mutex(thread, OMPTAPE_MUTEX_ACQUIRE, lock, site);
    acquire(thread, lock);
    put_mutex(thread, OMPTAPE_MUTEX_ACQUIRED, lock, site);
    machine_work(ns, MACHINE_CALLER);
    release(lock);
    put_mutex(thread, OMPTAPE_MUTEX_RELEASED, lock, site);
}
