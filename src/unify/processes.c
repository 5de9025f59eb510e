/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the processes of a part: location groups, properties and clocks (reading.h).
 */
#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/core/words.h"
#include "src/unify/clocks/clocks.h"
#include "src/unify/reading.h"

#include <inttypes.h>
#include <omptape/locations.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *left, const void *right)
{
    const struct omptape_unify_property *a = left;
    const struct omptape_unify_property *b = right;
    return strcmp(a->key, b->key);
}

static void add_property(struct omptape_unify_model *model, struct omptape_unify_process *process,
                         const char *key, const char *value)
{
    struct omptape_rows *texts = &model->kinds[OMPTAPE_UNIFY_PROPERTY_TEXT];
    struct omptape_unify_property property = {.key = omptape_rows_keep(texts, key, strlen(key)),
                                              .value = omptape_rows_keep(texts, value, strlen(value))};
    if (property.key != NULL && property.value != NULL)
        (void)OMPTAPE_APPEND(process->properties, process->property_count, process->property_capacity,
                             property);
}

static void add_number(struct omptape_unify_model *model, struct omptape_unify_process *process,
                       const char *key, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, number);
    add_property(model, process, key, text);
}

static void add_process(struct omptape_unify_reading *reading, uint64_t group)
{
    struct omptape_unify_model *model = reading->model;
    if (!OMPTAPE_RESERVE(model->processes, model->process_count + 1, &model->process_capacity) ||
        omptape_hash_join(&reading->processes, group + 1, model->process_count) != 0)
        return;
    model->processes[model->process_count++] =
        (struct omptape_unify_process){.part = reading->number, .group = group, .first_location = UINT64_MAX};
}

/* Assigns each location to the process of its location group. A device's location belongs to the process that
 * created the device's group. */
static void find_locations(struct omptape_unify_reading *reading)
{
    struct omptape_unify_model *model = reading->model;
    for (uint32_t i = reading->first_location; i < model->location_count; i++) {
        uint64_t group = omptape_unify_words(model, OMPTAPE_UNIFY_LOCATION, i)[3];
        uint64_t creator = omptape_unify_words(model, OMPTAPE_UNIFY_LOCATION_GROUP, group)[3];
        uint32_t process = omptape_unify_process_of(reading, group);
        if (process == UINT32_MAX)
            process = omptape_unify_process_of(reading, creator);
        if (process == UINT32_MAX) {
            omptape_unify_fail(model, "a location is of no process");
            return;
        }
        struct omptape_unify_location *location = &model->locations[i];
        location->process = process;
        location->index = model->processes[process].location_count++;
        /* The event files in the output folder itself keep their names. */
        if (reading->part->folder[0] == '\0')
            location->index = omptape_location_index(location->old);
        if (reading->part->folder[0] == '\0' && omptape_location_process(location->old) != process)
            omptape_unify_fail(model, "its locations are not numbered as omptape numbers them");
        if (model->processes[process].first_location == UINT64_MAX)
            model->processes[process].first_location = i;
    }
}

/* Returns true for properties of a unified archive that describe all processes together, not each of them. */
static bool is_of_all(const char *key)
{
    static const char *const keys[] = {OMPTAPE_KEY_PROCESSES, OMPTAPE_KEY_END, OMPTAPE_KEY_PROGRAM,
                                       OMPTAPE_KEY_DURATION, NULL};
    return omptape_is_one_of(key, keys) || omptape_unify_is_sum(key) ||
           omptape_starts_with(key, OMPTAPE_KEY_WARNING);
}

static void add_archive_property(struct omptape_unify_reading *reading, const char *name, const char *value)
{
    struct omptape_unify_model *model = reading->model;
    const char *key = name + strlen(OMPTAPE_PROPERTY_PREFIX);
    if (reading->part->unified && is_of_all(key))
        return;
    for (uint32_t i = reading->first_process; i < model->process_count; i++)
        add_property(model, &model->processes[i], key, value);
}

