/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writer's core without its process: records put by hand into a real session, translated by
 * omptape_merge_pass into a real archive in a temporary folder, read back as text (archive_text.h). Used by
 * the tests of the translation on their main thread.
 */
#pragma once

#include "tests/unit/scratch.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/translate/archive_text.h"
#include "writers/merge.h"

enum { TRANSLATE_THREADS = 64 };

struct translate {
    struct session session;
    struct omptape_settings settings;
    struct omptape_writer writer;
    struct omptape_slot *slots[TRANSLATE_THREADS]; /* by number of the played thread */
    unsigned threads;
    char folder[SCRATCH_BYTES];
    struct archive_text *text; /* after translate_finish */
};

extern struct translate translate;

/* cmocka's set-up and tear-down of each test: an open session and archive; all gone. */
int translate_open(void **state);
int translate_close(void **state);

/* What the user asked for by --filter ("": nothing), --limit-per-site (0: nothing) and --start=paused. Before
 * all records. */
void translate_choose(const char *filter, uint64_t limit, bool paused);

/* A further thread, whose first record has this time; the program begins with the first one unless
 * translate.writer.begin says so already. Returns its number, which becomes its location's if its
 * records come in this order. */
unsigned translate_thread(uint64_t time);
/* Its stream has ended. */
void translate_end_thread(unsigned thread);

/* One record. Times are small numbers of the caller's, far in the past for the writer. */
void translate_put(unsigned thread, uint64_t time, enum omptape_kind kind, unsigned a, uint32_t b,
                   unsigned payload_words, ...);
/* The same from an array. */
void translate_put_words(unsigned thread, uint64_t time, enum omptape_kind kind, unsigned a, uint32_t b,
                         unsigned payload_words, const uint64_t *payload);

/* A pass over what is there, as the running writer does it. */
struct omptape_merge_result translate_pass(void);
/* The program is over at `time`: the final pass, all definitions, the archive closed and read back. */
void translate_finish(uint64_t time);
/* The same, but what was recorded at `horizon` or later does not count. */
void translate_finish_at(uint64_t horizon, uint64_t time);
/* The same without reading it back. */
void translate_finish_only(uint64_t time);

/* Fails unless the location's text is this. */
void translate_expect(unsigned location, const char *text);
/* Fails unless otf2-print takes the archive without a word. */
void translate_expect_readable(void);
