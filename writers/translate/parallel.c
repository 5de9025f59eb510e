/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates fork, join and implicit tasks. Tracks the members of teams, the forks of each location and their
 * ends. The runtime reports the end of a worker's implicit task only when it needs the worker again. The
 * archive shows this end at the end of the region.
 */
#include "writers/translate/parallel.h"

#include "writers/regions/references.h"
#include "writers/regions/region_filter.h"
#include "writers/regions/sites.h"
#include "writers/translate/teams.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

/* A team is joined no earlier than its last member has left, although most members report their end later. */

/* Returns the index + 1 of the location's frame in the team, or 0 if the location is not in the team. */
static uint32_t find_member_frame(const struct omptape_location *location, const struct omptape_team *team)
{
    uint32_t i = location->stack.frame_count;
    while (i > 0 && (location->stack.frames[i - 1].team != team || !location->stack.frames[i - 1].implicit))
        i--;
    return i;
}

/* Returns the latest moment at which the member can leave the team. `end` is when the primary left. The
 * member's own end is not later, except for two additions: distinct times of its records, and nested teams
 * that it has to join first. */
static struct omptape_moment end_of_member(const struct omptape_writer *writer,
                                           const struct omptape_location *member,
                                           const struct omptape_team *team, uint64_t end)
{
    struct omptape_moment last = omptape_location_moment(member);
    uint32_t frame = find_member_frame(member, team);
    if (frame == 0)
        return last;
    uint32_t regions = omptape_location_depth(member) - member->stack.frames[frame - 1].base;
    uint32_t above = member->stack.frame_count - frame;
    last.time =
        (last.time > end ? last.time : end) + above + writer->archive.step * (regions + 2U * above + 2);
    return last;
}

/* Returns the time of the ThreadJoin at `time` on `location`, the team's primary, which left it at `end`. */
static uint64_t join_time(const struct omptape_writer *writer, const struct omptape_location *location,
                          const struct omptape_team *team, uint64_t time, uint64_t end)
{
    for (uint32_t i = 0; i < team->size; i++)
        if (team->members[i].location != NULL && team->members[i].location != location)
            time = omptape_location_time_after(location, time,
                                               end_of_member(writer, team->members[i].location, team, end));
    return time;
}

uint64_t omptape_parallel_clip(const struct omptape_location *location, uint64_t time, bool barrier)
{
    const struct omptape_team *team = location->stack.implicit_team;
    if (!omptape_parallel_is_late(location))
        return time;
    /* Members of a team that the program's end cut off stay in the barrier until that end. */
    uint64_t limit = barrier && !team->cut_off ? team->barrier_end : team->end;
    return time < limit ? time : limit;
}

bool omptape_parallel_is_over(const struct omptape_location *location)
{
    return omptape_parallel_is_late(location) ||
           (location->stack.implicit_team != NULL && location->stack.implicit_team->end != 0);
}

void omptape_parallel_left_barrier(const struct omptape_location *location)
{
    struct omptape_team *team = location->stack.implicit_team;
    if (team != NULL && team->primary == location)
        team->barrier_end = location->last;
}

/* Removes the team from the location's forks. Returns false if it was not forked here. */
static bool forget_fork(struct omptape_location *location, const struct omptape_team *team)
{
    for (struct omptape_team **at = &location->forks; *at != NULL; at = &(*at)->outer_fork) {
        if (*at == team) {
            *at = team->outer_fork;
            return true;
        }
    }
    return false;
}

/* Returns how many regions of the top frame continue after a gap: the parallel region or task itself. */
static uint32_t regions_to_keep(const struct omptape_location *location)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    return top != NULL && (top->team != NULL || top->task != NULL) ? 1 : 0;
}

/* Used after a gap. Leaves the regions and frames entered since the fork, and joins at its level. */
static void return_to_fork(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_team *team, uint64_t time)
{
    while (location->stack.frame_count > team->fork_depth)
        omptape_parallel_close_frame(writer, location, time);
    uint32_t base = omptape_stack_base(location);
    if (location->stack.frame_count == team->fork_depth && team->fork_regions >= base)
        omptape_stack_unwind(writer, location, time, team->fork_regions - base, true);
}

