/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds who waited for whom at a team's barriers. Called when a member enters and leaves a barrier.
 *
 * All members reach each barrier of their team in the same order, and no member leaves before all have
 * arrived. The nth barriers of all members therefore belong together. The idle waiting of a member until the
 * last one arrives is charged. The reason is what the last one did more than the team's mean since the
 * previous barrier.
 */
#include "src/analysis/causes.h"
#include "src/analysis/interval_work.h"
#include "src/analysis/location.h"
#include "src/analysis/loops.h"
#include "src/analysis/shares.h"
#include "src/analysis/state.h"
#include "src/analysis/team.h"

#include <stdlib.h>
#include <string.h>

void omptape_analysis_barrier_reset(struct analysis_team *team, struct analysis_barrier *barrier)
{
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        struct analysis_arrival *arrival = &barrier->arrivals[i];
        struct analysis_shares shares = {.list = arrival->shares.list, .capacity = arrival->shares.capacity};
        *arrival = (struct analysis_arrival){.shares = shares};
    }
    *barrier = (struct analysis_barrier){.arrivals = barrier->arrivals};
}

static void add_up(struct analysis_arrival *arrival)
{
    for (uint32_t i = 0; i < arrival->shares.count; i++) {
        const struct analysis_share *share = &arrival->shares.list[i];
        if (share->activity == ANALYSIS_ACTIVITY_STALL)
            arrival->stood += share->time;
        else
            arrival->did += share->time;
    }
}

static struct analysis_barrier *current_barrier(const struct analysis_membership *membership)
{
    struct analysis_team *team = membership->team;
    return &team->barriers[(membership->member->barriers + 1) & 1];
}

void omptape_analysis_barrier_enter(struct analysis_location *location, uint64_t time,
                                    struct analysis_region *region)
{
    struct analysis_membership *membership = omptape_analysis_membership(location);
    if (membership == NULL)
        return;
    struct analysis_team *team = membership->team;
    struct analysis_member *member = membership->member;
    member->barriers++;
    location->phase++;
    struct analysis_barrier *barrier = current_barrier(membership);
    struct analysis_arrival *arrival = &barrier->arrivals[membership->index];
    /* An arrival from two barriers ago remains: some members did not reach that barrier. */
    if (arrival->has_arrived)
        omptape_analysis_barrier_reset(team, barrier);
    /* Gcc makes several calls for one barrier, with different sites. One with a source line is better. */
    if (barrier->arrived++ == 0 || barrier->region->line == 0)
        barrier->region = region;
    struct analysis_shares shares = arrival->shares;
    *arrival = (struct analysis_arrival){
        .has_arrived = true, .since = member->left, .begin = time, .shares = member->shares};
    add_up(arrival);
    shares.count = 0;
    member->shares = shares;
}

static uint64_t time_in(const struct analysis_shares *shares, const struct analysis_share *share)
{
    for (uint32_t i = 0; i < shares->count; i++) {
        const struct analysis_share *other = &shares->list[i];
        if (other->region == share->region && other->activity == share->activity &&
            other->nested == share->nested)
            return other->time;
    }
    return 0;
}

/* Returns the time above the team's mean that the last member spent in this region and activity. */
static uint64_t excess_of(const struct analysis_team *team, const struct analysis_barrier *barrier,
                          const struct analysis_share *share)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < team->replay.comm->size; i++)
        sum += time_in(&barrier->arrivals[i].shares, share);
    uint64_t mean = sum / team->replay.comm->size;
    return share->time > mean ? share->time - mean : 0;
}

