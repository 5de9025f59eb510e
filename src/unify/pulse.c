/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signs of life (pulse.h). Called by omptape_unify in all its steps, one thread.
 */
#include "src/unify/pulse.h"

#include "src/unify/lock.h"

enum { TOUCH_SECONDS = 10 };

static time_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

void omptape_unify_pulse_begin(struct omptape_unify_pulse *pulse, int folder, bool silent)
{
    *pulse = (struct omptape_unify_pulse){.folder = folder, .touched = seconds_now()};
    omptape_progress_begin(&pulse->progress, silent);
}

void omptape_unify_pulse_step(struct omptape_unify_pulse *pulse, const char *what, uint32_t total)
{
    pulse->what = what;
    pulse->done = 0;
    pulse->total = total;
}

void omptape_unify_pulse_beat(struct omptape_unify_pulse *pulse)
{
    time_t now = seconds_now();
    if (now - pulse->touched >= TOUCH_SECONDS) {
        omptape_unify_touch(pulse->folder);
        pulse->touched = now;
    }
    if (pulse->what != NULL && omptape_progress_is_due(&pulse->progress))
        omptape_progress_draw("unifying: %u of %u %s", (unsigned)pulse->done, (unsigned)pulse->total,
                              pulse->what);
}
