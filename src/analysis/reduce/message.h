/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a writer sends to `omptape top`: how its program does, the definitions that the sums of a pass
 * (partial.h) refer to, and these sums. The reading side makes an analysis of it. Both are of one version:
 * the bytes are of no other use. One thread.
 *
 *     "omptlive"   facts   definitions, 0   the sums
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/reduce/bytes.h"

struct analysis_state;

/* How the program is recorded. */
enum {
    OMPTAPE_MESSAGE_PROFILE = 1,    /* the sums are of the whole run */
    OMPTAPE_MESSAGE_WINDOW = 2,     /* they are of the last `window` ticks: a flight recorder's */
    OMPTAPE_MESSAGE_PAUSED = 4,     /* the program has stopped the recording */
    OMPTAPE_MESSAGE_INCOMPLETE = 8, /* the archive cannot be completed: its disk is full, or the like */
    OMPTAPE_MESSAGE_UNUSED = 16     /* the program has not used OpenMP, MPI or marks yet: there are no sums */
};

enum { OMPTAPE_MESSAGE_TEXT_BYTES = 4096, OMPTAPE_MESSAGE_MAGIC_BYTES = 8 };
#define OMPTAPE_MESSAGE_MAGIC "omptlive"

/* Times are in ticks of the trace's clock. */
struct omptape_message_facts {
    uint64_t flags;
    uint64_t pid;
    uint64_t rank; /* + 1; 0: it is no rank */
    uint64_t size; /* of the job; 0: not known */
    uint64_t resolution;
    uint64_t begin;      /* of the program, */
    uint64_t sums_begin; /* ...of the sums, */
    uint64_t now;        /* ...and of this message */
    uint64_t processors; /* that the program may use; 0: not known */
    uint64_t threads;    /* that have begun */
    uint64_t alive;      /* ...and have not ended */
    uint64_t records;
    uint64_t dropped;
    uint64_t stalled;                     /* thread time in which there was no room for records */
    uint64_t writer_ns;                   /* processor time of the writer */
    uint64_t books[OMPTAPE_BUCKET_COUNT]; /* thread time of the whole run, as the summary has it */
    char program[OMPTAPE_MESSAGE_TEXT_BYTES];
    char host[OMPTAPE_MESSAGE_TEXT_BYTES];
    char job[OMPTAPE_MESSAGE_TEXT_BYTES];    /* its launcher's name; "": it is in none */
    char folder[OMPTAPE_MESSAGE_TEXT_BYTES]; /* of the archive */
};

/* The facts in the order in which they are sent, from 0 on: numbers, and texts. NULL behind the last. */
uint64_t *omptape_message_number(struct omptape_message_facts *facts, unsigned index);
char *omptape_message_text(struct omptape_message_facts *facts, unsigned index);

/* Writing: the facts, then each definition once, then the end, with the sums of a pass that has ended (NULL:
 * of none). */
void omptape_message_begin(struct omptape_bytes *bytes, const struct omptape_message_facts *facts);
void omptape_message_define(struct omptape_bytes *bytes, const struct omptape_definition *head,
                            const struct omptape_reference *refs, uint32_t ref_count);
/* All of a reader, without calling contexts. */
void omptape_message_define_all(struct omptape_bytes *bytes, const struct omptape_reader *reader);
void omptape_message_end(struct omptape_bytes *bytes, const struct analysis_state *pass);

struct omptape_message {
    struct omptape_message_facts facts;
    struct omptape_reader *reader;
    struct omptape_analysis *analysis;
};

/* 0; -EBADMSG: it is damaged or of another version; -ENOMEM. The message is to be freed in any case. */
int omptape_message_read(struct omptape_message *message, const void *bytes, size_t count);
void omptape_message_free(struct omptape_message *message);