/* Reads the properties of single processes, which are properties of their location groups. */
static void add_properties(struct omptape_unify_reading *reading)
{
    struct omptape_unify_model *model = reading->model;
    static const char connection[] = OMPTAPE_KEY_MEETING "::";
    for (uint32_t i = 0; i < reading->own.count; i++) {
        const uint64_t *words = reading->own.list[i].data;
        const char *key = omptape_unify_text(model, words[1]) + strlen(OMPTAPE_PROPERTY_PREFIX);
        uint32_t process = omptape_unify_process_of(reading, words[0]);
        /* In a process archive only connections are read here; all other values are also archive properties.
         */
        if (process != UINT32_MAX && (reading->part->unified || omptape_starts_with(key, connection)))
            add_property(model, &model->processes[process], key, omptape_unify_text(model, words[2]));
    }
}

static void read_properties(struct omptape_unify_reading *reading, OTF2_Reader *reader)
{
    uint32_t count = 0;
    char **names = NULL;
    if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS) {
        omptape_unify_fail(reading->model, "its properties cannot be read");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        char *value = NULL;
        if (omptape_starts_with(names[i], OMPTAPE_PROPERTY_PREFIX) &&
            OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS && value != NULL)
            add_archive_property(reading, names[i], value);
        free(value);
    }
    free(names);
}

/* Returns the name of the system tree node that a location group is on. */
static const char *node_name(const struct omptape_unify_model *model, uint64_t group)
{
    uint64_t node = omptape_unify_words(model, OMPTAPE_UNIFY_LOCATION_GROUP, group)[2];
    while (node < model->kinds[OMPTAPE_UNIFY_TREE_NODE].count) {
        const uint64_t *words = omptape_unify_words(model, OMPTAPE_UNIFY_TREE_NODE, node);
        if (strcmp(omptape_unify_text(model, words[1]), "node") == 0)
            return omptape_unify_text(model, words[0]);
        node = words[2];
    }
    return "";
}

/* Adds the properties of a process that the part has as definitions: its clock and its host. */
static void complete_properties(struct omptape_unify_reading *reading, struct omptape_unify_process *process)
{
    struct omptape_unify_model *model = reading->model;
    const struct omptape_unify_part *part = reading->part;
    if (!part->unified) {
        add_number(model, process, OMPTAPE_KEY_CLOCK_RESOLUTION, part->resolution);
        add_number(model, process, OMPTAPE_KEY_CLOCK_BEGIN, part->offset);
        add_number(model, process, OMPTAPE_KEY_CLOCK_LENGTH, part->length);
        add_number(model, process, OMPTAPE_KEY_CLOCK_REALTIME, part->realtime);
    }
    if (omptape_unify_property(process, OMPTAPE_KEY_HOST) == NULL)
        add_property(model, process, OMPTAPE_KEY_HOST, node_name(model, process->group));
    omptape_sort(process->properties, process->property_count, sizeof(*process->properties), compare_keys);
}

static uint64_t moment_of(const struct omptape_unify_process *process, const char *key)
{
    uint64_t number = omptape_unify_number(process, key, 0);
    return number < OMPTAPE_UNIFY_MAX_TICKS ? number : 0;
}

