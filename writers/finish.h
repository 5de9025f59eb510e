/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finishes an archive: closes open regions and locations, writes the definitions and the properties. Called
 * once when the program is over, and in the child that writes a snapshot or a checkpoint.
 */
#pragma once

#include "writers/state/writer.h"
#include "writers/watch.h"

/* How the program, or the part of it that the archive shows, ended. */
struct omptape_ending {
    char warning[128]; /* Warning for the archive's properties, or empty. */
    char text[64];     /* Description of the end, for OMPTAPE::END (properties.h). */
    uint64_t time;     /* Time at which open regions are closed, in ticks; 0: the time of the last record. */
    int64_t status;    /* The program's exit status, or OTF2_UNDEFINED_INT64. */
    bool program_over; /* False: this is a snapshot of a running program. */
    bool end_known;    /* True: the program's real end is known, not only the end of the archive. */
    bool has_maps;     /* True: the program's memory map can still be read. */
};

/* Returns how the program ended: by its own message in shared memory, or as `watch` noticed. */
struct omptape_ending omptape_finish_ending(struct omptape_writer *writer, const struct omptape_watch *watch);

/* Closes the archive. An error is described in writer->archive.error. */
void omptape_finish(struct omptape_writer *writer, const struct omptape_ending *ending);
