/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's string table. References are given out while the trace streams; the definitions are written
 * at the end.
 */
#pragma once

#include "src/core/store.h"

#include <otf2/otf2.h>
#include <stdint.h>

enum { OMPTAPE_NEAR_LITERALS = 8 };

/* All zero: none. */
struct omptape_archive_strings {
    struct omptape_rows rows; /* by reference */
    /* literals that were asked for, the first of them */
    struct {
        const char *text;
        OTF2_StringRef ref;
    } near[OMPTAPE_NEAR_LITERALS];
    /* once it is open, a new string is written at once: before whatever refers to it */
    OTF2_GlobalDefWriter *sink;
};

/* The reference of a text; the same text has the same reference. 0, the empty string, when memory is out. */
OTF2_StringRef omptape_archive_string(struct omptape_archive_strings *strings, const char *text);
/* The same of a text that stays where it is and is asked for again and again. */
OTF2_StringRef omptape_archive_literal(struct omptape_archive_strings *strings, const char *text);
OTF2_StringRef omptape_archive_format(struct omptape_archive_strings *strings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The text of a reference; "" if there is none. */
static inline const char *omptape_archive_text(const struct omptape_archive_strings *strings, uint64_t ref)
{
    return omptape_rows_text_at(&strings->rows, ref);
}

/* The length of the longest text so far. */
uint32_t omptape_archive_strings_longest(const struct omptape_archive_strings *strings);

/* Writes all strings so far to the global definitions, and from now on each new one; NULL: no more. */
void omptape_archive_strings_write(struct omptape_archive_strings *strings, OTF2_GlobalDefWriter *sink);

void omptape_archive_strings_free(struct omptape_archive_strings *strings);
