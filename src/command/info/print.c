/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Output helpers of `omptape info`: titles, labelled fields with wrapped text, times and numbers.
 */
#include "src/command/info/state.h"

#include "src/command/text/units.h"
#include <omptape/properties.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ROTATION = 4 };

void info_title(struct info *info, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputc('\n', info->out);
    vfprintf(info->out, format, arguments);
    fputc('\n', info->out);
    va_end(arguments);
}

/* Returns the columns of the text's first `bytes` bytes, one per character. */
static size_t columns(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Returns the length up to the last separator that fits, else up to the first one or the end. */
static size_t length_to(const char *text, size_t width, const char *separator)
{
    const size_t blank = strlen(separator) - 1;
    size_t best = strlen(text);
    for (const char *at = strstr(text, separator); at != NULL; at = strstr(at + 1, separator)) {
        size_t length = (size_t)(at - text) + blank;
        if (best != strlen(text) && columns(text, length) > width)
            break;
        best = length;
    }
    return best;
}

/* Returns the length of the next line. Breaks after a comma in the second half of the line if there is one,
 * so that an item of a list stays whole. Otherwise breaks at the last blank that fits. */
static size_t line_length(const char *text, size_t width)
{
    const size_t whole = strlen(text);
    if (columns(text, whole) <= width)
        return whole;
    const size_t item = length_to(text, width, ", ");
    const size_t item_columns = columns(text, item);
    return item_columns <= width && item_columns > width / 2 ? item : length_to(text, width, " ");
}

void info_field(struct info *info, const char *label, const char *format, ...)
{
    char raw[INFO_TEXT_BYTES];
    char text[INFO_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof(raw), format, arguments);
    va_end(arguments);
    const char *at = omptape_cut_text(raw, text, sizeof(text));
    do {
        size_t length = line_length(at, INFO_LINE_WIDTH - INFO_LABEL_WIDTH - 3);
        fprintf(info->out, "  %-*s %.*s\n", INFO_LABEL_WIDTH, label, (int)length, at);
        at += length;
        at += strspn(at, " ");
        label = "";
    } while (*at != '\0');
}

void info_optional(struct info *info, const char *label, const char *text)
{
    if (text != NULL && text[0] != '\0')
        info_field(info, label, "%s", text);
}

const char *info_time(const struct info *info, uint64_t ticks)
{
    static struct units_text texts[ROTATION];
    static unsigned next;
    uint64_t resolution = info->reader->clock_resolution;
    double nanoseconds = resolution == 0 ? 0 : (double)ticks * 1e9 / (double)resolution;
    next = (next + 1) % ROTATION;
    texts[next] = units_time(nanoseconds < 1.8e19 ? (uint64_t)nanoseconds : UINT64_MAX);
    return texts[next].text;
}

const char *info_number(uint64_t number)
{
    static struct units_text texts[ROTATION];
    static unsigned next;
    next = (next + 1) % ROTATION;
    texts[next] = units_count(number);
    return texts[next].text;
}

const char *info_property(struct info *info, const char *key)
{
    char name[128];
    snprintf(name, sizeof(name), "%s%s", OMPTAPE_PROPERTY_PREFIX, key);
    return omptape_reader_property(info->reader, name);
}

uint64_t info_property_number(struct info *info, const char *key)
{
    return omptape_reader_number_of(info->reader, -1, key);
}

size_t info_values(const struct omptape_pairs *table, void ***values)
{
    size_t count = 0;
    *values = omptape_calloc(table->count + 1, sizeof(**values));
    if (*values == NULL)
        return 0;
    for (uint32_t i = 0; i < table->count; i++)
        (*values)[count++] = table->list[i].value;
    return count;
}
