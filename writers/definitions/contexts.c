/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts the tree of return addresses to OTF2 calling contexts. Addresses of the same line become one
 * context. A frame becomes one context for each function inlined there. A worker's path continues its team's.
 */
#include "writers/definitions/regions.h"

#include "src/core/words.h"
#include "writers/regions/contexts.h"
#include "writers/regions/references.h"
#include "writers/regions/sites.h"
#include "writers/translate/samples.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Value of `final` for a context that is being resolved. */
static const uint32_t busy = UINT32_MAX - 1;

/* Most sampled paths that a search compares. */
enum { MAX_PATHS = 64 };
/* Deepest nesting of searches, because one search may need another. */
enum { MAX_SEARCHES = 3 };
/* Most outer frames of a path that are compared. */
enum { MAX_DEPTH = 256 };

struct describing {
    struct omptape_writer *writer;
    const struct omptape_region_texts *regions;
    struct omptape_context_texts *texts;
    uint32_t *first;               /* Index of the first source of each frame. */
    struct omptape_hash callers;   /* Maps a return address to the contexts that end with it. */
    uint32_t searches;             /* Number of nested searches in progress. */
    struct omptape_hash functions; /* Maps the region of a function to the contexts of its frames. */
};

struct context_row {
    uint64_t parent; /* Parent + 1; 0: none. */
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

/* Returns the region of a function. Its number follows those of the constructs and the program. */
static uint64_t put_function(const struct describing *describing, const char *name, uint64_t file,
                             const char *module)
{
    const uint64_t words[] = {string_of(describing, name), file,
                              module != NULL ? string_of(describing, module) : OTF2_UNDEFINED_STRING};
    return describing->regions->distinct + 1 +
           omptape_rows_number(&describing->texts->functions, words, sizeof(words));
}

/* Returns the function's name, or a name for a frame without one. */
static const char *name_of(const struct omptape_source *source, char *text, size_t bytes)
{
    if (source->function != NULL)
        return source->function;
    snprintf(text, bytes, "[%s]", source->module != NULL ? omptape_base_name(source->module) : "unknown");
    return text;
}

/* Returns the file of a frame's function, or its module. If the compiler emits no line there is no file
 * either. Then it is the one of the function of the same name into which this one, a construct's body, was
 * inlined. */
static const char *file_of(const struct omptape_source *source, const struct omptape_source *outer)
{
    const bool same = outer != NULL && source->function != NULL && outer->function != NULL &&
                      strcmp(source->function, outer->function) == 0;
    /* A resolved frame has a source. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    if (source->file == NULL && same && outer->file != NULL)
        return outer->file;
    return source->file != NULL ? source->file : source->module;
}

/* Adds the functions of a frame. If the runtime called the frame from its own function, the frame is a
 * construct's body and replaces that function's context. `called`: the frame's name, or NULL for its own. */
static uint32_t put_frame(struct describing *describing, uint32_t parent, uint64_t key, const char *called)
{
    const struct omptape_contexts *contexts = describing->writer->contexts;
    const uint32_t frame = (uint32_t)key;
    bool same = (key & OMPTAPE_CONTEXT_VIA_RUNTIME) != 0;
    if (frame >= contexts->resolved) {
        const uint64_t none = string_of(describing, "");
        return put_context(describing, parent, put_function(describing, "[unknown]", none, NULL), none, 0);
    }
    for (uint32_t i = describing->first[frame];; i++) {
        const struct omptape_source *source = &contexts->sources.list[i];
        char text[256];
        const struct omptape_source *outer = i > describing->first[frame] ? source - 1 : NULL;
        const uint64_t file = string_of(describing, file_of(source, outer));
        const char *name = called != NULL ? called : name_of(source, text, sizeof(text));
        const uint64_t region = put_function(describing, name, file, source->module);
        if (same && parent != UINT32_MAX && row_at(describing->texts, parent)->region == region)
            parent = (uint32_t)row_at(describing->texts, parent)->parent - 1;
        parent = put_context(describing, parent, region, file, source->line);
        same = true;
        if (!source->more)
            return parent;
    }
}

static uint32_t resolve(struct describing *describing, uint32_t ref);

/* Appends frames to another path, from the begin of their task or thread to this one, which gets `key`. */
static uint32_t graft(struct describing *describing, uint32_t base, uint32_t ref, uint64_t key)
{
    const struct omptape_context *context = omptape_contexts_get(describing->writer->contexts, ref);
    const bool first = (context->key & OMPTAPE_CONTEXT_VIA_RUNTIME) != 0 || context->parent == 0;
    if (!first) {
        const struct omptape_context *parent =
            omptape_contexts_get(describing->writer->contexts, (uint32_t)context->parent - 1);
        if ((parent->key & OMPTAPE_CONTEXT_SPECIAL) == 0)
            base = graft(describing, base, (uint32_t)context->parent - 1, parent->key);
    }
    return put_frame(describing, base, (uint32_t)key | (context->key & OMPTAPE_CONTEXT_VIA_RUNTIME),
                     (uint32_t)key == (uint32_t)context->key
                         ? omptape_contexts_called_name(describing->writer->contexts, context)
                         : NULL);
}

/* Returns the context in which the frame's task or thread executes; UINT32_MAX: it begins with the thread. */
static uint32_t base_of(struct describing *describing, uint32_t ref)
{
    const struct omptape_contexts *contexts = describing->writer->contexts;
    const struct omptape_context *context = omptape_contexts_get(contexts, ref);
    while (context->parent != 0) {
        const uint32_t parent = (uint32_t)context->parent - 1;
        if ((context->key & OMPTAPE_CONTEXT_VIA_RUNTIME) != 0 ||
            (omptape_contexts_get(contexts, parent)->key & OMPTAPE_CONTEXT_SPECIAL) != 0)
            return resolve(describing, parent);
        context = omptape_contexts_get(contexts, parent);
    }
    return UINT32_MAX;
}

/* Returns the only path on which samples saw one of these frames, or UINT32_MAX if there is none or more
 * than one. The last frame is `key`, or the sampled frame if `key` is 0. `within`: considers only samples
 * with the base `base`. */
static uint32_t search_paths(struct describing *describing, const struct omptape_hash *frames, uint64_t which,
                             uint32_t base, uint64_t key, bool within)
{
    uint32_t path = UINT32_MAX;
    uint32_t looked = 0;
    for (const struct omptape_hash_entry *entry = omptape_hash_next(frames, which, NULL);
         entry != NULL && looked < MAX_PATHS; entry = omptape_hash_next(frames, which, entry), looked++) {
        const uint32_t ref = (uint32_t)entry->number;
        const uint64_t own = omptape_contexts_get(describing->writer->contexts, ref)->key;
        if (within && base_of(describing, ref) != base)
            continue;
        const uint32_t one = base == UINT32_MAX && key == 0 && !within
                                 ? resolve(describing, ref)
                                 : graft(describing, base, ref, key != 0 ? key : own);
        if (one < busy && path != UINT32_MAX && one != path)
            return UINT32_MAX;
        path = one < busy ? one : path;
    }
    return path;
}

static uint32_t find_path(struct describing *describing, const struct omptape_hash *frames, uint64_t which,
                          uint32_t base, uint64_t key, bool within)
{
    uint32_t path = UINT32_MAX;
    if (describing->searches++ < MAX_SEARCHES)
        path = search_paths(describing, frames, which, base, key, within);
    describing->searches--;
    return path;
}

/* Returns the function of a frame: the called one, not a function inlined into it. */
static uint64_t function_of(const struct describing *describing, uint32_t frame)
{
    const struct omptape_source *source =
        &describing->writer->contexts->sources.list[describing->first[frame]];
    char text[256];
    return put_function(describing, name_of(source, text, sizeof(text)),
                        string_of(describing, source->file != NULL ? source->file : source->module),
                        source->module);
}

static uint32_t put_named(struct describing *describing, uint32_t parent, const char *name)
{
    const uint64_t none = string_of(describing, "");
    return put_context(describing, parent, put_function(describing, name, none, NULL), none, 0);
}

/* The contexts of a path, outermost first. */
struct path {
    const struct context_row *rows[MAX_DEPTH];
    uint32_t count;
};

/* The path of a context that leads back to itself is empty. */
static void read_path(const struct omptape_context_texts *texts, uint32_t ref, struct path *path)
{
    uint32_t depth = 0;
    path->count = 0;
    if (ref >= busy)
        return;
    for (uint64_t at = (uint64_t)ref + 1; at != 0; at = row_at(texts, (uint32_t)at - 1)->parent)
        depth++;
    path->count = depth < MAX_DEPTH ? depth : MAX_DEPTH;
    uint64_t at = (uint64_t)ref + 1;
    while (depth-- > 0) {
        const struct context_row *row = row_at(texts, (uint32_t)at - 1);
        if (depth < MAX_DEPTH)
            path->rows[depth] = row;
        at = row->parent;
    }
}

/* Returns how many contexts both paths share at their beginning or end. Lines may differ. */
static uint32_t count_equal(const struct path *one, const struct path *other, bool at_end)
{
    uint32_t equal = 0;
    while (equal < one->count && equal < other->count &&
           one->rows[at_end ? one->count - 1 - equal : equal]->region ==
               other->rows[at_end ? other->count - 1 - equal : equal]->region)
        equal++;
    return equal;
}

/* Adds a context of the first of several paths. It keeps its line only if the paths agree. */
static uint32_t put_common(struct describing *describing, uint32_t parent, const struct context_row *row,
                           bool same_line)
{
    const uint64_t *place = describing->texts->places.list[row->place].data;
    return put_context(describing, parent, row->region, place[0], same_line ? place[1] : 0);
}

/* Adds the common beginning and the common end of all the paths. */
static uint32_t put_common_path(struct describing *describing, const struct omptape_encounter_paths *paths)
{
    struct path first;
    struct path other;
    bool same_line[MAX_DEPTH];
    read_path(describing->texts, resolve(describing, paths->different[0]), &first);
    uint32_t begin = first.count;
    uint32_t end = first.count;
    bool same_length = true;
    if (first.count == 0)
        return busy;
    memset(same_line, true, sizeof(same_line));
    for (uint32_t i = 1; i < paths->count; i++) {
        read_path(describing->texts, resolve(describing, paths->different[i]), &other);
        const uint32_t from_begin = count_equal(&first, &other, false);
        const uint32_t from_end = count_equal(&first, &other, true);
        begin = from_begin < begin ? from_begin : begin;
        end = from_end < end ? from_end : end;
        same_length = same_length && other.count == first.count;
        for (uint32_t k = 0; k < from_begin; k++)
            /* count_equal has read these rows. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
            same_line[k] = same_line[k] && first.rows[k]->place == other.rows[k]->place;
    }
    uint32_t ref = UINT32_MAX;
    for (uint32_t k = 0; k < begin; k++)
        ref = put_common(describing, ref, first.rows[k], same_line[k]);
    if (begin == first.count && same_length)
        return ref;
    ref = put_named(describing, ref, "[several callers]");
    end = end < first.count - begin ? end : first.count - begin;
    for (uint32_t k = first.count - end; k < first.count; k++)
        ref = put_common(describing, ref, first.rows[k], true);
    return ref;
}

/* Adds the context of a team for which no sample showed the fork. */
static uint32_t put_team(struct describing *describing, uint32_t number)
{
    const struct omptape_writer *writer = describing->writer;
    const struct omptape_encounter *encounter = writer->contexts->encounters.list[number].data;
    const struct omptape_encounter_paths *paths = &writer->contexts->paths[number];
    const uint32_t base =
        encounter->parent != 0 ? resolve(describing, (uint32_t)encounter->parent - 1) : UINT32_MAX;
    if (paths->count > 0)
        return put_common_path(describing, paths);
    if (encounter->region >= describing->regions->count)
        return put_named(describing, base < busy ? base : UINT32_MAX, "[OpenMP worker]");
    const uint64_t address =
        omptape_sites_get(writer->sites, writer->references->list[encounter->region].site).address;
    uint32_t path = UINT32_MAX;
    if (address != 0)
        path = find_path(describing, &describing->callers, address, base, 0, true);
    if (address != 0 && path >= busy)
        path = find_path(describing, &describing->callers, address, base, 0, false);
    if (path < busy)
        return path;
    const struct omptape_region_text *text = &describing->regions->list[encounter->region];
    return put_context(describing, base < busy ? base : UINT32_MAX, text->final_ref, text->file, text->line);
}

static uint32_t put_instance(struct describing *describing, uint32_t number)
{
    const struct omptape_encounter_instance *instance = &describing->writer->contexts->instances[number];
    const uint32_t path =
        instance->path != 0 ? resolve(describing, (uint32_t)instance->path - 1) : UINT32_MAX;
    return path < busy ? path : put_team(describing, instance->encounter);
}

/* Adds the context of a task: below the frame that created it, in the context `parent`. */
static uint32_t put_task(struct describing *describing, uint32_t parent, uint32_t frame)
{
    if (frame >= describing->writer->contexts->resolved)
        return put_named(describing, parent, "[unknown]");
    const uint64_t function = function_of(describing, frame);
    if (parent != UINT32_MAX && row_at(describing->texts, parent)->region == function)
        return put_frame(describing, parent, frame | OMPTAPE_CONTEXT_VIA_RUNTIME, NULL);
    uint32_t path = find_path(describing, &describing->functions, function, parent, frame, true);
    if (path >= busy)
        path = find_path(describing, &describing->functions, function, parent, frame, false);
    if (path >= busy)
        path = put_frame(describing, put_named(describing, parent, "[calls not seen]"), frame, NULL);
    return path;
}

/* Adds a function of the runtime if it is one that programs call by name. */
static uint32_t put_entry(struct describing *describing, uint32_t parent, uint32_t frame)
{
    char text[256];
    if (frame >= describing->writer->contexts->resolved)
        return parent;
    const struct omptape_source *source =
        &describing->writer->contexts->sources.list[describing->first[frame]];
    const bool is_called = omptape_starts_with(name_of(source, text, sizeof(text)), "omp_");
    return is_called ? put_frame(describing, parent, frame, NULL) : parent;
}

static uint32_t put_special(struct describing *describing, uint32_t parent, uint64_t key)
{
    static const char *const names[] = {[OMPTAPE_CONTEXT_RUNTIME] = OMPTAPE_FRAME_RUNTIME,
                                        [OMPTAPE_CONTEXT_BLOCKED] = OMPTAPE_FRAME_BLOCKED,
                                        [OMPTAPE_CONTEXT_STOPPED] = OMPTAPE_FRAME_STOPPED,
                                        [OMPTAPE_CONTEXT_SPINNING] = OMPTAPE_FRAME_SPINNING,
                                        [OMPTAPE_CONTEXT_UPDATING] = OMPTAPE_FRAME_UPDATING,
                                        [OMPTAPE_CONTEXT_FAR] = OMPTAPE_FRAME_FAR,
                                        [OMPTAPE_CONTEXT_SCATTERED] = OMPTAPE_FRAME_SCATTERED,
                                        [OMPTAPE_CONTEXT_DIVIDING] = OMPTAPE_FRAME_DIVIDING,
                                        [OMPTAPE_CONTEXT_SHARING] = OMPTAPE_FRAME_SHARING,
                                        [OMPTAPE_CONTEXT_TRUNCATED] = "[stack cut]",
                                        [OMPTAPE_CONTEXT_WORKER] = "[OpenMP worker]"};
    const unsigned special = (unsigned)(key >> 32 & INT16_MAX);
    if (special == OMPTAPE_CONTEXT_TEAM)
        return put_team(describing, (uint32_t)key);
    if (special == OMPTAPE_CONTEXT_INSTANCE)
        return put_instance(describing, (uint32_t)key);
    if (special == OMPTAPE_CONTEXT_RUNTIME && (uint32_t)key != 0)
        parent = put_entry(describing, parent, (uint32_t)key - 1);
    return special == OMPTAPE_CONTEXT_TASK ? put_task(describing, parent, (uint32_t)key)
                                           : put_named(describing, parent, names[special]);
}

static bool is_special(const struct omptape_context *context, unsigned special)
{
    return (context->key & OMPTAPE_CONTEXT_SPECIAL) != 0 && (context->key >> 32 & INT16_MAX) == special;
}

static bool is_main(const struct describing *describing, const struct omptape_context *context)
{
    const uint32_t frame = (uint32_t)context->key;
    char text[256];
    if ((context->key & OMPTAPE_CONTEXT_SPECIAL) != 0 || frame >= describing->writer->contexts->resolved)
        return false;
    const struct omptape_source *source =
        &describing->writer->contexts->sources.list[describing->first[frame]];
    return strcmp(name_of(source, text, sizeof(text)), "main") == 0;
}

/* Returns the reference of the context's parent + 1, or 0 if it has none. If the stack was truncated below
 * main, nothing of interest is missing. */
static uint64_t parent_of(const struct describing *describing, const struct omptape_context *context)
{
    enum { MAX_START_FUNCTIONS = 3 }; /* C library functions that call main. */
    const struct omptape_contexts *contexts = describing->writer->contexts;
    uint64_t parent = context->parent;
    if (parent == 0 || !is_main(describing, context))
        return parent;
    for (unsigned i = 0; i <= MAX_START_FUNCTIONS && parent != 0; i++) {
        const struct omptape_context *caller = omptape_contexts_get(contexts, (uint32_t)parent - 1);
        if (is_special(caller, OMPTAPE_CONTEXT_TRUNCATED))
            return 0;
        parent = caller->parent;
    }
    return context->parent;
}

/* Returns the definition of a context, or `busy` for a context that leads back to itself. */
static uint32_t resolve(struct describing *describing, uint32_t ref)
{
    const struct omptape_context *context = omptape_contexts_get(describing->writer->contexts, ref);
    uint32_t *final = &describing->texts->final[ref];
    if (*final != UINT32_MAX)
        return *final;
    *final = busy;
    const uint64_t caller = parent_of(describing, context);
    const uint32_t parent = caller != 0 ? resolve(describing, (uint32_t)caller - 1) : UINT32_MAX;
    uint32_t result = busy;
    if (parent != busy)
        result = (context->key & OMPTAPE_CONTEXT_SPECIAL) != 0
                     ? put_special(describing, parent, context->key)
                     : put_frame(describing, parent, context->key,
                                 omptape_contexts_called_name(describing->writer->contexts, context));
    /* A context that depends on one being resolved is resolved again later. */
    *final = result < busy ? result : UINT32_MAX;
    return result;
}

/* Indexes the frames' first sources, and the contexts by address and by function. */
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
        if ((uint32_t)key < contexts->resolved)
            (void)omptape_hash_join(&describing->functions, function_of(describing, (uint32_t)key), i);
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
    omptape_hash_free(&describing.functions);
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

static void write_functions(struct omptape_writer *writer, OTF2_RegionRef first,
                            const struct omptape_rows *functions)
{
    for (uint32_t i = 0; i < functions->count; i++) {
        const uint64_t *words = functions->list[i].data;
        OMPTAPE_DEFINE(&writer->archive, Region, first + i, (OTF2_StringRef)words[0],
                       (OTF2_StringRef)words[0], (OTF2_StringRef)words[2], OTF2_REGION_ROLE_FUNCTION,
                       OTF2_PARADIGM_SAMPLING, OTF2_REGION_FLAG_NONE, (OTF2_StringRef)words[1], 0, 0);
    }
}

void omptape_definitions_write_contexts(struct omptape_writer *writer,
                                        const struct omptape_region_texts *regions,
                                        const struct omptape_context_texts *texts)
{
    if (texts->contexts.count == 0)
        return;
    write_functions(writer, regions->distinct + 1, &texts->functions);
    for (uint32_t i = 0; i < texts->places.count; i++) {
        const uint64_t *words = texts->places.list[i].data;
        OMPTAPE_DEFINE(&writer->archive, SourceCodeLocation, i, (OTF2_StringRef)words[0], (uint32_t)words[1]);
    }
    for (uint32_t i = 0; i < texts->contexts.count; i++) {
        const struct context_row *row = row_at(texts, i);
        OMPTAPE_DEFINE(&writer->archive, CallingContext, i, (OTF2_RegionRef)row->region,
                       (OTF2_SourceCodeLocationRef)row->place,
                       row->parent != 0 ? (OTF2_CallingContextRef)(row->parent - 1)
                                        : OTF2_UNDEFINED_CALLING_CONTEXT);
    }
    OMPTAPE_DEFINE(&writer->archive, InterruptGenerator, OMPTAPE_INTERRUPT_GENERATOR,
                   omptape_archive_string(&writer->strings, "processor time"),
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
