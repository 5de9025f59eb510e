/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes everything on the page except the bins as JSON (page.h). Times are seconds since the begin of the
 * pyramid; "zero" is the start of the trace on that scale.
 */

#include "src/analysis/values.h"
#include "src/archive/read/regions.h"
#include "src/command/page/page.h"
#include "src/core/words.h"
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Maximum number of source excerpts on the page. */
enum { MAX_SOURCES = 500 };

struct page_data {
    struct value_tree *tree;
    const struct page *page;
    const struct omptape_analysis *analysis;
    const struct omptape_pyramid *pyramid;
    struct omptape_pairs regions; /* (0, id of the definition) -> struct analysis_region */
    struct omptape_pairs groups;  /* (0, id of the location group) -> its index in "groups" + 1 */
    struct omptape_pairs region_numbers;
    struct omptape_pairs row_numbers;
    struct omptape_arena arena;
};

static double seconds(const struct page_data *data, uint64_t ticks)
{
    return omptape_analysis_seconds(data->analysis, ticks);
}

static double moment(const struct page_data *data, uint64_t time)
{
    return time >= data->pyramid->begin ? seconds(data, time - data->pyramid->begin)
                                        : -seconds(data, data->pyramid->begin - time);
}

static void write_buckets(struct page_data *data)
{
    for (unsigned i = 0; value_tree_row(data->tree, "buckets", i, OMPTAPE_BUCKET_COUNT); i++) {
        value_tree_text(data->tree, "name", omptape_buckets[i].name);
        value_tree_count(data->tree, "work", omptape_buckets[i].work);
        value_tree_count(data->tree, "plane", page_has_plane(data->pyramid, (int)i));
    }
}

static void write_parts(struct page_data *data, const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    for (unsigned i = 0; value_tree_item(data->tree, "parts", i, OMPTAPE_BUCKET_COUNT); i++)
        value_tree_exact(data->tree, NULL, seconds(data, parts[i]));
}

/* Returns the group's index in "groups", which has the order of the rows. */
static uint64_t group_number(struct page_data *data, uint64_t group)
{
    return (uint64_t)(uintptr_t)omptape_pairs_get(&data->groups, 0, group) - 1;
}

static const char *node_of(struct page_data *data, uint64_t group)
{
    const struct omptape_definition *definition =
        omptape_reader_find(data->pyramid->reader, OMPTAPE_DEF_LOCATION_GROUP, group);
    return definition == NULL ? ""
                              : omptape_reader_name(data->pyramid->reader, OMPTAPE_DEF_SYSTEM_TREE_NODE,
                                                    definition->refs[1].id);
}

/* Writes each process or device that has a row. */
static void write_groups(struct page_data *data)
{
    const struct omptape_pyramid *pyramid = data->pyramid;
    value_tree_list(data->tree, "groups");
    for (uint32_t i = 0; i < pyramid->row_count; i++) {
        uint64_t group = pyramid->rows[i].location->refs[1].id;
        if (omptape_pairs_get(&data->groups, 0, group) != NULL)
            continue;
        uintptr_t number = (uintptr_t)data->groups.count + 1;
        (void)omptape_pairs_put(&data->groups, 0, group, (void *)number);
        int64_t process = omptape_reader_process_number(pyramid->reader, group);
        value_tree_object(data->tree, NULL);
        value_tree_text(data->tree, "name",
                        omptape_reader_name(pyramid->reader, OMPTAPE_DEF_LOCATION_GROUP, group));
        value_tree_text(data->tree, "node", node_of(data, group));
        value_tree_exact(data->tree, "process", (double)process);
        value_tree_count(data->tree, "device", pyramid->rows[i].device);
        value_tree_end(data->tree);
    }
    value_tree_end(data->tree);
}

/* Returns the row of the thread of the same process whose number the property `key` of the row has, or -1. */
static double row_named(const struct page_data *data, const struct pyramid_row *row, const char *key)
{
    const struct omptape_pyramid *pyramid = data->pyramid;
    const struct omptape_definition *number =
        omptape_reader_location_property(pyramid->reader, row->location->id, key, OTF2_TYPE_UINT64);
    for (uint32_t i = 0; i < pyramid->row_count && number != NULL; i++) {
        const struct omptape_definition *location = pyramid->rows[i].location;
        const struct omptape_definition *tid =
            omptape_reader_location_property(pyramid->reader, location->id, "OS thread id", OTF2_TYPE_STRING);
        if (tid != NULL && location->refs[1].id == row->location->refs[1].id &&
            strtoull(omptape_reader_string(pyramid->reader, tid->value[1]), NULL, 10) == number->value[1])
            return i;
    }
    return -1;
}

