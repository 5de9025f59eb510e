/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lock by which one process at a time unifies a folder, and a look at the claims of writers. No file
 * locks: network file systems may lack them. Used by omptape_unify, one thread.
 */
#ifndef OMPTAPE_UNIFY_LOCK_H
#define OMPTAPE_UNIFY_LOCK_H

#include <stdbool.h>
#include <stddef.h>

/* What a symbolic link that names its owner ("HOST:PID", perhaps with ":START") says. */
enum omptape_unify_owner {
    OMPTAPE_UNIFY_NOBODY,   /* there is no link, or its owner is gone */
    OMPTAPE_UNIFY_OWNER,    /* its owner lives on this host */
    OMPTAPE_UNIFY_ELSEWHERE /* its owner is, or was, on another host */
};

/* Looks at `name` in the folder. `who`, of `bytes`, gets the text of the link, "" if there is none. */
enum omptape_unify_owner omptape_unify_look(int folder, const char *name, char *who, size_t bytes);

/* Seconds since the link was made or touched, by the clock of the file system; -1: there is none. */
double omptape_unify_age(int folder, const char *name);

/* Takes the lock of the folder. A lock whose owner is gone from this host, or on another host has not touched
 * it for ten minutes, is taken over. 0; -EBUSY: `who` has it; or negative errno. */
int omptape_unify_lock(int folder, char *who, size_t bytes);
/* Tells others that its owner is alive: at least once a minute. */
void omptape_unify_touch(int folder);
void omptape_unify_unlock(int folder);

#endif
