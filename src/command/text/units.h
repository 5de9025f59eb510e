/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats numbers for people.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS_TEXT_BYTES = 40 };

/* A formatted number. `text` of a returned one is valid until the end of the full expression. */
struct units_text {
    char text[UNITS_TEXT_BYTES];
};

/* Formats a number: "1,234,567". */
struct units_text units_count(uint64_t count);
/* Formats a number of things: "1,234 events". Appends "s" to `thing` unless count is 1. */
struct units_text units_things(uint64_t count, const char *thing);
/* Formats a size: "12.3 MiB". */
struct units_text units_bytes(uint64_t bytes);
/* Formats a positive amount with three digits and the unit's prefix: "1.23 kJ", "45.6 MJ". */
struct units_text units_large(double amount, const char *unit);
/* Format a time in nanoseconds, or in seconds: "12.3 ms". */
struct units_text units_time(uint64_t nanoseconds);
struct units_text units_seconds(double seconds);

/* Quotes text for JSON and XML. Used by value_tree.c and by what writes HTML, SVG and JUnit. */

/* Writes any bytes as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD; control characters are
 * escaped. */
void json_quote(FILE *out, const char *text);

/* Writes any bytes as text or attribute value of XML and HTML. Characters that XML 1.0 forbids become '?'. */
void xml_quote(FILE *out, const char *text);
