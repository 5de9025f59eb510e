/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates explicit tasks. In LLVM's runtime a task runs on the stack of the task that it interrupts.
 * Untied tasks are different: they leave the stack and may return on another thread.
 */
#include "writers/translate/call_paths.h"
#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/tasks.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

/* Returns true if the location is not in the task's team. Then the begin of the thread, or of the creator,
 * in the team was dropped or came too late. The runtime's helper threads are in no team. */
static bool is_of_other_team(const struct omptape_writer *writer, const struct omptape_location *location,
                             const struct omptape_task *task)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    const struct omptape_team *team = omptape_stack_team(location);
    return (top != NULL && top->outside) ||
           (writer->lossy && (team != NULL ? team->serial : 0) != task->team);
}

/* Returns true if the location's events name the task. */
static bool is_named_on(const struct omptape_writer *writer, const struct omptape_location *location,
                        const struct omptape_task *task)
{
    return task->name.generation != 0 && task->written && !is_of_other_team(writer, location, task);
}

OMPTAPE_COMPILED_IN void complete_task(struct omptape_writer *writer, struct omptape_location *location,
                                       struct omptape_task *task, uint64_t time)
{
    if (is_named_on(writer, location, task)) {
        time = omptape_location_time_after(location, time, task->left);
        omptape_archive_task_complete(&writer->archive, location->events, time, &task->name);
        location->last = time;
        omptape_tasks_note_completion(writer, omptape_location_moment(location));
        if (omptape_task_names_equal(&location->stack.announced, &task->name))
            location->stack.announced.comm = OTF2_UNDEFINED_COMM;
    }
    omptape_tasks_remove(writer, task);
}

static void suspend_top(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    omptape_parallel_join_within(writer, location, time);
    omptape_stack_suspend(writer, location, time);
}

/* Takes frames off the stack down to this one. Explicit tasks are suspended; an implicit one is closed. */
static void suspend_above(struct omptape_writer *writer, struct omptape_location *location, uint32_t frame,
                          uint64_t time)
{
    while (location->stack.frame_count > frame)
        if (omptape_stack_top(location)->task == NULL)
            omptape_parallel_close_frame(writer, location, time);
        else
            suspend_top(writer, location, time);
}

/* Returns true if the task can leave its stack. It cannot if a nested region lies above it, because it
 * certainly still runs there. */
static bool can_leave_stack(const struct omptape_location *location, uint32_t frame)
{
    for (uint32_t i = frame; i < location->stack.frame_count; i++)
        if (location->stack.frames[i].task == NULL)
            return false;
    return frame != 0;
}

/* The task of the top frame ends and leaves its stack permanently. */
static inline void end_top_task(struct omptape_writer *writer, struct omptape_location *location,
                                struct omptape_task *task, uint64_t time)
{
    omptape_parallel_join_within(writer, location, time);
    omptape_stack_unwind(writer, location, time, 1, true);
    if (omptape_stack_innermost(location) != NULL)
        omptape_stack_leave_inline(writer, location, time, false);
    task->runs_on = NULL;
    task->left = omptape_location_moment(location);
    omptape_stack_pop(location);
}

/* Takes the task off its stack: permanently if its body is `over`, else with its regions, to enter them
 * again. The stack may be another location's. An untied task is queued, and a detached one fulfilled, before
 * its thread has finished with it, so the next thread may report first. False if the task must stay. */
static bool remove_from_stack(struct omptape_writer *writer, struct omptape_task *task, uint64_t time,
                              bool over)
{
    struct omptape_location *location = task->runs_on;
    if (location == NULL)
        return true;
    const struct omptape_frame *top = omptape_stack_top(location);
    if (top == NULL || top->task != task) {
        uint32_t frame = omptape_stack_find_frame(location, task->id);
        if (!can_leave_stack(location, frame))
            return false;
        suspend_above(writer, location, frame, time);
    }
    if (!over) {
        suspend_top(writer, location, time);
        return true;
    }
    end_top_task(writer, location, task, time);
    return true;
}

