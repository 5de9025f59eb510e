/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text in HTML and SVG, as an element's or a quoted attribute's. On the command's only thread.
 */
#ifndef OMPTAPE_COMMAND_PAGE_ESCAPE_H
#define OMPTAPE_COMMAND_PAGE_ESCAPE_H

#include <stdio.h>

/* Whatever is in it stays text. Errors stay with the stream. */
void omptape_page_escape(FILE *out, const char *text);

#endif
