/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explicit tasks, and why threads are idle while there are some. Called for creation and execution of tasks,
 * and when a thread begins and stops waiting.
 *
 * A team counts queued tasks (created or suspended) and tasks on a stack. A short time between two tasks
 * while more are queued is the runtime's overhead to find one. A long time means that no task was ready:
 * queued ones wait for others (dependences), or the running ones have not created more. The rest is waiting
 * for the team, which barriers.c handles.
 */
#include "src/analysis/tasks.h"

#include "src/analysis/causes.h"
#include "src/analysis/chain.h"
#include "src/analysis/location.h"
#include "src/analysis/outliers.h"
#include "src/analysis/state.h"
#include "src/analysis/team.h"
#include "src/archive/read/regions.h"

#include <string.h>

static void count_until(struct analysis_team *team, uint64_t time)
{
    uint64_t spent = time > team->counted_until ? time - team->counted_until : 0;
    if (team->queued > 0)
        team->queue_time += spent;
    else if (team->running > 0)
        team->alone_time += spent;
    team->counted_until += spent;
}

/* Changes by `more` the number of threads that execute a task of this site. */
static void count_at_once(struct analysis_task_site *site, uint64_t time, int64_t more)
{
    uint64_t spent = time > site->ran_until ? time - site->ran_until : 0;
    site->ran += site->at_once * spent;
    site->ran_until += spent;
    site->at_once += (uint64_t)more;
}

/* A task's region and its creation's region have the same site. */
struct analysis_task_site *omptape_analysis_task_site(struct analysis_state *state,
                                                      struct analysis_region *region)
{
    struct analysis_region_state *known = omptape_analysis_region_state(region);
    if (known->task_site != NULL)
        return known->task_site;
    uint32_t row = omptape_rows_text(
        &state->sites, region->definition->region->site != NULL ? region->definition->region->site : "");
    struct analysis_task_site *site = omptape_pairs_obtain(&state->task_sites, &state->result->arena, 0, row,
                                                           sizeof(struct analysis_task_site));
    known->task_site = site;
    return site;
}

/* Returns the frame of the explicit task that the thread executes; NULL if none. */
static const struct analysis_frame *task_around(const struct analysis_location *location)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    return top != NULL && top->task > 0 ? &analysis_frames(location)[top->task - 1] : NULL;
}

/* Stops a task's time, because another task or none becomes the innermost. */
static void stop(struct analysis_location *location, struct analysis_frame *task)
{
    task->work += location->worked - location->tasks.since;
    location->tasks.since = location->worked;
}

void omptape_analysis_task_stops(struct analysis_location *location, uint32_t task)
{
    if (task > 0)
        stop(location, &analysis_frames(location)[task - 1]);
}

void omptape_analysis_task_continues(struct analysis_location *location)
{
    location->tasks.since = location->worked;
}

static struct analysis_team *team_of(const struct analysis_location *location)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    return membership != NULL ? membership->team : NULL;
}

/* Returns the time since the previous event, without stalls. */
static uint64_t gap_before(const struct analysis_location *location, uint64_t time)
{
    uint64_t last = location->last > location->stalled_until ? location->last : location->stalled_until;
    return time > last ? time - last : 0;
}

static void count_gap(struct analysis_state *state, struct analysis_task_site *site,
                      struct analysis_durations *gaps, uint64_t gap)
{
    omptape_add(&site->bin_sums[omptape_analysis_count(state, gaps, gap, 0, 0)], gap);
}

void omptape_analysis_task_created_by(struct analysis_state *state, struct analysis_location *location,
                                      uint64_t time, struct analysis_region *region)
{
    struct analysis_task_site *site = omptape_analysis_task_site(state, region);
    if (site == NULL)
        return;
    if (site->result.region == NULL)
        site->result.region = region;
    /* Time in which the thread waited or slept does not count. */
    if ((location->flags & ANALYSIS_FLAG_IDLE) == 0)
        count_gap(state, site, &site->before, gap_before(location, time));
    location->tasks.created = site;
    site->result.created += state->inside;
    if (location->replay.depth > 0 && analysis_frames(location)[location->replay.depth - 1].task > 0)
        site->created_inside += state->inside;
}

