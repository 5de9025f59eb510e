/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who waits for whom when the events end: what hangs.c finds, and sentences_hangs.c puts into words.
 */
#pragma once

#include "src/analysis/findings/gathering.h"
#include "src/analysis/opens.h"

#include <string.h>

/* How a process ended. */
enum hang_end {
    HANG_END_FROM_OUTSIDE,
    HANG_END_OVER,
    HANG_END_EXITED, /* in the middle; with a small status: launchers that are ended bring about none */
    HANG_END_LEFT,
    HANG_END_CRASHED
};

/* A thread; or a process of which nothing is open, that is over (`open` NULL). */
struct hang_node {
    const struct analysis_open *open;
    const struct analysis_thread *thread;
    const struct analysis_process *process;
    const char *ending; /* how its process ended; NULL: that is not known */
    enum hang_end end;
    bool is_killed; /* by SIGKILL, as of memory that ran out */
    uint64_t location;
    struct hang_node *next; /* whom it waits for; NULL: nobody that is known */
    struct hang_node *goal; /* where the way by these leads: one of a circle, or one that does not wait */
    bool in_circle;
    bool on_way;     /* while circles are looked for */
    bool told;       /* in the sentence */
    bool is_grouped; /* all that lead to it were looked at */
};

struct hangs {
    struct analysis_state *state;
    struct hang_node *nodes;
    uint32_t count;
    struct omptape_pairs by_location; /* (0, location) */
    struct omptape_pairs by_process;  /* (0, location group): who acts for it in MPI */
};

/* Those that lead to one goal. */
struct hang_group {
    struct hang_node *goal;
    struct hang_node *head; /* of the most that are in one region for one other */
    uint32_t alike;         /* so many are */
    uint64_t longest;       /* wait of these */
    uint64_t begin;         /* of that */
};

static inline bool hang_is_waiting(const struct hang_node *node)
{
    return node->open != NULL && node->open->kind > ANALYSIS_OPEN_WORK &&
           node->open->why != ANALYSIS_OPEN_WHY_NOTHING;
}

static inline uint64_t hang_end_time(const struct hang_node *node)
{
    return node->open != NULL ? node->open->end : node->process->end;
}

static inline bool hang_is_of(const struct hang_group *group, const struct hang_node *node)
{
    return node->goal == group->goal && hang_is_waiting(node);
}

static inline bool hang_are_alike(const struct hang_node *one, const struct hang_node *other)
{
    return one->open->region == other->open->region && one->next == other->next &&
           one->open->kind == other->open->kind;
}

/* Of more than one: a thread may wait for itself. */
static inline bool hang_is_circle(const struct hang_node *goal)
{
    return goal->in_circle && goal->next != goal;
}

static inline bool hang_begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* hangs.c: is it over, for one that waits longer? */
bool hang_is_gone(const struct hangs *hangs, const struct hang_node *node, const struct hang_node *waiting);

/* sentences_hangs.c: one sentence, without its end; "": no memory. Marks the nodes that it tells of. */
const char *hang_sentence(const struct hangs *hangs, const struct hang_group *group);
/* Whom the group's head waits for, and so on, until one comes again. NULL: no memory. */
struct omptape_hang *hang_list_steps(const struct hangs *hangs, const struct hang_group *group);
