/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the arrows from one event to another one, such as from a task's creation to its begin. An observer is
 * called where an arrow may begin and where it ends. What the observer keeps of an arrow hangs on its tail.
 *
 * Events must come in the order of time. Memory is proportional to the arrows that have begun and not ended.
 * One thread.
 */
#ifndef OMPTAPE_REPLAY_ARROWS_H
#define OMPTAPE_REPLAY_ARROWS_H

#include "src/archive/read/reader.h"

/* Kinds of arrows. The members of a team and the waiting at barriers are known to who follows teams: these
 * two are not found here. */
enum replay_arrow_kind {
    REPLAY_ARROW_LOCK,       /* release -> next acquisition */
    REPLAY_ARROW_TASK,       /* creation -> first execution, or completion without one */
    REPLAY_ARROW_DEPENDENCE, /* end of a task -> begin of one that depends on it */
    REPLAY_ARROW_FORK,       /* fork -> a member's begin */
    REPLAY_ARROW_WAIT,       /* begin of waiting at a barrier -> the last one comes */
    REPLAY_ARROW_MESSAGE,    /* MPI: send -> receive */
    REPLAY_ARROW_DEVICE,     /* the host's operation -> what a device does of it */
    REPLAY_ARROW_KINDS
};

/* Where an arrow begins. */
struct replay_tail {
    uint64_t location;
    uint64_t time;
    void *owned; /* the observer's */
};

struct replay_arrow_observer {
    /* An arrow may begin at the event. `owned` is the observer's, and NULL so far. False: it does not begin.
     */
    bool (*begin)(void *data, enum replay_arrow_kind kind, const struct omptape_event *event, void **owned);
    /* An arrow ends at the event. A dependence or a message ends even if its begin was refused. */
    void (*end)(void *data, enum replay_arrow_kind kind, const struct replay_tail *tail,
                const struct omptape_event *event);
};

struct replay_arrows;

/* The observer is a constant. NULL: no memory. */
struct replay_arrows *replay_new_arrows(const struct omptape_reader *reader,
                                        const struct replay_arrow_observer *observer, void *data);
void replay_free_arrows(struct replay_arrows *arrows);

/* The next event. False: no memory. */
bool replay_follow_arrows(struct replay_arrows *arrows, const struct omptape_event *event);

#endif
