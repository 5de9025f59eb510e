/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What encoding alone takes for the events that omptape writes: the sequences that each kind of
 * programs/flood.c ends up as, by libotf2 or by src/archive/write/. Run by tests/bench/writers.py.
 * Usage: encoder FOLDER EVENTS SEQUENCE otf2|omptape; prints the events, the CPU seconds and those of the
 * kernel.
 */
#include "src/archive/write/archive.h"
#include "src/folder/beneath.h"
#include "tests/unit/archive/otf2_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct output {
    OTF2_EvtWriter *otf2; /* NULL: omptape's encoder */
    OTF2_AttributeList *attributes;
    struct omptape_archive archive;
    struct omptape_events events;
    uint64_t time; /* ticks, as far apart as events of a busy thread are */
    uint32_t count;
};

enum { TICKS = 60, OUTER = 1, INNER = 2, OTHER = 3, COMM = 0, LOCK = 7 };

/* One event by either encoder. The choice is always the same, so that it costs next to nothing. */

static inline void enter(struct output *out, OTF2_RegionRef region)
{
    if (out->otf2 != NULL)
        OTF2_EvtWriter_Enter(out->otf2, out->attributes, out->time, region);
    else
        omptape_archive_enter(&out->archive, &out->events, out->time, region);
}

static inline void leave(struct output *out, OTF2_RegionRef region)
{
    if (out->otf2 != NULL)
        OTF2_EvtWriter_Leave(out->otf2, out->attributes, out->time, region);
    else
        omptape_archive_leave(&out->archive, &out->events, out->time, region, false);
}

static inline void acquire_lock(struct output *out)
{
    if (out->otf2 != NULL)
        OTF2_EvtWriter_ThreadAcquireLock(out->otf2, NULL, out->time, OTF2_PARADIGM_OPENMP, LOCK, out->count);
    else
        omptape_archive_lock_acquire(&out->archive, &out->events, out->time, LOCK, out->count);
}

static inline void release_lock(struct output *out)
{
    if (out->otf2 != NULL)
        OTF2_EvtWriter_ThreadReleaseLock(out->otf2, NULL, out->time, OTF2_PARADIGM_OPENMP, LOCK, out->count);
    else
        omptape_archive_lock_release(&out->archive, &out->events, out->time, LOCK, out->count);
    out->count++;
}

static inline void set_u64(struct output *out, enum omptape_attribute attribute, uint64_t value)
{
    if (out->otf2 != NULL)
        OTF2_AttributeList_AddUint64(out->attributes, (OTF2_AttributeRef)attribute, value);
    else
        omptape_archive_set(&out->archive, attribute, value);
}

static inline void set_string(struct output *out, enum omptape_attribute attribute, OTF2_StringRef value)
{
    if (out->otf2 != NULL)
        OTF2_AttributeList_AddStringRef(out->attributes, (OTF2_AttributeRef)attribute, value);
    else
        omptape_archive_set(&out->archive, attribute, value);
}

static inline void parameter(struct output *out, enum omptape_parameter parameter, OTF2_StringRef value)
{
    if (out->otf2 != NULL)
        OTF2_EvtWriter_ParameterString(out->otf2, NULL, out->time, (OTF2_ParameterRef)parameter, value);
    else
        omptape_archive_parameter(&out->archive, &out->events, out->time, parameter, value);
}

static inline void task_create(struct output *out, const struct omptape_task_name *task)
{
    if (out->otf2 != NULL)
        OTF2_EvtWriter_ThreadTaskCreate(out->otf2, out->attributes, out->time, task->comm, task->creator,
                                        task->generation);
    else
        omptape_archive_task_create(&out->archive, &out->events, out->time, task);
}

static inline void task_switch(struct output *out, const struct omptape_task_name *task)
{
    if (out->otf2 != NULL)
        OTF2_EvtWriter_ThreadTaskSwitch(out->otf2, NULL, out->time, task->comm, task->creator,
                                        task->generation);
    else
        omptape_archive_task_switch(&out->archive, &out->events, out->time, task);
}

static inline void task_complete(struct output *out, const struct omptape_task_name *task)
{
    if (out->otf2 != NULL)
        OTF2_EvtWriter_ThreadTaskComplete(out->otf2, NULL, out->time, task->comm, task->creator,
                                          task->generation);
    else
        omptape_archive_task_complete(&out->archive, &out->events, out->time, task);
}

static inline void tick(struct output *out)
{
    out->time += TICKS;
}

/* Each appends what one repetition of the flood becomes, and returns the number of events. */

static unsigned encode_barrier(struct output *out)
{
    tick(out);
    enter(out, OUTER);
    tick(out);
    enter(out, INNER);
    tick(out);
    leave(out, INNER);
    tick(out);
    leave(out, OUTER);
    return 4;
}

static unsigned encode_critical(struct output *out)
{
    tick(out);
    enter(out, OUTER);
    tick(out);
    acquire_lock(out);
    enter(out, INNER);
    tick(out);
    leave(out, INNER);
    release_lock(out);
    leave(out, OUTER);
    return 6;
}