void omptape_analysis_task_created_after(struct analysis_state *state, struct analysis_location *location,
                                         uint64_t time)
{
    count_gap(state, location->tasks.created, &location->tasks.created->after, gap_before(location, time));
}

/* Returns the chain until the thread's innermost task creates one: the explicit task `creator`, or NULL. */
static struct analysis_chain chain_until(const struct analysis_location *location,
                                         const struct analysis_frame *creator)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    if (creator != NULL)
        return (struct analysis_chain){.length = creator->chain.length + creator->work,
                                       .floor = creator->chain.floor};
    const uint64_t floor =
        membership != NULL ? omptape_greater(membership->team->chain_floor, membership->member->chain_floor)
                           : 0;
    return (struct analysis_chain){.length = floor, .floor = floor};
}

void omptape_analysis_task_create(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time, uint64_t name)
{
    struct analysis_team *team = team_of(location);
    const struct analysis_frame *creator = task_around(location);
    omptape_analysis_count_event(state, location, time);
    location->tasks.has_switched = false;
    location->last = time;
    if (team == NULL)
        return;
    count_until(team, time);
    team->created++;
    team->queued++;
    struct analysis_chain chain = chain_until(location, creator);
    if (creator != NULL)
        chain.length += location->worked - location->tasks.since;
    omptape_chain_create(state, location, team, name, chain,
                         creator == NULL ? omptape_analysis_membership(location)->member : NULL);
}

void omptape_analysis_task_depend(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_event *event)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    if (top != NULL && top->region->kind == OMPTAPE_REGION_TASK_CREATE &&
        event->refs[0].id == state->reader->attribute_ids[READER_DEPEND] && event->ref_count == 2) {
        if (location->tasks.created != NULL)
            location->tasks.created->dependent++;
        omptape_chain_depend(state, location, omptape_reader_string(state->reader, event->refs[1].id));
    }
}

void omptape_analysis_task_switch(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time, uint64_t name)
{
    const struct analysis_team *team = team_of(location);
    struct analysis_task_steps *steps = &location->tasks;
    omptape_analysis_brief_event(state, location, time);
    steps->has_switched = (uint32_t)name != 0;
    steps->switched_creator = NULL;
    steps->switched_chain = team != NULL && steps->has_switched
                                ? omptape_chain_begin(state, team, name, &steps->switched_creator)
                                : (struct analysis_chain){.length = 0};
}

void omptape_analysis_task_enter(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, struct analysis_frame *frame)
{
    struct analysis_team *team = team_of(location);
    struct analysis_task_site *site = omptape_analysis_task_site(state, frame->region);
    struct analysis_frame *outer = location->replay.depth > 1 && frame[-1].task > 0
                                       ? &analysis_frames(location)[frame[-1].task - 1]
                                       : NULL;
    if (outer != NULL)
        stop(location, outer);
    frame->task = location->replay.depth;
    frame->site = site;
    frame->work = 0;
    frame->chain = (struct analysis_chain){.length = 0};
    frame->creator = NULL;
    frame->deferred = false;
    location->tasks.since = location->worked;
    if (site == NULL)
        return;
    site->result.region = frame->region;
    frame->number = ++site->begun;
    frame->deferred = location->tasks.has_switched;
    frame->chain = frame->deferred ? location->tasks.switched_chain : chain_until(location, outer);
    frame->creator = frame->deferred                 ? location->tasks.switched_creator
                     : outer == NULL && team != NULL ? omptape_analysis_membership(location)->member
                                                     : NULL;
    if (outer != NULL && outer->site != NULL)
        count_at_once(outer->site, time, -1);
    count_at_once(site, time, 1);
    if (state->inside && site->at_once > site->result.most_at_once)
        site->result.most_at_once = site->at_once;
    if (team == NULL)
        return;
    site->threads = team->threads > site->threads ? team->threads : site->threads;
    count_until(team, time);
    team->running++;
    team->last_site = site;
    if (frame->deferred)
        team->queued--;
}

