/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the events that OpenMP programs have into the archive reader's uniform shape. Called back by libotf2
 * inside omptape_reader_read_events; transfers are in rma.c, all others in
 * others.c.
 */
#include "src/reader/internal.h"

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                    OTF2_AttributeList *attributes)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_UNKNOWN,
                                        .name = "Unknown",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_buffer_flush(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                         OTF2_AttributeList *attributes, OTF2_TimeStamp stop)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_BUFFER_FLUSH,
                                        .name = "BufferFlush",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {stop}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_measurement_on_off(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                               OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_MEASUREMENT,
                                        .name = "MeasurementOnOff",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {mode}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_ENTER,
                                        .name = "Enter",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_REGION, "region", region)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_LEAVE,
                                        .name = "Leave",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_REGION, "region", region)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_calling_context_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                  OTF2_AttributeList *attributes,
                                                  OTF2_CallingContextRef context, uint32_t distance)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_CONTEXT_ENTER,
        .name = "CallingContextEnter",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 1,
        .refs = {omptape_refers(OMPTAPE_DEF_CALLING_CONTEXT, "calling context", context)},
        .value = {distance}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_calling_context_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                  OTF2_AttributeList *attributes,
                                                  OTF2_CallingContextRef context)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_CONTEXT_LEAVE,
        .name = "CallingContextLeave",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 1,
        .refs = {omptape_refers(OMPTAPE_DEF_CALLING_CONTEXT, "calling context", context)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_fork(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                        OTF2_AttributeList *attributes, OTF2_Paradigm model,
                                        uint32_t requested)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_FORK,
                                        .name = "ThreadFork",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_PARADIGM, "paradigm", model)},
                                        .value = {requested}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_join(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                        OTF2_AttributeList *attributes, OTF2_Paradigm model)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_JOIN,
                                        .name = "ThreadJoin",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_PARADIGM, "paradigm", model)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_team_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                              OTF2_AttributeList *attributes, OTF2_CommRef team)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_TEAM_BEGIN,
                                        .name = "ThreadTeamBegin",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "thread team", team)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_team_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                            OTF2_AttributeList *attributes, OTF2_CommRef team)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_TEAM_END,
                                        .name = "ThreadTeamEnd",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "thread team", team)}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_acquire_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                OTF2_AttributeList *attributes, OTF2_Paradigm model,
                                                uint32_t lock, uint32_t order)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_LOCK_ACQUIRE,
                                        .name = "ThreadAcquireLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_PARADIGM, "paradigm", model)},
                                        .value = {lock, order}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_release_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                OTF2_AttributeList *attributes, OTF2_Paradigm model,
                                                uint32_t lock, uint32_t order)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_LOCK_RELEASE,
                                        .name = "ThreadReleaseLock",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_PARADIGM, "paradigm", model)},
                                        .value = {lock, order}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_task_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                               OTF2_AttributeList *attributes, OTF2_CommRef team,
                                               uint32_t thread, uint32_t generation)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_TASK_CREATE,
                                        .name = "ThreadTaskCreate",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "thread team", team)},
                                        .value = {thread, generation}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_task_switch(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                               OTF2_AttributeList *attributes, OTF2_CommRef team,
                                               uint32_t thread, uint32_t generation)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_TASK_SWITCH,
                                        .name = "ThreadTaskSwitch",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "thread team", team)},
                                        .value = {thread, generation}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_thread_task_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                 OTF2_AttributeList *attributes, OTF2_CommRef team,
                                                 uint32_t thread, uint32_t generation)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_TASK_COMPLETE,
                                        .name = "ThreadTaskComplete",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_COMM, "thread team", team)},
                                        .value = {thread, generation}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_parameter_string(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                             OTF2_AttributeList *attributes, OTF2_ParameterRef parameter,
                                             OTF2_StringRef string)
{
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_PARAMETER,
        .name = "ParameterString",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 2,
        .refs = {omptape_refers(OMPTAPE_DEF_PARAMETER, "parameter", parameter),
                 omptape_refers(OMPTAPE_DEF_STRING, "value", string)},
        .value = {OTF2_PARAMETER_TYPE_STRING}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_parameter_int(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                          OTF2_AttributeList *attributes, OTF2_ParameterRef parameter,
                                          int64_t value)
{
    (void)value;
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_PARAMETER,
        .name = "ParameterInt",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 1,
        .refs = {omptape_refers(OMPTAPE_DEF_PARAMETER, "parameter", parameter)},
        .value = {OTF2_PARAMETER_TYPE_INT64}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_parameter_unsigned_int(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                                   OTF2_AttributeList *attributes,
                                                   OTF2_ParameterRef parameter, uint64_t value)
{
    (void)value;
    const struct omptape_event event = {
        .kind = OMPTAPE_EVENT_PARAMETER,
        .name = "ParameterUnsignedInt",
        .location = location,
        .time = time,
        .attributes = attributes,
        .ref_count = 1,
        .refs = {omptape_refers(OMPTAPE_DEF_PARAMETER, "parameter", parameter)},
        .value = {OTF2_PARAMETER_TYPE_UINT64}};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                   OTF2_AttributeList *attributes, OTF2_MetricRef metric, uint8_t count,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_METRIC,
                                        .name = "Metric",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_METRIC, "metric", metric)},
                                        .value = {count},
                                        .count = count,
                                        .types = types,
                                        .values = values};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_program_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                          OTF2_AttributeList *attributes, OTF2_StringRef program,
                                          uint32_t count, const OTF2_StringRef *strings)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_PROGRAM_BEGIN,
                                        .name = "ProgramBegin",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .ref_count = 1,
                                        .refs = {omptape_refers(OMPTAPE_DEF_STRING, "program name", program)},
                                        .count = count,
                                        .strings = strings};
    return omptape_reader_send(sink, &event);
}