/* Announces the task that runs now on the stack from which the task was taken, if it was on one. */
static void announce_rest(struct omptape_writer *writer, struct omptape_location *old,
                          struct omptape_task *task, uint64_t time)
{
    if (old == NULL)
        return;
    omptape_stack_announce(writer, old, time);
    task->left = omptape_location_moment(old);
}

/* Ends a task whose frame is not the location's top one. The location that reported the end completes it. */
static __attribute__((noinline)) void finish_on_other_location(struct omptape_writer *writer,
                                                               struct omptape_location *location,
                                                               struct omptape_task *task, uint64_t time)
{
    struct omptape_location *old = task->runs_on;
    if (!remove_from_stack(writer, task, time, true))
        return;
    if (old != location)
        announce_rest(writer, old, task, time);
    complete_task(writer, location, task, time);
}

static inline void finish_task(struct omptape_writer *writer, struct omptape_location *location,
                               struct omptape_task *task, uint64_t time)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    if (__builtin_expect(top == NULL || top->task != task, 0)) {
        finish_on_other_location(writer, location, task, time);
        return;
    }
    end_top_task(writer, location, task, time);
    complete_task(writer, location, task, time);
}

static void run_task(struct omptape_writer *writer, struct omptape_location *location,
                     struct omptape_task *task, uint64_t time)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    struct omptape_frame frame = {.task = task,
                                  .in_hidden = task->in_hidden || location->stack.in_hidden,
                                  .of_other_team = is_of_other_team(writer, location, task)};
    if (top != NULL) {
        frame.team = top->team;
        frame.thread_number = top->thread_number;
        frame.position = top->position;
        frame.outside = top->outside;
    }
    if (task->dependent && !task->started)
        time = omptape_tasks_waited(writer, location, time);
    time = omptape_location_time_after(location, time, task->left);
    omptape_stack_book(location, time);
    if (omptape_stack_push(location, &frame) == NULL)
        return;
    task->runs_on = location;
    omptape_stack_announce_top(writer, location, time);
    if (task->started) {
        omptape_stack_resume(writer, location, time, task);
        return;
    }
    task->started = true;
    OMPTAPE_ENTER_LAST(writer, location, time, .kind = omptape_tasks_region_kind(task),
                       .class = OMPTAPE_CLASS_TASK, .site = task->site, .hidden = task->hidden,
                       .decided = task->written || task->hidden);
}

static void switch_to_task(struct omptape_writer *writer, struct omptape_location *location, uint64_t id,
                           uint64_t time)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    if (top != NULL && omptape_stack_frame_id(top) == id) {
        omptape_stack_announce_top(writer, location, time);
        return;
    }
    struct omptape_task *task = omptape_tasks_find(writer, id);
    bool here = (id & OMPTAPE_ID_IMPLICIT) != 0 || (task != NULL && task->runs_on == location);
    uint32_t frame = here ? omptape_stack_find_frame(location, id) : 0;
    if (frame != 0) {
        suspend_above(writer, location, frame, time);
        omptape_stack_announce(writer, location, time);
        return;
    }
    if (id == 0 || (id & OMPTAPE_ID_IMPLICIT) != 0)
        return;
    if (task == NULL)
        task = omptape_tasks_add(writer, id); /* The task's creation was dropped. */
    if (task == NULL || task->taskwait)
        return;
    struct omptape_location *old = task->runs_on;
    if (old != NULL) {
        if (!remove_from_stack(writer, task, time, false))
            return;
        announce_rest(writer, old, task, time);
    }
    run_task(writer, location, task, time);
}

/* Called when the event of a task whose body has ended is fulfilled, by any thread. The location's current
 * task becomes this task for a moment, because readers take a completion for the end of the running task. */
