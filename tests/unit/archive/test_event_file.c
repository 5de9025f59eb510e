/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event files are byte for byte what libotf2 writes for the same calls: all kinds, values around each number
 * of bytes, times, attributes, chunks that end at every place, and many random calls. Each event of a test
 * goes to both, and the files are compared.
 */
#include "tests/unit/archive/both_event_files.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHUNK = 256 * 1024 };

/* Around each number of bytes that a compressed number may have, and what is undefined. */
static const uint64_t edges[] = {0,
                                 1,
                                 0x7f,
                                 0x80,
                                 0xfe,
                                 0xff,
                                 0x100,
                                 0xffff,
                                 0x10000,
                                 0xffffff,
                                 0x1000000,
                                 0x7fffffff,
                                 0x80000000,
                                 UINT32_MAX - 1,
                                 UINT32_MAX,
                                 UINT64_C(0x100000000),
                                 UINT64_C(0xffffffffff),
                                 UINT64_C(0x10000000000),
                                 UINT64_C(0xffffffffffff),
                                 UINT64_C(0x1000000000000),
                                 UINT64_C(0xffffffffffffff),
                                 UINT64_C(0x100000000000000),
                                 INT64_MAX,
                                 UINT64_C(1) << 63,
                                 UINT64_MAX - 1,
                                 UINT64_MAX};
enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

static uint64_t seed;

/* So many attributes, the last ones first: number 0 marks a synthesised Leave. */
static void set_some(unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++)
        both_set(OMPTAPE_ATTRIBUTE_NUM - 1 - i, value);
}

static bool has_attributes(enum event_kind kind)
{
    return kind == PROGRAM_BEGIN || kind == ENTER || kind == LEAVE || kind == LEAVE_SYNTHESISED ||
           kind == TASK_CREATE || (kind >= IO_CREATE && kind <= IO_CANCELLED);
}

static void test_values(void **state)
{
    (void)state;
    both_open();
    uint64_t time = 1;
    for (enum event_kind kind = 0; kind < KINDS; kind++) {
        for (unsigned i = 0; i < EDGES; i++) {
            for (unsigned j = 0; j < EDGES; j++) {
                uint64_t a = edges[i];
                uint64_t b = edges[j];
                uint32_t count = (i + j) % (MAX_ARGUMENTS + 1);
                both_put(0, (struct event){kind, time, {a, b, a, b}, count});
                both_put(1, (struct event){kind, time++, {b, a, b, a}, count});
                both_put(2, (struct event){kind, time, {a, a, b, b}, count});
            }
        }
    }
    both_close();
}

static void test_no_events(void **state)
{
    (void)state;
    both_open();
    both_put(1, (struct event){.kind = JOIN, .time = 5});
    both_close();
}

static void test_times(void **state)
{
    (void)state;
    for (unsigned step = 0; step < 2; step++) {
        both_open();
        both.archive.step = step;
        for (unsigned i = 0; i < 4; i++) {
            both_put(0, (struct event){.kind = ENTER, .time = 0}); /* each says its time */
            both_put(1, (struct event){.kind = ENTER, .time = i / 2});
            both_put(2, (struct event){.kind = ENTER, .time = 1000 - i}); /* back */
        }
        for (unsigned i = 0; i < EDGES - 2; i++)
            for (unsigned times = 0; times < 3; times++)
                both_put(times,
                         (struct event){.kind = BUFFER_FLUSH, .time = edges[i], .value = {edges[i] + times}});
        both_put(2, (struct event){.kind = JOIN, .time = UINT64_MAX});
        both_close();
    }
}

