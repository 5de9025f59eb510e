/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One function for each kind of event that omptape writes. Called for each event.
 */
#include "writers/archive/archive.h"

void omptape_archive_set_u8(struct omptape_archive *archive, enum omptape_attribute attribute, uint8_t value)
{
    OTF2_AttributeList_AddUint8(archive->attributes, (OTF2_AttributeRef)attribute, value);
}

void omptape_archive_set_i32(struct omptape_archive *archive, enum omptape_attribute attribute, int32_t value)
{
    OTF2_AttributeList_AddInt32(archive->attributes, (OTF2_AttributeRef)attribute, value);
}

void omptape_archive_set_u32(struct omptape_archive *archive, enum omptape_attribute attribute,
                             uint32_t value)
{
    OTF2_AttributeList_AddUint32(archive->attributes, (OTF2_AttributeRef)attribute, value);
}

void omptape_archive_set_i64(struct omptape_archive *archive, enum omptape_attribute attribute, int64_t value)
{
    OTF2_AttributeList_AddInt64(archive->attributes, (OTF2_AttributeRef)attribute, value);
}

void omptape_archive_set_u64(struct omptape_archive *archive, enum omptape_attribute attribute,
                             uint64_t value)
{
    OTF2_AttributeList_AddUint64(archive->attributes, (OTF2_AttributeRef)attribute, value);
}

void omptape_archive_set_string(struct omptape_archive *archive, enum omptape_attribute attribute,
                                OTF2_StringRef value)
{
    OTF2_AttributeList_AddStringRef(archive->attributes, (OTF2_AttributeRef)attribute, value);
}

void omptape_archive_set_location(struct omptape_archive *archive, enum omptape_attribute attribute,
                                  OTF2_LocationRef value)
{
    OTF2_AttributeList_AddLocationRef(archive->attributes, (OTF2_AttributeRef)attribute, value);
}

void omptape_archive_clear_attributes(struct omptape_archive *archive)
{
    OTF2_AttributeList_RemoveAllAttributes(archive->attributes);
}

/* The one place where it is decided when a record is written, if it can be. */
static bool take_time(const struct omptape_archive *archive, struct omptape_events *events, uint64_t *time)
{
    if (!omptape_archive_can_write(archive, events))
        return false;
    uint64_t earliest = events->last + archive->step;
    if (*time < earliest)
        *time = earliest;
    events->last = *time;
    return true;
}

void omptape_archive_program_begin(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, OTF2_StringRef name, uint32_t count,
                                   const OTF2_StringRef *arguments)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive,
            OTF2_EvtWriter_ProgramBegin(events->otf2, archive->attributes, time, name, count, arguments),
            "ProgramBegin");
}

void omptape_archive_program_end(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, int64_t status)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(archive, OTF2_EvtWriter_ProgramEnd(events->otf2, NULL, time, status),
                              "ProgramEnd");
}

void omptape_archive_enter(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                           OTF2_RegionRef region)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(archive, OTF2_EvtWriter_Enter(events->otf2, archive->attributes, time, region),
                              "Enter");
}

void omptape_archive_leave(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                           OTF2_RegionRef region, bool synthesised)
{
    if (!take_time(archive, events, &time))
        return;
    if (synthesised)
        omptape_archive_set_u8(archive, OMPTAPE_ATTRIBUTE_SYNTHESISED, 1);
    omptape_archive_check(archive, OTF2_EvtWriter_Leave(events->otf2, archive->attributes, time, region),
                          "Leave");
}

void omptape_archive_fork(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                          uint32_t requested)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive, OTF2_EvtWriter_ThreadFork(events->otf2, NULL, time, OTF2_PARADIGM_OPENMP, requested),
            "ThreadFork");
}

void omptape_archive_join(struct omptape_archive *archive, struct omptape_events *events, uint64_t time)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive, OTF2_EvtWriter_ThreadJoin(events->otf2, NULL, time, OTF2_PARADIGM_OPENMP), "ThreadJoin");
}

void omptape_archive_team_begin(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                OTF2_CommRef comm)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(archive, OTF2_EvtWriter_ThreadTeamBegin(events->otf2, NULL, time, comm),
                              "ThreadTeamBegin");
}

