/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's string table. References are given out while the trace streams; the definitions are written
 * at the end.
 */
#ifndef OMPTAPE_WRITERS_ARCHIVE_STRINGS_H
#define OMPTAPE_WRITERS_ARCHIVE_STRINGS_H

#include "writers/model/idmap.h"

#include <otf2/otf2.h>
#include <stdint.h>

/* All zero: none. */
struct omptape_archive_strings {
    char **list; /* by reference */
    uint32_t count;
    uint32_t capacity;
    struct omptape_idmap index;
    /* once it is open, a new string is written at once: before whatever refers to it */
    OTF2_GlobalDefWriter *sink;
};

/* The reference of a text; the same text has the same reference. 0, the empty string, when memory is out. */
OTF2_StringRef omptape_archive_string(struct omptape_archive_strings *strings, const char *text);
OTF2_StringRef omptape_archive_format(struct omptape_archive_strings *strings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes all strings so far to the global definitions, and from now on each new one; NULL: no more. */
void omptape_archive_strings_write(struct omptape_archive_strings *strings, OTF2_GlobalDefWriter *sink);

void omptape_archive_strings_free(struct omptape_archive_strings *strings);

#endif
