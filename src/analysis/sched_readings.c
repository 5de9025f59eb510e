/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluates scheduler readings of a thread for the interval between two of them: how long the thread ran,
 * waited for a processor and was blocked. The file interval_work.c distributes the result.
 */
#include "src/analysis/causes.h"
#include "src/analysis/interval_work.h"
#include "src/analysis/location.h"
#include "src/analysis/outliers.h"
#include "src/analysis/state.h"
#include "src/core/buckets.h"

#include <omptape/properties.h>

/* Returns the thread's serial time, including the part that was moved to blocked and runnable. */
static uint64_t serial_of(const struct analysis_location *location)
{
    return location->thread->parts[OMPTAPE_BUCKET_SERIAL] + location->interval.moved[OMPTAPE_BUCKET_SERIAL];
}

/* Adds the serial part of the time without a processor at work, in proportion to durations without forks. */
static void book_serial(struct analysis_state *state, const struct analysis_location *location,
                        const struct analysis_sched_reading *before, double working)
{
    const struct analysis_interval_work *interval = &location->interval;
    const uint64_t serial =
        omptape_minus(location->reading.serial - before->serial, interval->forking[OMPTAPE_BUCKET_SERIAL]);
    const uint64_t work =
        omptape_minus(location->reading.busy - before->busy, omptape_interval_forking(interval));
    double queued = work > 0 ? working / state->ns_per_tick * (double)serial / (double)work : 0;
    state->result->processes[location->process].serial_queued +=
        omptape_whole(queued < (double)serial ? queued : (double)serial);
}

/* Returns the part of a reading's difference that lies within the analysed range. */
static uint64_t within(uint64_t ns, uint64_t inside, uint64_t all)
{
    return inside == all ? ns : omptape_analysis_part(ns, inside, all);
}

