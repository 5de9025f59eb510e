/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events as lines of text. libotf2 calls back for each event of a location; on the test's main thread.
 */
#include "src/archive/write/archive.h"
#include "tests/unit/translate/archive_text_internal.h"

#include <omptape/locations.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char *members(OTF2_CommRef comm)
{
    archive_text_must(comm < ARCHIVE_TEXT_DEFINITIONS, "a comm that is not defined");
    return archive_text_names.groups[archive_text_names.comms[comm]];
}

static void append_attributes(char **line, OTF2_AttributeList *attributes)
{
    for (uint32_t i = 0; i < OTF2_AttributeList_GetNumberOfElements(attributes); i++) {
        OTF2_AttributeRef attribute;
        OTF2_Type type;
        OTF2_AttributeValue value;
        archive_text_must(OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value) ==
                                  OTF2_SUCCESS &&
                              attribute < ARCHIVE_TEXT_FEW,
                          "attributes");
        archive_text_append(line, " [%s=", archive_text_string(archive_text_names.attributes[attribute]));
        switch (type) {
        case OTF2_TYPE_STRING:
            archive_text_append(line, "%s]", archive_text_string(value.stringRef));
            break;
        case OTF2_TYPE_LOCATION:
            archive_text_append(line, "%" PRIu32 "]", omptape_location_index(value.locationRef));
            break;
        case OTF2_TYPE_UINT8:
            archive_text_append(line, "%u]", value.uint8);
            break;
        case OTF2_TYPE_UINT32:
            archive_text_append(line, "%" PRIu32 "]", value.uint32);
            break;
        case OTF2_TYPE_INT32:
            archive_text_append(line, "%" PRId32 "]", value.int32);
            break;
        default:
            archive_text_append(line, "%" PRIu64 "]", value.uint64);
            break;
        }
    }
}

/* Adds a line of a location. */
static OTF2_CallbackCode add(void *user, OTF2_LocationRef location, OTF2_TimeStamp time,
                             OTF2_AttributeList *attributes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static OTF2_CallbackCode add(void *user, OTF2_LocationRef location, OTF2_TimeStamp time,
                             OTF2_AttributeList *attributes, const char *format, ...)
{
    struct archive_text *text = user;
    char what[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    uint32_t index = omptape_location_index(location);
    archive_text_must(index < text->locations, "an event of a location that is not defined");
    archive_text_append(&text->events[index], "%" PRIu64 " %s", time, what);
    append_attributes(&text->events[index], attributes);
    archive_text_append(&text->events[index], "\n");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                    void *user, OTF2_AttributeList *attributes)
{
    (void)position;
    return add(user, location, time, attributes, "unknown");
}

static OTF2_CallbackCode on_flush(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_TimeStamp stop)
{
    (void)position;
    return add(user, location, time, attributes, "flush %" PRIu64, stop);
}

static OTF2_CallbackCode on_measurement(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                        void *user, OTF2_AttributeList *attributes, OTF2_MeasurementMode mode)
{
    (void)position;
    return add(user, location, time, attributes, "%s", mode == OTF2_MEASUREMENT_ON ? "on" : "off");
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void)position;
    archive_text_must(region < ARCHIVE_TEXT_DEFINITIONS, "a region that is not defined");
    if (archive_text_names.of_program[region] && !archive_text_shows_program)
        return OTF2_CALLBACK_SUCCESS;
    return add(user, location, time, attributes, "enter %s",
               archive_text_string(archive_text_names.regions[region]));
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void)position;
    archive_text_must(region < ARCHIVE_TEXT_DEFINITIONS, "a region that is not defined");
    if (archive_text_names.of_program[region] && !archive_text_shows_program)
        return OTF2_CALLBACK_SUCCESS;
    return add(user, location, time, attributes, "leave %s",
               archive_text_string(archive_text_names.regions[region]));
}

static OTF2_CallbackCode on_fork(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *user, OTF2_AttributeList *attributes, OTF2_Paradigm paradigm,
                                 uint32_t requested)
{
    (void)position;
    (void)paradigm;
    return add(user, location, time, attributes, "fork %" PRIu32, requested);
}

static OTF2_CallbackCode on_join(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *user, OTF2_AttributeList *attributes, OTF2_Paradigm paradigm)
{
    (void)position;
    (void)paradigm;
    return add(user, location, time, attributes, "join");
}

static OTF2_CallbackCode on_team(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *user, OTF2_AttributeList *attributes, OTF2_CommRef comm)
{
    (void)position;
    return add(user, location, time, attributes, "team %s", members(comm));
}

static OTF2_CallbackCode on_end_team(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                     void *user, OTF2_AttributeList *attributes, OTF2_CommRef comm)
{
    (void)position;
    return add(user, location, time, attributes, "endteam %s", members(comm));
}

static OTF2_CallbackCode on_create(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                   void *user, OTF2_AttributeList *attributes, OTF2_CommRef comm,
                                   uint32_t creator, uint32_t generation)
{
    (void)position;
    return add(user, location, time, attributes, "create %s %" PRIu32 " %" PRIu32, members(comm), creator,
               generation);
}

static OTF2_CallbackCode on_switch(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                   void *user, OTF2_AttributeList *attributes, OTF2_CommRef comm,
                                   uint32_t creator, uint32_t generation)
{
    (void)position;
    return add(user, location, time, attributes, "switch %s %" PRIu32 " %" PRIu32, members(comm), creator,
               generation);
}

static OTF2_CallbackCode on_complete(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                     void *user, OTF2_AttributeList *attributes, OTF2_CommRef comm,
                                     uint32_t creator, uint32_t generation)
{
    (void)position;
    return add(user, location, time, attributes, "complete %s %" PRIu32 " %" PRIu32, members(comm), creator,
               generation);
}