static OTF2_CallbackCode on_program_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *sink,
                                        OTF2_AttributeList *attributes, int64_t status)
{
    const struct omptape_event event = {.kind = OMPTAPE_EVENT_PROGRAM_END,
                                        .name = "ProgramEnd",
                                        .location = location,
                                        .time = time,
                                        .attributes = attributes,
                                        .value = {(uint64_t)status}};
    return omptape_reader_send(sink, &event);
}

void omptape_reader_set_thread_callbacks(OTF2_GlobalEvtReaderCallbacks *callbacks)
{
    OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    OTF2_GlobalEvtReaderCallbacks_SetBufferFlushCallback(callbacks, on_buffer_flush);
    OTF2_GlobalEvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement_on_off);
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetCallingContextEnterCallback(callbacks, on_calling_context_enter);
    OTF2_GlobalEvtReaderCallbacks_SetCallingContextLeaveCallback(callbacks, on_calling_context_leave);
    OTF2_GlobalEvtReaderCallbacks_SetThreadForkCallback(callbacks, on_thread_fork);
    OTF2_GlobalEvtReaderCallbacks_SetThreadJoinCallback(callbacks, on_thread_join);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTeamBeginCallback(callbacks, on_thread_team_begin);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTeamEndCallback(callbacks, on_thread_team_end);
    OTF2_GlobalEvtReaderCallbacks_SetThreadAcquireLockCallback(callbacks, on_thread_acquire_lock);
    OTF2_GlobalEvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, on_thread_release_lock);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTaskCreateCallback(callbacks, on_thread_task_create);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTaskSwitchCallback(callbacks, on_thread_task_switch);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTaskCompleteCallback(callbacks, on_thread_task_complete);
    OTF2_GlobalEvtReaderCallbacks_SetParameterStringCallback(callbacks, on_parameter_string);
    OTF2_GlobalEvtReaderCallbacks_SetParameterIntCallback(callbacks, on_parameter_int);
    OTF2_GlobalEvtReaderCallbacks_SetParameterUnsignedIntCallback(callbacks, on_parameter_unsigned_int);
    OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(callbacks, on_metric);
    OTF2_GlobalEvtReaderCallbacks_SetProgramBeginCallback(callbacks, on_program_begin);
    OTF2_GlobalEvtReaderCallbacks_SetProgramEndCallback(callbacks, on_program_end);
}