/* Begins the implicit task of this thread number in a formed team. */
static void enter_team(struct omptape_writer *writer, struct omptape_location *location,
                       struct omptape_team *team, uint32_t thread_number, uint64_t time)
{
    struct omptape_frame frame = {.implicit = true, .team = team, .parallel_id = team->id};
    frame.thread_number = thread_number < team->size ? thread_number : 0;
    frame.position = team->members[frame.thread_number].position;
    frame.outside = thread_number >= team->size || team->members[thread_number].location != location;
    frame.written = !writer->paused && !frame.outside && team->comm != OTF2_UNDEFINED_COMM;
    frame.in_hidden = team->hidden;
    if (omptape_stack_push(location, &frame) == NULL)
        return;
    team->members[frame.thread_number].begun |= !frame.outside;
    omptape_teams_enter(team);
    time = omptape_location_time_after(location, time, team->forked);
    if (frame.written)
        omptape_archive_team_begin(&writer->archive, location->events, time, team->comm);
    location->last = time;
    location->stack.announced = (struct omptape_task_name){.comm = team->comm, .creator = frame.position};
    if (team->region == 0 && team->site != 0)
        team->region = omptape_references_get(writer, omptape_teams_region_kind(team), team->site);
    OMPTAPE_ENTER_LAST(writer, location, time, .kind = omptape_teams_region_kind(team),
                       .class = OMPTAPE_CLASS_PARALLEL, .site = team->site, .region = team->region,
                       .decided = true);
}

/* Takes the location out of the team of its top frame. `reported` is true for the implicit task's own
 * end record. Otherwise the end counts as synthesised, unless the region itself has ended. */
static void leave_team(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                       bool reported)
{
    struct omptape_frame *top = omptape_stack_top(location);
    struct omptape_team *team = top->team;
    bool over = team->ended && !team->cut_off;
    bool synthesised = !reported && !over;
    uint64_t barrier = omptape_parallel_clip(location, time, true);
    uint64_t end = omptape_parallel_clip(location, time, false);
    omptape_parallel_join_within(writer, location, barrier);
    /* Leaves all regions except the parallel region: what is still open in an ended team is its barrier. */
    omptape_stack_unwind(writer, location, barrier, 1, !over);
    end = omptape_location_time(location, end);
    omptape_stack_unwind(writer, location, end, 0, synthesised);
    if (top->written)
        omptape_archive_team_end(&writer->archive, location->events, end, team->comm);
    location->last = end;
    omptape_stack_pop(location);
    omptape_stack_set_announced(location);
    if (team->primary == location)
        team->end = end;
    omptape_teams_leave(writer, team);
}

/* Adds the implicit task of the primary if the primary forked the team here but its begin is missing. It was
 * ended earlier, or the record was dropped. Equal teams share a communicator, so each needs all members. */
static void synthesise_primary(struct omptape_writer *writer, struct omptape_location *location,
                               struct omptape_team *team, uint64_t time)
{
    if (!team->written || !team->formed || team->members[0].begun || team->primary != location ||
        team->members[0].location != location || location->stack.frame_count > team->fork_depth)
        return;
    omptape_stack_book(location, time);
    enter_team(writer, location, team, 0, time);
    if (team->members[0].begun)
        leave_team(writer, location, time, false);
}

/* Returns the number of a worker of the team whose begin is missing; 0 if there is none. */
static uint32_t find_absent_worker(const struct omptape_team *team)
{
    if (!team->written || !team->formed || team->ended)
        return 0;
    for (uint32_t i = 1; i < team->size; i++)
        if (team->members[i].location != NULL && !team->members[i].begun)
            return i;
    return 0;
}

static struct omptape_team *find_team_with_absent(const struct omptape_writer *writer, uint32_t *number)
{
    struct omptape_team *team;
    size_t at = 0;
    while ((team = omptape_identities_next(writer->teams->by_id, &at)) != NULL) {
        *number = find_absent_worker(team);
        if (*number != 0)
            return team;
    }
    return NULL;
}

