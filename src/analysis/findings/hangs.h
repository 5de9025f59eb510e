/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wait-for graph at the end of the events: hangs.c builds it, and sentences_hangs.c describes it.
 */
#pragma once

#include "src/analysis/findings/gathering.h"
#include "src/analysis/opens.h"
#include "src/core/words.h"

/* How a process ended. */
enum hang_end {
    HANG_END_FROM_OUTSIDE,
    HANG_END_OVER,
    HANG_END_EXITED, /* exited in the middle with a small status: no launcher ended it */
    HANG_END_LEFT,
    HANG_END_CRASHED
};

/* A thread, or an ended process without open calls (`open` is NULL). */
struct hang_node {
    const struct analysis_open *open;
    const struct analysis_thread *thread;
    const struct analysis_process *process;
    const char *ending; /* how the process ended; NULL if unknown */
    enum hang_end end;
    bool is_killed; /* by SIGKILL, for example by the kernel's out-of-memory killer */
    uint64_t location;
    struct hang_node *next; /* the awaited node; NULL if unknown */
    struct hang_node *goal; /* end of the path by `next`: a member of a cycle, or a node that does not wait */
    bool in_cycle;
    bool on_path;    /* mark during the search for cycles */
    bool is_named;   /* named in the sentence */
    bool is_grouped; /* all nodes that lead to it were processed */
};

struct hangs {
    struct analysis_state *state;
    bool is_running; /* the program goes on; of its past only a part is known */
    bool is_profile; /* messages are unknown */
    struct hang_node *nodes;
    uint32_t count;
    struct omptape_pairs by_location; /* key (0, location) */
    struct omptape_pairs by_process;  /* key (0, location group), value: its representative in MPI */
};

/* All nodes that lead to one goal. */
struct hang_group {
    struct hang_node *goal;
    struct hang_node *head; /* a node of the largest set that waits in one region for the same node */
    uint32_t alike;         /* size of that set */
    uint64_t longest;       /* longest wait of the group */
    uint64_t begin;         /* begin of that wait */
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

/* Returns true for a cycle of more than one node; a thread may wait for itself. */
static inline bool hang_is_cycle(const struct hang_node *goal)
{
    return goal->in_cycle && goal->next != goal;
}

/* hangs.c: returns true if the node has ended from the view of a node that waits longer. */
bool hang_is_gone(const struct hangs *hangs, const struct hang_node *node, const struct hang_node *waiting);

/* sentences_hangs.c: returns one sentence without its end, "" if out of memory. Marks the nodes that the
 * sentence names. */
const char *hang_sentence(const struct hangs *hangs, const struct hang_group *group);
/* Returns the chain of awaited nodes from the group's head until one repeats; NULL if out of memory. */
struct omptape_hang *hang_list_steps(const struct hangs *hangs, const struct hang_group *group);
