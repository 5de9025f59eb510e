/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the archive's string table.
 */
#include "src/archive/write/strings.h"

#include <stdarg.h>
#include <stdio.h>

OTF2_StringRef omptape_archive_string(struct omptape_archive_strings *strings, const char *text)
{
    /* Reference 0 is the empty string. */
    if (strings->rows.count == 0 && text != NULL && text[0] != '\0')
        (void)omptape_archive_string(strings, "");
    uint32_t before = strings->rows.count;
    uint32_t ref = omptape_rows_text(&strings->rows, text != NULL ? text : "");
    if (strings->sink != NULL && strings->rows.count > before)
        OTF2_GlobalDefWriter_WriteString(strings->sink, ref, omptape_archive_text(strings, ref));
    return ref;
}

OTF2_StringRef omptape_archive_literal(struct omptape_archive_strings *strings, const char *text)
{
    uint32_t i = 0;
    while (i < OMPTAPE_NEAR_LITERALS && strings->near[i].text != NULL && strings->near[i].text != text)
        i++;
    if (i < OMPTAPE_NEAR_LITERALS && strings->near[i].text == text)
        return strings->near[i].ref;
    OTF2_StringRef ref = omptape_archive_string(strings, text);
    if (i < OMPTAPE_NEAR_LITERALS && ref != 0) {
        strings->near[i].text = text;
        strings->near[i].ref = ref;
    }
    return ref;
}

OTF2_StringRef omptape_archive_format(struct omptape_archive_strings *strings, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return omptape_archive_string(strings, text);
}

uint32_t omptape_archive_strings_longest(const struct omptape_archive_strings *strings)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < strings->rows.count; i++)
        longest = strings->rows.list[i].bytes > longest ? strings->rows.list[i].bytes : longest;
    return (uint32_t)longest;
}

void omptape_archive_strings_write(struct omptape_archive_strings *strings, OTF2_GlobalDefWriter *sink)
{
    for (uint32_t i = 0; i < strings->rows.count && sink != NULL; i++)
        OTF2_GlobalDefWriter_WriteString(sink, i, omptape_archive_text(strings, i));
    strings->sink = sink;
}

void omptape_archive_strings_free(struct omptape_archive_strings *strings)
{
    omptape_rows_free(&strings->rows);
}
