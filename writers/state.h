/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the writer and the child that makes a checkpoint (checkpoint.h) both know of it.
 */
#ifndef OMPTAPE_WRITERS_STATE_H
#define OMPTAPE_WRITERS_STATE_H

#include "src/folder/checkpoint.h"
#include "writers/model/ending.h"

#include <sys/types.h>

/* Closes the writer's archive. What went wrong is in its error text. */
typedef void omptape_finisher(struct omptape_writer *writer, const struct omptape_ending *ending);

/* What the checkpoints know of a location's event file, in bytes. */
struct omptape_file_state {
    uint64_t written; /* that were final when the child was started: all of it, if the location is over */
    uint64_t kept;    /* that are on the disk */
};

struct omptape_checkpoint {
    uint64_t period;  /* ns from the beginning of one to that of the next; 0: none are made */
    uint64_t next;    /* CLOCK_MONOTONIC_RAW, ns */
    const char *path; /* of the archive's folder, */
    int folder;       /* ...which is open */
    omptape_finisher *finish;
    pid_t child; /* makes one, 0: none */
    int sources; /* memory in which it leaves what it has looked up, or -1; */
    int frames;  /* ...and the same of frames of samples */
    bool made;   /* there is one on disk */
    char scratch[OMPTAPE_CHECKPOINT_SCRATCH_BYTES]; /* the path of the folder in memory, */
    int scratch_folder;                             /* ...open, or -1: not made yet */
    int scratch_place;                              /* the folder that it is in */
    struct omptape_file_state *states;              /* by location */
    uint32_t state_count;
    uint32_t state_capacity;
};

/* child.c, a fork of the writer with one thread: makes a checkpoint of all events before `horizon` and ends
 * the process, with code 0 if that is on the disk. The parent may go on writing meanwhile. */
_Noreturn void omptape_checkpoint_child(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                                        uint64_t horizon);

#endif
