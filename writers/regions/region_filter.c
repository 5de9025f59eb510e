/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements --filter and --limit-per-site.
 */
#include "writers/regions/region_filter.h"

#include "src/core/array.h"
#include "src/core/filter.h"
#include "writers/regions/names.h"
#include "writers/regions/references.h"
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most sites with a property of their own. */
enum { MAX_LIMITED = 500 };

/* State of one region. */
struct filter_entry {
    enum omptape_filter_verdict verdict;
    bool used;         /* True if the archive has an event of the region. */
    bool limited;      /* True if an instance was not shown because of the limit. */
    uint32_t counter;  /* Region that counts for all regions with the same definition. */
    uint64_t recorded; /* Instances shown, and all instances, while recording was on. */
    uint64_t total;
    uint64_t limit_time; /* Time of the first instance that was not shown because of the limit. */
    OTF2_LocationRef limit_location;
    struct omptape_source source;
};

struct omptape_region_filter {
    struct omptape_filter rules;
    char error[512];              /* Reason why a request cannot be fulfilled, or empty. */
    uint64_t limit;               /* 0: no limit. */
    bool resolves;                /* True if source positions are needed. */
    struct filter_entry *entries; /* Indexed by region reference. */
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash counters; /* Maps the hash of a region's source to its counter. */
};

void omptape_region_filter_create(struct omptape_writer *writer)
{
    const struct omptape_settings *options = writer->settings;
    char reason[sizeof(writer->filter->error) - 64];
    writer->paused = options->paused != 0;
    if (options->filter[0] == '\0' && options->limit_per_site == 0)
        return;
    struct omptape_region_filter *filter = calloc(1, sizeof(*filter));
    if (filter == NULL)
        return;
    if (omptape_filter_load(&filter->rules, options->filter, reason, sizeof(reason)) != 0)
        snprintf(filter->error, sizeof(filter->error), "--filter: %s; nothing was left out", reason);
    filter->limit = options->limit_per_site;
    filter->resolves = filter->limit > 0 || omptape_filter_needs_places(&filter->rules);
    writer->filter = filter;
}

const char *omptape_region_filter_error(const struct omptape_writer *writer)
{
    return writer->filter != NULL ? writer->filter->error : "";
}

void omptape_region_filter_free(struct omptape_writer *writer)
{
    struct omptape_region_filter *filter = writer->filter;
    if (filter == NULL)
        return;
    omptape_filter_free(&filter->rules);
    free(filter->entries);
    omptape_hash_free(&filter->counters);
    free(filter);
    writer->filter = NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Returns the name of the kernel around the region's site, or 0. */
static OTF2_StringRef label_of(const struct omptape_writer *writer, uint32_t ref)
{
    return omptape_sites_get(writer->sites, writer->references->list[ref].site).label;
}

/* Returns true if the two regions, of known modules, will have the same definition (definitions.c). */
static bool have_same_name(const struct omptape_writer *writer, uint32_t a, uint32_t b)
{
    const struct omptape_source *one = &writer->filter->entries[a].source;
    const struct omptape_source *other = &writer->filter->entries[b].source;
    return writer->references->list[a].kind == writer->references->list[b].kind &&
           label_of(writer, a) == label_of(writer, b) && one->line == other->line &&
           same_text(one->file, other->file) && same_text(one->function, other->function) &&
           same_text(one->symbol, other->symbol) &&
           (one->line != 0 ||
            (same_text(one->module, other->module) && one->function_offset == other->function_offset &&
             one->module_offset == other->module_offset));
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; text != NULL && *text != '\0'; text++)
        hash = mix(hash, (unsigned char)*text);
    return mix(hash, 0x100);
}

/* Returns a hash that is equal for regions with the same definition. */
static uint64_t hash_name(const struct omptape_writer *writer, uint32_t ref)
{
    const struct omptape_source *source = &writer->filter->entries[ref].source;
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), writer->references->list[ref].kind);
    hash = mix(hash, label_of(writer, ref));
    hash = mix(hash, source->line);
    hash = mix_text(hash, source->file);
    hash = mix_text(hash, source->function);
    hash = mix_text(hash, source->symbol);
    if (source->line == 0)
        hash = mix(mix_text(hash, source->module), source->module_offset);
    return hash != 0 ? hash : 1;
}

