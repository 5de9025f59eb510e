/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets the source line of a finding and the displayed name of a region without a line.
 */
#include "src/analysis/findings/gathering.h"
#include "src/archive/read/regions.h"
#include "src/core/words.h"

#include <string.h>

/* Returns the longest loop with a line in a parallel region, or NULL. */
static const struct analysis_region *loop_inside(const struct analysis_state *state,
                                                 const struct analysis_region *region)
{
    const struct analysis_loop *longest = NULL;
    for (uint32_t i = 0; i < state->loops.count; i++) {
        const struct analysis_loop *loop = state->loops.list[i].value;
        if (loop->parallel == region && loop->region->line > 0 &&
            (longest == NULL || loop->wall > longest->wall))
            longest = loop;
    }
    return longest != NULL ? longest->region : NULL;
}

static const struct analysis_region *around_loop(const struct analysis_state *state,
                                                 const struct analysis_region *region)
{
    const struct analysis_loop *loop = omptape_analysis_of_region(&state->loops, region);
    return loop != NULL ? loop->parallel : NULL;
}

void omptape_findings_place(const struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_region *regions[] = {finding->region, around_loop(state, finding->region),
                                               finding->around, finding->before};
    finding->file = "";
    for (unsigned i = 0; i < sizeof(regions) / sizeof(regions[0]) && finding->line == 0; i++) {
        const struct analysis_region *region = regions[i];
        if (region != NULL && region->line == 0)
            region = loop_inside(state, region);
        if (region != NULL) {
            finding->file = region->file;
            finding->line = region->line;
        }
    }
}

/* Returns the only parallel region with a line in the same function, or NULL if there is none or several. */
static const struct analysis_region *in_function(const struct analysis_state *state,
                                                 const struct analysis_region *region)
{
    const struct analysis_region *found = NULL;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        const struct analysis_region *other = parallel->region;
        if (other->line == 0 || region->function[0] == '\0' ||
            strcmp(other->function, region->function) != 0 || strcmp(other->file, region->file) != 0)
            continue;
        if (found != NULL)
            return NULL;
        found = other;
    }
    return found;
}

/* Returns a region with a line near a region without one, or NULL. */
static const struct analysis_region *near_to(const struct analysis_state *state,
                                             const struct analysis_region *region)
{
    const struct analysis_region *around = around_loop(state, region);
    const struct analysis_region *found = loop_inside(state, region);
    if (found == NULL && around != NULL)
        found = around->line > 0 ? around : loop_inside(state, around);
    return found != NULL ? found : in_function(state, region);
}

/* Removes the template arguments from a name without a line, which contains a symbol and an offset. */
static const char *without_arguments(struct analysis_state *state, const struct analysis_region *region,
                                     const char *place)
{
    const char *begin = strchr(place, '<');
    const char *offset = strrchr(place, '+');
    if (begin == NULL || offset == NULL || begin > offset)
        return region->label;
    const char *at = begin;
    unsigned depth = 0;
    do {
        depth += *at == '<';
        depth -= *at == '>';
        at++;
    } while (depth > 0 && at < offset);
    return omptape_sentence(state, "%.*s<..>%s", (int)(begin - region->label), region->label,
                            depth > 0 ? offset : at);
}

/* Shortens a long name of a template's instance to the construct, its place, and the last components of the
 * function: "for @par.cpp:11 ..for_each_cell<lambda 2>". */
static const char *without_first_components(struct analysis_state *state,
                                            const struct analysis_region *region)
{
    enum { MAX_BYTES = 64, MAX_TAIL = 40 };
    const char *place = strstr(region->label, " @");
    const char *function = place != NULL ? strchr(place + 1, ' ') : NULL;
    const char *tail = function;
    if (function == NULL || strlen(region->label) <= MAX_BYTES || strlen(function) <= MAX_TAIL ||
        strchr(function, '<') == NULL)
        return region->label;
    do
        tail = strstr(tail + 1, "::");
    while (tail != NULL && strlen(tail) > MAX_TAIL);
    return tail == NULL ? region->label
                        : omptape_sentence(state, "%.*s ..%s", (int)(function - region->label), region->label,
                                           tail + strlen("::"));
}

/* Appends a number to a name if an earlier region has the same one. `before`: how many there are. */
static const char *number_name(struct analysis_state *state, const struct analysis_region *region,
                               uint32_t before)
{
    const size_t length = strlen(region->shown);
    unsigned same = 1;
    for (uint32_t i = 0; i < before; i++) {
        const struct analysis_region *other = state->regions.list[i].value;
        same += strncmp(other->shown, region->shown, length) == 0 &&
                (other->shown[length] == '\0' || strncmp(other->shown + length, " (", 2) == 0) &&
                strcmp(other->label, region->label) != 0;
    }
    return same == 1 ? region->shown : omptape_sentence(state, "%s (%u)", region->shown, same);
}

static const char *short_name(struct analysis_state *state, struct analysis_region *region, const char *place,
                              uint32_t number)
{
    region->shown = place == NULL       ? region->label
                    : region->line == 0 ? without_arguments(state, region, place)
                                        : without_first_components(state, region);
    return region->shown == region->label ? region->label : number_name(state, region, number);
}

void omptape_findings_name_places(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->regions.count; i++) {
        struct analysis_region *region = state->regions.list[i].value;
        const char *place = region->definition->region->site;
        const struct analysis_region *other =
            region->line == 0 && place != NULL ? near_to(state, region) : NULL;
        region->shown =
            other == NULL
                ? short_name(state, region, place, i)
                : omptape_sentence(state, "%.*s near @%s:%u", region->definition->region->construct_bytes,
                                   region->label, omptape_base_name(other->file), other->line);
    }
}
