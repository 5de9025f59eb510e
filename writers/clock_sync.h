/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the processes with which the program may compare its host's clock, when it asks for that
 * (include/omptape/clock_sync.h), and says in the archive what it found. On the writer's main thread.
 */
#ifndef OMPTAPE_WRITERS_CLOCK_SYNC_H
#define OMPTAPE_WRITERS_CLOCK_SYNC_H

#include "src/job/clock_sync.h"
#include "writers/model/model.h"
#include "writers/output.h"

#include <stdbool.h>
#include <stdint.h>

struct omptape_writer_clock_sync {
    struct omptape_job_clock_sync clock_sync;
    struct omptape_clock_sync_found found; /* the writer's own; the program gets a copy */
    bool begun;
    bool over; /* a process compares clocks once */
};

/* Looks whether the program asks, and what others have said. Returns after how many ns that is to be done
 * again; UINT64_MAX: when there is work. */
uint64_t omptape_clock_sync_serve(struct omptape_writer_clock_sync *clock_sync, struct omptape_writer *writer,
                                  const struct omptape_output *output);

/* The program is over. */
void omptape_clock_sync_end(struct omptape_writer_clock_sync *clock_sync,
                            const struct omptape_output *output);

/* The comparisons as the archive's properties have them (include/omptape/properties.h): false: there are
 * none. */
bool omptape_clock_sync_describe(const struct omptape_writer *writer, char *samples, size_t bytes,
                                 char *reference, size_t reference_bytes);

#endif
