/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The HTML page: a report in one self-contained file, without network or server. It includes the report's
 * text for browsers without scripts. Everything else is data that the page's scripts (assets/) display.
 * Called by `omptape report --html` on the command's only thread.
 *
 * Contents of archives are untrusted: they are written as escaped text or inside base64, never as markup.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/pyramid.h"
#include "src/analysis/timeline/windows.h"
#include "src/command/text/value_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

struct page_samples;

/* Input of a page. The caller owns everything; nothing is modified. */
struct page {
    const struct omptape_analysis *analysis;
    struct omptape_pyramid *pyramid; /* built from the same reader and completed */
    struct omptape_windows *windows; /* windows with single events, or NULL */
    const char *title;               /* name of the program */
    const char *archive;             /* path of the archive as the user typed it */
    const char *text;                /* complete report without colours */
    double seconds;                  /* minimum duration of the SVG picture, in seconds */
    struct page_samples *samples;    /* samples of the pyramid; set by page.c while it writes */
};

/* Requests the windows with single events: the worst instances of the findings. Requests the whole time
 * instead if it has few events or the user has selected it (`whole`). */
void page_choose_windows(struct omptape_windows *windows, const struct omptape_analysis *analysis,
                         bool whole);

/* Writes a struct page. Returns 0, -ENOMEM, or another negative errno of writing. */
int page_write(FILE *out, const void *page);

/* document.c: Writes a page up to the end of the head. Needs no zlib. Errors remain in the stream. */
void page_head(FILE *out, const char *title);

/* Writes a page of text, tables and pictures, no scripts; `write` writes its body. 0 or negative errno. */
int page_document(FILE *out, const char *title, int (*write)(FILE *out, const void *data), const void *data);

/* Files of assets/ that the build embeds (cmake/EmbedPage.cmake): zero-terminated UTF-8 texts. */

extern const unsigned char page_head_html[];
extern const unsigned char page_html[];
extern const unsigned char page_css[];
extern const unsigned char page_js[];

/* bins.c: Encodes the pyramid's bins. Called by page.c, and by data.c, which describes their layout. */

/* Returns true if the pyramid contains time of this bucket; the bins then have a plane for it. */
bool page_has_plane(const struct omptape_pyramid *pyramid, int bucket);

/* Returns true if the pyramid contains scheduling states; the bins then have planes for them. */
bool page_has_states(const struct omptape_pyramid *pyramid);

/* Writes the pyramid as planes of bytes; each plane goes row by row, bin by bin. First come the planes of the
 * buckets that occur: the share of the bin, scaled to 255. Next come three planes for each of the
 * PYRAMID_TOPS regions of a bin. They hold the low and the high byte of the region's number (as in
 * pyramid_tops), and its share. If page_has_states, the shares of the PYRAMID_STATES follow; the last
 * of these planes holds the sum of all states. Returns 0 or negative errno. */
int page_bins(FILE *out, const struct omptape_pyramid *pyramid);

/* page.c: A block of data in the page, compressed with zlib and encoded as base64, which needs no escaping in
 * HTML. The browser unpacks it with DecompressionStream("deflate"). Used on the command's only thread. */

struct page_block;

/* Starts a block. Returns NULL if out of memory. */
struct page_block *page_block_begin(FILE *out);
/* Adds data; page_block_end reports errors. */
void page_block_add(struct page_block *block, const void *data, size_t bytes);
/* Writes the rest and frees the block. Returns 0, -ENOMEM or -EIO. */
int page_block_end(struct page_block *block);

/* events.c: Writes windows of single events as JSON: intervals in columns, arrows, and their kinds. */

/* Maps ids to the numbers of the page data, from 1, and ticks to seconds. */
struct page_scale {
    const struct omptape_pairs *regions;
    const struct omptape_pairs *rows;
    uint64_t begin; /* time 0, in ticks */
    double tick;    /* seconds per tick */
};

/* Writes the members "arrowKinds" and "windows". `windows` may be NULL; the list is empty then. */
void page_events(struct value_tree *tree, const struct omptape_windows *windows,
                 const struct page_scale *scale);

/* data.c: Writes everything on the page except the bins. Called by page.c. */

/* Writes names, findings, regions, rows, curves, events and sources as JSON. Errors remain in the stream. */
void page_write_data(FILE *out, const struct page *page);

/* source.c: Reads the source lines around a call site from the current file. An archive may name any file.
 * Only small, regular text files with a source file's name are read, so a shared page reveals nothing else.
 * For another user's archive, its owner must have been able to read them, too. Used on the command's only
 * thread. */

enum { PAGE_SOURCE_AROUND = 8 }; /* number of lines before the line, and after it */

struct page_source {
    char *text;     /* lines with their newlines; the caller frees the text */
    uint32_t first; /* number of the first line */
    uint32_t count;
    struct timespec changed; /* modification time of the file */
};

/* Reads the lines around `line`. `archive_owner` is the owner of another user's archive, or NULL. Returns
 * false if the file or line does not exist or must not be shown. */
bool page_read_source(const char *path, uint32_t line, const uid_t *archive_owner,
                      struct page_source *source);

/* svg.c: Draws the timeline as a self-contained SVG picture for publications. Called by `omptape report
 * --svg` on the command's only thread. */

/* Draws the whole time of a struct page, with a time scale and a legend. Each row is a thread or
 * device, or several of them if there are many. Returns 0, -ENOMEM, or another negative errno of writing. */
int page_svg(FILE *out, const void *page);

/* samples.c: Writes the pyramid's samples: their tables as JSON, and a block with place and time of each
 * sample. Called by data.c and page.c on the command's only thread. */

struct page_samples;

/* Prepares the samples of rows with events. Truncates paths with few samples, so that at most 1 << 16 frames
 * remain. Returns NULL if out of memory. */
struct page_samples *page_samples_new(const struct omptape_pyramid *pyramid);
void page_samples_free(struct page_samples *samples);

/* Returns true if the pyramid has samples. */
bool page_has_samples(const struct page_samples *samples);

/* Returns file and line of the place with the `number`-th most samples of its own, from 0, or false. */
bool page_samples_line(struct page_samples *samples, uint32_t number, const char **file, uint32_t *line);

/* Writes the member "samples": tables in columns. Frames and regions refer to outer ones by numbers from
 * 1. */
void page_samples_tables(struct value_tree *tree, struct page_samples *samples);

/* Writes the block: the low bytes of all places, row by row, then the middle and the high bytes. The times
 * follow, each as difference to the previous one in units, in groups of seven bits. 0 or negative errno. */
int page_samples_block(FILE *out, const struct page_samples *samples);