void omptape_analysis_task_leave(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, struct analysis_frame *frame)
{
    struct analysis_team *team = team_of(location);
    struct analysis_task_site *site = frame->site;
    const struct analysis_frame *outer = task_around(location);
    stop(location, frame);
    location->tasks.left_chain = frame->chain.length + frame->work;
    location->tasks.left_site = site;
    location->tasks.left_work = frame->work;
    location->tasks.left_end = time;
    if (site == NULL)
        return;
    omptape_analysis_count(state, &site->result.grain, frame->work, frame->replay.begin,
                           location->definition->id);
    omptape_outliers_task(state, location, frame, time);
    site->result.chain = omptape_greater(site->result.chain, location->tasks.left_chain - frame->chain.floor);
    if (omptape_analysis_counts(state, frame->work) && site->result.most_at_once == 0)
        site->result.most_at_once = 1;
    count_at_once(site, time, -1);
    if (outer != NULL && outer->site != NULL)
        count_at_once(outer->site, time, 1);
    if (team == NULL)
        return;
    count_until(team, time);
    team->running--;
    omptape_add(&team->task_work, frame->work);
    team->longest_chain = omptape_greater(team->longest_chain, location->tasks.left_chain);
    if (frame->creator != NULL)
        frame->creator->longest_chain =
            omptape_greater(frame->creator->longest_chain, location->tasks.left_chain);
    team->left_site = site;
    team->left_begin = frame->replay.begin;
    team->left_work = frame->work;
    team->left_by = location;
    if (frame->deferred) /* suspended, unless the next event reports its completion */
        team->queued++;
}

void omptape_analysis_tasks_awaited(const struct analysis_location *location)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    if (membership != NULL && task_around(location) == NULL)
        membership->member->chain_floor = membership->member->longest_chain;
}

void omptape_analysis_task_complete(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time, uint64_t name)
{
    struct analysis_team *team = team_of(location);
    omptape_analysis_brief_event(state, location, time);
    if (team == NULL)
        return;
    count_until(team, time);
    team->queued--;
    omptape_chain_complete(state, team, name, location->tasks.left_chain);
}

/* Returns the thread time in tasks of that site. */
static uint64_t ran_until(const struct analysis_state *state, uint32_t number, uint64_t time)
{
    struct analysis_task_site *site = state->task_sites.list[number].value;
    if (site->at_once > 0)
        count_at_once(site, time, 0);
    return site->ran;
}

void omptape_analysis_idle_begin(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time)
{
    struct analysis_team *team = team_of(location);
    struct analysis_idle *idle = &location->tasks.idle;
    idle->begin = time;
    idle->records = location->records;
    location->flags |= ANALYSIS_FLAG_IDLE;
    idle->site_count = 0;
    idle->queue_time = 0;
    idle->alone_time = 0;
    idle->stall_time = 0;
    if (team == NULL)
        return;
    count_until(team, time);
    for (; idle->site_count < state->task_sites.count && idle->site_count < ANALYSIS_SITES_APART;
         idle->site_count++)
        idle->ran[idle->site_count] = ran_until(state, idle->site_count, time);
    idle->queue_time = team->queue_time;
    idle->alone_time = team->alone_time;
    idle->stall_time = omptape_analysis_stalled_at(team, time);
}

/* Charges the time between tasks while there are some, or the time to find that there are none. */
static void charge_handling(const struct analysis_team *team, uint64_t spent, uint64_t records)
{
    struct analysis_task_site *site = team->last_site;
    if (site == NULL)
        return;
    omptape_add(&site->result.handling, spent);
    omptape_add(&site->handling_parts, omptape_times(spent, 256) / team->threads);
    omptape_add(&site->handling_records, records * 256 / team->threads);
}

/* Returns the site that an idle thread waited for. It is the task that ran all the time and just ended.
 * Otherwise it is the site that ran longest meanwhile, as in a chain of several kinds; or the one that
 * began last. */
static struct analysis_task_site *waited_for(const struct analysis_state *state,
                                             const struct analysis_team *team,
                                             const struct analysis_idle *idle, uint64_t end)
{
    struct analysis_task_site *most = team->last_site;
    uint64_t longest = 0;
    if (team->left_site != NULL && team->left_begin <= idle->begin)
        return team->left_site;
    for (uint32_t i = 0; i < state->task_sites.count && i < ANALYSIS_SITES_APART; i++) {
        uint64_t ran = ran_until(state, i, end) - (i < idle->site_count ? idle->ran[i] : 0);
        if (ran > longest) {
            longest = ran;
            most = state->task_sites.list[i].value;
        }
    }
    return most;
}

