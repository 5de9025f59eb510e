/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches the output folder for parts, and records why one is unusable. The caller holds the lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct omptape_unify_found {
    char *folder; /* name inside the output folder; "" is the output folder itself */
    char *why;    /* phrase for the user: reason to skip the archive; NULL: it is a usable part */
    char *note;   /* phrase for the user: how the part was completed, or NULL */
    bool ignored; /* not a part at all; the user gets no message */
    bool refused; /* it is a link, or belongs to another user */
    bool is_link;
    dev_t device;
    ino_t inode;
};

struct omptape_unify_search {
    struct omptape_unify_found *list; /* "" first if present, then sorted by rank or pid */
    uint32_t count;
    uint32_t capacity;
    bool base_busy;       /* a process still writes to the output folder itself, named in `why` of "" */
    bool base_unfinished; /* the archive in the output folder itself has no definitions */
    bool base_refused;    /* the output folder itself belongs to another user, named in `why` of "" */
    bool reported;        /* the user has received all messages */
    bool has_base;        /* the output folder itself holds an archive or an incomplete one */
};

/* True if a live writer claims the folder. With an `anchor` another host's claim counts for two minutes. */
bool omptape_unify_is_claimed(int folder, bool anchor);

/* Searches `folder` for parts. `parts`: names of subfolders that may be taken besides the folder itself;
 * NULL: all. Returns 0 or negative errno. The caller frees the search with omptape_unify_search_free. */
int omptape_unify_search(struct omptape_unify_search *search, int folder, const char *const *parts,
                         size_t part_count);
void omptape_unify_search_free(struct omptape_unify_search *search);

/* Marks a part as skipped, with a copy of the reason. */
void omptape_unify_skip(struct omptape_unify_found *found, const char *why);
