/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Windows of single events as JSON: stretches as columns, arrows and what their kinds are called. Called by
 * facts.c.
 */
#ifndef OMPTAPE_COMMAND_PAGE_EVENTS_H
#define OMPTAPE_COMMAND_PAGE_EVENTS_H

#include "src/analysis/timeline/windows.h"
#include "src/command/page/json.h"

/* What the facts number, from 1 on, by its id, and their time. */
struct page_scale {
    const struct omptape_pairs *regions;
    const struct omptape_pairs *rows;
    uint64_t begin; /* ticks */
    double tick;    /* seconds */
};

/* The members "arrowKinds" and "windows" (NULL: none). */
void omptape_page_events(struct page_json *json, const struct omptape_windows *windows,
                         const struct page_scale *scale);

#endif
