/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures what the kernel takes to record a context switch. Two threads of the writer yield one processor to
 * each other, first without records and then with them. Only programs with many switches need this. Called at
 * the program's end, and takes some milliseconds, at most some 30.
 *
 * At each switch the kernel also sets the timer of the thread's next sample. That takes longer if the sample
 * is due before the processor's next timer. So the measurement is repeated with different times to the next
 * sample.
 */
#include "writers/observe/switch_state.h"

#include "src/core/whole.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* MIN_SWITCHES: fewer cost little. A batch in which a yield takes longer than LONGEST_NS has other programs'
 * time slices, and does not count. Of the others the mean counts, of ROUNDS by turns. The program waits
 * for its writer: nothing is measured any more DEADLINE_NS after the begin. MAX_COST_NS: more would be a
 * disturbance, and is not believed. PAGES: of a ring, enough for the switches of one measurement.
 * MIN_PERIOD_NS: a measurement of shorter times between samples would have samples in it. */
enum {
    MIN_SWITCHES = 20000,
    ROUNDS = 8,
    BATCHES = 8,
    YIELDS = 32,
    PAGES = 16,
    LONGEST_NS = 40000,
    DEADLINE_NS = 30000000,
    MAX_COST_NS = 12000,
    MIN_PERIOD_NS = 8000000
};

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

/* Returns the mean time of a yield, in which this thread and the partner switch once each, ns. Returns 0 if
 * the two were disturbed, or hardly switched. */
static uint64_t measure_batch(void)
{
    struct rusage before;
    struct rusage after;
    if (getrusage(RUSAGE_THREAD, &before) != 0)
        return 0;
    const uint64_t begin = omptape_clock_raw_ns();
    for (int i = 0; i < YIELDS; i++) {
        sched_yield();
        if (omptape_clock_raw_ns() - begin > (uint64_t)YIELDS * LONGEST_NS)
            return 0;
    }
    const uint64_t ns = omptape_clock_raw_ns() - begin;
    if (getrusage(RUSAGE_THREAD, &after) != 0)
        return 0;
    /* The kernel counts a yield as involuntary, too: more of them than yields are another's. */
    const long switches = after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw;
    return switches >= YIELDS / 2 && switches <= YIELDS ? ns / (uint64_t)switches : 0;
}

/* Times of yields: the sum of `count` batches' means, ns. */
struct yields {
    uint64_t ns;
    uint64_t count;
};

/* Adds the batches that were not disturbed, until the deadline. */
static void measure_round(uint64_t deadline, struct yields *yields)
{
    for (int i = 0; i < BATCHES && omptape_clock_raw_ns() < deadline; i++) {
        const uint64_t ns = measure_batch();
        yields->ns += ns;
        yields->count += ns > 0;
    }
}

/* Does the same while both threads have rings, in a different part of the time between two samples. */
static void measure_recorded_round(struct omptape_switch_rings *rings, uint32_t partner, int round,
                                   uint64_t deadline, struct yields *yields)
{
    /* Spread over the period, because the deadline may end the rounds. */
    static const uint64_t parts[ROUNDS] = {0, 4, 2, 6, 1, 5, 3, 7};
    const uint64_t period_ns = rings->sampling.period_ns;
    struct omptape_switches own = {.tid = (uint32_t)syscall(SYS_gettid)};
    struct omptape_switches other = {.tid = partner};
    if (period_ns >= MIN_PERIOD_NS)
        rings->sampling.period_ns = period_ns * (2 * parts[round] + 1) / (2 * ROUNDS);
    if (omptape_switches_map(rings, &own, PAGES) == 0) {
        if (omptape_switches_map(rings, &other, PAGES) == 0) {
            measure_round(deadline, yields);
            omptape_switches_unmap(&other);
        }
        omptape_switches_unmap(&own);
    }
    rings->sampling.period_ns = period_ns;
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
    const uint64_t deadline = omptape_clock_raw_ns() + DEADLINE_NS;
    const int processor = sched_getcpu();
    if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof(before), &before) != 0 ||
        pthread_create(&partner.thread, NULL, yield_again, &partner) != 0)
        return 0;
    CPU_ZERO(&one);
    CPU_SET((unsigned)processor, &one);
    while (atomic_load(&partner.tid) == 0 && omptape_clock_raw_ns() < deadline)
        sched_yield();
    const uint32_t tid = atomic_load(&partner.tid);
    struct yields plain = {.ns = 0};
    struct yields recorded = {.ns = 0};
    if (tid != 0 && move_to(0, &one) && move_to(tid, &one)) {
        for (int i = 0; i < ROUNDS; i++) {
            measure_round(deadline, &plain);
            measure_recorded_round(rings, tid, i, deadline, &recorded);
        }
    }
    atomic_store(&partner.stop, true);
    (void)move_to(0, &before);
    pthread_join(partner.thread, NULL);
    if (plain.count == 0 || recorded.count == 0)
        return 0;
    const uint64_t cost = omptape_minus(recorded.ns / recorded.count, plain.ns / plain.count) / 2;
    return cost < MAX_COST_NS ? cost : MAX_COST_NS;
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
