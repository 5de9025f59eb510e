/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report of a run: an anonymous file to which each writer appends what it has recorded
 * (include/omptape/properties.h), and its parser.
 */
#pragma once

#include "src/command/text/thread_time.h"
#include "src/core/string_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Report of one writer. Texts are owned; NULL if the writer did not report them. Times in ns. */
struct writer_report {
    char *path;  /* path of traces.otf2 */
    bool joined; /* merged into report->unified; `path` is the former place */
    char *error;
    char *program;
    char *pid;
    char *rank;       /* rank in its job */
    char *job_folder; /* folder shared by the job's ranks */
    char *end;
    struct omptape_string_list warnings;
    uint64_t events;
    uint64_t profile; /* events that were aggregated, not stored; 0 for a trace */
    uint64_t threads;
    uint64_t duration;
    uint64_t dropped;
    uint64_t stalled;
    uint64_t synthesised;
    struct thread_time time;
    uint64_t begin; /* wall-clock time since 1970 */
    uint64_t device_kernels;
    uint64_t device_transfers;
    uint64_t device_bytes;
};

struct writer_reports {
    char *unified; /* the unified archive; owned, or NULL */
    struct writer_report *writers;
    uint32_t count;
    uint32_t capacity;
    /* Folders of writers that began but reported no archive: they were killed. */
    struct omptape_string_list unfinished;
};

/* Returns true if the archive is a snapshot that the flight recorder wrote during the run. */
bool writer_report_is_snapshot(const struct writer_report *writer);

/* Creates the file and returns its descriptor (close-on-exec), or negative errno. `path` receives the path by
 * which other processes open it while this process lives; the caller frees it. */
int writer_reports_create(char **path);

/* Parses all lines written so far. Skips unknown keys and damaged lines. Returns 0 or negative errno. */
int writer_reports_read(int descriptor, struct writer_reports *report);
void writer_reports_free(struct writer_reports *report);
