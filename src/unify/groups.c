/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds a part's groups, communicators, I/O handles and metrics to the model. Groups and communicators may
 * contain locations of all processes. The functions are libotf2's callbacks (definitions.c).
 */
#include "src/core/array.h"
#include "src/core/words.h"
#include "src/unify/reading.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Converts a place in the part's MPI list to a place in the model's list. */
static uint64_t place_of(const struct omptape_unify_reading *reading, uint32_t list, uint64_t member)
{
    const struct omptape_unify_part *part = reading->part;
    if (member < part->own_places)
        return part->listed_before[list] + member;
    if (member - part->own_places >= reading->foreign_places)
        omptape_unify_fail(reading->model, "its definitions refer to something that they do not define");
    return OMPTAPE_UNIFY_FOREIGN_PLACES + part->foreign_places + (member - part->own_places);
}

/* Converts a group member to the unified archive's reference. */
static uint64_t member_of(const struct omptape_unify_reading *reading, OTF2_GroupType type, uint32_t list,
                          uint64_t member)
{
    switch (type) {
    case OTF2_GROUP_TYPE_LOCATIONS:
        return omptape_unify_map_required(reading, OMPTAPE_UNIFY_LOCATION, member);
    case OTF2_GROUP_TYPE_METRIC:
        return omptape_unify_map_required(reading, OMPTAPE_UNIFY_METRIC, member);
    case OTF2_GROUP_TYPE_COMM_GROUP:
        /* A place in the paradigm's list of locations, after those of the earlier parts. */
        return reading->model->lists[list].paradigm == OTF2_PARADIGM_MPI
                   ? place_of(reading, list, member)
                   : reading->part->listed_before[list] + member;
    default:
        return member;
    }
}

/* Returns the paradigm's list; the first part that has one creates it. */
static uint32_t obtain_list(struct omptape_unify_reading *reading, uint64_t self, uint64_t name,
                            OTF2_Paradigm paradigm, OTF2_GroupFlag flags)
{
    struct omptape_unify_model *model = reading->model;
    const uint64_t words[] = {name, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm, flags};
    uint32_t list = omptape_unify_list_of(model, paradigm);
    if (list == OMPTAPE_UNIFY_LISTS && model->list_count < OMPTAPE_UNIFY_LISTS) {
        list = model->list_count++;
        model->lists[list] = (struct omptape_unify_list){
            .paradigm = paradigm,
            .group = omptape_rows_number(&model->kinds[OMPTAPE_UNIFY_GROUP], words, sizeof(words))};
    }
    if (list == OMPTAPE_UNIFY_LISTS)
        omptape_unify_fail(model, "it holds communicators that omptape does not make");
    else if (omptape_unify_map_set(reading->part, &reading->part->maps[OMPTAPE_UNIFY_GROUP], self,
                                   model->lists[list].group) != 0)
        omptape_unify_fail(model, "its definitions have strange numbers");
    return list;
}

/* Appends the part's locations of a paradigm to the list of all processes. */
static OTF2_CallbackCode add_locations(struct omptape_unify_reading *reading, uint32_t list, uint32_t count,
                                       const uint64_t *members)
{
    struct omptape_unify_model *model = reading->model;
    for (uint32_t i = 0; i < count && !omptape_unify_failed(model); i++) {
        uint64_t member = omptape_unify_map_required(reading, OMPTAPE_UNIFY_LOCATION, members[i]);
        uint64_t place = (uint64_t)reading->part->listed_before[list] + i;
        if (!omptape_unify_failed(model) &&
            omptape_rows_number(&model->kinds[OMPTAPE_UNIFY_LISTED + list], &member, sizeof(member)) != place)
            omptape_unify_fail(model, "a location is twice in one of its communicators");
    }
    return omptape_unify_done(reading);
}