static void write_rows(struct page_data *data)
{
    const struct omptape_pyramid *pyramid = data->pyramid;
    for (uint32_t i = 0; value_tree_row(data->tree, "rows", i, pyramid->row_count); i++) {
        const struct pyramid_row *row = &pyramid->rows[i];
        value_tree_text(data->tree, "name",
                        omptape_reader_name(pyramid->reader, OMPTAPE_DEF_LOCATION, row->location->id));
        value_tree_count(data->tree, "group", group_number(data, row->location->refs[1].id));
        value_tree_count(data->tree, "device", row->device);
        value_tree_count(data->tree, "other", row->other);
        value_tree_count(data->tree, "events", row->events);
        value_tree_exact(data->tree, "begin", moment(data, row->begin));
        value_tree_exact(data->tree, "end", moment(data, row->end));
        if ((row->life & PYRAMID_CREATED) != 0)
            value_tree_exact(data->tree, "creator", row_named(data, row, OMPTAPE_LOCATION_CREATED_BY));
        if ((row->life & PYRAMID_AWAITED) != 0)
            value_tree_exact(data->tree, "joiner", row_named(data, row, OMPTAPE_LOCATION_JOINED_BY));
        if (row->life != 0)
            value_tree_count(data->tree, "ended", (row->life & PYRAMID_ENDED) != 0);
    }
}

/* Return the index of a region in "regions" and of a location in "rows"; -1 if it has none. */
static double region_number(const struct page_data *data, uint64_t id)
{
    return (double)(uintptr_t)omptape_pairs_get(&data->region_numbers, 0, id) - 1;
}

static double row_number(const struct page_data *data, uint64_t location)
{
    return (double)(uintptr_t)omptape_pairs_get(&data->row_numbers, 0, location) - 1;
}

static void number_all(struct page_data *data)
{
    const struct omptape_pyramid *pyramid = data->pyramid;
    for (uintptr_t i = 0; i < pyramid->region_count; i++)
        (void)omptape_pairs_put(&data->region_numbers, 0, pyramid->regions[i]->definition->id,
                                (void *)(i + 1));
    for (uintptr_t i = 0; i < pyramid->row_count; i++)
        (void)omptape_pairs_put(&data->row_numbers, 0, pyramid->rows[i].location->id, (void *)(i + 1));
}

static void write_known_region(struct page_data *data, const struct analysis_region *region)
{
    struct value_tree *tree = data->tree;
    value_tree_text(tree, "function", region->function);
    value_tree_text(tree, "file", region->file);
    value_tree_count(tree, "line", region->line);
    value_tree_count(tree, "count", region->visits.count);
    value_tree_exact(tree, "inclusive", seconds(data, region->inclusive));
    value_tree_exact(tree, "exclusive", seconds(data, omptape_parts_sum(region->parts)));
    value_tree_exact(tree, "gain", seconds(data, region->gain));
    value_tree_exact(tree, "longest", seconds(data, region->visits.longest));
    value_tree_exact(tree, "longestBegin", moment(data, region->visits.longest_begin));
    write_parts(data, region->parts);
}

/* Writes begin, length and row of the region's longest visits. */
static void write_longest_visits(struct page_data *data, const struct pyramid_region *region)
{
    value_tree_list(data->tree, "longestVisits");
    for (unsigned i = 0; i < PYRAMID_VISITS && region->visits[i].ticks > 0; i++) {
        value_tree_list(data->tree, NULL);
        value_tree_exact(data->tree, NULL, moment(data, region->visits[i].begin));
        value_tree_exact(data->tree, NULL, seconds(data, region->visits[i].ticks));
        value_tree_exact(data->tree, NULL, row_number(data, region->visits[i].location));
        value_tree_end(data->tree);
    }
    value_tree_end(data->tree);
}

