/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes the lock of a folder's unification (lock.h). Called by unify.c.
 */
#include "src/unify/lock.h"

#include "src/folder/claim.h"
#include "src/unify/progress.h"

#include <errno.h>
#include <time.h>

/* One on another host that has not touched its lock for two minutes is dead: network file systems may show a
 * time that is a minute old. */
static int try_lock(int folder, char *who, size_t bytes)
{
    return omptape_claim_take(folder, OMPTAPE_UNIFY_LOCK, 120, who, bytes);
}

/* The age of a lock whose owner is on another host, where nobody here sees whether it lives; -1: it is not.
 */
static double age_elsewhere(int folder)
{
    char who[OMPTAPE_CLAIM_BYTES];
    if (omptape_claim_read(folder, OMPTAPE_UNIFY_LOCK, who, sizeof(who)) != OMPTAPE_CLAIM_ELSEWHERE)
        return -1;
    return omptape_claim_age(folder, OMPTAPE_UNIFY_LOCK);
}

int omptape_unify_lock(int folder, bool waits, bool silent, char *who, size_t bytes)
{
    static const struct timespec pause = {.tv_nsec = 200000000};
    struct omptape_progress progress;
    double before = 0;
    double age;
    int result = try_lock(folder, who, bytes);
    omptape_progress_begin(&progress, silent);
    while (result == -EBUSY && waits && (age = age_elsewhere(folder)) >= before) {
        before = age;
        if (omptape_progress_is_due(&progress))
            omptape_progress_draw("waiting for a sign of life of process %.200s, which unifies here", who);
        nanosleep(&pause, NULL);
        result = try_lock(folder, who, bytes);
    }
    omptape_progress_erase();
    return result;
}