static void test_attributes(void **state)
{
    (void)state;
    both_open();
    for (unsigned attribute = 0; attribute < OMPTAPE_ATTRIBUTE_NUM; attribute++) {
        for (unsigned i = 0; i < EDGES; i++) {
            both_set(attribute, edges[i]);
            both_put(i % LOCATIONS, (struct event){.kind = ENTER, .time = i, .value = {1}});
        }
    }
    for (unsigned count = 0; count < OMPTAPE_ATTRIBUTE_NUM; count++) {
        for (unsigned i = 0; i < EDGES; i++) {
            for (enum event_kind kind = 0; kind < KINDS; kind++) {
                if (!has_attributes(kind))
                    continue;
                set_some(count, edges[i]);
                both_put(kind % LOCATIONS, (struct event){kind, i / 2, {edges[i]}, count});
            }
        }
    }
    /* An event that takes none leaves them for the next that does, and what is cleared is gone. */
    set_some(3, 5);
    both_put(0, (struct event){.kind = JOIN, .time = 100});
    both_put(0, (struct event){.kind = ENTER, .time = 100});
    set_some(2, 5);
    omptape_archive_clear_attributes(&both.archive);
    OTF2_AttributeList_RemoveAllAttributes(both.list);
    both_put(0, (struct event){.kind = ENTER, .time = 101});
    both_close();
}

static size_t room_left(unsigned location)
{
    return (size_t)(both.events[location].end - both.events[location].at);
}

/* Fills the chunk until exactly so many bytes are left, 1 at least. */
static void fill(unsigned location, size_t left)
{
    enum { FULL_JOIN = 12, SHORT_JOIN = 3, FAR = 1000 };
    struct event join = {.kind = JOIN, .time = both.last[location] + 1};
    const struct event enter = {.kind = ENTER, .time = join.time};
    const struct event large = {PROGRAM_BEGIN, join.time, {7, 1 << 20, 1 << 20, 1 << 20}, MAX_ARGUMENTS};
    both_put(location, join);
    while (room_left(location) < left + FAR) /* in the next one */
        both_put(location, large);
    while (room_left(location) > left + FAR)
        both_put(location, large);
    for (int i = 0; i < 2 && (room_left(location) - left - FULL_JOIN) % SHORT_JOIN != 0; i++)
        both_put(location, enter);
    while (room_left(location) > left + FULL_JOIN)
        both_put(location, join);
    /* With a new time it takes all that it may take: so it fits wherever a byte remains. */
    join.time++;
    both_put(location, join);
    assert_int_equal(room_left(location), left);
}

/* Each kind where so many bytes are left in the chunk, for all numbers around the most that it may take. */
static void cross(enum event_kind kind, unsigned attributes, size_t first, size_t last)
{
    for (size_t left = first; left <= last; left++) {
        bool later = left % 2 == 0;
        unsigned location = (unsigned)(left % LOCATIONS);
        uint64_t value = left % 3 == 0 ? UINT64_MAX - 1 : left;
        fill(location, left);
        set_some(has_attributes(kind) ? attributes : 0, value);
        both_put(location,
                 (struct event){
                     kind, both.last[location] + later, {value, value, value, value}, (uint32_t)(left % 60)});
        both_put(location, (struct event){.kind = ENTER, .time = both.last[location] + !later});
    }
}

static void test_chunks(void **state)
{
    (void)state;
    for (enum event_kind kind = 0; kind < KINDS; kind++) {
        both_open();
        cross(kind, 0, 1, 60);
        both_close();
    }
    for (enum event_kind kind = 0; kind < KINDS; kind++) {
        if (!has_attributes(kind))
            continue;
        both_open();
        cross(kind, 1, 30, 60);
        cross(kind, 16, 255, 285);
        cross(kind, 17, 280, 310);
        both_close();
    }
    both_open();
    cross(PROGRAM_BEGIN, 0, 240, 380);
    both_close();
}

/* The end of the file at each place of a chunk but the last, where libotf2 writes behind its memory. */
static void test_ends(void **state)
{
    (void)state;
    for (size_t left = 2; left < 40; left += LOCATIONS) {
        both_open();
        for (unsigned i = 0; i < LOCATIONS; i++)
            fill(i, left + i);
        both_close();
    }
}

