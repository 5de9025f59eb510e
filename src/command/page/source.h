/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of source around a call site, as the file is now. What archives name as source may be any file:
 * only regular files that are called as sources are, are not large and are text are read, so that a page
 * that is passed on shows nothing else. Of what is somebody else's archive they must be such that its owner
 * could have read them as well: a page gives nobody what was kept from him. On the command's only thread.
 */
#ifndef OMPTAPE_COMMAND_PAGE_SOURCE_H
#define OMPTAPE_COMMAND_PAGE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { PAGE_SOURCE_AROUND = 8 }; /* lines before, and after */

struct page_source {
    char *text;     /* lines, each with its newline; the caller frees it */
    uint32_t first; /* number of the first */
    uint32_t count;
    struct timespec changed; /* the file, last */
};

/* `stranger`: whose the archive is that names the file; NULL: the caller's own. False: there is no such file
 * or line, or it is none that is shown. */
bool omptape_page_source(const char *path, uint32_t line, const uid_t *stranger, struct page_source *source);

#endif
