/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the number of threads with the number of processors, and names the reason of waiting.
 */
#include "writers/processors.h"

#include "src/core/buckets.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "writers/state/sched.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *omptape_runtime_info_copy(const struct omptape_writer *writer)
{
    const struct omptape_shm *shm = writer->shm;
    uint32_t bytes = atomic_load_explicit(&shm->info_bytes, memory_order_acquire);
    if (bytes > sizeof(shm->info))
        bytes = 0;
    char *copy = malloc(bytes + 1U);
    if (copy == NULL)
        return NULL;
    memcpy(copy, shm->info, bytes);
    copy[bytes] = '\0';
    return copy;
}

enum { MAX_PROCESSORS = 16384 };
/* A thread that wanted less than 1/IDLE_PART of the busiest one's processor time is idle, or a helper. */
enum { IDLE_PART = 10 };
/* Least waiting time to report, in percent. Other programs take some time on every machine, so their limit is
 * more. */
enum { MIN_PERCENT = 5, MIN_PERCENT_OTHERS = 20 };

/* Shorter runs get no warning. */
static const double min_seconds = 0.1;
static const double least_seconds_others = 1;

/* The threads that are counted. */
struct crowd {
    const struct omptape_location **list;
    uint32_t count;
    bool known; /* True if running and waiting times are known. */
    uint32_t processors;
    uint32_t threads; /* Most threads that lived at the same time. */
    uint32_t crowded; /* Processor to which most threads are bound exclusively. */
    uint32_t bound;   /* Number of threads bound to `crowded`. */
    unsigned percent; /* Waiting time in percent of the threads' lifetime. */
    double ran;       /* Running time of all threads, seconds. */
    double waited;
    double seconds; /* Longest lifetime of a thread, seconds. */
};

static uint64_t wanted(const struct omptape_location *location)
{
    return location->sched != NULL ? location->sched->latest.sums[OMPTAPE_MEMBER_RUNNING] +
                                         location->sched->latest.sums[OMPTAPE_MEMBER_WAITING]
                                   : 0;
}

/* Returns the processors that the thread might use at its end, or NULL if they are not known. */
static const char *processors_of(const struct omptape_location *location)
{
    return location->allowed != NULL ? location->allowed : location->binding;
}

/* Returns true if the thread was a member of a team; only then its processors are known. */
static bool is_member(const struct omptape_location *location)
{
    return omptape_location_is_of_openmp(location) && location->binding != NULL;
}

/* Collects the threads of teams; without idle threads unless `idle`. */
static void choose_threads(const struct omptape_writer *writer, struct crowd *crowd, bool idle)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < writer->location_count; i++)
        if (is_member(writer->locations[i]) && wanted(writer->locations[i]) > most)
            most = wanted(writer->locations[i]);
    crowd->known = most > 0;
    for (uint32_t i = 0; i < writer->location_count; i++) {
        const struct omptape_location *location = writer->locations[i];
        if (is_member(location) && (idle || !crowd->known || wanted(location) > most / IDLE_PART))
            crowd->list[crowd->count++] = location;
    }
}

/* Marks each processor of a list such as "0-3,8" in `seen`. Returns the number of processors. */
static uint32_t list_processors(const char *list, uint32_t *first, uint8_t *seen)
{
    uint32_t count = 0;
    for (const char *at = list; *at != '\0';) {
        char *end = NULL;
        unsigned long from = strtoul(at, &end, 10);
        unsigned long to = *end == '-' ? strtoul(end + 1, &end, 10) : from;
        if (count == 0)
            *first = (uint32_t)from;
        for (unsigned long i = from; i <= to && i < MAX_PROCESSORS; i++) {
            seen[i] = 1;
            count++;
        }
        if (*end != ',')
            break;
        at = end + 1;
    }
    return count;
}

static int count_processors(struct crowd *crowd)
{
    uint8_t *seen = calloc(MAX_PROCESSORS, sizeof(*seen));
    uint32_t *alone = calloc(MAX_PROCESSORS, sizeof(*alone));
    for (uint32_t i = 0; i < crowd->count && seen != NULL && alone != NULL; i++) {
        uint32_t first = 0;
        if (list_processors(processors_of(crowd->list[i]), &first, seen) == 1 && first < MAX_PROCESSORS &&
            ++alone[first] > crowd->bound) {
            crowd->bound = alone[first];
            crowd->crowded = first;
        }
    }
    for (uint32_t i = 0; i < MAX_PROCESSORS && seen != NULL; i++)
        crowd->processors += seen[i];
    int error = seen == NULL || alone == NULL ? -1 : 0;
    free(seen);
    free(alone);
    return error;
}

