/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the parts below the output folder, and says of those that cannot be taken why. With the lock held.
 */
#ifndef OMPTAPE_UNIFY_SEARCH_H
#define OMPTAPE_UNIFY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct omptape_unify_found {
    char *folder; /* inside the output folder; "" is that itself */
    char *why;    /* it is left alone: a phrase for the user; NULL: it is a part */
    char *note;   /* what was done to make it one: a phrase for the user, or NULL */
    bool ignored; /* it is no part at all: nothing is said of it */
    bool refused; /* it is a link, or another user's */
    bool is_link;
    dev_t device;
    ino_t inode;
};

struct omptape_unify_search {
    struct omptape_unify_found *list; /* "" first if it is there, then by rank or pid */
    uint32_t count;
    uint32_t room;
    bool base_busy;       /* a process still writes to the output folder itself: `why` of "" says who */
    bool base_unfinished; /* what lies there has no definitions */
    bool base_refused;    /* ...or is another user's: `why` of "" says whose */
    bool said;            /* the user was told all that there is to say */
    bool base_there;      /* an archive, or the beginning of one, is there at all */
};

/* Does a writer still claim the folder? One of another host is believed for a minute once there is an
 * `anchor`. */
bool omptape_unify_is_claimed(int folder, bool anchor);

/* `parts`: folders (names) that may be taken, beside the folder itself; NULL: all. 0 or negative errno. Free
 * with omptape_unify_search_free. */
int omptape_unify_search(struct omptape_unify_search *search, int folder, const char *const *parts,
                         size_t part_count);
void omptape_unify_search_free(struct omptape_unify_search *search);

/* Leaves a part alone; takes a copy of the reason. */
void omptape_unify_leave(struct omptape_unify_found *found, const char *why);

#endif
