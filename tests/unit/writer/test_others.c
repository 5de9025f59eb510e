/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of threads that neither OpenMP nor MPI knows. Run by CTest as unit.others.
 */
#include "src/archive/otf2_files.h"
#include "tests/unit/translate/translate_script.h"
#include "writers/observe/observe.h"
#include "writers/observe/others.h"
#include "writers/observe/switches.h"
#include "writers/state/locations.h"
#include "writers/state/sched.h"
#include "writers/translate/created_threads.h"
#include "writers/translate/parallel.h"
#include "writers/translate/samples.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t second = 1000000000; /* in ticks, too */

static struct omptape_others others;
static struct omptape_switch_rings rings;

static int open_others(void **state)
{
    others = (struct omptape_others){.alive = NULL};
    return translate_open(state);
}

/* Few archives can be open at once. */
static int close_others(void **state)
{
    omptape_others_free(&others);
    if (translate.text == NULL)
        omptape_otf2_files_unregister(translate.writer.archive.files);
    return translate_close(state);
}

/* So many threads, numbered from `first` on, are there at `time`. */
static void list_at(uint64_t time, uint32_t first, uint32_t count)
{
    uint32_t *tids = calloc(count + 1U, sizeof(*tids));
    assert_non_null(tids);
    for (uint32_t i = 0; i < count; i++)
        tids[i] = first + i;
    omptape_others_update(&others, &rings, &translate.writer, tids, count, time);
    free(tids);
}

/* Each that is there has run for `ms` by now. */
static void run_to(uint64_t time, uint64_t ms)
{
    for (uint32_t i = 0; i < others.alive_count; i++) {
        const struct omptape_sched_reading reading = {.time = time, .sums = {ms * 1000000}};
        omptape_sched_add(&translate.writer, others.alive[i], &reading);
    }
}

/* Closes all locations before. Returns how many came. */
static uint32_t adopt_at(uint64_t time)
{
    const uint32_t before = translate.writer.location_count;
    omptape_others_adopt(&others, &rings, &translate.writer, time);
    return translate.writer.location_count - before;
}

/* A thread begins at its creation, as the kernel recorded it. One that no list showed counts once two lists
 * were read, but not if OpenMP knows it. */
static void test_creation(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    for (uint32_t i = 0; i < 3; i++)
        omptape_others_note_created(
            &others,
            &(struct omptape_created_thread){.tid = i < 2 ? 100000 + i : translate.writer.locations[0]->tid,
                                             .creator = 77,
                                             .time = second});
    list_at(2 * second, 100000, 1);
    assert_int_equal(others.rest_count, 0);
    run_to(10 * second, 500);
    list_at(11 * second, 100000, 1);
    assert_int_equal(others.rest_count, 1);
    assert_int_equal(others.alive[0]->origin.creator, 77);
    assert_int_equal(others.alive[0]->begin, second + 1);
    omptape_others_note_joining(&others, &translate.writer, 100000, 77);
    assert_int_equal(others.alive[0]->origin.joiner, 77);
    assert_int_equal(adopt_at(12 * second), 1);
}

/* An earlier thread with the same number stays the one that it was. */
static void test_reused_number(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    list_at(second, 100000, 1);
    omptape_others_note_created(
        &others, &(struct omptape_created_thread){.tid = 100000, .creator = 77, .time = 2 * second});
    assert_int_equal(others.alive[0]->origin.creator, 0);
    assert_int_equal(others.created_count, 1);
}

/* A later thread with the same location has another origin, which may be unknown. */
static void test_reused_location(void **state)
{
    (void)state;
    put_threads(1);
    translate_pass();
    struct omptape_location *location = translate.writer.locations[1];
    const struct omptape_record begin = {
        .time = second, .kind = OMPTAPE_THREAD_BEGIN, .a = (uint16_t)location->thread_type, .b = 100000};
    location->origin = (struct omptape_thread_origin){.creator = 77, .joiner = 77, .number = 1};
    omptape_locations_make_reusable(&translate.writer, location);
    assert_ptr_equal(omptape_locations_add(&translate.writer, &begin), location);
    assert_int_equal(location->origin.number, 0);
    assert_int_equal(location->origin.joiner, 0);
}

