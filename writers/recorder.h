/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flight recorder (OMPTAPE_POLICY_OVERWRITE). The newest records stay in the program's buffers. Older
 * records are translated with recording off, to keep track of open regions, and are then forgotten. A forked
 * process writes each snapshot, so that the recording continues meanwhile.
 */
#pragma once

#include "writers/merge.h"
#include "writers/output.h"
#include "writers/requests.h"

#include <sys/types.h>

struct omptape_recorder {
    bool on;                        /* True if the session has this policy. */
    uint32_t requested_snapshots;   /* Last seen number of snapshots requested by omp_control_tool. */
    uint32_t written_snapshots;     /* Number of snapshots so far. */
    pid_t child;                    /* Process that writes a snapshot; 0: none. */
    struct omptape_request request; /* Request that `child` answers. */
};

void omptape_recorder_start(struct omptape_recorder *recorder, struct omptape_writer *writer);

/* Makes one pass: forgets the oldest records if the pool is nearly full. */
struct omptape_merge_result omptape_recorder_pass(struct omptape_writer *writer);

/* Returns how long the writer may sleep until the pool needs it, in ns. */
uint64_t omptape_recorder_max_sleep_ns(const struct omptape_writer *writer);

/* Opens the archive in `folder` and writes the regions that are open now; later records follow. Returns 0
 * or negative errno; the archive's error has the reason. */
int omptape_recorder_open(struct omptape_writer *writer, int folder);
/* Begins the window in an archive that is already open. */
void omptape_recorder_begin_window(struct omptape_writer *writer);

/* Starts the next requested snapshot. While one is written, requests wait; the program does not. */
void omptape_recorder_serve(struct omptape_recorder *recorder, struct omptape_writer *writer,
                            const struct omptape_output *output);

/* Waits for the snapshot that is being written. If `ask`, also makes the snapshots requested so far. */
void omptape_recorder_stop(struct omptape_recorder *recorder, struct omptape_writer *writer,
                           const struct omptape_output *output, bool ask);
