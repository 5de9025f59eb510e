/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures what the kernel takes to record a context switch. Two threads of the writer yield one processor to
 * each other, first without records and then with them. Only programs with many switches need this. Called at
 * the program's end, and takes a few milliseconds.
 */
#include "writers/observe/switch_state.h"

#include "src/core/whole.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* MIN_SWITCHES: fewer cost little. TRIES: other programs may disturb a measurement. BATCHES, YIELDS: the
 * batch with the shortest mean counts, since others may run on the processor, too. PAGES: of a ring, enough
 * for the switches of one measurement. */
enum { MIN_SWITCHES = 20000, BATCHES = 16, YIELDS = 32, PAGES = 16, TRIES = 3 };

struct partner {
    pthread_t thread;
    _Atomic uint32_t tid; /* 0: not yet running */
    atomic_bool stop;
};

static void *yield_again(void *data)
{
    struct partner *partner = data;
    atomic_store(&partner->tid, (uint32_t)syscall(SYS_gettid));
    while (!atomic_load(&partner->stop))
        sched_yield();
    return NULL;
}

static uint64_t count_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw) : 0;
}

/* Returns the time from one switch of this thread to the next, in which the partner switches once, ns.
 * Returns 0 if the thread hardly switched. */
static uint64_t measure_round(void)
{
    uint64_t least = 0;
    for (int i = 0; i < BATCHES; i++) {
        const uint64_t before = count_switches();
        const uint64_t begin = omptape_clock_raw_ns();
        for (int j = 0; j < YIELDS; j++)
            sched_yield();
        const uint64_t ns = omptape_clock_raw_ns() - begin;
        const uint64_t switches = count_switches() - before;
        if (switches >= YIELDS / 2 && (least == 0 || ns / switches < least))
            least = ns / switches;
    }
    return least;
}

/* Returns the same while both threads have rings. */
static uint64_t measure_recorded_round(struct omptape_switch_rings *rings, uint32_t partner)
{
    struct omptape_switches own = {.tid = (uint32_t)syscall(SYS_gettid)};
    struct omptape_switches other = {.tid = partner};
    uint64_t round = 0;
    if (omptape_switches_map(rings, &own, PAGES) == 0) {
        if (omptape_switches_map(rings, &other, PAGES) == 0) {
            round = measure_round();
            omptape_switches_unmap(&other);
        }
        omptape_switches_unmap(&own);
    }
    return round;
}

static bool move_to(uint32_t tid, const cpu_set_t *processors)
{
    return sched_setaffinity((pid_t)tid, sizeof(*processors), processors) == 0;
}

/* Returns what recording adds to a switch, ns; 0 if that cannot be measured. */
static uint64_t measure_cost(struct omptape_switch_rings *rings)
{
    struct partner partner = {.tid = 0};
    cpu_set_t before;
    cpu_set_t one;
    const int processor = sched_getcpu();
    if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof(before), &before) != 0 ||
        pthread_create(&partner.thread, NULL, yield_again, &partner) != 0)
        return 0;
    CPU_ZERO(&one);
    CPU_SET((unsigned)processor, &one);
    while (atomic_load(&partner.tid) == 0)
        sched_yield();
    uint64_t plain = 0;
    uint64_t recorded = 0;
    if (move_to(0, &one) && move_to(atomic_load(&partner.tid), &one)) {
        for (int i = 0; i < TRIES && recorded <= plain; i++) {
            plain = measure_round();
            recorded = plain > 0 ? measure_recorded_round(rings, atomic_load(&partner.tid)) : 0;
        }
    }
    atomic_store(&partner.stop, true);
    (void)move_to(0, &before);
    pthread_join(partner.thread, NULL);
    return omptape_minus(recorded, plain) / 2;
}

uint64_t omptape_switches_cost(struct omptape_switch_rings *rings, const struct omptape_writer *writer)
{
    uint64_t count = rings->switched;
    for (uint32_t i = 0; i < omptape_others_thread_count(rings->list, writer); i++) {
        const struct omptape_location *location = omptape_others_thread_at(rings->list, writer, i);
        count += location->switches != NULL ? location->switches->count : 0;
    }
    return count >= MIN_SWITCHES && rings->owner == getpid() ? omptape_times(count, measure_cost(rings)) : 0;
}