/* Returns true if the thread itself executed such a task beside the awaited one, and with less work. */
static bool is_outlasted(const struct analysis_team *team, const struct analysis_location *location,
                         const struct analysis_task_site *site)
{
    return team->left_site == site && location->tasks.left_site == site && team->left_by != location &&
           location->tasks.left_work > 0 && team->left_begin < location->tasks.left_end &&
           team->left_work / 5 > location->tasks.left_work / 4;
}

/* Charges time in which a thread found no task. `queued` is the part in which tasks were queued. Without
 * dependences the thread may have had no processor to take one; otherwise the thread that executed the
 * awaited task may have had none. */
static void charge_starved(struct analysis_state *state, struct analysis_team *team,
                           struct analysis_location *location, uint64_t spent, uint64_t queued,
                           const struct analysis_idle *idle, uint64_t end)
{
    uint64_t begin = idle->begin;
    struct analysis_task_site *site = spent > 0 ? waited_for(state, team, idle, end) : NULL;
    if (site == NULL)
        return;
    uint64_t own = site->dependent > 0 ? 0 : queued < spent ? queued : spent;
    struct analysis_location *other = team->left_by != NULL ? team->left_by : location;
    struct analysis_cause *cause =
        omptape_analysis_cause(state, OMPTAPE_FINDING_TASK_CHAIN, site->result.region, team->region);
    struct analysis_wait wait = {.waited = own,
                                 .threads = team->threads,
                                 .lead = own,
                                 .preempted = ANALYSIS_PREEMPTED_WAITING,
                                 .begin = begin,
                                 .end = end};
    omptape_add(&site->result.starved, spent);
    omptape_add(&site->unserved, own);
    if (is_outlasted(team, location, site))
        omptape_add(&site->outlasted, spent);
    omptape_analysis_charge_late(location, cause, &wait);
    wait.waited = wait.lead = spent - own;
    wait.preempted = ANALYSIS_PREEMPTED_WORKING;
    if (other != location)
        omptape_analysis_charge_late(other, cause, &wait);
    else
        omptape_analysis_charge(state, cause, spent - own, team->threads, begin, end,
                                location->definition->id);
}

void omptape_analysis_idle_end(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time)
{
    struct analysis_membership *membership = omptape_analysis_membership(location);
    const struct analysis_idle *idle = &location->tasks.idle;
    location->flags &= (uint8_t)~ANALYSIS_FLAG_IDLE;
    if (membership == NULL || time <= idle->begin || membership->team->is_reserve)
        return;
    struct analysis_team *team = membership->team;
    count_until(team, time);
    uint64_t spent = time - idle->begin;
    if (team->created > 0 && spent <= state->short_idle) {
        charge_handling(team, spent, location->records - idle->records);
        return;
    }
    uint64_t queued = team->queue_time - idle->queue_time;
    uint64_t alone = team->alone_time - idle->alone_time;
    struct analysis_barrier *barrier = &team->barriers[(membership->member->barriers + 1) & 1];
    struct analysis_arrival *arrival = &barrier->arrivals[membership->index];
    bool at_barrier = arrival->has_arrived && !arrival->has_left;
    queued = queued < spent ? queued : spent;
    alone = alone < spent - queued ? alone : spent - queued;
    uint64_t stalled = omptape_analysis_stalled_at(team, time) - idle->stall_time;
    charge_starved(state, team, location,
                   queued + alone - (stalled < queued + alone ? stalled : queued + alone), queued, idle,
                   time);
    if (at_barrier)
        arrival->idle += spent - queued - alone;
}

uint64_t omptape_tasks_executed(const struct analysis_tasks *tasks)
{
    bool in_parts = tasks->region->kind == OMPTAPE_REGION_TASK_UNTIED && tasks->created > 0 &&
                    tasks->created < tasks->grain.count;
    return in_parts ? tasks->created : tasks->grain.count;
}

bool omptape_tasks_are_chain(const struct analysis_tasks *tasks)
{
    return tasks->chain >= 2 * tasks->grain.longest;
}

bool omptape_tasks_run_where_created(const struct analysis_task_site *site)
{
    return site->result.most_at_once < 2 && site->threads > 1 && site->dependent == 0 &&
           !omptape_tasks_are_chain(&site->result);
}
