/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes event files by libotf2 and by the writer's own encoder (both_event_files.h).
 */
#include "tests/unit/archive/both_event_files.h"

#include "src/folder/beneath.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct both_files both;

void both_open(void)
{
    memset(&both, 0, sizeof(both));
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

size_t both_read(const char *folder, unsigned location, unsigned char **bytes)
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
        sizes[i] = both_read(both.path[i], location, &bytes[i]);
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
}

static void forget_files(void)
{
    assert_int_equal(otf2_events_close(both.otf2), 0);
    OTF2_AttributeList_Delete(both.list);
}

void both_close(void)
{
    for (unsigned i = 0; i < LOCATIONS; i++)
        close_location(i);
    assert_int_equal(omptape_archive_close(&both.archive), 0);
    forget_files();
    for (unsigned i = 0; i < LOCATIONS; i++)
        compare_files(i);
    assert_int_equal(scratch_remove(both.base), 0);
}

void both_forget(void)
{
    for (unsigned i = 0; i < LOCATIONS; i++)
        otf2_events_end(both.otf2, both.writers[i]);
    forget_files();
    assert_int_equal(scratch_remove(both.base), 0);
}

/* Of a program's begin. Valid until the next call. */
static const uint32_t *arguments_of(const struct event *event)
{
    static uint32_t arguments[MAX_ARGUMENTS];
    for (uint32_t i = 0; i < MAX_ARGUMENTS; i++)
        arguments[i] = (uint32_t)event->value[i % 4];
    return arguments;
}

static uint8_t io_kind(enum event_kind kind)
{
    if (kind == IO_TEST)
        return OMPTAPE_RECORD_IO_OPERATION_TEST;
    return kind == IO_ISSUED ? OMPTAPE_RECORD_IO_OPERATION_ISSUED : OMPTAPE_RECORD_IO_OPERATION_CANCELLED;
}

static uint8_t thread_kind(enum event_kind kind)
{
    return (uint8_t)(OMPTAPE_RECORD_THREAD_CREATE + (kind - THREAD_CREATED));
}

/* Classes of metrics. */
enum { METRICS = OMPTAPE_METRIC_LEVEL + 1 };

static const OTF2_Type *metric_types(uint32_t metric)
{
    static const OTF2_Type types[METRICS][4] = {
        {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64},
        {OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64},
        {OTF2_TYPE_DOUBLE, OTF2_TYPE_DOUBLE, OTF2_TYPE_DOUBLE, OTF2_TYPE_DOUBLE}};
    return types[metric];
}

