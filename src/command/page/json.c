/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes JSON (json.h).
 */
#include "src/command/page/json.h"

#include <inttypes.h>
#include <math.h>

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++)
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < 0x20 || *at == '<' || *at == 0x7f)
            fprintf(out, "\\u%04x", *at);
        else
            fputc(*at, out);
    fputc('"', out);
}

static void begin_value(struct page_json *json, const char *key)
{
    if (json->more)
        fputc(',', json->out);
    json->more = true;
    if (key != NULL) {
        write_text(json->out, key);
        fputc(':', json->out);
    }
}

void omptape_json_open(struct page_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->out);
    json->more = false;
}

void omptape_json_close(struct page_json *json, char bracket)
{
    fputc(bracket, json->out);
    json->more = true;
}

void omptape_json_text(struct page_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    write_text(json->out, text);
}

void omptape_json_count(struct page_json *json, const char *key, uint64_t count)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, count);
}

void omptape_json_number(struct page_json *json, const char *key, double number)
{
    begin_value(json, key);
    if (isfinite(number))
        fprintf(json->out, "%.15g", number);
    else
        fputs("null", json->out);
}
