/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds texts in records. Called by what translates records of devices, the host's and their own.
 */
#include "writers/devices/text.h"

#include <string.h>

const char *omptape_device_text(const struct omptape_record *record, size_t at, size_t *next)
{
    size_t words = (size_t)record->words - OMPTAPE_RECORD_HEADER_WORDS;
    if (at >= words)
        return "";
    const char *text = (const char *)&record->p[at];
    size_t length = strnlen(text, (words - at) * 8);
    if (length == (words - at) * 8)
        return "";
    if (next != NULL)
        *next = at + length / 8 + 1;
    return text;
}
