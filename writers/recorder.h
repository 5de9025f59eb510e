/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flight recorder (OMPTAPE_POLICY_OVERWRITE): the newest records stay in the program's buffers, older
 * ones are translated with recording off, so that what is open is known, and forgotten. A
 * snapshot is written by a process of its own, so that the recording goes on
 * meanwhile.
 */
#ifndef OMPTAPE_WRITERS_RECORDER_H
#define OMPTAPE_WRITERS_RECORDER_H

#include "writers/merge.h"
#include "writers/output.h"
#include "writers/requests.h"

#include <sys/types.h>

struct omptape_recorder {
    bool on;                        /* the session has this policy */
    uint32_t wanted;                /* snapshots asked for by omp_control_tool, as last seen */
    uint32_t snapshots;             /* made so far */
    pid_t child;                    /* writes one, 0: none */
    struct omptape_request request; /* that it answers */
};

void omptape_recorder_start(struct omptape_recorder *recorder, struct omptape_writer *writer);

/* One pass: forgets the oldest records if the pool is nearly full. */
struct omptape_merge_result omptape_recorder_pass(struct omptape_writer *writer);

/* How long the writer may sleep until the pool needs it, ns. */
uint64_t omptape_recorder_patience(const struct omptape_writer *writer);

/* Opens the archive in `folder` and starts writing: what is open now, then all records that follow. 0 or
 * negative errno; the archive's error says why. */
int omptape_recorder_open(struct omptape_writer *writer, int folder);
/* The same in an archive that is open. */
void omptape_recorder_begin_window(struct omptape_writer *writer);

/* Begins the next snapshot that was asked for, unless one is being written: then they wait, and nobody else.
 */
void omptape_recorder_serve(struct omptape_recorder *recorder, struct omptape_writer *writer,
                            const struct omptape_output *output);

/* Waits for the snapshot that is being written, and `ask`: makes those that were asked for until now. */
void omptape_recorder_stop(struct omptape_recorder *recorder, struct omptape_writer *writer,
                           const struct omptape_output *output, bool ask);

#endif
