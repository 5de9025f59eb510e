/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the parts of a job that never ran, for the tests of `omptape unify`: DIR/rank-R for each of PROCESSES
 * ranks with THREADS threads of EVENTS events each, on HOSTS hosts whose counters start and run differently.
 * All ranks do the same at the same true times, so that their times must agree once they are unified. Wall
 * clocks are exact, but host h has a clock that is h * SKEW ns ahead. Ranks of one host share their event
 * files (hard links), so that a large job costs one file. Usage: make_parts DIR PROCESSES THREADS EVENTS
 * HOSTS SKEW.
 */
#include "src/folder/archive_files.h"
#include "tests/unify/rank_archive.h"
#include <omptape/locations.h>

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REGIONS = 8, PROGRAM = REGIONS }; /* the program's regions come last */
enum { STRINGS = 64, MAX_HOSTS = 64 };
enum {
    TEXT_MACHINE = 1,
    TEXT_NODE,
    TEXT_HOST,
    TEXT_PROCESS,
    TEXT_MASTER,
    TEXT_OPENMP,
    TEXT_FILE,
    TEXT_MAIN,
    TEXT_NUMBER,
    TEXT_THREADS,
    TEXT_TEAM,
    TEXT_REGION = 16,
    TEXT_THREAD = 32
};

static const uint64_t wall_start = UINT64_C(1700000000000000000);
static const double seconds = 100;

struct job {
    const char *folder;
    unsigned processes, threads, hosts;
    uint64_t events;
    long long skew;
};

static uint64_t location(unsigned thread)
{
    return omptape_location_id(thread, 0);
}

static double rate_of(unsigned host)
{
    return 2e9 * (1 + 37e-6 * host);
}

/* The host's counter, `t` seconds after the job's start. */
static uint64_t ticks_at(unsigned host, double t)
{
    return UINT64_C(1000000000000) * (host + 1) + (uint64_t)(t * rate_of(host));
}

static void begin_program(OTF2_EvtWriter *out, uint64_t time)
{
    rank_succeed(OTF2_EvtWriter_ProgramBegin(out, NULL, time, TEXT_PROCESS, 0, NULL));
    rank_succeed(OTF2_EvtWriter_Enter(out, NULL, time, PROGRAM));
}

static void end_program(OTF2_EvtWriter *out, uint64_t time)
{
    rank_succeed(OTF2_EvtWriter_Leave(out, NULL, time, PROGRAM));
    rank_succeed(OTF2_EvtWriter_ProgramEnd(out, NULL, time, 0));
}

static void write_thread(OTF2_Archive *archive, const struct job *job, unsigned host, unsigned thread)
{
    OTF2_EvtWriter *out = OTF2_Archive_GetEvtWriter(archive, location(thread));
    OTF2_AttributeList *attributes = OTF2_AttributeList_New();
    uint64_t pairs = job->events / 2;
    rank_must(out != NULL && attributes != NULL, "no event writer");
    if (thread == 0)
        begin_program(out, ticks_at(host, 0));
    rank_succeed(OTF2_EvtWriter_ThreadTeamBegin(out, NULL, ticks_at(host, 1), 0));
    for (uint64_t i = 0; i < pairs; i++) {
        double at = 1 + 98 * (double)i / (double)pairs;
        OTF2_RegionRef region = (OTF2_RegionRef)(i % REGIONS);
        if (i < 4)
            rank_succeed(OTF2_AttributeList_AddStringRef(attributes, 0, TEXT_REGION + region));
        rank_succeed(OTF2_EvtWriter_Enter(out, attributes, ticks_at(host, at), region));
        rank_succeed(OTF2_EvtWriter_Leave(out, NULL, ticks_at(host, at), region));
    }
    rank_succeed(OTF2_EvtWriter_ThreadTeamEnd(out, NULL, ticks_at(host, 99), 0));
    if (thread == 0)
        end_program(out, ticks_at(host, seconds));
    OTF2_AttributeList_Delete(attributes);
    rank_succeed(OTF2_Archive_CloseEvtWriter(archive, out));
}

/* Regions are numbered differently in each process, as they are in life: through a mapping table. */
static void write_locals(OTF2_Archive *archive, const struct job *job, unsigned rank)
{
    OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, REGIONS + 1);
    for (unsigned i = 0; i < REGIONS; i++)
        rank_succeed(OTF2_IdMap_AddIdPair(map, i, (i + rank) % REGIONS));
    rank_succeed(OTF2_IdMap_AddIdPair(map, PROGRAM, PROGRAM));
    rank_succeed(OTF2_Archive_OpenDefFiles(archive));
    for (unsigned i = 0; i < job->threads; i++) {
        OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(archive, location(i));
        rank_must(out != NULL, "no definition writer");
        rank_succeed(OTF2_DefWriter_WriteMappingTable(out, OTF2_MAPPING_REGION, map));
        rank_succeed(OTF2_Archive_CloseDefWriter(archive, out));
    }
    rank_succeed(OTF2_Archive_CloseDefFiles(archive));
    OTF2_IdMap_Free(map);
}