/* Returns the finding kind of a share. `alone`: the other members did nothing meanwhile. */
static enum omptape_finding_kind kind_of(const struct analysis_share *share, bool alone)
{
    enum omptape_region_kind kind = share->region->kind;
    if (share->activity == ANALYSIS_ACTIVITY_LOCK)
        return OMPTAPE_FINDING_LOCK;
    if (share->activity == ANALYSIS_ACTIVITY_FORK)
        return OMPTAPE_FINDING_LATE_START;
    if (share->activity == ANALYSIS_ACTIVITY_CREATION)
        return OMPTAPE_FINDING_FINE_TASKS;
    if (share->activity == ANALYSIS_ACTIVITY_MPI)
        return OMPTAPE_FINDING_COMMUNICATION;
    if (share->nested)
        return OMPTAPE_FINDING_NESTED_WAIT;
    if (kind == OMPTAPE_REGION_SINGLE || kind == OMPTAPE_REGION_MASKED ||
        (alone && kind == OMPTAPE_REGION_PARALLEL))
        return OMPTAPE_FINDING_SERIAL;
    return OMPTAPE_FINDING_IMBALANCE;
}

/* Returns the ticks that the others would have waited for the last member if all had begun together. The
 * rest is due to its late begin: it had no processor after the previous barrier, or it slept. */
static uint64_t waited_for_work(const struct analysis_team *team, const struct analysis_barrier *barrier,
                                uint32_t last)
{
    uint64_t most = barrier->arrivals[last].did;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        uint64_t one = barrier->arrivals[i].did;
        sum += most > one ? most - one : 0;
    }
    return sum;
}

static uint64_t first_of(const struct analysis_team *team, const struct analysis_barrier *barrier)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < team->replay.comm->size; i++)
        first = barrier->arrivals[i].begin < first ? barrier->arrivals[i].begin : first;
    return first;
}

/* Returns the construct at the barrier's source line that has a share of its own, or NULL. */
static struct analysis_region *find_construct(const struct analysis_team *team,
                                              const struct analysis_barrier *barrier)
{
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        const struct analysis_shares *shares = &barrier->arrivals[i].shares;
        for (uint32_t j = 0; j < shares->count; j++)
            if (shares->list[j].region->line == barrier->region->line &&
                strcmp(shares->list[j].region->file, barrier->region->file) == 0)
                return shares->list[j].region;
    }
    return NULL;
}

/* Returns the region that a share is charged to. Work outside of constructs is charged to the barrier
 * after it. The barrier may be the region's own implicit one, as for a last loop in gcc's programs, unless
 * one member worked alone. */
static struct analysis_region *place_of(const struct analysis_team *team,
                                        const struct analysis_barrier *barrier,
                                        const struct analysis_share *share, bool alone)
{
    const struct analysis_region *behind = barrier->region;
    bool own =
        share->region == team->region && share->activity == ANALYSIS_ACTIVITY_COMPUTING && behind->line > 0 &&
        (behind->kind != OMPTAPE_REGION_IMPLICIT_BARRIER ||
         (!alone && behind->line > team->region->line && strcmp(behind->file, team->region->file) == 0));
    return own && find_construct(team, barrier) == NULL ? barrier->region : share->region;
}

/* Returns true if only the first thread did something between two barriers, such as gcc's masked regions
 * without events. Any other single thread most likely had no processor. */
static bool is_alone(const struct analysis_state *state, const struct analysis_team *team,
                     const struct analysis_barrier *barrier, uint32_t last)
{
    const uint64_t together = omptape_analysis_arrival_spread(state, team);
    for (uint32_t i = 1; i < team->replay.comm->size; i++)
        if (barrier->arrivals[i].did > together)
            return false;
    return last == 0;
}

/* Returns the mean ticks that the other members are usually blocked in what they did of this share. */
static uint64_t usually_blocked(const struct analysis_team *team, const struct analysis_barrier *barrier,
                                const struct analysis_share *share, uint32_t last)
{
    double sum = 0;
    for (uint32_t i = 0; i < team->replay.comm->size; i++)
        if (i != last)
            sum += (double)time_in(&barrier->arrivals[i].shares, share) *
                   omptape_interval_blocked_share(team->members[i].location, share->region);
    return omptape_whole(sum / (team->replay.comm->size - 1));
}

