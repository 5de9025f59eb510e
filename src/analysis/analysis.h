/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Analyses an archive: how the threads spent their time, which thread waited for which, and why. It also
 * computes how much wall time a change could save. The analysis reads the events once. Its memory is bounded
 * by the definitions (threads, regions, teams), not by the number of events. The callers are the report, the
 * page and the summary after a run. The analysis prints nothing and writes no HTML; the sentences of findings
 * are plain text.
 *
 * All times are ticks of the archive's clock (reader->clock_resolution ticks a second). "Thread time" is
 * summed over threads; "wall" is not. All results belong to the analysis and live until
 * omptape_analysis_free, which the caller must call before it closes the reader. An analysis is used by one
 * thread. The archive is not trusted: a Leave without Enter, a team without members and similar errors are
 * skipped.
 *
 * All sums are integers, so that merged partial sums are identical to sums of one pass.
 */
#pragma once

#include "src/analysis/finding.h"
#include "src/analysis/observer.h"
#include "src/analysis/result_rows.h"
#include "src/archive/read/reader.h"
#include <omptape/properties.h>
#include <stdbool.h>
#include <stdint.h>

/* The time that tracing itself took while the programs ran (OMPTAPE::RECORD_COST, WRITER_TIME,
 * SWITCH_TIME). For an
 * analysed range it is the proportional share. All fields are 0 if the archive has no such data. */
struct analysis_perturbation {
    double record;      /* mean ticks per record on its thread, from a sample of records */
    uint64_t recording; /* thread time, estimated from `record` */
    uint64_t writing;   /* processor time of the writers */
    uint64_t switching; /* processor time of the kernel to record context switches of the threads */
    /* Time of the initial threads until the tool had started, summed over processes. */
    uint64_t starting;
    uint64_t queued; /* time that threads waited for a processor */
    double of_queue; /* share of `queued` that the writers explain */
};

/* Advice of the summary and of a warning if constructs have no source line. */
#define OMPTAPE_ADVICE_LINES "compile with -g to see lines"

struct omptape_analysis {
    struct omptape_reader *reader;
    uint64_t begin; /* begin and end of the analysed range */
    uint64_t end;
    uint64_t events;
    uint32_t threads;    /* sum over processes of the most threads in a team */
    bool serial_unknown; /* a profile: it is unknown which of several initial threads computed */
    struct analysis_efficiency efficiency;
    struct analysis_perturbation perturbation;
    struct analysis_process *processes; /* in the archive's order */
    uint32_t process_count;
    uint32_t at_once;            /* the most processes that ran at one time; at least 1 */
    struct analysis_node *nodes; /* sorted by name */
    uint32_t node_count;
    struct analysis_thread *thread_list; /* host threads in the archive's order */
    uint32_t thread_count;
    struct analysis_region **regions; /* sorted by gain, then by thread time */
    uint32_t region_count;
    struct analysis_loop **loops;
    uint32_t loop_count;
    struct analysis_tasks **tasks;
    uint32_t task_count;
    struct analysis_lock **locks;
    uint32_t lock_count;
    struct analysis_lock_holder **lock_holders;
    uint32_t lock_holder_count;
    struct analysis_phase **phases; /* longest first */
    uint32_t phase_count;
    struct analysis_value **values; /* most frequent first */
    uint32_t value_count;
    const char *counters[OMPTAPE_MAX_COUNTERS]; /* names of the recorded counters */
    uint32_t counter_count;
    struct analysis_sampled **sampled; /* most samples first, over all constructs and serial parts */
    uint32_t sampled_count;
    struct analysis_serial **serials;
    uint32_t serial_count;
    struct analysis_outliers **outliers; /* only places with outliers, highest cost first */
    uint32_t outlier_count;
    struct analysis_transfer **transfers;
    uint32_t transfer_count;
    struct analysis_mpi **mpi;
    uint32_t mpi_count;
    struct analysis_device **devices;
    uint32_t device_count;
    struct omptape_finding *findings; /* only gains of at least 1 % of the wall */
    uint32_t finding_count;
    const char *verdict;      /* at most three sentences */
    const char *banner;       /* sentence why all times are inflated; NULL: they are not */
    const char *absent;       /* "rank 0 of 2": MPI processes without a trace; NULL: none */
    const char *warnings[16]; /* limits of the analysis: dropped events, no debug information, ... */
    uint32_t warning_count;
    const char *starting; /* sentence if the start or end of MPI takes most of the run; else NULL */
    bool lacks_lines;     /* the program was compiled without -g: see OMPTAPE_ADVICE_LINES */
    struct omptape_arena arena;
};

struct omptape_pyramid;
struct omptape_analysis_options {
    bool is_running;                                   /* the program goes on after the last event */
    uint64_t from;                                     /* ticks; 0: from the beginning */
    uint64_t to;                                       /* 0: to the end */
    bool (*wants_process)(void *data, int64_t number); /* NULL: all */
    void *data;
    volatile uint64_t *done;                          /* counts the events read; may be NULL */
    const struct omptape_analysis_observer *observer; /* or NULL */
    unsigned jobs; /* number of processes that read in parallel without an observer; 0: one */
    /* Pyramid to fill (src/analysis/timeline/pyramid.h), only without an observer; or NULL. */
    struct omptape_pyramid *pyramid;
};

/* Reads all events of the archive once, one process after the other. Returns 0, or a negative errno with
 * one line in `error`; -ENOMEM sets no line. The caller frees *analysis in both cases. */
int omptape_analysis_run(struct omptape_analysis **analysis, struct omptape_reader *reader,
                         const struct omptape_analysis_options *options, char *error, size_t error_bytes);
void omptape_analysis_free(struct omptape_analysis *analysis);

/* Returns the mean number of threads of a process: at least 1, and often no integer. */
static inline double omptape_analysis_mean_threads(const struct omptape_analysis *analysis)
{
    return analysis->threads > analysis->at_once && analysis->at_once > 0
               ? (double)analysis->threads / analysis->at_once
               : 1;
}

/* Returns the durations of the calls: each call of a row counts as long as their mean. */
struct analysis_durations omptape_durations_of_calls(const struct omptape_analysis *analysis,
                                                     const struct analysis_mpi *mpi);

/* Converts ticks to seconds. */
double omptape_analysis_seconds(const struct omptape_analysis *analysis, uint64_t ticks);
