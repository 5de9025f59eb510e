/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Serial time: what the initial thread does between two parallel regions. Called when regions fork and begin,
 * and at the end. In a process with several initial threads it is also called whenever one of them changes
 * its activity outside of parallel regions. Each call books an interval of the process's time.
 */
#include "src/analysis/serial.h"

#include "src/analysis/booking.h"
#include "src/analysis/interval_work.h"
#include "src/analysis/location.h"
#include "src/analysis/outliers.h"
#include "src/analysis/phases.h"
#include "src/analysis/sampled.h"
#include "src/analysis/state.h"
#include "src/analysis/team.h"
#include "src/core/array.h"

struct analysis_serial *omptape_analysis_serial(struct analysis_state *state,
                                                const struct analysis_region *after,
                                                const struct analysis_region *before)
{
    struct analysis_serial *serial =
        omptape_pairs_obtain(&state->serials, &state->result->arena, omptape_analysis_region_id(after),
                             omptape_analysis_region_id(before), sizeof(*serial));
    if (serial == NULL)
        return NULL;
    serial->after = after;
    serial->before = before;
    return serial;
}

void omptape_analysis_serial_ends(struct analysis_state *state, struct analysis_location *location,
                                  const struct analysis_region *before, uint64_t forking)
{
    uint64_t time = location->serial;
    location->in_serial_end = false;
    if (time > 0) {
        struct analysis_serial *serial = omptape_analysis_serial(state, location->last_parallel, before);
        if (serial == NULL)
            return;
        omptape_outliers_serial(state, location, before, time);
        omptape_interval_end_serial(location, serial);
        omptape_sampled_end_serial(state, location, serial);
        omptape_phases_note(location, location->serial_begin, &serial->within);
        location->serial = 0;
        serial->count++;
        omptape_add(&serial->sum, time);
        omptape_add(&serial->forking, forking < time ? forking : time);
        if (time >= serial->longest) {
            serial->longest = time;
            serial->longest_begin = location->serial_begin;
            serial->longest_location = location->definition->id;
        }
        omptape_add(&state->result->processes[location->process].serial, time);
    }
    location->last_parallel = before;
}

void omptape_analysis_serial_fork(struct analysis_location *location)
{
    location->in_serial_end = location->thread != NULL && location->teams.depth == 0;
}

/* No reading is available. */
static const double UNKNOWN = -1;

/* Returns the share of time in which the thread currently computes. */
static double awake_now(const struct analysis_initial *initial)
{
    if (initial->reading_count == 0)
        return UNKNOWN;
    const uint32_t last = initial->reading_count - 1;
    return initial->readings[initial->next < last ? initial->next : last].awake;
}

/* What initial threads outside of teams do. */
struct outside {
    uint32_t threads; /* number of threads that compute or sleep */
    uint32_t unknown; /* part of `threads` without a reading */
    double computing; /* average number of computing threads */
    uint32_t always;  /* part of `threads` that compute all the time */
    double none;      /* probability that none of the others computes */
    uint32_t in_mpi;
};

static struct outside look_outside(const struct analysis_initials *initials)
{
    struct outside outside = {.none = 1};
    for (uint32_t i = 0; i < initials->alive_count; i++) {
        const struct analysis_initial *initial = initials->alive[i];
        outside.in_mpi += initial->outside == ANALYSIS_OUTSIDE_MPI;
        if (initial->outside != ANALYSIS_OUTSIDE_WORK)
            continue;
        const double awake = awake_now(initial);
        outside.threads++;
        outside.unknown += awake < 0;
        outside.computing += awake < 0 ? 1 : awake;
        if (awake < 0 || awake >= 1)
            outside.always++;
        else
            outside.none *= 1 - awake;
    }
    return outside;
}

/* Returns the probability that only this thread computes. */
static double alone(const struct outside *outside, double awake)
{
    const bool always = awake < 0 || awake >= 1;
    if (outside->always > always)
        return 0;
    return always ? outside->none : awake / (1 - awake) * outside->none;
}

/* Books serial time. If it is unknown whether several threads compute, no time counts as serial. */
static void book_serial(struct analysis_initials *initials, struct analysis_process *process,
                        const struct outside *outside, uint64_t begin, uint64_t ticks)
{
    if (outside->unknown > 1)
        return;
    for (uint32_t i = 0; i < initials->alive_count; i++) {
        const struct analysis_initial *initial = initials->alive[i];
        if (initial->outside != ANALYSIS_OUTSIDE_WORK)
            continue;
        if (initial->location->serial == 0)
            initial->location->serial_begin = begin;
        initial->location->serial += omptape_whole(alone(outside, awake_now(initial)) * (double)ticks);
    }
    if (outside->in_mpi > 0 && outside->always == 0)
        omptape_add(&process->communication, omptape_whole(outside->none * (double)ticks));
}

/* Sums the threads in teams and the threads that compute outside over the time until now. */
static void attribute_wall(struct analysis_process_state *process, uint64_t time)
{
    const double ticks = time > process->attributed_until ? (double)(time - process->attributed_until) : 0;
    if (process->active > 0) {
        const double threads = (double)process->in_teams + process->computing;
        omptape_add(&process->attributed_wall, omptape_whole(ticks / process->active));
        omptape_add(&process->concurrent_time, omptape_whole(ticks * threads / process->active));
    }
    process->attributed_until = time > process->attributed_until ? time : process->attributed_until;
}