void omptape_parallel_synthesise_workers(struct omptape_writer *writer, uint64_t time)
{
    uint32_t number;
    struct omptape_team *team;
    while ((team = find_team_with_absent(writer, &number)) != NULL) {
        struct omptape_location *location = team->members[number].location;
        team->members[number].begun = true;
        if (location->closed)
            continue;
        /* The worker may still be in its last team, which has ended. */
        omptape_parallel_close_all(writer, location, time);
        time = omptape_location_time(location, time);
        omptape_stack_book(location, time);
        enter_team(writer, location, team, number, time);
    }
}

/* Translates the end of the team's region on this location. */
static void join_team(struct omptape_writer *writer, struct omptape_location *location,
                      struct omptape_team *team, uint64_t time)
{
    bool here = forget_fork(location, team);
    if (here && location->gaps.lossy)
        return_to_fork(writer, location, team, time);
    time = omptape_location_time(location, time);
    if (here)
        synthesise_primary(writer, location, team, time);
    uint64_t end = team->end != 0 ? team->end : time;
    if (team->written) {
        time = join_time(writer, location, team, time, end);
        omptape_archive_join(&writer->archive, location->events, time);
    }
    location->last = time;
    if (here && team->gap)
        omptape_stack_unwind(writer, location, time, regions_to_keep(location), true);
    omptape_teams_end(writer, team, end);
}

/* Joins the team that was forked here last, because its end was dropped. */
static void end_fork(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    location->forks->cut_off = true;
    join_team(writer, location, location->forks, time);
}

void omptape_parallel_join_within(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time)
{
    while (location->forks != NULL && location->forks->fork_depth >= location->stack.frame_count)
        end_fork(writer, location, time);
}

struct omptape_open_region *omptape_parallel_join_around(struct omptape_writer *writer,
                                                         struct omptape_location *location, uint64_t time,
                                                         struct omptape_open_region *region)
{
    const struct omptape_team *fork = location->forks;
    if (region == NULL || fork == NULL || fork->fork_depth < location->stack.frame_count)
        return region;
    uint32_t place = (uint32_t)(region - location->stack.regions);
    if (place > fork->fork_regions)
        return region;
    omptape_parallel_join_within(writer, location, time);
    return place <= omptape_location_depth(location) ? &location->stack.regions[place] : NULL;
}

void omptape_parallel_leave_found(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time, enum omptape_class class, uint16_t key, uint64_t id)
{
    omptape_parallel_leave(writer, location, time, omptape_stack_find(location, class, key, id), false);
}

void omptape_parallel_gap(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    uint32_t base = omptape_stack_base(location);
    uint32_t keep = regions_to_keep(location);
    struct omptape_team *fork = location->forks;
    /* Regions around a fork cannot be left before the join. */
    if (fork != NULL && fork->fork_depth >= location->stack.frame_count) {
        fork->gap = true;
        if (fork->fork_regions > base + keep)
            keep = fork->fork_regions - base;
    }
    omptape_stack_unwind(writer, location, time, keep, true);
}

void omptape_parallel_close_frame(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time)
{
    struct omptape_frame *top = omptape_stack_top(location);
    if (top == NULL)
        return;
    if (top->implicit && top->team != NULL) {
        leave_team(writer, location, time, false);
        return;
    }
    omptape_parallel_join_within(writer, location, time);
    omptape_stack_unwind(writer, location, time, 0, true);
    if (top->task != NULL)
        top->task->runs_on = NULL;
    omptape_stack_pop(location);
}

/* Writes the forks of this location that were not written yet, from the level of `depth` frames. */
static void show_forks(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                       uint32_t depth)
{
    for (struct omptape_team *team = location->forks; team != NULL; team = team->outer_fork) {
        if (team->fork_depth != depth || team->written || team->hidden)
            continue;
        team->written = true;
        if (writer->filter != NULL)
            omptape_region_filter_written(
                writer, omptape_references_get(writer, omptape_teams_region_kind(team), team->site), false);
        omptape_archive_fork(&writer->archive, location->events, time, team->requested);
        team->forked = omptape_location_moment(location);
    }
}

