/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All that the page says but the bins. Called by page.c.
 */
#ifndef OMPTAPE_COMMAND_PAGE_FACTS_H
#define OMPTAPE_COMMAND_PAGE_FACTS_H

#include "src/command/page/content.h"

#include <stdio.h>

/* Writes them as JSON: names, findings, regions, rows, curves, single events, source lines. Errors stay with
 * the stream. */
void omptape_page_facts(FILE *out, const struct omptape_page *page);

#endif
