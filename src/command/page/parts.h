/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the page share: its blocks of data. Called by page.c.
 */
#ifndef OMPTAPE_COMMAND_PAGE_PARTS_H
#define OMPTAPE_COMMAND_PAGE_PARTS_H

#include "src/command/page/page.h"

/* What the build embedded (assets/): UTF-8 texts that end with a zero. */
extern const unsigned char omptape_page_html[];
extern const unsigned char omptape_page_css[];
extern const unsigned char omptape_page_js[];

/* All but the bins, as JSON: names, findings, regions, rows, curves, source lines. */
void omptape_page_facts(FILE *out, const struct omptape_page *page);

/* Is there anything of this bucket in the pyramid? Then the bins have a plane of it. */
bool omptape_page_has_plane(const struct omptape_pyramid *pyramid, int bucket);

/* The pyramid as bytes, one plane after the other; each row by row, bin by bin. Planes: for each bucket that
 * there is, the share of the bin, of 255; then, for each of the PYRAMID_TOPS regions of a bin, the low and
 * the high byte of its number (as in pyramid_tops) and its share. 0, or a negative errno. */
int omptape_page_bins(FILE *out, const struct omptape_pyramid *pyramid);

#endif
