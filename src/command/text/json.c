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
