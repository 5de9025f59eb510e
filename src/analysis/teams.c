/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Data that the analysis keeps for instances of teams (src/replay/teams.h).
 */
#include "src/analysis/detected_loops.h"
#include "src/analysis/interval_work.h"
#include "src/analysis/location.h"
#include "src/analysis/outliers.h"
#include "src/analysis/phases.h"
#include "src/analysis/serial.h"
#include "src/analysis/shares.h"
#include "src/analysis/state.h"
#include "src/analysis/team.h"
#include "src/archive/read/regions.h"

#include <stdlib.h>
#include <string.h>

/* Allocates the members and arrivals of a new instance. Returns false if out of memory. */
static bool make_members(struct analysis_state *state, struct analysis_team *team)
{
    const uint32_t size = team->replay.comm->size;
    team->members = omptape_arena_alloc(&state->arena, size * sizeof(*team->members));
    for (unsigned i = 0; i < 2; i++)
        team->barriers[i].arrivals =
            omptape_arena_alloc(&state->arena, size * sizeof(*team->barriers[i].arrivals));
    return team->members != NULL && team->barriers[0].arrivals != NULL && team->barriers[1].arrivals != NULL;
}

/* Adds the thread's work since the last call to its innermost team. */
static void credit(struct analysis_location *location)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    if (membership != NULL) {
        membership->team->useful += location->worked - location->credited;
        membership->team->useful_records += location->work_records - location->credited_records;
    }
    location->credited = location->worked;
    location->credited_records = location->work_records;
}

/* Calls credit() for all members that are in no nested team. */
static void credit_members(const struct analysis_team *team)
{
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        struct analysis_location *location = team->members[i].location;
        if (location != NULL && location->newest != NULL && location->newest->member == &team->members[i])
            credit(location);
    }
}

/* Sets what only the forking thread knows: the time of the fork, and the enclosing team. */
static void place_team(struct analysis_state *state, struct analysis_team *team, uint64_t time)
{
    const struct analysis_location *primary =
        omptape_pairs_get(&state->locations, 0, team->replay.comm->locations[0]);
    team->fork = primary != NULL && primary->forked ? primary->fork_time : time;
    team->fork_records = primary == NULL ? 0 : primary->forked ? primary->fork_records : primary->records;
    team->asked = primary != NULL && primary->forked ? primary->fork_asked : 0;
    team->instance = ++state->team_instances;
    team->threads = team->replay.comm->size;
    team->counted_until = time;
    if (primary == NULL || primary->thread == NULL)
        return;
    /* The primary thread may have begun this team already. */
    for (uint32_t i = primary->teams.depth; i-- > 0;) {
        if (analysis_memberships(primary)[i].team != team) {
            team->outer = analysis_memberships(primary)[i].team;
            break;
        }
    }
    if (team->outer != NULL)
        team->threads *= team->outer->threads;
    team->is_reserve = primary->forked_idle && team->outer == NULL;
}

/* A team with a region of the program is never a reserve, whichever thread forked it. */
void omptape_analysis_team_named(struct analysis_location *location, const struct analysis_region *region)
{
    struct analysis_membership *membership = omptape_analysis_membership(location);
    if (membership != NULL && membership->depth == location->replay.depth &&
        region->definition->region->site != NULL)
        membership->team->is_reserve = false;
}

void omptape_analysis_fork(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                           uint64_t asked)
{
    omptape_analysis_book(state, location, time);
    location->forked = true;
    location->ended = NULL;
    location->is_forking = true;
    location->interval.forking_in = location->top != NULL ? location->top->account : NULL;
    location->fork_time = time;
    location->fork_records = location->records;
    location->fork_stalled = location->thread->stalled;
    location->fork_asked = asked < UINT32_MAX ? (uint32_t)asked : 0;
    location->forked_idle = location->replay.depth == 0;
    if (location->forks++ == 0)
        omptape_analysis_serial_fork(location);
}

/* Adds the runtime's work between a team's end and the join to the region. */
static void add_join(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    const struct analysis_region *region = location->ended;
    struct analysis_parallel *parallel = omptape_analysis_of_region(&state->parallels, region);
    uint64_t spent = omptape_minus(time, location->ended_time);
    location->ended = NULL;
    if (parallel == NULL || spent >= state->short_slice)
        return;
    omptape_add(&parallel->wall, spent);
    omptape_add(&parallel->records, 256);
}

void omptape_analysis_join(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    omptape_analysis_book(state, location, time);
    location->forked = location->is_forking = false;
    add_join(state, location, time);
    location->forks -= location->forks > 0;
    omptape_initial_change(state, location, time);
    if (location->forks == 0)
        omptape_detected_loops_end(state, location, time);
}

static unsigned log_of(uint32_t size)
{
    return size > 1 ? 31U - (unsigned)__builtin_clz(size) : 0;
}

