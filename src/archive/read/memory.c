/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements a reader whose definitions come from memory (memory.h).
 */
#include "src/archive/read/memory.h"

#include "src/archive/read/internal.h"

#include <stdlib.h>

struct omptape_reader *omptape_reader_of_memory(uint64_t clock_resolution)
{
    struct omptape_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL)
        return NULL;
    reader->folder = -1;
    reader->events_folder = -1;
    reader->files = -1;
    reader->clock_resolution = clock_resolution;
    omptape_reader_index_begin(reader);
    return reader;
}

/* Does not call omptape_reader_close, which would reset libotf2's error callback: it belongs to others
 * here. */
void omptape_reader_free_memory(struct omptape_reader *reader)
{
    if (reader == NULL)
        return;
    omptape_reader_index_free(reader);
    omptape_pairs_free(&reader->table);
    omptape_arena_free(&reader->arena);
    free(reader->definitions);
    free(reader);
}

struct omptape_definition *omptape_reader_define(struct omptape_reader *reader,
                                                 const struct omptape_definition *head,
                                                 const struct omptape_reference *refs, uint32_t ref_count)
{
    struct omptape_definition copy = *head;
    if (copy.text != NULL)
        copy.text = omptape_reader_copy_text(reader, head->text);
    if (copy.members != NULL)
        copy.members = omptape_reader_copy_ids(reader, head->members, head->member_count);
    if (omptape_reader_add(reader, &copy, refs, ref_count) != OTF2_CALLBACK_SUCCESS)
        return NULL;
    struct omptape_definition *definition = reader->definitions[reader->definition_count - 1];
    reader->no_memory = !omptape_reader_index(reader, definition);
    return reader->no_memory ? NULL : definition;
}

/* Adds a property without a location group. The ids of its texts are above those of all archives. */
bool omptape_reader_set_property(struct omptape_reader *reader, const char *name, const char *value)
{
    const uint64_t first = (UINT64_C(1) << 40) + reader->definition_count;
    const struct omptape_definition key = {.kind = OMPTAPE_DEF_STRING, .id = first, .text = name};
    const struct omptape_definition text = {.kind = OMPTAPE_DEF_STRING, .id = first + 1, .text = value};
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_PROPERTY,
                                            .value = {OTF2_TYPE_STRING, first + 1}};
    const struct omptape_reference refs[] = {
        omptape_reader_refer(OMPTAPE_DEF_LOCATION_GROUP, OTF2_UNDEFINED_LOCATION_GROUP),
        omptape_reader_refer(OMPTAPE_DEF_STRING, first)};
    return omptape_reader_define(reader, &key, NULL, 0) != NULL &&
           omptape_reader_define(reader, &text, NULL, 0) != NULL &&
           omptape_reader_define(reader, &head, refs, 2) != NULL;
}

bool omptape_reader_set_comm_locations(struct omptape_reader *reader, uint64_t group, uint64_t paradigm,
                                       const uint64_t *locations, uint32_t count)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_GROUP,
                                            .member_kind = OMPTAPE_DEF_LOCATION,
                                            .id = group,
                                            .value = {OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm}};
    const struct omptape_reference name = omptape_reader_refer(OMPTAPE_DEF_STRING, OTF2_UNDEFINED_STRING);
    struct omptape_definition *definition = omptape_pairs_get(&reader->location_lists, 0, paradigm);
    if (definition == NULL) {
        definition = omptape_reader_define(reader, &head, &name, 1);
        if (definition == NULL)
            return false;
    }
    definition->members = locations;
    definition->member_count = count;
    return true;
}