/* Returns the number, from 1, of the construct that contains this region as a part, such as the loop of a
 * chunk. Returns 0 if there is none. `note` registers the region as such a construct. */
static uint32_t construct_number(struct page_data *data, struct omptape_rows *names,
                                 struct omptape_pairs *constructs, uint32_t number, bool note)
{
    const struct omptape_definition *definition = data->pyramid->regions[number]->definition;
    enum omptape_region_kind kind = definition->region->kind;
    enum omptape_region_kind whole =
        kind < OMPTAPE_REGION_KIND_COUNT ? omptape_constructs[kind].whole : OMPTAPE_REGION_PARALLEL;
    const char *site = definition->region->site;
    char text[4200];
    bool is_part = whole != OMPTAPE_REGION_PARALLEL;
    snprintf(text, sizeof(text), "%d %s", (int)(is_part ? whole : kind), site == NULL ? "" : site);
    uint32_t name = omptape_rows_text(names, text);
    if (note && !is_part)
        (void)omptape_pairs_put(constructs, 0, name, (void *)((uintptr_t)number + 1));
    return is_part ? (uint32_t)(uintptr_t)omptape_pairs_get(constructs, 0, name) : 0;
}

/* Writes the regions in the order of the pyramid, because its bins refer to them by index. */
static void write_regions(struct page_data *data)
{
    const struct omptape_pyramid *pyramid = data->pyramid;
    struct omptape_rows names = {.failed = false};
    struct omptape_pairs constructs = {.count = 0};
    for (uint32_t i = 0; i < pyramid->region_count; i++)
        (void)construct_number(data, &names, &constructs, i, true);
    value_tree_list(data->tree, "regions");
    for (uint32_t i = 0; i < pyramid->region_count; i++) {
        const struct omptape_definition *definition = pyramid->regions[i]->definition;
        const struct analysis_region *region = omptape_pairs_get(&data->regions, 0, definition->id);
        value_tree_object(data->tree, NULL);
        value_tree_text(data->tree, "label", definition->region->label);
        value_tree_exact(data->tree, "whole",
                         (double)construct_number(data, &names, &constructs, i, false) - 1);
        if (region != NULL)
            write_known_region(data, region);
        write_longest_visits(data, pyramid->regions[i]);
        value_tree_end(data->tree);
    }
    omptape_pairs_free(&constructs);
    omptape_rows_free(&names);
    value_tree_end(data->tree);
}

/* Returns true if other threads waited for the thread of the finding's worst instance. */
static bool is_waited_for(const struct omptape_finding *finding)
{
    switch (finding->kind) {
    case OMPTAPE_FINDING_FINE_TASKS:
    case OMPTAPE_FINDING_OVERSUBSCRIPTION:
    case OMPTAPE_FINDING_SMALL_TRANSFERS:
    case OMPTAPE_FINDING_SMALL_MESSAGES:
    case OMPTAPE_FINDING_REPEATED_CREATION:
    case OMPTAPE_FINDING_REPEATED_TRANSFERS:
    case OMPTAPE_FINDING_TINY_REGIONS:
    case OMPTAPE_FINDING_NEEDLESS_BARRIER:
    case OMPTAPE_FINDING_FINE_CHUNKS:
        return false;
    case OMPTAPE_FINDING_OUTLIER:
        return finding->serial == NULL && finding->waited > 0;
    default:
        return finding->serial == NULL;
    }
}

/* Returns the time shown beside the finding's kind: its gain, a hang's time waited, or the time it takes. */
static uint64_t time_of(const struct omptape_finding *finding)
{
    const uint64_t known = finding->kind == OMPTAPE_FINDING_HANG ? finding->waited : finding->gain;
    return known > 0 ? known : finding->spent_wall;
}

