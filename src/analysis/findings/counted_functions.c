/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums up the counters of call paths by function.
 */
#include "src/analysis/findings/counted_functions.h"

#include "src/analysis/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

static bool is_counted(const struct analysis_counts *counts)
{
    for (uint32_t i = 0; i < OMPTAPE_MAX_COUNTERS; i++)
        if (counts->sums[i] > 0)
            return true;
    return false;
}

struct omptape_counted_function *omptape_counted_functions(const struct omptape_analysis *analysis,
                                                           uint32_t *count)
{
    enum { KEY_BYTES = 4096 };
    struct omptape_counted_function *list =
        omptape_calloc((size_t)analysis->sampled_count + 1, sizeof(*list));
    struct omptape_rows keys = {0};
    char key[KEY_BYTES];
    for (uint32_t i = 0; i < analysis->sampled_count && list != NULL && !keys.failed; i++) {
        const struct analysis_sampled *row = analysis->sampled[i];
        if (!is_counted(&row->counted))
            continue;
        const struct omptape_inside_call call =
            omptape_inside_call(analysis->reader, row->context, row->region);
        (void)snprintf(key, sizeof(key), "%p\n%p\n%s\n%s\n%s", (const void *)row->region,
                       (const void *)row->serial, text_of(call.own.function), text_of(call.own.file),
                       text_of(call.called.function));
        const uint32_t before = keys.count;
        struct omptape_counted_function *sum = &list[omptape_rows_text(&keys, key)];
        if (keys.count > before)
            *sum =
                (struct omptape_counted_function){.region = row->region, .serial = row->serial, .call = call};
        omptape_counted_add(&sum->counted, &row->counted);
    }
    *count = keys.count;
    if (keys.failed) {
        free(list);
        list = NULL;
    }
    omptape_rows_free(&keys);
    return list;
}

uint32_t omptape_counter_number(const struct omptape_analysis *analysis, const char *name)
{
    for (uint32_t i = 1; i < analysis->counter_count; i++)
        if (strcmp(analysis->counters[i], name) == 0)
            return i;
    return 0;
}

struct analysis_counts omptape_counted_total(const struct omptape_analysis *analysis)
{
    struct analysis_counts total = {{0}};
    for (uint32_t i = 0; i < analysis->thread_count; i++)
        omptape_counted_add(&total, &analysis->thread_list[i].counted);
    return total;
}

bool omptape_counted_mostly(const struct omptape_analysis *analysis, const struct analysis_region *region,
                            uint32_t counter, double *percent, char *text, size_t bytes)
{
    uint32_t count = 0;
    struct omptape_counted_function *list = omptape_counted_functions(analysis, &count);
    const struct omptape_counted_function *most = NULL;
    uint64_t all = 0;
    for (uint32_t i = 0; i < count && list != NULL; i++) {
        if (list[i].serial != NULL || list[i].region == NULL ||
            !omptape_inside_is_beside(list[i].region, region))
            continue;
        all = omptape_plus(all, list[i].counted.sums[counter]);
        if (most == NULL || list[i].counted.sums[counter] > most->counted.sums[counter])
            most = &list[i];
    }
    if (all > 0) {
        *percent = 100 * (double)most->counted.sums[counter] / (double)all;
        (void)omptape_inside_describe(&most->call, text, bytes);
    }
    free(list);
    return all > 0;
}