/* Returns the waiting caused by the last member leaving the previous barrier later than the others.
 * Returns 0 if the difference is larger than usual for a team of this size. */
static uint64_t waited_for_wave(const struct analysis_state *state, const struct analysis_team *team,
                                const struct analysis_barrier *barrier, uint32_t last)
{
    const uint64_t together = omptape_analysis_arrival_spread(state, team);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        const uint64_t later = omptape_minus(barrier->arrivals[last].since, barrier->arrivals[i].since);
        if (later > together)
            return 0;
        sum += later;
    }
    return sum;
}

/* Charges the waiting for a member that did nothing but begin late, or leave the previous barrier late. */
static void charge_late_leaver(struct analysis_state *state, const struct analysis_team *team,
                               const struct analysis_barrier *barrier, uint32_t last, uint64_t lead,
                               uint64_t waited)
{
    struct analysis_region *left = team->last_construct != NULL ? team->last_construct : team->region;
    const struct analysis_wait wait = {.waited = waited,
                                       .threads = team->threads,
                                       .lead = lead,
                                       .preempted = ANALYSIS_PREEMPTED_STARTING,
                                       .begin = first_of(team, barrier),
                                       .end = barrier->arrivals[last].begin};
    omptape_analysis_charge_late(
        team->members[last].location,
        omptape_analysis_cause(state, OMPTAPE_FINDING_LATE_START, left, team->region), &wait);
}

static void charge(struct analysis_state *state, const struct analysis_team *team,
                   const struct analysis_barrier *barrier, uint32_t last, uint64_t lead, uint64_t waited)
{
    const struct analysis_arrival *late = &barrier->arrivals[last];
    uint64_t first = first_of(team, barrier);
    bool alone = is_alone(state, team, barrier, last);
    uint64_t excess[64] = {0};
    uint64_t all = 0;
    for (uint32_t i = 0; i < late->shares.count && i < 64; i++)
        all += excess[i] = excess_of(team, barrier, &late->shares.list[i]);
    uint64_t for_work = waited_for_work(team, barrier, last);
    for_work = for_work < waited ? for_work : waited;
    const uint64_t wave = waited_for_wave(state, team, barrier, last);
    const uint64_t released = wave < waited - for_work ? wave : waited - for_work;
    omptape_add(&state->whole.release_time, released);
    waited -= released;
    if (all == 0)
        charge_late_leaver(state, team, barrier, last, lead, waited);
    for (uint32_t i = 0; i < late->shares.count && i < 64; i++) {
        struct analysis_share *share = &late->shares.list[i];
        if (excess[i] == 0 || share->activity == ANALYSIS_ACTIVITY_STALL)
            continue;
        struct analysis_cause *cause = omptape_analysis_cause(
            state, kind_of(share, alone), place_of(team, barrier, share, alone), team->region);
        uint64_t work = share->activity == ANALYSIS_ACTIVITY_FORK ? 0 : for_work;
        uint64_t work_lead = omptape_analysis_part(lead, work, waited);
        struct analysis_wait wait = {.waited = omptape_analysis_part(work, excess[i], all),
                                     .threads = team->threads,
                                     .lead = omptape_analysis_part(work_lead, excess[i], all),
                                     .preempted = ANALYSIS_PREEMPTED_WORKING,
                                     .excess = share->activity == ANALYSIS_ACTIVITY_COMPUTING ? excess[i] : 0,
                                     .usual = usually_blocked(team, barrier, share, last),
                                     .begin = first,
                                     .end = late->begin};
        omptape_analysis_charge_late(team->members[last].location, cause, &wait);
        wait.continues = wait.waited > 0;
        wait.waited = omptape_analysis_part(waited - work, excess[i], all);
        wait.lead = omptape_analysis_part(lead - work_lead, excess[i], all);
        wait.preempted = ANALYSIS_PREEMPTED_STARTING;
        wait.excess = 0;
        wait.usual = 0;
        omptape_analysis_charge_late(team->members[last].location, cause, &wait);
    }
}

