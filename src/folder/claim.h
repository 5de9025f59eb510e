/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lock files as symbolic links that name their owner. Creating a link is atomic on all file systems,
 * including network file systems without locks. Called by the writer, the command and unification, on any
 * thread.
 *
 * The target of a claim is HOST:PID:START:SPACE. START is the process's start time in the kernel's ticks, and
 * SPACE its pid namespace (a container may have its own); 0: unknown. The short form HOST:PID is accepted.
 */
#pragma once

#include <stddef.h>

enum { OMPTAPE_CLAIM_BYTES = 512 };

/* `max_age_s` of omptape_claim_take with which an owner on another host never counts as dead. */
#define OMPTAPE_CLAIM_FOR_EVER 1e18

enum omptape_claim_owner {
    OMPTAPE_CLAIM_NOBODY,    /* there is no claim, or its owner has ended */
    OMPTAPE_CLAIM_ALIVE,     /* its owner is running on this host, or is another user: never taken over */
    OMPTAPE_CLAIM_OTHER_HOST /* its owner is on another host or in another container: state unknown */
};

/* Writes the text of this process's claims; `bytes` is OMPTAPE_CLAIM_BYTES. */
void omptape_claim_own(char *text, size_t bytes);

/* Returns the state of the owner that a claim's text names. */
enum omptape_claim_owner omptape_claim_owner_of(const char *text);

/* Reads the claim `name` in the folder (a descriptor). `who`, of `bytes`, receives its text, or "" if there
 * is no claim. The owner's name is appended to another user's text. */
enum omptape_claim_owner omptape_claim_read(int folder, const char *name, char *who, size_t bytes);

/* Writes the owner that a claim's text names in the words of a message: "process 4711 on node3". Another
 * user's: "process 4711 on node3 according to .claim of alice (user 1000)". */
void omptape_claim_describe(const char *who, char *text, size_t bytes);

/* Returns the seconds since the claim was created or touched, by the file system's clock; -1: no claim. */
double omptape_claim_age(int folder, const char *name);

/* Creates a claim. Returns 0, -EEXIST if there is one already, or another negative errno. */
int omptape_claim_make(int folder, const char *name);

/* Creates a claim, or takes over the claim of a dead owner. That is a process that has ended on this host, or
 * that has not touched its claim from another host for `max_age_s` seconds. Only one of several processes
 * that find the same dead owner succeeds. Returns 0; -EBUSY if `who` holds the claim; or another negative
 * errno. `name` must not contain '/'. */
int omptape_claim_take(int folder, const char *name, double max_age_s, char *who, size_t bytes);

/* Updates the claim's time, as a sign of life for other hosts. */
void omptape_claim_touch(int folder, const char *name);

/* Returns 0 if this process holds the claim, -EBUSY if another one does, or another negative errno. */
int omptape_claim_check(int folder, const char *name);

/* Removes the claim if this process holds it. */
void omptape_claim_release(int folder, const char *name);
