/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Claims: symbolic links that name their owner, made in one step on every file system, network file systems
 * without locks included. For the writer, the command and unification; any thread.
 *
 * The text of a claim is HOST:PID:START:SPACE. START is when the process began, as its kernel counts. SPACE
 * is its process number namespace (a container may have its own). 0: not known. Shorter claims, HOST:PID, are
 * read, too.
 */
#ifndef OMPTAPE_FOLDER_CLAIM_H
#define OMPTAPE_FOLDER_CLAIM_H

#include <stddef.h>

enum { OMPTAPE_CLAIM_BYTES = 512 };

/* For omptape_claim_take: an owner on another host is never taken for dead. */
#define OMPTAPE_CLAIM_FOR_EVER 1e18

enum omptape_claim_owner {
    OMPTAPE_CLAIM_NOBODY,   /* there is no claim, or its owner is gone */
    OMPTAPE_CLAIM_ALIVE,    /* its owner lives on this host, or it is another user's: never taken over */
    OMPTAPE_CLAIM_ELSEWHERE /* its owner is, or was, on another host or in another container: nobody knows */
};

/* The text that names this process; `bytes` as OMPTAPE_CLAIM_BYTES. */
void omptape_claim_own(char *text, size_t bytes);

/* What a claim's text says. */
enum omptape_claim_owner omptape_claim_owner_of(const char *text);

/* Reads the claim `name` in the folder (a descriptor). `who`, of `bytes`, gets its text, "" if there is none;
 * behind another user's stands whose it is. */
enum omptape_claim_owner omptape_claim_read(int folder, const char *name, char *who, size_t bytes);

/* Seconds since the claim was made or touched, by the clock of the file system; -1: there is none. */
double omptape_claim_age(int folder, const char *name);

/* Makes a claim where there is none. 0, -EEXIST, or negative errno. */
int omptape_claim_make(int folder, const char *name);

/* The same, but replaces a claim whose owner is dead. The owner has ended on this host, or is on another
 * host and has not touched the claim for `patience` seconds. Of several that find the same dead owner one
 * gets it. 0; -EBUSY: `who` has it; or negative errno. `name` is without '/'. */
int omptape_claim_take(int folder, const char *name, double patience, char *who, size_t bytes);

/* Tells others that its owner is alive. */
void omptape_claim_touch(int folder, const char *name);

/* Does this process have it? -EBUSY: not, or not any more. */
int omptape_claim_check(int folder, const char *name);

/* Removes the claim if this process has it. */
void omptape_claim_release(int folder, const char *name);

#endif
