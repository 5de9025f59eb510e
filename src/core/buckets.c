/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements buckets.h. Called by the writer, unify and the command.
 */
#include "src/core/buckets.h"

#include <omptape/properties.h>

const struct omptape_bucket_facts omptape_buckets[OMPTAPE_BUCKET_COUNT] = {
    [OMPTAPE_BUCKET_COMPUTING] = {OMPTAPE_KEY_TIME_COMPUTING, "computing", true, false},
    [OMPTAPE_BUCKET_SERIAL] = {OMPTAPE_KEY_TIME_SERIAL, "serial", true, false},
    [OMPTAPE_BUCKET_BLOCKED] = {OMPTAPE_KEY_TIME_BLOCKED, "blocked", false, true},
    [OMPTAPE_BUCKET_RUNNABLE] = {OMPTAPE_KEY_TIME_RUNNABLE, "runnable", false, true},
    [OMPTAPE_BUCKET_BARRIER] = {OMPTAPE_KEY_TIME_BARRIER, "barrier", false, false},
    [OMPTAPE_BUCKET_TASK_WAIT] = {OMPTAPE_KEY_TIME_TASK_WAIT, "task wait", false, false},
    [OMPTAPE_BUCKET_LOCK] = {OMPTAPE_KEY_TIME_LOCK, "lock", false, false},
    [OMPTAPE_BUCKET_TASK_MANAGEMENT] = {OMPTAPE_KEY_TIME_TASK_MANAGEMENT, "task management", true, false},
    [OMPTAPE_BUCKET_TRANSFER] = {OMPTAPE_KEY_TIME_TRANSFER, "transfer", false, false},
    [OMPTAPE_BUCKET_TARGET] = {OMPTAPE_KEY_TIME_TARGET, "target", false, false},
    [OMPTAPE_BUCKET_MPI] = {OMPTAPE_KEY_TIME_MPI, "MPI", false, false},
    [OMPTAPE_BUCKET_IDLE] = {OMPTAPE_KEY_TIME_IDLE, "idle", false, false},
};

