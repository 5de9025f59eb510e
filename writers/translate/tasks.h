/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explicit tasks that are not over, by their identity, and what was met of all of them. task.c translates
 * what happens to them; a location's stack (stack.h) holds those that it runs.
 */
#pragma once

#include "writers/state/writer.h"

/* One explicit task, from its creation to its completion. */
struct omptape_task {
    uint64_t id;
    uint64_t site;
    uint64_t team;                 /* serial; 0: outside any */
    struct omptape_task_name name; /* generation 0: has no OTF2 task (undeferred, merged, or no team) */
    OTF2_CallingContextRef origin; /* of what it executes (call_paths.h), + 1; 0: not known */
    bool undeferred;               /* its creator executes it at once */
    bool untied;
    bool target;
    bool started;
    bool written;   /* its ThreadTaskCreate is in the archive */
    bool hidden;    /* it is not shown */
    bool in_hidden; /* it is of a hidden team: what runs in it is not shown either */
    bool taskwait;  /* not a task: a taskwait with dependences */
    bool dependent; /* it has dependences */
    uint32_t suspended_count;
    struct omptape_location *runs_on; /* whose stack it is on, or NULL */
    struct omptape_moment left;       /* when it last left a stack, or was created */
    union {
        struct omptape_open_region *suspended; /* regions to enter again when it resumes */
        struct omptape_task *next_spare;       /* once it is over */
    };
};

/* Kind of a taskwait with dependences in a region's key: beside ompt_sync_region_t's values. */
enum { OMPTAPE_KEY_TASKWAIT_DEPEND = 0x100 };

static inline enum omptape_region_kind omptape_tasks_region_kind(const struct omptape_task *task)
{
    if (task->target)
        return OMPTAPE_REGION_TARGET_TASK;
    return task->untied ? OMPTAPE_REGION_TASK_UNTIED : OMPTAPE_REGION_TASK;
}

/* Sets up writer->tasks: 0 or -ENOMEM. */
int omptape_tasks_create(struct omptape_writer *writer);
void omptape_tasks_free(struct omptape_writer *writer);

/* The task of an identity, or NULL; an implicit task's has none. */
struct omptape_task *omptape_tasks_find(const struct omptape_writer *writer, uint64_t id);
/* A new one. NULL: out of memory, or it is known already; no identity is given out twice. */
struct omptape_task *omptape_tasks_add(struct omptape_writer *writer, uint64_t id);
/* It is over. */
void omptape_tasks_remove(struct omptape_writer *writer, struct omptape_task *task);

/* A task completed at this moment. */
void omptape_tasks_note_completion(struct omptape_writer *writer, struct omptape_moment moment);
/* The time to write for what waited for tasks and went on at `time`: not before they completed. Which ones it
 * waited for is not known, so of those in the same tick of the clock it is all. */
uint64_t omptape_tasks_waited(const struct omptape_writer *writer, const struct omptape_location *location,
                              uint64_t time);

/* The text for ompt_task_flag_t's flags; 0: there is nothing to say. */
OTF2_StringRef omptape_tasks_flags(struct omptape_writer *writer, uint32_t flags);
