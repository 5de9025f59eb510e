/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pyramid's samples in the page: their tables as JSON, and a block with a place and a time for each.
 * Called by facts.c and page.c, on the command's only thread.
 */
#ifndef OMPTAPE_COMMAND_PAGE_SAMPLES_H
#define OMPTAPE_COMMAND_PAGE_SAMPLES_H

#include "src/analysis/timeline/pyramid.h"
#include "src/command/page/json.h"

struct page_samples;

/* Of rows with events. Paths with few samples are cut so that no more than 1 << 16 frames are left. NULL: no
 * memory. */
struct page_samples *omptape_page_samples_new(const struct omptape_pyramid *pyramid);
void omptape_page_samples_free(struct page_samples *samples);

/* Has the pyramid any? */
bool omptape_page_has_samples(const struct page_samples *samples);

/* The file and line of the place with the most samples of their own, the next one, and so on. False: there is
 * none with this number. */
bool omptape_page_samples_line(struct page_samples *samples, uint32_t number, const char **file,
                               uint32_t *line);

/* "samples": tables in columns. Frames and regions refer to callers and outer ones by their numbers from 1.
 */
void omptape_page_samples_tables(struct page_json *json, struct page_samples *samples);

/* The block: the low bytes of all places, row by row, then their middle and their high ones. Then come the
 * times, each as units since the one before, in bytes of seven bits. 0, or a negative errno. */
int omptape_page_samples_block(FILE *out, const struct page_samples *samples);

#endif