/* Returns the first region with the same definition, or `ref` itself. */
static uint32_t find_counter(struct omptape_writer *writer, uint32_t ref)
{
    struct omptape_region_filter *filter = writer->filter;
    if (filter->entries[ref].source.module == NULL)
        return ref;
    uint64_t key = hash_name(writer, ref);
    const struct omptape_hash_entry *entry = NULL;
    while ((entry = omptape_hash_next(&filter->counters, key, entry)) != NULL)
        if (have_same_name(writer, (uint32_t)entry->number, ref))
            return (uint32_t)entry->number;
    (void)omptape_hash_join(&filter->counters, key, ref);
    return ref;
}

static void describe_region(struct omptape_writer *writer, uint32_t ref)
{
    struct omptape_region_filter *filter = writer->filter;
    struct filter_entry *entry = &filter->entries[ref];
    const struct omptape_region *region = &writer->references->list[ref];
    *entry = (struct filter_entry){.counter = ref};
    if (filter->resolves)
        omptape_names_resolve(writer, region, &entry->source);
    entry->verdict = omptape_filter_decide(
        &filter->rules, region->kind, region->site != 0,
        entry->source.file != NULL ? entry->source.file : entry->source.module, entry->source.function);
    if (filter->limit > 0)
        entry->counter = find_counter(writer, ref);
}

/* Returns NULL if out of memory. */
static struct filter_entry *entry_of(struct omptape_writer *writer, OTF2_RegionRef region)
{
    struct omptape_region_filter *filter = writer->filter;
    if (region < filter->count)
        return &filter->entries[region];
    if (region >= writer->references->count)
        return NULL;
    if (!OMPTAPE_RESERVE(filter->entries, writer->references->count, &filter->capacity))
        return NULL;
    while (filter->count <= region)
        describe_region(writer, filter->count++);
    return &filter->entries[region];
}

static bool surroundings_are_hidden(const struct omptape_location *location)
{
    return location != NULL && location->stack.top->hidden;
}

static bool is_excluded(const struct filter_entry *entry, const struct omptape_location *location)
{
    return entry->verdict == OMPTAPE_FILTER_EXCLUDES ||
           (entry->verdict == OMPTAPE_FILTER_INHERITS && surroundings_are_hidden(location));
}

bool omptape_region_filter_hides(struct omptape_writer *writer, const struct omptape_location *location,
                                 uint64_t time, OTF2_RegionRef region, bool hidden)
{
    const struct omptape_region_filter *filter = writer->filter;
    struct filter_entry *entry = entry_of(writer, region);
    if (entry == NULL)
        return hidden;
    hidden = hidden || (location != NULL && location->stack.in_hidden) || is_excluded(entry, location);
    if (filter->limit == 0 || writer->paused)
        return hidden;
    struct filter_entry *counter = &filter->entries[entry->counter];
    counter->total++;
    if (!hidden && counter->recorded >= filter->limit) {
        hidden = true;
        if (!counter->limited) {
            counter->limited = true;
            counter->limit_time = location != NULL ? omptape_location_time(location, time) : time;
            counter->limit_location = location != NULL ? location->ref : 0;
        }
    }
    counter->recorded += !hidden;
    return hidden;
}

bool omptape_region_filter_hides_site(struct omptape_writer *writer, const struct omptape_location *location,
                                      uint64_t time, enum omptape_region_kind kind, uint64_t site)
{
    return omptape_region_filter_hides(writer, location, time, omptape_references_get(writer, kind, site),
                                       false);
}

bool omptape_region_filter_hides_value(struct omptape_writer *writer, const struct omptape_location *location)
{
    const struct filter_entry entry = {
        .verdict = omptape_filter_decide(&writer->filter->rules, OMPTAPE_REGION_USER, true, NULL, NULL)};
    return location->stack.in_hidden || is_excluded(&entry, location);
}

void omptape_region_filter_written(struct omptape_writer *writer, OTF2_RegionRef region, bool counted)
{
    struct filter_entry *entry = entry_of(writer, region);
    if (entry == NULL)
        return;
    entry->used = true;
    if (counted)
        return;
    writer->filter->entries[entry->counter].total++;
    writer->filter->entries[entry->counter].recorded++;
}

bool omptape_region_filter_uses(const struct omptape_writer *writer, OTF2_RegionRef region)
{
    return region == OMPTAPE_PROGRAM_REGION ||
           (region < writer->filter->count && writer->filter->entries[region].used);
}

bool omptape_region_filter_shows_any(const struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < writer->filter->count; i++)
        if (writer->filter->entries[i].used && writer->references->list[i].kind != OMPTAPE_REGION_PROGRAM)
            return true;
    return false;
}