void omptape_parallel_write_open(struct omptape_writer *writer, struct omptape_location *location,
                                 uint64_t time)
{
    uint32_t region = 0;
    for (uint32_t i = 0; i < location->stack.frame_count; i++) {
        struct omptape_frame *frame = &location->stack.frames[i];
        uint32_t end = i + 1 < location->stack.frame_count ? location->stack.frames[i + 1].base
                                                           : omptape_location_depth(location);
        show_forks(writer, location, time, i);
        if (frame->implicit && frame->team != NULL && !frame->written && !frame->outside &&
            frame->team->comm != OTF2_UNDEFINED_COMM) {
            frame->written = true;
            time = omptape_location_time_after(location, time, frame->team->forked);
            location->last = time;
            omptape_archive_team_begin(&writer->archive, location->events, time, frame->team->comm);
            location->stack.announced =
                (struct omptape_task_name){.comm = frame->team->comm, .creator = frame->position};
        }
        while (region < end)
            omptape_stack_write_enter(writer, location, time, &location->stack.regions[++region]);
    }
    show_forks(writer, location, time, location->stack.frame_count);
    omptape_stack_announce(writer, location, time);
}

void omptape_parallel_close_all(struct omptape_writer *writer, struct omptape_location *location,
                                uint64_t time)
{
    while (location->stack.frame_count > 0 || location->forks != NULL) {
        struct omptape_team *fork = location->forks;
        if (fork != NULL && fork->fork_depth >= location->stack.frame_count) {
            fork->cut_off = true;
            join_team(writer, location, fork, time);
        } else {
            struct omptape_team *team = omptape_stack_team(location);
            if (team != NULL && team == fork)
                team->cut_off = true;
            omptape_parallel_close_frame(writer, location, time);
        }
    }
}

/* Used after a gap: closes what the thread must have left in it, as it begins a region from this task. */
static void catch_up_with_task(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t task_id, uint64_t time)
{
    uint32_t frame = omptape_stack_find_frame(location, task_id);
    while (frame != 0 && location->stack.frame_count > frame)
        omptape_parallel_close_frame(writer, location, time);
    omptape_parallel_join_within(writer, location, time);
}

/* LLVM's runtime gives each initial task of a league a separate team. The reported size of this team is
 * the limit of the task's parallel regions, so it is ignored. */
static bool is_singleton(const struct omptape_location *location, uint64_t address)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    return address == 0 && top != NULL && top->implicit &&
           (top->team != NULL ? top->team->league : top->league);
}

static uint64_t league_site(const struct omptape_location *location)
{
    const struct omptape_team *league = omptape_stack_top(location)->team;
    return league != NULL ? league->site : 0;
}

/* Returns true for the team of LLVM's helper threads, which run deferred target tasks until the program
 * ends. A thread that does nothing else forks it in the runtime. */
static bool is_helper_team(const struct omptape_writer *writer, const struct omptape_location *location,
                           uint64_t site)
{
    return omptape_location_depth(location) == 0 && omptape_sites_is_runtime(writer->sites, site);
}

