/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the callbacks write for each event (callbacks/). On the test's main thread.
 */
#include "tests/unit/translate/translate_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

unsigned put_initial_thread(uint64_t time)
{
    unsigned thread = translate_thread(time);
    translate_put(thread, time, OMPTAPE_IMPLICIT_BEGIN, omptape_fold_flags(ompt_task_initial), 1, 2,
                  (uint64_t)INITIAL_REGION, UINT64_C(1));
    return thread;
}

void put_threads(unsigned workers)
{
    put_initial_thread(10);
    for (unsigned i = 0; i < workers; i++)
        translate_thread(10);
}

void put_fork(unsigned thread, uint64_t time, uint64_t region, uint32_t requested)
{
    uint16_t flags =
        omptape_fold_flags((int)((uint32_t)ompt_parallel_team | (uint32_t)ompt_parallel_invoker_program));
    translate_put(thread, time, OMPTAPE_PARALLEL_BEGIN, flags, requested, 3, region, (uint64_t)SITE_PARALLEL,
                  UINT64_C(0));
}

void put_join(unsigned thread, uint64_t time, uint64_t region)
{
    translate_put(thread, time, OMPTAPE_PARALLEL_END, 0, 0, 1, region);
}

void put_member(unsigned thread, uint64_t time, uint64_t region, uint32_t number, uint64_t size)
{
    translate_put(thread, time, OMPTAPE_IMPLICIT_BEGIN, omptape_fold_flags(ompt_task_implicit), number, 2,
                  region, size);
}

void put_member_end(unsigned thread, uint64_t time, uint64_t region)
{
    translate_put(thread, time, OMPTAPE_IMPLICIT_END, omptape_fold_flags(ompt_task_implicit), 0, 1, region);
}

static void put_sync_record(unsigned thread, uint64_t time, enum omptape_kind record, unsigned kind,
                            unsigned endpoint, uint64_t site)
{
    translate_put(thread, time, record, omptape_pack_endpoint(kind, endpoint), 0,
                  endpoint == ompt_scope_end ? 0 : 1, site);
}

void put_sync(unsigned thread, uint64_t time, unsigned kind, unsigned endpoint, uint64_t site)
{
    put_sync_record(thread, time, OMPTAPE_SYNC_REGION, kind, endpoint, site);
}

void put_wait(unsigned thread, uint64_t time, unsigned kind, unsigned endpoint, uint64_t site)
{
    put_sync_record(thread, time, OMPTAPE_SYNC_WAIT, kind, endpoint, site);
}

void put_last_barrier(unsigned thread, uint64_t time, unsigned endpoint)
{
    uint64_t site = thread == 0 ? SITE_PARALLEL : 0;
    if (endpoint == ompt_scope_begin)
        put_sync(thread, time, ompt_sync_region_barrier_implicit_parallel, endpoint, site);
    put_wait(thread, time, ompt_sync_region_barrier_implicit_parallel, endpoint, site);
    if (endpoint == ompt_scope_end)
        put_sync(thread, time, ompt_sync_region_barrier_implicit_parallel, endpoint, site);
}

void put_task(unsigned thread, uint64_t time, uint64_t task, uint32_t flags)
{
    translate_put(thread, time, OMPTAPE_TASK_CREATE,
                  omptape_fold_flags((int)(flags | (uint32_t)ompt_task_explicit)), 0, 2, task,
                  (uint64_t)SITE_TASK);
}

void put_schedule(unsigned thread, uint64_t time, unsigned status, uint64_t prior, uint64_t next)
{
    translate_put(thread, time, OMPTAPE_TASK_SCHEDULE, status, 0, 2, prior, next);
}

uint64_t implicit_of(uint64_t region)
{
    return region | OMPTAPE_ID_IMPLICIT;
}

void put_work(unsigned thread, uint64_t time, unsigned type, unsigned endpoint, uint64_t count)
{
    translate_put(thread, time, OMPTAPE_WORK, omptape_pack_endpoint(type, endpoint), 0,
                  endpoint == ompt_scope_end ? 0 : 2, count, (uint64_t)SITE_WORK);
}

void put_mutex(unsigned thread, uint64_t time, enum omptape_kind record, unsigned kind, uint64_t lock)
{
    translate_put(thread, time, record, kind, 0, 2, lock, (uint64_t)SITE_LOCK);
}

void put_flush(unsigned thread, uint64_t time)
{
    translate_put(thread, time, OMPTAPE_FLUSH, 0, 0, 1, (uint64_t)SITE_OTHER);
}

void put_control(unsigned thread, uint64_t time, enum omptape_control control)
{
    translate_put(thread, time, OMPTAPE_CONTROL_TOOL, control, 0, 3, (uint64_t)control, UINT64_C(0),
                  (uint64_t)SITE_OTHER);
}

void put_team(uint64_t time, uint64_t region, uint32_t size)
{
    put_fork(0, time, region, size);
    for (uint32_t i = 0; i < size; i++)
        put_member(i, time, region, i, size);
}

void put_team_end(uint64_t time, uint64_t region, uint32_t size)
{
    for (uint32_t i = size; i > 0; i--)
        put_member_end(i - 1, time, region);
    put_join(0, time, region);
}

void start_in_team(uint64_t region, uint32_t threads)
{
    put_threads(threads - 1);
    put_team(20, region, threads);
}

void finish_in_team(uint64_t region, uint32_t threads)
{
    put_team_end(90, region, threads);
    translate_finish(100);
    translate_expect_readable();
}

void expect_inside(unsigned location, const char *text)
{
    const char *all = translate.text->events[location];
    const char *begin = strstr(all, "20 enter !$omp parallel @0x1000\n");
    const char *end = strstr(all, "90 leave !$omp parallel @0x1000\n");
    assert_non_null(begin);
    assert_non_null(end);
    begin = strchr(begin, '\n') + 1;
    char *inside = strndup(begin, (size_t)(end - begin));
    assert_string_equal(inside, text);
    free(inside);
}

void put_gap(unsigned thread, uint64_t time, uint64_t events, uint64_t end)
{
    translate_put(thread, time, OMPTAPE_DROPPED, 0, 0, 2, events, end);
}

void put_fork_from(unsigned thread, uint64_t time, uint64_t region, uint32_t requested, uint64_t task)
{
    translate_put(thread, time, OMPTAPE_PARALLEL_BEGIN, omptape_fold_flags((int)ompt_parallel_team),
                  requested, 3, region, (uint64_t)SITE_PARALLEL, task);
}
