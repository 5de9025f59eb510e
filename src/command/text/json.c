/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes texts of JSON (json.h).
 */
#include "src/command/text/json.h"

#include "src/core/words.h"

void omptape_json_quote(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        uint32_t code = 0;
        size_t bytes = omptape_utf8_next(text, &code);
        if (bytes == 0)
            fputs("\\ufffd", out);
        else if (bytes == 1 && (*text == '"' || *text == '\\'))
            fprintf(out, "\\%c", *text);
        else if (bytes == 1 && (code < ' ' || code == 0x7f))
            fprintf(out, "\\u%04x", (unsigned)code);
        else
            fwrite(text, 1, bytes, out);
        text += bytes > 0 ? bytes : 1;
    }
    fputc('"', out);
}
