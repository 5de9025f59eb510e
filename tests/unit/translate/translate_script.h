/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records by the names of what happens, for the tests of the translation. Used on the test's main thread.
 */
#pragma once

#include "tests/unit/translate/translate_fixture.h"

#include <omptape/ompt.h>

/* Return addresses; no code lies there, so they show as they are. */
enum {
    SITE_PARALLEL = 0x1000,
    SITE_BARRIER = 0x2000,
    SITE_TASK = 0x3000,
    SITE_WORK = 0x4000,
    SITE_LOCK = 0x5000,
    SITE_OTHER = 0x6000
};

enum { INITIAL_REGION = 1 }; /* what the initial task's identity is made of */

/* A thread that begins at `time` with the program's initial task. */
unsigned put_initial_thread(uint64_t time);

/* The same at 10, and so many workers beside it. */
void put_threads(unsigned workers);

void put_fork(unsigned thread, uint64_t time, uint64_t region, uint32_t requested);
/* The same from this task. */
void put_fork_from(unsigned thread, uint64_t time, uint64_t region, uint32_t requested, uint64_t task);
void put_join(unsigned thread, uint64_t time, uint64_t region);
/* The implicit task of a member; `number` of `size`. */
void put_member(unsigned thread, uint64_t time, uint64_t region, uint32_t number, uint64_t size);
void put_member_end(unsigned thread, uint64_t time, uint64_t region);

/* Begin or end of a synchronisation region; of the waiting in it. */
void put_sync(unsigned thread, uint64_t time, unsigned kind, unsigned endpoint, uint64_t site);
void put_wait(unsigned thread, uint64_t time, unsigned kind, unsigned endpoint, uint64_t site);
/* Both at once: a region's own barrier, with a site for the primary only. */
void put_last_barrier(unsigned thread, uint64_t time, unsigned endpoint);

void put_task(unsigned thread, uint64_t time, uint64_t task, uint32_t flags);
void put_schedule(unsigned thread, uint64_t time, unsigned status, uint64_t prior, uint64_t next);
/* The identity of a region's implicit task. */
uint64_t implicit_of(uint64_t region);

void put_work(unsigned thread, uint64_t time, unsigned type, unsigned endpoint, uint64_t count);
void put_mutex(unsigned thread, uint64_t time, enum omptape_kind record, unsigned kind, uint64_t lock);
void put_flush(unsigned thread, uint64_t time);
/* So many events are missing from here to `end`. */
void put_gap(unsigned thread, uint64_t time, uint64_t events, uint64_t end);
void put_control(unsigned thread, uint64_t time, enum omptape_control control);

/* A team of the threads 0 to `size` - 1, forked by thread 0 in region `region` at `time`; all begin then. */
void put_team(uint64_t time, uint64_t region, uint32_t size);
/* Its end at `time`, on all threads. */
void put_team_end(uint64_t time, uint64_t region, uint32_t size);

/* Scripts of what happens within one team, which is there from 20 to 90: before it, and after it. */
void start_in_team(uint64_t region, uint32_t threads);
void finish_in_team(uint64_t region, uint32_t threads);
/* What the location shows between the begin and the end of that team. */
void expect_inside(unsigned location, const char *text);
