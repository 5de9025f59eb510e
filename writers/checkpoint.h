/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes checkpoints, which protect the trace if program and writer are killed together
 * (src/folder/checkpoint.h). Every few seconds the writer forks a child, which has a copy of the writer's
 * state. The child completes the archive in a folder in memory, as if the program had ended. It packs all
 * bytes that are not on disk yet into one file.
 */
#pragma once

#include "src/folder/checkpoint.h"
#include "writers/state/writer.h"

#include <sys/types.h>

/* State of a location's event file at the last checkpoint, in bytes. */
struct omptape_file_state {
    uint64_t written; /* Final bytes when the child was forked: the whole file if the location is closed. */
    uint64_t kept;    /* Bytes that are on the disk. */
};

struct omptape_checkpoint {
    /* Nanoseconds from the start of one checkpoint to the start of the next; 0: no checkpoints are made. */
    uint64_t period;
    uint64_t next;    /* Time of the next checkpoint, CLOCK_MONOTONIC_RAW in ns. */
    const char *path; /* Path of the archive's folder. */
    int folder;       /* Open descriptor of the archive's folder. */
    pid_t child;      /* Process that makes a checkpoint; 0: none. */
    int sources;      /* memfd into which the child writes the source lines that it resolved, or -1. */
    int frames;       /* memfd into which the child writes the frames of samples that it resolved, or -1. */
    bool made;        /* True if a complete checkpoint is on disk. */
    char scratch[OMPTAPE_CHECKPOINT_SCRATCH_BYTES]; /* Path of the scratch folder in memory. */
    /* Open descriptor of the scratch folder; -1: not created yet. */
    int scratch_folder;
    int scratch_place;                 /* Open descriptor of the scratch folder's parent. */
    struct omptape_file_state *states; /* One entry for each location. */
    uint32_t state_count;
    uint32_t state_capacity;
};

/* Initialises checkpoints of the archive that is open in `folder`. The caller keeps `path` alive. No
 * checkpoints are made if `path` is NULL, because no archive is open then. */
void omptape_checkpoint_start(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer,
                              const char *path, int folder);

/* Starts a child if a checkpoint is due, and imports the results of a child that has ended. Called after a
 * pass that was not blocked: all events before `horizon` are in the archive. */
void omptape_checkpoint_serve(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                              uint64_t horizon);

/* Called when the program is over: kills the child and frees the state. The checkpoint stays on disk. */
void omptape_checkpoint_stop(struct omptape_checkpoint *checkpoint);

/* Removes the checkpoint. Called when the archive is complete or will not be written. */
void omptape_checkpoint_remove(const struct omptape_checkpoint *checkpoint);

/* Implemented in writers/child.c. Runs in a single-threaded fork of the writer. Makes a checkpoint of all
 * events before `horizon` and ends the process, with exit code 0 if the checkpoint is on disk. The parent
 * may continue to write meanwhile. */
_Noreturn void omptape_checkpoint_child(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                                        uint64_t horizon);
