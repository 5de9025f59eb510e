/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds small OTF2 archives with libotf2's writer: see make_archive.h. Called by
 * tests/unit/command/test_check.c.
 */
#include "tests/unit/make_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 6 };

static const char *const texts[MAKE_STRINGS] = {
    "",
    "some text",
    "Master thread",
    "OMP thread 1",
    "OMP thread 2",
    "stream 0",
    "main",
    "!$omp parallel @a.c:10",
    "!$omp implicit barrier @a.c:20",
    "!$omp task @a.c:15",
    "!$omp critical @a.c:17",
    "kernel",
    "/src/a.c",
    "process 4711",
    "OpenMP device 0 (host)",
    "machine",
    "node",
    "node17",
    "OpenMP",
    "CUDA",
    "iterations",
    "schedule",
    "device memory",
    "bytes",
    "window",
    "team",
    "static",
    "OS thread id",
    "operation id",
    "host thread",
    "Initial thread 1",
    "Initial thread 2",
};
enum {
    TEXT_LOCATION = 2,
    TEXT_REGION = 6,
    TEXT_FILE = 12,
    TEXT_PROCESS = 13,
    TEXT_DEVICE = 14,
    TEXT_MACHINE = 15,
    TEXT_NODE_CLASS = 16,
    TEXT_NODE = 17,
    TEXT_OPENMP = 18,
    TEXT_CUDA = 19,
    TEXT_ITERATIONS = 20,
    TEXT_SCHEDULE = 21,
    TEXT_MEMORY = 22,
    TEXT_BYTES = 23,
    TEXT_WINDOW = 24,
    TEXT_TEAM = 25,
    TEXT_THREAD_ID = 27,
    TEXT_OPERATION = 28,
    TEXT_HOST_THREAD = 29,
    TEXT_INITIAL = 30, /* of location 1 */
};

void make_must(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "make_archive: %s\n", what);
        abort();
    }
}

void make_succeed(OTF2_ErrorCode code)
{
    make_must(code == OTF2_SUCCESS, OTF2_Error_GetDescription(code));
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool final)
{
    (void)data;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp no_time(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)data;
    (void)type;
    (void)location;
    return 0;
}

static void write_local_definitions(OTF2_Archive *archive, bool skip_one)
{
    make_succeed(OTF2_Archive_OpenDefFiles(archive));
    for (OTF2_LocationRef i = 0; i < MAKE_LOCATIONS; i++) {
        if (skip_one && i == 1)
            continue;
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, i);
        make_must(writer != NULL, "no definition writer");
        make_succeed(OTF2_Archive_CloseDefWriter(archive, writer));
    }
    make_succeed(OTF2_Archive_CloseDefFiles(archive));
}

static void define_places(OTF2_GlobalDefWriter *writer, const uint64_t *counts, const struct make_plan *plan)
{
    make_succeed(OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_OPENMP, TEXT_OPENMP,
                                                    OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
    make_succeed(OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_CUDA, TEXT_CUDA,
                                                    OTF2_PARADIGM_CLASS_ACCELERATOR));
    make_succeed(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, TEXT_MACHINE, TEXT_MACHINE,
                                                          OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    make_succeed(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 1, TEXT_NODE, TEXT_NODE_CLASS, 0));
    make_succeed(OTF2_GlobalDefWriter_WriteLocationGroup(
        writer, 0, TEXT_PROCESS, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1, OTF2_UNDEFINED_LOCATION_GROUP));
    make_succeed(OTF2_GlobalDefWriter_WriteLocationGroup(writer, 1, TEXT_DEVICE,
                                                         OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1, 0));
    if (plan->two_processes)
        make_succeed(OTF2_GlobalDefWriter_WriteLocationGroup(
            writer, 2, TEXT_PROCESS, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1, OTF2_UNDEFINED_LOCATION_GROUP));
    for (OTF2_LocationGroupRef i = 3; plan->four_processes && i < 6; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteLocationGroup(
            writer, i, TEXT_PROCESS, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1, OTF2_UNDEFINED_LOCATION_GROUP));
    for (OTF2_LocationRef i = 0; i < MAKE_LOCATIONS; i++) {
        bool stream = i == 3 && !plan->four_processes;
        OTF2_LocationGroupRef group = plan->two_processes && i == 2 ? 2 : stream;
        if (plan->four_processes && i > 0)
            group = (OTF2_LocationGroupRef)i + 2;
        OTF2_StringRef name = (plan->initial & 1U << i) != 0 ? TEXT_INITIAL - 1 : TEXT_LOCATION;
        const OTF2_AttributeValue thread_id = {.uint64 = 4711 + i};
        make_succeed(OTF2_GlobalDefWriter_WriteLocation(writer, i, name + (OTF2_StringRef)i,
                                                        stream ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                                               : OTF2_LOCATION_TYPE_CPU_THREAD,
                                                        counts[i], group));
        make_succeed(OTF2_GlobalDefWriter_WriteLocationProperty(writer, i, TEXT_THREAD_ID, OTF2_TYPE_UINT64,
                                                                thread_id));
    }
}