/* Returns true if a world of a unified archive belongs to the launch `name`: by job and step of a process. */
static bool was_launched_as(const struct omptape_unify_model *model, const struct omptape_unify_world *world,
                            const char *name)
{
    for (uint32_t i = world->first; i < world->first + world->size; i++) {
        const uint64_t location = model->ranks[i];
        const uint32_t number =
            location != OTF2_UNDEFINED_LOCATION ? model->locations[location].process : UINT32_MAX;
        if (number >= model->process_count)
            continue;
        const char *job = omptape_unify_property_text(&model->processes[number], OMPTAPE_KEY_JOB);
        const char *step = omptape_unify_property_text(&model->processes[number], OMPTAPE_KEY_STEP);
        const char *rest = omptape_text_after(name, job);
        return rest != NULL && *rest == '\n' && strcmp(rest + 1, step) == 0;
    }
    return true;
}

static bool may_be_of(const struct omptape_unify_model *model, const struct omptape_unify_world *world,
                      const struct omptape_unify_part *part)
{
    if (world->launch != 0 || part->launch_name == NULL)
        return world->launch == part->launch || world->launch == 0 || part->launch == 0;
    return was_launched_as(model, world, part->launch_name);
}

/* Returns the latest world of this size in which none of these members' places is taken, or NULL. The latest
 * is correct because launches follow one another. */
static const struct omptape_unify_world *find_world(const struct omptape_unify_model *model,
                                                    const struct omptape_unify_part *part, uint32_t count,
                                                    const uint64_t *members)
{
    for (uint32_t i = model->world_count; i > 0; i--) {
        const struct omptape_unify_world *world = &model->worlds[i - 1];
        bool free = world->size == count && may_be_of(model, world, part);
        for (uint32_t k = 0; k < count && free; k++)
            free = members[k] == OTF2_UNDEFINED_LOCATION ||
                   model->ranks[world->first + k] == OTF2_UNDEFINED_LOCATION;
        if (free)
            return world;
    }
    return NULL;
}

static void add_world(struct omptape_unify_model *model, uint32_t launch, uint32_t first, uint32_t size)
{
    for (uint32_t i = 0; i < model->world_count; i++)
        if (model->worlds[i].first == first)
            return;
    (void)OMPTAPE_APPEND(model->worlds, model->world_count, model->world_capacity,
                         (struct omptape_unify_world){.first = first, .size = size, .launch = launch});
}

uint32_t omptape_unify_add_places(struct omptape_unify_model *model, uint32_t count)
{
    uint32_t first = model->rank_count;
    if (!OMPTAPE_RESERVE(model->ranks, (uint64_t)first + count, &model->rank_capacity))
        return first;
    for (uint32_t i = 0; i < count; i++)
        model->ranks[model->rank_count++] = OTF2_UNDEFINED_LOCATION;
    return first;
}

/* Adds MPI's locations at the places of their ranks. A process archive contains one such location. The worlds
 * of a part with several processes are found by its communicators (on_comm). */
static OTF2_CallbackCode add_ranks(struct omptape_unify_reading *reading, uint32_t list, uint32_t count,
                                   const uint64_t *members)
{
    struct omptape_unify_model *model = reading->model;
    if (omptape_unify_failed(model))
        return omptape_unify_done(reading);
    if (reading->foreign_places >= count)
        reading->foreign_places = 0;
    count -= reading->foreign_places;
    reading->part->own_places = count;
    reading->part->foreign_places = model->foreign_places;
    model->foreign_places += reading->foreign_places;
    const struct omptape_unify_world *world = find_world(model, reading->part, count, members);
    uint32_t first = world != NULL ? world->first : omptape_unify_add_places(model, count);
    uint32_t defined = 0;
    for (uint32_t i = 0; i < count && !omptape_unify_failed(model); i++) {
        if (members[i] == OTF2_UNDEFINED_LOCATION)
            continue;
        model->ranks[first + i] = omptape_unify_map_required(reading, OMPTAPE_UNIFY_LOCATION, members[i]);
        defined++;
    }
    if (world == NULL && defined <= 1 && !omptape_unify_failed(model))
        add_world(model, reading->part->launch, first, count);
    reading->part->listed_before[list] = first;
    return omptape_unify_done(reading);
}

