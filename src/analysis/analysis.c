/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Frees an analysis.
 */
#include "src/analysis/analysis.h"

#include <stdlib.h>

void omptape_analysis_free(struct omptape_analysis *analysis)
{
    if (analysis == NULL)
        return;
    free(analysis->regions);
    free(analysis->loops);
    free(analysis->tasks);
    free(analysis->locks);
    free(analysis->lock_holders);
    free(analysis->phases);
    free(analysis->values);
    free(analysis->sampled);
    free(analysis->serials);
    free(analysis->outliers);
    free(analysis->transfers);
    free(analysis->mpi);
    free(analysis->devices);
    free(analysis->findings);
    omptape_arena_free(&analysis->arena);
    free(analysis);
}
