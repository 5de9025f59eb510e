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

void omptape_archive_enter(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                           OTF2_RegionRef region)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(archive, OTF2_EvtWriter_Enter(events, archive->attributes, time, region),
                              "Enter");
}

void omptape_archive_leave(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                           OTF2_RegionRef region, bool synthesised)
{
    if (!omptape_archive_can_write(archive, events))
        return;
    if (synthesised)
        omptape_archive_set_u8(archive, OMPTAPE_ATTRIBUTE_SYNTHESISED, 1);
    omptape_archive_check(archive, OTF2_EvtWriter_Leave(events, archive->attributes, time, region), "Leave");
}

void omptape_archive_fork(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                          uint32_t requested)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(archive,
                              OTF2_EvtWriter_ThreadFork(events, NULL, time, OTF2_PARADIGM_OPENMP, requested),
                              "ThreadFork");
}

void omptape_archive_join(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(archive, OTF2_EvtWriter_ThreadJoin(events, NULL, time, OTF2_PARADIGM_OPENMP),
                              "ThreadJoin");
}

void omptape_archive_team_begin(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                OTF2_CommRef comm)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(archive, OTF2_EvtWriter_ThreadTeamBegin(events, NULL, time, comm),
                              "ThreadTeamBegin");
}

void omptape_archive_team_end(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                              OTF2_CommRef comm)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(archive, OTF2_EvtWriter_ThreadTeamEnd(events, NULL, time, comm),
                              "ThreadTeamEnd");
}

void omptape_archive_task_create(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                 OTF2_CommRef comm, uint32_t creator, uint32_t generation)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(
            archive,
            OTF2_EvtWriter_ThreadTaskCreate(events, archive->attributes, time, comm, creator, generation),
            "ThreadTaskCreate");
}

void omptape_archive_task_switch(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                 OTF2_CommRef comm, uint32_t creator, uint32_t generation)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(archive,
                              OTF2_EvtWriter_ThreadTaskSwitch(events, NULL, time, comm, creator, generation),
                              "ThreadTaskSwitch");
}

void omptape_archive_task_complete(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                   OTF2_CommRef comm, uint32_t creator, uint32_t generation)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(
            archive, OTF2_EvtWriter_ThreadTaskComplete(events, NULL, time, comm, creator, generation),
            "ThreadTaskComplete");
}

void omptape_archive_lock_acquire(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                  uint32_t lock, uint32_t order)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(
            archive, OTF2_EvtWriter_ThreadAcquireLock(events, NULL, time, OTF2_PARADIGM_OPENMP, lock, order),
            "ThreadAcquireLock");
}

void omptape_archive_lock_release(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                  uint32_t lock, uint32_t order)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(
            archive, OTF2_EvtWriter_ThreadReleaseLock(events, NULL, time, OTF2_PARADIGM_OPENMP, lock, order),
            "ThreadReleaseLock");
}

void omptape_archive_parameter_string(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                      enum omptape_parameter parameter, OTF2_StringRef value)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(
            archive, OTF2_EvtWriter_ParameterString(events, NULL, time, (OTF2_ParameterRef)parameter, value),
            "ParameterString");
}

void omptape_archive_parameter_i64(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                   enum omptape_parameter parameter, int64_t value)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(
            archive, OTF2_EvtWriter_ParameterInt(events, NULL, time, (OTF2_ParameterRef)parameter, value),
            "ParameterInt");
}

void omptape_archive_parameter_u64(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                   enum omptape_parameter parameter, uint64_t value)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(
            archive,
            OTF2_EvtWriter_ParameterUnsignedInt(events, NULL, time, (OTF2_ParameterRef)parameter, value),
            "ParameterUnsignedInt");
}

void omptape_archive_measurement(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                 bool on)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(archive,
                              OTF2_EvtWriter_MeasurementOnOff(
                                  events, NULL, time, on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF),
                              "MeasurementOnOff");
}

void omptape_archive_buffer_flush(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t begin,
                                  uint64_t end)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(archive, OTF2_EvtWriter_BufferFlush(events, NULL, begin, end), "BufferFlush");
}

void omptape_archive_rma(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time, bool put,
                         uint32_t rank, uint64_t bytes, uint64_t match)
{
    if (!omptape_archive_can_write(archive, events))
        return;
    OTF2_ErrorCode code =
        put ? OTF2_EvtWriter_RmaPut(events, NULL, time, OMPTAPE_RMA_WINDOW, rank, bytes, match)
            : OTF2_EvtWriter_RmaGet(events, NULL, time, OMPTAPE_RMA_WINDOW, rank, bytes, match);
    omptape_archive_check(archive, code, put ? "RmaPut" : "RmaGet");
}

void omptape_archive_rma_complete(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                                  uint64_t match)
{
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(
            archive, OTF2_EvtWriter_RmaOpCompleteBlocking(events, NULL, time, OMPTAPE_RMA_WINDOW, match),
            "RmaOpCompleteBlocking");
}

void omptape_archive_metric(struct omptape_archive *archive, OTF2_EvtWriter *events, uint64_t time,
                            enum omptape_metric metric, uint8_t count, const uint64_t *values)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    if (omptape_archive_can_write(archive, events))
        omptape_archive_check(archive,
                              OTF2_EvtWriter_Metric(events, NULL, time, (OTF2_MetricRef)metric, count,
                                                    types, (const OTF2_MetricValue *)(const void *)values),
                              "Metric");
}
