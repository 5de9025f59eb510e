/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fork, join and implicit tasks. A worker's implicit task ends, as the runtime tells it, when the worker is
 * next needed; the archive shows it ending with its region.
 */
#include "writers/regions/sites.h"
#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/teams.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

/* After a gap in the records: what the thread must have left in it, since it begins a region from this task.
 */
static void catch_up_with_task(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t task_id, uint64_t time)
{
    uint32_t frame = omptape_stack_find_frame(location, task_id);
    while (frame != 0 && location->stack.frame_count > frame)
        omptape_parallel_close_frame(writer, location, time);
    omptape_parallel_join_within(writer, location, time);
}

/* LLVM's runtime gives each initial task of a league a team of its own, and says that it is as large as the
 * task's parallel regions may become. */
static bool is_alone(const struct omptape_location *location, uint64_t address)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    return address == 0 && top != NULL && top->implicit &&
           (top->team != NULL ? top->team->league : top->league);
}

/* Its place is the league's. */
static uint64_t league_site(const struct omptape_location *location)
{
    const struct omptape_team *league = omptape_stack_top(location)->team;
    return league != NULL ? league->site : 0;
}

/* LLVM's helper threads, which run deferred target tasks, are a team of its own, as long as the program runs:
 * it is forked in the runtime by a thread that does nothing else. */
static bool is_spare(const struct omptape_writer *writer, const struct omptape_location *location,
                     uint64_t site)
{
    return omptape_location_depth(location) == 0 && omptape_sites_is_runtime(writer->sites, site);
}

void omptape_parallel_begin(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time)
{
    if (location->gaps.lossy)
        catch_up_with_task(writer, location, record->p[2], time);
    bool alone = is_alone(location, record->p[1]);
    uint64_t site = alone ? league_site(location)
                          : omptape_sites_of(writer, location, OMPTAPE_REGION_PARALLEL, record->p[1]);
    struct omptape_team *team = omptape_teams_add(writer, record->p[0], site, location);
    if (team == NULL)
        return;
    team->requested = record->b;
    team->league = (omptape_unfold_flags(record->a) & (uint32_t)ompt_parallel_league) != 0;
    team->alone = alone;
    team->spare = is_spare(writer, location, site);
    team->parent = omptape_stack_team(location);
    if (team->parent != NULL)
        team->parent->children++;
    time = omptape_location_time(location, time);
    omptape_teams_choose(writer, location, team, time);
    team->written = !writer->paused && !team->hidden;
    team->outer_fork = location->forks;
    team->fork_depth = location->stack.frame_count;
    team->fork_regions = omptape_location_depth(location);
    location->forks = team;
    if (team->written)
        omptape_archive_fork(&writer->archive, location->events, time, team->requested);
    location->last = time;
    team->forked = omptape_location_moment(location);
}

/* The team whose end this location tells. LLVM's runtime gives the team's memory back before it calls
 * parallel_end, so with nested regions on many threads the identity can already be that of another thread's
 * next region; then it is the innermost one forked here. */
static struct omptape_team *find_ended(const struct omptape_writer *writer,
                                       const struct omptape_location *location, uint64_t id)
{
    struct omptape_team *team = omptape_teams_find(writer, id);
    if (team != NULL && !team->ended && (team->primary == location || team->primary == NULL))
        return team;
    /* Its begin may have been dropped as well. */
    return location->gaps.lossy ? NULL : location->forks;
}

static bool is_forked_here(const struct omptape_location *location, const struct omptape_team *team)
{
    const struct omptape_team *fork = location->forks;
    while (fork != NULL && fork != team)
        fork = fork->outer_fork;
    return fork != NULL;
}

void omptape_parallel_end(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_record *record, uint64_t time)
{
    struct omptape_team *team = find_ended(writer, location, record->p[0]);
    if (team == NULL)
        return;
    /* Until here it may be nobody's, and would go with its last member. */
    team->primary = location;
    uint64_t id = team->id;
    uint32_t frame = omptape_stack_find_frame(location, id | OMPTAPE_ID_IMPLICIT);
    while (frame != 0 && location->stack.frame_count >= frame)
        omptape_parallel_close_frame(writer, location, time);
    /* Damaged records can make it a fork within its own frame. */
    if (omptape_teams_find(writer, id) != team)
        return;
    while (location->gaps.lossy && is_forked_here(location, team) && location->forks != team)
        omptape_parallel_end_fork(writer, location, time);
    omptape_parallel_join(writer, location, team, time);
}

/* LLVM's runtime does not say to which league its only initial task belongs: to the one that was forked here
 * last. NULL: there is none. */
static struct omptape_team *find_lone_league(struct omptape_writer *writer,
                                             const struct omptape_location *location)
{
    struct omptape_team *league = location->forks;
    if (league == NULL || !league->league || league->formed || league->requested != 1 ||
        league->fork_depth != location->stack.frame_count)
        return NULL;
    return omptape_teams_form_alone(writer, league) ? league : NULL;
}

void omptape_parallel_implicit_begin(struct omptape_writer *writer, struct omptape_location *location,
                                     const struct omptape_record *record, uint64_t time)
{
    struct omptape_frame frame = {.implicit = true, .parallel_id = record->p[0]};
    /* The number of an initial task in its league; that of the program's is no such number. */
    frame.league =
        (omptape_unfold_flags(record->a) & (uint32_t)ompt_task_initial) != 0 && record->b < record->p[1];
    /* A worker comes from nowhere else into a team. */
    while (location->gaps.lossy && record->b != 0 && omptape_stack_team(location) != NULL)
        omptape_parallel_close_frame(writer, location, time);
    /* Nor does a thread that forked a team begin in another one. */
    if (location->gaps.lossy && location->forks != NULL && location->forks->id != record->p[0])
        omptape_parallel_join_within(writer, location, time);
    struct omptape_team *team = omptape_teams_find(writer, record->p[0]);
    const bool is_lone = team == NULL && frame.league;
    if (is_lone)
        team = find_lone_league(writer, location);
    time = omptape_location_time(location, time);
    omptape_stack_book(location, time);
    if (team == NULL || !team->formed) {
        omptape_stack_push(location, &frame);
        omptape_stack_assume(location);
        return;
    }
    omptape_parallel_enter_team(writer, location, team, record->b, time);
    if (is_lone && omptape_stack_top(location)->team == team)
        omptape_stack_top(location)->parallel_id = record->p[0]; /* by which its end calls it */
}

void omptape_parallel_implicit_end(struct omptape_writer *writer, struct omptape_location *location,
                                   const struct omptape_record *record, uint64_t time)
{
    uint32_t frame = omptape_stack_find_frame(location, record->p[0] | OMPTAPE_ID_IMPLICIT);
    if (frame == 0)
        return;
    /* Tasks that never came back to this thread. */
    while (location->stack.frame_count > frame)
        omptape_parallel_close_frame(writer, location, omptape_parallel_clip(location, time, true));

    if (omptape_stack_team(location) != NULL) {
        omptape_parallel_leave_team(writer, location, time, true);
        return;
    }
    omptape_stack_unwind(writer, location, time, 0, true);
    omptape_stack_pop(location);
    omptape_stack_assume(location);
}
