/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of explicit tasks that have not ended, by identity. task.c translates their records; a location's
 * stack (stack.h) holds the tasks that it runs.
 */
#pragma once

#include "writers/state/writer.h"

/* One explicit task, from its creation to its completion. */
struct omptape_task {
    uint64_t id;
    uint64_t site;
    uint64_t team; /* Serial number of the team; 0: outside any team. */
    /* Generation 0: the task has no OTF2 task (undeferred, merged, or no team). */
    struct omptape_task_name name;
    OTF2_CallingContextRef origin; /* Context in which it executes (call_paths.h), + 1; 0: unknown. */
    bool undeferred;               /* True if its creator executes it immediately. */
    bool untied;
    bool target;
    bool started;
    bool written;   /* True if its ThreadTaskCreate is in the archive. */
    bool hidden;    /* True if the task is not shown. */
    bool in_hidden; /* True in a hidden team: regions inside the task are not shown either. */
    bool taskwait;  /* True for a taskwait with dependences, which is no real task. */
    bool dependent; /* True if the task has dependences. */
    uint32_t suspended_count;
    struct omptape_location *runs_on; /* Location whose stack has the task, or NULL. */
    struct omptape_moment left;       /* When it was created or last left a stack. */
    union {
        struct omptape_open_region *suspended; /* Regions to enter again when the task resumes. */
        struct omptape_task *next_free;        /* Next unused entry, after the task has ended. */
    };
};

/* Key of a taskwait with dependences, outside the values of ompt_sync_region_t. */
enum { OMPTAPE_KEY_TASKWAIT_DEPEND = 0x100 };

static inline enum omptape_region_kind omptape_tasks_region_kind(const struct omptape_task *task)
{
    if (task->target)
        return OMPTAPE_REGION_TARGET_TASK;
    return task->untied ? OMPTAPE_REGION_TASK_UNTIED : OMPTAPE_REGION_TASK;
}

/* Creates writer->tasks. Returns 0 or -ENOMEM. */
int omptape_tasks_create(struct omptape_writer *writer);
void omptape_tasks_free(struct omptape_writer *writer);

/* Returns the task of an identity, or NULL. Implicit tasks are not in the table. */
struct omptape_task *omptape_tasks_find(const struct omptape_writer *writer, uint64_t id);
/* Adds a new task. Returns NULL if out of memory or the identity is known: none is reused. */
struct omptape_task *omptape_tasks_add(struct omptape_writer *writer, uint64_t id);
/* Removes a task that has ended. */
void omptape_tasks_remove(struct omptape_writer *writer, struct omptape_task *task);

/* Stores the moment of a completion. */
void omptape_tasks_note_completion(struct omptape_writer *writer, struct omptape_moment moment);
/* Returns the time of an event after waiting for tasks: `time`, but not before the completions. It is
 * unknown which tasks were awaited, so all completions in the same clock tick count. */
uint64_t omptape_tasks_waited(const struct omptape_writer *writer, const struct omptape_location *location,
                              uint64_t time);

/* Returns the text for ompt_task_flag_t's flags; 0 if no flag has a name. */
OTF2_StringRef omptape_tasks_flags(struct omptape_writer *writer, uint32_t flags);
