/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report: an anonymous file to which each writer of a run appends what it did
 * (include/omptape/properties.h), and its reader.
 */
#ifndef OMPTAPE_COMMAND_RUN_REPORT_H
#define OMPTAPE_COMMAND_RUN_REPORT_H

#include "src/command/text/thread_time.h"
#include "src/core/string_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one writer said. Texts are owned, NULL: not said. Times in ns. */
struct omptape_trace {
    char *path;  /* of traces.otf2 */
    bool joined; /* it is in report->unified now; `path` is where it was */
    char *error;
    char *program;
    char *pid;
    char *rank;       /* in its job */
    char *job_folder; /* that the job's ranks share */
    char *end;
    struct omptape_string_list warnings;
    uint64_t events;
    uint64_t profile; /* events that were added up, not kept; 0: this is a trace */
    uint64_t threads;
    uint64_t duration;
    uint64_t dropped;
    uint64_t stalled;
    uint64_t synthesised;
    struct omptape_thread_time time;
    uint64_t begin; /* by the wall clock, since 1970 */
    uint64_t device_kernels;
    uint64_t device_transfers;
    uint64_t device_bytes;
};

struct omptape_report {
    char *unified; /* the archive that was made of several (owned), or NULL */
    struct omptape_trace *traces;
    uint32_t count;
    uint32_t capacity;
    /* folders of writers that began and said nothing more: they were killed */
    struct omptape_string_list unfinished;
};

/* Is it what the flight recorder held while its program ran? */
bool omptape_trace_is_snapshot(const struct omptape_trace *trace);

/* Creates the file. Returns its descriptor, closed on exec, and the path by which other processes open it
 * (owned by the caller) while this process lives. Or negative errno. */
int omptape_report_create(char **path);

/* Reads all that was written so far. Unknown keys and damaged lines are passed over. 0 or negative errno. */
int omptape_report_read(int descriptor, struct omptape_report *report);
void omptape_report_free(struct omptape_report *report);

#endif
