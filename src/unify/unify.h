/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges the archives of several processes (parts) into one archive: DIR/traces.otf2 with all definitions.
 * The event files are moved below it unchanged. Called by the `omptape` command on its only thread, which may
 * fork and sleep. The writer of a job's last rank starts that command, too.
 *
 * Parts are DIR itself and its subfolders that hold an archive of omptape. A part whose writer was killed is
 * first completed from its last checkpoint (src/folder/checkpoint.h). A part that is damaged, has no
 * checkpoint or is still being written stays unchanged. A call may be killed at any moment: either nothing
 * has changed yet, or the next call completes the unification. A repeated call does no harm.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct omptape_unify_options {
    /* Subfolders of DIR (names without '/') that may be unified together with DIR itself; NULL: all. */
    const char *const *parts;
    size_t part_count;
    const char *clock_offsets; /* file of measured clock offsets (src/unify/clocks/clocks.h), or NULL */
    bool mend_clocks; /* shift times so that no message arrives before it is sent (src/unify/order/) */
    bool silent;      /* draw no progress line on the terminal */
    bool waits;       /* wait two minutes for a lock owner on another host that may be dead */
    /* Receives one line for each skipped part, and one for missing ranks. May be NULL. */
    void (*say)(void *data, const char *line);
    /* Receives one line for each part that was completed from its checkpoint, and one for hosts that
     * `clock_offsets` lacks. May be NULL. */
    void (*note)(void *data, const char *line);
    void *data;
};

/* Returns 0 if DIR/traces.otf2 holds all parts, now or already before; `message` then states the number of
 * processes. Otherwise returns a negative errno with the reason in `message`, and DIR is as usable as before.
 * -ENOENT: there is nothing to unify. -EBUSY: another process unifies DIR or still writes to it. -EINVAL: the
 * file of clock offsets is malformed. `message` is one line of at most `bytes`. */
int omptape_unify(const char *dir, const struct omptape_unify_options *options, char *message, size_t bytes);
