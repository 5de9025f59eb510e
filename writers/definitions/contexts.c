/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the tree of return addresses to calling contexts: several addresses of one line become one, a frame
 * becomes as many contexts as functions are inlined there, and a worker's path goes on with its team's.
 */
#include "writers/definitions/contexts.h"

#include "src/core/words.h"
#include "writers/regions/contexts.h"
#include "writers/regions/references.h"
#include "writers/regions/sites.h"
#include "writers/translate/samples.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A context that is being resolved. */
static const uint32_t busy = UINT32_MAX - 1;

struct describing {
    struct omptape_writer *writer;
    const struct omptape_region_texts *regions;
    struct omptape_context_texts *texts;
    uint32_t *first;             /* by frame: its first source */
    struct omptape_hash callers; /* return address -> contexts that end with it */
};

struct context_row {
    uint64_t parent; /* + 1; 0: none */
    uint64_t region;
    uint64_t place;
};

static const struct context_row *row_at(const struct omptape_context_texts *texts, uint32_t ref)
{
    return texts->contexts.list[ref].data;
}

static uint32_t put_context(struct describing *describing, uint32_t parent, uint64_t region, uint64_t file,
                            uint64_t line)
{
    const uint64_t place[] = {file, line};
    const struct context_row row = {
        .parent = parent != UINT32_MAX ? (uint64_t)parent + 1 : 0,
        .region = region,
        .place = omptape_rows_number(&describing->texts->places, place, sizeof(place))};
    return omptape_rows_number(&describing->texts->contexts, &row, sizeof(row));
}

static uint64_t string_of(const struct describing *describing, const char *text)
{
    return omptape_archive_string(&describing->writer->strings, text);
}

/* The region of a function, behind the constructs' and the program's. */
static uint64_t put_function(const struct describing *describing, const char *name, uint64_t file,
                             const char *module)
{
    const uint64_t words[] = {string_of(describing, name), file,
                              module != NULL ? string_of(describing, module) : OTF2_UNDEFINED_STRING};
    return describing->regions->distinct + 1 +
           omptape_rows_number(&describing->texts->functions, words, sizeof(words));
}

/* What a frame without a name is shown as. */
static const char *name_of(const struct omptape_source *source, char *text, size_t bytes)
{
    if (source->function != NULL)
        return source->function;
    snprintf(text, bytes, "[%s]", source->module != NULL ? omptape_base_name(source->module) : "unknown");
    return text;
}

/* The functions of a frame. One that was reached through the runtime by its own function is a construct's
 * body: it takes the place of that. */
static uint32_t put_frame(struct describing *describing, uint32_t parent, uint64_t key)
{
    const struct omptape_contexts *contexts = describing->writer->contexts;
    const uint32_t frame = (uint32_t)key;
    bool same = (key & OMPTAPE_CONTEXT_THROUGH) != 0;
    if (frame >= contexts->resolved) {
        const uint64_t none = string_of(describing, "");
        return put_context(describing, parent, put_function(describing, "[unknown]", none, NULL), none, 0);
    }
    for (uint32_t i = describing->first[frame];; i++) {
        const struct omptape_source *source = &contexts->sources.list[i];
        char text[256];
        const char *where = source->file != NULL ? source->file : source->module;
        const uint64_t file = string_of(describing, where);
        const uint64_t region =
            put_function(describing, name_of(source, text, sizeof(text)), file, source->module);
        if (same && parent != UINT32_MAX && row_at(describing->texts, parent)->region == region)
            parent = (uint32_t)row_at(describing->texts, parent)->parent - 1;
        parent = put_context(describing, parent, region, file, source->line);
        same = true;
        if (!source->more)
            return parent;
    }
}

static uint32_t resolve(struct describing *describing, uint32_t ref);

/* The one context in which the region's call was ever seen, of whatever thread; UINT32_MAX: it was not seen,
 * or in several. */