/* What is queued of a creator whose team has ended is written up to the team's end only. */
static void test_creator_is_late(void **state)
{
    (void)state;
    put_threads(1);
    translate_pass();
    struct omptape_writer *writer = &translate.writer;
    struct omptape_location *creator = writer->locations[0];
    struct omptape_location *created = writer->locations[1];
    struct omptape_team team = {.ended = true, .end = 50, .barrier_end = 50};
    const uint32_t number = omptape_created_threads_number(writer);
    omptape_created_threads_queue(creator, 40, OMPTAPE_RECORD_THREAD_CREATE, number);
    omptape_created_threads_queue(creator, 60, OMPTAPE_RECORD_THREAD_CREATE, number);
    created->thread_type = ompt_thread_initial;
    created->events->count = 0;
    created->begin = 70;
    created->origin = (struct omptape_thread_origin){.creator = creator->tid, .number = number};
    creator->stack.implicit_team = &team;
    omptape_created_threads_begin_initial(writer, created);
    creator->stack.implicit_team = NULL;
    assert_int_equal(creator->samples.count, 1);
    assert_int_equal(creator->samples.list[0].time, 60);
}

/* A thread that ended then, created at 1 s: its location at the program's end, at 12 s. */
static const struct omptape_location *adopt_created(uint64_t window_begin, uint64_t ended)
{
    struct omptape_writer *writer = &translate.writer;
    put_threads(0);
    translate_pass();
    const uint32_t number = omptape_created_threads_number(writer);
    omptape_created_threads_queue(writer->locations[0], second, OMPTAPE_RECORD_THREAD_CREATE, number);
    omptape_samples_write(writer, writer->locations[0], second);
    omptape_others_note_created(&others, &(struct omptape_created_thread){
                                             .tid = 100000, .creator = 77, .number = number, .time = second});
    list_at(2 * second, 100000, 1);
    run_to(10 * second, 500);
    others.alive[0]->origin.ended = ended;
    writer->window_begin = window_begin;
    assert_int_equal(adopt_at(12 * second), 1);
    return writer->locations[1];
}

static void test_end(void **state)
{
    (void)state;
    assert_int_equal(adopt_created(0, 12 * second)->last, 12 * second);
}

/* A thread that ended after the program has no end: no event is later than the program's end. */
static void test_end_is_too_late(void **state)
{
    (void)state;
    assert_true(adopt_created(0, 12 * second + 1)->last <= 12 * second);
}

/* A thread without a begin has no end. */
static void test_begin_before_window(void **state)
{
    (void)state;
    assert_true(adopt_created(3 * second, 11 * second)->last < 11 * second);
}

/* A wait that is known early stays behind an earlier sample with counters. */
static void test_wait_before_counted(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    struct omptape_location *location = translate.writer.locations[0];
    const struct omptape_sample counted = {.context = OTF2_UNDEFINED_CALLING_CONTEXT, .counted = true};
    assert_non_null(omptape_samples_sums(location));
    omptape_created_threads_queue(location, 100, OMPTAPE_RECORD_THREAD_WAIT, 1);
    omptape_samples_queue(location, 50, counted);
    omptape_samples_queue(location, 60, counted);
    assert_int_equal(location->samples.list[0].time, 50);
    assert_int_equal(location->samples.list[1].time, 60);
    assert_int_equal(location->samples.list[2].time, 100);
}

/* A thread's events that are dropped are no lost samples. */
static void test_dropped_events(void **state)
{
    enum { MAX_QUEUED = 1 << 19 };
    (void)state;
    put_threads(0);
    translate_pass();
    list_at(second, 100000, 1);
    struct omptape_location *location = others.alive[0];
    omptape_samples_queue(location, second, (struct omptape_sample){.timed = true});
    for (unsigned i = 0; i < MAX_QUEUED; i++)
        omptape_created_threads_queue(location, second, OMPTAPE_RECORD_THREAD_CREATE, 1);
    assert_true(location->samples.count < MAX_QUEUED);
    assert_int_equal(location->samples.dropped, 1);
}

/* More than 1 % of the run, and no less than 10 ms. */
static void test_threshold(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    list_at(second, 100000, 2);
    run_to(10 * second, 120);
    list_at(11 * second, 100000, 1);
    run_to(20 * second, 190);
    assert_int_equal(others.ended_count, 1);
    assert_int_equal(adopt_at(20 * second), 0);
    assert_int_equal(others.rest_count, 2);
    assert_int_equal(others.rest_ns, 310000000);
}

