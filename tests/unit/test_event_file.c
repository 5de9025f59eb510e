/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event files are byte for byte what libotf2 writes for the same calls: all kinds, values around each number of
 * bytes, times, attributes, chunks that end at every place, and many random calls. Each event of a test goes to
 * both, and the files are compared.
 */
#include "src/folder/beneath.h"
#include "tests/unit/otf2_events.h"
#include "tests/unit/scratch.h"
#include "writers/archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { LOCATIONS = 3, CHUNK = 256 * 1024, MOST_ARGUMENTS = 64, HEAD = 18 };

enum event_kind {
    PROGRAM_BEGIN,
    PROGRAM_END,
    ENTER,
    LEAVE,
    LEAVE_SYNTHESISED,
    FORK,
    JOIN,
    TEAM_BEGIN,
    TEAM_END,
    TASK_CREATE,
    TASK_SWITCH,
    TASK_COMPLETE,
    LOCK_ACQUIRE,
    LOCK_RELEASE,
    PARAMETER_STRING,
    PARAMETER_I64,
    PARAMETER_U64,
    MEASUREMENT,
    BUFFER_FLUSH,
    RMA_PUT,
    RMA_GET,
    RMA_COMPLETE,
    METRIC,
    KINDS
};

/* What an event says; each kind takes of it what it has. */
struct event {
    enum event_kind kind;
    uint64_t time;
    uint64_t value[4];
    uint32_t count; /* arguments, or values of a metric */
};

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

static struct {
    char base[SCRATCH_BYTES];
    char path[2][SCRATCH_BYTES + 8]; /* libotf2's folder, and ours */
    OTF2_Archive *otf2;
    OTF2_EvtWriter *writers[LOCATIONS];
    OTF2_AttributeList *list;
    struct omptape_archive archive;
    struct omptape_events events[LOCATIONS];
    uint64_t last[LOCATIONS];
    uint64_t random;
} both;

static void open_both(void)
{
    uint64_t random = both.random;
    memset(&both, 0, sizeof(both));
    both.random = random;
    assert_int_equal(scratch_make(both.base), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(both.path[i], sizeof(both.path[i]), "%s/%s", both.base, i == 0 ? "otf2" : "ours");
        assert_int_equal(mkdir(both.path[i], 0700), 0);
    }
    omptape_archive_create(&both.archive);
    int folder = omptape_beneath_open_named(both.path[1]);
    assert_int_equal(omptape_archive_open(&both.archive, folder), 0);
    close(folder);
    both.otf2 = otf2_events_open(both.path[0]);
    assert_non_null(both.otf2);
    both.list = OTF2_AttributeList_New();
    for (unsigned i = 0; i < LOCATIONS; i++) {
        both.writers[i] = OTF2_Archive_GetEvtWriter(both.otf2, i);
        assert_non_null(both.writers[i]);
        omptape_archive_open_location(&both.archive, &both.events[i], i);
        assert_true(omptape_events_are_open(&both.events[i]));
    }
}

static size_t read_whole(const char *folder, unsigned location, unsigned char **bytes)
{
    char path[128];
    struct stat status;
    snprintf(path, sizeof(path), "%s/traces/%u.evt", folder, location);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    *bytes = malloc((size_t)status.st_size);
    assert_int_equal(fread(*bytes, 1, (size_t)status.st_size, file), status.st_size);
    fclose(file);
    return (size_t)status.st_size;
}

static void compare_files(unsigned location)
{
    unsigned char *bytes[2];
    size_t sizes[2];
    for (int i = 0; i < 2; i++)
        sizes[i] = read_whole(both.path[i], location, &bytes[i]);
    size_t same = 0;
    size_t shorter = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
    while (same < shorter && bytes[0][same] == bytes[1][same])
        same++;
    if (same < shorter)
        print_error("location %u: byte %zu is %02x, libotf2 has %02x\n", location, same, bytes[1][same],
                    bytes[0][same]);
    assert_int_equal(same, shorter);
    assert_int_equal(sizes[1], sizes[0]);
    for (int i = 0; i < 2; i++)
        free(bytes[i]);
}

