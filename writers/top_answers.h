/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Answers `omptape top` (include/omptape/requests.h) with the sums of the analysis so far. From the first
 * request until requests cease, the events of a trace also go to an analysis; a profile always has one. The
 * first answer waits until the sums contain something. Each answer comes from a forked process, which closes
 * all open regions in its copy, so that the recording continues meanwhile. For a flight recorder that process
 * translates the newest records of its copy. Called by the writer's main thread.
 */
#pragma once

#include "writers/requests.h"
#include "writers/state/writer.h"

#include <sys/types.h>

/* All zeros mean that nobody has asked. */
struct omptape_top_answers {
    bool is_recorder;
    const char *folder;  /* Path of the archive's folder. */
    uint64_t sums_begin; /* Time of the trace at which the sums begin; 0: there are no sums. */
    uint64_t request_ns; /* Time of the last request, CLOCK_MONOTONIC_RAW in ns. */
    struct omptape_request request;
    uint64_t answer_ns; /* Time at which `request` is answered; 0: no request is pending. */
    uint64_t window;    /* Time of the trace at which the flight recorder's last answer ended. */
    pid_t child;        /* Process that answers; 0: none. */
    uint64_t child_ns;  /* Start time of `child`, CLOCK_MONOTONIC_RAW in ns. */
    uint32_t alive;     /* Threads that lived at the last request. */
    uint64_t ticks_before[OMPTAPE_BUCKET_COUNT]; /* Thread time before the flight recorder's window. */
    int frames; /* memfd for the frames that the child resolves (writers/regions/contexts.h); -1: none. */
};

/* Answers a pending request, and ends unused sums. All records before `horizon` are translated. */
void omptape_top_answers_serve(struct omptape_top_answers *answers, struct omptape_writer *writer,
                               uint64_t horizon);

/* Answers each request with the message that the program has not used OpenMP, MPI or marks yet. */
void omptape_top_answers_unused(struct omptape_writer *writer);

/* Stops answering. The archive is the same as without any request. */
void omptape_top_answers_stop(struct omptape_top_answers *answers, struct omptape_writer *writer);

/* Detaches the sums, so that events go to the archive only. Also called in a forked copy of the writer
 * that continues the archive. */
void omptape_top_answers_detach(struct omptape_writer *writer);