/* Computes how many threads lived at the same time, because threads may come and go. */
static int count_threads(struct crowd *crowd)
{
    uint64_t *begins = calloc(2 * (size_t)crowd->count + 1, sizeof(*begins));
    uint64_t *ends = begins + crowd->count;
    uint32_t ended = 0;
    if (begins == NULL)
        return -1;
    for (uint32_t i = 0; i < crowd->count; i++) {
        begins[i] = crowd->list[i]->lived > 0 ? crowd->list[i]->first_begin : crowd->list[i]->begin;
        ends[i] = crowd->list[i]->last;
    }
    omptape_sort(begins, crowd->count, sizeof(*begins), omptape_compare_whole);
    omptape_sort(ends, crowd->count, sizeof(*ends), omptape_compare_whole);
    for (uint32_t i = 0; i < crowd->count; i++) {
        while (ends[ended] <= begins[i] && ended < i)
            ended++;
        if (i + 1 - ended > crowd->threads)
            crowd->threads = i + 1 - ended;
    }
    free(begins);
    return 0;
}

static void add_times(struct crowd *crowd, uint64_t resolution)
{
    double waited = 0;
    double lived = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct omptape_location *location = crowd->list[i];
        const uint64_t ticks = location->lived + location->last - location->begin;
        double seconds = (double)ticks / (double)resolution;
        lived += seconds;
        waited +=
            location->sched != NULL ? (double)location->sched->latest.sums[OMPTAPE_MEMBER_WAITING] / 1e9 : 0;
        crowd->ran +=
            location->sched != NULL ? (double)location->sched->latest.sums[OMPTAPE_MEMBER_RUNNING] / 1e9 : 0;
        if (seconds > crowd->seconds)
            crowd->seconds = seconds;
    }
    crowd->waited = waited;
    double percent = lived > 0 ? 100 * waited / lived : 0;
    crowd->percent = (unsigned)(percent < 100 ? percent + 0.5 : 100);
}

/* Returns true if the threads waited longer for other programs than for each other. */
static bool waited_for_others(const struct crowd *crowd)
{
    return crowd->waited > 2 * omptape_wait_for_each_other(crowd->ran, crowd->threads, crowd->processors);
}

/* Returns true if other programs used the processors meanwhile. */
static bool had_others(const struct crowd *crowd, const struct omptape_rivals *rivals)
{
    return waited_for_others(crowd) && (rivals == NULL || 2 * rivals->programs > crowd->waited);
}

/* Describes who used the processors most, as far as that was measured. */
static void describe_rival(const struct omptape_writer *writer, const struct omptape_rivals *rivals,
                           char *text, size_t bytes)
{
    const char *ranks = writer->settings->job.launcher[0] != '\0' ? "ranks or " : "";
    if (rivals == NULL) {
        snprintf(text, bytes, "other %sprograms ran there", ranks[0] != '\0' ? ranks : "threads or ");
        return;
    }
    const double most =
        fmax(fmax(rivals->threads, rivals->programs), fmax(rivals->hypervisor, rivals->quota));
    if (rivals->quota == most && most > 0)
        snprintf(text, bytes,
                 "the limit of its cgroup, %.3g processors, stopped threads for %.3g s "
                 "(OMP_NUM_THREADS=%.0f, or a "
                 "higher limit)",
                 rivals->processors, rivals->quota, fmax(1, floor(rivals->processors)));
    else if (rivals->threads == most && most > 0)
        snprintf(text, bytes, "other threads of the program ran there for %.3g s%s%s", rivals->threads,
                 rivals->thread[0] != '\0' ? ", most of all " : "", rivals->thread);
    else if (rivals->hypervisor == most && most > 0)
        snprintf(text, bytes, "the hypervisor gave them to other machines for %.3g s", rivals->hypervisor);
    else
        snprintf(text, bytes, "other %sprograms ran there", ranks);
}

/* Returns how many processors the runtime may use, or 0 if not known. More than the threads got means that
 * the user bound the threads. */
static long processors_of_runtime(const struct omptape_writer *writer)
{
    static const char key[] = "\nprocs=";
    char *info = omptape_runtime_info_copy(writer);
    const char *at = info != NULL ? strstr(info, key) : NULL;
    const long processors = at != NULL ? strtol(at + sizeof(key) - 1, NULL, 10) : 0;
    free(info);
    return processors;
}