static void close_location(unsigned location)
{
    uint64_t count = otf2_events_end(both.otf2, both.writers[location]);
    assert_int_equal(omptape_archive_close_location(&both.archive, &both.events[location]), count);
    assert_string_equal(both.archive.error, "");
    assert_false(omptape_events_are_open(&both.events[location]));
    both.writers[location] = NULL;
}

static void forget_both(void)
{
    OTF2_AttributeList_Delete(both.list);
    assert_int_equal(scratch_remove(both.base), 0);
}

static void close_both(void)
{
    for (unsigned i = 0; i < LOCATIONS; i++)
        if (both.writers[i] != NULL)
            close_location(i);
    assert_int_equal(otf2_events_close(both.otf2), 0);
    assert_int_equal(omptape_archive_close(&both.archive), 0);
    for (unsigned i = 0; i < LOCATIONS; i++)
        compare_files(i);
    forget_both();
}

static void call_ours(unsigned location, const struct event *event)
{
    static uint32_t arguments[MOST_ARGUMENTS];
    struct omptape_archive *archive = &both.archive;
    struct omptape_events *events = &both.events[location];
    uint64_t time = event->time;
    const uint64_t *v = event->value;
    uint32_t a = (uint32_t)v[0];
    uint32_t b = (uint32_t)v[1];
    uint32_t c = (uint32_t)v[2];
    for (uint32_t i = 0; i < MOST_ARGUMENTS; i++)
        arguments[i] = (uint32_t)v[i % 4];
    switch (event->kind) {
    case PROGRAM_BEGIN:
        omptape_archive_program_begin(archive, events, time, a, event->count, arguments);
        break;
    case PROGRAM_END:
        omptape_archive_program_end(archive, events, time, (int64_t)v[0]);
        break;
    case ENTER:
        omptape_archive_enter(archive, events, time, a);
        break;
    case LEAVE:
    case LEAVE_SYNTHESISED:
        omptape_archive_leave(archive, events, time, a, event->kind == LEAVE_SYNTHESISED);
        break;
    case FORK:
        omptape_archive_fork(archive, events, time, a);
        break;
    case JOIN:
        omptape_archive_join(archive, events, time);
        break;
    case TEAM_BEGIN:
        omptape_archive_team_begin(archive, events, time, a);
        break;
    case TEAM_END:
        omptape_archive_team_end(archive, events, time, a);
        break;
    case TASK_CREATE:
        omptape_archive_task_create(archive, events, time, a, b, c);
        break;
    case TASK_SWITCH:
        omptape_archive_task_switch(archive, events, time, a, b, c);
        break;
    case TASK_COMPLETE:
        omptape_archive_task_complete(archive, events, time, a, b, c);
        break;
    case LOCK_ACQUIRE:
        omptape_archive_lock_acquire(archive, events, time, a, b);
        break;
    case LOCK_RELEASE:
        omptape_archive_lock_release(archive, events, time, a, b);
        break;
    case PARAMETER_STRING:
        omptape_archive_parameter_string(archive, events, time, a, b);
        break;
    case PARAMETER_I64:
        omptape_archive_parameter_i64(archive, events, time, a, (int64_t)v[1]);
        break;
    case PARAMETER_U64:
        omptape_archive_parameter_u64(archive, events, time, a, v[1]);
        break;
    case MEASUREMENT:
        omptape_archive_measurement(archive, events, time, v[0] % 2 == 0);
        break;
    case BUFFER_FLUSH:
        omptape_archive_buffer_flush(archive, events, time, v[0]);
        break;
    case RMA_PUT:
    case RMA_GET:
        omptape_archive_rma(archive, events, time, event->kind == RMA_PUT, a, v[1], v[2]);
        break;
    case RMA_COMPLETE:
        omptape_archive_rma_complete(archive, events, time, v[0]);
        break;
    default:
        omptape_archive_metric(archive, events, time, a, (uint8_t)(event->count % 5), v);
    }
}