void omptape_archive_team_end(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              OTF2_CommRef comm)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(archive, OTF2_EvtWriter_ThreadTeamEnd(events->otf2, NULL, time, comm),
                              "ThreadTeamEnd");
}

void omptape_archive_task_create(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, OTF2_CommRef comm, uint32_t creator, uint32_t generation)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(archive,
                              OTF2_EvtWriter_ThreadTaskCreate(events->otf2, archive->attributes, time, comm,
                                                              creator, generation),
                              "ThreadTaskCreate");
}

void omptape_archive_task_switch(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, OTF2_CommRef comm, uint32_t creator, uint32_t generation)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive, OTF2_EvtWriter_ThreadTaskSwitch(events->otf2, NULL, time, comm, creator, generation),
            "ThreadTaskSwitch");
}

void omptape_archive_task_complete(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, OTF2_CommRef comm, uint32_t creator, uint32_t generation)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive, OTF2_EvtWriter_ThreadTaskComplete(events->otf2, NULL, time, comm, creator, generation),
            "ThreadTaskComplete");
}

void omptape_archive_lock_acquire(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint32_t lock, uint32_t order)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive,
            OTF2_EvtWriter_ThreadAcquireLock(events->otf2, NULL, time, OTF2_PARADIGM_OPENMP, lock, order),
            "ThreadAcquireLock");
}

void omptape_archive_lock_release(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint32_t lock, uint32_t order)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive,
            OTF2_EvtWriter_ThreadReleaseLock(events->otf2, NULL, time, OTF2_PARADIGM_OPENMP, lock, order),
            "ThreadReleaseLock");
}

void omptape_archive_parameter_string(struct omptape_archive *archive, struct omptape_events *events,
                                      uint64_t time, enum omptape_parameter parameter, OTF2_StringRef value)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive,
            OTF2_EvtWriter_ParameterString(events->otf2, NULL, time, (OTF2_ParameterRef)parameter, value),
            "ParameterString");
}

void omptape_archive_parameter_i64(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, enum omptape_parameter parameter, int64_t value)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive,
            OTF2_EvtWriter_ParameterInt(events->otf2, NULL, time, (OTF2_ParameterRef)parameter, value),
            "ParameterInt");
}

void omptape_archive_parameter_u64(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, enum omptape_parameter parameter, uint64_t value)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(archive,
                              OTF2_EvtWriter_ParameterUnsignedInt(events->otf2, NULL, time,
                                                                  (OTF2_ParameterRef)parameter, value),
                              "ParameterUnsignedInt");
}

void omptape_archive_measurement(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, bool on)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(archive,
                              OTF2_EvtWriter_MeasurementOnOff(
                                  events->otf2, NULL, time, on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF),
                              "MeasurementOnOff");
}

void omptape_archive_buffer_flush(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t begin, uint64_t end)
{
    if (take_time(archive, events, &begin))
        omptape_archive_check(
            archive, OTF2_EvtWriter_BufferFlush(events->otf2, NULL, begin, end > begin ? end : begin),
            "BufferFlush");
}

void omptape_archive_rma(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                         bool put, uint32_t rank, uint64_t bytes, uint64_t match)
{
    if (!take_time(archive, events, &time))
        return;
    OTF2_ErrorCode code =
        put ? OTF2_EvtWriter_RmaPut(events->otf2, NULL, time, OMPTAPE_RMA_WINDOW, rank, bytes, match)
            : OTF2_EvtWriter_RmaGet(events->otf2, NULL, time, OMPTAPE_RMA_WINDOW, rank, bytes, match);
    omptape_archive_check(archive, code, put ? "RmaPut" : "RmaGet");
}

void omptape_archive_rma_complete(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint64_t match)
{
    if (take_time(archive, events, &time))
        omptape_archive_check(
            archive,
            OTF2_EvtWriter_RmaOpCompleteBlocking(events->otf2, NULL, time, OMPTAPE_RMA_WINDOW, match),
            "RmaOpCompleteBlocking");
}

void omptape_archive_metric(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            enum omptape_metric metric, uint8_t count, const uint64_t *values)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    if (take_time(archive, events, &time))
        omptape_archive_check(archive,
                              OTF2_EvtWriter_Metric(events->otf2, NULL, time, (OTF2_MetricRef)metric, count,
                                                    types, (const OTF2_MetricValue *)(const void *)values),
                              "Metric");
}
