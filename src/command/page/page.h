/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page: what an archive means as one HTML file that needs nothing else, no network and no server. The
 * text of the report is in it for who has scripts off; all else is data that the page's own scripts
 * (assets/) draw. Called by `omptape report --html` on the command's only thread.
 *
 * What archives say is hostile here: it reaches the page as escaped text or inside base64, never as markup.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/pyramid.h"
#include "src/analysis/timeline/windows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

/* json.c: Writes JSON to a stream: commas, quotes and escapes. `key` is NULL in lists. Errors stay with the
 * stream (ferror). Used by the page on the command's only thread. */

struct page_json {
    FILE *out;
    bool more; /* something stands before: a comma is due */
};

/* '{' or '[', and its end. */
void omptape_json_open(struct page_json *json, const char *key, char bracket);
void omptape_json_close(struct page_json *json, char bracket);
void omptape_json_text(struct page_json *json, const char *key, const char *text);
void omptape_json_count(struct page_json *json, const char *key, uint64_t count);
/* NaN and infinity, which JSON has not, become null. */
void omptape_json_number(struct page_json *json, const char *key, double number);

struct page_samples;

/* What a page is made of. All of it is the caller's, and stays as it is. */
struct omptape_page {
    const struct omptape_analysis *analysis;
    struct omptape_pyramid *pyramid; /* of the same reader, ended */
    struct omptape_windows *windows; /* of single events; NULL: none */
    const char *title;               /* the program's name */
    const char *archive;             /* its path, as the user said it */
    const char *text;                /* the whole report, without colours */
    double seconds;                  /* that the picture shows at least */
    struct page_samples *samples;    /* of the pyramid, while the page is written: page.c's */
};

/* Asks for the windows that the page shows. These are the worst instances of the findings, and all of the
 * time if it is but a few events or was chosen (`whole`). */
void omptape_page_choose_windows(struct omptape_windows *windows, const struct omptape_analysis *analysis,
                                 bool whole);

/* Writes the page. 0, -ENOMEM, or another negative errno of writing. */
int omptape_page_write(FILE *out, const struct omptape_page *page);

/* document.c: what all pages begin with, up to the end of the head. Needs no zlib. Errors stay with the
 * stream.
 */
void omptape_page_head(FILE *out, const char *title);

/* A page of text, tables and pictures, without scripts: `write` writes its body. 0, or a negative errno. */
int omptape_page_document(FILE *out, const char *title, int (*write)(FILE *out, const void *data),
                          const void *data);

/* What the build embedded of assets/ (cmake/EmbedPage.cmake): UTF-8 texts that end with a zero. Constant
 * data.
 */

extern const unsigned char omptape_page_head_html[];
extern const unsigned char omptape_page_html[];
extern const unsigned char omptape_page_css[];
extern const unsigned char omptape_page_js[];

/* The pyramid's bins as bytes. Called by page.c, and by facts.c, which says what they hold. */

/* Is there anything of this bucket in the pyramid? Then the bins have a plane of it. */
bool omptape_page_has_plane(const struct omptape_pyramid *pyramid, int bucket);

/* Did the kernel say what a thread did? Then there are planes of that. */
bool omptape_page_has_states(const struct omptape_pyramid *pyramid);

/* The pyramid as bytes, one plane after the other; each row by row, bin by bin. First a plane for each bucket
 * that there is: the share of the bin, of 255. Then, for each of the PYRAMID_TOPS regions of a bin, the low
 * and the high byte of its number (as in pyramid_tops) and its share. Where omptape_page_has_states, last the
 * shares of the bin in the PYRAMID_STATES; the last of these planes holds all of them. 0, or a negative
 * errno. */
int omptape_page_bins(FILE *out, const struct omptape_pyramid *pyramid);

/* A block of data in the page: deflated (zlib), then base64, which has no character that HTML knows. The
 * browser unpacks it with DecompressionStream("deflate"). On the command's only thread.
 */

struct page_block;

/* NULL: no memory. */
struct page_block *omptape_block_begin(FILE *out);
/* Errors show at the end. */
void omptape_block_add(struct page_block *block, const void *data, size_t bytes);
/* Writes the rest and frees the block. 0, -ENOMEM or -EIO. */
int omptape_block_end(struct page_block *block);

/* Windows of single events as JSON: stretches as columns, arrows and what their kinds are called. Called by
 * facts.c.
 */

/* What the facts number, from 1 on, by its id, and their time. */
struct page_scale {
    const struct omptape_pairs *regions;
    const struct omptape_pairs *rows;
    uint64_t begin; /* ticks */
    double tick;    /* seconds */
};

/* The members "arrowKinds" and "windows" (NULL: none). */
void omptape_page_events(struct page_json *json, const struct omptape_windows *windows,
                         const struct page_scale *scale);

/* All that the page says but the bins. Called by page.c. */

/* Writes them as JSON: names, findings, regions, rows, curves, single events, source lines. Errors stay with
 * the stream. */
void omptape_page_facts(FILE *out, const struct omptape_page *page);

/* The lines of source around a call site, as the file is now. What archives name as source may be any file.
 * Only regular files are read that are called as sources are, are not large and are text. So a page
 * that is passed on shows nothing else. Of what is somebody else's archive they must be such that its owner
 * could have read them as well. A page gives nobody what was kept from him. On the command's only thread.
 */

enum { PAGE_SOURCE_AROUND = 8 }; /* lines before, and after */

struct page_source {
    char *text;     /* lines, each with its newline; the caller frees it */
    uint32_t first; /* number of the first */
    uint32_t count;
    struct timespec changed; /* the file, last */
};

/* `stranger`: whose the archive is that names the file; NULL: the caller's own. False: there is no such file
 * or line, or it is none that is shown. */
bool omptape_page_source(const char *path, uint32_t line, const uid_t *stranger, struct page_source *source);

/* The timeline as a picture for papers: SVG that needs nothing else. Called by `omptape report --svg` on the
 * command's only thread.
 */

/* Of all the time that the pyramid covers: rows for the threads and devices, or for several of them together
 * when there are many. Then a ruler and a legend. 0, -ENOMEM, or another negative errno of writing. */
int omptape_page_svg(FILE *out, const struct omptape_page *page);

/* samples.c: The pyramid's samples in the page: their tables as JSON, and a block with a place and a time
 * for each. Called by facts.c and page.c, on the command's only thread. */

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
