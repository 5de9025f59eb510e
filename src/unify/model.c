/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the common queries of the model, and frees it (model.h).
 */
#include "src/unify/model.h"

#include "src/core/array.h"
#include <errno.h>
#include <omptape/locations.h>
#include <omptape/properties.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const omptape_unify_numbered_names[OMPTAPE_UNIFY_NUMBERED_NAMES] = {OMPTAPE_COMM_NAME,
                                                                                OMPTAPE_PARTITIONED_NAME};
const char *const omptape_unify_world_names[OMPTAPE_UNIFY_WORLD_NAMES] = {OMPTAPE_WORLD_NAME,
                                                                          OMPTAPE_SET_NAME};

void omptape_unify_fail(struct omptape_unify_model *model, const char *format, ...)
{
    va_list arguments;
    if (omptape_unify_failed(model))
        return;
    va_start(arguments, format);
    vsnprintf(model->error, sizeof(model->error), format, arguments);
    va_end(arguments);
}

bool omptape_unify_failed(struct omptape_unify_model *model)
{
    if (omptape_out_of_memory && model->error[0] == '\0')
        (void)snprintf(model->error, sizeof(model->error), "out of memory");
    return model->error[0] != '\0';
}

enum omptape_unify_kind omptape_unify_mapped(OTF2_MappingType type)
{
    return type < OMPTAPE_UNIFY_MAPPED ? (enum omptape_unify_kind)type : OMPTAPE_UNIFY_MAPPED;
}

OTF2_MappingType omptape_unify_mapping(enum omptape_unify_kind kind)
{
    return (OTF2_MappingType)kind;
}

uint64_t omptape_unify_map_get(const struct omptape_unify_map *map, uint64_t from)
{
    if (map->sparse) {
        const struct omptape_hash_entry *entry = omptape_hash_next(&map->hash, from + 1, NULL);
        return entry != NULL ? entry->number : UINT64_MAX;
    }
    return from < map->count ? map->to[from] : UINT64_MAX;
}

int omptape_unify_map_set(const struct omptape_unify_part *part, struct omptape_unify_map *map, uint64_t from,
                          uint64_t to)
{
    if (map->sparse) {
        struct omptape_hash_entry *entry = omptape_hash_next(&map->hash, from + 1, NULL);
        if (entry == NULL)
            return omptape_hash_join(&map->hash, from + 1, to);
        entry->number = to;
        return 0;
    }
    if (from >= part->references)
        return -EINVAL;
    if (!OMPTAPE_RESERVE(map->to, (uint32_t)from + 1, &map->capacity))
        return -ENOMEM;
    while (map->count <= from)
        map->to[map->count++] = UINT64_MAX;
    map->to[from] = to;
    return 0;
}

const uint64_t *omptape_unify_words(const struct omptape_unify_model *model, enum omptape_unify_kind kind,
                                    uint64_t ref)
{
    return model->kinds[kind].list[ref].data;
}

uint32_t omptape_unify_word_count(const struct omptape_unify_model *model, enum omptape_unify_kind kind,
                                  uint64_t ref)
{
    return (uint32_t)(model->kinds[kind].list[ref].bytes / sizeof(uint64_t));
}

uint64_t omptape_unify_location_id(const struct omptape_unify_model *model, uint64_t row)
{
    const struct omptape_unify_location *location = &model->locations[row];
    return omptape_location_id(location->index, location->process);
}

uint32_t omptape_unify_list_of(const struct omptape_unify_model *model, uint64_t paradigm)
{
    for (uint32_t i = 0; i < model->list_count; i++)
        if (model->lists[i].paradigm == paradigm)
            return i;
    return OMPTAPE_UNIFY_LISTS;
}

const char *omptape_unify_text(const struct omptape_unify_model *model, uint64_t ref)
{
    return omptape_rows_text_at(&model->kinds[OMPTAPE_UNIFY_STRING], ref);
}

uint64_t omptape_unify_add_text(struct omptape_unify_model *model, const char *text)
{
    return omptape_rows_text(&model->kinds[OMPTAPE_UNIFY_STRING], text);
}

const char *omptape_unify_property(const struct omptape_unify_process *process, const char *key)
{
    for (uint32_t i = 0; i < process->property_count; i++)
        if (strcmp(process->properties[i].key, key) == 0)
            return process->properties[i].value;
    return NULL;
}

const char *omptape_unify_property_text(const struct omptape_unify_process *process, const char *key)
{
    const char *text = omptape_unify_property(process, key);
    return text != NULL ? text : "";
}

uint64_t omptape_unify_number(const struct omptape_unify_process *process, const char *key,
                              uint64_t otherwise)
{
    const char *text = omptape_unify_property(process, key);
    char *end = NULL;
    uint64_t number = text != NULL ? strtoull(text, &end, 10) : 0;
    return text != NULL && end != text && *end == '\0' ? number : otherwise;
}

void omptape_unify_model_free(struct omptape_unify_model *model)
{
    for (unsigned i = 0; i < OMPTAPE_UNIFY_KINDS; i++)
        omptape_rows_free(&model->kinds[i]);
    for (uint32_t i = 0; i < model->part_count; i++)
        for (unsigned k = 0; k < OMPTAPE_UNIFY_REFERRED; k++) {
            free(model->parts[i].maps[k].to);
            omptape_hash_free(&model->parts[i].maps[k].hash);
        }
    for (uint32_t i = 0; i < model->process_count; i++) {
        free(model->processes[i].properties);
        free(model->processes[i].before.list);
        if (model->corrected != NULL)
            free(model->corrected[i].list);
    }
    free(model->corrected);
    omptape_unify_conversion_free(&model->conversion);
    free(model->parts);
    free(model->processes);
    free(model->locations);
    free(model->ranks);
    free(model->worlds);
    free(model->markers);
    omptape_arena_free(&model->arena);
}
