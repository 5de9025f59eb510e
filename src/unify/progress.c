/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signs of life (progress.h).
 */
#include "src/unify/progress.h"

#include "src/folder/claim.h"

enum { TOUCH_SECONDS = 10 };

static time_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

void omptape_unify_progress_begin(struct omptape_unify_progress *progress, int folder, bool silent)
{
    *progress = (struct omptape_unify_progress){.folder = folder, .touched = seconds_now()};
    omptape_progress_begin(&progress->progress, silent);
}

void omptape_unify_progress_step(struct omptape_unify_progress *progress, const char *what, uint32_t total)
{
    progress->what = what;
    progress->done = 0;
    progress->total = total;
}

void omptape_unify_progress_beat(struct omptape_unify_progress *progress)
{
    time_t now = seconds_now();
    if (now - progress->touched >= TOUCH_SECONDS) {
        omptape_claim_touch(progress->folder, OMPTAPE_UNIFY_LOCK);
        progress->touched = now;
    }
    if (progress->what != NULL && omptape_progress_is_due(&progress->progress))
        omptape_progress_draw("unifying: %u of %u %s", (unsigned)progress->done, (unsigned)progress->total,
                              progress->what);
}
