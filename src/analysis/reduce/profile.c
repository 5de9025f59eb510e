/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes and reads the file with a profile's sums (profile.h). The file is not trusted.
 */
#include "src/analysis/reduce/profile.h"

#include "src/analysis/reduce/pyramid_bytes.h"
#include "src/analysis/state.h"
#include "src/archive/read/local.h"
#include "src/core/message.h"

#include <errno.h>
#include <omptape/locations.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[] = "omptsums";
enum { MAGIC_BYTES = sizeof(MAGIC) - 1, HASH_BYTES = 8 };

/* Replaces the identity of the archive: the file lies in its archive. */
static const uint64_t identity = UINT64_C(0x73756d73);

int omptape_sums_write(struct omptape_bytes *bytes, const struct analysis_state *pass,
                       const struct omptape_pyramid *pyramid)
{
    struct omptape_partial partial;
    *bytes = (struct omptape_bytes){.list = NULL};
    int status = omptape_partial_write(&partial, pass, identity);
    if (status == 0) {
        omptape_bytes_put_raw(bytes, MAGIC, MAGIC_BYTES);
        omptape_bytes_put(bytes, partial.count);
        omptape_bytes_put_raw(bytes, partial.bytes, partial.count);
        omptape_pyramid_put(bytes, pyramid);
        uint64_t hash = bytes->failed ? 0 : omptape_hash_key(bytes->list, bytes->count);
        omptape_bytes_put_raw(bytes, &hash, HASH_BYTES);
        status = bytes->failed ? -ENOMEM : 0;
    }
    free(partial.bytes);
    return status;
}

/* Finds the location whose .sums file belongs to the process. Returns false if no location can have one. */
static bool find_location(const struct analysis_planned *process, uint64_t *location)
{
    for (uint32_t i = 0; i < process->location_count; i++) {
        *location = process->locations[i];
        if (omptape_location_index(*location) == 0)
            return true;
    }
    return false;
}

bool omptape_sums_exist(const struct analysis_planned *process, const struct omptape_reader *reader)
{
    uint64_t location;
    return find_location(process, &location) &&
           omptape_reader_has_location_file(reader, location, OMPTAPE_SUMS_ENDING);
}

bool omptape_sums_are_expected(const struct analysis_planned *process, struct omptape_reader *reader)
{
    return process->events == 0 && omptape_reader_number_of(reader, -1, OMPTAPE_KEY_PROFILE) > 0;
}

bool omptape_sums_anywhere(const struct omptape_reader *reader)
{
    OMPTAPE_EACH_DEFINITION(location, reader, OMPTAPE_DEF_LOCATION)
        if (omptape_location_index(location->id) == 0 &&
            omptape_reader_has_location_file(reader, location->id, OMPTAPE_SUMS_ENDING))
            return true;
    return false;
}

/* Maps ids of the file to ids of the archive. */
struct sums_map {
    const struct analysis_planned *process;
    const struct omptape_reader *reader;
    const struct omptape_local *local;
    uint32_t number; /* number of the process in the ids of its locations */
};

/* Maps a location group: the file uses 0 for the process and 1, 2, ... for its devices as defined. */
static bool map_group(const struct sums_map *map, uint64_t *id)
{
    const struct omptape_reader *reader = map->reader;
    uint64_t left = *id;
    if (left == 0) {
        *id = map->process->group->id;
        return true;
    }
    OMPTAPE_EACH_DEFINITION(group, reader, OMPTAPE_DEF_LOCATION_GROUP) {
        if (group->value[0] == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR &&
            omptape_reader_process_number(reader, group->id) == map->process->number && --left == 0) {
            *id = group->id;
            return true;
        }
    }
    return false;
}

static bool map_id(const void *data, enum omptape_definition_kind kind, uint64_t *id)
{
    const struct sums_map *map = data;
    switch (kind) {
    case OMPTAPE_DEF_LOCATION:
        *id = omptape_location_id(omptape_location_index(*id), map->number);
        break;
    case OMPTAPE_DEF_LOCATION_GROUP:
        return map_group(map, id);
    case OMPTAPE_DEF_REGION:
        omptape_local_id(map->local, OTF2_MAPPING_REGION, id);
        break;
    case OMPTAPE_DEF_CALLING_CONTEXT:
        omptape_local_id(map->local, OTF2_MAPPING_CALLING_CONTEXT, id);
        break;
    case OMPTAPE_DEF_STRING:
        omptape_local_id(map->local, OTF2_MAPPING_STRING, id);
        return true;
    default:
        break;
    }
    return omptape_reader_find(map->reader, kind, *id) != NULL;
}