static void fulfill_task(struct omptape_writer *writer, struct omptape_location *location,
                         struct omptape_task *task, uint64_t time)
{
    struct omptape_location *old = task->runs_on;
    if (!remove_from_stack(writer, task, time, true)) {
        omptape_stack_write_point(writer, location, time, OMPTAPE_REGION_FULFILL_EVENT, 0);
        return;
    }
    if (old != location)
        announce_rest(writer, old, task, time);
    time = omptape_location_time_after(location, time, task->left);
    if (is_named_on(writer, location, task))
        omptape_stack_announce_task(writer, location, time, task);
    omptape_stack_write_point(writer, location, time, OMPTAPE_REGION_FULFILL_EVENT, 0);
    complete_task(writer, location, task, time);
    omptape_stack_announce(writer, location, time);
}

static void complete_taskwait(struct omptape_writer *writer, struct omptape_location *location,
                              struct omptape_task *task, uint64_t time)
{
    omptape_parallel_leave_one(writer, location, omptape_tasks_waited(writer, location, time),
                               OMPTAPE_CLASS_SYNC, OMPTAPE_KEY_TASKWAIT_DEPEND, task->id);
    omptape_tasks_remove(writer, task);
}

/* Handles all other states of the prior task. `prior` is NULL if it is unknown. */
static void schedule_other(struct omptape_writer *writer, struct omptape_location *location,
                           struct omptape_task *prior, unsigned status, uint64_t time)
{
    switch (status) {
    case ompt_task_detach:
        if (prior != NULL)
            remove_from_stack(writer, prior, time, true);
        break;
    case ompt_task_early_fulfill:
        omptape_stack_write_point(writer, location, time, OMPTAPE_REGION_FULFILL_EVENT, 0);
        break;
    case ompt_task_late_fulfill:
        if (prior != NULL)
            fulfill_task(writer, location, prior, time);
        else
            omptape_stack_write_point(writer, location, time, OMPTAPE_REGION_FULFILL_EVENT, 0);
        break;
    case ompt_taskwait_complete:
        if (prior != NULL && prior->taskwait)
            complete_taskwait(writer, location, prior, time);
        break;
    default: /* ompt_task_yield. */
        break;
    }
}

static struct omptape_task *find_prior(const struct omptape_writer *writer,
                                       const struct omptape_location *location, uint64_t id)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    return top != NULL && top->task != NULL && top->task->id == id ? top->task
                                                                   : omptape_tasks_find(writer, id);
}

void omptape_task_schedule(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    if (record->a != ompt_task_switch) {
        struct omptape_task *prior = find_prior(writer, location, record->p[0]);
        if (record->a != ompt_task_complete && record->a != ompt_task_cancel)
            schedule_other(writer, location, prior, record->a, time);
        else if (prior != NULL)
            finish_task(writer, location, prior, time);
    }
    switch_to_task(writer, location, record->p[1], time);
}

/* Sets the task's OTF2 name: (team, creating thread, generation). */
static void name_task(struct omptape_location *location, struct omptape_task *task)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    struct omptape_team *team = top->team;
    task->team = team != NULL ? team->serial : 0;
    if (team == NULL || !team->formed || top->outside || team->comm == OTF2_UNDEFINED_COMM)
        return;
    struct omptape_member *member = &team->members[top->thread_number];
    if (member->tasks.code_bytes == 0)
        member->tasks = omptape_task_creator(team->comm, top->position);
    omptape_task_name_set(&task->name, &member->tasks, ++member->generation);
}

/* Decides whether the task is shown. Regions inside it are shown unless it was created in a hidden team. */
static void decide_task_visibility(struct omptape_writer *writer, const struct omptape_location *location,
                                   struct omptape_task *task, uint64_t time)
{
    if (writer->filter == NULL)
        return;
    task->hidden =
        omptape_region_filter_hides_site(writer, location, time, omptape_tasks_region_kind(task), task->site);
    task->in_hidden = location->stack.in_hidden;
}