bool omptape_region_filter_unmatched(struct omptape_writer *writer, char *text, size_t bytes)
{
    char rule[OMPTAPE_FILTER_PATTERN_BYTES + 32];
    const struct omptape_filter_rule *first = NULL;
    uint32_t count = 0;
    if (writer->filter == NULL || writer->references->count == 0)
        return false;
    /* Evaluates the rules also for regions that have not been looked up. */
    (void)entry_of(writer, writer->references->count - 1);
    for (uint32_t i = 0; i < writer->filter->rules.count; i++) {
        if (writer->filter->rules.rules[i].matched)
            continue;
        if (count++ == 0)
            first = &writer->filter->rules.rules[i];
    }
    if (count == 0)
        return false;
    omptape_filter_write(first, rule, sizeof(rule));
    if (count == 1)
        snprintf(text, bytes, "--filter: no construct matched %.200s", rule);
    else
        snprintf(text, bytes, "--filter: no construct matched %.200s, nor %u other rule%s", rule, count - 1,
                 count > 2 ? "s" : "");
    return true;
}

/* Returns true for sites that are not shown completely, unless a rule hides them: then the user knows it. */
static bool is_incomplete(const struct omptape_region_filter *filter, uint32_t ref)
{
    const struct filter_entry *entry = &filter->entries[ref];
    return entry->counter == ref && entry->verdict != OMPTAPE_FILTER_EXCLUDES &&
           entry->recorded < entry->total;
}

static void set_limited(struct omptape_writer *writer, uint32_t number, uint64_t recorded, uint64_t total,
                        const char *name)
{
    char key[64];
    char text[1400];
    snprintf(key, sizeof(key), OMPTAPE_KEY_LIMITED ".%u", number);
    snprintf(text, sizeof(text), "%llu %llu %s", (unsigned long long)recorded, (unsigned long long)total,
             name);
    omptape_archive_property(&writer->archive, OMPTAPE_PROPERTY_PREFIX, key, text);
}

/* Adds one property for all remaining sites. All have markers, but the space for properties is limited. */
static void report_more(struct omptape_writer *writer, uint32_t first)
{
    char name[64];
    uint64_t recorded = 0;
    uint64_t total = 0;
    uint32_t sites = 0;
    for (uint32_t i = first; i < writer->filter->count; i++) {
        const struct filter_entry *entry = &writer->filter->entries[i];
        if (!is_incomplete(writer->filter, i))
            continue;
        recorded += entry->recorded;
        total += entry->total;
        sites++;
    }
    snprintf(name, sizeof(name), "%u more site%s", sites, sites == 1 ? "" : "s");
    if (sites > 0)
        set_limited(writer, MAX_LIMITED, recorded, total, name);
}

static void report_site(struct omptape_writer *writer, uint32_t ref, uint32_t number)
{
    const struct filter_entry *entry = &writer->filter->entries[ref];
    char name[1200];
    char text[1400];
    omptape_names_write(writer, &writer->references->list[ref], &entry->source, name, sizeof(name));
    if (number < MAX_LIMITED)
        set_limited(writer, number, entry->recorded, entry->total, name);
    if (!entry->limited)
        return;
    snprintf(text, sizeof(text), "%s: from here on counted only, %llu of %llu are shown", name,
             (unsigned long long)entry->recorded, (unsigned long long)entry->total);
    omptape_archive_mark(&writer->archive, entry->limit_time, entry->limit_location, OMPTAPE_MARKER_LIMIT,
                         text);
}

void omptape_region_filter_report(struct omptape_writer *writer)
{
    const struct omptape_settings *options = writer->settings;
    char number[32];
    uint32_t sites = 0;
    uint32_t more = writer->filter != NULL ? writer->filter->count : 0;
    if (options->paused != 0)
        omptape_archive_property(&writer->archive, OMPTAPE_PROPERTY_PREFIX, OMPTAPE_KEY_START, "paused");
    if (options->filter[0] != '\0')
        omptape_archive_property(&writer->archive, OMPTAPE_PROPERTY_PREFIX, OMPTAPE_KEY_FILTER,
                                 options->filter);
    if (writer->filter == NULL || writer->filter->limit == 0)
        return;
    snprintf(number, sizeof(number), "%llu", (unsigned long long)writer->filter->limit);
    omptape_archive_property(&writer->archive, OMPTAPE_PROPERTY_PREFIX, OMPTAPE_KEY_LIMIT_PER_SITE, number);
    for (uint32_t i = 0; i < writer->filter->count; i++) {
        if (!is_incomplete(writer->filter, i))
            continue;
        if (sites == MAX_LIMITED)
            more = i;
        report_site(writer, i, sites++);
    }
    report_more(writer, more);
}
