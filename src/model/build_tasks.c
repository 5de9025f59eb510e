/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds explicit tasks to the model; each task is a strand.
 */
#include "src/model/build.h"

#include "src/core/whole.h"

/* Maximum time that counts as the runtime's work to begin a task. A later one waited for something else. */
enum { MAX_SCHEDULING_NS = 20000 };

/* Returns the strand of a task, or MODEL_NONE if the task is unknown. */
static uint32_t strand_of(const struct build *build, const struct omptape_event *event)
{
    const uintptr_t strand =
        (uintptr_t)omptape_pairs_get(&build->tasks, event->refs[0].id, omptape_event_task(event->value));
    return strand != 0 ? (uint32_t)(strand - 1) : MODEL_NONE;
}

void build_task_created(struct build *build, struct build_location *location,
                        const struct omptape_event *event, uint64_t time)
{
    struct model *model = build->model;
    const struct build_member *member = build_member_of(location);
    const uint32_t parent = location->current;
    const uint32_t made = build_strand(build);
    if (made == MODEL_NONE)
        return;
    const uint32_t group = build->strands.list[parent].group;
    struct model_strand *strand = &model->strands.list[made];
    strand->parent = parent;
    strand->group = group != MODEL_NONE ? group : model->strands.list[parent].group;
    strand->team = member != NULL ? member->team->team : MODEL_NONE;
    strand->place = build_place(build, location);
    const struct build_frame *top = build_top(location);
    if (top != NULL &&
        top->kind == OMPTAPE_REGION_TASK_CREATE) /* the task runs outside of its creation region */
        strand->place = model->places.list[strand->place].parent;
    build->strands.list[made].created = time;
    build->strands.list[made].thread = location->thread;
    if (location->created != MODEL_NONE) {
        const uint64_t before = build->strands.list[model->ops.list[location->created].arg].created;
        const uint64_t ns = omptape_minus(time, before);
        model->create_ns = model->create_ns == 0 || ns < model->create_ns ? ns : model->create_ns;
    }
    if (omptape_pairs_put(&build->tasks, event->refs[0].id, omptape_event_task(event->value),
                          (void *)((uintptr_t)made + 1)) != 0)
        build->no_memory = true;
    if (location->identity != 0 && omptape_pairs_put(&build->identities, location->process,
                                                     location->identity, (void *)((uintptr_t)made + 1)) != 0)
        build->no_memory = true;
    location->created = build_add(build, location, MODEL_CREATE, made, 0);
}

void build_task_depends(struct build *build, const struct build_location *location, uint64_t identity)
{
    struct model *model = build->model;
    const uintptr_t before = (uintptr_t)omptape_pairs_get(&build->identities, location->process, identity);
    if (before == 0 || location->created == MODEL_NONE || !BUILD_RESERVE(build, model->edges))
        return;
    const uint32_t after = model->ops.list[location->created].arg;
    struct model_strand *predecessor = &model->strands.list[before - 1];
    model->edges.list[model->edges.count] = (struct model_edge){.strand = after, .next = predecessor->edge};
    predecessor->edge = model->edges.count++;
    model->strands.list[after].waits++;
}

/* Notes which task a thread takes, of two that it created and that were there when it took the last one. */
static void note_order(struct build *build, struct build_location *location, uint32_t strand, uint64_t time)
{
    struct model *model = build->model;
    if (build->strands.list[strand].thread != location->thread)
        return;
    if (location->taken != 0 && build->strands.list[strand].created < location->taken_at &&
        model->strands.list[strand].parent == model->strands.list[location->taken].parent)
        model->newest_first += strand < location->taken ? 1 : -1;
    location->taken = strand;
    location->taken_at = time;
}

/* Begins a task. If its creator executes it at once, its creation becomes MODEL_RUN. Otherwise the time since
 * the thread was free is the runtime's work for the task. */
