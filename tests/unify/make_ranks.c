/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the parts of an MPI job that never ran, whose hosts' clocks are wrong, for the tests of `omptape
 * unify`: DIR/rank-R for each of RANKS ranks, rank r on host r % HOSTS. The clock of host h has a beginning
 * of its own, runs h * PPM millionths too fast, and swings by WOBBLE ns about that, eleven times in the job's
 * hour; its wall clock is h * 3 seconds ahead. In each of ROUNDS rounds every rank sends a message to the
 * next one, 2 us away, and all come to a barrier, which ends 3 us after the last has come; sometimes there is
 * a broadcast as well. With SYNC, the first rank of each host has compared its clock with rank 0's, with an
 * error of some 200 ns. Usage: make_ranks DIR RANKS HOSTS ROUNDS PPM WOBBLE SYNC [NUMBER OF THE JOB]
 */
#include "src/folder/archive_files.h"
#include "tests/unify/rank_archive.h"
#include <omptape/locations.h>

#include <math.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_EMPTY, MACHINE, NODE, HOST, PROCESS, THREAD, MPI, WORLD, IDENTITY, REGION };
enum { SEND, RECV, BARRIER, BCAST, REGIONS, PROGRAM = REGIONS };
enum { MAX_RANKS = 512 };

static const char *const names[REGIONS] = {"MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Bcast"};
static const uint64_t wall_start = UINT64_C(1700000000000000000);
static const double length = 3600e9; /* ns */

struct job {
    const char *folder;
    unsigned ranks, hosts, rounds;
    double ppm, wobble;
    bool sync;
    unsigned long long number; /* 0: it has none */
};

/* The clock of a rank's host, `t` ns after the job's begin. */
static uint64_t ticks_at(const struct job *job, unsigned rank, double t)
{
    const unsigned host = rank % job->hosts;
    const double swing = host == 0 ? 0 : job->wobble * sin(t / length * 2 * M_PI * (10 + host));
    return UINT64_C(5000000000000) * (host + 1) + (uint64_t)(t * (1 + job->ppm * 1e-6 * host) + swing + 1e9);
}

/* What may be any number from 0 to `most`, but is always the same. */
static double any(unsigned round, unsigned rank, unsigned what, double most)
{
    uint64_t x = ((uint64_t)round << 32 | (uint64_t)rank << 8 | what) * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    return (double)(x % 1000000) / 1e6 * most;
}

static double round_at(const struct job *job, unsigned round)
{
    return 10e9 + (length - 20e9) * round / job->rounds;
}

static double sent_at(const struct job *job, unsigned round, unsigned rank)
{
    return round_at(job, round) + any(round, rank, 1, 20000);
}

static double barrier_at(const struct job *job, unsigned round, unsigned rank)
{
    return round_at(job, round) + 60000 + any(round, rank, 2, 20000);
}

/* A call of `region`, from `begin` to `end`, with what `event` writes between. */
struct writing {
    const struct job *job;
    OTF2_EvtWriter *out;
    unsigned rank;
    uint64_t events;
};

static uint64_t tell(struct writing *to, double t)
{
    to->events++;
    return ticks_at(to->job, to->rank, t);
}

static void enter(struct writing *to, double t, OTF2_RegionRef region)
{
    rank_succeed(OTF2_EvtWriter_Enter(to->out, NULL, tell(to, t), region));
}

static void leave(struct writing *to, double t, OTF2_RegionRef region)
{
    rank_succeed(OTF2_EvtWriter_Leave(to->out, NULL, tell(to, t), region));
}

static void write_send(struct writing *to, unsigned round)
{
    const double at = sent_at(to->job, round, to->rank);
    enter(to, at, SEND);
    rank_succeed(
        OTF2_EvtWriter_MpiSend(to->out, NULL, tell(to, at), (to->rank + 1) % to->job->ranks, 0, 7, 64));
    leave(to, at + 100, SEND);
}

static void write_receive(struct writing *to, unsigned round)
{
    const unsigned from = (to->rank + to->job->ranks - 1) % to->job->ranks;
    const double at = sent_at(to->job, round, from) + 2000;
    enter(to, at - 150, RECV);
    rank_succeed(OTF2_EvtWriter_MpiRecv(to->out, NULL, tell(to, at), from, 0, 7, 64));
    leave(to, at, RECV);
}

static void write_operation(struct writing *to, double begin, double end, OTF2_RegionRef region,
                            OTF2_CollectiveOp what, uint32_t root, uint64_t sends, uint64_t receives)
{
    enter(to, begin, region);
    rank_succeed(OTF2_EvtWriter_MpiCollectiveBegin(to->out, NULL, tell(to, begin)));
    rank_succeed(
        OTF2_EvtWriter_MpiCollectiveEnd(to->out, NULL, tell(to, end), what, 0, root, sends, receives));
    leave(to, end, region);
}

static void write_round(struct writing *to, unsigned round)
{
    const struct job *job = to->job;
    const unsigned from = (to->rank + job->ranks - 1) % job->ranks;
    double last = 0;
    if (sent_at(job, round, to->rank) + 100 < sent_at(job, round, from) + 1850) {
        write_send(to, round);
        write_receive(to, round);
    } else if (sent_at(job, round, from) + 2000 < sent_at(job, round, to->rank)) {
        write_receive(to, round);
        write_send(to, round);
    } else { /* they would overlap: as one call */
        const double at = sent_at(job, round, to->rank);
        const double got = sent_at(job, round, from) + 2000;
        enter(to, at - 10000, RECV);
        for (int i = 0; i < 2; i++)
            if ((i == 0) == (at <= got))
                rank_succeed(OTF2_EvtWriter_MpiSend(to->out, NULL, tell(to, at), (to->rank + 1) % job->ranks,
                                                    0, 7, 64));
            else
                rank_succeed(OTF2_EvtWriter_MpiRecv(to->out, NULL, tell(to, got), from, 0, 7, 64));
        leave(to, at > got ? at : got, RECV);
    }
    for (unsigned rank = 0; rank < job->ranks; rank++)
        last = fmax(last, barrier_at(job, round, rank));
    write_operation(to, barrier_at(job, round, to->rank), last + 3000 + any(round, to->rank, 3, 1000),
                    BARRIER, OTF2_COLLECTIVE_OP_BARRIER, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    if (round % 4 != 0)
        return;
    const uint32_t root = round % job->ranks;
    const double begin = last + 10000 + any(round, to->rank, 4, 5000);
    const double of_root = last + 10000 + any(round, root, 4, 5000);
    const double end = fmax(begin, of_root + 2000) + 500;
    write_operation(to, begin, end, BCAST, OTF2_COLLECTIVE_OP_BCAST, root, to->rank == root ? 8 : 0, 8);
}

static uint64_t write_events(OTF2_Archive *archive, const struct job *job, unsigned rank)
{
    rank_succeed(OTF2_Archive_OpenEvtFiles(archive));
    struct writing to = {.job = job, .rank = rank, .out = OTF2_Archive_GetEvtWriter(archive, 0)};
    rank_must(to.out != NULL, "no event writer");
    rank_succeed(OTF2_EvtWriter_ProgramBegin(to.out, NULL, tell(&to, 0), PROCESS, 0, NULL));
    enter(&to, 0, PROGRAM);
    for (unsigned round = 0; round < job->rounds; round++)
        write_round(&to, round);
    leave(&to, length, PROGRAM);
    rank_succeed(OTF2_EvtWriter_ProgramEnd(to.out, NULL, tell(&to, length), 0));
    rank_succeed(OTF2_Archive_CloseEvtWriter(archive, to.out));
    rank_succeed(OTF2_Archive_CloseEvtFiles(archive));
    return to.events;
}

static void text(OTF2_GlobalDefWriter *out, OTF2_StringRef ref, const char *format, unsigned number)
{
    char line[128];
    snprintf(line, sizeof(line), format, number);
    rank_succeed(OTF2_GlobalDefWriter_WriteString(out, ref, line));
}

static void write_strings(OTF2_GlobalDefWriter *out, const struct job *job, unsigned rank)
{
    static const char *const texts[] = {
        [TEXT_EMPTY] = "", [MACHINE] = "machine",      [NODE] = "node",
        [HOST] = "host%u", [PROCESS] = "rank %u",      [THREAD] = "Master thread",
        [MPI] = "MPI",     [WORLD] = "MPI_COMM_WORLD", [IDENTITY] = "MPI 0x0000000000000001"};
    for (unsigned i = 0; i < REGION; i++)
        text(out, i, texts[i], i == HOST ? rank % job->hosts : rank);
    for (unsigned i = 0; i < REGIONS; i++)
        rank_succeed(OTF2_GlobalDefWriter_WriteString(out, REGION + i, names[i]));
}

static void write_regions(OTF2_GlobalDefWriter *out)
{
    static const OTF2_RegionRole roles[REGIONS] = {OTF2_REGION_ROLE_POINT2POINT, OTF2_REGION_ROLE_POINT2POINT,
                                                   OTF2_REGION_ROLE_BARRIER, OTF2_REGION_ROLE_COLL_ONE2ALL};
    for (unsigned i = 0; i < REGIONS; i++)
        rank_succeed(OTF2_GlobalDefWriter_WriteRegion(out, i, REGION + i, REGION + i, 0, roles[i],
                                                      OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, MPI, 0, 0));
    rank_succeed(OTF2_GlobalDefWriter_WriteRegion(out, PROGRAM, PROCESS, PROCESS, 0,
                                                  OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                                  OTF2_REGION_FLAG_NONE, 0, 0, 0));
    rank_succeed(
        OTF2_GlobalDefWriter_WriteRegion(out, PROGRAM + 1, PROCESS, PROCESS, 0, OTF2_REGION_ROLE_ARTIFICIAL,
                                         OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_FLAG_NONE, 0, 0, 0));
}

static void write_definitions(OTF2_Archive *archive, const struct job *job, unsigned rank, uint64_t events)
{
    uint64_t members[MAX_RANKS];
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(archive);
    rank_must(out != NULL, "no global definition writer");
    const uint64_t first = ticks_at(job, rank, 0);
    rank_succeed(
        OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, first, ticks_at(job, rank, length) - first,
                                                  wall_start + UINT64_C(3000000000) * (rank % job->hosts)));
    write_strings(out, job, rank);
    rank_succeed(
        OTF2_GlobalDefWriter_WriteParadigm(out, OTF2_PARADIGM_MPI, MPI, OTF2_PARADIGM_CLASS_PROCESS));
    rank_succeed(
        OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, MACHINE, MACHINE, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    rank_succeed(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 1, HOST, NODE, 0));
    rank_succeed(OTF2_GlobalDefWriter_WriteLocationGroup(out, 0, PROCESS, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1,
                                                         OTF2_UNDEFINED_LOCATION_GROUP));
    rank_succeed(
        OTF2_GlobalDefWriter_WriteLocation(out, 0, THREAD, OTF2_LOCATION_TYPE_CPU_THREAD, events, 0));
    write_regions(out);
    for (unsigned i = 0; i < job->ranks; i++)
        members[i] = i == rank ? 0 : OTF2_UNDEFINED_LOCATION;
    rank_succeed(OTF2_GlobalDefWriter_WriteGroup(out, 0, MPI, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, job->ranks,
                                                 members));
    for (unsigned i = 0; i < job->ranks; i++)
        members[i] = i;
    rank_succeed(OTF2_GlobalDefWriter_WriteGroup(out, 1, IDENTITY, OTF2_GROUP_TYPE_COMM_GROUP,
                                                 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, job->ranks,
                                                 members));
    rank_succeed(OTF2_GlobalDefWriter_WriteComm(out, 0, WORLD, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    rank_succeed(OTF2_Archive_CloseGlobalDefWriter(archive, out));
}

/* The moment 1 s after the begin and 1 s before the end, and an error that is there. */
static void write_comparison(OTF2_Archive *archive, const struct job *job, unsigned rank)
{
    char text[256];
    size_t used = 0;
    for (int i = 0; i < 2; i++) {
        const double at = i == 0 ? 1e9 : length - 1e9;
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%s%llu:%llu:300", i == 0 ? "" : " ",
                             (unsigned long long)ticks_at(job, rank, at),
                             (unsigned long long)ticks_at(job, 0, at + 200 - any((unsigned)i, rank, 5, 400)));
    }
    rank_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::CLOCK_SYNC", text, true));
    rank_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::CLOCK_SYNC_WITH", "1000 host0", true));
}

static void write_properties(OTF2_Archive *archive, const struct job *job, unsigned rank, uint64_t events)
{
    const unsigned host = rank % job->hosts;
    rank_archive_set(archive, "VERSION", "test", 0);
    rank_archive_set(archive, "END", "finalize", 0);
    rank_archive_set(archive, "PROGRAM", "/bin/app", 0);
    rank_archive_set(archive, "CLOCK", "monotonic_raw", 0);
    rank_archive_set(archive, "CLOCK_JUMPS", "%llu", 0);
    rank_archive_set(archive, "HOST", "host%llu", host);
    rank_archive_set(archive, "PID", "%llu", 1000 + rank);
    rank_archive_set(archive, "RANK", "%llu", rank);
    rank_archive_set(archive, "SIZE", "%llu", job->ranks);
    if (job->number != 0)
        rank_archive_set(archive, "JOB", "%llu", job->number);
    rank_archive_set(archive, "THREADS", "%llu", 1);
    rank_archive_set(archive, "EVENTS", "%llu", events);
    rank_archive_set(archive, "DROPPED", "%llu", 0);
    rank_archive_set(archive, "CLOCK_END_TICKS", "%llu", ticks_at(job, rank, length));
    rank_archive_set(archive, "CLOCK_END_REALTIME", "%llu",
                     wall_start + UINT64_C(3000000000) * host + (unsigned long long)length);
    rank_archive_set(archive, "CLOCK_ERROR", "%llu", 1000);
    if (job->sync && rank > 0 && rank < job->hosts)
        write_comparison(archive, job, rank);
}

static void write_rank(const struct job *job, unsigned rank)
{
    char folder[RANK_PATH_BYTES];
    OTF2_Archive *archive = rank_archive_open(job->folder, rank, OMPTAPE_ARCHIVE_EVENTS, folder);
    const uint64_t events = write_events(archive, job, rank);
    rank_succeed(OTF2_Archive_OpenDefFiles(archive));
    rank_succeed(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, 0)));
    rank_succeed(OTF2_Archive_CloseDefFiles(archive));
    write_definitions(archive, job, rank, events);
    write_properties(archive, job, rank, events);
    rank_succeed(OTF2_Archive_Close(archive));
}

int main(int argc, char **argv)
{
    rank_must(argc == 8 || argc == 9, "usage: make_ranks DIR RANKS HOSTS ROUNDS PPM WOBBLE SYNC [NUMBER]");
    const struct job job = {.folder = argv[1],
                            .ranks = (unsigned)strtoul(argv[2], NULL, 10),
                            .hosts = (unsigned)strtoul(argv[3], NULL, 10),
                            .rounds = (unsigned)strtoul(argv[4], NULL, 10),
                            .ppm = strtod(argv[5], NULL),
                            .wobble = strtod(argv[6], NULL),
                            .sync = strcmp(argv[7], "0") != 0,
                            .number = argc == 9 ? strtoull(argv[8], NULL, 10) : 0};
    rank_must(job.ranks > 1 && job.ranks <= MAX_RANKS && job.hosts > 0 && job.hosts <= job.ranks,
              "wrong numbers");
    (void)mkdir(job.folder, 0777);
    for (unsigned rank = 0; rank < job.ranks; rank++)
        write_rank(&job, rank);
    return 0;
}
