/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists an archive's processes, devices and locations (formats.h). Called once, before the events are read.
 */
#include "src/command/export/formats.h"

#include "src/archive/read/visits.h"
#include "src/core/whole.h"

#include <errno.h>
#include <omptape/locations.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

/* First invented process or thread number, above all of Linux's: for places without one, and duplicates. */
enum { FIRST_OWN_NUMBER = 1 << 22 };
static const char THREAD_ID[] = "OS thread id";

uint64_t export_ns(const struct omptape_reader *reader, uint64_t ticks)
{
    const uint64_t second = 1000000000;
    uint64_t since = ticks > reader->clock_offset ? ticks - reader->clock_offset : 0;
    uint64_t resolution = reader->clock_resolution;
    if (resolution == second || resolution == 0)
        return since;
    if (resolution > UINT64_MAX / second || since / resolution > UINT64_MAX / second - 1)
        return omptape_whole((double)since / (double)resolution * 1e9);
    return since / resolution * second + since % resolution * second / resolution;
}

static struct export_group *group_of(struct export_places *places, uint64_t id)
{
    struct export_group *group = omptape_pairs_get(&places->by_group, 0, id);
    return group != NULL ? group : &places->groups[0];
}

static int add_group(struct export_places *places, const struct omptape_definition *definition)
{
    struct export_group *group = &places->groups[places->group_count];
    group->definition = definition;
    group->index = places->group_count++;
    group->process = group->index;
    group->name = definition == NULL
                      ? "no process"
                      : omptape_reader_name(places->reader, OMPTAPE_DEF_LOCATION_GROUP, definition->id);
    int64_t process = definition == NULL ? -1 : omptape_reader_process_number(places->reader, definition->id);
    const char *pid = omptape_reader_property_of(places->reader, process, OMPTAPE_KEY_PID);
    group->real_pid = definition != NULL && pid != NULL ? strtol(pid, NULL, 10) : -1;
    return definition == NULL ? 0 : omptape_pairs_put(&places->by_group, 0, definition->id, group);
}

/* Assigns each device to the process that created it. */
static void find_processes_of_devices(struct export_places *places)
{
    for (uint32_t i = 1; i < places->group_count; i++) {
        struct export_group *group = &places->groups[i];
        const struct omptape_definition *definition = group->definition;
        if (definition->value[0] != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR)
            continue;
        const struct export_group *creator = group_of(places, definition->refs[2].id);
        if (creator->definition != NULL && creator->definition->value[0] == OTF2_LOCATION_GROUP_TYPE_PROCESS)
            group->process = creator->index;
    }
}

/* Assigns process numbers. Viewers need them, but hosts may use the same number: duplicates are replaced. */
static int number_processes(struct export_places *places)
{
    struct omptape_pairs seen = {.list = NULL};
    int status = 0;
    int32_t next = FIRST_OWN_NUMBER;
    for (uint32_t i = 0; i < places->group_count && status == 0; i++) {
        struct export_group *group = &places->groups[i];
        bool own = group->real_pid > 0 && group->real_pid < FIRST_OWN_NUMBER && group->process == i &&
                   omptape_pairs_get(&seen, 0, (uint64_t)group->real_pid) == NULL;
        group->pid = own ? (int32_t)group->real_pid : next++;
        status = own ? omptape_pairs_put(&seen, 0, (uint64_t)group->real_pid, group) : 0;
    }
    omptape_pairs_free(&seen);
    return status;
}

static int add_place(struct export_places *places, const struct omptape_definition *definition)
{
    struct export_place *place = &places->list[places->count];
    const struct export_group *group = group_of(places, definition->refs[1].id);
    place->definition = definition;
    place->index = places->count++;
    place->group = group->index;
    place->process = group->process;
    place->is_thread = definition->value[0] == OTF2_LOCATION_TYPE_CPU_THREAD;
    place->holds_regions = definition->value[0] != OTF2_LOCATION_TYPE_METRIC;
    place->name = omptape_reader_name(places->reader, OMPTAPE_DEF_LOCATION, definition->id);
    return omptape_pairs_put(&places->by_id, 0, definition->id, place);
}

