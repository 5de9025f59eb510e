/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes of a part: their location groups, properties and clocks. Called by the child process of
 * omptape_unify for each part, after its global definitions.
 */
#include "src/unify/model.h"
#include <omptape/properties.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *left, const void *right)
{
    const struct omptape_unify_property *a = left;
    const struct omptape_unify_property *b = right;
    return strcmp(a->key, b->key);
}

const char *omptape_unify_property(const struct omptape_unify_process *process, const char *key)
{
    for (uint32_t i = 0; i < process->property_count; i++)
        if (strcmp(process->properties[i].key, key) == 0)
            return process->properties[i].value;
    return NULL;
}

uint64_t omptape_unify_number(const struct omptape_unify_process *process, const char *key,
                              uint64_t otherwise)
{
    const char *text = omptape_unify_property(process, key);
    char *end = NULL;
    uint64_t number = text != NULL ? strtoull(text, &end, 10) : 0;
    return text != NULL && end != text && *end == '\0' ? number : otherwise;
}

/* Takes both texts. */
static void add_property(struct omptape_unify_model *model, struct omptape_unify_process *process, char *key,
                         char *value)
{
    if (process->property_count == process->property_room) {
        uint32_t room = process->property_room != 0 ? process->property_room * 2 : 64;
        struct omptape_unify_property *longer = realloc(process->properties, room * sizeof(*longer));
        if (longer != NULL) {
            process->properties = longer;
            process->property_room = room;
        }
    }
    if (key == NULL || value == NULL || process->property_count == process->property_room) {
        omptape_unify_fail(model, "out of memory");
        free(key);
        free(value);
        return;
    }
    process->properties[process->property_count++] =
        (struct omptape_unify_property){.key = key, .value = value};
}

static void add_number(struct omptape_unify_model *model, struct omptape_unify_process *process,
                       const char *key, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, number);
    add_property(model, process, strdup(key), strdup(text));
}

static struct omptape_unify_process *add_process(struct omptape_unify_reading *reading, uint64_t group)
{
    struct omptape_unify_model *model = reading->model;
    if (model->process_count == model->process_room) {
        uint32_t room = model->process_room != 0 ? model->process_room * 2 : 16;
        struct omptape_unify_process *longer = realloc(model->processes, room * sizeof(*longer));
        if (longer == NULL) {
            omptape_unify_fail(model, "out of memory");
            return NULL;
        }
        model->processes = longer;
        model->process_room = room;
    }
    struct omptape_unify_process *process = &model->processes[model->process_count++];
    *process =
        (struct omptape_unify_process){.part = reading->number, .group = group, .first_location = UINT64_MAX};
    return process;
}

/* The process whose location group, or whose device's, this is. */
static uint32_t process_of_group(const struct omptape_unify_model *model, uint32_t first, uint64_t group)
{
    uint64_t creator =
        omptape_unify_words_at(&model->kinds[OMPTAPE_UNIFY_LOCATION_GROUP], (uint32_t)group)[3];
    for (uint32_t i = first; i < model->process_count; i++)
        if (model->processes[i].group == group || model->processes[i].group == creator)
            return i;
    return UINT32_MAX;
}

static void find_locations(struct omptape_unify_reading *reading, uint32_t first)
{
    struct omptape_unify_model *model = reading->model;
    for (uint32_t i = 0; i < model->location_count; i++) {
        struct omptape_unify_location *location = &model->locations[i];
        if (location->part != reading->number)
            continue;
        uint64_t group = omptape_unify_words_at(&model->kinds[OMPTAPE_UNIFY_LOCATION], i)[3];
        location->process = process_of_group(model, first, group);
        if (location->process == UINT32_MAX) {
            omptape_unify_fail(model, "a location is of no process");
            return;
        }
        if (model->processes[location->process].first_location == UINT64_MAX)
            model->processes[location->process].first_location = i;
    }
}

/* What the unified archive says of all processes together says nothing of one. */
static bool is_of_all(const char *key)
{
    static const char *const keys[] = {OMPTAPE_KEY_PROCESSES, OMPTAPE_KEY_END, OMPTAPE_KEY_PROGRAM,
                                       OMPTAPE_KEY_DURATION};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return omptape_unify_is_sum(key) || strncmp(key, OMPTAPE_KEY_WARNING, strlen(OMPTAPE_KEY_WARNING)) == 0;
}

static void take_property(struct omptape_unify_reading *reading, uint32_t first, const char *name,
                          const char *value)
{
    struct omptape_unify_model *model = reading->model;
    const char *key = name + strlen(OMPTAPE_PROPERTY_PREFIX);
    if (reading->part->unified && is_of_all(key))
        return;
    for (uint32_t i = first; i < model->process_count; i++)
        add_property(model, &model->processes[i], strdup(key), strdup(value));
}

/* What the definitions of a unified archive say of its processes: each one's properties come together. */
static void take_own_properties(struct omptape_unify_reading *reading, uint32_t first)
{
    struct omptape_unify_model *model = reading->model;
    const struct omptape_unify_table *strings = &model->kinds[OMPTAPE_UNIFY_STRING];
    uint32_t process = first;
    for (uint32_t i = 0; i < reading->own.count; i++) {
        const uint64_t *words = omptape_unify_words_at(&reading->own, i);
        for (uint32_t k = first; k < model->process_count && model->processes[process].group != words[0]; k++)
            process = process + 1 < model->process_count ? process + 1 : first;
        if (model->processes[process].group == words[0])
            add_property(
                model, &model->processes[process],
                strdup(omptape_unify_text_at(strings, (uint32_t)words[1]) + strlen(OMPTAPE_PROPERTY_PREFIX)),
                strdup(omptape_unify_text_at(strings, (uint32_t)words[2])));
    }
}

