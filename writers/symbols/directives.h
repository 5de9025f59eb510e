/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists OpenMP directives of a source file, for positions that compilers do not record. Called by
 * writers/symbols/directive_lines.c on the writer's thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct omptape_directive {
    unsigned line; /* First line. */
    unsigned last; /* Last line: a directive may continue after a '\' or '&'. */
    /* Line of the next directive in the list. 0: there is none, or only conditions of the preprocessor are
     * between. Then both may have code. */
    unsigned next;
    const char *word;
    bool nowait;  /* True if it has no barrier, or a different one (copyprivate). */
    bool dynamic; /* True if it has a schedule other than static, or ordered iterations. */
};

enum { OMPTAPE_MAX_DIRECTIVES = 1024 };

/* Lists the directives, in order of lines, that begin with one of the words (for example "single"), also
 * after "parallel". `list` has OMPTAPE_MAX_DIRECTIVES entries. Returns the number of directives. Returns 0
 * if the file is missing, unreadable, too large or was changed after `built`. Also returns 0 if it has too
 * many directives, or uses _Pragma. Comments and quoted text are not recognised. */
size_t omptape_directives_list(const char *path, time_t built, bool fortran, const char *const *words,
                               struct omptape_directive *list);
