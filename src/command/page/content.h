/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a page is made of. For report.c, which has it made, and for all of this folder.
 */
#ifndef OMPTAPE_COMMAND_PAGE_CONTENT_H
#define OMPTAPE_COMMAND_PAGE_CONTENT_H

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/pyramid.h"
#include "src/analysis/timeline/windows.h"

struct page_samples;

/* All of it is the caller's, and stays as it is. */
struct omptape_page {
    const struct omptape_analysis *analysis;
    struct omptape_pyramid *pyramid; /* of the same reader, ended */
    struct omptape_windows *windows; /* of single events; NULL: none */
    const char *title;               /* the program's name */
    const char *archive;             /* its path, as the user said it */
    const char *text;                /* the whole report, without colours */
    struct page_samples *samples;    /* of the pyramid, while the page is written: page.c's */
};

#endif
