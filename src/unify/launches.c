/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders the parts by launch before they are read, and finds missing ranks afterwards (reading.h).
 */

#include "src/archive/otf2_files.h"
#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/unify/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAUNCH_BYTES = 512 };

/* Sort entry of a part. Ranks of one launch become neighbours. */

struct ordered_part {
    struct omptape_unify_part part;
    uint32_t index;
    uint32_t place; /* position in the search */
    char *launch;   /* job and step; NULL: not a rank */
    uint64_t start; /* start of its launch, ns since 1970 */
};

static void read_property(OTF2_Reader *reader, const char *name, char *text, size_t bytes)
{
    char *value = NULL;
    text[0] = '\0';
    if (OTF2_Reader_GetProperty(reader, name, &value) == OTF2_SUCCESS && value != NULL)
        snprintf(text, bytes, "%s", value);
    free(value);
}

static uint64_t read_number(OTF2_Reader *reader, const char *name)
{
    char text[32];
    read_property(reader, name, text, sizeof(text));
    return strtoull(text, NULL, 10);
}

static int find_launch(struct ordered_part *entry, int folder)
{
    char rank[32];
    char job[LAUNCH_BYTES / 2];
    char step[LAUNCH_BYTES / 2];
    char launch[LAUNCH_BYTES];
    int files = -1;
    int part = omptape_unify_open_part(folder, entry->part.folder);
    OTF2_Reader *reader = part >= 0 ? omptape_unify_open_reader(part, &files) : NULL;
    if (part >= 0)
        close(part);
    if (reader == NULL) {
        omptape_otf2_files_unregister(files);
        return 0; /* the error is reported when the part is read */
    }
    read_property(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_RANK, rank, sizeof(rank));
    read_property(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_JOB, job, sizeof(job));
    read_property(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_STEP, step, sizeof(step));
    entry->start = read_number(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_CLOCK_END_REALTIME) -
                   read_number(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_DURATION);
    OTF2_Reader_Close(reader);
    omptape_otf2_files_unregister(files);
    snprintf(launch, sizeof(launch), "%s\n%s", job, step);
    entry->launch = rank[0] != '\0' ? strdup(launch) : NULL;
    return rank[0] != '\0' && entry->launch == NULL ? -ENOMEM : 0;
}

/* Returns 0 for the folder itself, 1 for ranks and 2 for other processes. */
static int class_of(const struct ordered_part *entry)
{
    return entry->part.folder[0] == '\0' ? 0 : entry->launch != NULL ? 1 : 2;
}

static int compare_launches(const void *left, const void *right)
{
    const struct ordered_part *a = left;
    const struct ordered_part *b = right;
    if (a->launch != NULL && b->launch != NULL)
        return strcmp(a->launch, b->launch);
    return (a->launch == NULL) - (b->launch == NULL);
}

static int compare_parts(const void *left, const void *right)
{
    const struct ordered_part *a = left;
    const struct ordered_part *b = right;
    if (class_of(a) != class_of(b))
        return class_of(a) - class_of(b);
    if (class_of(a) == 1 && a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (class_of(a) == 1 && compare_launches(a, b) != 0)
        return compare_launches(a, b);
    return a->place < b->place ? -1 : 1;
}

/* Sets the start of all ranks of a launch to the earliest start among them. */
static void date_launches(struct ordered_part *entries, uint32_t count)
{
    omptape_sort(entries, count, sizeof(*entries), compare_launches);
    for (uint32_t first = 0, end; first < count; first = end) {
        uint64_t start = entries[first].start;
        for (end = first; end < count && compare_launches(&entries[first], &entries[end]) == 0; end++)
            start = entries[end].start < start ? entries[end].start : start;
        for (uint32_t i = first; i < end; i++)
            entries[i].start = start;
    }
}

/* Numbers the launches from 1. The entries must already be grouped by launch. */
static void number_launches(struct omptape_unify_model *model, struct ordered_part *entries, uint32_t count)
{
    struct omptape_rows *texts = &model->kinds[OMPTAPE_UNIFY_PROPERTY_TEXT];
    uint32_t launch = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].launch == NULL)
            continue;
        launch += i == 0 || compare_launches(&entries[i - 1], &entries[i]) != 0;
        entries[i].part.launch = launch;
        entries[i].part.launch_name = omptape_rows_keep(texts, entries[i].launch, strlen(entries[i].launch));
    }
}