static void call_ours(unsigned location, const struct event *event)
{
    const uint32_t *arguments = arguments_of(event);
    struct omptape_archive *archive = &both.archive;
    struct omptape_events *events = &both.events[location];
    uint64_t time = event->time;
    const uint64_t *v = event->value;
    uint32_t a = (uint32_t)v[0];
    uint32_t b = (uint32_t)v[1];
    uint32_t c = (uint32_t)v[2];
    /* With its code, and without. */
    struct omptape_task_name task = {.comm = a, .creator = b, .generation = c};
    const struct omptape_task_creator creator = omptape_task_creator(a, b);
    if (v[0] % 2 == 0 && c != 0)
        omptape_task_name_set(&task, &creator, c);
    switch (event->kind) {
    case PROGRAM_BEGIN:
        omptape_archive_program_begin(archive, events, time, a, event->count, arguments);
        break;
    case PROGRAM_END:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_PROGRAM_END, v[0]);
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
        omptape_archive_task_create(archive, events, time, &task);
        break;
    case TASK_SWITCH:
        omptape_archive_task_switch(archive, events, time, &task);
        break;
    case TASK_COMPLETE:
        omptape_archive_task_complete(archive, events, time, &task);
        break;
    case LOCK_ACQUIRE:
        omptape_archive_lock_acquire(archive, events, time, a, b);
        break;
    case LOCK_RELEASE:
        omptape_archive_lock_release(archive, events, time, a, b);
        break;
    case PARAMETER_STRING:
        omptape_archive_parameter(archive, events, time, OMPTAPE_PARAMETER_SCHEDULE, b);
        break;
    case PARAMETER_I64:
        omptape_archive_parameter(archive, events, time, OMPTAPE_PARAMETER_SINK, v[1]);
        break;
    case PARAMETER_U64:
        omptape_archive_parameter(archive, events, time, OMPTAPE_PARAMETER_STEP, v[1]);
        break;
    case MEASUREMENT:
        omptape_archive_measurement(archive, events, time, v[0] % 2 == 0, 0);
        break;
    case SAMPLE:
        omptape_archive_sample(archive, events, time, a);
        break;
    case BUFFER_FLUSH:
        omptape_archive_buffer_flush(archive, events, time, v[0]);
        break;
    case RMA_PUT:
    case RMA_GET:
        OMPTAPE_ARCHIVE_PUT(archive, events, time,
                            event->kind == RMA_PUT ? OMPTAPE_RECORD_RMA_PUT : OMPTAPE_RECORD_RMA_GET,
                            OMPTAPE_RMA_WINDOW, a, v[1], v[2]);
        break;
    case RMA_COMPLETE:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_RMA_OP_COMPLETE_BLOCKING,
                            OMPTAPE_RMA_WINDOW, v[0]);
        break;
    case THREAD_CREATED:
    case THREAD_BEGUN:
    case THREAD_AWAITED:
    case THREAD_ENDED:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, thread_kind(event->kind), a, v[1]);
        break;
    case WINDOW_GET:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_RMA_GET, a, b, v[2], v[3]);
        break;
    case WINDOW_ATOMIC:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_RMA_ATOMIC, a, b, OTF2_RMA_ATOMIC_TYPE_SWAP,
                            v[2], v[0], v[3]);
        break;
    case WINDOW_COMPLETE:
    case WINDOW_COMPLETE_REMOTE:
        OMPTAPE_ARCHIVE_PUT(archive, events, time,
                            event->kind == WINDOW_COMPLETE_REMOTE
                                ? OMPTAPE_RECORD_RMA_OP_COMPLETE_REMOTE
                                : OMPTAPE_RECORD_RMA_OP_COMPLETE_NON_BLOCKING,
                            a, v[1], 1);
        break;
    case WINDOW_CREATE:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_RMA_WIN_CREATE, a);
        break;
    case WINDOW_BEGIN:
        omptape_archive_put_record(archive, events, time, OMPTAPE_RECORD_RMA_COLLECTIVE_BEGIN, NULL);
        break;
    case WINDOW_END:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_RMA_COLLECTIVE_END,
                            OTF2_COLLECTIVE_OP_BARRIER, a, b, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        break;
    case WINDOW_GROUP:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_RMA_GROUP_SYNC, a, b, c);
        break;
    case WINDOW_LOCK:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_RMA_ACQUIRE_LOCK, a, b, 0,
                            OTF2_LOCK_SHARED);
        break;
    case WINDOW_UNLOCK:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_RMA_RELEASE_LOCK, a, b, 0);
        break;
    case WINDOW_SYNC:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_RMA_SYNC, a, b, OTF2_RMA_SYNC_TYPE_MEMORY);
        break;
    case IO_CREATE:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_IO_CREATE_HANDLE, a,
                            OTF2_IO_ACCESS_MODE_READ_WRITE, b, c);
        break;
    case IO_DESTROY:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_IO_DESTROY_HANDLE, a);
        break;
    case IO_DELETE:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_IO_DELETE_FILE, OMPTAPE_IO_PARADIGM, a);
        break;
    case IO_SEEK:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_IO_SEEK, a, v[1], OTF2_IO_SEEK_FROM_END,
                            v[2]);
        break;
    case IO_BEGIN:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_IO_OPERATION_BEGIN, a,
                            OTF2_IO_OPERATION_MODE_WRITE, b, v[2], v[3]);
        break;
    case IO_COMPLETE:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_IO_OPERATION_COMPLETE, a, v[1], v[2]);
        break;
    case IO_TEST:
    case IO_ISSUED:
    case IO_CANCELLED:
        OMPTAPE_ARCHIVE_PUT(archive, events, time, io_kind(event->kind), a, v[1]);
        break;
    default:
        omptape_archive_metric(archive, events, time, a % METRICS, metric_types(a % METRICS)[0],
                               (uint8_t)(event->count % 5), v);
    }
}

