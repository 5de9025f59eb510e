/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats text for a screen of a given width: replaces characters that it cannot show, measures columns,
 * shortens names, wraps lines. Used by report and compare.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SCREEN_TEXT_BYTES = 4096, SCREEN_MIN_WIDTH = 20, SCREEN_DEFAULT_WIDTH = 80 };

/* Emphasis on terminals with colours. It never carries information that the text lacks. */
enum screen_style {
    SCREEN_PLAIN,
    SCREEN_TITLE,
    SCREEN_GAIN, /* possible gains */
    SCREEN_WAITING,
    SCREEN_FAINT
};

struct screen {
    FILE *out;
    unsigned width; /* in columns */
    bool colours;
    bool utf8;    /* the locale is UTF-8; otherwise each non-ASCII character becomes '?' */
    bool is_html; /* lines and tables are printed as HTML; the width is ignored */
};

/* Returns the properties of the descriptor's screen: the terminal's columns, else COLUMNS, else 80. Colours
 * are on for terminals unless NO_COLOR is set. Sets LC_CTYPE from the environment. The caller sets `out`. */
struct screen screen_for(int descriptor);

/* Copies any bytes into `shown` and replaces each character that the screen cannot show. Truncates at
 * `bytes`. Returns `shown`. The functions below expect its result unless they take any bytes. */
const char *screen_sanitize(const struct screen *screen, const char *text, char *shown, size_t bytes);

/* Returns the width of the text in columns. */
unsigned screen_columns(const char *text);

/* Shortens the text to `width` columns; ".." replaces its middle. A line number with its colon or an offset
 * "+0x..." at the end stays whole if it fits. For a template instance the construct and the arguments remain
 * if they fit: "for ..skewed()::lambda 1". `cut` has SCREEN_TEXT_BYTES bytes. Returns `cut`. */
const char *screen_shorten(const char *text, unsigned width, char *cut);

/* Prints the text (any bytes) with wrapped words. The first line continues at column `column`; the others
 * begin at `indent`. Prints no final line feed. Returns the column after the last character. */
unsigned screen_wrap(const struct screen *screen, unsigned column, unsigned indent, const char *text);

/* Prints formatted text as a paragraph with wrapped words and a final line feed. The first line begins in the
 * first column, the others at `indent`. Prints an HTML paragraph if is_html is set. */
void screen_paragraph(const struct screen *screen, unsigned indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the text with the escape sequences of a style. */
void screen_styled(const struct screen *screen, enum screen_style style, const char *text);