int omptape_unify_order(struct omptape_unify_model *model, int folder, uint32_t *indexes,
                        uint32_t *current_part)
{
    struct ordered_part *entries = omptape_calloc(model->part_count + 1U, sizeof(*entries));
    int result = entries != NULL ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < model->part_count && result == 0; i++) {
        entries[i] = (struct ordered_part){.part = model->parts[i], .index = indexes[i], .place = i};
        *current_part = indexes[i];
        if (entries[i].part.folder[0] != '\0')
            result = find_launch(&entries[i], folder);
    }
    *current_part = UINT32_MAX;
    if (result == 0) {
        date_launches(entries, model->part_count);
        omptape_sort(entries, model->part_count, sizeof(*entries), compare_parts);
    }
    if (result == 0)
        number_launches(model, entries, model->part_count);
    for (uint32_t i = 0; i < model->part_count && result == 0; i++) {
        model->parts[i] = entries[i].part;
        indexes[i] = entries[i].index;
    }
    for (uint32_t i = 0; i < model->part_count && entries != NULL; i++)
        free(entries[i].launch);
    free(entries);
    return result;
}

/* State of a rank. */
enum presence {
    RANK_UNKNOWN,  /* it has no archive */
    RANK_LEFT_OUT, /* its part is skipped */
    RANK_THERE,
};

struct launch {
    const char *job;
    const char *step;
    uint64_t size;
    bool has_world;          /* MPI_COMM_WORLD was recorded, so every rank has called MPI_Init */
    enum presence *presence; /* by rank */
};

/* The launches by number. Job and step identify a launch. */
struct launches {
    struct omptape_rows names;
    struct launch *list;
    uint32_t count;
    uint32_t capacity;
};

/* Returns the launch of a rank; NULL if out of memory. */
static struct launch *launch_of(struct launches *launches, const struct omptape_unify_process *process)
{
    const char *job = omptape_unify_property_text(process, OMPTAPE_KEY_JOB);
    const char *step = omptape_unify_property_text(process, OMPTAPE_KEY_STEP);
    /* Property texts are unique, so their addresses are compared. */
    const void *const name[] = {job[0] != '\0' ? job : NULL, step[0] != '\0' ? step : NULL};
    uint32_t number = omptape_rows_number(&launches->names, name, sizeof(name));
    if (launches->names.failed || number < launches->count)
        return launches->names.failed ? NULL : &launches->list[number];
    if (!OMPTAPE_RESERVE(launches->list, number + 1, &launches->capacity)) {
        launches->names.failed = true;
        return NULL;
    }
    launches->list[number] = (struct launch){.job = job, .step = step};
    launches->count = number + 1;
    return &launches->list[number];
}

/* Formats the ranks with this presence as "3, 7-9" and returns their number. */
static uint64_t list_ranks(const struct launch *launch, enum presence presence, char *text, size_t bytes)
{
    uint64_t count = 0;
    text[0] = '\0';
    for (uint64_t rank = 0; rank < launch->size; rank++) {
        uint64_t first = rank;
        while (rank < launch->size && launch->presence[rank] == presence)
            rank++;
        if (rank == first)
            continue;
        count += rank - first;
        omptape_range_append(text, bytes, first, rank);
    }
    return count;
}

/* Returns the reason why ranks are missing, in singular or plural. */
static const char *reason_of(const struct launch *launch, enum presence presence, bool one)
{
    if (presence == RANK_LEFT_OUT)
        return one ? "its part is left out" : "their parts are left out";
    if (launch->has_world)
        return one ? "it was not run by omptape (its MPI_Init was not seen)"
                   : "they were not run by omptape (their MPI_Init was not seen)";
    return one ? "it used no OpenMP, or was not run by omptape"
               : "they used no OpenMP, or were not run by omptape";
}

/* Formats a line about missing ranks, or "" if there are none. `only`: there is no other launch. */
static void describe_missing(const struct launch *launch, enum presence presence, bool only, char *line,
                             size_t bytes)
{
    char ranks[OMPTAPE_UNIFY_ERROR_BYTES / 2];
    char of_launch[OMPTAPE_UNIFY_ERROR_BYTES / 4] = "";
    uint64_t missing = launch->presence != NULL ? list_ranks(launch, presence, ranks, sizeof(ranks)) : 0;
    line[0] = '\0';
    if (missing == 0)
        return;
    if (!only)
        snprintf(of_launch, sizeof(of_launch), " of %s%s%s", launch->job, launch->step[0] != '\0' ? "." : "",
                 launch->step);
    snprintf(line, bytes, "rank%s %s of %" PRIu64 "%s" OMPTAPE_WARNING_NO_TRACE "%s", missing == 1 ? "" : "s",
             ranks, launch->size, of_launch, reason_of(launch, presence, missing == 1));
}

