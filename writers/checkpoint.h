/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the trace safe against the death of program and writer together (src/folder/checkpoint.h): every few
 * seconds a child, which has a copy of all that the writer knows, completes the archive as if the program had
 * ended, into a folder in memory, and packs what is not on disk yet into one file.
 */
#ifndef OMPTAPE_WRITERS_CHECKPOINT_H
#define OMPTAPE_WRITERS_CHECKPOINT_H

#include "src/folder/checkpoint.h"
#include "writers/model/model.h"

#include <sys/types.h>

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
    pid_t child;      /* makes one, 0: none */
    int sources;      /* memory in which it leaves what it has looked up, or -1; */
    int frames;       /* ...and the same of frames of samples */
    bool made;        /* there is one on disk */
    char scratch[OMPTAPE_CHECKPOINT_SCRATCH_BYTES]; /* the path of the folder in memory, */
    int scratch_folder;                             /* ...open, or -1: not made yet */
    int scratch_place;                              /* the folder that it is in */
    struct omptape_file_state *states;              /* by location */
    uint32_t state_count;
    uint32_t state_capacity;
};

/* The archive has been opened in `folder`, whose `path` has to stay; NULL: it has not, and there is nothing
 * to be made safe. */
void omptape_checkpoint_start(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer,
                              const char *path, int folder);

/* Starts a child if it is time, and takes what the last one has looked up. To be called after a pass
 * that was not blocked: all events before its `horizon` are in the archive. */
void omptape_checkpoint_serve(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                              uint64_t horizon);

/* The program is over: ends the child. The checkpoint stays. */
void omptape_checkpoint_stop(struct omptape_checkpoint *checkpoint);

/* The archive is complete, or there will be none: removes the checkpoint. */
void omptape_checkpoint_remove(const struct omptape_checkpoint *checkpoint);

/* child.c, a fork of the writer with one thread: makes a checkpoint of all events before `horizon` and ends
 * the process, with code 0 if that is on the disk. The parent may go on writing meanwhile. */
_Noreturn void omptape_checkpoint_child(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                                        uint64_t horizon);

#endif