static void write_findings(struct page_data *data)
{
    const struct omptape_analysis *analysis = data->analysis;
    struct value_tree *tree = data->tree;
    for (uint32_t i = 0; value_tree_row(tree, "findings", i, analysis->finding_count); i++) {
        const struct omptape_finding *finding = &analysis->findings[i];
        value_tree_text(tree, "kind", omptape_finding_name(finding->kind));
        value_tree_exact(tree, "region",
                         finding->region == NULL ? -1 : region_number(data, finding->region->definition->id));
        value_tree_exact(tree, "beforeRegion",
                         finding->before == NULL ? -1 : region_number(data, finding->before->definition->id));
        value_tree_text(tree, "place", finding->region == NULL ? "" : finding->region->shown);
        value_tree_text(tree, "before", finding->before == NULL ? "" : finding->before->shown);
        value_tree_count(tree, "between", finding->serial != NULL);
        value_tree_exact(tree, "gain", seconds(data, time_of(finding)));
        value_tree_text(tree, "known",
                        finding->spent_wall > 0 ? "takes " : omptape_finding_before_gain(finding));
        value_tree_count(tree, "waitedFor", is_waited_for(finding));
        value_tree_exact(tree, "begin", moment(data, finding->worst.begin));
        value_tree_exact(tree, "end", moment(data, finding->worst.end));
        value_tree_exact(tree, "row", row_number(data, finding->worst.location));
        value_tree_text(tree, "text", finding->text);
        value_tree_text(tree, "proposal", finding->proposal);
    }
}

static void write_factor(struct page_data *data, const char *name, double value, uint64_t lost)
{
    value_tree_object(data->tree, NULL);
    value_tree_text(data->tree, "name", name);
    value_tree_exact(data->tree, "value", value);
    value_tree_exact(data->tree, "lost", seconds(data, lost));
    value_tree_end(data->tree);
}

static void write_efficiency(struct page_data *data)
{
    const struct analysis_efficiency *efficiency = &data->analysis->efficiency;
    value_tree_list(data->tree, "efficiency");
    write_factor(data, "parallel", efficiency->parallel, 0);
    for (int factor = 0; factor < ANALYSIS_FACTORS; factor++)
        if (omptape_analysis_has_factor(efficiency, factor))
            write_factor(data, omptape_analysis_factors[factor].name, efficiency->factors[factor],
                         efficiency->lost[factor]);
    value_tree_end(data->tree);
}

enum phase_number { PHASE_BEGIN, PHASE_LENGTH, PHASE_NUMBER };

static void write_steps(struct page_data *data, const char *key, const struct analysis_phase *phase,
                        enum phase_number what)
{
    value_tree_list(data->tree, key);
    for (uint64_t i = 0; i < phase->step_count; i++) {
        const struct analysis_step *step = phase->step_list[i];
        if (what == PHASE_NUMBER)
            value_tree_count(data->tree, NULL, step->number);
        else
            value_tree_exact(data->tree, NULL,
                             what == PHASE_BEGIN ? moment(data, step->longest_begin)
                                                 : seconds(data, step->longest));
    }
    value_tree_end(data->tree);
}

/* Returns the efficiency factor that lost most thread time, or "" if none was lost. */
static const char *name_largest_loss(const struct analysis_efficiency *efficiency)
{
    int max = 0;
    for (int factor = 1; factor < ANALYSIS_FACTORS; factor++)
        max = efficiency->lost[factor] > efficiency->lost[max] ? factor : max;
    return efficiency->lost[max] > 0 ? omptape_analysis_factors[max].name : "";
}

/* Writes the phases with steps, at most MAX_PHASES. */
static void write_phases(struct page_data *data)
{
    enum { MAX_PHASES = 64 };
    const struct omptape_analysis *analysis = data->analysis;
    struct value_tree *tree = data->tree;
    value_tree_list(tree, "phases");
    for (uint32_t i = 0; i < analysis->phase_count && i < MAX_PHASES; i++) {
        const struct analysis_phase *phase = analysis->phases[i];
        if (phase->step_count == 0)
            continue;
        value_tree_object(tree, NULL);
        value_tree_text(tree, "name", phase->name);
        value_tree_count(tree, "found", omptape_phase_is_detected(phase));
        value_tree_count(tree, "count", phase->count);
        value_tree_count(tree, "numbered", phase->steps > 0);
        value_tree_exact(tree, "time", seconds(data, phase->wall));
        value_tree_exact(tree, "median", seconds(data, phase->median));
        value_tree_exact(tree, "parallel", phase->efficiency.parallel);
        value_tree_text(tree, "lost", name_largest_loss(&phase->efficiency));
        write_steps(data, "begin", phase, PHASE_BEGIN);
        write_steps(data, "length", phase, PHASE_LENGTH);
        write_steps(data, "number", phase, PHASE_NUMBER);
        value_tree_end(tree);
    }
    value_tree_end(tree);
}

