/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file in which a profile (omptape --profile) keeps its results in place of events: the sums (partial.h)
 * and the pyramid of a process. Its name is FOLDER/traces/N.sums; N is the first location of the process.
 *
 * The writer writes the file at the end and with each checkpoint. Unification moves it with the location's
 * other files, but does not read it. Its ids are therefore the writer's, and its times the process's. The
 * location's definition file maps both to the archive. The analysis (sums.c) reads it in place of the
 * process's events.
 *
 * Layout: the magic "omptsums", the number of bytes of the sums, the sums, the pyramid, and a hash of
 * everything before.
 */
#pragma once

#include "src/analysis/reduce/byte_coding.h"
#include "src/analysis/reduce/partial.h"
#include "src/analysis/timeline/pyramid.h"

#define OMPTAPE_SUMS_ENDING ".sums"

/* Serialises an ended pass and an ended pyramid. Returns 0 or -ENOMEM. The caller frees the bytes anyway. */
int omptape_sums_write(struct omptape_bytes *bytes, const struct analysis_state *pass,
                       const struct omptape_pyramid *pyramid);

/* Returns true if this process has a .sums file. */
bool omptape_sums_exist(const struct analysis_planned *process, const struct omptape_reader *reader);
/* Returns true if this process should have a .sums file: it has no events, and the archive is a profile. */
bool omptape_sums_are_expected(const struct analysis_planned *process, struct omptape_reader *reader);
/* Returns true if any process of the archive has a .sums file, and therefore no single events. */
bool omptape_sums_anywhere(const struct omptape_reader *reader);

/* Adds the sums in the process's file to `sums`, or its pyramid to `pyramid`; the other one is NULL. Returns
 * 0, or a negative errno with one line in `error`. */
int omptape_sums_add(struct analysis_state *sums, struct omptape_pyramid *pyramid,
                     const struct analysis_planned *process, struct omptape_reader *reader, char *error,
                     size_t error_bytes);
