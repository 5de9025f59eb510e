/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrows: who made whom go on. Where one may begin is kept until the event at which it ends comes. Used by
 * windows.c, which gives all events and keeps the arrows. Forks and waiting for others are told to that by
 * the analysis, without this.
 *
 * Units: ticks. One thread.
 */
#ifndef OMPTAPE_ANALYSIS_TIMELINE_ARROWS_H
#define OMPTAPE_ANALYSIS_TIMELINE_ARROWS_H

#include "src/archive/read/reader.h"

/* What arrows lead from and to. A new kind is a line here, one in omptape_window_arrow_kinds, and a case in
 * arrows.c. */
enum window_arrow_kind {
    WINDOW_ARROW_LOCK,       /* release -> acquisition by one who waits for it */
    WINDOW_ARROW_TASK,       /* creation -> first execution */
    WINDOW_ARROW_DEPENDENCE, /* end of a task -> begin of one that depends on it */
    WINDOW_ARROW_FORK,       /* fork -> a member's begin */
    WINDOW_ARROW_WAIT,       /* begin of waiting at a barrier -> the last one comes */
    WINDOW_ARROW_MESSAGE,    /* MPI: send -> receive */
    WINDOW_ARROW_DEVICE,     /* the host's operation -> what a device does of it */
    WINDOW_ARROW_KINDS
};

struct window_arrow_words {
    const char *name;
    const char *out; /* what to say where it begins, before the name of the other end; */
    const char *in;  /* ...and where it ends */
};
extern const struct window_arrow_words omptape_window_arrow_kinds[WINDOW_ARROW_KINDS];

struct window_arrow {
    enum window_arrow_kind kind;
    uint64_t from_location; /* ids */
    uint64_t to_location;
    uint64_t from;
    uint64_t to;
};

struct omptape_arrows;

/* `draw` gets each arrow when it is known. NULL: no memory. */
struct omptape_arrows *omptape_window_arrows_new(const struct omptape_reader *reader,
                                                 void (*draw)(void *data, const struct window_arrow *arrow),
                                                 void *data);
void omptape_window_arrows_free(struct omptape_arrows *arrows);

/* The next event. `looked_at`: it is in a window. `before`: when its location's event before it was, 0: it is
 * the first. False: no memory. */
bool omptape_window_arrows_event(struct omptape_arrows *arrows, const struct omptape_event *event,
                                 bool looked_at, uint64_t before);

#endif