static void write_values(struct page_data *data)
{
    const struct omptape_analysis *analysis = data->analysis;
    struct value_tree *tree = data->tree;
    for (uint32_t i = 0; value_tree_row(tree, "values", i, analysis->value_count); i++) {
        const struct analysis_value *value = analysis->values[i];
        value_tree_text(tree, "name", value->name);
        value_tree_count(tree, "count", value->count);
        value_tree_exact(tree, "smallest", omptape_values_number(value->smallest));
        value_tree_exact(tree, "largest", omptape_values_number(value->largest));
        value_tree_exact(tree, "last", omptape_values_number(value->last));
    }
}

static void write_curves(struct page_data *data)
{
    const struct omptape_pyramid *pyramid = data->pyramid;
    const struct omptape_reader *reader = pyramid->reader;
    struct value_tree *tree = data->tree;
    for (uint32_t i = 0; value_tree_row(tree, "curves", i, pyramid->curve_count); i++) {
        const struct pyramid_curve *curve = pyramid->curves[i];
        value_tree_text(tree, "name",
                        omptape_reader_name(reader, OMPTAPE_DEF_METRIC_MEMBER, curve->member->id));
        value_tree_text(tree, "unit", omptape_reader_string(reader, curve->member->refs[2].id));
        value_tree_text(tree, "where",
                        omptape_reader_name(reader, OMPTAPE_DEF_LOCATION, curve->location->id));
        value_tree_count(tree, "named", omptape_metric_is_of_user(curve->member));
        value_tree_count(tree, "first", curve->first_bin);
        value_tree_list(tree, "values");
        for (uint32_t bin = curve->first_bin; bin <= curve->last_bin; bin++)
            value_tree_exact(tree, NULL, curve->bins[bin]);
        value_tree_end(tree);
    }
}

/* Writes the file's modification time if it is later than the start of the program, as lines may have
 * changed. */
static void write_change(struct page_data *data, struct timespec changed)
{
    const struct omptape_reader *reader = data->pyramid->reader;
    const uint64_t second = UINT64_C(1000000000);
    uint64_t begin = reader->clock_realtime;
    struct tm calendar;
    char text[40];
    if (reader->clocks == 0 || begin == OTF2_UNDEFINED_TIMESTAMP || changed.tv_sec < 0 ||
        (uint64_t)changed.tv_sec < begin / second ||
        ((uint64_t)changed.tv_sec == begin / second && (uint64_t)changed.tv_nsec <= begin % second))
        return;
    if (localtime_r(&changed.tv_sec, &calendar) != NULL &&
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &calendar) > 0)
        value_tree_text(data->tree, "changed", text);
}

/* State of writing source excerpts. */
struct sources {
    struct page_data *data;
    struct omptape_rows seen;   /* written excerpts: "FILE:LINE" */
    const uid_t *archive_owner; /* owner of the archive; NULL if it is the user */
};

static void write_source(struct sources *sources, const char *file, uint32_t line)
{
    struct value_tree *tree = sources->data->tree;
    struct page_source source;
    char place[4200];
    const uint32_t before = sources->seen.count;
    snprintf(place, sizeof(place), "%s:%u", file, line);
    if (line == 0 || before == MAX_SOURCES || omptape_rows_text(&sources->seen, place) < before ||
        !page_read_source(file, line, sources->archive_owner, &source))
        return;
    value_tree_object(tree, place);
    value_tree_count(tree, "first", source.first);
    value_tree_text(tree, "text", source.text);
    write_change(sources->data, source.changed);
    value_tree_end(tree);
    free(source.text);
}

/* Writes excerpts for the most expensive call sites and for the lines with most samples. */
static void write_sources(struct page_data *data)
{
    enum { MAX_SAMPLED = 100 };
    const struct omptape_analysis *analysis = data->analysis;
    struct sources sources = {.data = data};
    uid_t owner = 0;
    const char *file;
    uint32_t line;
    sources.archive_owner = omptape_reader_has_other_owner(data->pyramid->reader, &owner) ? &owner : NULL;
    value_tree_object(data->tree, "sources");
    for (uint32_t i = 0; i < analysis->region_count; i++)
        write_source(&sources, analysis->regions[i]->file, analysis->regions[i]->line);
    for (uint32_t i = 0; i < MAX_SAMPLED && page_samples_line(data->page->samples, i, &file, &line); i++)
        write_source(&sources, file, line);
    value_tree_end(data->tree);
    omptape_rows_free(&sources.seen);
}