static void begin_task(struct build *build, struct build_location *location, uint32_t strand, uint64_t time)
{
    struct model *model = build->model;
    const uint64_t created = build->strands.list[strand].created;
    build->strands.list[strand].has_begun = true;
    if (location->created != MODEL_NONE && model->ops.list[location->created].arg == strand) {
        model->ops.list[location->created].kind = MODEL_RUN;
        return;
    }
    note_order(build, location, strand, time);
    const uint64_t free = location->last > created ? location->last : created;
    const uint64_t spent = omptape_minus(time, free);
    struct model_op op = {.kind = MODEL_WORK, .flag = true, .arg = MODEL_NONE};
    op.place = model->strands.list[strand].place & (MODEL_MAX_PLACES - 1);
    build_set_ns(&op, spent);
    if (spent > 0 && spent < MAX_SCHEDULING_NS)
        build_append(build, strand, op);
}

void build_task_switched(struct build *build, struct build_location *location,
                         const struct omptape_event *event, uint64_t time)
{
    uint32_t next = MODEL_NONE;
    if (event->value[1] != 0) {
        next = strand_of(build, event);
    } else {
        for (uint32_t i = location->teams.depth; i-- > 0 && next == MODEL_NONE;) {
            const struct build_member *member = replay_frame_at(&location->teams, i, sizeof(*member));
            if (member->replay.region == event->refs[0].id)
                next = member->strand;
        }
        next = next != MODEL_NONE ? next : location->strand;
    }
    location->is_resumed = true;
    location->switched = time;
    if (next == MODEL_NONE)
        return;
    if (event->value[1] != 0 && !build->strands.list[next].has_begun) {
        begin_task(build, location, next, time);
        location->is_resumed = false;
    }
    location->current = next;
    location->created = MODEL_NONE;
}

void build_task_complete(struct build *build, struct build_location *location,
                         const struct omptape_event *event, uint64_t time)
{
    struct model *model = build->model;
    const uint32_t strand = strand_of(build, event);
    struct build_member *member = build_member_of(location);
    if (strand == MODEL_NONE)
        return;
    (void)omptape_pairs_remove(&build->tasks, event->refs[0].id, omptape_event_task(event->value));
    const struct model_strand *task = &model->strands.list[strand];
    build->strands.list[task->parent].child_end = time;
    if (task->group != MODEL_NONE)
        build->group_ends.list[task->group] = time;
    if (member != NULL)
        member->team->task_end = time;
    location->task_end = time;
}

/* Returns the lag since the latest of: the wait's begin, the end of the last awaited task, or of the last
 * here. */
static uint64_t lag_since(const struct build_location *location, const struct build_frame *frame,
                          uint64_t task_end, uint64_t time)
{
    uint64_t since = frame->replay.begin > task_end ? frame->replay.begin : task_end;
    return omptape_minus(time, since > location->task_end ? since : location->task_end);
}

void build_taskwait_left(struct build *build, const struct build_location *location,
                         const struct build_frame *frame, uint64_t time)
{
    build_set_ns(&build->model->ops.list[frame->op],
                 lag_since(location, frame, build->strands.list[frame->strand].child_end, time));
}

void build_group(struct build *build, struct build_location *location, struct build_frame *frame)
{
    struct build_strand *strand = &build->strands.list[location->current];
    if (frame->kind == OMPTAPE_REGION_TASKGROUP) {
        if (!BUILD_RESERVE(build, build->group_ends))
            return;
        build->group_ends.list[build->group_ends.count++] = 0;
        build_add(build, location, MODEL_GROUP_BEGIN, build->model->groups, 0);
        frame->arg = strand->group; /* the enclosing group */
        strand->group = build->model->groups++;
        return;
    }
    const struct build_frame *outer = location->replay.depth > 1 ? frame - 1 : NULL;
    if (outer == NULL || outer->kind != OMPTAPE_REGION_TASKGROUP || strand->group == MODEL_NONE)
        return;
    frame->op = build_add(build, location, MODEL_GROUP_WAIT, strand->group, 0);
    frame->arg = strand->group;
    strand->group = outer->arg;
}

void build_group_left(struct build *build, const struct build_location *location,
                      const struct build_frame *frame, uint64_t time)
{
    build_set_ns(&build->model->ops.list[frame->op],
                 lag_since(location, frame, build->group_ends.list[frame->arg], time));
}
