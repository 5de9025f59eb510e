/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds what teams do together to the model: forks, barriers, loops and sections. All members reach these in
 * the same order, so the n-th one of each member is the team's n-th one.
 */
#include "src/model/build.h"

#include "src/core/whole.h"

#include <string.h>

void build_fork(struct build *build, struct build_location *location, uint64_t time)
{
    location->fork = build_add(build, location, MODEL_FORK, MODEL_NONE, 0);
    location->fork_time = time;
}

void build_join(struct build *build, struct build_location *location)
{
    location->fork = MODEL_NONE;
    if (location->ended != MODEL_NONE)
        build_add(build, location, MODEL_JOIN, location->ended, 0);
    location->ended = MODEL_NONE;
}

/* Returns the shorter of two lags, 1 at least. The first one may be unknown, 0. */
static uint64_t shorter(uint64_t known, uint64_t lag)
{
    lag = omptape_greater(lag, 1);
    return known == 0 || lag < known ? lag : known;
}

/* Called by the first member that begins: finds the fork of the team's primary thread. */
static void bind_team(struct build *build, struct build_team *team, uint64_t time)
{
    struct model *model = build->model;
    const struct replay_comm *comm = team->replay.comm;
    struct build_location *primary = omptape_pairs_get(&build->locations, 0, comm->locations[0]);
    if (!BUILD_RESERVE(build, model->teams))
        return;
    team->is_known = true;
    team->team = model->teams.count++;
    team->loop = MODEL_NONE;
    team->fork = time;
    struct model_team *made = &model->teams.list[team->team];
    *made = (struct model_team){.size = comm->size, .barrier = MODEL_NONE, .begin = MODEL_NONE};
    made->is_nested = primary != NULL && primary->teams.depth > 0;
    if (primary == NULL || primary->fork == MODEL_NONE)
        return;
    team->fork = primary->fork_time;
    made->place = model->ops.list[primary->fork].place;
    model->ops.list[primary->fork].arg = team->team;
    primary->fork = MODEL_NONE;
}

void build_team_begin(struct build *build, struct build_location *location, const struct omptape_event *event,
                      uint64_t time)
{
    uint32_t index;
    struct build_team *team = (struct build_team *)replay_begin_team(&build->teams, event->refs[0].id,
                                                                     location->definition->id, &index);
    if (team == NULL)
        return;
    if (!team->is_known)
        bind_team(build, team, time);
    team->replay.began++;
    struct build_member *member =
        replay_push(&location->teams, sizeof(*member), event->refs[0].id, location->last);
    if (member == NULL || !team->is_known) {
        build->no_memory = true;
        return;
    }
    *member = (struct build_member){.replay = member->replay,
                                    .team = team,
                                    .index = index,
                                    .strand = location->current,
                                    .barrier = MODEL_NONE,
                                    .loop = MODEL_NONE};
    if (index > 0 && location->current == location->strand && build_top(location) == NULL)
        build->model->strands.list[location->strand].place = build->model->teams.list[team->team].place;
    struct model *model = build->model;
    const uint32_t op = build_add(build, location, MODEL_TEAM_BEGIN, team->team,
                                  index > 0 ? omptape_minus(time, team->fork) : 0);
    struct model_team *made = &model->teams.list[team->team];
    if (op == MODEL_NONE)
        return;
    model->ops.list[op].flag = index == 0;
    if (made->begin == MODEL_NONE || model->ops.list[made->begin].flag)
        made->begin = op;
    if (index > 0)
        team->lag = shorter(team->lag, model->ops.list[op].ns);
}

void build_team_named(const struct build *build, const struct build_location *location,
                      const struct build_frame *frame)
{
    const struct build_member *member = build_member_of(location);
    if (member != NULL && member->index == 0 && build->model->teams.list[member->team->team].region == 0)
        build->model->teams.list[member->team->team].region = frame->place;
}

