/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What libotf2 alone takes for the events that omptape writes: the sequences that each kind of
 * programs/flood.c ends up as, straight into an archive that is set up by writers/archive/archive.c. Run by
 * tests/bench/writers.py. Usage: encoder FOLDER EVENTS; prints for each sequence its events, the CPU seconds
 * and those of the kernel.
 */
#include "src/folder/beneath.h"
#include "writers/archive/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

struct output {
    struct omptape_archive *archive;
    OTF2_EvtWriter *events;
    uint64_t time; /* ticks, as far apart as events of a busy thread are */
    uint32_t count;
};

enum { TICKS = 60, OUTER = 1, INNER = 2, OTHER = 3, COMM = 0, LOCK = 7 };

/* Each appends what one repetition of the flood becomes, and returns the number of events. */

static unsigned encode_barrier(struct output *out)
{
    OTF2_EvtWriter_Enter(out->events, NULL, out->time += TICKS, OUTER);
    OTF2_EvtWriter_Enter(out->events, NULL, out->time += TICKS, INNER);
    OTF2_EvtWriter_Leave(out->events, NULL, out->time += TICKS, INNER);
    OTF2_EvtWriter_Leave(out->events, NULL, out->time += TICKS, OUTER);
    return 4;
}

static unsigned encode_critical(struct output *out)
{
    OTF2_EvtWriter_Enter(out->events, NULL, out->time += TICKS, OUTER);
    out->time += TICKS;
    OTF2_EvtWriter_ThreadAcquireLock(out->events, NULL, out->time, OTF2_PARADIGM_OPENMP, LOCK, out->count);
    OTF2_EvtWriter_Enter(out->events, NULL, out->time, INNER);
    out->time += TICKS;
    OTF2_EvtWriter_Leave(out->events, NULL, out->time, INNER);
    OTF2_EvtWriter_ThreadReleaseLock(out->events, NULL, out->time, OTF2_PARADIGM_OPENMP, LOCK, out->count++);
    OTF2_EvtWriter_Leave(out->events, NULL, out->time, OUTER);
    return 6;
}

static unsigned encode_for(struct output *out)
{
    out->time += TICKS;
    omptape_archive_set_u64(out->archive, OMPTAPE_ATTRIBUTE_ITERATIONS, 1);
    OTF2_EvtWriter_Enter(out->events, out->archive->attributes, out->time, OUTER);
    OTF2_EvtWriter_ParameterString(out->events, NULL, out->time, OMPTAPE_PARAMETER_SCHEDULE, 1);
    OTF2_EvtWriter_Leave(out->events, NULL, out->time += TICKS, OUTER);
    return 3;
}

static unsigned encode_task(struct output *out)
{
    out->time += TICKS;
    omptape_archive_set_string(out->archive, OMPTAPE_ATTRIBUTE_FLAGS, 1);
    OTF2_EvtWriter_Enter(out->events, out->archive->attributes, out->time, OUTER);
    OTF2_EvtWriter_Leave(out->events, NULL, out->time, OUTER);
    OTF2_EvtWriter_Enter(out->events, NULL, out->time += TICKS, INNER);
    OTF2_EvtWriter_Leave(out->events, NULL, out->time += TICKS, INNER);
    return 4;
}

static void create_task(struct output *out, uint32_t generation)
{
    out->time += TICKS;
    OTF2_EvtWriter_Enter(out->events, NULL, out->time, OUTER);
    OTF2_EvtWriter_ThreadTaskCreate(out->events, NULL, out->time, COMM, 0, generation);
    OTF2_EvtWriter_Leave(out->events, NULL, out->time, OUTER);
}

static void run_task(struct output *out, uint32_t generation)
{
    out->time += TICKS;
    OTF2_EvtWriter_ThreadTaskSwitch(out->events, NULL, out->time, COMM, 0, generation);
    OTF2_EvtWriter_Enter(out->events, NULL, out->time, INNER);
    out->time += TICKS;
    OTF2_EvtWriter_Leave(out->events, NULL, out->time, INNER);
    OTF2_EvtWriter_ThreadTaskComplete(out->events, NULL, out->time, COMM, 0, generation);
    OTF2_EvtWriter_ThreadTaskSwitch(out->events, NULL, out->time, COMM, 0, 0);
}

/* A node of programs/tasktree.c: two tasks and a taskwait, in which they run. */
static unsigned encode_tasktree(struct output *out)
{
    uint32_t generation = out->count += 2;
    create_task(out, generation);
    create_task(out, generation + 1);
    OTF2_EvtWriter_Enter(out->events, NULL, out->time += TICKS, OTHER);
    OTF2_EvtWriter_Enter(out->events, NULL, out->time += TICKS, OTHER);
    run_task(out, generation + 1);
    run_task(out, generation);
    OTF2_EvtWriter_Leave(out->events, NULL, out->time += TICKS, OTHER);
    OTF2_EvtWriter_Leave(out->events, NULL, out->time += TICKS, OTHER);
    return 20;
}

static const struct sequence {
    const char *name;
    unsigned (*encode)(struct output *out);
} sequences[] = {{"barrier", encode_barrier},
                 {"critical", encode_critical},
                 {"for", encode_for},
                 {"task", encode_task},
                 {"tasktree", encode_tasktree}};

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int measure(const struct sequence *sequence, const char *path, uint64_t wanted)
{
    struct omptape_archive archive = {.otf2 = NULL};
    struct rusage before;
    struct rusage after;
    uint64_t done = 0;

    getrusage(RUSAGE_SELF, &before);
    (void)mkdir(path, 0777); /* what is wrong shows when it is opened */
    int folder = omptape_beneath_open_named(path);
    if (omptape_archive_create(&archive) != 0 || omptape_archive_open(&archive, folder) != 0) {
        fprintf(stderr, "encoder: %s\n", archive.error);
        return 1;
    }
    struct omptape_events events = {.otf2 = NULL};
    omptape_archive_open_location(&archive, &events, 0);
    if (events.otf2 == NULL)
        return 1;
    struct output out = {.archive = &archive, .events = events.otf2};
    while (done < wanted)
        done += sequence->encode(&out);
    uint64_t written = omptape_archive_close_location(&archive, &events);
    OTF2_Archive_CloseEvtFiles(archive.otf2);
    if (omptape_archive_close(&archive) != 0 || written != done) {
        fprintf(stderr, "encoder: %s: %llu of %llu events written: %s\n", sequence->name,
                (unsigned long long)written, (unsigned long long)done, archive.error);
        return 1;
    }
    getrusage(RUSAGE_SELF, &after);
    double system = seconds(after.ru_stime) - seconds(before.ru_stime);
    double user = seconds(after.ru_utime) - seconds(before.ru_utime);
    printf("%llu\t%.6f\t%.6f\n", (unsigned long long)done, user + system, system);
    return 0;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 4 && i < sizeof(sequences) / sizeof(sequences[0]); i++)
        if (strcmp(sequences[i].name, argv[3]) == 0)
            return measure(&sequences[i], argv[1], strtoull(argv[2], NULL, 10));
    fprintf(stderr, "usage: encoder FOLDER EVENTS SEQUENCE\n");
    return 2;
}
