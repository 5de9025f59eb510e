/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the events and markers of a script: see make_archive.h for its language. Called by make_archive.c in
 * unit tests.
 */
#include "tests/unit/make_archive.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 7, NAME_STRING = 6 };

/* One line of the script. */
struct line {
    OTF2_LocationRef location;
    OTF2_TimeStamp time;
    char kind[16];
    uint64_t number[NUMBERS];
    uint8_t numbers; /* of these that it has */
};

/* Reads the line at *at and moves on. False at the end. */
static bool next_line(const char **at, struct line *line)
{
    *line = (struct line){0};
    while (**at == '\n' || **at == ' ')
        ++*at;
    if (**at == '\0')
        return false;
    const char *end = strchrnul(*at, '\n');
    char text[128];
    make_must((size_t)(end - *at) < sizeof(text), "a long line");
    memcpy(text, *at, (size_t)(end - *at));
    text[end - *at] = '\0';
    int read = sscanf(text,
                      "%" SCNu64 " %" SCNu64 " %15s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                      " %" SCNu64 " %" SCNu64,
                      &line->location, &line->time, line->kind, &line->number[0], &line->number[1],
                      &line->number[2], &line->number[3], &line->number[4], &line->number[5],
                      &line->number[6]);
    make_must(read >= 3 && line->location < MAKE_LOCATIONS, "a line is LOCATION TIME KIND [NUMBER ...]");
    line->numbers = (uint8_t)(read - 3);
    *at = *end == '\0' ? end : end + 1;
    return true;
}

static bool is(const struct line *line, const char *kind)
{
    return strcmp(line->kind, kind) == 0;
}