static uint64_t map_time(const void *data, uint64_t time)
{
    return omptape_local_time(((const struct sums_map *)data)->local, time);
}

static uint64_t map_ticks(const void *data, uint64_t ticks)
{
    return omptape_local_ticks(((const struct sums_map *)data)->local, ticks);
}

/* Splits the file into its two parts. Returns 0 or -EBADMSG. */
static int open_bytes(const unsigned char *bytes, size_t count, struct omptape_bytes_rest *partial,
                      struct omptape_bytes_rest *pyramid)
{
    uint64_t hash = 0;
    if (count < MAGIC_BYTES + HASH_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
        return -EBADMSG;
    const unsigned char *end = bytes + count - HASH_BYTES;
    memcpy(&hash, end, HASH_BYTES);
    if (hash != omptape_hash_key(bytes, count - HASH_BYTES))
        return -EBADMSG;
    struct omptape_bytes_rest rest = {.at = bytes + MAGIC_BYTES, .end = end};
    uint64_t size = omptape_bytes_take(&rest);
    if (rest.bad || size > (uint64_t)(end - rest.at))
        return -EBADMSG;
    *partial = (struct omptape_bytes_rest){.at = rest.at, .end = rest.at + size};
    *pyramid = (struct omptape_bytes_rest){.at = rest.at + size, .end = end};
    return 0;
}

/* Adds the file's sums or its pyramid; the other argument is NULL. */
static int add_bytes(struct analysis_state *sums, struct omptape_pyramid *pyramid, const struct sums_map *map,
                     const unsigned char *bytes, size_t count)
{
    const struct omptape_partial_map translation = {
        .data = map, .id = map_id, .time = map_time, .ticks = map_ticks};
    struct omptape_bytes_rest partial;
    struct omptape_bytes_rest rest;
    int status = open_bytes(bytes, count, &partial, &rest);
    if (status == 0 && sums != NULL)
        status =
            omptape_partial_add(sums, partial.at, (size_t)(partial.end - partial.at), identity, &translation);
    if (status == 0 && pyramid != NULL && !omptape_pyramid_take(pyramid, &rest, &translation))
        status = omptape_out_of_memory ? -ENOMEM : -EBADMSG;
    return status;
}

static void explain(int status, uint64_t location, char *error, size_t error_bytes)
{
    const char *why = status == -ENOENT    ? "are missing"
                      : status == -ESTALE  ? "are of another version of omptape"
                      : status == -EBADMSG ? "are damaged"
                      : status == -EEXIST  ? "are there twice"
                                           : omptape_cause(status);
    if (status == -ENOMEM)
        snprintf(error, error_bytes, "out of memory");
    else
        snprintf(error, error_bytes, "the profile's sums, traces/%llu" OMPTAPE_SUMS_ENDING ", %s",
                 (unsigned long long)location, why);
}

int omptape_sums_add(struct analysis_state *sums, struct omptape_pyramid *pyramid,
                     const struct analysis_planned *process, struct omptape_reader *reader, char *error,
                     size_t error_bytes)
{
    uint64_t location = 0;
    unsigned char *bytes = NULL;
    size_t count = 0;
    (void)find_location(process, &location);
    struct sums_map map = {
        .process = process, .reader = reader, .number = omptape_location_process(location)};
    int status = omptape_sums_exist(process, reader) ? 0 : -ENOENT;
    if (status != 0) {
        explain(status, location, error, error_bytes);
        return status;
    }
    status = omptape_reader_read_local(reader, location, &map.local, error, error_bytes);
    if (status == 0)
        status = omptape_reader_read_location_file(reader, location, OMPTAPE_SUMS_ENDING, &bytes, &count,
                                                   error, error_bytes);
    if (status == 0) {
        status = add_bytes(sums, pyramid, &map, bytes, count);
        if (status != 0)
            explain(status, location, error, error_bytes);
    }
    free(bytes);
    return status;
}
