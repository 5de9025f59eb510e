/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts in JSON. Used by report's JSON and the page's facts.
 */
#ifndef OMPTAPE_COMMAND_TEXT_JSON_H
#define OMPTAPE_COMMAND_TEXT_JSON_H

#include <stdio.h>

/* Writes any bytes as a string, quotes around it: each that is no UTF-8 becomes U+FFFD, what a terminal would
 * obey an escape. */
void omptape_json_quote(FILE *out, const char *text);

#endif