/* Notes how long the team took to begin, when the last member has begun. */
static void note_wave(struct analysis_process_state *process, const struct analysis_team *team, uint64_t time)
{
    uint64_t *wave = &process->waves[log_of(team->replay.comm->size)];
    const uint64_t took = omptape_minus(time, team->first_begin);
    if (took > 0 && (*wave == 0 || took < *wave))
        *wave = took;
}

/* Every machine needs less than a microsecond for each doubling of a team. A first team takes longer,
 * because its threads are created; it is therefore limited to this. */
uint64_t omptape_analysis_arrival_spread(const struct analysis_state *state, const struct analysis_team *team)
{
    const unsigned log = log_of(team->replay.comm->size);
    const uint64_t least = state->short_idle / 5;
    const uint64_t most = least * log;
    const uint64_t usual = 2 * team->members[0].location->process_state->waves[log];
    return usual < least || most < least ? least : usual < most ? usual : most;
}

void omptape_analysis_team_begin(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, uint64_t comm_id)
{
    omptape_analysis_book(state, location, time);
    uint32_t index;
    struct analysis_team *team =
        (struct analysis_team *)replay_begin_team(&state->teams, comm_id, location->id, &index);
    if (team == NULL)
        return;
    if (team->members == NULL && !make_members(state, team))
        return;
    if (team->replay.began++ == 0) {
        place_team(state, team, time);
        team->first_begin = time;
    }
    if (team->replay.began == team->replay.comm->size)
        note_wave(location->process_state, team, time);
    credit(location);
    struct analysis_membership *membership =
        replay_push(&location->teams, sizeof(*membership), comm_id, time);
    if (membership == NULL)
        return;
    membership->team = team;
    membership->member = &team->members[index];
    membership->index = index;
    membership->depth = location->replay.depth;
    location->newest = membership;
    location->phase++;
    struct analysis_member *member = location->newest->member;
    member->location = location;
    member->left = time;
    omptape_initial_change(state, location, time);
    if (index > 0)
        omptape_analysis_linked(state, REPLAY_ARROW_FORK, team->replay.comm->locations[0], team->fork,
                                location->definition->id, time);
}

void omptape_analysis_team_region(struct analysis_state *state, struct analysis_location *location,
                                  struct analysis_region *region)
{
    struct analysis_membership *membership = omptape_analysis_membership(location);
    if (membership == NULL || membership->depth + 1 != location->replay.depth)
        return;
    struct analysis_team *team = membership->team;
    struct analysis_member *member = membership->member;
    const struct analysis_frame *frame = omptape_analysis_top(location);
    struct analysis_process *process = &state->result->processes[location->process];
    team->region = region;
    if (!team->is_reserve && team->threads > process->most_threads)
        process->most_threads = (uint32_t)(team->threads < UINT32_MAX ? team->threads : UINT32_MAX);
    if (membership->index == 0) {
        omptape_interval_fork(state, location, frame->replay.begin);
        location->is_forking = false;
        omptape_serial_team(state, location, team, frame->replay.begin, true);
        omptape_phases_note(location, team->fork, &region->within);
        team->fork_stalled = location->forked ? location->thread->stalled - location->fork_stalled : 0;
    }
    if (!team->is_reserve && team->outer == NULL && membership->index == 0) {
        omptape_analysis_count_concurrency(location, frame->replay.begin);
        state->processes[location->process].active++;
        team->attributed_wall = location->process_state->attributed_wall;
        team->concurrent_time = location->process_state->concurrent_time;
        omptape_outliers_step(state, location, region, team->fork);
        omptape_detected_loops_begin(state, location, team->fork, region);
    }
    if (location->in_serial_end)
        omptape_analysis_serial_ends(state, location, region, omptape_minus(frame->replay.begin, team->fork));
    if (frame->replay.begin > team->fork && !team->is_reserve)
        omptape_shares_add(location, &member->shares, region, ANALYSIS_ACTIVITY_FORK, false,
                           frame->replay.begin - team->fork);
}