static void define_regions(OTF2_GlobalDefWriter *writer)
{
    static const OTF2_RegionRole roles[REGIONS] = {
        OTF2_REGION_ROLE_FUNCTION, OTF2_REGION_ROLE_PARALLEL, OTF2_REGION_ROLE_IMPLICIT_BARRIER,
        OTF2_REGION_ROLE_TASK,     OTF2_REGION_ROLE_CRITICAL, OTF2_REGION_ROLE_FUNCTION,
    };
    for (OTF2_RegionRef i = 0; i < REGIONS; i++) {
        OTF2_Paradigm paradigm = OTF2_PARADIGM_OPENMP;
        if (i == 0)
            paradigm = OTF2_PARADIGM_USER;
        else if (i == REGIONS - 1)
            paradigm = OTF2_PARADIGM_CUDA;
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, i, TEXT_REGION + i, TEXT_REGION + i,
                                                      MAKE_EMPTY_STRING, roles[i], paradigm,
                                                      OTF2_REGION_FLAG_NONE, TEXT_FILE, 10, 20));
    }
}

static void define_comms(OTF2_GlobalDefWriter *writer)
{
    static const struct {
        OTF2_GroupType type;
        OTF2_Paradigm paradigm;
        uint32_t count;
        uint64_t members[3];
    } groups[] = {
        {OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, 3, {0, 1, 2}},
        {OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, 2, {0, 1}},
        {OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, 3, {0, 1, 2}},
        {OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, 1, {1}},
        {OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_CUDA, 2, {0, 3}},
        {OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_CUDA, 2, {0, 1}},
    };
    for (uint32_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        make_succeed(OTF2_GlobalDefWriter_WriteGroup(writer, i, TEXT_TEAM, groups[i].type, groups[i].paradigm,
                                                     OTF2_GROUP_FLAG_NONE, groups[i].count,
                                                     groups[i].members));
    }
    make_succeed(
        OTF2_GlobalDefWriter_WriteComm(writer, 0, TEXT_TEAM, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    make_succeed(
        OTF2_GlobalDefWriter_WriteComm(writer, 1, TEXT_TEAM, 2, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    make_succeed(OTF2_GlobalDefWriter_WriteComm(writer, 2, TEXT_TEAM, 3, 1, OTF2_COMM_FLAG_NONE));
    make_succeed(
        OTF2_GlobalDefWriter_WriteComm(writer, 3, TEXT_TEAM, 5, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    make_succeed(OTF2_GlobalDefWriter_WriteRmaWin(writer, 0, TEXT_WINDOW, 3, OTF2_RMA_WIN_FLAG_NONE));
}

static void define_values(OTF2_GlobalDefWriter *writer)
{
    const OTF2_MetricMemberRef member = 0;
    make_succeed(
        OTF2_GlobalDefWriter_WriteAttribute(writer, 0, TEXT_ITERATIONS, MAKE_EMPTY_STRING, OTF2_TYPE_UINT64));
    make_succeed(
        OTF2_GlobalDefWriter_WriteAttribute(writer, 1, TEXT_SCHEDULE, MAKE_EMPTY_STRING, OTF2_TYPE_STRING));
    make_succeed(
        OTF2_GlobalDefWriter_WriteAttribute(writer, 2, TEXT_OPERATION, MAKE_EMPTY_STRING, OTF2_TYPE_UINT64));
    make_succeed(OTF2_GlobalDefWriter_WriteAttribute(writer, 3, TEXT_HOST_THREAD, MAKE_EMPTY_STRING,
                                                     OTF2_TYPE_LOCATION));
    make_succeed(OTF2_GlobalDefWriter_WriteParameter(writer, 0, TEXT_SCHEDULE, OTF2_PARAMETER_TYPE_STRING));
    make_succeed(OTF2_GlobalDefWriter_WriteParameter(writer, 1, TEXT_ITERATIONS, OTF2_PARAMETER_TYPE_UINT64));
    make_succeed(OTF2_GlobalDefWriter_WriteMetricMember(writer, member, TEXT_MEMORY, MAKE_EMPTY_STRING,
                                                        OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
                                                        OTF2_TYPE_UINT64, OTF2_BASE_BINARY, 0, TEXT_BYTES));
    make_succeed(OTF2_GlobalDefWriter_WriteMetricClass(writer, 0, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                                       OTF2_RECORDER_KIND_GPU));
}

static void write_definitions(OTF2_Archive *archive, const struct make_plan *plan, const uint64_t *counts)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
    make_must(writer != NULL, "no global definition writer");
    if (!plan->no_clock) {
        make_succeed(OTF2_GlobalDefWriter_WriteClockProperties(
            writer, 1000000000, MAKE_CLOCK_OFFSET, MAKE_CLOCK_LENGTH, UINT64_C(1700000000000000000)));
    }
    for (OTF2_StringRef i = 0; i < MAKE_STRINGS; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, i, texts[i] == NULL ? "" : texts[i]));
    define_places(writer, counts, plan);
    define_regions(writer);
    define_comms(writer);
    define_values(writer);
    if (plan->more != NULL)
        plan->more(writer);
    make_succeed(OTF2_Archive_CloseGlobalDefWriter(archive, writer));
}

void make_archive(const char *directory, const struct make_plan *plan)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always, .otf2_post_flush = no_time};
    const char *script = plan->events == NULL ? "" : plan->events;
    uint64_t counts[MAKE_LOCATIONS] = {0};
    OTF2_Archive *archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, 1024 * 1024,
                                              4 * 1024 * 1024, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    make_must(archive != NULL, "no archive");
    make_succeed(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
    make_succeed(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    make_events(archive, script, counts);
    write_local_definitions(archive, plan->no_local_definitions);
    counts[1] += plan->extra_events;
    write_definitions(archive, plan, counts);
    make_markers(archive, script);
    if (plan->end != NULL)
        make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::END", plan->end, true));
    if (plan->dropped != NULL)
        make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::DROPPED", plan->dropped, true));
    if (plan->properties != NULL)
        plan->properties(archive);
    make_succeed(OTF2_Archive_Close(archive));
}

void make_patch(const char *directory, const char *file, const void *from, const void *to, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", directory, file);
    FILE *stream = fopen(path, "r+b");
    make_must(stream != NULL, path);
    char *content = malloc(1 << 20);
    make_must(content != NULL, "no memory");
    size_t size = fread(content, 1, 1 << 20, stream);
    size_t at = size;
    for (size_t i = 0; i + bytes <= size; i++) {
        if (memcmp(content + i, from, bytes) == 0) {
            make_must(at == size, "the bytes stand in more than one place");
            at = i;
        }
    }
    make_must(at < size, "the bytes are not in the file");
    make_must(fseek(stream, (long)at, SEEK_SET) == 0 && fwrite(to, 1, bytes, stream) == bytes,
              "cannot patch");
    make_must(fclose(stream) == 0, "cannot patch");
    free(content);
}