static uint32_t find_encounter(struct describing *describing, OTF2_RegionRef region)
{
    const struct omptape_writer *writer = describing->writer;
    const uint64_t address =
        omptape_sites_look_up(writer->sites, writer->references->list[region].site).address;
    const struct omptape_hash_entry *first =
        address != 0 ? omptape_hash_next(&describing->callers, address, NULL) : NULL;
    if (first == NULL)
        return UINT32_MAX;
    const uint32_t context = resolve(describing, (uint32_t)first->number);
    for (const struct omptape_hash_entry *other = first;
         context < busy && (other = omptape_hash_next(&describing->callers, address, other)) != NULL;)
        if (resolve(describing, (uint32_t)other->number) != context)
            return UINT32_MAX;
    return context;
}

static uint32_t put_special(struct describing *describing, uint32_t parent, uint64_t key)
{
    static const char *const names[] = {[OMPTAPE_CONTEXT_RUNTIME] = OMPTAPE_FRAME_RUNTIME,
                                        [OMPTAPE_CONTEXT_BLOCKED] = OMPTAPE_FRAME_BLOCKED,
                                        [OMPTAPE_CONTEXT_STOPPED] = OMPTAPE_FRAME_STOPPED,
                                        [OMPTAPE_CONTEXT_SPINNING] = OMPTAPE_FRAME_SPINNING,
                                        [OMPTAPE_CONTEXT_CUT] = "[stack cut]",
                                        [OMPTAPE_CONTEXT_WORKER] = "[OpenMP worker]"};
    const unsigned special = (unsigned)(key >> 32 & INT16_MAX);
    const uint64_t none = string_of(describing, "");
    const uint32_t region = (uint32_t)key;
    if (special != OMPTAPE_CONTEXT_TEAM)
        return put_context(describing, parent, put_function(describing, names[special], none, NULL), none, 0);
    const uint32_t encounter = find_encounter(describing, region);
    if (encounter < busy)
        return encounter;
    const struct omptape_region_text *text = &describing->regions->list[region];
    return put_context(describing, UINT32_MAX, text->final_ref, text->file, text->line);
}

/* The definition of a context; `busy` for one that leads back to itself. */
static uint32_t resolve(struct describing *describing, uint32_t ref)
{
    const struct omptape_context *context = omptape_contexts_get(describing->writer->contexts, ref);
    uint32_t *final = &describing->texts->final[ref];
    if (*final != UINT32_MAX)
        return *final;
    *final = busy;
    uint32_t parent = context->parent != 0 ? resolve(describing, (uint32_t)context->parent - 1) : UINT32_MAX;
    if (parent == busy)
        parent = UINT32_MAX;
    *final = (context->key & OMPTAPE_CONTEXT_SPECIAL) != 0 ? put_special(describing, parent, context->key)
                                                           : put_frame(describing, parent, context->key);
    return *final;
}

/* Where each frame's sources begin, and which contexts end with each address. */
static bool prepare(struct describing *describing)
{
    const struct omptape_contexts *contexts = describing->writer->contexts;
    uint32_t frame = 0;
    describing->first = calloc((size_t)contexts->resolved + 1, sizeof(*describing->first));
    describing->texts->final = calloc((size_t)contexts->tree.count + 1, sizeof(uint32_t));
    if (describing->first == NULL || describing->texts->final == NULL)
        return false;
    for (uint32_t i = 0; i < contexts->sources.known && frame < contexts->resolved; i++)
        if (!contexts->sources.list[i].more)
            describing->first[++frame] = i + 1;
    for (uint32_t i = 0; i < contexts->tree.count; i++) {
        const uint64_t key = omptape_contexts_get(contexts, i)->key;
        describing->texts->final[i] = UINT32_MAX;
        if ((key & OMPTAPE_CONTEXT_SPECIAL) != 0)
            continue;
        const struct omptape_code_address *address = contexts->frames.list[(uint32_t)key].data;
        (void)omptape_hash_join(&describing->callers, address->address, i);
    }
    return true;
}

