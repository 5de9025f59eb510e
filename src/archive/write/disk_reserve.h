/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reserves disk space, so that the trace ends while the data in memory still fit. These data are the begun
 * chunks and the definitions. libotf2 cannot continue after a failed write of definitions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct omptape_disk_reserve {
    int fd;             /* descriptor of an unlinked file that holds the reserve; 0: none */
    uint64_t kept;      /* size of the reserve */
    uint32_t files;     /* number of open event files */
    uint32_t locations; /* number of locations so far */
    bool in_checkpoint; /* true while a checkpoint is being written */
    bool tight;         /* true if the space may soon be insufficient */
    bool full;          /* true after the trace has ended */
    int error;          /* reason as errno */
    uint64_t unwritten; /* number of events after the end */
};

/* Starts monitoring the disk of the current folder. */
void omptape_disk_reserve_start(struct omptape_disk_reserve *reserve);
/* Stops monitoring in a checkpoint's child, which writes elsewhere. The writer's reserve remains. */
void omptape_disk_reserve_detach(struct omptape_disk_reserve *reserve);
/* Releases the reserve. */
void omptape_disk_reserve_end(struct omptape_disk_reserve *reserve);

/* Registers an opened event file. */
void omptape_disk_reserve_add_file(struct omptape_disk_reserve *reserve);
/* Unregisters a closed event file. */
void omptape_disk_reserve_remove_file(struct omptape_disk_reserve *reserve);
/* Handles a failed write of an event file. Returns true if the disk is full: the trace ends, and part of the
 * reserve is released for the next attempt. */
bool omptape_disk_reserve_spend(struct omptape_disk_reserve *reserve, int error);
/* Records whether a checkpoint, which may use the same disk, is being written. */
void omptape_disk_reserve_set_checkpoint(struct omptape_disk_reserve *reserve, bool in_checkpoint);
/* Checks the space; called between passes, because other programs write to the disk, too. */
void omptape_disk_reserve_check(struct omptape_disk_reserve *reserve);

/* Formats a message about dropped events; returns false if there are none. */
bool omptape_disk_reserve_describe(const struct omptape_disk_reserve *reserve, char *text, unsigned bytes);