/* The attributes of both have been set. */
static OTF2_ErrorCode call_otf2(unsigned location, const struct event *event, uint64_t time)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    static uint32_t arguments[MOST_ARGUMENTS];
    OTF2_EvtWriter *to = both.writers[location];
    const uint64_t *v = event->value;
    uint32_t a = (uint32_t)v[0];
    uint32_t b = (uint32_t)v[1];
    uint32_t c = (uint32_t)v[2];
    for (uint32_t i = 0; i < MOST_ARGUMENTS; i++)
        arguments[i] = (uint32_t)v[i % 4];
    switch (event->kind) {
    case PROGRAM_BEGIN:
        return OTF2_EvtWriter_ProgramBegin(to, both.list, time, a, event->count, arguments);
    case PROGRAM_END:
        return OTF2_EvtWriter_ProgramEnd(to, NULL, time, (int64_t)v[0]);
    case ENTER:
        return OTF2_EvtWriter_Enter(to, both.list, time, a);
    case LEAVE_SYNTHESISED:
        OTF2_AttributeList_AddUint8(both.list, OMPTAPE_ATTRIBUTE_SYNTHESISED, 1);
        return OTF2_EvtWriter_Leave(to, both.list, time, a);
    case LEAVE:
        return OTF2_EvtWriter_Leave(to, both.list, time, a);
    case FORK:
        return OTF2_EvtWriter_ThreadFork(to, NULL, time, OTF2_PARADIGM_OPENMP, a);
    case JOIN:
        return OTF2_EvtWriter_ThreadJoin(to, NULL, time, OTF2_PARADIGM_OPENMP);
    case TEAM_BEGIN:
        return OTF2_EvtWriter_ThreadTeamBegin(to, NULL, time, a);
    case TEAM_END:
        return OTF2_EvtWriter_ThreadTeamEnd(to, NULL, time, a);
    case TASK_CREATE:
        return OTF2_EvtWriter_ThreadTaskCreate(to, both.list, time, a, b, c);
    case TASK_SWITCH:
        return OTF2_EvtWriter_ThreadTaskSwitch(to, NULL, time, a, b, c);
    case TASK_COMPLETE:
        return OTF2_EvtWriter_ThreadTaskComplete(to, NULL, time, a, b, c);
    case LOCK_ACQUIRE:
        return OTF2_EvtWriter_ThreadAcquireLock(to, NULL, time, OTF2_PARADIGM_OPENMP, a, b);
    case LOCK_RELEASE:
        return OTF2_EvtWriter_ThreadReleaseLock(to, NULL, time, OTF2_PARADIGM_OPENMP, a, b);
    case PARAMETER_STRING:
        return OTF2_EvtWriter_ParameterString(to, NULL, time, a, b);
    case PARAMETER_I64:
        return OTF2_EvtWriter_ParameterInt(to, NULL, time, a, (int64_t)v[1]);
    case PARAMETER_U64:
        return OTF2_EvtWriter_ParameterUnsignedInt(to, NULL, time, a, v[1]);
    case MEASUREMENT:
        return OTF2_EvtWriter_MeasurementOnOff(to, NULL, time,
                                               v[0] % 2 == 0 ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
    case BUFFER_FLUSH:
        return OTF2_EvtWriter_BufferFlush(to, NULL, time, v[0] > time ? v[0] : time);
    case RMA_PUT:
        return OTF2_EvtWriter_RmaPut(to, NULL, time, OMPTAPE_RMA_WINDOW, a, v[1], v[2]);
    case RMA_GET:
        return OTF2_EvtWriter_RmaGet(to, NULL, time, OMPTAPE_RMA_WINDOW, a, v[1], v[2]);
    case RMA_COMPLETE:
        return OTF2_EvtWriter_RmaOpCompleteBlocking(to, NULL, time, OMPTAPE_RMA_WINDOW, v[0]);
    default:
        return OTF2_EvtWriter_Metric(to, NULL, time, a, (uint8_t)(event->count % 5), types,
                                     (const OTF2_MetricValue *)(const void *)v);
    }
}