/* Returns true if most threads on the crowded processor were bound there after their first region. */
static bool was_moved(const struct crowd *crowd)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        char *end = NULL;
        const char *allowed = crowd->list[i]->allowed;
        moved += allowed != NULL && strtoul(allowed, &end, 10) == crowd->crowded && *end == '\0';
    }
    return 2 * moved > crowd->bound && crowd->bound > 0;
}

/* Appends how a rank, or the program, gets enough processors for its threads. */
static void append_way_out(const struct omptape_writer *writer, const struct crowd *crowd, char *text,
                           size_t bytes)
{
    const char *launcher = writer->settings->job.launcher;
    size_t length = strlen(text);
    text += length;
    bytes -= length;
    if (was_moved(crowd))
        snprintf(
            text, bytes,
            "something put them there after their first region (sched_setaffinity, a library, taskset -p)");
    else if (processors_of_runtime(writer) > (long)crowd->processors)
        snprintf(text, bytes, "OMP_PLACES, OMP_PROC_BIND or KMP_AFFINITY put them there");
    else if ((long)crowd->processors >= sysconf(_SC_NPROCESSORS_ONLN))
        snprintf(text, bytes, "OMP_NUM_THREADS=%u", crowd->processors);
    else if (strcmp(launcher, "Open MPI") == 0)
        snprintf(text, bytes, "mpirun binds each rank to one core; --bind-to none or --map-by slot:PE=%u",
                 crowd->threads);
    else if (strcmp(launcher, "Hydra") == 0)
        snprintf(text, bytes, "mpiexec -bind-to none, or -bind-to core:%u", crowd->threads);
    else if (strcmp(launcher, "Slurm") == 0)
        snprintf(text, bytes, "srun --cpus-per-task=%u", crowd->threads);
    else
        snprintf(text, bytes,
                 "OMP_NUM_THREADS=%u, or more processors for the program (taskset, a container?)",
                 crowd->processors);
}

static void describe_bound(const struct omptape_writer *writer, const struct crowd *crowd, char *text,
                           size_t bytes)
{
    char waited[64] = "";
    char who[64];
    if (crowd->known)
        snprintf(waited, sizeof(waited), " and waited %u %% of their time for it", crowd->percent);
    if (crowd->bound == crowd->count)
        snprintf(who, sizeof(who), "all %u", crowd->count);
    else
        snprintf(who, sizeof(who), "%u of %u", crowd->bound, crowd->count);
    snprintf(text, bytes, "%s threads were bound to processor %u%s: ", who, crowd->crowded, waited);
    append_way_out(writer, crowd, text, bytes);
}

uint32_t omptape_processors_count(const struct omptape_writer *writer)
{
    struct crowd crowd = {.list = calloc(writer->location_count + 1U, sizeof(*crowd.list))};
    if (crowd.list == NULL)
        return 0;
    choose_threads(writer, &crowd, true);
    if (count_processors(&crowd) != 0)
        crowd.processors = 0;
    free(crowd.list);
    return crowd.processors;
}

bool omptape_processors_describe(const struct omptape_writer *writer, uint64_t resolution,
                                 const struct omptape_rivals *rivals, char *text, size_t bytes)
{
    struct crowd crowd = {.list = calloc(writer->location_count + 1U, sizeof(*crowd.list))};
    bool wrong = false;
    if (crowd.list == NULL)
        return false;
    choose_threads(writer, &crowd, false);
    int error = count_processors(&crowd);
    if (error == 0)
        error = count_threads(&crowd);
    add_times(&crowd, resolution);
    bool short_of = !crowd.known || crowd.percent >= MIN_PERCENT;
    bool lasted = crowd.known && crowd.seconds >= min_seconds;
    if (error == 0 && short_of && crowd.bound > 1 && crowd.threads > 1 &&
        (crowd.bound == crowd.count || lasted)) {
        describe_bound(writer, &crowd, text, bytes);
        wrong = true;
    } else if (error == 0 && short_of && lasted && crowd.threads > crowd.processors) {
        snprintf(text, bytes,
                 "%u threads shared %u processors and waited %u %% of their time for one%s: ", crowd.threads,
                 crowd.processors, crowd.percent,
                 had_others(&crowd, rivals) ? ", mostly while other programs had them" : "");
        append_way_out(writer, &crowd, text, bytes);
        wrong = true;
    } else if (error == 0 && crowd.known && crowd.percent >= MIN_PERCENT_OTHERS &&
               crowd.seconds >= least_seconds_others) {
        size_t length = (size_t)snprintf(
            text, bytes, "the threads waited %u %% of their time for a processor: ", crowd.percent);
        describe_rival(writer, rivals, text + length, bytes - length);
        wrong = true;
    }
    free(crowd.list);
    return wrong;
}