static void define(OTF2_Archive *archive, uint64_t events)
{
    assert_int_equal(OTF2_Archive_OpenDefFiles(archive), OTF2_SUCCESS);
    OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, 0);
    assert_int_equal(OTF2_Archive_CloseDefWriter(archive, local), OTF2_SUCCESS);
    assert_int_equal(OTF2_Archive_CloseDefFiles(archive), OTF2_SUCCESS);
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(out, 1000, 0, 1000, OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteString(out, 0, "name");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteLocationGroup(out, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(out, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, events, 0);
    assert_int_equal(OTF2_Archive_CloseGlobalDefWriter(archive, out), OTF2_SUCCESS);
}

static uint64_t read_events(const char *folder)
{
    char anchor[128];
    uint64_t count = 0;
    snprintf(anchor, sizeof(anchor), "%s/traces.otf2", folder);
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    assert_non_null(reader);
    assert_int_equal(OTF2_Reader_SetSerialCollectiveCallbacks(reader), OTF2_SUCCESS);
    assert_int_equal(OTF2_Reader_SelectLocation(reader, 0), OTF2_SUCCESS);
    assert_int_equal(OTF2_Reader_OpenEvtFiles(reader), OTF2_SUCCESS);
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, 0);
    assert_non_null(events);
    assert_int_equal(OTF2_Reader_ReadAllLocalEvents(reader, events, &count), OTF2_SUCCESS);
    OTF2_Reader_CloseEvtReader(reader, events);
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);
    return count;
}

/* There ours is one byte longer than the chunk, and can be read. */
static void test_last_place(void **state)
{
    unsigned char *bytes;
    (void)state;
    both_open();
    fill(0, 1);
    size_t chunks = both.events[0].written / CHUNK + 1;
    uint64_t count = omptape_archive_close_location(&both.archive, &both.events[0]);
    assert_string_equal(both.archive.error, "");
    for (unsigned i = 1; i < LOCATIONS; i++)
        omptape_archive_close_location(&both.archive, &both.events[i]);
    omptape_archive_begin_definitions(&both.archive, 0);
    define(both.archive.otf2, count);
    assert_int_equal(omptape_archive_close(&both.archive), 0);
    assert_int_equal(both_read(both.path[1], 0, &bytes), chunks * CHUNK + 1);
    assert_int_equal(bytes[chunks * CHUNK - 1], 2);
    assert_int_equal(bytes[chunks * CHUNK], 1);
    free(bytes);
    assert_true(count > 0);
    assert_int_equal(read_events(both.path[1]), count);
    /* libotf2's ends elsewhere. */
    OTF2_EvtWriter_Enter(both.writers[0], NULL, both.last[0] + 1, 1);
    both_forget();
}

/* xorshift64* */
static uint64_t draw(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * UINT64_C(0x2545f4914f6cdd1d);
}

/* Of any number of bits, or an edge. */
static uint64_t draw_value(void)
{
    uint64_t bits = draw() % 64;
    return draw() % 8 == 0 ? edges[draw() % EDGES] : (draw() & (UINT64_MAX >> bits));
}

static void on_observed(void *data, struct omptape_events *events, const struct archive_event *event,
                        const struct omptape_attributes *attributes)
{
    uint64_t *count = data;
    assert_true(attributes == NULL || attributes->count > 0);
    assert_true(event->kind < OMPTAPE_EVENT_KINDS);
    assert_true(omptape_events_are_open(events));
    ++*count;
}

/* Somebody begins to look at what the files get, or ends it. */
static void toggle_observer(uint64_t *count)
{
    const bool begins = both.archive.observer.event == NULL;
    both.archive.observer =
        (struct archive_observer){.data = count, .beside = begins, .event = begins ? on_observed : NULL};
    for (unsigned i = 0; i < LOCATIONS; i++)
        if (begins)
            omptape_event_file_hide_space(&both.events[i]);
        else
            omptape_event_file_restore_space(&both.events[i]);
}

