/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The creation of explicit tasks, and of taskwaits with dependences, which the runtime creates like tasks.
 */
#include "writers/translate/call_paths.h"
#include "writers/translate/stack.h"
#include "writers/translate/tasks.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>

/* Gives the task its OTF2 name: (team, creating thread, generation). */
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

/* Decides whether the task is shown. What runs in it is, unless it was created in a hidden team. */
static void choose_task(struct omptape_writer *writer, const struct omptape_location *location,
                        struct omptape_task *task, uint64_t time)
{
    if (writer->choice == NULL)
        return;
    task->hidden =
        omptape_choice_hides_site(writer, location, time, omptape_tasks_region_kind(task), task->site);
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
    omptape_stack_enter(writer, location, time,
                        &(struct omptape_enter){.kind = OMPTAPE_REGION_TASKWAIT,
                                                .class = OMPTAPE_CLASS_SYNC,
                                                .key = OMPTAPE_KEY_TASKWAIT_DEPEND,
                                                .id = task->id,
                                                .site = task->site});
}

static void write_creation(struct omptape_writer *writer, struct omptape_location *location,
                           struct omptape_task *task, uint64_t time)
{
    if (task->written && task->name.generation != 0)
        omptape_archive_task_create(&writer->archive, location->events, time, &task->name);
    task->left = omptape_location_moment(location);
}

/* Its dependences are told next, and belong to this region. */
static void create_dependent(struct omptape_writer *writer, struct omptape_location *location,
                             struct omptape_task *task, uint64_t time)
{
    omptape_stack_enter(writer, location, time,
                        &(struct omptape_enter){.kind = OMPTAPE_REGION_TASK_CREATE,
                                                .class = OMPTAPE_CLASS_CREATE,
                                                .site = task->site,
                                                .hidden = task->hidden});
    write_creation(writer, location, task, time);
}

static void create_independent(struct omptape_writer *writer, struct omptape_location *location,
                               struct omptape_task *task, uint64_t time, struct omptape_place place)
{
    struct omptape_stack_point point =
        omptape_stack_begin_point(writer, location, time,
                                  &(struct omptape_enter){.kind = OMPTAPE_REGION_TASK_CREATE,
                                                          .site = place.site,
                                                          .region = place.region,
                                                          .hidden = task->hidden});
    write_creation(writer, location, task, time);
    omptape_stack_end_point(writer, location, &point);
}

/* A region has its number from when it is first asked for: a taskwait is no creation, and where a choice is
 * made that is the task itself. */
static struct omptape_place place_of_creation(struct omptape_writer *writer,
                                              const struct omptape_location *location, uint64_t address,
                                              uint32_t flags)
{
    const enum omptape_region_kind kind = OMPTAPE_REGION_TASK_CREATE;
    if (writer->choice != NULL || (flags & (uint32_t)ompt_task_taskwait) != 0)
        return (struct omptape_place){.site = omptape_sites_of(writer, location, kind, address)};
    return omptape_references_meet(writer, location, kind, address);
}

void omptape_task_create(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time)
{
    uint32_t flags = omptape_unfold_flags(record->a);
    struct omptape_task *task = omptape_tasks_add(writer, record->p[0]);
    if (task == NULL)
        return;
    struct omptape_place place = place_of_creation(writer, location, record->p[1], flags);
    task->site = place.site;
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
    choose_task(writer, location, task, time);
    task->written = !writer->paused && !task->hidden;
    if (omptape_stack_top(location) != NULL && !task->undeferred && !task->hidden)
        name_task(location, task);

    if (task->dependent || task->target)
        omptape_archive_set_u64(&writer->archive, OMPTAPE_ATTRIBUTE_TASK, task->id);
    OTF2_StringRef described = omptape_tasks_flags(writer, flags);
    if (described != 0)
        omptape_archive_set_string(&writer->archive, OMPTAPE_ATTRIBUTE_FLAGS, described);
    if (task->dependent)
        create_dependent(writer, location, task, time);
    else
        create_independent(writer, location, task, time, place);
}
