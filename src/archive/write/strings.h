/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of the archive's strings. References are assigned at once; the definitions follow at the end.
 */
#pragma once

#include "src/core/store.h"

#include <otf2/otf2.h>
#include <stdint.h>

enum { OMPTAPE_NEAR_LITERALS = 8 };

/* All zero: empty. */
struct omptape_archive_strings {
    struct omptape_rows rows; /* by reference */
    /* cache of the first literals */
    struct {
        const char *text;
        OTF2_StringRef ref;
    } near[OMPTAPE_NEAR_LITERALS];
    /* if not NULL, a new string is written at once, before a definition refers to it */
    OTF2_GlobalDefWriter *sink;
};

/* Returns the reference of a text; equal texts have the same one. Returns 0, "", if out of memory. */
OTF2_StringRef omptape_archive_string(struct omptape_archive_strings *strings, const char *text);
/* Like omptape_archive_string, for a constant text looked up often. omptape_archive_format formats it. */
OTF2_StringRef omptape_archive_literal(struct omptape_archive_strings *strings, const char *text);
OTF2_StringRef omptape_archive_format(struct omptape_archive_strings *strings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the text of a reference, "" if there is none. */
static inline const char *omptape_archive_text(const struct omptape_archive_strings *strings, uint64_t ref)
{
    return omptape_rows_text_at(&strings->rows, ref);
}

/* Returns the length of the longest text so far, in bytes. */
uint32_t omptape_archive_strings_longest(const struct omptape_archive_strings *strings);

/* Writes all strings to the global definitions, and from now on each new one. NULL: stops writing. */
void omptape_archive_strings_write(struct omptape_archive_strings *strings, OTF2_GlobalDefWriter *sink);

void omptape_archive_strings_free(struct omptape_archive_strings *strings);
