/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An archive's processes shared among processes that know nothing of each other but their number and how many
 * they are: the ranks of a launcher. Each makes its part. The rank that has all parts merges them. The result
 * is that of one process, to the bit. One thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/reduce/partial.h"

struct analysis_share_of {
    uint32_t number; /* from 0 */
    uint32_t count;
};

/* Reads the events of this part's processes: the largest process of all goes to the part that has least so
 * far, and so on. 0, or a negative errno with one line in `error`. The caller frees the bytes. */
int omptape_analysis_part_make(struct omptape_partial *partial, struct omptape_reader *reader,
                               const struct omptape_analysis_options *options,
                               const struct analysis_share_of *share, char *error, size_t error_bytes);

/* Are these bytes what omptape_analysis_part_make would make? 0; -ESTALE: of something else; or -EBADMSG. */
int omptape_analysis_part_check(const void *bytes, size_t count, struct omptape_reader *reader,
                                const struct omptape_analysis_options *options,
                                const struct analysis_share_of *share);

/* Gets a part's bytes, which the caller frees. 0 or a negative errno. */
typedef int omptape_analysis_part_source(void *data, uint32_t number, struct omptape_partial *partial);

/* Makes the analysis of all parts. What is not there, or is no part of this, is read here. As
 * omptape_analysis_run. */
int omptape_analysis_parts_merge(struct omptape_analysis **analysis, struct omptape_reader *reader,
                                 const struct omptape_analysis_options *options, uint32_t count,
                                 omptape_analysis_part_source *source, void *data, char *error,
                                 size_t error_bytes);