void build_team_end(struct build *build, struct build_location *location, const struct omptape_event *event)
{
    struct model *model = build->model;
    const struct build_member *member = build_member_of(location);
    struct build_team *team =
        (struct build_team *)replay_end_team(&build->teams, event->refs[0].id, location->definition->id);
    if (member == NULL || team == NULL || member->team != team)
        return;
    /* A worker's last barrier ends only when the runtime needs the worker again; that time is no lag. */
    const uint32_t last = model->strands.list[location->current].last;
    if (member->index > 0 && last != MODEL_NONE && model->ops.list[last].kind == MODEL_BARRIER)
        model->ops.list[last].ns = 0;
    build_add(build, location, MODEL_TEAM_END, team->team, 0);
    if (member->index == 0)
        location->ended = team->team;
    location->teams.depth--;
    if (++team->replay.ended == team->replay.comm->size) {
        struct model_place *place = &model->places.list[model->teams.list[team->team].region];
        place->lag = team->lag > 0 ? shorter(place->lag, team->lag) : place->lag;
        replay_release_team(&team->replay);
        *team = (struct build_team){.replay = team->replay};
    }
}

/* Returns the barrier that the member reaches next and creates it if needed. */
static uint32_t next_barrier(struct build *build, struct build_member *member)
{
    struct model *model = build->model;
    const uint32_t next = member->barrier != MODEL_NONE ? model->barriers.list[member->barrier].next
                                                        : model->teams.list[member->team->team].barrier;
    if (next != MODEL_NONE || !BUILD_RESERVE(build, model->barriers))
        return next;
    const uint32_t made = model->barriers.count++;
    model->barriers.list[made] = (struct model_barrier){.team = member->team->team, .next = MODEL_NONE};
    if (member->barrier != MODEL_NONE)
        model->barriers.list[member->barrier].next = made;
    else
        model->teams.list[member->team->team].barrier = made;
    return made;
}

void build_barrier(struct build *build, struct build_location *location, struct build_frame *frame,
                   uint64_t time)
{
    struct build_member *member = build_member_of(location);
    if (member == NULL)
        return;
    const uint32_t barrier = next_barrier(build, member);
    if (barrier == MODEL_NONE)
        return;
    member->barrier = barrier;
    build->model->barriers.list[barrier].arrivals++;
    build->model->barriers.list[barrier].last = time;
    frame->arg = barrier;
    frame->op = build_add(build, location, MODEL_BARRIER, barrier, 0);
}

void build_barrier_left(struct build *build, const struct build_location *location,
                        const struct build_frame *frame, uint64_t time)
{
    const struct build_member *member = build_member_of(location);
    const uint64_t last = build->model->barriers.list[frame->arg].last;
    const uint64_t task_end = member != NULL ? member->team->task_end : 0;
    struct model_place *place = &build->model->places.list[frame->place];
    const uint64_t lag = omptape_minus(time, last > task_end ? last : task_end);
    build_set_ns(&build->model->ops.list[frame->op], lag);
    place->lag = shorter(place->lag, lag);
}

/* Returns the loop that the member reaches next and creates it if needed. */
static uint32_t next_loop(struct build *build, struct build_member *member, uint32_t place)
{
    struct model *model = build->model;
    const uint32_t next =
        member->loop != MODEL_NONE ? model->loops.list[member->loop].next : member->team->loop;
    if (next != MODEL_NONE || !BUILD_RESERVE(build, model->loops))
        return next;
    const uint32_t made = model->loops.count++;
    model->loops.list[made] = (struct model_loop){.place = place,
                                                  .team = member->team->team,
                                                  .next = MODEL_NONE,
                                                  .chunk = MODEL_NONE,
                                                  .last_chunk = MODEL_NONE,
                                                  .part = MODEL_NONE};
    if (member->loop != MODEL_NONE)
        model->loops.list[member->loop].next = made;
    else
        member->team->loop = made;
    return made;
}

void build_loop(struct build *build, struct build_location *location, struct build_frame *frame)
{
    struct model *model = build->model;
    struct build_member *member = build_member_of(location);
    /* A task may run inside a team's loop. It takes part only in loops of teams that it forks itself. */
    if (member == NULL || location->current != member->strand)
        return;
    const uint32_t loop = next_loop(build, member, frame->place);
    if (loop == MODEL_NONE || !BUILD_RESERVE(build, model->parts))
        return;
    member->loop = loop;
    frame->arg = loop;
    frame->op = build_add(build, location, MODEL_LOOP_BEGIN, loop, 0);
    model->parts.list[model->parts.count] =
        (struct model_part){.first = frame->op, .index = member->index, .next = model->loops.list[loop].part};
    model->loops.list[loop].part = model->parts.count++;
    model->loops.list[loop].threads++;
    if (frame->kind != OMPTAPE_REGION_LOOP)
        model->loops.list[loop].schedule = MODEL_DYNAMIC;
}