/* The attributes of both have been set. */
static OTF2_ErrorCode call_otf2(unsigned location, const struct event *event, uint64_t time)
{
    const uint32_t *arguments = arguments_of(event);
    OTF2_EvtWriter *to = both.writers[location];
    const uint64_t *v = event->value;
    uint32_t a = (uint32_t)v[0];
    uint32_t b = (uint32_t)v[1];
    uint32_t c = (uint32_t)v[2];
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
        return OTF2_EvtWriter_ParameterString(to, NULL, time, OMPTAPE_PARAMETER_SCHEDULE, b);
    case PARAMETER_I64:
        return OTF2_EvtWriter_ParameterInt(to, NULL, time, OMPTAPE_PARAMETER_SINK, (int64_t)v[1]);
    case PARAMETER_U64:
        return OTF2_EvtWriter_ParameterUnsignedInt(to, NULL, time, OMPTAPE_PARAMETER_STEP, v[1]);
    case MEASUREMENT:
        return OTF2_EvtWriter_MeasurementOnOff(to, NULL, time,
                                               v[0] % 2 == 0 ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
    case SAMPLE:
        return OTF2_EvtWriter_CallingContextSample(to, NULL, time, a, OTF2_UNDEFINED_UINT32,
                                                   OMPTAPE_INTERRUPT_GENERATOR);
    case BUFFER_FLUSH:
        return OTF2_EvtWriter_BufferFlush(to, NULL, time, v[0] > time ? v[0] : time);
    case RMA_PUT:
        return OTF2_EvtWriter_RmaPut(to, NULL, time, OMPTAPE_RMA_WINDOW, a, v[1], v[2]);
    case RMA_GET:
        return OTF2_EvtWriter_RmaGet(to, NULL, time, OMPTAPE_RMA_WINDOW, a, v[1], v[2]);
    case RMA_COMPLETE:
        return OTF2_EvtWriter_RmaOpCompleteBlocking(to, NULL, time, OMPTAPE_RMA_WINDOW, v[0]);
    case THREAD_CREATED:
        return OTF2_EvtWriter_ThreadCreate(to, NULL, time, a, v[1]);
    case THREAD_BEGUN:
        return OTF2_EvtWriter_ThreadBegin(to, NULL, time, a, v[1]);
    case THREAD_AWAITED:
        return OTF2_EvtWriter_ThreadWait(to, NULL, time, a, v[1]);
    case THREAD_ENDED:
        return OTF2_EvtWriter_ThreadEnd(to, NULL, time, a, v[1]);
    case WINDOW_GET:
        return OTF2_EvtWriter_RmaGet(to, NULL, time, a, b, v[2], v[3]);
    case WINDOW_ATOMIC:
        return OTF2_EvtWriter_RmaAtomic(to, NULL, time, a, b, OTF2_RMA_ATOMIC_TYPE_SWAP, v[2], v[0], v[3]);
    case WINDOW_COMPLETE:
        return OTF2_EvtWriter_RmaOpCompleteNonBlocking(to, NULL, time, a, v[1]);
    case WINDOW_COMPLETE_REMOTE:
        return OTF2_EvtWriter_RmaOpCompleteRemote(to, NULL, time, a, v[1]);
    case WINDOW_CREATE:
        return OTF2_EvtWriter_RmaWinCreate(to, NULL, time, a);
    case WINDOW_BEGIN:
        return OTF2_EvtWriter_RmaCollectiveBegin(to, NULL, time);
    case WINDOW_END:
        return OTF2_EvtWriter_RmaCollectiveEnd(to, NULL, time, OTF2_COLLECTIVE_OP_BARRIER, a, b,
                                               OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    case WINDOW_GROUP:
        return OTF2_EvtWriter_RmaGroupSync(to, NULL, time, a, b, c);
    case WINDOW_LOCK:
        return OTF2_EvtWriter_RmaAcquireLock(to, NULL, time, a, b, 0, OTF2_LOCK_SHARED);
    case WINDOW_UNLOCK:
        return OTF2_EvtWriter_RmaReleaseLock(to, NULL, time, a, b, 0);
    case WINDOW_SYNC:
        return OTF2_EvtWriter_RmaSync(to, NULL, time, a, b, OTF2_RMA_SYNC_TYPE_MEMORY);
    case IO_CREATE:
        return OTF2_EvtWriter_IoCreateHandle(to, both.list, time, a, OTF2_IO_ACCESS_MODE_READ_WRITE, b, c);
    case IO_DESTROY:
        return OTF2_EvtWriter_IoDestroyHandle(to, both.list, time, a);
    case IO_DELETE:
        return OTF2_EvtWriter_IoDeleteFile(to, both.list, time, OMPTAPE_IO_PARADIGM, a);
    case IO_SEEK:
        return OTF2_EvtWriter_IoSeek(to, both.list, time, a, (int64_t)v[1], OTF2_IO_SEEK_FROM_END, v[2]);
    case IO_BEGIN:
        return OTF2_EvtWriter_IoOperationBegin(to, both.list, time, a, OTF2_IO_OPERATION_MODE_WRITE, b, v[2],
                                               v[3]);
    case IO_COMPLETE:
        return OTF2_EvtWriter_IoOperationComplete(to, both.list, time, a, v[1], v[2]);
    case IO_TEST:
        return OTF2_EvtWriter_IoOperationTest(to, both.list, time, a, v[1]);
    case IO_ISSUED:
        return OTF2_EvtWriter_IoOperationIssued(to, both.list, time, a, v[1]);
    case IO_CANCELLED:
        return OTF2_EvtWriter_IoOperationCancelled(to, both.list, time, a, v[1]);
    default:
        return OTF2_EvtWriter_Metric(to, both.list, time,
                                     omptape_archive_metric_ref(&both.archive, a % METRICS),
                                     (uint8_t)(event->count % 5), metric_types(a % METRICS),
                                     (const OTF2_MetricValue *)(const void *)v);
    }
}

void both_put(unsigned location, struct event event)
{
    uint64_t earliest = both.last[location] + both.archive.step;
    uint64_t time = event.time < earliest ? earliest : event.time;
    both.last[location] = time;
    assert_int_equal(call_otf2(location, &event, time), OTF2_SUCCESS);
    call_ours(location, &event);
    assert_string_equal(both.archive.error, "");
}

void both_set(unsigned attribute, uint64_t value)
{
    struct omptape_archive *archive = &both.archive;
    switch (attribute % 7) {
    case 0:
        omptape_attributes_add(&archive->attributes, attribute, OTF2_TYPE_UINT8, (uint8_t)value);
        OTF2_AttributeList_AddUint8(both.list, attribute, (uint8_t)value);
        break;
    case 1:
        omptape_attributes_add(&archive->attributes, attribute, OTF2_TYPE_INT32, (uint32_t)value);
        OTF2_AttributeList_AddInt32(both.list, attribute, (int32_t)(uint32_t)value);
        break;
    case 2:
        omptape_attributes_add(&archive->attributes, attribute, OTF2_TYPE_UINT32, (uint32_t)value);
        OTF2_AttributeList_AddUint32(both.list, attribute, (uint32_t)value);
        break;
    case 3:
        omptape_attributes_add(&archive->attributes, attribute, OTF2_TYPE_INT64, value);
        OTF2_AttributeList_AddInt64(both.list, attribute, (int64_t)value);
        break;
    case 4:
        omptape_attributes_add(&archive->attributes, attribute, OTF2_TYPE_UINT64, value);
        OTF2_AttributeList_AddUint64(both.list, attribute, value);
        break;
    case 5:
        omptape_attributes_add(&archive->attributes, attribute, OTF2_TYPE_STRING, (uint32_t)value);
        OTF2_AttributeList_AddStringRef(both.list, attribute, (uint32_t)value);
        break;
    default:
        omptape_attributes_add(&archive->attributes, attribute, OTF2_TYPE_LOCATION, value);
        OTF2_AttributeList_AddLocationRef(both.list, attribute, value);
    }
}
