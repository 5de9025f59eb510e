/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Observes the program's threads and processors from outside, by /proc. For each thread it reads running,
 * run-queue and system time, page faults, context switches and the allowed processors. For the process it
 * reads cgroup limits, and who else used its processors. A bounded number of threads is read about ten times
 * a second; reading takes none of the program's time. Values are missing if /proc is not mounted, belongs to
 * another PID namespace or has no schedstat. Called on the writer's main thread, and in its children.
 */
#pragma once

#include "writers/observe/thread_files.h"
#include "writers/state/writer.h"

/* Starts the observation; does nothing with --sched=off. `process` is the program's folder in /proc
 * (watch.h), or -1. `allowed` holds the processors that the program could use when it started the writer;
 * .count is 0 if unknown. */
void omptape_observe_start(struct omptape_writer *writer, int process,
                           const struct omptape_processor_set *allowed);
void omptape_observe_stop(struct omptape_writer *writer);

/* Reads the context switches before the next pass's records. Called before each pass of the merge. */
void omptape_observe_switches(struct omptape_writer *writer);
/* Reads some threads if it is time and the program does not wait for the writer. Called before each pass. */
void omptape_observe_serve(struct omptape_writer *writer);
/* Reads all threads now, unless the program waits for the writer: the sums must say which threads sleep. */
void omptape_observe_refresh(struct omptape_writer *writer);
/* Returns how long the writer may sleep, at most `max_ns`. */
uint64_t omptape_observe_max_sleep_ns(const struct omptape_writer *writer, uint64_t max_ns);

/* Returns the number of known threads of the program. */
uint32_t omptape_observe_thread_count(const struct omptape_writer *writer);

/* Returns the other thread with this index, from 0; NULL: it has not been read, or OpenMP has registered it.
 * `index` is below omptape_observe_other_count. */
const struct omptape_location *omptape_observe_other(const struct omptape_writer *writer, uint32_t index);
uint32_t omptape_observe_other_count(const struct omptape_writer *writer);
/* Keeps the latest reading of each other thread as sched->marked. */
void omptape_observe_mark_others(struct omptape_writer *writer);

/* OpenMP has registered the location's thread: moves what was observed of it before to the location. */
void omptape_observe_thread_registered(struct omptape_writer *writer, struct omptape_location *location);

/* Reads everything for the last time at the program's end. `is_there` is true if its threads still exist. */
void omptape_observe_end(struct omptape_writer *writer, bool is_there);
/* Called after all records have been read, when more threads may have got a location. Reads the threads that
 * were never read if `is_there` (the program's threads still exist). */
void omptape_observe_read_remaining(struct omptape_writer *writer, bool is_there);

/* Adds locations for other threads, with what was read of them up to `time`. Called when all locations are
 * closed and before the archive is finished. */
void omptape_observe_adopt(struct omptape_writer *writer, uint64_t time);
/* Processor time that others used on the processors of the program's OpenMP and MPI threads, s. The values
 * are measured; they do not show who delayed whom. */
struct omptape_rivals {
    double threads;    /* other threads of the program */
    char thread[80];   /* name of the busiest of these; empty if there are none */
    double programs;   /* other processes, without the writer */
    double hypervisor; /* steal time */
    double quota;      /* time in which the cgroup's threads were throttled, s, sum of all */
    double processors; /* the cgroup's limit, in processors */
};

/* Returns false if the values are unknown. To be called after omptape_observe_adopt. */
bool omptape_observe_rivals(const struct omptape_writer *writer, struct omptape_rivals *rivals);

/* Explains in one line why some threads have no samples. Returns false if all have, or without a rate. */
bool omptape_observe_explain(const struct omptape_writer *writer, char *text, size_t bytes);

/* Writes one line about counters that the user asked for and does not get. Returns false if there are none.
 */
bool omptape_observe_explain_counters(const struct omptape_writer *writer, char *text, size_t bytes);

/* Sets the archive's properties from OMPTAPE_KEY_ALLOWED to OMPTAPE_KEY_OTHER_TIME. */
void omptape_observe_report(struct omptape_writer *writer);
