/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a program, or what an archive shows of it, ended.
 */
#ifndef OMPTAPE_WRITERS_MODEL_ENDING_H
#define OMPTAPE_WRITERS_MODEL_ENDING_H

#include "writers/model/model.h"

struct omptape_ending {
    char warning[128]; /* to be kept as a property, or empty */
    char text[64];     /* how the program ended, for OMPTAPE::END (properties.h) */
    uint64_t time;     /* at which what is open is closed, in ticks; 0: at the last record's */
    int64_t status;    /* the program's exit status, or OTF2_UNDEFINED_INT64 */
    bool program_over; /* false: this is a snapshot of a running program */
    bool end_known;    /* and not just as far as the archive goes */
    bool maps_there;   /* its memory map can still be read */
};

#endif
