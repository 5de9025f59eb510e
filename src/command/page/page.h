/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page: what an archive means as one HTML file that needs nothing else, no network and no server. The
 * text of the report is in it for who has scripts off; all else is data that the page's own scripts
 * (assets/) draw. Called by `omptape report --html` on the command's only thread.
 *
 * What archives say is hostile here: it reaches the page as escaped text or inside base64, never as markup.
 */
#ifndef OMPTAPE_COMMAND_PAGE_PAGE_H
#define OMPTAPE_COMMAND_PAGE_PAGE_H

#include "src/analysis/analysis.h"
#include "src/analysis/pyramid.h"
#include "src/analysis/windows.h"

#include <stdio.h>

/* All of it is the caller's, and stays as it is. */
struct omptape_page {
    const struct omptape_analysis *analysis;
    struct omptape_pyramid *pyramid; /* of the same reader, ended */
    struct omptape_windows *windows; /* of single events; NULL: none */
    const char *title;               /* the program's name */
    const char *text;                /* the whole report, without colours */
};

/* Asks for the windows that the page shows: the worst instances of the findings, and all of the time if it is
 * but a few events or was chosen (`whole`). */
void omptape_page_choose_windows(struct omptape_windows *windows, const struct omptape_analysis *analysis,
                                 bool whole);

/* Writes the page. 0, -ENOMEM, or another negative errno of writing. */
int omptape_page_write(FILE *out, const struct omptape_page *page);

#endif
