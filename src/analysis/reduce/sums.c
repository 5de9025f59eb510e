/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs passes over the archive's events and adds up their sums (sums.h). Runs the analysis of an archive
 * (src/analysis/analysis.h).
 */
#include "src/analysis/reduce/sums.h"

#include "src/analysis/findings/gathering.h"
#include "src/analysis/locks.h"
#include "src/analysis/mpi/mpi.h"
#include "src/analysis/reduce/partial.h"
#include "src/analysis/reduce/profile.h"
#include "src/analysis/reduce/readings.h"
#include "src/analysis/reduce/table.h"
#include "src/analysis/reduce/timelines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct analysis_state *omptape_analysis_sums_begin(const struct analysis_plan *plan)
{
    omptape_out_of_memory = false;
    struct analysis_state *sums = omptape_pass_begin(plan, 0, plan->count);
    if (sums == NULL || plan->options == NULL || plan->options->pyramid == NULL)
        return sums;
    sums->timelines = omptape_partial_timelines_new(plan);
    if (sums->timelines == NULL) {
        omptape_pass_free(sums);
        return NULL;
    }
    return sums;
}

void omptape_analysis_sums_free(struct analysis_state *sums)
{
    if (sums != NULL)
        omptape_partial_timelines_free(sums->timelines);
    omptape_pass_free(sums);
}

int omptape_analysis_add_partial(struct analysis_state *sums, const void *bytes, size_t count,
                                 uint64_t identity, char *error, size_t error_bytes)
{
    int status = omptape_partial_add(sums, bytes, count, identity, NULL);
    switch (status) {
    case 0:
    case -ENOMEM:
        break;
    case -ESTALE:
        snprintf(error, error_bytes, "the partial result is of another version or archive");
        break;
    case -EEXIST:
        snprintf(error, error_bytes, "two partial results have the same process");
        break;
    default:
        snprintf(error, error_bytes, "the partial result is damaged");
    }
    return status;
}

/* Reads the locations' events into the pass and adds its result to the sums. */
static int add_pass(struct analysis_state *sums, struct analysis_state *pass, const uint64_t *locations,
                    uint32_t location_count, char *error, size_t error_bytes)
{
    struct omptape_partial partial = {0};
    int status = omptape_readings_read(pass, locations, location_count);
    if (status != 0)
        return -ENOMEM;
    status = omptape_reader_read_locations(pass->reader, locations, location_count, omptape_pass_event, pass,
                                           error, error_bytes);
    if (!omptape_pass_end(pass))
        status = -ENOMEM;
    if (status == 0 && omptape_partial_write(&partial, pass, 0) != 0)
        status = -ENOMEM;
    if (status == 0)
        status = omptape_analysis_add_partial(sums, partial.bytes, partial.count, 0, error, error_bytes);
    free(partial.bytes);
    return status;
}

static int add_process(struct analysis_state *sums, const struct analysis_planned *process,
                       const struct omptape_analysis_options *options, char *error, size_t error_bytes)
{
    struct analysis_state *pass = omptape_pass_begin(sums->plan, process->index, 1);
    if (pass == NULL)
        return -ENOMEM;
    omptape_pass_set_options(pass, options);
    int status = add_pass(sums, pass, process->locations, process->location_count, error, error_bytes);
    sums->stopped = pass->stopped;
    omptape_pass_free(pass);
    return status;
}

static int add_with_timeline(struct analysis_state *sums, const struct analysis_planned *process, char *error,
                             size_t error_bytes)
{
    struct omptape_pyramid *pyramid = omptape_partial_timeline_begin(process, sums->options->pyramid);
    if (pyramid == NULL)
        return -ENOMEM;
    const struct omptape_analysis_observer observer = omptape_pyramid_observer(pyramid);
    struct omptape_analysis_options observed = *sums->options;
    observed.observer = &observer;
    int status = add_process(sums, process, &observed, error, error_bytes);
    if (status == 0 && omptape_partial_timeline_keep(sums->timelines, process, pyramid) != 0)
        status = -ENOMEM;
    omptape_pyramid_free(pyramid);
    return status;
}

int omptape_analysis_add_process(struct analysis_state *sums, uint32_t index, char *error, size_t error_bytes)
{
    const struct analysis_planned *process = &sums->plan->processes[index];
    if (omptape_sums_exist(process, sums->reader) || omptape_sums_are_expected(process, sums->reader))
        return omptape_sums_add(sums, NULL, process, sums->reader, error, error_bytes);
    return sums->timelines != NULL ? add_with_timeline(sums, process, error, error_bytes)
                                   : add_process(sums, process, sums->options, error, error_bytes);
}

/* Analyses all processes in one order of time. */
static int add_together(struct analysis_state *sums, char *error, size_t error_bytes)
{
    const struct analysis_plan *plan = sums->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        count += plan->processes[i].location_count;
    uint64_t *locations = omptape_calloc(count + (size_t)1, sizeof(*locations));
    struct analysis_state *pass = omptape_pass_begin(plan, 0, plan->count);
    int status = locations != NULL && pass != NULL ? 0 : -ENOMEM;
    count = 0;
    for (uint32_t i = 0; i < plan->count && status == 0; i++)
        for (uint32_t j = 0; j < plan->processes[i].location_count; j++)
            locations[count++] = plan->processes[i].locations[j];
    if (status == 0)
        status = add_pass(sums, pass, locations, count, error, error_bytes);
    omptape_pass_free(pass);
    free(locations);
    return status;
}

/* Fills the pyramid; for processes of a profile from the pyramids that their writers kept. */
static int join_timelines(const struct analysis_state *sums, char *error, size_t error_bytes)
{
    struct omptape_pyramid *whole = sums->options->pyramid;
    int status = 0;
    for (uint32_t i = 0; i < sums->plan->count && status == 0; i++) {
        const struct analysis_planned *process = &sums->plan->processes[i];
        if (sums->timelines->list[i].bytes == NULL && omptape_sums_exist(process, sums->reader))
            status = omptape_sums_add(NULL, whole, process, sums->reader, error, error_bytes);
        else if (sums->timelines->list[i].bytes != NULL)
            status = omptape_partial_timeline_join(&sums->timelines->list[i], whole);
        if (status != 0 && status != -ENOMEM && sums->timelines->list[i].bytes != NULL)
            snprintf(error, error_bytes, "the partial result is damaged");
        free(sums->timelines->list[i].bytes);
        sums->timelines->list[i].bytes = NULL;
    }
    return status;
}

int omptape_analysis_conclude(struct omptape_analysis **analysis, struct analysis_state *sums, char *error,
                              size_t error_bytes)
{
    if (sums->timelines != NULL) {
        int status = join_timelines(sums, error, error_bytes);
        if (status != 0)
            return status;
    }
    bool good = !omptape_out_of_memory && omptape_analysis_tables_sort(sums);
    int status = good ? omptape_analysis_results(sums) : -ENOMEM;
    omptape_analysis_locks_free(sums);
    *analysis = sums->result;
    sums->result = NULL;
    return status;
}

static int add_all(struct analysis_state *sums, char *error, size_t error_bytes)
{
    const struct omptape_analysis_options *options = sums->options;
    if (options != NULL && options->observer != NULL && options->observer->together)
        return add_together(sums, error, error_bytes);
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