static unsigned encode_for(struct output *out)
{
    tick(out);
    set_u64(out, OMPTAPE_ATTRIBUTE_ITERATIONS, 1);
    enter(out, OUTER);
    parameter(out, OMPTAPE_PARAMETER_SCHEDULE, 1);
    tick(out);
    leave(out, OUTER);
    return 3;
}

static unsigned encode_task(struct output *out)
{
    tick(out);
    set_string(out, OMPTAPE_ATTRIBUTE_FLAGS, 1);
    enter(out, OUTER);
    leave(out, OUTER);
    tick(out);
    enter(out, INNER);
    tick(out);
    leave(out, INNER);
    return 4;
}

static struct omptape_task_name name_task(uint32_t generation)
{
    static struct omptape_task_creator creator;
    struct omptape_task_name task;
    if (creator.code_bytes == 0)
        creator = omptape_task_creator(COMM, 0);
    omptape_task_name_set(&task, &creator, generation);
    return task;
}

static void create_task(struct output *out, uint32_t generation)
{
    const struct omptape_task_name task = name_task(generation);
    tick(out);
    enter(out, OUTER);
    task_create(out, &task);
    leave(out, OUTER);
}

static void run_task(struct output *out, uint32_t generation)
{
    static const struct omptape_task_name implicit = {.comm = COMM};
    const struct omptape_task_name task = name_task(generation);
    tick(out);
    task_switch(out, &task);
    enter(out, INNER);
    tick(out);
    leave(out, INNER);
    task_complete(out, &task);
    task_switch(out, &implicit);
}

/* A node of programs/tasktree.c: two tasks and a taskwait, in which they run. */
static unsigned encode_tasktree(struct output *out)
{
    uint32_t generation = out->count += 2;
    create_task(out, generation);
    create_task(out, generation + 1);
    tick(out);
    enter(out, OTHER);
    tick(out);
    enter(out, OTHER);
    run_task(out, generation + 1);
    run_task(out, generation);
    tick(out);
    leave(out, OTHER);
    tick(out);
    leave(out, OTHER);
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

/* Each sets up the archive, encodes, and returns how many events are in the file then. */

static uint64_t encode_by_otf2(const struct sequence *sequence, const char *path, uint64_t wanted)
{
    uint64_t done = 0;
    OTF2_Archive *archive = otf2_events_open(path);
    struct output out = {.attributes = OTF2_AttributeList_New()};
    out.otf2 = archive != NULL ? OTF2_Archive_GetEvtWriter(archive, 0) : NULL;
    if (out.otf2 == NULL || out.attributes == NULL)
        return 0;
    while (done < wanted)
        done += sequence->encode(&out);
    uint64_t written = otf2_events_end(archive, out.otf2);
    OTF2_AttributeList_Delete(out.attributes);
    return otf2_events_close(archive) == 0 && written == done ? written : 0;
}

static uint64_t encode_by_omptape(const struct sequence *sequence, const char *path, uint64_t wanted)
{
    static struct output out;
    uint64_t done = 0;
    int folder = omptape_beneath_open_named(path);
    omptape_archive_create(&out.archive);
    if (folder < 0 || omptape_archive_open(&out.archive, folder) != 0)
        return 0;
    omptape_archive_open_location(&out.archive, &out.events, 0);
    while (done < wanted)
        done += sequence->encode(&out);
    uint64_t written = omptape_archive_close_location(&out.archive, &out.events);
    close(folder);
    if (omptape_archive_close(&out.archive) != 0)
        fprintf(stderr, "encoder: %s\n", out.archive.error);
    return out.archive.error[0] == '\0' && written == done ? written : 0;
}

static int measure(const struct sequence *sequence, const char *path, uint64_t wanted, bool otf2)
{
    struct rusage before;
    struct rusage after;
    getrusage(RUSAGE_SELF, &before);
    (void)mkdir(path, 0777); /* what is wrong shows when it is opened */
    uint64_t done = otf2 ? encode_by_otf2(sequence, path, wanted) : encode_by_omptape(sequence, path, wanted);
    getrusage(RUSAGE_SELF, &after);
    if (done == 0) {
        fprintf(stderr, "encoder: %s: not all events were written\n", sequence->name);
        return 1;
    }
    double system = seconds(after.ru_stime) - seconds(before.ru_stime);
    double user = seconds(after.ru_utime) - seconds(before.ru_utime);
    printf("%llu\t%.6f\t%.6f\n", (unsigned long long)done, user + system, system);
    return 0;
}

int main(int argc, char **argv)
{
    bool otf2 = argc == 5 && strcmp(argv[4], "otf2") == 0;
    for (size_t i = 0; argc == 5 && i < sizeof(sequences) / sizeof(sequences[0]); i++)
        if (strcmp(sequences[i].name, argv[3]) == 0 && (otf2 || strcmp(argv[4], "omptape") == 0))
            return measure(&sequences[i], argv[1], strtoull(argv[2], NULL, 10), otf2);
    fprintf(stderr, "usage: encoder FOLDER EVENTS SEQUENCE otf2|omptape\n");
    return 2;
}