/* An observer gets none of these. */
static bool is_of_counters(const struct event *event)
{
    return event->kind == METRIC &&
           (uint32_t)event->value[0] % (OMPTAPE_METRIC_LEVEL + 1) == OMPTAPE_METRIC_COUNTERS;
}

/* Now and then somebody looks, which changes nothing. */
static void test_random(void **state)
{
    enum { CALLS = 400000, STRETCH = 997 };
    uint64_t seen = 0;
    uint64_t shown = 0;
    const char *given = getenv("OMPTAPE_TEST_SEED");
    (void)state;
    seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)getpid() * 2654435761U + 1;
    print_message("seed %llu\n", (unsigned long long)seed);
    both_open();
    for (unsigned i = 0; i < CALLS; i++) {
        unsigned location = (unsigned)(draw() % LOCATIONS);
        struct event event = {(enum event_kind)(draw() % KINDS),
                              both.last[location] + draw() % 3 * (draw() % 1000),
                              {draw_value(), draw_value(), draw_value(), draw_value()},
                              (uint32_t)(draw() % (MAX_ARGUMENTS + 1))};
        if (has_attributes(event.kind) && draw() % 4 == 0)
            set_some((unsigned)(draw() % OMPTAPE_ATTRIBUTE_NUM), draw_value());
        if (i % STRETCH == 0)
            toggle_observer(&seen);
        shown += both.archive.observer.event != NULL && !is_of_counters(&event);
        both_put(location, event);
    }
    if (both.archive.observer.event != NULL)
        toggle_observer(&seen);
    assert_int_equal(seen, shown);
    both_close();
}

/* A write that stops in the middle and fails: the next try goes on there. */
static void test_tries_again(void **state)
{
    struct rlimit before;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    both_open();
    struct omptape_events *events = &both.events[0];
    fill(0, 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit narrow = {.rlim_cur = CHUNK / 2 + 1, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &narrow), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(omptape_event_file_next_chunk(events, both.archive.files, both.last[0] + 5), -EFBIG);
        assert_int_equal(events->written, 0);
        assert_int_equal(room_left(0), 3);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    both_put(0, (struct event){.kind = ENTER, .time = both.last[0] + 5});
    assert_int_equal(events->written, CHUNK);
    both_close();
}

/* What fails is remembered, and nothing is written any more. */
static void test_fails(void **state)
{
    struct rlimit before;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    both_open();
    struct omptape_archive *archive = &both.archive;
    struct omptape_events *events = &both.events[0];
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit narrow = {.rlim_cur = CHUNK / 2, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &narrow), 0);
    uint64_t time = 1;
    for (; archive->error[0] == '\0' && time < CHUNK; time++)
        omptape_archive_enter(archive, events, time, 1);
    assert_true(time < CHUNK);
    uint64_t count = events->count;
    omptape_archive_enter(archive, events, time, 1);
    omptape_archive_join(archive, &both.events[1], time);
    assert_int_equal(events->count, count);
    for (unsigned i = 0; i < LOCATIONS; i++) {
        omptape_archive_close_location(archive, &both.events[i]);
        assert_false(omptape_events_are_open(&both.events[i]));
        assert_int_equal(both.events[i].written, 0);
        omptape_archive_join(archive, &both.events[i], time); /* ignored */
    }
    assert_int_equal(both.events[1].count, 1); /* that one came to memory */
    assert_int_equal(omptape_archive_close(archive), -EIO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    both_forget();
}

/* Not even the arguments are evaluated: libotf2 is not called. */
static void test_no_definition_after_an_error(void **state)
{
    struct omptape_archive archive = {.error = "an error"};
    unsigned refs = 0;
    (void)state;
    OMPTAPE_DEFINE(&archive, String, refs++, "text");
    assert_int_equal(refs, 0);
    assert_string_equal(archive.error, "an error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_no_events),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_last_place),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_tries_again),
        cmocka_unit_test(test_fails),
        cmocka_unit_test(test_no_definition_after_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
