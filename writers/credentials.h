/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adopts reduced rights. A program that was started by root may drop rights (setuid, capset). Its writer must
 * not keep more, because it then reads records of another user's program. The writer drops the same rights
 * for all its file accesses, and gives the archive to the new user. Called only by the writer's main thread,
 * because file system rights belong to a thread (credentials(7)).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct omptape_credentials {
    bool is_privileged;  /* True if this process has rights that its program could drop. */
    uint64_t checked_ns; /* Time of the last check, CLOCK_MONOTONIC_RAW in ns. */
};

void omptape_credentials_init(struct omptape_credentials *credentials);

/* Checks the program's rights, at most five times per second unless `now`, and adopts them. `process`: its
 * folder in /proc. `folder`: the archive's folder, which is given to the program's new user, or -1. 0, or
 * negative errno if this process could not drop the same rights. A program that is gone changes nothing. */
int omptape_credentials_follow(struct omptape_credentials *credentials, int process, int folder, bool now);
