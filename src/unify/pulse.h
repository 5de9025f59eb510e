/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signs of life during a unification: the progress line for the user, the lock's time for other processes.
 * Used by the parent process of omptape_unify, one thread.
 */
#ifndef OMPTAPE_UNIFY_PULSE_H
#define OMPTAPE_UNIFY_PULSE_H

#include "src/core/progress.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct omptape_unify_pulse {
    struct omptape_progress progress;
    int folder;       /* that is locked */
    const char *what; /* "archives read", say; NULL: nothing is shown */
    uint32_t done;
    uint32_t total;
    time_t touched;
};

/* The unification of `folder` begins. `silent`: no progress line. */
void omptape_unify_pulse_begin(struct omptape_unify_pulse *pulse, int folder, bool silent);

/* Its next step: `total` of what are to be done. The caller counts them in pulse->done. */
void omptape_unify_pulse_step(struct omptape_unify_pulse *pulse, const char *what, uint32_t total);

/* To be called some times a second. */
void omptape_unify_pulse_beat(struct omptape_unify_pulse *pulse);

#endif