/* Returns true if the member executed a single or masked construct: the barrier belongs to that construct. */
static bool is_of_one(const struct analysis_arrival *arrival)
{
    for (uint32_t i = 0; i < arrival->shares.count; i++) {
        enum omptape_region_kind kind = arrival->shares.list[i].region->kind;
        if (kind == OMPTAPE_REGION_SINGLE || kind == OMPTAPE_REGION_MASKED)
            return true;
    }
    return false;
}

/* Returns the thread time for passing the barrier. A thread that arrives or continues much later had no
 * processor, and would be waited for at the next barrier. */
static uint64_t time_to_pass(const struct analysis_state *state, const struct analysis_team *team,
                             const struct analysis_barrier *barrier)
{
    const uint64_t together = omptape_analysis_arrival_spread(state, team);
    uint64_t last = 0;
    uint64_t spent = 0;
    for (uint32_t i = 0; i < team->replay.comm->size; i++)
        last = barrier->arrivals[i].begin > last ? barrier->arrivals[i].begin : last;
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        const struct analysis_arrival *arrival = &barrier->arrivals[i];
        const uint64_t before = last - arrival->begin;
        const uint64_t after = omptape_minus(arrival->end, last);
        spent +=
            arrival->did + (before < together ? before : 0) + (after < 5 * together ? after : 5 * together);
    }
    return spent;
}

/* Returns the records of all members in that time. */
static uint64_t records_to_pass(const struct analysis_team *team, const struct analysis_barrier *barrier)
{
    uint64_t records = 0;
    for (uint32_t i = 0; i < team->replay.comm->size; i++)
        records += barrier->arrivals[i].records;
    return records;
}

/* Charges a barrier that no member did anything before: this takes some tenths of a microsecond. Two barriers
 * of the runtime for one construct (such as single copyprivate) are both needed. */
static void charge_needless(struct analysis_state *state, const struct analysis_team *team,
                            const struct analysis_barrier *barrier)
{
    const uint64_t together = omptape_analysis_arrival_spread(state, team);
    struct analysis_region *region = barrier->region;
    /* The one with a source line. */
    if (region->line == 0 && team->last_barrier != NULL)
        region = team->last_barrier;
    if (!state->inside || !team->left_inside ||
        (barrier->region == team->last_barrier &&
         barrier->region->kind == OMPTAPE_REGION_IMPLEMENTATION_BARRIER))
        return;
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        const struct analysis_arrival *arrival = &barrier->arrivals[i];
        if (arrival->did + arrival->stood > together / 5 || arrival->stalled || is_of_one(arrival))
            return;
    }
    if (team->members[0].barriers <= 1)
        return;
    struct analysis_cause *cause =
        omptape_analysis_cause(state, OMPTAPE_FINDING_NEEDLESS_BARRIER, region, team->region);
    omptape_analysis_charge(state, cause, time_to_pass(state, team, barrier), team->threads,
                            barrier->arrivals[0].begin, barrier->arrivals[0].end,
                            team->members[0].location->definition->id);
    if (cause != NULL)
        omptape_add(&cause->records, 256 * records_to_pass(team, barrier) / team->threads);
}

/* Reports an arrow for each member that waited without work for the last one. */
static void report_waiting(const struct analysis_state *state, const struct analysis_team *team,
                           const struct analysis_barrier *barrier, uint32_t last)
{
    for (uint32_t i = 0; i < team->replay.comm->size; i++)
        if (i != last && barrier->arrivals[i].idle > 0)
            omptape_analysis_linked(state, REPLAY_ARROW_WAIT, team->replay.comm->locations[i],
                                    barrier->arrivals[i].begin, team->replay.comm->locations[last],
                                    barrier->arrivals[last].begin);
}

/* Discards readings of a member that was not last: it was not late because of a missing processor. It may
 * however continue late for this reason. */
