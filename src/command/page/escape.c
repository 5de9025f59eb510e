/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Escapes text (escape.h).
 */
#include "src/command/page/escape.h"

#include "src/core/words.h"

#include <stdbool.h>

/* Those that XML 1.0 does not allow, as references neither. */
static bool is_forbidden(char one)
{
    return (unsigned char)one < ' ' && one != '\t' && one != '\n' && one != '\r';
}

void omptape_page_escape(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t bytes = 0;
        const char *one = omptape_utf8_replace(&text, &bytes);
        switch (*one) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            if (is_forbidden(*one))
                fputc('?', out);
            else
                fwrite(one, 1, bytes, out);
        }
    }
}