/* Returns the operating system's thread id, or 0 if unknown. */
static uint64_t thread_id_of(const struct omptape_reader *reader, uint64_t location)
{
    const struct omptape_definition *property =
        omptape_reader_location_property(reader, location, THREAD_ID, OTF2_TYPE_STRING);
    return property != NULL ? strtoull(omptape_reader_string(reader, property->value[1]), NULL, 10) : 0;
}

/* Assigns the operating system's thread ids. The system may reuse ids of ended threads, so duplicates are
 * replaced. */
static int number_threads(struct export_places *places)
{
    struct omptape_pairs seen = {.list = NULL};
    int status = 0;
    for (uint32_t i = 0; i < places->count && status == 0; i++) {
        struct export_place *place = &places->list[i];
        const struct export_group *process = &places->groups[place->process];
        uint64_t tid = thread_id_of(places->reader, place->definition->id);
        if (tid == 0 || tid >= FIRST_OWN_NUMBER)
            continue;
        if ((int64_t)tid == process->real_pid)
            tid = (uint64_t)process->pid;
        if (omptape_pairs_get(&seen, place->process, tid) != NULL)
            continue;
        place->tid = (int32_t)tid;
        status = omptape_pairs_put(&seen, place->process, tid, place);
    }
    omptape_pairs_free(&seen);
    return status;
}

static void choose(struct export_places *places, const struct ranges *threads)
{
    bool plain = omptape_locations_are_plain(places->reader);
    for (uint32_t i = 0; i < places->count; i++) {
        struct export_place *place = &places->list[i];
        struct export_group *group = &places->groups[place->group];
        uint64_t id = place->definition->id;
        place->number = plain ? (uint32_t)id : omptape_location_index(id);
        if (place->tid == 0)
            place->tid = (int32_t)(FIRST_OWN_NUMBER + (i & (FIRST_OWN_NUMBER - 1)));
        place->chosen =
            ranges_have_thread(threads, plain ? 0 : omptape_location_process(id), place->number, place->name);
        group->chosen = group->chosen || place->chosen;
        places->any_chosen = places->any_chosen || place->chosen;
        places->groups[place->process].chosen = places->groups[place->process].chosen || place->chosen;
    }
}

static int add_all(struct export_places *places, enum omptape_definition_kind kind,
                   int (*add)(struct export_places *, const struct omptape_definition *))
{
    const struct omptape_reader *reader = places->reader;
    int status = 0;
    for (const struct omptape_definition *definition = reader->first[kind]; definition != NULL && status == 0;
         definition = definition->next)
        status = add(places, definition);
    return status;
}

int export_places_find(struct export_places *places, struct omptape_reader *reader,
                       const struct ranges *threads)
{
    *places = (struct export_places){.reader = reader};
    places->groups = omptape_calloc(reader->definition_count + 1U, sizeof(*places->groups));
    places->list = omptape_calloc(reader->definition_count + 1U, sizeof(*places->list));
    if (places->groups == NULL || places->list == NULL)
        return -ENOMEM;
    int status = add_group(places, NULL);
    if (status == 0)
        status = add_all(places, OMPTAPE_DEF_LOCATION_GROUP, add_group);
    find_processes_of_devices(places);
    if (status == 0)
        status = number_processes(places);
    if (status == 0)
        status = add_all(places, OMPTAPE_DEF_LOCATION, add_place);
    if (status == 0)
        status = number_threads(places);
    choose(places, threads);
    return status;
}

struct export_place *export_place_lookup(struct export_places *places, uint64_t id)
{
    struct export_place *place = omptape_pairs_get(&places->by_id, 0, id);
    places->last = place != NULL ? place : places->last;
    return place;
}

void export_places_free(struct export_places *places)
{
    omptape_pairs_free(&places->by_id);
    omptape_pairs_free(&places->by_group);
    omptape_arena_free(&places->arena);
    free(places->groups);
    free(places->list);
}