static void forget_recent(struct analysis_interval_work *interval, const struct analysis_arrival *arrival,
                          uint64_t opened)
{
    const uint64_t after = omptape_minus(arrival->end, opened);
    interval->recent_blocked = 0;
    interval->recent_runnable_work = 0;
    interval->recent_runnable_wait =
        interval->recent_runnable_wait < after ? interval->recent_runnable_wait : after;
}

/* Resolves the pending causes of the last member. Its readings at context switches are complete until its
 * arrival. If it continued late because it had no processor, this belongs to its later work. */
static void resolve_last(struct analysis_state *state, struct analysis_location *location, uint64_t opened)
{
    struct analysis_interval_work *interval = &location->interval;
    uint64_t later = interval->last_wait_begin >= opened ? interval->last_runnable_wait : 0;
    later = later < interval->recent_runnable_wait ? later : interval->recent_runnable_wait;
    interval->recent_runnable_wait -= later;
    omptape_analysis_resolve_recent(state, location);
    interval->recent_runnable_wait = later;
}

static void evaluate_barrier(struct analysis_state *state, struct analysis_team *team,
                             const struct analysis_barrier *barrier)
{
    uint32_t size = team->replay.comm->size;
    uint32_t last = 0;
    uint64_t second = 0;
    uint64_t waited = 0;
    for (uint32_t i = 1; i < size; i++)
        last = barrier->arrivals[i].begin > barrier->arrivals[last].begin ? i : last;
    uint64_t opened = barrier->arrivals[last].begin;
    for (uint32_t i = 0; i < size; i++) {
        const struct analysis_arrival *arrival = &barrier->arrivals[i];
        uint64_t after = arrival->end > opened ? arrival->end - opened : 0;
        uint64_t release = arrival->idle < after ? arrival->idle : after;
        waited += arrival->idle - release;
        omptape_add(&state->whole.release_time, release);
        if (i != last && arrival->begin > second)
            second = arrival->begin;
    }
    if (state->inside && team->outer == NULL)
        omptape_add(&state->result->processes[team->members[last].location->process].awaited,
                    opened - second);
    /* Members cannot arrive closer together. */
    if (opened - first_of(team, barrier) < omptape_analysis_arrival_spread(state, team))
        omptape_add(&state->whole.release_time, waited);
    else if (waited > 0)
        charge(state, team, barrier, last, opened - second, waited);
    if (team->members[last].location->interval.at_switches)
        resolve_last(state, team->members[last].location, opened);
    for (uint32_t i = 0; i < size; i++)
        if (i != last || waited == 0)
            forget_recent(&team->members[i].location->interval, &barrier->arrivals[i], opened);
    if (waited > 0)
        report_waiting(state, team, barrier, last);
    charge_needless(state, team, barrier);
    team->last_barrier = barrier->region;
    team->last_construct = find_construct(team, barrier);
    if (team->last_construct == NULL)
        team->last_construct = barrier->region;
    team->left_inside = state->inside;
    team->last = team->members[last].location;
}

void omptape_analysis_barrier_leave(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time)
{
    struct analysis_membership *membership = omptape_analysis_membership(location);
    if (membership == NULL)
        return;
    struct analysis_team *team = membership->team;
    struct analysis_barrier *barrier = current_barrier(membership);
    struct analysis_arrival *arrival = &barrier->arrivals[membership->index];
    if (!arrival->has_arrived || arrival->has_left)
        return;
    arrival->has_left = true;
    arrival->end = time;
    arrival->records = location->records - membership->member->left_records;
    membership->member->left = time;
    membership->member->left_records = location->records;
    /* Who leaves first may execute tasks of the next phase before the others leave. */
    if (barrier->left == 0)
        team->chain_floor = team->longest_chain;
    if (++barrier->left < team->replay.comm->size)
        return;
    if (!team->is_reserve)
        omptape_analysis_loop_done(state, team, barrier);
    if (!team->is_reserve && team->replay.comm->size > 1)
        evaluate_barrier(state, team, barrier);
    omptape_analysis_barrier_reset(team, barrier);
}