bool omptape_unify_scan_across(const struct omptape_unify_model *model, const uint64_t *words,
                               uint64_t *identity, uint32_t *connection, uint32_t *part)
{
    int end = 0;
    const char *name = omptape_unify_text(model, words[0]);
    *part = (uint32_t)(words[3] >> 32) - 1;
    return words[3] >> 32 != 0 && words[2] == OTF2_PARADIGM_MPI &&
           sscanf(name, "MPI 0x%" SCNx64 " across %" SCNu32 "%n", identity, connection, &end) == 2 &&
           name[end] == '\0';
}

/* Returns the part + 1 in the upper half of the word if the name has the number of a connection, otherwise 0.
 * Parts number their connections independently. */
static uint64_t mark_part(const struct omptape_unify_reading *reading, uint64_t name)
{
    const bool across = strstr(omptape_unify_text(reading->model, name), " across ") != NULL;
    return across ? ((uint64_t)reading->number + 1) << 32 : 0;
}

/* Merges a group of regions by its name. Each part adds its own regions as extra definitions. */
static OTF2_CallbackCode add_regions(struct omptape_unify_reading *reading, OTF2_GroupRef self, uint64_t name,
                                     OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                     const uint64_t *members)
{
    struct omptape_unify_model *model = reading->model;
    const uint64_t head[] = {name, OTF2_GROUP_TYPE_REGIONS, paradigm, flags};
    OTF2_CallbackCode code = omptape_unify_define(reading, OMPTAPE_UNIFY_GROUP, self, head, sizeof(head));
    for (uint32_t i = 0; i < count && !omptape_unify_failed(model); i++) {
        const uint64_t words[] = {OMPTAPE_UNIFY_GROUP_REGION,
                                  omptape_unify_map_required(reading, OMPTAPE_UNIFY_GROUP, self),
                                  omptape_unify_map_required(reading, OMPTAPE_UNIFY_REGION, members[i])};
        code = omptape_unify_add_extra(reading, words, sizeof(words));
    }
    return code;
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                  const uint64_t *members)
{
    enum { HEAD = 4 };
    struct omptape_unify_reading *reading = data;
    uint32_t list = omptape_unify_list_of(reading->model, paradigm);
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
        list = obtain_list(reading, self, omptape_unify_string(data, name), paradigm, flags);
        return paradigm == OTF2_PARADIGM_MPI ? add_ranks(reading, list, count, members)
                                             : add_locations(reading, list, count, members);
    }
    if (type == OTF2_GROUP_TYPE_REGIONS)
        return add_regions(reading, self, omptape_unify_string(data, name), paradigm, flags, count, members);
    if (type == OTF2_GROUP_TYPE_COMM_GROUP && list == OMPTAPE_UNIFY_LISTS) {
        omptape_unify_fail(reading->model, "it holds communicators that omptape does not make");
        return omptape_unify_done(reading);
    }
    uint64_t *words = omptape_calloc((size_t)count + HEAD, sizeof(*words));
    if (words == NULL)
        return omptape_unify_done(reading);
    words[0] = omptape_unify_string(data, name);
    words[1] = type;
    words[2] = paradigm;
    words[3] = flags | (paradigm == OTF2_PARADIGM_MPI ? mark_part(data, words[0]) : 0);
    for (uint32_t i = 0; i < count; i++)
        words[HEAD + i] = member_of(reading, type, list, members[i]);
    OTF2_CallbackCode code =
        omptape_unify_define(data, OMPTAPE_UNIFY_GROUP, self, words, ((size_t)count + HEAD) * sizeof(*words));
    free(words);
    return code;
}

/* Returns true if the text is the name, a blank and a number. */
static bool is_numbered(const char *text, const char *name)
{
    const char *rest = omptape_text_after(text, name);
    return rest != NULL && *rest == ' ';
}

/* Returns the world name in the text, or NULL if it is not a world's name. */
static const char *world_name_in(const char *text)
{
    for (unsigned i = 0; i < OMPTAPE_UNIFY_WORLD_NAMES; i++)
        if (strcmp(text, omptape_unify_world_names[i]) == 0 ||
            is_numbered(text, omptape_unify_world_names[i]))
            return omptape_unify_world_names[i];
    return NULL;
}

