/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Follows the critical path backwards from its end (path.h).
 */
#include "src/model/path.h"

#include "src/core/whole.h"

#include <errno.h>
#include <stdlib.h>

static void add_step(const struct model *model, const struct simulate_step *step, struct path *path)
{
    const struct model_op *op = &model->ops.list[step->op];
    if (op->kind == MODEL_SAMPLE) {
        path->samples[op->arg]++;
        path->sampled++;
        return;
    }
    const bool is_work = op->kind == MODEL_WORK || (op->kind == MODEL_CALL_END && !op->flag);
    path->work += is_work ? step->ns : 0;
    (is_work ? path->places : path->lags)[op->place] += step->ns;
    path->threads[step->thread] += step->ns;
}

int path_find(const struct model *model, const struct simulate_result *result, struct path *path)
{
    *path = (struct path){.places = calloc(model->places.count + 1U, sizeof(*path->places)),
                          .lags = calloc(model->places.count + 1U, sizeof(*path->lags)),
                          .threads = calloc(model->threads.count + 1U, sizeof(*path->threads)),
                          .samples = calloc(model->functions.count + 1U, sizeof(*path->samples))};
    if (path->places == NULL || path->lags == NULL || path->threads == NULL || path->samples == NULL)
        return -ENOMEM;
    for (uint32_t step = result->last; step != MODEL_NONE; step = result->steps[step].before)
        add_step(model, &result->steps[step], path);
    path->lag = omptape_minus(result->wall, path->work);
    return 0;
}

void path_free(struct path *path)
{
    free(path->places);
    free(path->lags);
    free(path->threads);
    free(path->samples);
    *path = (struct path){.places = NULL};
}
