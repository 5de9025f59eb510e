/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of constructs, as regions of the archive have them, for patterns over them (src/core/filter.h).
 * Constant data: the command, the library and the writer, any thread.
 */
#ifndef OMPTAPE_CORE_CONSTRUCTS_H
#define OMPTAPE_CORE_CONSTRUCTS_H

#include <stdbool.h>
#include <stddef.h>

struct omptape_construct {
    const char *name;    /* "critical sblock", as in the region "!$omp critical sblock @a.c:7" */
    const char *fortran; /* where Fortran's keyword differs, else NULL */
    const char *whole;   /* the construct that this is a part of ("critical"), else NULL */
};

extern const struct omptape_construct omptape_constructs[];
extern const size_t omptape_construct_count;

/* Does the fnmatch(3) pattern name a construct called `name`, or the one that this is a part of? */
bool omptape_construct_matches(const char *name, const char *pattern);

#endif