/* Returns a communicator's name, without the number after MPI's default names: every part numbers its
 * communicators in order of use. Equal ones have equal groups, and get new numbers when they are written. */
static uint64_t name_of_comm(struct omptape_unify_reading *reading, OTF2_StringRef name, uint64_t group)
{
    enum { FIRST_MEMBER = 4 };
    struct omptape_unify_model *model = reading->model;
    uint64_t own = omptape_unify_string(reading, name);
    const char *text = omptape_unify_text(model, own);
    if (omptape_unify_failed(model))
        return own;
    const uint64_t *words = omptape_unify_words(model, OMPTAPE_UNIFY_GROUP, group);
    uint32_t count = omptape_unify_word_count(model, OMPTAPE_UNIFY_GROUP, group);
    if (words[2] != OTF2_PARADIGM_MPI)
        return own;
    for (unsigned i = 0; i < OMPTAPE_UNIFY_NUMBERED_NAMES; i++)
        if (is_numbered(text, omptape_unify_numbered_names[i]))
            return omptape_unify_add_text(model, omptape_unify_numbered_names[i]);
    const char *world = world_name_in(text);
    if (world == NULL)
        return own;
    if (count > FIRST_MEMBER && words[FIRST_MEMBER] < model->rank_count &&
        count - FIRST_MEMBER <= model->rank_count - words[FIRST_MEMBER])
        add_world(model, reading->part->launch, (uint32_t)words[FIRST_MEMBER], count - FIRST_MEMBER);
    return omptape_unify_add_text(model, world);
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
    uint64_t own_group = omptape_unify_map_required(data, OMPTAPE_UNIFY_GROUP, group);
    const uint64_t words[] = {name_of_comm(data, name, own_group), own_group,
                              omptape_unify_map_optional(data, OMPTAPE_UNIFY_COMM, parent), flags};
    return omptape_unify_define(data, OMPTAPE_UNIFY_COMM, self, words, sizeof(words));
}

/* The only I/O paradigm. Its number must not change, because OTF2 has no mapping table for it. */
static OTF2_CallbackCode on_io_paradigm(void *data, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                        OTF2_StringRef name, OTF2_IoParadigmClass class,
                                        OTF2_IoParadigmFlag flags, uint8_t property_count,
                                        const OTF2_IoParadigmProperty *properties, const OTF2_Type *types,
                                        const OTF2_AttributeValue *values)
{
    const uint64_t words[] = {
        OMPTAPE_UNIFY_IO_PARADIGM,        self,  omptape_unify_string(data, identification),
        omptape_unify_string(data, name), class, flags};
    (void)property_count;
    (void)properties;
    (void)types;
    (void)values;
    return omptape_unify_add_extra(data, words, sizeof(words));
}

static OTF2_CallbackCode on_io_handle(void *data, OTF2_IoHandleRef self, OTF2_StringRef name,
                                      OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
                                      OTF2_IoHandleFlag flags, OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
    const uint64_t words[] = {omptape_unify_string(data, name),
                              omptape_unify_map_optional(data, OMPTAPE_UNIFY_IO_FILE, file), paradigm, flags,
                              omptape_unify_map_optional(data, OMPTAPE_UNIFY_COMM, comm)};
    (void)parent; /* omptape defines no parent handles */
    return omptape_unify_define(data, OMPTAPE_UNIFY_IO_HANDLE, self, words, sizeof(words));
}

static OTF2_CallbackCode on_metric_class(void *data, OTF2_MetricRef self, uint8_t count,
                                         const OTF2_MetricMemberRef *members,
                                         OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
    enum { HEAD = 2 };
    uint64_t words[UINT8_MAX + HEAD] = {occurrence, recorder};
    for (unsigned i = 0; i < count; i++)
        words[HEAD + i] = omptape_unify_map_required(data, OMPTAPE_UNIFY_METRIC_MEMBER, members[i]);
    return omptape_unify_define(data, OMPTAPE_UNIFY_METRIC, self, words, (count + HEAD) * sizeof(*words));
}

void omptape_unify_add_group_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks)
{
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(callbacks, on_io_paradigm);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(callbacks, on_io_handle);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, on_metric_class);
}
