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

#include "src/command/page/content.h"

#include <stdio.h>

/* Asks for the windows that the page shows: the worst instances of the findings, and all of the time if it is
 * but a few events or was chosen (`whole`). */
void omptape_page_choose_windows(struct omptape_windows *windows, const struct omptape_analysis *analysis,
                                 bool whole);

/* Writes the page. 0, -ENOMEM, or another negative errno of writing. */
int omptape_page_write(FILE *out, const struct omptape_page *page);

#endif