static void write_string(OTF2_GlobalDefWriter *out, OTF2_StringRef ref, const char *format, unsigned number)
{
    char text[128];
    snprintf(text, sizeof(text), format, number);
    rank_succeed(OTF2_GlobalDefWriter_WriteString(out, ref, text));
}

static void write_strings(OTF2_GlobalDefWriter *out, const struct job *job, unsigned rank)
{
    static const struct {
        OTF2_StringRef ref;
        const char *text;
    } texts[] = {{0, ""},
                 {TEXT_MACHINE, "machine"},
                 {TEXT_NODE, "node"},
                 {TEXT_MASTER, "Master thread"},
                 {TEXT_OPENMP, "OpenMP"},
                 {TEXT_FILE, "/src/app.c"},
                 {TEXT_MAIN, "main"},
                 {TEXT_NUMBER, "depth"},
                 {TEXT_THREADS, "OpenMP"},
                 {TEXT_TEAM, "Thread team 0"}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        rank_succeed(OTF2_GlobalDefWriter_WriteString(out, texts[i].ref, texts[i].text));
    write_string(out, TEXT_HOST, "host%u", rank % job->hosts);
    write_string(out, TEXT_PROCESS, "app (pid %u)", 1000 + rank);
    for (unsigned i = 0; i < REGIONS; i++)
        write_string(out, TEXT_REGION + i, "!$omp flush @app.c:%u", 10 + i);
    for (unsigned i = 1; i < job->threads; i++)
        write_string(out, TEXT_THREAD + i, "OMP thread %u", i);
}

static void write_places(OTF2_GlobalDefWriter *out, const struct job *job)
{
    rank_succeed(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, TEXT_MACHINE, TEXT_MACHINE,
                                                          OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    rank_succeed(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 1, TEXT_HOST, TEXT_NODE, 0));
    rank_succeed(OTF2_GlobalDefWriter_WriteLocationGroup(
        out, 0, TEXT_PROCESS, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1, OTF2_UNDEFINED_LOCATION_GROUP));
    for (unsigned i = 0; i < job->threads; i++) {
        uint64_t events = job->events / 2 * 2 + 2 + (i == 0 ? 4 : 0);
        rank_succeed(OTF2_GlobalDefWriter_WriteLocation(out, location(i),
                                                        i == 0 ? TEXT_MASTER : TEXT_THREAD + i,
                                                        OTF2_LOCATION_TYPE_CPU_THREAD, events, 0));
    }
}

static void write_team(OTF2_GlobalDefWriter *out, const struct job *job)
{
    uint64_t members[STRINGS];
    for (unsigned i = 0; i < job->threads; i++)
        members[i] = location(i);
    rank_succeed(OTF2_GlobalDefWriter_WriteGroup(out, 0, TEXT_THREADS, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                 OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, job->threads,
                                                 members));
    for (unsigned i = 0; i < job->threads; i++)
        members[i] = i;
    rank_succeed(OTF2_GlobalDefWriter_WriteGroup(out, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                                 OTF2_GROUP_FLAG_NONE, job->threads, members));
    rank_succeed(
        OTF2_GlobalDefWriter_WriteComm(out, 0, TEXT_TEAM, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void write_program(OTF2_GlobalDefWriter *out, OTF2_RegionRef region, OTF2_RegionRole role,
                          OTF2_Paradigm paradigm)
{
    rank_succeed(OTF2_GlobalDefWriter_WriteRegion(out, region, TEXT_PROCESS, TEXT_PROCESS, 0, role, paradigm,
                                                  OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
}

static void write_definitions(OTF2_Archive *archive, const struct job *job, unsigned rank)
{
    unsigned host = rank % job->hosts;
    uint64_t first = ticks_at(host, 0);
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);
    rank_must(out != NULL, "no global definition writer");
    /* The rate is measured to a millionth. */
    rank_succeed(OTF2_GlobalDefWriter_WriteClockProperties(
        out, (uint64_t)(rate_of(host) * (1 + 1e-6 * (rank % 3 - 1.0))), first,
        ticks_at(host, seconds) - first, wall_start + (uint64_t)(job->skew * host)));
    write_strings(out, job, rank);
    rank_succeed(OTF2_GlobalDefWriter_WriteAttribute(out, 0, TEXT_NUMBER, 0, OTF2_TYPE_STRING));
    rank_succeed(OTF2_GlobalDefWriter_WriteParadigm(out, OTF2_PARADIGM_OPENMP, TEXT_OPENMP,
                                                    OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
    write_places(out, job);
    for (unsigned i = 0; i < REGIONS; i++) {
        unsigned kind = (i + REGIONS - rank % REGIONS) % REGIONS;
        rank_succeed(OTF2_GlobalDefWriter_WriteRegion(
            out, i, TEXT_REGION + kind, TEXT_REGION + kind, TEXT_MAIN, OTF2_REGION_ROLE_FLUSH,
            OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE, TEXT_FILE, 10 + kind, 10 + kind));
    }
    write_program(out, PROGRAM, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
    write_program(out, PROGRAM + 1, OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM);
    write_team(out, job);
    rank_succeed(OTF2_Archive_CloseGlobalDefWriter(archive, out));
}

static void write_properties(OTF2_Archive *archive, const struct job *job, unsigned rank)
{
    unsigned host = rank % job->hosts;
    rank_archive_set(archive, "VERSION", "test", 0);
    rank_archive_set(archive, "END", "finalize", 0);
    rank_archive_set(archive, "PROGRAM", "/bin/app", 0);
    rank_archive_set(archive, "CLOCK", "tsc", 0);
    rank_archive_set(archive, "HOST", "host%llu", host);
    rank_archive_set(archive, "PID", "%llu", 1000 + rank);
    rank_archive_set(archive, "RANK", "%llu", rank);
    rank_archive_set(archive, "SIZE", "%llu", job->processes);
    rank_archive_set(archive, "THREADS", "%llu", job->threads);
    rank_archive_set(archive, "EVENTS", "%llu", job->threads * (job->events / 2 * 2 + 2) + 4);
    rank_archive_set(archive, "DROPPED", "%llu", 0);
    rank_archive_set(archive, "CLOCK_END_TICKS", "%llu", ticks_at(host, seconds));
    rank_archive_set(archive, "CLOCK_END_REALTIME", "%llu",
                     wall_start + (uint64_t)(job->skew * host) + (unsigned long long)(seconds * 1e9));
    rank_archive_set(archive, "CLOCK_ERROR", "%llu", 1000);
}

static void write_markers(OTF2_Archive *archive, unsigned rank)
{
    OTF2_MarkerWriter *out = OTF2_Archive_GetMarkerWriter(archive);
    rank_must(out != NULL, "no marker writer");
    rank_succeed(OTF2_MarkerWriter_WriteDefMarker(out, 3, "omptape", rank % 2 == 0 ? "Even" : "Odd",
                                                  OTF2_SEVERITY_LOW));
    rank_succeed(
        OTF2_MarkerWriter_WriteMarker(out, ticks_at(0, 0), 0, 3, OTF2_MARKER_SCOPE_LOCATION, 0, "hello"));
    rank_succeed(OTF2_Archive_CloseMarkerWriter(archive, out));
}

/* The first rank of a host and its first two threads have event files of their own; the others are links. */
static void write_events(OTF2_Archive *archive, const struct job *job, const char *folder, unsigned rank)
{
    unsigned host = rank % job->hosts;
    char from[RANK_PATH_BYTES + 64];
    char to[RANK_PATH_BYTES + 64];
    rank_succeed(OTF2_Archive_OpenEvtFiles(archive));
    for (unsigned i = 0; rank < job->hosts && i < 2 && i < job->threads; i++)
        write_thread(archive, job, host, i);
    rank_succeed(OTF2_Archive_CloseEvtFiles(archive));
    snprintf(to, sizeof(to), "%s/%s", folder, OMPTAPE_ARCHIVE_EVENTS);
    (void)mkdir(to, 0777);
    for (unsigned i = 0; i < job->threads; i++) {
        if (rank < job->hosts && i < 2)
            continue;
        snprintf(from, sizeof(from), "%s/rank-%u/%s/%llu.evt", job->folder, host, OMPTAPE_ARCHIVE_EVENTS,
                 (unsigned long long)location(i == 0 ? 0 : 1));
        snprintf(to, sizeof(to), "%s/%s/%llu.evt", folder, OMPTAPE_ARCHIVE_EVENTS,
                 (unsigned long long)location(i));
        rank_must(link(from, to) == 0, to);
    }
}

static void write_rank(const struct job *job, unsigned rank)
{
    char folder[RANK_PATH_BYTES];
    OTF2_Archive *archive = rank_archive_open(job->folder, rank, OMPTAPE_ARCHIVE_EVENTS, folder);
    write_events(archive, job, folder, rank);
    write_locals(archive, job, rank);
    write_definitions(archive, job, rank);
    write_properties(archive, job, rank);
    if (job->hosts == 1 || rank % job->hosts == 0)
        write_markers(archive, rank);
    rank_succeed(OTF2_Archive_Close(archive));
}

int main(int argc, char **argv)
{
    rank_must(argc == 7, "usage: make_parts DIR PROCESSES THREADS EVENTS HOSTS SKEW");
    const struct job job = {.folder = argv[1],
                            .processes = (unsigned)strtoul(argv[2], NULL, 10),
                            .threads = (unsigned)strtoul(argv[3], NULL, 10),
                            .events = strtoull(argv[4], NULL, 10),
                            .hosts = (unsigned)strtoul(argv[5], NULL, 10),
                            .skew = strtoll(argv[6], NULL, 10)};
    rank_must(job.threads > 0 && job.threads < STRINGS - TEXT_THREAD, "1 to 31 threads");
    rank_must(job.hosts > 0 && job.hosts <= MAX_HOSTS && job.hosts <= job.processes,
              "as many hosts as ranks at most");
    (void)mkdir(job.folder, 0777);
    for (unsigned rank = 0; rank < job.processes; rank++)
        write_rank(&job, rank);
    return 0;
}