static bool is_undeferred(uint32_t flags)
{
    return (flags & ((uint32_t)ompt_task_undeferred | (uint32_t)ompt_task_merged)) != 0;
}

static void create_taskwait(struct omptape_writer *writer, struct omptape_location *location,
                            struct omptape_task *task, uint64_t time)
{
    task->taskwait = true;
    OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_TASKWAIT, .class = OMPTAPE_CLASS_SYNC,
                  .key = OMPTAPE_KEY_TASKWAIT_DEPEND, .id = task->id, .site = task->site);
}

static void write_creation(struct omptape_writer *writer, struct omptape_location *location,
                           struct omptape_task *task, uint64_t time)
{
    if (task->written && task->name.generation != 0)
        omptape_archive_task_create(&writer->archive, location->events, time, &task->name);
    task->left = omptape_location_moment(location);
}

/* The region stays open, because the next records, the task's dependences, belong to it. */
static void create_dependent(struct omptape_writer *writer, struct omptape_location *location,
                             struct omptape_task *task, uint64_t time)
{
    OMPTAPE_ENTER(writer, location, time, .kind = OMPTAPE_REGION_TASK_CREATE, .class = OMPTAPE_CLASS_CREATE,
                  .site = task->site, .hidden = task->hidden);
    write_creation(writer, location, task, time);
}

static void create_independent(struct omptape_writer *writer, struct omptape_location *location,
                               struct omptape_task *task, uint64_t time, struct omptape_site_region found)
{
    struct omptape_stack_point point =
        omptape_stack_begin_point(writer, location, time,
                                  &(struct omptape_enter){.kind = OMPTAPE_REGION_TASK_CREATE,
                                                          .site = found.site,
                                                          .region = found.region,
                                                          .hidden = task->hidden});
    write_creation(writer, location, task, time);
    omptape_stack_end_point(writer, location, &point);
}

/* Returns the place of a creation. Does not number its region yet if there is a filter or if this is a
 * taskwait. A taskwait is no creation, and the filter numbers the task's own region. */
static struct omptape_site_region site_of_creation(struct omptape_writer *writer,
                                                   const struct omptape_location *location, uint64_t address,
                                                   uint32_t flags)
{
    const enum omptape_region_kind kind = OMPTAPE_REGION_TASK_CREATE;
    if (writer->filter != NULL || (flags & (uint32_t)ompt_task_taskwait) != 0)
        return (struct omptape_site_region){.site = omptape_sites_of(writer, location, kind, address)};
    return omptape_references_get_at(writer, location, kind, address);
}

void omptape_task_create(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time)
{
    uint32_t flags = omptape_unfold_flags(record->a);
    struct omptape_task *task = omptape_tasks_add(writer, record->p[0]);
    if (task == NULL)
        return;
    struct omptape_site_region found = site_of_creation(writer, location, record->p[1], flags);
    task->site = found.site;
    if ((flags & ompt_task_taskwait) != 0) {
        create_taskwait(writer, location, task, time);
        return;
    }
    task->untied = (flags & (uint32_t)ompt_task_untied) != 0;
    task->target = (flags & (uint32_t)ompt_task_target) != 0;
    task->dependent = record->b != 0;
    task->undeferred = is_undeferred(flags);
    task->origin = omptape_call_path_of_task(writer, location, task->site) + 1;
    time = omptape_location_time(location, time);
    decide_task_visibility(writer, location, task, time);
    task->written = !writer->paused && !task->hidden;
    if (omptape_stack_top(location) != NULL && !task->undeferred && !task->hidden)
        name_task(location, task);
    if (task->dependent || task->target)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_TASK, task->id);
    OTF2_StringRef described = omptape_tasks_flags(writer, flags);
    if (described != 0)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_FLAGS, described);
    if (task->dependent)
        create_dependent(writer, location, task, time);
    else
        create_independent(writer, location, task, time, found);
}
