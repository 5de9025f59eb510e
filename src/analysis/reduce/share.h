/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Divides the processes of an archive among processes that only know their number and count: the ranks of a
 * launcher. Each rank makes its part. The rank that has all parts merges them. The result is identical to a
 * run in one process. One thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/reduce/partial.h"

struct analysis_share_of {
    uint32_t number; /* from 0 */
    uint32_t count;
};

/* Reads the events of this part's processes. Processes are assigned by size: the next largest one goes to the
 * part with the fewest events. Returns 0, or a negative errno with `error`. The caller frees the bytes. */
int omptape_analysis_part_make(struct omptape_partial *partial, struct omptape_reader *reader,
                               const struct omptape_analysis_options *options,
                               const struct analysis_share_of *share, char *error, size_t error_bytes);

/* Checks that the bytes are a result of omptape_analysis_part_make for this share. Returns 0; -ESTALE if
 * they belong to something else; or -EBADMSG. */
int omptape_analysis_part_check(const void *bytes, size_t count, struct omptape_reader *reader,
                                const struct omptape_analysis_options *options,
                                const struct analysis_share_of *share);

/* Gets the bytes of a part; the caller frees them. Returns 0 or a negative errno. */
typedef int omptape_analysis_part_source(void *data, uint32_t number, struct omptape_partial *partial);

/* Makes the analysis of all parts. Missing and invalid parts are analysed here. Returns as
 * omptape_analysis_run. */
int omptape_analysis_parts_merge(struct omptape_analysis **analysis, struct omptape_reader *reader,
                                 const struct omptape_analysis_options *options, uint32_t count,
                                 omptape_analysis_part_source *source, void *data, char *error,
                                 size_t error_bytes);
