/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ranks of a job are not there, launch by launch (order.h). Called by the child process of
 * omptape_unify when all parts are read.
 */
#include "src/unify/order.h"

#include <omptape/properties.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct launch {
    const char *job;
    const char *step;
    uint64_t size;
    bool *there; /* by rank */
};

static const char *text_of(const struct omptape_unify_process *process, const char *key)
{
    const char *text = omptape_unify_property(process, key);
    return text != NULL ? text : "";
}

static bool is_of(const struct launch *launch, const struct omptape_unify_process *process)
{
    return process->clock.rank >= 0 && strcmp(text_of(process, OMPTAPE_KEY_JOB), launch->job) == 0 &&
           strcmp(text_of(process, OMPTAPE_KEY_STEP), launch->step) == 0;
}

/* "3, 7-9". 0: none is missing. */
static uint64_t list(const struct launch *launch, char *text, size_t bytes)
{
    uint64_t missing = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint64_t rank = 0; rank < launch->size; rank++) {
        uint64_t first = rank;
        while (rank < launch->size && !launch->there[rank])
            rank++;
        if (rank == first)
            continue;
        missing += rank - first;
        int n = rank - first == 1
                    ? snprintf(text + used, bytes - used, "%s%" PRIu64, used > 0 ? ", " : "", first)
                    : snprintf(text + used, bytes - used, "%s%" PRIu64 "-%" PRIu64, used > 0 ? ", " : "",
                               first, rank - 1);
        if (n > 0 && (size_t)n < bytes - used)
            used += (size_t)n;
    }
    return missing;
}

static void fill(const struct omptape_unify_model *model, struct launch *launch)
{
    enum { MOST_RANKS = 1 << 24 };
    for (uint32_t i = 0; i < model->process_count; i++) {
        uint64_t one = is_of(launch, &model->processes[i])
                           ? omptape_unify_number(&model->processes[i], OMPTAPE_KEY_SIZE, 0)
                           : 0;
        launch->size = one > launch->size && one < MOST_RANKS ? one : launch->size;
    }
    launch->there = calloc(launch->size + 1, sizeof(*launch->there));
    for (uint32_t i = 0; i < model->process_count && launch->there != NULL; i++) {
        int64_t rank = model->processes[i].clock.rank;
        if (is_of(launch, &model->processes[i]) && (uint64_t)rank < launch->size)
            launch->there[rank] = true;
    }
}

/* One of the processes before was of the same launch. */
static bool is_known(const struct omptape_unify_model *model, const struct launch *launch, uint32_t process)
{
    for (uint32_t i = 0; i < process; i++)
        if (is_of(launch, &model->processes[i]))
            return true;
    return false;
}

static bool is_only(const struct omptape_unify_model *model, const struct launch *launch)
{
    for (uint32_t i = 0; i < model->process_count; i++)
        if (model->processes[i].clock.rank >= 0 && !is_of(launch, &model->processes[i]))
            return false;
    return true;
}

static void tell(const struct omptape_unify_model *model, const struct launch *launch, char *line,
                 size_t bytes)
{
    char ranks[OMPTAPE_UNIFY_ERROR_BYTES / 2];
    char whose[OMPTAPE_UNIFY_ERROR_BYTES / 4] = "";
    uint64_t missing = launch->there != NULL ? list(launch, ranks, sizeof(ranks)) : 0;
    line[0] = '\0';
    if (missing == 0)
        return;
    if (!is_only(model, launch))
        snprintf(whose, sizeof(whose), " of %s%s%s", launch->job, launch->step[0] != '\0' ? "." : "",
                 launch->step);
    snprintf(line, bytes,
             missing == 1 ? "rank %s of %" PRIu64
                            "%s left no trace: it used no OpenMP, or was killed with its writer"
                          : "ranks %s of %" PRIu64
                            "%s left no trace: they used no OpenMP, or were killed with their writers",
             ranks, launch->size, whose);
}

void omptape_unify_find_missing(struct omptape_unify_model *model, char *text, size_t bytes)
{
    char line[OMPTAPE_UNIFY_ERROR_BYTES];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < model->process_count; i++) {
        const struct omptape_unify_process *process = &model->processes[i];
        struct launch launch = {.job = text_of(process, OMPTAPE_KEY_JOB),
                                .step = text_of(process, OMPTAPE_KEY_STEP)};
        if (process->clock.rank < 0 || is_known(model, &launch, i))
            continue;
        fill(model, &launch);
        tell(model, &launch, line, sizeof(line));
        free(launch.there);
        if (line[0] == '\0')
            continue;
        omptape_unify_text(&model->warnings, line);
        int n = snprintf(text + used, bytes - used, "%s%s", used > 0 ? "; " : "", line);
        used = n > 0 && (size_t)n < bytes - used ? used + (size_t)n : bytes - 1;
    }
}