/* The same event to both. A time before the last one's is that one's. */
static void put(unsigned location, struct event event)
{
    uint64_t earliest = both.last[location] + both.archive.step;
    uint64_t time = event.time < earliest ? earliest : event.time;
    both.last[location] = time;
    assert_int_equal(call_otf2(location, &event, time), OTF2_SUCCESS);
    call_ours(location, &event);
    assert_string_equal(both.archive.error, "");
}

/* An attribute of the next event of both; its number says the type. */
static void set(unsigned attribute, uint64_t value)
{
    struct omptape_archive *archive = &both.archive;
    switch (attribute % 7) {
    case 0:
        omptape_archive_set_u8(archive, attribute, (uint8_t)value);
        OTF2_AttributeList_AddUint8(both.list, attribute, (uint8_t)value);
        break;
    case 1:
        omptape_archive_set_i32(archive, attribute, (int32_t)(uint32_t)value);
        OTF2_AttributeList_AddInt32(both.list, attribute, (int32_t)(uint32_t)value);
        break;
    case 2:
        omptape_archive_set_u32(archive, attribute, (uint32_t)value);
        OTF2_AttributeList_AddUint32(both.list, attribute, (uint32_t)value);
        break;
    case 3:
        omptape_archive_set_i64(archive, attribute, (int64_t)value);
        OTF2_AttributeList_AddInt64(both.list, attribute, (int64_t)value);
        break;
    case 4:
        omptape_archive_set_u64(archive, attribute, value);
        OTF2_AttributeList_AddUint64(both.list, attribute, value);
        break;
    case 5:
        omptape_archive_set_string(archive, attribute, (uint32_t)value);
        OTF2_AttributeList_AddStringRef(both.list, attribute, (uint32_t)value);
        break;
    default:
        omptape_archive_set_location(archive, attribute, value);
        OTF2_AttributeList_AddLocationRef(both.list, attribute, value);
    }
}

/* So many attributes, the last ones first: number 0 is that of a synthesised Leave. */
static void set_some(unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++)
        set(OMPTAPE_ATTRIBUTE_NUM - 1 - i, value);
}

static bool has_attributes(enum event_kind kind)
{
    return kind == PROGRAM_BEGIN || kind == ENTER || kind == LEAVE || kind == LEAVE_SYNTHESISED ||
           kind == TASK_CREATE;
}

static void test_values(void **state)
{
    (void)state;
    open_both();
    uint64_t time = 1;
    for (enum event_kind kind = 0; kind < KINDS; kind++) {
        for (unsigned i = 0; i < EDGES; i++) {
            for (unsigned j = 0; j < EDGES; j++) {
                uint64_t a = edges[i];
                uint64_t b = edges[j];
                uint32_t count = (i + j) % (MOST_ARGUMENTS + 1);
                put(0, (struct event){kind, time, {a, b, a, b}, count});
                put(1, (struct event){kind, time++, {b, a, b, a}, count});
                put(2, (struct event){kind, time, {a, a, b, b}, count});
            }
        }
    }
    close_both();
}

static void test_no_events(void **state)
{
    (void)state;
    open_both();
    put(1, (struct event){.kind = JOIN, .time = 5});
    close_both();
}