static void read_properties(struct omptape_unify_reading *reading, OTF2_Reader *reader, uint32_t first)
{
    uint32_t count = 0;
    char **names = NULL;
    if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS) {
        omptape_unify_fail(reading->model, "its properties cannot be read");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        char *value = NULL;
        if (strncmp(names[i], OMPTAPE_PROPERTY_PREFIX, strlen(OMPTAPE_PROPERTY_PREFIX)) == 0 &&
            OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS && value != NULL)
            take_property(reading, first, names[i], value);
        free(value);
    }
    free(names);
}

/* The name of the node that a location group is on. */
static const char *node_name(const struct omptape_unify_model *model, uint64_t group)
{
    const struct omptape_unify_table *nodes = &model->kinds[OMPTAPE_UNIFY_TREE_NODE];
    const struct omptape_unify_table *strings = &model->kinds[OMPTAPE_UNIFY_STRING];
    uint64_t node = omptape_unify_words_at(&model->kinds[OMPTAPE_UNIFY_LOCATION_GROUP], (uint32_t)group)[2];
    while (node < nodes->count) {
        const uint64_t *words = omptape_unify_words_at(nodes, (uint32_t)node);
        if (strcmp(omptape_unify_text_at(strings, (uint32_t)words[1]), "node") == 0)
            return omptape_unify_text_at(strings, (uint32_t)words[0]);
        node = words[2];
    }
    return "";
}

/* What the unified archive must say of a part's process that its properties did not. */
static void complete(struct omptape_unify_reading *reading, struct omptape_unify_process *process)
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
        add_property(model, process, strdup(OMPTAPE_KEY_HOST), strdup(node_name(model, process->group)));
    qsort(process->properties, process->property_count, sizeof(*process->properties), compare_keys);
}

static uint64_t moment(const struct omptape_unify_process *process, const char *key)
{
    uint64_t number = omptape_unify_number(process, key, 0);
    return number < OMPTAPE_UNIFY_MOST_TICKS ? number : 0;
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
    clock->first = moment(process, OMPTAPE_KEY_CLOCK_BEGIN);
    clock->last = clock->first + moment(process, OMPTAPE_KEY_CLOCK_LENGTH);
    clock->start.ticks = clock->first;
    clock->start.realtime = moment(process, OMPTAPE_KEY_CLOCK_REALTIME);
    clock->end.ticks = moment(process, OMPTAPE_KEY_CLOCK_END_TICKS);
    clock->end.realtime = moment(process, OMPTAPE_KEY_CLOCK_END_REALTIME);
    clock->error = omptape_unify_number(process, OMPTAPE_KEY_CLOCK_ERROR, 0);
}

/* Ranks are found by their number in the name, others by program and pid, as the part says it. */
static void name_process(struct omptape_unify_model *model, struct omptape_unify_process *process)
{
    char text[OMPTAPE_UNIFY_PATH_BYTES];
    struct omptape_unify_table *strings = &model->kinds[OMPTAPE_UNIFY_STRING];
    process->name =
        omptape_unify_words_at(&model->kinds[OMPTAPE_UNIFY_LOCATION_GROUP], (uint32_t)process->group)[0];
    const char *name = omptape_unify_text_at(strings, (uint32_t)process->name);
    if (process->clock.rank < 0 || strncmp(name, "rank ", 5) == 0)
        return;
    snprintf(text, sizeof(text), "rank %" PRId64 ": %s", process->clock.rank, name);
    process->name = omptape_unify_text(strings, text);
}

/* Snapshots lie in their program's folder, but are no process of the run. */
static bool is_part(struct omptape_unify_reading *reading, OTF2_Reader *reader)
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
    uint32_t first = model->process_count;
    bool ours = is_part(reading, reader);
    model->error[0] = '\0'; /* a property that is not there is no fault */
    if (!ours) {
        model->not_a_part = true;
        omptape_unify_fail(model, "it is no archive of a process that omptape traced");
        return;
    }
    for (uint32_t i = 0; i < groups->count; i++) {
        uint64_t group = groups->to[i];
        if (group != UINT64_MAX &&
            omptape_unify_words_at(&model->kinds[OMPTAPE_UNIFY_LOCATION_GROUP], (uint32_t)group)[1] ==
                OTF2_LOCATION_GROUP_TYPE_PROCESS)
            add_process(reading, group);
    }
    if (model->process_count == first || (!reading->part->unified && model->process_count > first + 1)) {
        omptape_unify_fail(model, "it does not hold one process");
        return;
    }
    read_properties(reading, reader, first);
    take_own_properties(reading, first);
    for (uint32_t i = first; i < model->process_count && !omptape_unify_failed(model); i++) {
        complete(reading, &model->processes[i]);
        read_clock(&model->processes[i]);
        name_process(model, &model->processes[i]);
    }
    if (!omptape_unify_failed(model))
        find_locations(reading, first);
}
