/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples of the program's threads: what a thread computes each time that it has had a processor for so long.
 * The kernel writes registers and a part of the stack into the ring that the thread's context switches are
 * in (switches.h); they are unwound here. Samples in the kernel are none. On the writer's main thread.
 */
#pragma once

#include "writers/state/writer.h"

#include <linux/perf_event.h>

/* So many threads of a process have rings at a time. */
enum { OMPTAPE_RINGS_MOST = 512 };

/* Why there are no samples of some threads, or of all. */
struct omptape_sampling {
    uint64_t period_ns; /* processor time between two samples of a thread; 0: there are none */
    uint32_t threads;   /* that are or were sampled */
    uint32_t refused;   /* threads that are not, */
    int error;          /* ...why the first is not: errno of perf_event_open or mmap */
    bool is_private;    /* ...the program was not dumpable then */
    uint64_t locked;    /* bytes that the rings have, */
    uint64_t budget;    /* ...and that they may have before they shrink: others of the user want some */
    uint64_t most;      /* bytes that a ring may have, since the kernel refused one */
    int paranoid;       /* the setting perf_event_paranoid; INT_MIN: not known */
    uint64_t sleep_ns;  /* in that time no ring becomes full */
};

/* `processors`: how many the program may run on; its share of the memory that the user may lock follows from
 * that. */
void omptape_sampling_start(struct omptape_sampling *sampling, const struct omptape_writer *writer,
                            uint32_t processors);

/* Makes an event that records context switches one that samples as well. `deep`: the usual part of the stack
 * is not enough for the thread. */
void omptape_sampling_ask(const struct omptape_sampling *sampling, bool deep, struct perf_event_attr *event);

/* A ring for samples has so many bytes at least; and what it should have where so many rings are open. */
uint64_t omptape_sampling_least_bytes(void);
uint64_t omptape_sampling_wanted_bytes(const struct omptape_sampling *sampling, uint32_t rings);

/* A ring of so many bytes takes the thread's samples. */
void omptape_sampling_opened(struct omptape_sampling *sampling, uint64_t bytes);
void omptape_sampling_closed(struct omptape_sampling *sampling, uint64_t bytes);
/* The kernel refused: negative errno. `is_private`: the program's files in /proc belong to another user. */
void omptape_sampling_refused(struct omptape_sampling *sampling, int error, bool is_private);

/* Takes a PERF_RECORD_SAMPLE of `bytes`, with its header. *raw: its time, CLOCK_MONOTONIC_RAW, ns. Returns
 * the context, or OTF2_UNDEFINED_CALLING_CONTEXT: it is of no use. */
OTF2_CallingContextRef omptape_sampling_take(struct omptape_writer *writer, const unsigned char *record,
                                             size_t bytes, uint64_t *raw);

/* One line that says why some threads have no samples, and what allows them. False: all have. */
bool omptape_sampling_explain(const struct omptape_sampling *sampling, char *text, size_t bytes);
/* The same in a few words, for OMPTAPE_KEY_SAMPLES_REFUSED. */
bool omptape_sampling_cause(const struct omptape_sampling *sampling, char *text, size_t bytes);
/* Why the program's threads cannot sample themselves, in a few words. False: they can. */
bool omptape_sampling_cause_of_own(const struct omptape_settings *settings, char *text, size_t bytes);
