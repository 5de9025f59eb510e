/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats numbers for people (units.h). Used by the subcommands and the summary.
 */
#include "src/command/text/units.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <string.h>

struct units_text units_count(uint64_t count)
{
    struct units_text result;
    (void)omptape_count(count, result.text);
    return result;
}

struct units_text units_things(uint64_t count, const char *thing)
{
    struct units_text result = units_count(count);
    omptape_append(result.text, UNITS_TEXT_BYTES, " %s%s", thing, count == 1 ? "" : "s");
    return result;
}

struct units_text units_bytes(uint64_t bytes)
{
    struct units_text result;
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(result.text, UNITS_TEXT_BYTES, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return result;
}

struct units_text units_large(double amount, const char *unit)
{
    struct units_text result;
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    size_t prefix = 0;

    while (amount >= 999.5 && prefix + 1 < sizeof(prefixes) / sizeof(prefixes[0])) {
        amount /= 1000;
        prefix++;
    }
    (void)snprintf(result.text, UNITS_TEXT_BYTES, "%.3g %s%s", amount, prefixes[prefix], unit);
    return result;
}

struct units_text units_time(uint64_t nanoseconds)
{
    struct units_text result;
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = (double)nanoseconds;
    size_t unit = 0;
    /* The limits are those of rounding: what rounds up to 10, 100 or 1000 has that one's digits. */
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1000;
        unit++;
    }
    int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    (void)snprintf(result.text, UNITS_TEXT_BYTES, "%.*f %s", digits, value, units[unit]);
    return result;
}

struct units_text units_seconds(double seconds)
{
    const double ns = 1e9;
    return units_time(omptape_whole(ns * seconds));
}

void json_quote(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        size_t bytes = 0;
        const char *one = omptape_utf8_replace(&text, &bytes);
        if (*one == '"' || *one == '\\')
            fprintf(out, "\\%c", *one);
        else if (bytes == 1 && ((unsigned char)*one < ' ' || *one == 0x7f))
            fprintf(out, "\\u%04x", (unsigned)*one);
        else
            fwrite(one, 1, bytes, out);
    }
    fputc('"', out);
}

void xml_quote(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t bytes;
        const char *character = omptape_utf8_replace(&text, &bytes);
        const unsigned char first = (unsigned char)character[0];
        if (bytes == 1 && strchr("<>&\"'", first) != NULL)
            fprintf(out, "&#%u;", first);
        else if (first < ' ' && strchr("\t\n\r", first) == NULL)
            fputc('?', out);
        else
            fwrite(character, 1, bytes, out);
    }
}
