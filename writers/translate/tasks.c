/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the table of tasks.
 */
#include "writers/translate/tasks.h"

#include "writers/translate/identities.h"

#include <errno.h>
#include <omptape/ompt.h>
#include <stdlib.h>
#include <string.h>

/* A completion more than this many ticks after the end of a wait happened later. Closer ones may belong to
 * the same tick of a coarse clock. */
enum { MAX_COMPLETION_LEAD = 64 };

enum { NEAR_TASKS = 4096 };

struct omptape_tasks {
    struct omptape_identities *by_id;
    struct omptape_task *free_list;
    struct omptape_moment completed; /* Moment of the last completion of any task. */
    OTF2_StringRef flags[64];        /* Text for each combination of flags; 0: not created yet. */
};

int omptape_tasks_create(struct omptape_writer *writer)
{
    writer->tasks = calloc(1, sizeof(*writer->tasks));
    if (writer->tasks != NULL)
        writer->tasks->by_id = omptape_identities_create(NEAR_TASKS);
    return writer->tasks != NULL && writer->tasks->by_id != NULL ? 0 : -ENOMEM;
}

struct omptape_task *omptape_tasks_find(const struct omptape_writer *writer, uint64_t id)
{
    return (id & OMPTAPE_ID_IMPLICIT) == 0 ? omptape_identities_find(writer->tasks->by_id, id) : NULL;
}

/* Freed tasks are reused, because there may be millions. */
static struct omptape_task *alloc_task(struct omptape_writer *writer)
{
    struct omptape_task *task = writer->tasks->free_list;
    if (task == NULL)
        return malloc(sizeof(*task));
    writer->tasks->free_list = task->next_free;
    return task;
}

static void free_task(struct omptape_writer *writer, struct omptape_task *task)
{
    if (task->suspended != NULL)
        free(task->suspended);
    task->next_free = writer->tasks->free_list;
    writer->tasks->free_list = task;
}

/* Adds a task if memory must be allocated or the place is taken. */
static __attribute__((noinline)) struct omptape_task *add_anyhow(struct omptape_writer *writer, uint64_t id)
{
    struct omptape_task *task = (id & OMPTAPE_ID_IMPLICIT) == 0 ? alloc_task(writer) : NULL;
    if (task == NULL)
        return NULL;
    *task = (struct omptape_task){.id = id};
    if (omptape_identities_add(writer->tasks->by_id, id, task) == 0)
        return task;
    free_task(writer, task);
    return NULL;
}

struct omptape_task *omptape_tasks_add(struct omptape_writer *writer, uint64_t id)
{
    struct omptape_tasks *tasks = writer->tasks;
    struct omptape_task *task = tasks->free_list;
    if (task == NULL || (id & OMPTAPE_ID_IMPLICIT) != 0 ||
        !omptape_identities_add_fast(tasks->by_id, id, task))
        return add_anyhow(writer, id);
    tasks->free_list = task->next_free;
    *task = (struct omptape_task){.id = id};
    return task;
}

void omptape_tasks_remove(struct omptape_writer *writer, struct omptape_task *task)
{
    omptape_identities_remove(writer->tasks->by_id, task->id);
    free_task(writer, task);
}

void omptape_tasks_free(struct omptape_writer *writer)
{
    struct omptape_task *task;
    size_t at = 0;
    while (writer->tasks->by_id != NULL &&
           (task = omptape_identities_next(writer->tasks->by_id, &at)) != NULL)
        free_task(writer, task);
    while (writer->tasks->free_list != NULL)
        free(alloc_task(writer));
    omptape_identities_free(writer->tasks->by_id);
    free(writer->tasks);
}

void omptape_tasks_note_completion(struct omptape_writer *writer, struct omptape_moment moment)
{
    struct omptape_tasks *tasks = writer->tasks;
    if (moment.time > tasks->completed.time ||
        (moment.time == tasks->completed.time && moment.location > tasks->completed.location))
        tasks->completed = moment;
}

uint64_t omptape_tasks_waited(const struct omptape_writer *writer, const struct omptape_location *location,
                              uint64_t time)
{
    struct omptape_moment completed = writer->tasks->completed;
    if (completed.time < time || completed.time > time + MAX_COMPLETION_LEAD)
        return omptape_location_time(location, time);
    return omptape_location_time_after(location, time, completed);
}

static OTF2_StringRef spell_flags(struct omptape_writer *writer, uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {
        {(uint32_t)ompt_task_target, "target "},       {(uint32_t)ompt_task_undeferred, "undeferred "},
        {(uint32_t)ompt_task_untied, "untied "},       {(uint32_t)ompt_task_final, "final "},
        {(uint32_t)ompt_task_mergeable, "mergeable "}, {(uint32_t)ompt_task_merged, "merged "}};
    char text[80] = "";
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if ((flags & names[i].flag) != 0)
            strcat(text, names[i].name);
    size_t length = strlen(text);
    if (length > 0)
        text[length - 1] = '\0';
    return omptape_archive_string(&writer->strings, text);
}

OTF2_StringRef omptape_tasks_flags(struct omptape_writer *writer, uint32_t flags)
{
    /* Flags that have names. */
    const uint32_t all = (uint32_t)ompt_task_target | UINT32_C(0x1f) << 27;
    if ((flags & all) == 0)
        return 0;
    /* Packs the flags into six bits. */
    uint32_t named = (flags >> 27 & 0x1fU) | ((flags & (uint32_t)ompt_task_target) != 0 ? 0x20U : 0);
    if (writer->tasks->flags[named] == 0)
        writer->tasks->flags[named] = spell_flags(writer, flags);
    return writer->tasks->flags[named];
}
