/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples the call path of the program's threads after each period of processor time. The kernel writes
 * registers and a part of the stack into the ring of the thread's context switches (switches.h). The writer
 * unwinds them here. A thread is not sampled while it runs in the kernel. Called on the writer's main thread.
 */
#pragma once

#include "writers/state/writer.h"

#include <linux/perf_event.h>

/* Maximum number of rings of a process at a time. */
enum { OMPTAPE_MAX_RINGS = 512 };

/* State of the sampling, and the reason why threads have no samples. */
struct omptape_sampling {
    uint64_t period_ns; /* processor time between two samples of a thread; 0 if there are none */
    uint32_t threads;   /* number of threads that are or were sampled */
    uint32_t refused;   /* number of threads that are not sampled */
    int error;          /* errno of perf_event_open or mmap for the first refused thread */
    bool is_private;    /* true if the program was not dumpable at that time */
    uint64_t locked;    /* bytes of all rings */
    uint64_t budget;    /* limit of `locked`; beyond it rings become smaller, for other processes' sake */
    uint64_t max_ring_bytes; /* limit of a ring's bytes, after the kernel refused a larger one */
    int paranoid;            /* the setting perf_event_paranoid; INT_MIN if unknown */
    uint64_t sleep_ns;       /* the writer may sleep as long without a ring becoming full */
};

/* Starts the sampling. `processors` is the number of processors that the program may use; the memory that the
 * user may lock depends on it. */
void omptape_sampling_start(struct omptape_sampling *sampling, const struct omptape_writer *writer,
                            uint32_t processors);

/* Turns an event that records context switches into a sampling event. `deep` selects a larger stack copy for
 * a thread whose stacks are often truncated. */
void omptape_sampling_configure(const struct omptape_sampling *sampling, bool deep,
                                struct perf_event_attr *event);

/* Return the least size of a sampling ring, and the size that a new ring should have if `rings` are open. */
uint64_t omptape_sampling_min_bytes(void);
uint64_t omptape_sampling_ring_bytes(const struct omptape_sampling *sampling, uint32_t rings);

/* Note that a sampling ring of `bytes` was opened or closed. */
void omptape_sampling_opened(struct omptape_sampling *sampling, uint64_t bytes);
void omptape_sampling_closed(struct omptape_sampling *sampling, uint64_t bytes);
/* Notes that the kernel refused a ring, with a negative errno. `is_private` is true if the program's files in
 * /proc belong to another user. */
void omptape_sampling_refused(struct omptape_sampling *sampling, int error, bool is_private);

/* Decodes a PERF_RECORD_SAMPLE of `bytes`, with its header. *raw receives its time, CLOCK_MONOTONIC_RAW, ns.
 * Returns the calling context, or OTF2_UNDEFINED_CALLING_CONTEXT if the sample is unusable. */
OTF2_CallingContextRef omptape_sampling_decode(struct omptape_writer *writer, const unsigned char *record,
                                               size_t bytes, uint64_t *raw);

/* Explains in one line why some threads have no samples, and what allows them. Returns false if all have. */
bool omptape_sampling_explain(const struct omptape_sampling *sampling, char *text, size_t bytes);
/* Writes the same reason in a few words, for OMPTAPE_KEY_SAMPLES_REFUSED. */
bool omptape_sampling_cause(const struct omptape_sampling *sampling, char *text, size_t bytes);
/* Writes why the program's threads cannot sample themselves (--sample=signal). Returns false if they can. */
bool omptape_sampling_cause_of_own(const struct omptape_settings *settings, char *text, size_t bytes);
