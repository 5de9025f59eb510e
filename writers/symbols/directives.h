/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenMP's directives as they stand in a source file, for what compilers do not tell of their place. Called
 * by writers/symbols/written.c, on the writer's thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct omptape_directive {
    unsigned line; /* where it begins, */
    unsigned last; /* ...and its last one: a directive may go on behind a '\' or '&' */
    unsigned next; /* where the next one of the list begins; 0: there is none, or nothing but conditions of
                      the preprocessor between, so that there may be code of either */
    const char *word;
    bool nowait;  /* has no barrier of its own, or one that is not like others (copyprivate) */
    bool dynamic; /* has a schedule that is not static, or ordered iterations */
};

enum { OMPTAPE_MAX_DIRECTIVES = 1024 };

/* The directives of the file that begin with one of the words ("single"), or have it behind "parallel", from
 * the first line on. `list` has OMPTAPE_MAX_DIRECTIVES entries. Returns how many there are. 0 also where
 * there is no file, or it cannot be read, is too large or was changed after `built`. The same if it has too
 * many directives, or some that are no lines (_Pragma). Comments and text between quotes are not recognised.
 * */
size_t omptape_directives_list(const char *path, time_t built, bool fortran, const char *const *words,
                               struct omptape_directive *list);
