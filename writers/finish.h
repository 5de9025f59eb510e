/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of an archive: closes what is open, writes the definitions and the properties. Once when the
 * program is over, and in the child that writes a snapshot or a checkpoint.
 */
#ifndef OMPTAPE_WRITERS_FINISH_H
#define OMPTAPE_WRITERS_FINISH_H

#include "writers/model/model.h"
#include "writers/watch.h"

/* How a program, or what an archive shows of it, ended. */
struct omptape_ending {
    char warning[128]; /* to be kept as a property, or empty */
    char text[64];     /* how the program ended, for OMPTAPE::END (properties.h) */
    uint64_t time;     /* at which what is open is closed, in ticks; 0: at the last record's */
    int64_t status;    /* the program's exit status, or OTF2_UNDEFINED_INT64 */
    bool program_over; /* false: this is a snapshot of a running program */
    bool end_known;    /* and not just as far as the archive goes */
    bool maps_there;   /* its memory map can still be read */
};

/* The ending of a program that `watch` saw, or that told us itself. */
struct omptape_ending omptape_finish_ending(struct omptape_writer *writer, const struct omptape_watch *watch);

/* Closes the archive. What went wrong is in its error text. */
void omptape_finish(struct omptape_writer *writer, const struct omptape_ending *ending);

#endif
