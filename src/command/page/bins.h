/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pyramid's bins as bytes. Called by page.c, and by facts.c, which says what they hold.
 */
#ifndef OMPTAPE_COMMAND_PAGE_BINS_H
#define OMPTAPE_COMMAND_PAGE_BINS_H

#include "src/analysis/timeline/pyramid.h"

#include <stdbool.h>
#include <stdio.h>

/* Is there anything of this bucket in the pyramid? Then the bins have a plane of it. */
bool omptape_page_has_plane(const struct omptape_pyramid *pyramid, int bucket);

/* Did the kernel say what a thread did? Then there are planes of that. */
bool omptape_page_has_states(const struct omptape_pyramid *pyramid);

/* The pyramid as bytes, one plane after the other; each row by row, bin by bin. Planes: for each bucket that
 * there is, the share of the bin, of 255; then, for each of the PYRAMID_TOPS regions of a bin, the low and
 * the high byte of its number (as in pyramid_tops) and its share; then, where omptape_page_has_states, the
 * shares of the bin in each of the PYRAMID_STATES, in place of the last one that of all of them. 0, or a
 * negative errno. */
int omptape_page_bins(FILE *out, const struct omptape_pyramid *pyramid);

#endif
