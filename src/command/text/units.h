/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats numbers for people. Each function writes to the caller's buffer and returns it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { OMPTAPE_UNIT_BYTES = 40 };

/* Formats a number: "1,234,567". */
const char *omptape_units_count(uint64_t count, char text[OMPTAPE_UNIT_BYTES]);
/* Formats a number of things: "1,234 events". Appends "s" to `thing` unless count is 1. */
const char *omptape_units_things(uint64_t count, const char *thing, char text[OMPTAPE_UNIT_BYTES]);
/* Formats a size: "12.3 MiB". */
const char *omptape_units_bytes(uint64_t bytes, char text[OMPTAPE_UNIT_BYTES]);
/* Format a time in nanoseconds, or in seconds: "12.3 ms". */
const char *omptape_units_time(uint64_t nanoseconds, char text[OMPTAPE_UNIT_BYTES]);
const char *omptape_units_seconds(double seconds, char text[OMPTAPE_UNIT_BYTES]);

/* Quotes text for JSON and XML. Used by value_tree.c and by what writes HTML, SVG and JUnit. */

/* Writes any bytes as a JSON string with its quotes. Replaces invalid UTF-8 by U+FFFD and escapes control
 * characters. */
void omptape_json_quote(FILE *out, const char *text);

/* Writes any bytes as text or attribute value of XML and HTML. Characters that XML 1.0 forbids become '?'. */
void omptape_xml_quote(FILE *out, const char *text);
