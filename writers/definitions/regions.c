/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the definitions of regions say: their names and places. Called by the writer's translating thread, at
 * the end or in a checkpoint's child; the name and the place of one region also while the trace streams
 * (choice.c).
 */
#include "writers/definitions/regions.h"

#include "writers/devices/definitions.h"
#include "writers/model/model.h"
#include "writers/regions/callees.h"
#include "writers/regions/choice.h"
#include "writers/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static OTF2_StringRef string(struct omptape_writer *writer, const char *text)
{
    return omptape_definitions_string(&writer->definitions, text);
}

static bool is_fortran(const char *file)
{
    static const char *const endings[] = {".f",   ".F",   ".for", ".FOR", ".f77", ".F77", ".f90", ".F90",
                                          ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f18", ".F18"};
    const char *dot = file != NULL ? strrchr(file, '.') : NULL;
    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/* "solver.c:42", else "function+0x1c", else "libfoo.so+0x1234", else the bare address. */
static void describe_site(const struct omptape_source *source, uint64_t site, char *text, size_t bytes)
{
    if (source->file != NULL && source->line != 0)
        snprintf(text, bytes, "%s:%u", omptape_definitions_base_name(source->file), source->line);
    else if (source->symbol != NULL)
        snprintf(text, bytes, "%s+0x%llx", source->symbol, (unsigned long long)source->function_offset);
    else if (source->module != NULL)
        snprintf(text, bytes, "%s+0x%llx", omptape_definitions_base_name(source->module),
                 (unsigned long long)source->module_offset);
    else
        snprintf(text, bytes, "0x%llx", (unsigned long long)site);
}

void omptape_definitions_resolve(struct omptape_writer *writer, const struct omptape_region *region,
                                 struct omptape_source *source)
{
    struct omptape_site where = omptape_sites_look_up(&writer->sites, region->site);
    const struct omptape_source *known =
        omptape_sources_get(&writer->sources, (uint32_t)(region - writer->regions.list));
    *source = known != NULL ? *known : (struct omptape_source){.file = NULL};
    if (known != NULL || omptape_region_is_named(region))
        return;
    if (region->site == 0)
        return;
    struct omptape_site around = omptape_sites_look_up(&writer->sites, where.parent);
    omptape_symbols_choose_code(writer->symbols, where.code != 0 ? where.code : around.code);
    omptape_symbols_resolve_call(writer->symbols, where.address, around.address,
                                 omptape_callees(region->kind), source);
}

void omptape_definitions_name(const struct omptape_writer *writer, const struct omptape_region *region,
                              const struct omptape_source *source, char *text, size_t bytes)
{
    const struct omptape_region_kind_info *info = omptape_region_kind_info(region->kind);
    char site[1024];

    if (omptape_region_is_named(region)) {
        omptape_device_name_region(writer, region, text, bytes);
        return;
    }
    describe_site(source, omptape_sites_look_up(&writer->sites, region->site).address, site, sizeof(site));
    const char *construct = info->fortran != NULL && is_fortran(source->file) ? info->fortran : info->name;
    snprintf(text, bytes, "%s%s%s%s", info->directive ? "!$omp " : "", construct,
             region->site != 0 ? " @" : "", region->site != 0 ? site : "");
}

static void describe_region(struct omptape_writer *writer, const struct omptape_region *region,
                            struct omptape_region_text *text)
{
    struct omptape_source source;
    char name[1200];

    omptape_definitions_resolve(writer, region, &source);
    omptape_definitions_name(writer, region, &source, name, sizeof(name));
    text->name = string(writer, name);
    text->function = string(writer, source.function);
    text->file = string(writer, source.file != NULL ? source.file : source.module);
    text->line = source.line;
    if (omptape_region_is_named(region))
        text->symbol = (OTF2_StringRef)(region->site & ~OMPTAPE_SITE_NAMED);
}

static bool is_same_region(const struct omptape_writer *writer, const struct omptape_region_text *texts,
                           uint32_t a, uint32_t b)
{
    return texts[a].name == texts[b].name && texts[a].function == texts[b].function &&
           texts[a].file == texts[b].file && texts[a].line == texts[b].line &&
           omptape_region_kind_info(writer->regions.list[a].kind)->role ==
               omptape_region_kind_info(writer->regions.list[b].kind)->role;
}

/* The first region that reads the same as region `i`, in `known`: there they have the next keys that are free
 * after that of their texts. */
static uint32_t find_same(const struct omptape_writer *writer, const struct omptape_region_text *texts,
                          struct omptape_idmap *known, uint32_t i)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = ((texts[i].name * factor + texts[i].file) * factor + texts[i].function) * factor;
    for (uint64_t key = hash + texts[i].line;; key++) {
        key += key == 0;
        uint32_t other = (uint32_t)(uintptr_t)omptape_idmap_get(known, key);
        if (other == 0) {
            omptape_idmap_put(known, key, (void *)(uintptr_t)(i + 1));
            return i;
        }
        if (is_same_region(writer, texts, other - 1, i))
            return other - 1;
    }
}

uint32_t omptape_definitions_describe_regions(struct omptape_writer *writer,
                                              struct omptape_region_text *texts)
{
    struct omptape_idmap known = {.count = 0};
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < writer->regions.count; i++) {
        /* Nothing in the archive refers to what was hidden. */
        texts[i].merged = writer->choice != NULL && !omptape_choice_uses(writer, i);
        if (texts[i].merged)
            continue;
        describe_region(writer, &writer->regions.list[i], &texts[i]);
        uint32_t same = find_same(writer, texts, &known, i);
        texts[i].merged = same != i;
        texts[i].final_ref = texts[i].merged ? texts[same].final_ref : distinct++;
    }
    omptape_idmap_free(&known);
    return distinct;
}

void omptape_definitions_write_regions(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                       const struct omptape_region_text *texts)
{
    for (uint32_t i = 0; i < writer->regions.count; i++) {
        const struct omptape_region_text *text = &texts[i];
        if (text->merged)
            continue;
        const struct omptape_region *region = &writer->regions.list[i];
        OTF2_RegionRole role = omptape_region_kind_info(region->kind)->role;
        OTF2_Paradigm paradigm = omptape_device_paradigm(writer, region);
        omptape_archive_check(&writer->archive,
                              OTF2_GlobalDefWriter_WriteRegion(
                                  out, text->final_ref, text->name,
                                  text->symbol != 0 ? text->symbol : text->name, text->function, role,
                                  paradigm, OTF2_REGION_FLAG_NONE, text->file, text->line, text->line),
                              "Region");
    }
}

OTF2_IdMap *omptape_definitions_region_map(const struct omptape_writer *writer,
                                           const struct omptape_region_text *texts)
{
    OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, writer->regions.count);
    for (uint32_t i = 0; map != NULL && i < writer->regions.count; i++)
        OTF2_IdMap_AddIdPair(map, i, texts[i].final_ref);
    return map;
}