/* Books the interval from initials->until to `time`, in which nothing changes. */
static void book(struct analysis_state *state, const struct analysis_location *location,
                 struct analysis_initials *initials, uint64_t time)
{
    struct analysis_process *process = &state->result->processes[location->process];
    const uint64_t ticks = time - initials->until;
    const struct outside outside = look_outside(initials);
    omptape_booking_count_concurrency(location, time);
    attribute_wall(location->process_state, time);
    initials->until = time;
    if (ticks == 0)
        return;
    const double computing = outside.computing + 0.5;
    const uint64_t in_teams = location->process_state->in_teams;
    const uint64_t threads = in_teams + (uint64_t)computing;
    if (in_teams == 0)
        book_serial(initials, process, &outside, time - ticks, ticks);
    omptape_add(
        &process->wall_by_available[threads < ANALYSIS_CONCURRENCY_BINS ? threads
                                                                        : ANALYSIS_CONCURRENCY_BINS - 1],
        ticks);
    omptape_add(&process->asleep_outside,
                omptape_whole(((double)outside.threads - outside.computing) * (double)ticks));
}

static void follow(struct analysis_process_state *process)
{
    const struct analysis_initials *initials = process->initials;
    process->more = 0;
    process->computing = 0;
    for (uint32_t i = 0; i < initials->alive_count; i++) {
        const struct analysis_initial *initial = initials->alive[i];
        const double awake = awake_now(initial);
        if (initial->outside != ANALYSIS_OUTSIDE_WORK)
            continue;
        process->computing += awake < 0 ? 1 : awake;
        process->more += (awake < 0 ? 1 : awake) - (initial->counted ? 1 : 0);
    }
}

/* Removes threads that have ended by then. */
static void let_go(struct analysis_initials *initials, uint64_t time)
{
    for (uint32_t i = 0; i < initials->alive_count;)
        if (initials->alive[i]->end <= time)
            initials->alive[i] = initials->alive[--initials->alive_count];
        else
            i++;
}

static uint64_t next_end(const struct analysis_initials *initials, uint64_t time)
{
    for (uint32_t i = 0; i < initials->alive_count; i++)
        if (initials->alive[i]->end > initials->until && initials->alive[i]->end < time)
            time = initials->alive[i]->end;
    return time;
}

void omptape_initial_advance(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    struct analysis_initials *initials = location->process_state->initials;
    while (initials != NULL && time > initials->until) {
        let_go(initials, initials->until);
        follow(location->process_state);
        book(state, location, initials, next_end(initials, time));
    }
}

static uint8_t outside_of(const struct analysis_location *location)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    if (location->teams.depth > 0)
        return ANALYSIS_OUTSIDE_NOT;
    switch (top != NULL ? top->account->time_class.bucket : location->outside) {
    case OMPTAPE_BUCKET_SERIAL:
    case OMPTAPE_BUCKET_COMPUTING:
    case OMPTAPE_BUCKET_TASK_MANAGEMENT:
        return ANALYSIS_OUTSIDE_WORK;
    case OMPTAPE_BUCKET_MPI:
        return ANALYSIS_OUTSIDE_MPI;
    default:
        return ANALYSIS_OUTSIDE_WAITS;
    }
}

void omptape_initial_change(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    struct analysis_initial *initial = location->initial;
    if (initial == NULL)
        return;
    const struct analysis_frame *top = omptape_analysis_top(location);
    omptape_initial_advance(state, location, time);
    while (initial->next < initial->reading_count && initial->readings[initial->next].time <= time)
        initial->next++;
    initial->outside = outside_of(location);
    initial->counted = top != NULL && (top->account->time_class.flags & ANALYSIS_FLAG_WORK) != 0;
    follow(location->process_state);
}

void omptape_initial_begin(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    struct analysis_initials *initials = location->process_state->initials;
    struct analysis_initial *initial =
        initials != NULL ? omptape_pairs_get(&state->initials, 0, location->id) : NULL;
    if (initial == NULL ||
        !OMPTAPE_RESERVE(initials->alive, initials->alive_count + 1, &initials->alive_capacity))
        return;
    if (initials->until == 0)
        initials->until = time;
    location->initial = initial;
    initial->location = location;
    omptape_initial_change(state, location, time);
    initials->alive[initials->alive_count++] = initial;
    follow(location->process_state);
}

void omptape_serial_team(struct analysis_state *state, struct analysis_location *location,
                         const struct analysis_team *team, uint64_t time, bool begins)
{
    struct analysis_process_state *process = location->process_state;
    if (team->is_reserve)
        return;
    const uint64_t threads = team->replay.comm->size - (team->outer != NULL);
    omptape_initial_advance(state, location, time);
    attribute_wall(process, time);
    if (begins)
        process->in_teams += threads;
    else
        process->in_teams -= threads < process->in_teams ? threads : process->in_teams;
}
