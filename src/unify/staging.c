/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the staging in a guarded child process, whose progress the parent shows and supervises (plan.h).
 */

#include "src/core/guarded_child.h"
#include "src/core/message.h"
#include "src/unify/connections.h"
#include "src/unify/plan.h"
#include "src/unify/reading.h"

#include <errno.h>
#include <omptape/properties.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool set_parts(struct omptape_unify_model *model, const struct omptape_unify_search *search,
                      uint32_t *indexes)
{
    model->parts = omptape_calloc(search->count + 1U, sizeof(*model->parts));
    if (model->parts == NULL)
        return false;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct omptape_unify_found *found = &search->list[i];
        if (found->why == NULL && !found->ignored) {
            indexes[model->part_count] = i;
            model->parts[model->part_count++].folder = found->folder;
        }
    }
    return true;
}

static void warn_of_others(struct omptape_unify_model *model, const struct omptape_unify_search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        char text[OMPTAPE_UNIFY_PATH_BYTES + OMPTAPE_UNIFY_ERROR_BYTES];
        const struct omptape_unify_found *found = &search->list[i];
        if (found->why == NULL || found->ignored)
            continue;
        snprintf(text, sizeof(text), "%s is not in the archive: %s",
                 found->folder[0] != '\0' ? found->folder : "a process", found->why);
        omptape_rows_text(&model->kinds[OMPTAPE_UNIFY_WARNING], text);
    }
}

static int date_processes(struct omptape_unify_model *model, const struct omptape_unify_offsets *offsets)
{
    struct omptape_unify_clock **clocks = omptape_calloc(model->process_count + 1U, sizeof(*clocks));
    if (clocks == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < model->process_count; i++)
        clocks[i] = &model->processes[i].clock;
    int result = omptape_unify_convert_clocks(&model->conversion, clocks, model->process_count, offsets);
    free(clocks);
    return result;
}

static int read_parts(struct omptape_unify_model *model, int folder, const uint32_t *indexes,
                      struct omptape_unify_outcome *outcome)
{
    outcome->total = model->part_count;
    for (uint32_t i = 0; i < model->part_count; i++) {
        outcome->part = indexes[i];
        if (omptape_unify_read(model, i, folder) != 0)
            return -1;
        outcome->done++;
    }
    outcome->part = UINT32_MAX;
    return 0;
}

/* Returns true if no archive must be written. A single rank's archive in a subfolder is still moved up. */
static bool is_done(const struct omptape_unify_model *model, const struct omptape_unify_offsets *offsets,
                    const struct omptape_unify_order_correction *correction)
{
    if (model->part_count == 0)
        return true;
    if (correction != NULL)
        return model->part_count > 1 || !model->parts[0].unified;
    if (model->part_count > 1 || model->parts[0].folder[0] != '\0')
        return false;
    return !model->parts[0].unified || offsets->count == 0;
}

static int write_staged(struct omptape_unify_model *model, int folder, int staging,
                        const struct omptape_unify_offsets *offsets,
                        const struct omptape_unify_order_correction *correction,
                        struct omptape_unify_outcome *outcome)
{
    if (date_processes(model, offsets) == 0)
        omptape_unify_find_unmeasured(&model->conversion, offsets, outcome->unmeasured,
                                      sizeof(outcome->unmeasured));
    outcome->clocks = model->conversion.domain_count;
    for (uint32_t i = 0; i < model->process_count; i++)
        outcome->events += omptape_unify_number(&model->processes[i], OMPTAPE_KEY_EVENTS, 0);
    if (!omptape_unify_failed(model))
        omptape_unify_resolve_connections(model);
    if (!omptape_unify_failed(model) && correction != NULL)
        (void)omptape_unify_correct_order(model, correction, &outcome->beats);
    if (omptape_unify_failed(model) || omptape_unify_write(model, staging) != 0)
        return -1;
    int result = omptape_unify_plan_write(model, folder, staging);
    if (result != 0)
        omptape_unify_fail(model, "cannot write the plan: %s", omptape_cause(result));
    return result;
}

