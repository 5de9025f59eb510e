/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts of the regions' definitions: names and source positions.
 */
#include "writers/definitions/regions.h"

#include "src/core/array.h"
#include "src/core/words.h"
#include "writers/devices/definitions.h"
#include "writers/regions/kinds.h"
#include "writers/regions/names.h"
#include "writers/regions/references.h"
#include "writers/regions/region_filter.h"

#include <stdlib.h>

static void describe_region(struct omptape_writer *writer, const struct omptape_region *region,
                            struct omptape_region_text *text)
{
    struct omptape_source source;
    char name[1200];
    omptape_names_resolve(writer, region, &source);
    omptape_names_write(writer, region, &source, name, sizeof(name));
    text->name = omptape_archive_string(&writer->strings, name);
    text->function = omptape_archive_string(&writer->strings, source.function);
    text->file = omptape_archive_string(&writer->strings, source.file != NULL ? source.file : source.module);
    text->line = source.line;
    if (omptape_region_is_named(region))
        text->symbol = (OTF2_StringRef)(region->site & ~OMPTAPE_SITE_NAMED);
}

static bool is_same_region(const struct omptape_writer *writer, const struct omptape_region_text *texts,
                           uint32_t a, uint32_t b)
{
    return texts[a].name == texts[b].name && texts[a].function == texts[b].function &&
           texts[a].file == texts[b].file && texts[a].line == texts[b].line &&
           omptape_region_role(&writer->references->list[a]) ==
               omptape_region_role(&writer->references->list[b]);
}

/* Returns the first region with the same definition as region `i`, found by a hash of its texts. */
static uint32_t find_same(const struct omptape_writer *writer, struct omptape_region_texts *texts, uint32_t i)
{
    const struct omptape_region_text *text = &texts->list[i];
    const uint64_t words[] = {text->name, text->file, text->function, text->line};
    uint64_t key = omptape_hash_key(words, sizeof(words));
    const struct omptape_hash_entry *entry = NULL;
    while ((entry = omptape_hash_next(&texts->known, key, entry)) != NULL)
        if (is_same_region(writer, texts->list, (uint32_t)entry->number, i))
            return (uint32_t)entry->number;
    (void)omptape_hash_join(&texts->known, key, i);
    return i;
}

bool omptape_definitions_describe_regions(struct omptape_writer *writer, struct omptape_region_texts *texts)
{
    uint32_t count = writer->references->count;
    if (!OMPTAPE_RESERVE(texts->list, count, &texts->capacity))
        return false;
    for (uint32_t i = texts->count; i < count; i++) {
        struct omptape_region_text *text = &texts->list[i];
        *text = (struct omptape_region_text){.line = 0};
        /* Omits hidden regions, because nothing in the archive refers to them. This may change while it is
         * written. */
        text->merged =
            writer->region_texts == NULL && writer->filter != NULL && !omptape_region_filter_uses(writer, i);
        if (text->merged)
            continue;
        describe_region(writer, &writer->references->list[i], text);
        uint32_t same = find_same(writer, texts, i);
        text->first = same;
        text->merged = same != i;
        text->final_ref = text->merged ? texts->list[same].final_ref : texts->distinct++;
    }
    texts->count = count;
    return true;
}

void omptape_definitions_forget_regions(struct omptape_region_texts *texts)
{
    free(texts->list);
    omptape_hash_free(&texts->known);
    *texts = (struct omptape_region_texts){.list = NULL};
}

OTF2_Paradigm omptape_definitions_region_paradigm(const struct omptape_writer *writer,
                                                  const struct omptape_region *region)
{
    if (region->kind == OMPTAPE_REGION_MPI || region->kind == OMPTAPE_REGION_MPI_CALL)
        return OTF2_PARADIGM_MPI;
    return region->kind == OMPTAPE_REGION_PROGRAM || region->kind == OMPTAPE_REGION_USER
               ? OTF2_PARADIGM_USER
               : omptape_device_paradigm(writer, region);
}

/* Writes the region of ProgramBegin as Score-P defines it. Readers look for its names. */
static void write_program(struct omptape_writer *writer, OTF2_RegionRef ref)
{
    const char *path = omptape_archive_text(&writer->strings, writer->program);
    OTF2_StringRef none = omptape_archive_string(&writer->strings, "");
    OTF2_StringRef name = omptape_archive_string(&writer->strings, omptape_base_name(path));
    OMPTAPE_DEFINE(&writer->archive, Region, ref, name, writer->command, none, OTF2_REGION_ROLE_ARTIFICIAL,
                   OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
}

void omptape_definitions_write_regions(struct omptape_writer *writer,
                                       const struct omptape_region_texts *texts)
{
    for (uint32_t i = 0; i < texts->count; i++) {
        const struct omptape_region_text *text = &texts->list[i];
        if (text->merged)
            continue;
        const struct omptape_region *region = &writer->references->list[i];
        OTF2_RegionRole role = omptape_region_role(region);
        OTF2_Paradigm paradigm = omptape_definitions_region_paradigm(writer, region);
        OMPTAPE_DEFINE(&writer->archive, Region, text->final_ref, text->name,
                       text->symbol != 0 ? text->symbol : text->name, text->function, role, paradigm,
                       OTF2_REGION_FLAG_NONE, text->file, text->line, text->line);
    }
    write_program(writer, texts->distinct);
}

/* Collects the regions, from `from` on, of the same group as region `from`. Returns their number. */
static uint32_t take_group(const struct omptape_writer *writer, const struct omptape_region_texts *texts,
                           uint32_t from, bool *taken, uint64_t *members)
{
    const struct omptape_region *list = writer->references->list;
    uint32_t count = 0;
    for (uint32_t i = from; i < texts->count; i++) {
        if (list[i].group != list[from].group)
            continue;
        taken[i] = true;
        if (!texts->list[i].merged)
            members[count++] = texts->list[i].final_ref;
    }
    return count;
}

void omptape_definitions_write_region_groups(struct omptape_writer *writer,
                                             const struct omptape_region_texts *texts, OTF2_GroupRef first)
{
    uint64_t *members = calloc((size_t)texts->count + 1, sizeof(*members));
    bool *taken = calloc((size_t)texts->count + 1, sizeof(*taken));
    if (members == NULL || taken == NULL)
        omptape_archive_check(&writer->archive, OTF2_ERROR_MEM_ALLOC_FAILED, "Group");
    for (uint32_t i = 0; i < texts->count && members != NULL && taken != NULL; i++) {
        const uint32_t group = writer->references->list[i].group;
        const uint32_t count = group != 0 && !taken[i] ? take_group(writer, texts, i, taken, members) : 0;
        if (count > 0)
            OMPTAPE_DEFINE(&writer->archive, Group, first++, group, OTF2_GROUP_TYPE_REGIONS,
                           OTF2_PARADIGM_USER, OTF2_GROUP_FLAG_NONE, count, members);
    }
    free(members);
    free(taken);
}

OTF2_IdMap *omptape_definitions_region_map(const struct omptape_region_texts *texts)
{
    OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, texts->count);
    for (uint32_t i = 0; map != NULL && i < texts->count; i++)
        OTF2_IdMap_AddIdPair(map, i, texts->list[i].final_ref);
    return map;
}
