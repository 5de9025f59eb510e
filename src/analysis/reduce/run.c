/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the analysis of an archive (src/analysis/analysis.h).
 */
#include "src/analysis/mpi/waits.h"
#include "src/analysis/reduce/jobs.h"
#include "src/analysis/state.h"

#include <errno.h>
#include <stdlib.h>

static int add_all(struct analysis_state *sums, char *error, size_t error_bytes)
{
    const struct omptape_analysis_options *options = sums->options;
    if (options != NULL && options->observer != NULL && options->observer->together)
        return omptape_analysis_add_together(sums, error, error_bytes);
    uint32_t count = sums->plan->count;
    uint32_t *all = omptape_calloc(count + (size_t)1, sizeof(*all));
    if (all == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        all[i] = i;
    unsigned jobs = options != NULL && options->observer == NULL ? options->jobs : 1;
    int status = omptape_analysis_add_processes(sums, all, count, jobs, error, error_bytes);
    free(all);
    return status;
}

int omptape_analysis_run(struct omptape_analysis **analysis, struct omptape_reader *reader,
                         const struct omptape_analysis_options *options, char *error, size_t error_bytes)
{
    struct analysis_plan plan;
    *analysis = NULL;
    int status = omptape_analysis_plan_make(&plan, reader, options);
    struct analysis_state *sums = status == 0 ? omptape_analysis_sums_begin(&plan) : NULL;
    status = sums != NULL ? add_all(sums, error, error_bytes) : -ENOMEM;
    if (status == 0)
        omptape_mpi_waits(sums);
    if (status == 0)
        status = omptape_analysis_conclude(analysis, sums, error, error_bytes);
    omptape_analysis_sums_free(sums);
    omptape_analysis_plan_free(&plan);
    return status;
}
