/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What `omptape top` asks for (include/omptape/requests.h): the sums of the analysis up to now. As long as
 * somebody asks, the events of a trace also go to an analysis, from the first request on; a profile has one
 * anyway. The first one is answered when there is something in them. Each answer comes from a forked process,
 * in which all that is open ends now, so that the recording goes on meanwhile. Of a flight recorder that
 * process translates the newest records of its copy. Called by the writer's main thread.
 */
#ifndef OMPTAPE_WRITERS_LIVE_H
#define OMPTAPE_WRITERS_LIVE_H

#include "writers/model/model.h"
#include "writers/requests.h"

#include <sys/types.h>

/* All zeros: nobody looks. */
struct omptape_live {
    bool is_recorder;
    const char *folder;  /* of the archive */
    uint64_t sums_begin; /* of the trace; 0: there are none */
    uint64_t asked_ns;   /* when somebody asked last, */
    struct omptape_request request;
    uint64_t answer_ns; /* when that is answered; 0: it is */
    uint64_t window;    /* where the flight recorder's last answer ended, in the trace */
    pid_t child;        /* that answers; 0: none */
    uint64_t child_ns;  /* ...since when */
    uint32_t alive;     /* threads, at the last request */
    uint64_t books_before[OMPTAPE_BUCKET_COUNT]; /* thread time before the flight recorder's window */
    int frames; /* what it looks up (writers/regions/contexts.h); -1: nothing */
};

/* Answers who has asked, and ends sums for which nobody has asked for a while. All records before `horizon`
 * are translated. */
void omptape_live_serve(struct omptape_live *live, struct omptape_writer *writer, uint64_t horizon);

/* Answers that the program has not used OpenMP, MPI or marks yet. */
void omptape_live_answer_unused(struct omptape_writer *writer);

/* Nobody gets an answer any more, and the archive is as if nobody had looked. */
void omptape_live_stop(struct omptape_live *live, struct omptape_writer *writer);

/* In a forked copy of the writer that goes on with the archive: the events go there alone. */
void omptape_live_detach(struct omptape_writer *writer);

#endif