const struct omptape_bucket_rule omptape_bucket_rules[OMPTAPE_REGION_KIND_COUNT] = {
    [OMPTAPE_REGION_PARALLEL] = {OMPTAPE_BUCKET_UNLESS_HELPER, OMPTAPE_BUCKET_COMPUTING},
    [OMPTAPE_REGION_TEAMS] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_COMPUTING},
    [OMPTAPE_REGION_TASK] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_COMPUTING},
    [OMPTAPE_REGION_TASK_UNTIED] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_COMPUTING},
    [OMPTAPE_REGION_TARGET_TASK] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_COMPUTING},
    [OMPTAPE_REGION_REDUCTION] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_COMPUTING},
    [OMPTAPE_REGION_BARRIER] = {OMPTAPE_BUCKET_UNLESS_HELPER, OMPTAPE_BUCKET_BARRIER},
    [OMPTAPE_REGION_BARRIER_WAIT] = {OMPTAPE_BUCKET_UNLESS_HELPER, OMPTAPE_BUCKET_BARRIER},
    [OMPTAPE_REGION_IMPLICIT_BARRIER] = {OMPTAPE_BUCKET_UNLESS_HELPER, OMPTAPE_BUCKET_BARRIER},
    [OMPTAPE_REGION_IMPLICIT_BARRIER_WAIT] = {OMPTAPE_BUCKET_UNLESS_HELPER, OMPTAPE_BUCKET_BARRIER},
    [OMPTAPE_REGION_IMPLEMENTATION_BARRIER] = {OMPTAPE_BUCKET_UNLESS_HELPER, OMPTAPE_BUCKET_BARRIER},
    [OMPTAPE_REGION_IMPLEMENTATION_BARRIER_WAIT] = {OMPTAPE_BUCKET_UNLESS_HELPER, OMPTAPE_BUCKET_BARRIER},
    [OMPTAPE_REGION_REDUCTION_WAIT] = {OMPTAPE_BUCKET_UNLESS_HELPER, OMPTAPE_BUCKET_BARRIER},
    [OMPTAPE_REGION_TASKWAIT] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TASK_WAIT},
    [OMPTAPE_REGION_TASKWAIT_WAIT] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TASK_WAIT},
    [OMPTAPE_REGION_TASKGROUP_WAIT] = {OMPTAPE_BUCKET_OWN,
                                       OMPTAPE_BUCKET_TASK_WAIT}, /* its group begins earlier */
    [OMPTAPE_REGION_CRITICAL] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_LOCK},
    [OMPTAPE_REGION_ATOMIC] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_LOCK},
    [OMPTAPE_REGION_ORDERED] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_LOCK},
    [OMPTAPE_REGION_SET_LOCK] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_LOCK},
    [OMPTAPE_REGION_TEST_LOCK] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_LOCK},
    [OMPTAPE_REGION_SET_NEST_LOCK] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_LOCK},
    [OMPTAPE_REGION_TEST_NEST_LOCK] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_LOCK},
    /* takes no time, or is a row of them, in which a flag is asked for again and again */
    [OMPTAPE_REGION_FLUSH] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_LOCK},
    [OMPTAPE_REGION_TASK_CREATE] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TASK_MANAGEMENT},
    [OMPTAPE_REGION_TASKLOOP] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TASK_MANAGEMENT},
    [OMPTAPE_REGION_TARGET_ENTER_DATA] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TRANSFER},
    [OMPTAPE_REGION_TARGET_EXIT_DATA] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TRANSFER},
    [OMPTAPE_REGION_TARGET_UPDATE] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TRANSFER},
    [OMPTAPE_REGION_TARGET_ALLOC] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TRANSFER},
    [OMPTAPE_REGION_TARGET_TO_DEVICE] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TRANSFER},
    [OMPTAPE_REGION_TARGET_FROM_DEVICE] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TRANSFER},
    [OMPTAPE_REGION_TARGET_DELETE] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TRANSFER},
    [OMPTAPE_REGION_TARGET_ASSOCIATE] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TRANSFER},
    [OMPTAPE_REGION_TARGET_DISASSOCIATE] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TRANSFER},
    [OMPTAPE_REGION_TARGET] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TARGET},
    [OMPTAPE_REGION_TARGET_SUBMIT] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_TARGET},
    [OMPTAPE_REGION_MPI] = {OMPTAPE_BUCKET_OWN, OMPTAPE_BUCKET_MPI},
};

bool omptape_region_is_lock(enum omptape_region_kind kind)
{
    return kind < OMPTAPE_REGION_KIND_COUNT && kind != OMPTAPE_REGION_FLUSH &&
           omptape_bucket_rules[kind].bucket == OMPTAPE_BUCKET_LOCK;
}

bool omptape_region_is_blamed(enum omptape_region_kind kind)
{
    switch (kind) {
    case OMPTAPE_REGION_LOOP_CHUNK:
    case OMPTAPE_REGION_DISTRIBUTE_CHUNK:
    case OMPTAPE_REGION_TASKLOOP_CHUNK:
    case OMPTAPE_REGION_SECTION:
    case OMPTAPE_REGION_SINGLE_SBLOCK:
        return false;
    case OMPTAPE_REGION_LOOP:
    case OMPTAPE_REGION_SECTIONS:
    case OMPTAPE_REGION_SINGLE:
    case OMPTAPE_REGION_MASKED:
    case OMPTAPE_REGION_DISTRIBUTE:
    case OMPTAPE_REGION_WORKSHARE:
    case OMPTAPE_REGION_SCOPE:
    case OMPTAPE_REGION_PROGRAM:
    case OMPTAPE_REGION_USER:
        return true;
    default:
        return kind < OMPTAPE_REGION_KIND_COUNT && omptape_bucket_rules[kind].rule != OMPTAPE_BUCKET_AROUND;
    }
}

