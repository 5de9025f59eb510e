/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes one archive of the archives of several processes (parts): DIR/traces.otf2 with all definitions, and
 * the event files moved below it as they are. Called by the `omptape` command (which the writer of a job's
 * last rank starts, too), on its only thread, which may fork and sleep.
 *
 * Parts are DIR itself and the folders in it that hold an archive of omptape's. One whose writer was killed
 * is completed from its last checkpoint first (src/folder/checkpoint.h). One that is damaged, without a
 * checkpoint or still being written stays as it is. A call may be killed at any moment,
 * and a second call does no harm. Either nothing has happened yet or the next call completes it.
 */
#ifndef OMPTAPE_UNIFY_UNIFY_H
#define OMPTAPE_UNIFY_UNIFY_H

#include <stdbool.h>
#include <stddef.h>

struct omptape_unify_options {
    /* Folders inside DIR (names, without '/') that may be taken, beside DIR itself; NULL: all. */
    const char *const *parts;
    size_t part_count;
    const char *clock_offsets; /* file of measured clock offsets (src/unify/clocks/clocks.h), or NULL */
    bool mend_clocks; /* no message arrives before it is sent: times are shifted (src/unify/order/) */
    bool silent;      /* no progress line on the terminal */
    bool waits;       /* two minutes for a process on another host that may be dead */
    /* Gets one line for each part that was left alone, and for ranks that are missing; NULL: nobody wants
     * them. */
    void (*say)(void *data, const char *line);
    /* Likewise, for each part whose writer was killed and that was completed from its checkpoint, and for
     * hosts that `clock_offsets` lacks. */
    void (*note)(void *data, const char *line);
    void *data;
};

/* 0: DIR/traces.otf2 holds all that there is (`message` says of how many processes), or it did so before.
 * Else a negative errno with the reason in `message`, and DIR is as good as before. -ENOENT: there is
 * nothing to unify. -EBUSY: another process unifies DIR or still writes to it. -EINVAL: the file of clock
 * offsets is wrong. `message` is one line of at most `bytes`. */
int omptape_unify(const char *dir, const struct omptape_unify_options *options, char *message, size_t bytes);

#endif