static void read_clock(struct omptape_unify_process *process)
{
    struct omptape_unify_clock *clock = &process->clock;
    const char *kind = omptape_unify_property(process, OMPTAPE_KEY_CLOCK);
    const char *host = omptape_unify_property(process, OMPTAPE_KEY_HOST);
    clock->host = host != NULL ? host : "";
    clock->kind = kind != NULL ? kind : "";
    clock->rank = (int64_t)omptape_unify_number(process, OMPTAPE_KEY_RANK, UINT64_MAX);
    clock->resolution = omptape_unify_number(process, OMPTAPE_KEY_CLOCK_RESOLUTION, 1000000000);
    clock->first = moment_of(process, OMPTAPE_KEY_CLOCK_BEGIN);
    clock->last = clock->first + moment_of(process, OMPTAPE_KEY_CLOCK_LENGTH);
    clock->start.ticks = clock->first;
    clock->start.realtime = moment_of(process, OMPTAPE_KEY_CLOCK_REALTIME);
    clock->end.ticks = moment_of(process, OMPTAPE_KEY_CLOCK_END_TICKS);
    clock->end.realtime = moment_of(process, OMPTAPE_KEY_CLOCK_END_REALTIME);
    clock->error = omptape_unify_number(process, OMPTAPE_KEY_CLOCK_ERROR, 0);
    clock->pid = (int64_t)omptape_unify_number(process, OMPTAPE_KEY_PID, UINT64_MAX);
    clock->jumps = omptape_unify_number(process, OMPTAPE_KEY_CLOCK_JUMPS, 0);
    omptape_unify_comparison_read(&clock->comparison, omptape_unify_property(process, OMPTAPE_KEY_CLOCK_SYNC),
                                  omptape_unify_property(process, OMPTAPE_KEY_CLOCK_SYNC_WITH));
}

/* Sets the process's short name: the rank, or else the program. */
static void name_process(struct omptape_unify_model *model, struct omptape_unify_process *process)
{
    char text[64];
    const char *program = omptape_unify_property(process, OMPTAPE_KEY_PROGRAM);
    snprintf(text, sizeof(text), "rank %" PRId64, process->clock.rank);
    if (process->clock.rank >= 0)
        process->name = omptape_unify_add_text(model, text);
    else if (program != NULL && omptape_base_name(program)[0] != '\0')
        process->name = omptape_unify_add_text(model, omptape_base_name(program));
    else
        process->name = omptape_unify_words(model, OMPTAPE_UNIFY_LOCATION_GROUP, process->group)[0];
}

/* Returns true if the part is an archive of traced processes. A snapshot in the program's folder is not. */
static bool is_traced_process(struct omptape_unify_reading *reading, OTF2_Reader *reader)
{
    char *value = NULL;
    bool ours = OTF2_Reader_GetProperty(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_PROCESSES, &value) ==
                    OTF2_SUCCESS &&
                value != NULL;
    reading->part->unified = ours;
    free(value);
    value = NULL;
    if (!ours)
        ours = OTF2_Reader_GetProperty(reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_END, &value) ==
                   OTF2_SUCCESS &&
               value != NULL && strcmp(value, "snapshot") != 0;
    free(value);
    return ours;
}

void omptape_unify_read_processes(struct omptape_unify_reading *reading, OTF2_Reader *reader)
{
    struct omptape_unify_model *model = reading->model;
    const struct omptape_unify_map *groups = &reading->part->maps[OMPTAPE_UNIFY_LOCATION_GROUP];
    bool ours = is_traced_process(reading, reader);
    model->error[0] = '\0'; /* a missing property is not an error */
    if (!ours) {
        model->not_a_part = true;
        omptape_unify_fail(model, "it is no archive of a process that omptape traced");
        return;
    }
    for (uint32_t i = 0; i < groups->count; i++) {
        uint64_t group = groups->to[i];
        if (group != UINT64_MAX && omptape_unify_words(model, OMPTAPE_UNIFY_LOCATION_GROUP, group)[1] ==
                                       OTF2_LOCATION_GROUP_TYPE_PROCESS)
            add_process(reading, group);
    }
    uint32_t found = model->process_count - reading->first_process;
    if (found == 0 || (!reading->part->unified && found > 1)) {
        omptape_unify_fail(model, "it does not hold one process");
        return;
    }
    read_properties(reading, reader);
    add_properties(reading);
    for (uint32_t i = reading->first_process; i < model->process_count && !omptape_unify_failed(model); i++) {
        complete_properties(reading, &model->processes[i]);
        read_clock(&model->processes[i]);
        name_process(model, &model->processes[i]);
    }
    if (!omptape_unify_failed(model))
        find_locations(reading);
}
