/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Room on the disk. The trace ends while what is still in memory fits: the chunks that are begun, and the
 * definitions, after whose writing libotf2 cannot go on when it failed.
 */
#ifndef OMPTAPE_ARCHIVE_WRITE_ROOM_H
#define OMPTAPE_ARCHIVE_WRITE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct omptape_room {
    int fd;             /* of a file without a name that keeps some room; 0: none */
    uint64_t kept;      /* its size */
    uint32_t files;     /* event files that are open */
    uint32_t locations; /* so far */
    bool lent;          /* a checkpoint is being written */
    bool tight;         /* there soon may be too little */
    bool full;          /* the trace is over */
    int error;          /* why, as errno has it */
    uint64_t unwritten; /* events that came later */
};

/* Begins to look at the disk that the current folder is on. */
void omptape_room_start(struct omptape_room *room);
/* A checkpoint's child, which writes elsewhere: no more looking. The writer's own room stays. */
void omptape_room_leave(struct omptape_room *room);
/* Gives up what is kept. */
void omptape_room_end(struct omptape_room *room);

/* An event file was opened; */
void omptape_room_add_file(struct omptape_room *room);
/* one was closed. */
void omptape_room_remove_file(struct omptape_room *room);
/* Writing to one failed. True: the disk is full, so the trace is over, and the next try has some of the room
 * that was kept. */
bool omptape_room_give(struct omptape_room *room, int error);
/* A checkpoint, which may come to lie on the same disk, is being written, or is no more. */
void omptape_room_lend(struct omptape_room *room, bool lent);
/* Between passes: others write to the disk, too. */
void omptape_room_look(struct omptape_room *room);

/* What is to be said of it; false if there was always room. */
bool omptape_room_describe(const struct omptape_room *room, char *text, unsigned bytes);

#endif
