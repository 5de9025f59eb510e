/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the trace safe against the death of program and writer together (src/folder/checkpoint.h): every few
 * seconds a child, which has a copy of all that the writer knows, completes the archive as if the program had
 * ended, into a folder in memory, and packs what is not on disk yet into one file. Called by the writer's
 * main thread.
 */
#ifndef OMPTAPE_WRITERS_CHECKPOINT_CHECKPOINT_H
#define OMPTAPE_WRITERS_CHECKPOINT_CHECKPOINT_H

#include "src/folder/checkpoint.h"
#include "writers/model/model.h"
#include "writers/output.h"

#include <sys/types.h>

/* An event file that libotf2 has open. */
struct omptape_open_file {
    int fd;
    OTF2_LocationRef location;
    uint64_t written; /* bytes that libotf2 has written to it */
    uint64_t final;   /* bytes that will not change any more, which it has written or will write */
};

/* What the checkpoints know of a location's event file. */
struct omptape_file_state {
    bool closed;   /* it is complete, */
    bool safe;     /* ...and on the disk */
    uint64_t kept; /* bytes that are on the disk, whoever wrote them */
};

struct omptape_checkpoint {
    uint64_t period; /* ns from the beginning of one to that of the next; 0: none are made */
    uint64_t next;   /* CLOCK_MONOTONIC_RAW, ns */
    const struct omptape_output *output; /* the archive's folder */
    pid_t child;                         /* makes one, 0: none */
    int sources;                         /* memory in which it leaves what it has looked up, or -1 */
    bool made;                           /* there is one on disk */
    char scratch[OMPTAPE_CHECKPOINT_SCRATCH_BYTES]; /* the path of the folder in memory, */
    int scratch_folder;                             /* ...open, or -1: not made yet */
    int scratch_place;                              /* the folder that it is in */
    struct omptape_open_file *files;                /* when the child was started */
    uint32_t file_count;
    uint32_t file_capacity;
    struct omptape_file_state *states; /* by location */
    uint32_t state_count;
};

/* The archive has been opened in the folder `output`, which has to stay; NULL: it has not, and there is
 * nothing to be made safe. */
void omptape_checkpoint_start(struct omptape_checkpoint *checkpoint, const struct omptape_writer *writer,
                              const struct omptape_output *output);

/* Starts a child if it is time, and takes what the last one has looked up. To be called after a pass
 * that was not blocked: all events before its `horizon` are in the archive. */
void omptape_checkpoint_serve(struct omptape_checkpoint *checkpoint, struct omptape_writer *writer,
                              uint64_t horizon);

/* The program is over: ends the child. The checkpoint stays. */
void omptape_checkpoint_stop(struct omptape_checkpoint *checkpoint);

/* The archive is complete, or there will be none: removes the checkpoint. */
void omptape_checkpoint_remove(const struct omptape_checkpoint *checkpoint);

#endif