static void test_times(void **state)
{
    (void)state;
    for (unsigned step = 0; step < 2; step++) {
        open_both();
        both.archive.step = step;
        for (unsigned i = 0; i < 4; i++) {
            put(0, (struct event){.kind = ENTER, .time = 0}); /* each says its time */
            put(1, (struct event){.kind = ENTER, .time = i / 2});
            put(2, (struct event){.kind = ENTER, .time = 1000 - i}); /* back */
        }
        for (unsigned i = 0; i < EDGES - 2; i++)
            for (unsigned times = 0; times < 3; times++)
                put(times, (struct event){.kind = BUFFER_FLUSH, .time = edges[i], .value = {edges[i] + times}});
        put(2, (struct event){.kind = JOIN, .time = UINT64_MAX});
        close_both();
    }
}

static void test_attributes(void **state)
{
    (void)state;
    open_both();
    for (unsigned attribute = 0; attribute < OMPTAPE_ATTRIBUTE_NUM; attribute++) {
        for (unsigned i = 0; i < EDGES; i++) {
            set(attribute, edges[i]);
            put(i % LOCATIONS, (struct event){.kind = ENTER, .time = i, .value = {1}});
        }
    }
    for (unsigned count = 0; count < OMPTAPE_ATTRIBUTE_NUM; count++) {
        for (unsigned i = 0; i < EDGES; i++) {
            for (enum event_kind kind = 0; kind < KINDS; kind++) {
                if (!has_attributes(kind))
                    continue;
                set_some(count, edges[i]);
                put(kind % LOCATIONS, (struct event){kind, i / 2, {edges[i]}, count});
            }
        }
    }
    /* An event that takes none leaves them for the next that does, and what is cleared is gone. */
    set_some(3, 5);
    put(0, (struct event){.kind = JOIN, .time = 100});
    put(0, (struct event){.kind = ENTER, .time = 100});
    set_some(2, 5);
    omptape_archive_clear_attributes(&both.archive);
    OTF2_AttributeList_RemoveAllAttributes(both.list);
    put(0, (struct event){.kind = ENTER, .time = 101});
    close_both();
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
    const struct event large = {PROGRAM_BEGIN, join.time, {7, 1 << 20, 1 << 20, 1 << 20}, MOST_ARGUMENTS};
    put(location, join);
    while (room_left(location) < left + FAR) /* in the next one */
        put(location, large);
    while (room_left(location) > left + FAR)
        put(location, large);
    while ((room_left(location) - left - FULL_JOIN) % SHORT_JOIN != 0)
        put(location, enter);
    while (room_left(location) > left + FULL_JOIN)
        put(location, join);
    /* With a new time it takes all that it may take: so it fits wherever a byte remains. */
    join.time++;
    put(location, join);
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
        put(location, (struct event){kind, both.last[location] + later, {value, value, value, value}, (uint32_t)(left % 60)});
        put(location, (struct event){.kind = ENTER, .time = both.last[location] + !later});
    }
}

static void test_chunks(void **state)
{
    (void)state;
    for (enum event_kind kind = 0; kind < KINDS; kind++) {
        open_both();
        cross(kind, 0, 1, 60);
        close_both();
    }
    for (enum event_kind kind = 0; kind < KINDS; kind++) {
        if (!has_attributes(kind))
            continue;
        open_both();
        cross(kind, 1, 30, 60);
        cross(kind, 16, 255, 285);
        cross(kind, 17, 280, 310);
        close_both();
    }
    open_both();
    cross(PROGRAM_BEGIN, 0, 240, 380);
    close_both();
}

