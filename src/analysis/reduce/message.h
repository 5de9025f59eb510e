/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The message that a writer sends to `omptape top`. It has facts about the program, the sums of a pass
 * (partial.h), and the definitions that these refer to. The receiver makes an analysis of it. Sender and
 * receiver must have the same version. One thread.
 *
 * Layout: the magic "omptlive", the facts, the threads that OpenMP does not know, the definitions,
 * OMPTAPE_DEF_NONE, the sums.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/reduce/byte_coding.h"

struct analysis_state;

/* Flags: how the program is recorded. */
enum {
    OMPTAPE_MESSAGE_PROFILE = 1, /* the sums cover the whole run */
    OMPTAPE_MESSAGE_WINDOW = 2,  /* flight recorder: the sums cover the last `window` ticks */
    OMPTAPE_MESSAGE_PAUSED = 4,  /* the program has stopped the recording */
    /* The archive cannot be completed, for example because the disk is full. */
    OMPTAPE_MESSAGE_INCOMPLETE = 8,
    /* The program has not used OpenMP, MPI or marks yet; there are no sums. */
    OMPTAPE_MESSAGE_UNUSED = 16
};

enum { OMPTAPE_MESSAGE_TEXT_BYTES = 4096, OMPTAPE_MESSAGE_MAGIC_BYTES = 8 };
#define OMPTAPE_MESSAGE_MAGIC "omptlive"

/* Times are ticks of the trace's clock. */
struct omptape_message_facts {
    uint64_t flags;
    uint64_t pid;
    uint64_t rank; /* 1 + rank; 0: no rank */
    uint64_t size; /* size of the job; 0: unknown */
    uint64_t resolution;
    uint64_t begin;      /* begin of the program */
    uint64_t sums_begin; /* begin of the sums */
    uint64_t now;        /* time of this message */
    uint64_t processors; /* processors that the program may use; 0: unknown */
    uint64_t threads;    /* number of threads that have begun */
    uint64_t alive;      /* number of threads that have begun and not ended */
    uint64_t records;
    uint64_t dropped;
    uint64_t stalled;                     /* thread time blocked because the buffers were full */
    uint64_t writer_ns;                   /* processor time of the writer */
    uint64_t books[OMPTAPE_BUCKET_COUNT]; /* thread time of the whole run, as in the summary */
    char program[OMPTAPE_MESSAGE_TEXT_BYTES];
    char host[OMPTAPE_MESSAGE_TEXT_BYTES];
    char job[OMPTAPE_MESSAGE_TEXT_BYTES];    /* name of the launcher; "": no job */
    char folder[OMPTAPE_MESSAGE_TEXT_BYTES]; /* folder of the archive */
};

/* A living thread that OpenMP does not know. What it did is counted since the sums began, or since its begin.
 */
enum { OMPTAPE_MESSAGE_NAME_BYTES = 64 };
struct omptape_message_thread {
    uint64_t tid;
    uint64_t begin; /* its creation; if that is unknown, when it was seen first */
    uint64_t computing;
    uint64_t runnable;
    uint64_t blocked;
    char name[OMPTAPE_MESSAGE_NAME_BYTES];
};

/* Return the message's fields in their order, by an index from 0: numbers, and texts. NULL after the last. */
uint64_t *omptape_message_number(struct omptape_message_facts *facts, unsigned index);
char *omptape_message_text(struct omptape_message_facts *facts, unsigned index);

/* Write a message: the facts with the threads that OpenMP does not know, then each definition once. The end
 * has the sums of an ended pass (NULL: none). */
void omptape_message_begin(struct omptape_bytes *bytes, const struct omptape_message_facts *facts,
                           const struct omptape_message_thread *others, uint32_t other_count);
void omptape_message_define(struct omptape_bytes *bytes, const struct omptape_definition *head,
                            const struct omptape_reference *refs, uint32_t ref_count);
/* Writes all definitions of a reader except calling contexts. */
void omptape_message_define_all(struct omptape_bytes *bytes, const struct omptape_reader *reader);
void omptape_message_end(struct omptape_bytes *bytes, const struct analysis_state *pass);

struct omptape_message {
    struct omptape_message_facts facts;
    struct omptape_message_thread *others; /* threads that OpenMP does not know, sorted by `tid` */
    uint32_t other_count;
    struct omptape_reader *reader;
    struct omptape_analysis *analysis;
};

/* Reads a message. Returns 0; -EBADMSG if damaged or of another version; -ENOMEM. To be freed in any case. */
int omptape_message_read(struct omptape_message *message, const void *bytes, size_t count);
void omptape_message_free(struct omptape_message *message);