/* Adds the instance to the sums of the construct, also for a team of one thread. */
static void add_parallel(struct analysis_state *state, const struct analysis_team *team, uint64_t end)
{
    uint64_t wall = omptape_minus(end, team->fork);
    if (team->region == NULL || team->is_reserve || !omptape_analysis_counts(state, wall))
        return;
    struct analysis_parallel *parallel =
        omptape_analysis_at_region(state, &state->parallels, team->region, sizeof(*parallel));
    if (parallel == NULL)
        return;
    uint32_t size = team->replay.comm->size;
    uint64_t outer = team->threads / size;
    parallel->instances++;
    uint64_t stalled = 0;
    for (uint32_t i = 0; i < size; i++)
        stalled = team->members[i].stalled > stalled ? team->members[i].stalled : stalled;
    uint64_t useful = team->useful / size;
    omptape_add(&stalled, team->fork_stalled);
    wall -= stalled < wall ? stalled : wall;
    omptape_add(&parallel->wall, wall);
    omptape_add(&parallel->useful, useful);
    omptape_add(&parallel->task_work, team->task_work);
    omptape_add(&parallel->task_chain, team->longest_chain);
    omptape_outliers_instance(state, team, wall, end);
    uint64_t at_work = team->useful_records * 256 / size;
    omptape_add(&parallel->records, 256 * team->records > at_work ? 256 * team->records - at_work : 0);
    parallel->threads = size > parallel->threads ? size : parallel->threads;
    parallel->outer = outer > parallel->outer ? (uint32_t)outer : parallel->outer;
    parallel->asked = team->asked > parallel->asked ? team->asked : parallel->asked;
    if (team->outer != NULL)
        return;
    omptape_add(&parallel->attributed_wall, team->attributed_wall);
    omptape_add(&parallel->concurrent_time, team->concurrent_time);
    parallel->single += size == 1;
    parallel->denied += team->denied;
    parallel->within = team->within > parallel->within ? team->within : parallel->within;
}

/* Ends the team's time as its first thread measures it. Regions with too few threads are reported for the
 * outermost region. If ends of teams are missing, `outer` may contain a cycle. */
static void end_time(const struct analysis_location *location, struct analysis_team *team)
{
    const struct analysis_process_state *process = location->process_state;
    struct analysis_team *root = team;
    for (uint32_t i = 0; root->outer != NULL && i < location->teams.depth; i++)
        root = root->outer;
    if (root != team && team->threads > root->within)
        root->within = team->threads;
    root->denied += root != team && team->replay.comm->size < team->asked;
    team->attributed_wall = omptape_minus(process->attributed_wall, team->attributed_wall);
    team->concurrent_time = omptape_minus(process->concurrent_time, team->concurrent_time);
}

/* Resets the instance, and keeps its members' lists for the next one. */
static void free_team(struct analysis_team *team)
{
    for (unsigned i = 0; i < 2; i++)
        omptape_analysis_barrier_reset(team, &team->barriers[i]);
    for (uint32_t i = 0; i < team->replay.comm->size; i++) {
        struct analysis_shares shares = {.list = team->members[i].shares.list,
                                         .capacity = team->members[i].shares.capacity};
        team->members[i] = (struct analysis_member){.shares = shares};
    }
    replay_release_team(&team->replay);
    *team = (struct analysis_team){
        .replay = team->replay, .members = team->members, .barriers = {team->barriers[0], team->barriers[1]}};
}

void omptape_analysis_team_end(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time)
{
    struct analysis_membership *membership = omptape_analysis_membership(location);
    if (membership == NULL)
        return;
    omptape_analysis_book(state, location, time);
    struct analysis_team *team = membership->team;
    credit(location);
    if (membership->index == 0 && team->region != NULL) {
        omptape_serial_team(state, location, team, time, false);
        end_time(location, team);
    }
    if (!team->is_reserve && team->outer == NULL && membership->index == 0 &&
        state->processes[location->process].active > 0) {
        omptape_analysis_count_concurrency(location, time);
        state->processes[location->process].active--;
    }
    location->teams.depth--;
    location->newest = location->teams.depth > 0 ? membership - 1 : NULL;
    location->phase++;
    omptape_initial_change(state, location, time);
    if (membership->index == 0) {
        team->records = location->records - team->fork_records;
        location->ended = team->is_reserve ? NULL : team->region;
        location->ended_time = time;
    }
    /* Work in a nested region counts for the outer team, divided by the nested team's threads. */
    if (team->outer != NULL && membership->index == 0) {
        credit_members(team);
        team->outer->useful += team->useful / team->replay.comm->size;
        team->outer->useful_records += team->useful_records / team->replay.comm->size;
    }
    if (++team->replay.ended < team->replay.comm->size)
        return;
    add_parallel(state, team, time);
    free_team(team);
}

static void free_lists(struct replay_team *replay)
{
    for (; replay != NULL; replay = replay->next) {
        struct analysis_team *team = (struct analysis_team *)replay;
        for (uint32_t i = 0; team->members != NULL && i < team->replay.comm->size; i++) {
            free(team->members[i].shares.list);
            free(team->barriers[0].arrivals[i].shares.list);
            free(team->barriers[1].arrivals[i].shares.list);
        }
    }
}

void omptape_analysis_teams_free(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->teams.comms.count; i++) {
        const struct replay_comm *comm = state->teams.comms.list[i].value;
        free_lists(comm->live);
        free_lists(comm->free);
    }
    replay_free_teams(&state->teams);
}