static void test_shown(void **state)
{
    (void)state;
    put_threads(0);
    translate_pass();
    list_at(second, 100000, 1);
    run_to(5 * second, 4000);
    assert_int_equal(adopt_at(10 * second), 1);
    const struct omptape_location *location = translate.writer.locations[1];
    assert_non_null(location->other);
    assert_int_equal(location->first_tid, 100000);
    assert_false(omptape_location_is_of_openmp(location));
    assert_int_equal(others.rest_count, 0);
    assert_int_equal(translate.writer.thread_count, 1);
}

/* One that begins to use OpenMP is no other thread, nor is one that it was before it was seen to be one. */
static void test_known(void **state)
{
    (void)state;
    put_threads(1);
    translate_pass();
    const uint32_t known = translate.writer.locations[1]->tid;
    list_at(second, known, 1);
    assert_int_equal(others.alive_count, 0);
    list_at(second, 100000, 1);
    run_to(5 * second, 4000);
    translate.writer.locations[1]->tid = 100000;
    translate.writer.thread_count++;
    assert_int_equal(adopt_at(10 * second), 0);
    assert_int_equal(others.rest_count, 0);
}

/* A flight recorder sees only at its end which threads OpenMP knew. */
static void test_handed_over(void **state)
{
    (void)state;
    put_threads(1);
    translate_pass();
    struct omptape_location *worker = translate.writer.locations[1];
    list_at(second, 100000, 2);
    run_to(5 * second, 4000);
    list_at(6 * second, 100001, 1);
    worker->tid = 100000;
    translate.writer.thread_count++;
    omptape_others_move_remaining(&others, &rings, &translate.writer);
    assert_non_null(worker->sched);
    assert_int_equal(worker->sched->latest.sums[OMPTAPE_MEMBER_RUNNING], 4 * second);
    assert_int_equal(adopt_at(10 * second), 1);
}

/* Thousands come and go: the memory for them does not grow, the most expensive stay, and the sum is right. */
static void test_many(void **state)
{
    (void)state;
    enum { ROUNDS = 50, EACH = 100 };
    uint64_t all = 0;
    put_threads(0);
    translate_pass();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint64_t time = (1 + i) * second / 10;
        list_at(time, 100000 + i * EACH, EACH);
        run_to(time + second / 20, 60 + i);
        all += (uint64_t)EACH * (60 + i);
        assert_true(others.ended_count <= 64);
        assert_int_equal(others.alive_count, EACH);
    }
    list_at(6 * second, 1, 0);
    const uint32_t shown = adopt_at(6 * second);
    assert_int_equal(shown, 64);
    assert_int_equal(others.rest_count, ROUNDS * EACH - 64);
    assert_int_equal(others.rest_ns, (all - 64U * (60 + ROUNDS - 1)) * 1000000);
}

/* Another member's record forms the team, and creates the worker's location before the worker's first record.
 * What was observed of the worker's thread moves there. The thread is the test's own. */
static void test_met_in_team(void **state)
{
    (void)state;
    enum { REGION = 100, OTHER_TID = 1 };
    static const struct omptape_processor_set any = {.count = 0};
    struct omptape_writer *writer = &translate.writer;
    const int process = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    omptape_observe_start(writer, process, &any);
    omptape_observe_serve(writer);
    assert_int_equal(omptape_observe_thread_count(writer), 1);
    put_initial_thread(10);
    ((struct omptape_record *)(void *)translate.slots[0]->chunk->records)->b = OTHER_TID;
    put_fork(0, 20, REGION, 2);
    put_member(0, 21, REGION, 0, 2);
    const unsigned worker = translate_thread(30);
    put_member(worker, 31, REGION, 1, 2);
    translate_pass();
    assert_int_equal(writer->location_count, 2);
    assert_int_equal(writer->locations[1]->tid, getpid());
    assert_null(writer->locations[0]->sched);
    assert_non_null(writer->locations[1]->sched);
    omptape_observe_stop(writer);
    close(process);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_others, close_others)

/* Waits until it may end. */
static void *wait_for_end(void *tid_and_gate)
{
    _Atomic int *word = tid_and_gate;
    atomic_store(&word[0], (int)syscall(SYS_gettid));
    while (atomic_load(&word[1]) == 0)
        usleep(1000);
    return NULL;
}