/* The end of the file at each place of a chunk but the last, where libotf2 writes behind its memory. */
static void test_ends(void **state)
{
    (void)state;
    for (size_t left = 2; left < 40; left += LOCATIONS) {
        open_both();
        for (unsigned i = 0; i < LOCATIONS; i++)
            fill(i, left + i);
        close_both();
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
    open_both();
    fill(0, 1);
    size_t chunks = both.events[0].written / CHUNK + 1;
    uint64_t count = omptape_archive_close_location(&both.archive, &both.events[0]);
    assert_string_equal(both.archive.error, "");
    for (unsigned i = 1; i < LOCATIONS; i++)
        omptape_archive_close_location(&both.archive, &both.events[i]);
    define(both.archive.otf2, count);
    assert_int_equal(omptape_archive_close(&both.archive), 0);
    assert_int_equal(read_whole(both.path[1], 0, &bytes), chunks * CHUNK + 1);
    assert_int_equal(bytes[chunks * CHUNK - 1], 2);
    assert_int_equal(bytes[chunks * CHUNK], 1);
    free(bytes);
    assert_true(count > 0);
    assert_int_equal(read_events(both.path[1]), count);
    /* libotf2's ends elsewhere. */
    OTF2_EvtWriter_Enter(both.writers[0], NULL, both.last[0] + 1, 1);
    for (unsigned i = 0; i < LOCATIONS; i++)
        otf2_events_end(both.otf2, both.writers[i]);
    assert_int_equal(otf2_events_close(both.otf2), 0);
    forget_both();
}

/* xorshift64* */
static uint64_t draw(void)
{
    both.random ^= both.random >> 12;
    both.random ^= both.random << 25;
    both.random ^= both.random >> 27;
    return both.random * UINT64_C(0x2545f4914f6cdd1d);
}

/* Of any number of bits, or an edge. */
static uint64_t draw_value(void)
{
    uint64_t bits = draw() % 64;
    return draw() % 8 == 0 ? edges[draw() % EDGES] : (draw() & (UINT64_MAX >> bits));
}

static void test_random(void **state)
{
    enum { CALLS = 400000 };
    const char *seed = getenv("OMPTAPE_TEST_SEED");
    (void)state;
    both.random = seed != NULL ? strtoull(seed, NULL, 0) : (uint64_t)getpid() * 2654435761U + 1;
    print_message("seed %llu\n", (unsigned long long)both.random);
    open_both();
    for (unsigned i = 0; i < CALLS; i++) {
        unsigned location = (unsigned)(draw() % LOCATIONS);
        struct event event = {(enum event_kind)(draw() % KINDS),
                              both.last[location] + draw() % 3 * (draw() % 1000),
                              {draw_value(), draw_value(), draw_value(), draw_value()},
                              (uint32_t)(draw() % (MOST_ARGUMENTS + 1))};
        if (has_attributes(event.kind) && draw() % 4 == 0)
            set_some((unsigned)(draw() % OMPTAPE_ATTRIBUTE_NUM), draw_value());
        put(location, event);
    }
    close_both();
}

/* A write that stops in the middle and fails: the next try goes on there. */
static void test_tries_again(void **state)
{
    struct rlimit before;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    open_both();
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
    put(0, (struct event){.kind = ENTER, .time = both.last[0] + 5});
    assert_int_equal(events->written, CHUNK);
    close_both();
}

/* What fails is remembered, and nothing is written any more. */
static void test_fails(void **state)
{
    struct rlimit before;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    open_both();
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
    assert_int_equal(both.events[1].count, 0);
    for (unsigned i = 0; i < LOCATIONS; i++) {
        omptape_archive_close_location(archive, &both.events[i]);
        assert_false(omptape_events_are_open(&both.events[i]));
        omptape_archive_join(archive, &both.events[i], time); /* ignored */
    }
    assert_int_equal(omptape_archive_close(archive), -EIO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    for (unsigned i = 0; i < LOCATIONS; i++)
        otf2_events_end(both.otf2, both.writers[i]);
    assert_int_equal(otf2_events_close(both.otf2), 0);
    forget_both();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),     cmocka_unit_test(test_no_events), cmocka_unit_test(test_times),
        cmocka_unit_test(test_attributes), cmocka_unit_test(test_chunks),    cmocka_unit_test(test_ends),
        cmocka_unit_test(test_last_place), cmocka_unit_test(test_random),    cmocka_unit_test(test_tries_again),
        cmocka_unit_test(test_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
