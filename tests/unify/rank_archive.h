/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the makers of jobs that never ran share (make_parts.c, make_ranks.c): archives of ranks and what
 * omptape says in each. All end the program with a line if something fails.
 */
#pragma once

#include <otf2/otf2.h>
#include <stdbool.h>

enum { RANK_PATH_BYTES = 4096 };

void rank_must(bool good, const char *what);
void rank_succeed(OTF2_ErrorCode code);

/* A new archive called `name` in DIR/rank-R, whose path `folder` gets. */
OTF2_Archive *rank_archive_open(const char *dir, unsigned rank, const char *name,
                                char folder[RANK_PATH_BYTES]);

/* The property OMPTAPE::KEY. */
void rank_archive_set(OTF2_Archive *archive, const char *key, const char *format, unsigned long long number);