/* Smaller values may be caused by a late reading: two scheduler ticks at 250 Hz, in ns. */
static const double SURE_NS = 8e6;

static double least_of(double one, double other)
{
    return one < other ? one : other;
}

static double rest_of(double whole, double part)
{
    return whole > part ? whole - part : 0;
}

double omptape_slept_at_work(double slept, double waiting)
{
    double surely = rest_of(slept, waiting);
    return slept > 0 ? surely + (slept - surely) * surely / slept : 0;
}

/* Returns true if the thread ran for as long as it worked. Then it hardly ran while it waited, since it slept
 * or let others go first, and it queued there. Without exact intervals this may be a coincidence: the thread
 * ran while it waited, and queued for as long at work. */
static bool ran_only_at_work(const struct omptape_sched_interval *interval, double work)
{
    const double nearly = 0.02;
    return interval->exact && work > 0 && interval->running < (1 + nearly) * work;
}

/* Estimates the part of the work in which the thread was queued. It is at least the work beyond the thread's
 * running time. Else the queueing time is divided between work and spinning in barriers, which counts twice
 * because spinning threads yield. */
static double runnable_of(const struct omptape_sched_interval *interval, double slept, double blocked)
{
    double all = interval->work + interval->unbroken + interval->waiting;
    double work = rest_of(interval->work, blocked);
    double spun = rest_of(interval->waiting, slept - blocked);
    double queued = interval->queued + interval->carried_queued;
    double share = work + spun > 0 ? queued * work / (work + 2 * spun) : 0;
    double min = work + interval->unbroken - least_of(interval->running, rest_of(all, queued));
    share = share > min && !ran_only_at_work(interval, work + interval->unbroken) ? share : rest_of(min, 0);
    return least_of(share, least_of(queued, work));
}

uint64_t omptape_sched_switch_readings(uint64_t age, uint64_t events)
{
    enum { AT_FIRST = 1000, A_SECOND = 10, EVENTS_A_READING = 32 };
    return AT_FIRST + A_SECOND * age + events / EVENTS_A_READING;
}

void omptape_sched_interval_clip_first(struct omptape_sched_interval *interval)
{
    const double all = interval->work + interval->unbroken + interval->waiting;
    interval->running = least_of(interval->running, all);
    interval->queued = least_of(interval->queued, all - interval->running);
}

/* Returns the smallest value that is certain. Readings are late only while the thread runs. If it did not run
 * in the interval, as between two context switches, even a short sleep is certain. */
static double sure_of(const struct omptape_sched_interval *interval, double all)
{
    const double hardly = 0.01;
    return interval->running < hardly * all ? 0 : SURE_NS;
}

/* If a thread ran and queued for longer than the interval, the reading was late. The excess belongs to the
 * next interval and is subtracted there. */
struct omptape_off_cpu omptape_sched_interval_off_cpu(const struct omptape_sched_interval *interval)
{
    double all = interval->work + interval->unbroken + interval->waiting;
    double left = all - interval->queued - interval->running + least_of(interval->carried, 0);
    double late = interval->late;
    if (interval->awake && left > 0) {
        late += left;
        left = 0;
    } else if (left < 0) {
        late = rest_of(interval->late, -left);
        left += interval->late - late;
    }
    double slept = rest_of(left, 0);
    double surely = omptape_slept_at_work(slept, interval->waiting);
    double blocked = surely + rest_of(interval->carried, 0);
    struct omptape_off_cpu off_cpu = {.runnable = runnable_of(interval, slept, surely),
                                      .late = late,
                                      .carried_queued =
                                          rest_of(interval->queued + interval->carried_queued, all)};
    double max = rest_of(interval->work + interval->unbroken, off_cpu.runnable);
    off_cpu.blocked = blocked < sure_of(interval, all) ? 0 : least_of(blocked, max);
    off_cpu.carried = left < 0 ? left : least_of(blocked - off_cpu.blocked, SURE_NS);
    return off_cpu;
}
