/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes JSON (page.h).
 */
#include "src/command/page/page.h"

#include "src/command/text/units.h"

#include <inttypes.h>
#include <math.h>

static void begin_value(struct page_json *json, const char *key)
{
    if (json->more)
        fputc(',', json->out);
    json->more = true;
    if (key != NULL) {
        omptape_json_quote(json->out, key);
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
    omptape_json_quote(json->out, text);
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
