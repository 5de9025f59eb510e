/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds arrows: pairs of related events, such as a task's creation and its first execution. Calls an observer
 * where an arrow may begin and where it ends. The observer can attach data to the arrow's tail.
 *
 * Events must be passed in order of time. Memory is proportional to the number of open arrows. One thread.
 */
#pragma once

#include "src/archive/read/reader.h"

/* Kinds of arrows. FORK and WAIT are not found here, but by observers that follow teams. */
enum replay_arrow_kind {
    REPLAY_ARROW_LOCK,       /* release -> next acquisition */
    REPLAY_ARROW_TASK,       /* creation -> first execution, or completion without one */
    REPLAY_ARROW_DEPENDENCE, /* end of a task -> begin of one that depends on it */
    REPLAY_ARROW_FORK,       /* fork -> a member's begin */
    REPLAY_ARROW_WAIT,       /* begin of waiting at a barrier -> arrival of the last thread */
    REPLAY_ARROW_MESSAGE,    /* MPI: send -> receive */
    REPLAY_ARROW_DEVICE,     /* the host's operation -> its execution on a device */
    REPLAY_ARROW_CREATE,     /* creation of a thread -> its begin */
    REPLAY_ARROW_JOIN,       /* end of a thread -> end of the wait for it */
    REPLAY_ARROW_KINDS
};

/* The begin of an arrow. */
struct replay_tail {
    uint64_t location;
    uint64_t time;
    void *owned; /* the observer's data */
};

struct replay_arrow_observer {
    /* Called at a possible begin of an arrow. The observer may set *owned (NULL). Returns false to reject
     * it. */
    bool (*begin)(void *data, enum replay_arrow_kind kind, const struct omptape_event *event, void **owned);
    /* Called at the end of an arrow, for dependences and messages even if the observer rejected the begin. */
    void (*end)(void *data, enum replay_arrow_kind kind, const struct replay_tail *tail,
                const struct omptape_event *event);
};

struct replay_arrows;

/* Allocates a search with a constant observer. Returns NULL if out of memory. */
struct replay_arrows *replay_new_arrows(const struct omptape_reader *reader,
                                        const struct replay_arrow_observer *observer, void *data);
void replay_free_arrows(struct replay_arrows *arrows);

/* Passes the next event. */
void replay_follow_arrows(struct replay_arrows *arrows, const struct omptape_event *event);
