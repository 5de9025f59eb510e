/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Observes the program from outside, by /proc. Of each thread it reads how long it ran, waited for a
 * processor and was in the kernel. It also reads the thread's faults, its switches and the processors that it
 * may use. Of the process it reads what limits it, and who else had its processors. About ten times a second,
 * a bounded number of threads at a time; none of it takes the program's time. Where the kernel does not tell
 * (no /proc, another namespace's, no schedstat), nothing is known. On the writer's main thread, and in the
 * children that it forks.
 */
#pragma once

#include "writers/observe/thread_files.h"
#include "writers/state/writer.h"

/* `process`: the program's folder in /proc (watch.h), or -1; `allowed`: the processors that the program might
 * run on when it started the writer; .count 0: not known. Does nothing if --sched=off. */
void omptape_observe_start(struct omptape_writer *writer, int process,
                           const struct omptape_processor_set *allowed);
void omptape_observe_stop(struct omptape_writer *writer);

/* Before each pass of the merge: takes the context switches that came before the records in it. */
void omptape_observe_switches(struct omptape_writer *writer);
/* Before a pass: reads some threads, if it is time and the program does not wait for the writer. */
void omptape_observe_serve(struct omptape_writer *writer);
/* How long the writer may sleep, `most` at the most (ns). */
uint64_t omptape_observe_patience(const struct omptape_writer *writer, uint64_t most);

/* Threads of the program that are known. */
uint32_t omptape_observe_thread_count(const struct omptape_writer *writer);

/* OpenMP knows the location's thread from now on: what was observed of it before is the location's. */
void omptape_observe_meet(struct omptape_writer *writer, struct omptape_location *location);

/* The program has come to its end: reads all for the last time. `is_there`: its threads still are. */
void omptape_observe_end(struct omptape_writer *writer, bool is_there);
/* All records have been read, so that more threads may have a location. `is_there`: the program's threads
 * still are: reads those that were never read. */
void omptape_observe_latecomers(struct omptape_writer *writer, bool is_there);

/* All locations are closed, the archive is about to be finished: those of other threads come, with what was
 * read of them up to `time`. */
void omptape_observe_adopt(struct omptape_writer *writer, uint64_t time);
/* Who had the processors that the program's threads of OpenMP and MPI might use, s of processor time: what is
 * measured, not who kept whom waiting. */
struct omptape_rivals {
    double threads;    /* other threads of the program, */
    char thread[80];   /* ...and the name of the busiest; empty: there are none */
    double programs;   /* not of this process; its writer's time is not in it */
    double hypervisor; /* steal time */
    double quota;      /* the cgroup's threads were stopped, s, all together, */
    double processors; /* ...by this limit */
};

/* False: not known. After omptape_observe_adopt. */
bool omptape_observe_rivals(const struct omptape_writer *writer, struct omptape_rivals *rivals);

/* One line that says why there are no samples of some threads. False: all have some, or no rate was named. */
bool omptape_observe_explain(const struct omptape_writer *writer, char *text, size_t bytes);

/* The same of counters that the user asked for. */
bool omptape_observe_explain_counters(const struct omptape_writer *writer, char *text, size_t bytes);

/* Sets the archive's properties from OMPTAPE_KEY_ALLOWED to OMPTAPE_KEY_OTHER_TIME. */
void omptape_observe_report(struct omptape_writer *writer);
