/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lock of a unification (lock.h). Called by omptape_unify, one thread.
 */
#include "src/unify/lock.h"

#include "src/folder/claim.h"

static const char name[] = ".omptape-unifying";
/* Network file systems may show a time that is a minute old. */
static const double patience_seconds = 120;

int omptape_unify_lock(int folder, char *who, size_t bytes)
{
    return omptape_claim_take(folder, name, patience_seconds, who, bytes);
}

bool omptape_unify_lock_is_elsewhere(int folder, double *age)
{
    char who[OMPTAPE_CLAIM_BYTES];
    if (omptape_claim_read(folder, name, who, sizeof(who)) != OMPTAPE_CLAIM_ELSEWHERE)
        return false;
    *age = omptape_claim_age(folder, name);
    return true;
}

void omptape_unify_touch(int folder)
{
    omptape_claim_touch(folder, name);
}

int omptape_unify_lock_check(int folder)
{
    return omptape_claim_check(folder, name);
}

void omptape_unify_unlock(int folder)
{
    omptape_claim_release(folder, name);
}