static void write_texts(struct page_data *data, const char *key, const char *const *texts, uint32_t count)
{
    for (uint32_t i = 0; value_tree_item(data->tree, key, i, count); i++)
        value_tree_text(data->tree, NULL, texts[i]);
}

/* Writes the archive's absolute path, quoted for a shell. */
static void write_archive(struct page_data *data)
{
    const char *path = data->page->archive;
    char *real = realpath(path, NULL);
    size_t bytes = 4 * strlen(real != NULL ? real : path) + sizeof("$''");
    char *quoted = omptape_arena_alloc(&data->arena, bytes);
    if (quoted != NULL)
        value_tree_text(data->tree, "archive", omptape_path_quote(real != NULL ? real : path, quoted, bytes));
    free(real);
}

static void write_whole(struct page_data *data)
{
    const struct omptape_analysis *analysis = data->analysis;
    struct value_tree *tree = data->tree;
    value_tree_text(tree, "title", data->page->title);
    value_tree_text(tree, "verdict", analysis->verdict);
    value_tree_text(tree, "banner", analysis->banner != NULL ? analysis->banner : "");
    write_archive(data);
    value_tree_count(tree, "single", data->page->windows != NULL);
    value_tree_count(tree, "mostSingle", WINDOWS_MAX_INTERVALS);
    write_texts(data, "warnings", analysis->warnings, analysis->warning_count);
    uint64_t begin = analysis->begin > data->pyramid->begin ? analysis->begin : data->pyramid->begin;
    uint64_t end = analysis->end < data->pyramid->until ? analysis->end : data->pyramid->until;
    value_tree_exact(tree, "zero", moment(data, data->pyramid->reader->clock_offset));
    value_tree_exact(tree, "begin", moment(data, begin));
    value_tree_exact(tree, "end", moment(data, end > begin ? end : begin));
    value_tree_count(tree, "events", analysis->events);
    value_tree_count(tree, "threads", analysis->threads);
    value_tree_exact(tree, "tick", seconds(data, 1));
    value_tree_exact(tree, "width", seconds(data, data->pyramid->width));
    value_tree_count(tree, "bins", data->pyramid->bins);
    value_tree_count(tree, "levels", PYRAMID_LEVELS);
    value_tree_count(tree, "curveBins", PYRAMID_CURVE_BINS);
    value_tree_count(tree, "tops", PYRAMID_TOPS);
    value_tree_count(tree, "states", page_has_states(data->pyramid) ? PYRAMID_STATES : 0);
}

/* Adds the members of the page's object; a value_tree_writer. */
static void write_page(struct value_tree *tree, const void *input)
{
    const struct page *page = input;
    struct page_data data = {
        .tree = tree, .page = page, .analysis = page->analysis, .pyramid = page->pyramid};
    for (uint32_t i = 0; i < page->analysis->region_count; i++) {
        struct analysis_region *region = page->analysis->regions[i];
        (void)omptape_pairs_put(&data.regions, 0, region->definition->id, region);
    }
    number_all(&data);
    write_whole(&data);
    write_buckets(&data);
    write_groups(&data);
    write_rows(&data);
    write_regions(&data);
    write_findings(&data);
    write_efficiency(&data);
    write_phases(&data);
    write_values(&data);
    write_curves(&data);
    page_events(tree, page->windows,
                &(struct page_scale){.regions = &data.region_numbers,
                                     .rows = &data.row_numbers,
                                     .begin = data.pyramid->begin,
                                     .tick = seconds(&data, 1)});
    write_sources(&data);
    if (page_has_samples(page->samples))
        page_samples_tables(tree, page->samples);
    omptape_pairs_free(&data.regions);
    omptape_pairs_free(&data.groups);
    omptape_pairs_free(&data.region_numbers);
    omptape_pairs_free(&data.row_numbers);
    omptape_arena_free(&data.arena);
}

void page_write_data(FILE *out, const struct page *page)
{
    (void)value_tree_write_compact_json(out, write_page, page);
}