static OTF2_CallbackCode on_acquire(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                    void *user, OTF2_AttributeList *attributes, OTF2_Paradigm paradigm,
                                    uint32_t lock, uint32_t order)
{
    (void)position;
    (void)paradigm;
    return add(user, location, time, attributes, "acquire %" PRIu32 " %" PRIu32, lock, order);
}

static OTF2_CallbackCode on_release(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                    void *user, OTF2_AttributeList *attributes, OTF2_Paradigm paradigm,
                                    uint32_t lock, uint32_t order)
{
    (void)position;
    (void)paradigm;
    return add(user, location, time, attributes, "release %" PRIu32 " %" PRIu32, lock, order);
}

static OTF2_CallbackCode on_string_parameter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                             uint64_t position, void *user, OTF2_AttributeList *attributes,
                                             OTF2_ParameterRef parameter, OTF2_StringRef value)
{
    (void)position;
    archive_text_must(parameter < ARCHIVE_TEXT_FEW, "a parameter that is not defined");
    return add(user, location, time, attributes, "parameter %s=%s",
               archive_text_string(archive_text_names.parameters[parameter]), archive_text_string(value));
}

static OTF2_CallbackCode on_number_parameter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                             uint64_t position, void *user, OTF2_AttributeList *attributes,
                                             OTF2_ParameterRef parameter, uint64_t value)
{
    (void)position;
    archive_text_must(parameter < ARCHIVE_TEXT_FEW, "a parameter that is not defined");
    return add(user, location, time, attributes, "parameter %s=%" PRIu64,
               archive_text_string(archive_text_names.parameters[parameter]), value);
}

static OTF2_CallbackCode on_signed_parameter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                             uint64_t position, void *user, OTF2_AttributeList *attributes,
                                             OTF2_ParameterRef parameter, int64_t value)
{
    (void)position;
    archive_text_must(parameter < ARCHIVE_TEXT_FEW, "a parameter that is not defined");
    return add(user, location, time, attributes, "parameter %s=%" PRIi64,
               archive_text_string(archive_text_names.parameters[parameter]), value);
}

static OTF2_CallbackCode on_get(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint32_t remote,
                                uint64_t bytes, uint64_t match)
{
    (void)position;
    (void)win;
    return add(user, location, time, attributes, "get %" PRIu32 " %" PRIu64 " %" PRIu64, remote, bytes,
               match);
}

static OTF2_CallbackCode on_put(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
                                OTF2_AttributeList *attributes, OTF2_RmaWinRef win, uint32_t remote,
                                uint64_t bytes, uint64_t match)
{
    (void)position;
    (void)win;
    return add(user, location, time, attributes, "put %" PRIu32 " %" PRIu64 " %" PRIu64, remote, bytes,
               match);
}

static OTF2_CallbackCode on_done(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *user, OTF2_AttributeList *attributes, OTF2_RmaWinRef win,
                                 uint64_t match)
{
    (void)position;
    (void)win;
    return add(user, location, time, attributes, "done %" PRIu64, match);
}

static OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                   void *user, OTF2_AttributeList *attributes, OTF2_MetricRef metric,
                                   uint8_t count, const OTF2_Type *types, const OTF2_MetricValue *values)
{
    (void)position;
    (void)metric;
    if (count == 1 && types[0] == OTF2_TYPE_DOUBLE)
        return add(user, location, time, attributes, "metric %g", values[0].floating_point);
    archive_text_must((count == 1 || count == OMPTAPE_SCHED_MEMBERS) && types[0] == OTF2_TYPE_UINT64,
                      "a metric of another kind");
    if (count > 1)
        return add(user, location, time, attributes, "metric %" PRIu64 " %" PRIu64, values[0].unsigned_int,
                   values[1].unsigned_int);
    return add(user, location, time, attributes, "metric %" PRIu64, values[0].unsigned_int);
}

static OTF2_CallbackCode on_program(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                    void *user, OTF2_AttributeList *attributes, OTF2_StringRef name,
                                    uint32_t count, const OTF2_StringRef *arguments)
{
    (void)position;
    (void)count;
    (void)arguments;
    return add(user, location, time, attributes, "program %s", archive_text_string(name));
}

static OTF2_CallbackCode on_end_program(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                        void *user, OTF2_AttributeList *attributes, int64_t status)
{
    (void)position;
    return add(user, location, time, attributes, "endprogram %" PRId64, status);
}

OTF2_EvtReaderCallbacks *archive_text_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    archive_text_must(callbacks != NULL, "memory");
    OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, on_flush);
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    OTF2_EvtReaderCallbacks_SetThreadForkCallback(callbacks, on_fork);
    OTF2_EvtReaderCallbacks_SetThreadJoinCallback(callbacks, on_join);
    OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(callbacks, on_team);
    OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(callbacks, on_end_team);
    OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(callbacks, on_create);
    OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(callbacks, on_switch);
    OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(callbacks, on_complete);
    OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(callbacks, on_acquire);
    OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, on_release);
    OTF2_EvtReaderCallbacks_SetParameterStringCallback(callbacks, on_string_parameter);
    OTF2_EvtReaderCallbacks_SetParameterIntCallback(callbacks, on_signed_parameter);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(callbacks, on_number_parameter);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(callbacks, on_get);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(callbacks, on_put);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(callbacks, on_done);
    OTF2_EvtReaderCallbacks_SetMetricCallback(callbacks, on_metric);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(callbacks, on_program);
    OTF2_EvtReaderCallbacks_SetProgramEndCallback(callbacks, on_end_program);
    return callbacks;
}
