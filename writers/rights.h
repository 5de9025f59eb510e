/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that was started by root may give up its rights (setuid, capset). Its writer must not go on with
 * more: it takes records from a program that is somebody else's now. So it gives up the same for all that it
 * reads and writes; its archive becomes that user's. Called by the writer's main thread alone: rights in the
 * file system are a thread's own (credentials(7)).
 */
#ifndef OMPTAPE_WRITERS_RIGHTS_H
#define OMPTAPE_WRITERS_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

struct omptape_rights {
    bool may_give_up;   /* this process has rights that its program could give up */
    uint64_t looked_at; /* CLOCK_MONOTONIC_RAW, ns */
};

void omptape_rights_start(struct omptape_rights *rights);

/* Looks at the program's rights, at most five times a second unless `now`, and follows it. `process`: its
 * folder in /proc; `folder`: of the archive, which is given to the program's new user, or -1. 0, or negative
 * errno: the program has given up what this process could not. A program that is gone without a trace changes
 * nothing. */
int omptape_rights_follow(struct omptape_rights *rights, int process, int folder, bool now);

#endif