static uint64_t least_of(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* Notes readings at context switches: between two of them the thread did not run. */
static void note_switches(const struct analysis_state *state, const struct analysis_location *location,
                          struct analysis_interval_work *interval, bool ran)
{
    const struct analysis_process *process = &state->result->processes[location->process];
    if (ran)
        return;
    if (!interval->at_switches)
        interval->is_measured =
            omptape_reader_number_of(state->reader, process->number, OMPTAPE_KEY_SWITCHES) > 0;
    interval->at_switches = true;
    interval->switch_readings += 2;
}

/* Returns true if the archive has readings at all long times without a processor so far. The number of
 * readings and of events is about. */
static bool are_all_kept(const struct analysis_state *state, const struct analysis_location *location)
{
    const double sure = 0.9;
    const double age =
        (double)omptape_minus(location->reading.time, location->thread->begin) * state->ns_per_tick / 1e9;
    return location->interval.is_measured &&
           (double)location->interval.switch_readings <
               sure * (double)omptape_sched_switch_readings((uint64_t)age, location->events);
}

/* Returns the interval since the previous reading, limited to the analysed range. */
static struct omptape_sched_interval interval_since(const struct analysis_state *state,
                                                    const struct analysis_location *location,
                                                    const struct analysis_sched_reading *before, bool awake)
{
    const struct analysis_sched_reading *reading = &location->reading;
    const uint64_t all = omptape_analysis_clipped(state, before->time, reading->time);
    const uint64_t since = omptape_minus(reading->time, before->time);
    const uint64_t work =
        omptape_minus(reading->busy - before->busy, omptape_interval_forking(&location->interval));
    const uint64_t unbroken = least_of(reading->unbroken - before->unbroken, work);
    struct omptape_sched_interval interval = {
        .work = (double)(work - unbroken) * state->ns_per_tick,
        .unbroken = (double)unbroken * state->ns_per_tick,
        .waiting = (double)(all > work ? all - work : 0) * state->ns_per_tick,
        .running = (double)within(reading->running_ns - before->running_ns, all, since),
        .queued = (double)within(reading->queued_ns - before->queued_ns, all, since),
        .carried = location->interval.carried_ns,
        .carried_queued = location->interval.carried_queued_ns,
        .late = location->interval.late_ns,
        .exact = are_all_kept(state, location),
    };
    interval.awake = interval.exact && awake && reading->running_ns > before->running_ns;
    if (before->running_ns == 0 && before->queued_ns == 0)
        omptape_sched_interval_clip_first(&interval);
    return interval;
}

/* Returns the stall time of the thread in this interval: it slept due to tracing, not due to the program. */
static uint64_t take_stalled(struct analysis_location *location, uint64_t time)
{
    const uint64_t since = omptape_minus(location->thread->stalled, location->interval.stalled);
    const uint64_t ahead = omptape_minus(location->stalled_until, time);
    const uint64_t stalled = omptape_minus(since, ahead);
    omptape_add(&location->interval.stalled, stalled);
    return stalled;
}

/* Returns the ticks in which the thread was queued while it forked: a share of those of all waiting. */
static double queued_in_fork(const struct analysis_location *location,
                             const struct omptape_sched_interval *interval, double runnable)
{
    const double queued = interval->queued > runnable ? interval->queued - runnable : 0;
    const double forking = (double)omptape_interval_forking(&location->interval);
    const double share = interval->waiting > 0 ? queued / interval->waiting : 0;
    return forking * (share < 1 ? share : 1);
}

void omptape_analysis_sched(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            uint64_t running_ns, uint64_t queued_ns, bool awake)
{
    const struct analysis_sched_reading before = location->reading;
    struct analysis_thread *thread = location->thread;
    if (thread == NULL)
        return;
    omptape_interval_fork(state, location, time);
    location->reading =
        (struct analysis_sched_reading){.time = time,
                                        .running_ns = running_ns,
                                        .queued_ns = queued_ns,
                                        .busy = omptape_analysis_busy(location),
                                        .unbroken = omptape_analysis_busy(location) - location->long_busy,
                                        .serial = serial_of(location)};
    struct analysis_interval_end end = {.begin = omptape_analysis_within(state, before.time),
                                        .end = omptape_analysis_within(state, time)};
    if (running_ns < before.running_ns || queued_ns < before.queued_ns) {
        omptape_analysis_resolve_pending(state, location, (struct analysis_off_cpu){0});
        omptape_interval_close(state, location, &end);
        return;
    }
    omptape_outliers_reading(state, location, before.time, time, queued_ns - before.queued_ns);
    note_switches(state, location, &location->interval, running_ns > before.running_ns || running_ns == 0);
    const struct omptape_sched_interval interval = interval_since(state, location, &before, awake);
    const struct omptape_off_cpu off_cpu = omptape_sched_interval_off_cpu(&interval);
    location->interval.carried_ns = off_cpu.carried;
    location->interval.carried_queued_ns = off_cpu.carried_queued;
    location->interval.late_ns = off_cpu.late;
    const uint64_t longest = omptape_whole(interval.work + interval.unbroken + interval.waiting);
    const uint64_t running = least_of(omptape_whole(interval.running), longest);
    omptape_add(&thread->running_ns, running);
    omptape_add(&thread->queued_ns, least_of(omptape_whole(interval.queued), longest - running));
    thread->queued_work_ns += omptape_whole(off_cpu.runnable);
    omptape_add(&thread->reading_ticks, end.end - end.begin);
    book_serial(state, location, &before, off_cpu.runnable);
    const double blocked = off_cpu.blocked / state->ns_per_tick - (double)take_stalled(location, time);
    end.blocked = blocked > 0 ? blocked : 0;
    end.runnable = off_cpu.runnable / state->ns_per_tick;
    end.forked = queued_in_fork(location, &interval, off_cpu.runnable);
    omptape_interval_close(state, location, &end);
    struct analysis_interval_work *work = &location->interval;
    work->recent_blocked += end.blocked;
    if (!work->at_switches)
        work->recent_runnable_work = work->recent_runnable_wait = 0;
    omptape_add(&work->recent_runnable_work, omptape_whole(off_cpu.runnable / state->ns_per_tick));
    const uint64_t queued_wait = omptape_whole((interval.queued - off_cpu.runnable) / state->ns_per_tick);
    omptape_add(&work->recent_runnable_wait, queued_wait);
    if (queued_wait > 0) {
        work->last_runnable_wait = queued_wait;
        work->last_wait_begin = before.time;
    }
    if (location->pending.count > 0)
        omptape_analysis_resolve_recent(state, location);
}

void omptape_analysis_resolve_recent(struct analysis_state *state, struct analysis_location *location)
{
    struct analysis_interval_work *work = &location->interval;
    omptape_analysis_resolve_pending(
        state, location,
        (struct analysis_off_cpu){.working = work->recent_runnable_work,
                                  .waiting = work->recent_runnable_wait,
                                  .blocked = omptape_whole(work->recent_blocked)});
    work->recent_blocked = 0;
    work->recent_runnable_work = work->recent_runnable_wait = 0;
}
