/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges the rows of a construct's parts into one row: a loop's chunks into the loop, a critical section's
 * body into the section (state.h). Called by report and compare.
 */
#include "src/command/report/state.h"

#include "src/archive/read/regions.h"
#include "src/core/whole.h"

#include <errno.h>

/* Returns a number for the construct that parts have in common: its kind and place. */
static uint32_t place_of(struct omptape_rows *places, const struct analysis_region *region,
                         enum omptape_region_kind whole)
{
    char text[SCREEN_TEXT_BYTES];
    const char *site = region->definition->region->site;
    (void)snprintf(text, sizeof(text), "%d %u %s %s", (int)whole, region->line, region->file,
                   site != NULL ? site : "");
    return omptape_rows_text(places, text);
}

static enum omptape_region_kind whole_of(const struct analysis_region *region)
{
    bool known = region->kind < OMPTAPE_REGION_KIND_COUNT;
    return known ? omptape_constructs[region->kind].whole : OMPTAPE_REGION_KIND_COUNT;
}

static bool is_part(const struct analysis_region *region)
{
    enum omptape_region_kind whole = whole_of(region);
    return whole != OMPTAPE_REGION_PARALLEL && whole != OMPTAPE_REGION_KIND_COUNT; /* 0: no whole */
}

static void add_part(struct analysis_region *whole, const struct analysis_region *part)
{
    omptape_parts_add(whole->parts, part->parts);
    omptape_add(&whole->charged, part->charged);
    omptape_add(&whole->gain, part->gain);
}

static void move_samples(struct omptape_analysis *analysis, const struct analysis_region *part,
                         const struct analysis_region *whole)
{
    for (uint32_t i = 0; i < analysis->sampled_count; i++)
        if (analysis->sampled[i]->region == part)
            analysis->sampled[i]->region = whole;
}

int report_fold(struct omptape_analysis *analysis)
{
    struct omptape_rows places = {0};
    struct omptape_pairs wholes = {0};
    uint32_t kept = 0;
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < analysis->region_count; i++) {
        struct analysis_region *region = analysis->regions[i];
        uint32_t place = is_part(region) ? 0 : place_of(&places, region, region->kind);
        if (!is_part(region) && omptape_pairs_get(&wholes, 0, place) == NULL)
            status = omptape_pairs_put(&wholes, 0, place, region);
    }
    for (uint32_t i = 0; status == 0 && i < analysis->region_count; i++) {
        struct analysis_region *region = analysis->regions[i];
        struct analysis_region *whole =
            is_part(region) ? omptape_pairs_get(&wholes, 0, place_of(&places, region, whole_of(region)))
                            : NULL;
        if (whole != NULL) {
            add_part(whole, region);
            move_samples(analysis, region, whole);
        } else {
            analysis->regions[kept++] = region;
        }
    }
    if (status == 0)
        analysis->region_count = kept;
    status = places.failed ? -ENOMEM : status;
    omptape_pairs_free(&wholes);
    omptape_rows_free(&places);
    return status;
}

bool report_is_only_waiting(const struct analysis_region *region)
{
    const uint64_t little = 10; /* factor */
    uint64_t own = omptape_parts_sum(region->parts);
    return region->gain == 0 && report_time_at_work(region->parts) == 0 && region->charged <= own / little;
}