void omptape_parallel_begin(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time)
{
    if (location->gaps.lossy)
        catch_up_with_task(writer, location, record->p[2], time);
    bool singleton = is_singleton(location, record->p[1]);
    uint64_t site = singleton ? league_site(location)
                              : omptape_sites_of(writer, location, OMPTAPE_REGION_PARALLEL, record->p[1]);
    struct omptape_team *team = omptape_teams_add(writer, record->p[0], site, location);
    if (team == NULL)
        return;
    team->requested = record->b;
    team->league = (omptape_unfold_flags(record->a) & (uint32_t)ompt_parallel_league) != 0;
    team->is_singleton = singleton;
    team->is_helper = is_helper_team(writer, location, site);
    team->parent = omptape_stack_team(location);
    if (team->parent != NULL)
        team->parent->children++;
    time = omptape_location_time(location, time);
    omptape_teams_decide_visibility(writer, location, team, time);
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

/* Returns the team whose end this location reports. LLVM's runtime frees the team's memory before it calls
 * parallel_end. With nested regions on many threads the identity may already belong to another thread's
 * next region; then returns the innermost team forked here. */
static struct omptape_team *find_ended(const struct omptape_writer *writer,
                                       const struct omptape_location *location, uint64_t id)
{
    struct omptape_team *team = omptape_teams_find(writer, id);
    if (team != NULL && !team->ended && (team->primary == location || team->primary == NULL))
        return team;
    /* The team's begin may have been dropped as well. */
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
    /* A team without a primary would be freed with its last member. */
    team->primary = location;
    uint64_t id = team->id;
    uint32_t frame = omptape_stack_find_frame(location, id | OMPTAPE_ID_IMPLICIT);
    while (frame != 0 && location->stack.frame_count >= frame)
        omptape_parallel_close_frame(writer, location, time);
    /* Damaged records can make the team a fork within its own frame, so it may be gone. */
    if (omptape_teams_find(writer, id) != team)
        return;
    while (location->gaps.lossy && is_forked_here(location, team) && location->forks != team)
        end_fork(writer, location, time);
    join_team(writer, location, team, time);
}

/* Returns the league of an initial task without one: the last league forked here. LLVM's runtime does not
 * report it for a league of one task. Returns NULL if there is none. */
static struct omptape_team *find_lone_league(struct omptape_writer *writer,
                                             const struct omptape_location *location)
{
    struct omptape_team *league = location->forks;
    if (league == NULL || !league->league || league->formed || league->requested != 1 ||
        league->fork_depth != location->stack.frame_count)
        return NULL;
    return omptape_teams_form_singleton(writer, league) ? league : NULL;
}

/* Pushes a frame of an initial task or of an unknown team. Regions that the thread began before its first
 * task become part of that frame. */
static void push_outermost_frame(struct omptape_location *location, const struct omptape_frame *frame)
{
    const bool is_first = location->stack.frame_count == 0;
    struct omptape_frame *top = omptape_stack_push(location, frame);
    if (top != NULL && is_first) {
        top->base = 0;
        omptape_stack_cache_top(location, top, location->stack.regions);
    }
}

void omptape_parallel_implicit_begin(struct omptape_writer *writer, struct omptape_location *location,
                                     const struct omptape_record *record, uint64_t time)
{
    struct omptape_frame frame = {.implicit = true, .parallel_id = record->p[0]};
    /* `b` is the task's number in its league. The program's initial task's is outside this range. */
    frame.league =
        (omptape_unfold_flags(record->a) & (uint32_t)ompt_task_initial) != 0 && record->b < record->p[1];
    /* A worker enters a team only from outside any team, so its old teams are over. */
    while (location->gaps.lossy && record->b != 0 && omptape_stack_team(location) != NULL)
        omptape_parallel_close_frame(writer, location, time);
    /* A thread that forked a team begins in no other team before the join. */
    if (location->gaps.lossy && location->forks != NULL && location->forks->id != record->p[0])
        omptape_parallel_join_within(writer, location, time);
    struct omptape_team *team = omptape_teams_find(writer, record->p[0]);
    const bool is_lone = team == NULL && frame.league;
    if (is_lone)
        team = find_lone_league(writer, location);
    time = omptape_location_time(location, time);
    omptape_stack_book(location, time);
    if (team == NULL || !team->formed) {
        push_outermost_frame(location, &frame);
        omptape_stack_set_announced(location);
        return;
    }
    enter_team(writer, location, team, record->b, time);
    if (is_lone && omptape_stack_top(location)->team == team)
        omptape_stack_top(location)->parallel_id = record->p[0]; /* The task's end uses this id. */
}

void omptape_parallel_implicit_end(struct omptape_writer *writer, struct omptape_location *location,
                                   const struct omptape_record *record, uint64_t time)
{
    uint32_t frame = omptape_stack_find_frame(location, record->p[0] | OMPTAPE_ID_IMPLICIT);
    if (frame == 0)
        return;
    /* Closes tasks that never returned to this thread. */
    while (location->stack.frame_count > frame)
        omptape_parallel_close_frame(writer, location, omptape_parallel_clip(location, time, true));
    if (omptape_stack_team(location) != NULL) {
        leave_team(writer, location, time, true);
        return;
    }
    omptape_stack_unwind(writer, location, time, 0, true);
    omptape_stack_pop(location);
    omptape_stack_set_announced(location);
}
