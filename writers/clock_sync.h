/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the processes with which the program may compare its host's clock, when the program asks for them
 * (include/omptape/clock_sync.h). Describes the comparisons in the archive. Writer's main thread.
 */
#pragma once

#include "src/job/clock_sync.h"
#include "writers/output.h"
#include "writers/state/writer.h"

#include <stdbool.h>
#include <stdint.h>

struct omptape_writer_clock_sync {
    struct omptape_job_clock_sync clock_sync;
    struct omptape_clock_sync_found found; /* The writer's own copy; the program gets another one. */
    bool started;
    bool finished; /* True after the comparison has ended: a process compares clocks only once. */
};

/* Checks for a request of the program and for answers of other processes. Returns the pause until the next
 * call in ns, or UINT64_MAX if the next call may wait until there is work. */
uint64_t omptape_clock_sync_serve(struct omptape_writer_clock_sync *clock_sync, struct omptape_writer *writer,
                                  const struct omptape_output *output);

/* Leaves the synchronisation. Called when the program is over. */
void omptape_clock_sync_end(struct omptape_writer_clock_sync *clock_sync,
                            const struct omptape_output *output);

/* Writes the comparisons as values of the archive's properties (include/omptape/properties.h). Returns
 * false if there are no comparisons. */
bool omptape_clock_sync_describe(const struct omptape_writer *writer, char *samples, size_t bytes,
                                 char *reference, size_t reference_bytes);