static void stage_parts(int folder, int staging, const struct omptape_unify_search *search,
                        const struct omptape_unify_offsets *offsets,
                        const struct omptape_unify_order_correction *correction,
                        struct omptape_unify_outcome *outcome)
{
    struct omptape_unify_model model = {.files = -1, .beats = &outcome->beats};
    uint32_t *indexes = omptape_calloc(search->count + 1U, sizeof(*indexes));
    enum omptape_unify_result result = OMPTAPE_UNIFY_FAILED;
    outcome->part = UINT32_MAX;
    if (indexes == NULL || !set_parts(&model, search, indexes) ||
        omptape_unify_order(&model, folder, indexes, &outcome->part) != 0) {
        snprintf(outcome->line, sizeof(outcome->line), "out of memory");
    } else if (read_parts(&model, folder, indexes, outcome) == 0) {
        outcome->processes = model.process_count;
        outcome->locations = model.location_count;
        model.written = &outcome->written;
        omptape_unify_find_missing(&model, search, outcome->missing, sizeof(outcome->missing));
        warn_of_others(&model, search);
        if (is_done(&model, offsets, correction))
            result = OMPTAPE_UNIFY_NOTHING_NEW;
        else if (write_staged(&model, folder, staging, offsets, correction, outcome) == 0)
            result = OMPTAPE_UNIFY_STAGED;
    } else {
        result = model.not_a_part ? OMPTAPE_UNIFY_NO_PART : OMPTAPE_UNIFY_PART_BAD;
    }
    if (omptape_unify_failed(&model))
        snprintf(outcome->line, sizeof(outcome->line), "%s", model.error);
    omptape_unify_model_free(&model);
    free(indexes);
    outcome->result = result; /* set last: after a crash it keeps its initial value */
}

/* Arguments of the child, and what its parent needs to show the progress. */
struct staging_child {
    int folder;
    int staging;
    const struct omptape_unify_search *search;
    const struct omptape_unify_offsets *offsets;
    const struct omptape_unify_order_correction *correction;
    struct omptape_unify_progress *progress;
    struct omptape_unify_outcome *outcome;
};

static void stage_in_child(void *data)
{
    const struct staging_child *child = data;
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit becomes a normal write error */
    stage_parts(child->folder, child->staging, child->search, child->offsets, child->correction,
                child->outcome);
}

static uint64_t show_progress(void *data)
{
    const struct staging_child *child = data;
    const volatile struct omptape_unify_outcome *outcome = child->outcome;
    uint32_t read = outcome->done;
    uint32_t written = outcome->written;
    if (written == 0)
        omptape_unify_progress_step(child->progress, "archives read", outcome->total);
    else
        omptape_unify_progress_step(child->progress, "threads defined", outcome->locations);
    child->progress->done = written == 0 ? read : written;
    omptape_unify_progress_update(child->progress);
    return ((uint64_t)read << 32 | written) + (outcome->beats << 16);
}

void omptape_unify_stage(int folder, int staging, const struct omptape_unify_search *search,
                         const struct omptape_unify_offsets *offsets,
                         const struct omptape_unify_order_correction *correction,
                         struct omptape_unify_progress *progress, struct omptape_unify_outcome *outcome)
{
    int status = 0;
    struct omptape_unify_outcome *shared = omptape_guarded_memory(sizeof(*shared));
    *outcome = (struct omptape_unify_outcome){.result = OMPTAPE_UNIFY_FAILED, .part = UINT32_MAX};
    if (shared == NULL) {
        snprintf(outcome->line, sizeof(outcome->line), "%s", strerror(errno));
        return;
    }
    struct staging_child child = {folder, staging, search, offsets, correction, progress, shared};
    shared->part = UINT32_MAX;
    int result = omptape_guarded_child(stage_in_child, show_progress, &child, &status);
    if (result == 0 || result == -ETIMEDOUT)
        *outcome = *shared;
    else
        snprintf(outcome->line, sizeof(outcome->line), "%s", omptape_cause(result));
    munmap(shared, sizeof(*shared));
}
