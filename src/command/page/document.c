/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes pages without scripts: the head common to all pages, and a body (page.h).
 */
#include "src/command/page/page.h"

#include "src/command/text/units.h"

#include <errno.h>
#include <string.h>

/* Writes the text up to the mark and returns the text after the mark. */
static const char *write_until(FILE *out, const char *text, const char *mark)
{
    const char *end = strstr(text, mark);
    fwrite(text, 1, (size_t)(end - text), out);
    return end + strlen(mark);
}

void page_head(FILE *out, const char *title)
{
    const char *at = write_until(out, (const char *)page_head_html, "{{TITLE}}");
    xml_quote(out, title);
    at = write_until(out, at, "{{STYLE}}");
    fputs((const char *)page_css, out);
    fputs(at, out);
}

int page_document(FILE *out, const char *title, int (*write)(FILE *out, const void *data), const void *data)
{
    page_head(out, title);
    fputs("<body class=\"document\">\n<main>\n", out);
    const int status = write(out, data);
    fputs("</main>\n</body>\n</html>\n", out);
    return status == 0 && ferror(out) ? -EIO : status;
}