/* Limits the address space to what is in use and a page. Returns false with a sanitizer's terabytes. */
static bool limit_memory(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    assert_int_equal(fclose(file), 0);
    const rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);
    const struct rlimit limit = {(pages + 1) * page, RLIM_INFINITY};
    return pages * page >> 40 == 0 && setrlimit(RLIMIT_AS, &limit) == 0;
}

/* A thread whose ring is made smaller when it has just ended was sampled nevertheless. */
static void test_ended_while_ring_shrinks(void **state)
{
    _Atomic int word[2] = {0, 0};
    struct omptape_thread_files files;
    struct rlimit before;
    pthread_t thread;
    (void)state;
    translate.settings.sample_ns = second;
    put_threads(1);
    translate_pass();
    struct omptape_location **locations = translate.writer.locations;
    const int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    omptape_thread_files_init(&files, tasks);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_end, (void *)word), 0);
    while (atomic_load(&word[0]) == 0)
        usleep(1000);
    locations[0]->tid = (uint32_t)atomic_load(&word[0]);
    locations[1]->tid = (uint32_t)getpid();
    locations[1]->closed = true;
    omptape_switches_start(&rings, &files, &others, &translate.writer, 2);
    omptape_switches_serve(&rings, &translate.writer);
    const bool sampled = rings.sampling.threads == 1;
    atomic_store(&word[1], 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    locations[1]->closed = false;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    const bool allowed = sampled && limit_memory();
    omptape_switches_serve(&rings, &translate.writer);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    if (allowed) {
        assert_null(locations[0]->switches);
        assert_non_null(locations[1]->switches);
        assert_int_equal(rings.sampling.threads, 2);
        assert_int_equal(rings.threads, 2);
        assert_int_equal(rings.sampling.refused, 0);
    }
    omptape_switches_stop(&rings, &translate.writer);
    omptape_thread_files_close(&files);
    close(tasks);
    translate_finish(100);
    if (!allowed)
        skip();
}

/* When it may end, it creates a thread and notes the number of that. */
static void *create_another(void *tids_and_gate)
{
    _Atomic int *word = tids_and_gate;
    _Atomic int other[2] = {0, 1};
    pthread_t thread;
    wait_for_end(word);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_end, (void *)other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    atomic_store(&word[0], atomic_load(&other[0]));
    return NULL;
}

/* The last look at a ring finds the creation of a thread whose entry is gone, because OpenMP knows it. */
static void test_creation_of_known(void **state)
{
    _Atomic int word[2] = {0, 0};
    struct omptape_thread_files files;
    pthread_t thread;
    (void)state;
    translate.settings.sample_ns = second;
    put_threads(0);
    translate_pass();
    struct omptape_location *location = translate.writer.locations[0];
    location->closed = true;
    const int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    omptape_thread_files_init(&files, tasks);
    assert_int_equal(pthread_create(&thread, NULL, create_another, (void *)word), 0);
    while (atomic_load(&word[0]) == 0)
        usleep(1000);
    const uint32_t tids[] = {1, (uint32_t)atomic_load(&word[0])};
    omptape_others_update(&others, &rings, &translate.writer, tids, 2, second);
    struct omptape_location **alive = others.alive;
    omptape_sched_add(&translate.writer, alive[1],
                      &(struct omptape_sched_reading){.time = 2 * second, .sums = {UINT64_MAX / 2}});
    omptape_switches_start(&rings, &files, &others, &translate.writer, 2);
    omptape_switches_serve(&rings, &translate.writer);
    const bool sampled = alive[1]->switches != NULL;
    atomic_store(&word[1], 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    alive[0]->tid = location->tid = (uint32_t)atomic_load(&word[0]);
    alive[0]->begin = UINT64_MAX;
    translate.writer.thread_count++;
    (void)adopt_at(3 * second);
    omptape_switches_stop(&rings, &translate.writer);
    omptape_thread_files_close(&files);
    close(tasks);
    if (!sampled)
        skip();
    assert_non_null(others.created);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_creation),        TEST(test_reused_number),       TEST(test_end),
        TEST(test_end_is_too_late), TEST(test_begin_before_window), TEST(test_wait_before_counted),
        TEST(test_dropped_events),  TEST(test_threshold),           TEST(test_shown),
        TEST(test_known),           TEST(test_handed_over),         TEST(test_many),
        TEST(test_met_in_team),     TEST(test_creation_of_known),   TEST(test_ended_while_ring_shrinks),
        TEST(test_reused_location), TEST(test_creator_is_late)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