/* Marks the ranks that have a process archive. */
static void find_ranks(const struct omptape_unify_model *model, struct launches *launches)
{
    for (uint32_t i = 0; i < model->process_count; i++) {
        const struct omptape_unify_process *process = &model->processes[i];
        struct launch *launch = process->clock.rank >= 0 ? launch_of(launches, process) : NULL;
        if (launch != NULL && launch->presence != NULL && (uint64_t)process->clock.rank < launch->size)
            launch->presence[process->clock.rank] = RANK_THERE;
    }
}

/* Marks the launches whose number of ranks equals the size of an MPI_COMM_WORLD of their processes. */
static void find_worlds(const struct omptape_unify_model *model, struct launches *launches)
{
    for (uint32_t i = 0; i < model->world_count; i++) {
        const struct omptape_unify_world *world = &model->worlds[i];
        for (uint32_t k = world->first; k < world->first + world->size; k++) {
            const uint64_t location = model->ranks[k];
            const uint32_t number =
                location != OTF2_UNDEFINED_LOCATION ? model->locations[location].process : UINT32_MAX;
            if (number >= model->process_count || model->processes[number].clock.rank < 0)
                continue;
            struct launch *launch = launch_of(launches, &model->processes[number]);
            if (launch != NULL && launch->size == world->size)
                launch->has_world = true;
        }
    }
}

/* Marks the ranks whose parts are skipped. Their rank is known only from the folder's name, so this is done
 * only if there is a single launch. */
static void find_left_out(const struct omptape_unify_search *search, const struct launches *launches)
{
    const struct launch *launch = launches->list;
    for (uint32_t i = 0; launches->count == 1 && launch->presence != NULL && i < search->count; i++) {
        const struct omptape_unify_found *found = &search->list[i];
        const uint64_t rank = omptape_archive_files_is_part(found->folder)
                                  ? strtoull(found->folder + strlen(OMPTAPE_PART_PREFIX), NULL, 10)
                                  : UINT64_MAX;
        if (found->why != NULL && rank < launch->size && launch->presence[rank] == RANK_UNKNOWN)
            launch->presence[rank] = RANK_LEFT_OUT;
    }
}

/* Collects the launches, their sizes and the state of their ranks. */
static void gather_launches(const struct omptape_unify_model *model,
                            const struct omptape_unify_search *search, struct launches *launches)
{
    enum { MAX_RANKS = 1 << 24 };
    for (uint32_t i = 0; i < model->process_count; i++) {
        const struct omptape_unify_process *process = &model->processes[i];
        struct launch *launch = process->clock.rank >= 0 ? launch_of(launches, process) : NULL;
        uint64_t size = omptape_unify_number(process, OMPTAPE_KEY_SIZE, 0);
        if (launch != NULL && size > launch->size && size < MAX_RANKS)
            launch->size = size;
    }
    for (uint32_t i = 0; launches->list != NULL && i < launches->count; i++)
        launches->list[i].presence =
            omptape_calloc(launches->list[i].size + 1, sizeof(*launches->list[i].presence));
    find_ranks(model, launches);
    find_worlds(model, launches);
    find_left_out(search, launches);
}

void omptape_unify_find_missing(struct omptape_unify_model *model, const struct omptape_unify_search *search,
                                char *text, size_t bytes)
{
    char line[OMPTAPE_UNIFY_ERROR_BYTES];
    struct launches launches = {.count = 0};
    text[0] = '\0';
    gather_launches(model, search, &launches);
    for (uint32_t i = 0; i < 2 * launches.count; i++) {
        const enum presence presence = i % 2 == 0 ? RANK_UNKNOWN : RANK_LEFT_OUT;
        describe_missing(&launches.list[i / 2], presence, launches.count == 1, line, sizeof(line));
        if (line[0] == '\0')
            continue;
        omptape_rows_text(&model->kinds[OMPTAPE_UNIFY_WARNING], line);
        omptape_append_item(text, bytes, "; ", "%s", line);
    }
    for (uint32_t i = 0; i < launches.count; i++)
        free(launches.list[i].presence);
    free(launches.list);
    omptape_rows_free(&launches.names);
}