/* Returns the open loop of the strand that the location executes, or NULL. */
static struct build_frame *open_loop(const struct build_location *location)
{
    for (uint32_t i = location->replay.depth; i-- > replay_search_end(&location->replay);) {
        struct build_frame *frame = replay_frame_at(&location->replay, i, sizeof(*frame));
        if (frame->strand != location->current)
            return NULL;
        if (build_is_loop(frame->kind))
            return frame->op != MODEL_NONE ? frame : NULL;
    }
    return NULL;
}

/* Ends the part's newest chunk before operation `op`. */
static void end_chunk(struct build *build, const struct build_frame *frame, uint32_t op)
{
    struct model *model = build->model;
    const uint32_t begin = (uint32_t)model->ops.list[frame->op].ns;
    if (begin != 0)
        model->chunks.list[model->ops.list[begin].arg].end = op;
}

void build_loop_left(struct build *build, struct build_location *location, const struct build_frame *frame)
{
    const uint32_t end = build_add(build, location, MODEL_LOOP_END, frame->arg, 0);
    if (end == MODEL_NONE)
        return;
    end_chunk(build, frame, end);
    build->model->ops.list[frame->op].ns = end;
}

void build_loop_schedule(struct build *build, const struct build_location *location, const char *schedule)
{
    const struct build_frame *frame = open_loop(location);
    if (frame != NULL && strcmp(schedule, "static") != 0)
        build->model->loops.list[frame->arg].schedule =
            strcmp(schedule, "guided") == 0 ? MODEL_GUIDED : MODEL_DYNAMIC;
}

void build_chunk(struct build *build, struct build_location *location)
{
    struct model *model = build->model;
    const struct build_frame *frame = open_loop(location);
    if (frame == NULL || !BUILD_RESERVE(build, model->chunks))
        return;
    struct model_loop *loop = &model->loops.list[frame->arg];
    const uint32_t chunk = model->chunks.count++;
    model->chunks.list[chunk] = (struct model_chunk){.first = MODEL_NONE,
                                                     .end = MODEL_NONE,
                                                     .next = MODEL_NONE,
                                                     .strand = location->current,
                                                     .iterations = location->iterations};
    const uint32_t op = build_add(build, location, MODEL_CHUNK, chunk, 0);
    if (op == MODEL_NONE)
        return;
    model->chunks.list[chunk].first = op;
    end_chunk(build, frame, op);
    model->ops.list[frame->op].ns =
        op; /* index of the newest chunk's operation, until the end of the loop is known */
    if (loop->last_chunk != MODEL_NONE)
        model->chunks.list[loop->last_chunk].next = chunk;
    else
        loop->chunk = chunk;
    loop->last_chunk = chunk;
}

uint64_t model_chunk_work(const struct model *model, const struct model_chunk *chunk)
{
    const struct model_op *ops = model->ops.list;
    uint64_t sum = 0;
    for (uint32_t op = chunk->first; op != chunk->end && op != MODEL_NONE; op = ops[op].next)
        sum += ops[op].kind == MODEL_WORK ? ops[op].ns : 0;
    return sum;
}

void build_loops_end(const struct build *build)
{
    const struct model *model = build->model;
    for (uint32_t i = 0; i < model->loops.count; i++)
        model->places.list[model->loops.list[i].place].first_chunk = UINT64_MAX;
    for (uint32_t i = 0; i < model->loops.count; i++) {
        const struct model_loop *loop = &model->loops.list[i];
        struct model_place *place = &model->places.list[loop->place];
        if (loop->chunk == MODEL_NONE)
            continue;
        const uint64_t ns = model_chunk_work(model, &model->chunks.list[loop->chunk]);
        place->first_chunk = ns < place->first_chunk ? ns : place->first_chunk;
    }
}
