/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Room on the disk. The trace ends while what is still in memory fits. That is the chunks that are begun,
 * and the definitions, after whose writing libotf2 cannot go on when it failed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct omptape_disk_reserve {
    int fd;             /* of a file without a name that keeps some reserve; 0: none */
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
void omptape_disk_reserve_start(struct omptape_disk_reserve *reserve);
/* A checkpoint's child, which writes elsewhere: no more looking. The writer's own room stays. */
void omptape_disk_reserve_detach(struct omptape_disk_reserve *reserve);
/* Gives up what is kept. */
void omptape_disk_reserve_end(struct omptape_disk_reserve *reserve);

/* An event file was opened; */
void omptape_disk_reserve_add_file(struct omptape_disk_reserve *reserve);
/* one was closed. */
void omptape_disk_reserve_remove_file(struct omptape_disk_reserve *reserve);
/* Writing to one failed. True: the disk is full, so the trace is over, and the next try has some of the room
 * that was kept. */
bool omptape_disk_reserve_spend(struct omptape_disk_reserve *reserve, int error);
/* A checkpoint, which may come to lie on the same disk, is being written, or is no more. */
void omptape_disk_reserve_release(struct omptape_disk_reserve *reserve, bool lent);
/* Between passes: others write to the disk, too. */
void omptape_disk_reserve_check(struct omptape_disk_reserve *reserve);

/* What is to be said of it; false if there was always room. */
bool omptape_disk_reserve_describe(const struct omptape_disk_reserve *reserve, char *text, unsigned bytes);
