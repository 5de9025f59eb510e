/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text for a screen of so many columns: characters that may be shown there, their width, names cut in the
 * middle, words wrapped. Used by report and compare.
 */
#ifndef OMPTAPE_COMMAND_TEXT_SCREEN_H
#define OMPTAPE_COMMAND_TEXT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { OMPTAPE_SCREEN_TEXT_BYTES = 4096, OMPTAPE_SCREEN_LEAST = 20, OMPTAPE_SCREEN_USUAL = 80 };

/* How something is emphasized where there are colours; never the only sign of anything. */
enum omptape_screen_style {
    OMPTAPE_SCREEN_PLAIN,
    OMPTAPE_SCREEN_TITLE,
    OMPTAPE_SCREEN_GAIN, /* what there is to win */
    OMPTAPE_SCREEN_WAITING,
    OMPTAPE_SCREEN_FAINT
};

struct omptape_screen {
    FILE *out;
    unsigned width; /* columns */
    bool colours;
    bool utf8;    /* the locale's characters; else all but ASCII becomes '?' */
    bool is_html; /* lines and tables become HTML, all of it; the width does not matter */
};

/* What the descriptor shows: the terminal's columns, else COLUMNS, else 80; and colours on a terminal only,
 * unless NO_COLOR is set. Sets the process's LC_CTYPE from the environment. `out` is left to the caller. */
struct omptape_screen omptape_screen_of(int descriptor);

/* A copy of any bytes in which each character can be shown; what does not fit is left out. Returns `shown`.
 * The functions below take such texts. */
const char *omptape_screen_show(const struct omptape_screen *screen, const char *text, char *shown,
                                size_t bytes);

/* Columns that the text takes. */
unsigned omptape_screen_columns(const char *text);

/* The text in at most `width` columns: ".." stands for what is missing in its middle. A number at the end
 * with its colon (a line's) or "+0x" (an address's) stays whole if it fits at all. Of an instance of a
 * template the construct and the arguments stay, as far as they fit: "for ..skewed()::lambda 1". `cut` is of
 * OMPTAPE_SCREEN_TEXT_BYTES. Returns `cut`. */
const char *omptape_screen_cut(const char *text, unsigned width, char *cut);

/* Prints the text (any bytes), words wrapped: the first line goes on at column `column`, others begin at
 * `indent`. No line feed at the end. Returns the column at which it ended. */
unsigned omptape_screen_words(const struct omptape_screen *screen, unsigned column, unsigned indent,
                              const char *text);

/* Prints the text (any bytes) as lines of their own, words wrapped, all but the first indented; in HTML as a
 * paragraph. */
void omptape_screen_line(const struct omptape_screen *screen, unsigned indent, const char *text);

/* Prints the text between the marks of a style. */
void omptape_screen_styled(const struct omptape_screen *screen, enum omptape_screen_style style,
                           const char *text);

#endif