/* Writers of the families of events: true if the line was theirs. */
static bool write_regions(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes, const struct line *line)
{
    uint32_t first = (uint32_t)line->number[0];
    if (is(line, "enter")) {
        make_succeed(OTF2_EvtWriter_Enter(writer, attributes, line->time, first));
    } else if (is(line, "leave")) {
        make_succeed(OTF2_EvtWriter_Leave(writer, attributes, line->time, first));
    } else if (is(line, "program")) {
        const OTF2_StringRef arguments[] = {MAKE_SOME_STRING};
        make_succeed(OTF2_EvtWriter_ProgramBegin(writer, attributes, line->time, NAME_STRING, 1, arguments));
    } else if (is(line, "endprogram")) {
        make_succeed(OTF2_EvtWriter_ProgramEnd(writer, attributes, line->time, 0));
    } else if (is(line, "on") || is(line, "off")) {
        make_succeed(OTF2_EvtWriter_MeasurementOnOff(
            writer, attributes, line->time, is(line, "on") ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
    } else if (is(line, "flush")) {
        make_succeed(OTF2_EvtWriter_BufferFlush(writer, attributes, line->time, line->number[0]));
    } else if (is(line, "sample")) {
        make_succeed(OTF2_EvtWriter_CallingContextSample(writer, attributes, line->time, first,
                                                         OTF2_UNDEFINED_UINT32, 0));
    } else if (is(line, "string")) {
        make_succeed(
            OTF2_EvtWriter_ParameterString(writer, attributes, line->time, first, (uint32_t)line->number[1]));
    } else if (is(line, "unsigned")) {
        make_succeed(
            OTF2_EvtWriter_ParameterUnsignedInt(writer, attributes, line->time, first, line->number[1]));
    } else if (is(line, "counted")) {
        const OTF2_Type types[] = {OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64, OTF2_TYPE_INT64};
        const OTF2_MetricValue values[] = {{.unsigned_int = line->number[1]},
                                           {.unsigned_int = line->number[2]},
                                           {.unsigned_int = line->number[3]},
                                           {.unsigned_int = line->number[4]}};
        make_succeed(OTF2_EvtWriter_Metric(writer, attributes, line->time, first,
                                           (uint8_t)(line->numbers - 1), types, values));
    } else if (is(line, "value")) {
        const OTF2_Type type = OTF2_TYPE_DOUBLE;
        const OTF2_MetricValue value = {.floating_point =
                                            line->numbers > 1 ? (double)line->number[1] : INFINITY};
        make_succeed(OTF2_EvtWriter_Metric(writer, attributes, line->time, first, 1, &type, &value));
    } else if (is(line, "metric")) {
        const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64,
                                   OTF2_TYPE_UINT64, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
        const OTF2_MetricValue values[] = {
            {.unsigned_int = line->number[1]}, {.unsigned_int = line->number[2]},
            {.unsigned_int = line->number[3]}, {.unsigned_int = line->number[4]},
            {.unsigned_int = line->number[4]}, {.unsigned_int = line->number[5]},
            {.unsigned_int = line->number[6]}};
        uint8_t count = 1;
        if (line->number[3] != 0)
            count = line->number[6] != 0 ? 7 : line->number[5] != 0 ? 6 : 5;
        else if (line->number[2] != 0)
            count = 2;
        make_succeed(OTF2_EvtWriter_Metric(writer, attributes, line->time, first, count, types, values));
    } else {
        return false;
    }
    return true;
}

static bool write_threads(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes, const struct line *line)
{
    uint32_t first = (uint32_t)line->number[0];
    uint32_t second = (uint32_t)line->number[1];
    uint32_t third = (uint32_t)line->number[2];
    if (is(line, "fork")) {
        make_succeed(OTF2_EvtWriter_ThreadFork(writer, attributes, line->time, OTF2_PARADIGM_OPENMP, first));
    } else if (is(line, "join")) {
        make_succeed(OTF2_EvtWriter_ThreadJoin(writer, attributes, line->time, OTF2_PARADIGM_OPENMP));
    } else if (is(line, "team")) {
        make_succeed(OTF2_EvtWriter_ThreadTeamBegin(writer, attributes, line->time, first));
    } else if (is(line, "endteam")) {
        make_succeed(OTF2_EvtWriter_ThreadTeamEnd(writer, attributes, line->time, first));
    } else if (is(line, "create")) {
        make_succeed(OTF2_EvtWriter_ThreadTaskCreate(writer, attributes, line->time, first, second, third));
    } else if (is(line, "switch")) {
        make_succeed(OTF2_EvtWriter_ThreadTaskSwitch(writer, attributes, line->time, first, second, third));
    } else if (is(line, "complete")) {
        make_succeed(OTF2_EvtWriter_ThreadTaskComplete(writer, attributes, line->time, first, second, third));
    } else if (is(line, "acquire")) {
        make_succeed(OTF2_EvtWriter_ThreadAcquireLock(writer, attributes, line->time, OTF2_PARADIGM_OPENMP,
                                                      first, second));
    } else if (is(line, "release")) {
        make_succeed(OTF2_EvtWriter_ThreadReleaseLock(writer, attributes, line->time, OTF2_PARADIGM_OPENMP,
                                                      first, second));
    } else {
        return false;
    }
    return true;
}

static bool write_transfers(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes, const struct line *line)
{
    const uint64_t *number = line->number;
    uint32_t window = (uint32_t)number[0];
    if (is(line, "put")) {
        make_succeed(OTF2_EvtWriter_RmaPut(writer, attributes, line->time, window, (uint32_t)number[1],
                                           number[2], number[3]));
    } else if (is(line, "get")) {
        make_succeed(OTF2_EvtWriter_RmaGet(writer, attributes, line->time, window, (uint32_t)number[1],
                                           number[2], number[3]));
    } else if (is(line, "atomic")) {
        make_succeed(OTF2_EvtWriter_RmaAtomic(writer, attributes, line->time, window, (uint32_t)number[1],
                                              OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, number[2], number[3],
                                              number[4]));
    } else if (is(line, "done")) {
        make_succeed(OTF2_EvtWriter_RmaOpCompleteBlocking(writer, attributes, line->time, window, number[1]));
    } else if (is(line, "io")) {
        make_succeed(OTF2_EvtWriter_IoOperationBegin(writer, attributes, line->time, 0,
                                                     (OTF2_IoOperationMode)number[0],
                                                     (OTF2_IoOperationFlag)number[3], number[2], number[1]));
    } else if (is(line, "iodone")) {
        make_succeed(
            OTF2_EvtWriter_IoOperationComplete(writer, attributes, line->time, 0, number[1], number[0]));
    } else if (is(line, "open")) {
        make_succeed(OTF2_EvtWriter_IoCreateHandle(writer, attributes, line->time, 0,
                                                   OTF2_IO_ACCESS_MODE_WRITE_ONLY, 0, 0));
    } else if (is(line, "close")) {
        make_succeed(OTF2_EvtWriter_IoDestroyHandle(writer, attributes, line->time, 0));
    } else if (is(line, "remote")) {
        make_succeed(OTF2_EvtWriter_RmaOpCompleteRemote(writer, attributes, line->time, window, number[1]));
    } else {
        return false;
    }
    return true;
}

static bool write_messages(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes, const struct line *line)
{
    const uint64_t *number = line->number;
    uint32_t first = (uint32_t)number[0];
    uint32_t comm = (uint32_t)number[1];
    uint32_t tag = (uint32_t)number[2];
    if (is(line, "send")) {
        make_succeed(OTF2_EvtWriter_MpiSend(writer, attributes, line->time, first, comm, tag, number[3]));
    } else if (is(line, "receive")) {
        make_succeed(OTF2_EvtWriter_MpiRecv(writer, attributes, line->time, first, comm, tag, number[3]));
    } else if (is(line, "isend")) {
        make_succeed(
            OTF2_EvtWriter_MpiIsend(writer, attributes, line->time, first, comm, tag, number[3], number[4]));
    } else if (is(line, "ireceive")) {
        make_succeed(
            OTF2_EvtWriter_MpiIrecv(writer, attributes, line->time, first, comm, tag, number[3], number[4]));
    } else if (is(line, "sent")) {
        make_succeed(OTF2_EvtWriter_MpiIsendComplete(writer, attributes, line->time, number[0]));
    } else if (is(line, "posted")) {
        make_succeed(OTF2_EvtWriter_MpiIrecvRequest(writer, attributes, line->time, number[0]));
    } else if (is(line, "cancelled")) {
        make_succeed(OTF2_EvtWriter_MpiRequestCancelled(writer, attributes, line->time, number[0]));
    } else if (is(line, "made")) {
        make_succeed(OTF2_EvtWriter_CommCreate(writer, attributes, line->time, first));
    } else if (is(line, "freed")) {
        make_succeed(OTF2_EvtWriter_CommDestroy(writer, attributes, line->time, first));
    } else if (is(line, "collective")) {
        make_succeed(OTF2_EvtWriter_MpiCollectiveBegin(writer, attributes, line->time));
        make_succeed(OTF2_EvtWriter_MpiCollectiveEnd(
            writer, attributes, line->time, (OTF2_CollectiveOp)number[0], comm, tag, number[3], number[4]));
    } else {
        return false;
    }
    return true;
}

/* What does not block, and what windows are synchronised by. */
static bool write_synchronisation(OTF2_EvtWriter *writer, OTF2_AttributeList *attributes,
                                  const struct line *line)
{
    const uint64_t *number = line->number;
    const uint32_t first = (uint32_t)number[0];
    const uint32_t second = (uint32_t)number[1];
    if (is(line, "begun")) {
        make_succeed(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, attributes, line->time, number[0]));
    } else if (is(line, "ended")) {
        make_succeed(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, attributes, line->time,
                                                                  (OTF2_CollectiveOp)first, second,
                                                                  (uint32_t)number[2], 8, 8, number[3]));
    } else if (is(line, "fence")) {
        make_succeed(OTF2_EvtWriter_RmaCollectiveBegin(writer, attributes, line->time));
        make_succeed(OTF2_EvtWriter_RmaCollectiveEnd(writer, attributes, line->time,
                                                     OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS,
                                                     first, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
    } else if (is(line, "group")) {
        make_succeed(OTF2_EvtWriter_RmaGroupSync(writer, attributes, line->time, OTF2_RMA_SYNC_LEVEL_PROCESS,
                                                 first, second));
    } else if (is(line, "lock")) {
        make_succeed(OTF2_EvtWriter_RmaAcquireLock(writer, attributes, line->time, first, second, 0,
                                                   (OTF2_LockType)number[2]));
    } else if (is(line, "unlock")) {
        make_succeed(OTF2_EvtWriter_RmaReleaseLock(writer, attributes, line->time, first, second, 0));
    } else {
        return false;
    }
    return true;
}

void make_events(OTF2_Archive *archive, const char *script, uint64_t *counts)
{
    OTF2_EvtWriter *writers[MAKE_LOCATIONS];
    OTF2_AttributeList *attributes = OTF2_AttributeList_New();
    struct line line;
    make_succeed(OTF2_Archive_OpenEvtFiles(archive));
    for (OTF2_LocationRef i = 0; i < MAKE_LOCATIONS; i++) {
        writers[i] = OTF2_Archive_GetEvtWriter(archive, i);
        make_must(writers[i] != NULL, "no event writer");
    }
    while (next_line(&script, &line)) {
        OTF2_EvtWriter *writer = writers[line.location];
        uint32_t first = (uint32_t)line.number[0];
        if (is(&line, "uint")) {
            make_succeed(OTF2_AttributeList_AddUint64(attributes, first, line.number[1]));
        } else if (is(&line, "text")) {
            make_succeed(OTF2_AttributeList_AddStringRef(attributes, first, (uint32_t)line.number[1]));
        } else if (is(&line, "place")) {
            make_succeed(OTF2_AttributeList_AddLocationRef(attributes, first, line.number[1]));
        } else if (is(&line, "region")) {
            make_succeed(OTF2_AttributeList_AddRegionRef(attributes, first, (uint32_t)line.number[1]));
        } else if (!is(&line, "marker") && !is(&line, "defmarker")) {
            make_must(write_regions(writer, attributes, &line) || write_threads(writer, attributes, &line) ||
                          write_transfers(writer, attributes, &line) ||
                          write_messages(writer, attributes, &line) ||
                          write_synchronisation(writer, attributes, &line),
                      line.kind);
        }
    }
    for (OTF2_LocationRef i = 0; i < MAKE_LOCATIONS; i++) {
        make_succeed(OTF2_EvtWriter_GetNumberOfEvents(writers[i], &counts[i]));
        make_succeed(OTF2_Archive_CloseEvtWriter(archive, writers[i]));
    }
    make_succeed(OTF2_Archive_CloseEvtFiles(archive));
    make_succeed(OTF2_AttributeList_Delete(attributes));
}

void make_markers(OTF2_Archive *archive, const char *script)
{
    struct line line;
    OTF2_MarkerWriter *writer = NULL;
    if (strstr(script, "marker") == NULL)
        return;
    writer = OTF2_Archive_GetMarkerWriter(archive);
    make_must(writer != NULL, "no marker writer");
    while (next_line(&script, &line)) {
        const uint64_t *number = line.number;
        if (is(&line, "defmarker")) {
            make_succeed(OTF2_MarkerWriter_WriteDefMarker(writer, (OTF2_MarkerRef)number[0], "omptape",
                                                          "cancel", OTF2_SEVERITY_LOW));
        } else if (is(&line, "marker")) {
            make_succeed(OTF2_MarkerWriter_WriteMarker(writer, line.time, number[3],
                                                       (OTF2_MarkerRef)number[0], (OTF2_MarkerScope)number[1],
                                                       number[2], "a marker"));
        }
    }
    make_succeed(OTF2_Archive_CloseMarkerWriter(archive, writer));
}
