/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers as people read them. Each function writes into a buffer of the caller and returns it.
 */
#ifndef OMPTAPE_COMMAND_TEXT_UNITS_H
#define OMPTAPE_COMMAND_TEXT_UNITS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { OMPTAPE_UNIT_BYTES = 40 };

/* "1,234,567" */
const char *omptape_units_count(uint64_t count, char text[OMPTAPE_UNIT_BYTES]);
/* "1,234 events"; the plural is made by an "s". */
const char *omptape_units_things(uint64_t count, const char *thing, char text[OMPTAPE_UNIT_BYTES]);
/* "12.3 MiB" */
const char *omptape_units_bytes(uint64_t bytes, char text[OMPTAPE_UNIT_BYTES]);
/* "12.3 ms" */
const char *omptape_units_time(uint64_t nanoseconds, char text[OMPTAPE_UNIT_BYTES]);

/* Texts in JSON. Used by report's JSON and the page's facts. */

/* Writes any bytes as a string, quotes around it: each that is no UTF-8 becomes U+FFFD, what a terminal would
 * obey an escape. */
void omptape_json_quote(FILE *out, const char *text);

/* The same between marks or quotes of XML and HTML. What XML 1.0 does not allow becomes '?'. */
void omptape_xml_quote(FILE *out, const char *text);

#endif