static void resolve_used(struct describing *describing, const struct omptape_samples *samples)
{
    for (uint32_t i = 0; i / 8 < samples->used_bytes; i++)
        if (omptape_samples_uses(samples, i))
            (void)resolve(describing, i);
}

bool omptape_definitions_describe_contexts(struct omptape_writer *writer,
                                           const struct omptape_region_texts *regions,
                                           struct omptape_context_texts *texts)
{
    struct describing describing = {.writer = writer, .regions = regions, .texts = texts};
    if (writer->contexts->tree.count == 0)
        return true;
    omptape_contexts_resolve(writer, -1);
    bool good = prepare(&describing);
    for (uint32_t i = 0; i < writer->location_count && good; i++)
        resolve_used(&describing, &writer->locations[i]->samples);
    good = good && !texts->functions.failed && !texts->places.failed && !texts->contexts.failed;
    free(describing.first);
    omptape_hash_free(&describing.callers);
    return good;
}

void omptape_definitions_forget_contexts(struct omptape_context_texts *texts)
{
    omptape_rows_free(&texts->functions);
    omptape_rows_free(&texts->places);
    omptape_rows_free(&texts->contexts);
    free(texts->final);
    *texts = (struct omptape_context_texts){.final = NULL};
}

static void write_functions(struct omptape_writer *writer, OTF2_GlobalDefWriter *out, OTF2_RegionRef first,
                            const struct omptape_rows *functions)
{
    for (uint32_t i = 0; i < functions->count; i++) {
        const uint64_t *words = functions->list[i].data;
        omptape_archive_check(&writer->archive,
                              OTF2_GlobalDefWriter_WriteRegion(
                                  out, first + i, (OTF2_StringRef)words[0], (OTF2_StringRef)words[0],
                                  (OTF2_StringRef)words[2], OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING,
                                  OTF2_REGION_FLAG_NONE, (OTF2_StringRef)words[1], 0, 0),
                              "Region");
    }
}

void omptape_definitions_write_contexts(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                        const struct omptape_region_texts *regions,
                                        const struct omptape_context_texts *texts)
{
    if (texts->contexts.count == 0)
        return;
    write_functions(writer, out, regions->distinct + 1, &texts->functions);
    for (uint32_t i = 0; i < texts->places.count; i++) {
        const uint64_t *words = texts->places.list[i].data;
        OTF2_GlobalDefWriter_WriteSourceCodeLocation(out, i, (OTF2_StringRef)words[0], (uint32_t)words[1]);
    }
    for (uint32_t i = 0; i < texts->contexts.count; i++) {
        const struct context_row *row = row_at(texts, i);
        omptape_archive_check(&writer->archive,
                              OTF2_GlobalDefWriter_WriteCallingContext(
                                  out, i, (OTF2_RegionRef)row->region, (OTF2_SourceCodeLocationRef)row->place,
                                  row->parent != 0 ? (OTF2_CallingContextRef)(row->parent - 1)
                                                   : OTF2_UNDEFINED_CALLING_CONTEXT),
                              "CallingContext");
    }
    OTF2_GlobalDefWriter_WriteInterruptGenerator(
        out, OMPTAPE_INTERRUPT_GENERATOR, omptape_archive_string(&writer->strings, "processor time"),
        OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, writer->settings->sample_ns);
}

OTF2_IdMap *omptape_definitions_context_map(const struct omptape_context_texts *texts,
                                            const struct omptape_location *location)
{
    uint64_t count = 0;
    OTF2_IdMap *map = NULL;
    for (int write = 0; write <= 1; write++) {
        map = write != 0 && count > 0 ? OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, count) : NULL;
        for (uint32_t i = 0; i / 8 < location->samples.used_bytes; i++) {
            if (!omptape_samples_uses(&location->samples, i) || texts->final[i] == i)
                continue;
            count++;
            if (map != NULL)
                OTF2_IdMap_AddIdPair(map, i, texts->final[i]);
        }
    }
    return map;
}
