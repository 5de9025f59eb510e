/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes JSON to a stream: commas, quotes and escapes. `key` is NULL in lists. Errors stay with the stream
 * (ferror). Used by the page on the command's only thread.
 */
#ifndef OMPTAPE_COMMAND_PAGE_JSON_H
#define OMPTAPE_COMMAND_PAGE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

#endif
