/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The timeline as a picture for papers: SVG that needs nothing else. Called by `omptape report --svg` on the
 * command's only thread.
 */
#ifndef OMPTAPE_COMMAND_PAGE_SVG_H
#define OMPTAPE_COMMAND_PAGE_SVG_H

#include "src/command/page/content.h"

#include <stdio.h>

/* Of all the time that the pyramid covers: rows for the threads and devices, or for several of them together
 * when there are many; a ruler and a legend. 0, -ENOMEM, or another negative errno of writing. */
int omptape_page_svg(FILE *out, const struct omptape_page *page);

#endif
