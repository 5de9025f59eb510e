/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes of several MPI_COMM_WORLDs that met: what each says of it, brought together. A process knows its
 * own side of a meeting: its members, how many the others are, when it was. Facts are what processes say; a
 * half is one side, of which several processes tell. And one meeting has two of these, if both left archives.
 * All of it is done by the child process of plan.h, on one thread.
 */
#ifndef OMPTAPE_UNIFY_MEETINGS_H
#define OMPTAPE_UNIFY_MEETINGS_H

#include "src/unify/model.h"

#define OMPTAPE_UNIFY_NONE UINT32_MAX

/* What one process says of one meeting, as a property. */
struct omptape_unify_fact {
    uint32_t process;
    uint32_t property;
    uint64_t comm;   /* rows: of what came of it, */
    uint64_t parent; /* and of those who met the others */
    unsigned way;    /* enum omptape_mpi_way */
    unsigned first;  /* its ranks come before the other side's */
    unsigned root;
    uint32_t remote;
    uint64_t identity;
    uint64_t name;
    uint64_t begin, end; /* in times of the archive to be */
    uint32_t meeting;    /* number */
    uint32_t depends;    /* on this meeting: `parent` came of it; OMPTAPE_UNIFY_NONE */
    bool taken;          /* it is in its half */
};

/* One side. */
struct omptape_unify_half {
    uint32_t fact;    /* one of its, */
    uint32_t of_root; /* and that of the root; OMPTAPE_UNIFY_NONE */
    uint32_t meeting;
    uint64_t name;
    uint64_t begin, end;
    uint64_t start; /* of the first of its processes */
    bool paired;    /* the other half is known */
};

/* One that a part numbers. Several may turn out to be the same: then they are one tree, whose top has the
 * rest. */
struct omptape_unify_meeting {
    uint64_t comm;    /* a row that came of it */
    uint32_t up;      /* itself: it is the top */
    uint32_t half[2]; /* the side whose ranks come first, the other one; OMPTAPE_UNIFY_NONE */
    uint64_t *places; /* of all members, in MPI's list; NULL: they are not known yet */
    bool substituted; /* ...which are what the part's own places have become */
    uint32_t count;
    uint32_t number; /* in the unified archive */
    bool needed;     /* there are facts that depend on it */
};

struct omptape_unify_meetings {
    struct omptape_unify_model *model;
    struct omptape_unify_fact *facts;
    uint32_t fact_count, fact_room;
    struct omptape_unify_half *halves;
    uint32_t half_count, half_room;
    struct omptape_unify_meeting *list;
    uint32_t count, room;
    struct omptape_rows numbers; /* part, its number of the meeting -> the meeting's */
    struct omptape_rows sides;   /* what tells a half from others -> its number */
    struct omptape_hash became;  /* a place + 1 -> what it has become */
};

/* meetings.c: whatever the processes say; then the numbers of the groups' names, and the tops of trees.
 * False: nobody has met anybody. */
bool omptape_unify_meetings_collect(struct omptape_unify_meetings *meetings);
void omptape_unify_meetings_free(struct omptape_unify_meetings *meetings);
/* The meeting that the group's name tells of; OMPTAPE_UNIFY_NONE: none. `identity`: of the communicator. */
uint32_t omptape_unify_meeting_of(struct omptape_unify_meetings *meetings, uint64_t group,
                                  uint64_t *identity);
uint32_t omptape_unify_meeting_top(struct omptape_unify_meetings *meetings, uint32_t meeting);
/* The two are one. */
void omptape_unify_meeting_join(struct omptape_unify_meetings *meetings, uint32_t one, uint32_t other);
/* The members of the communicator's group as they were read, how many there are. */
const uint64_t *omptape_unify_meeting_words(const struct omptape_unify_meetings *meetings, uint64_t comm,
                                            uint32_t *count);
/* What a place has become, or itself. */
uint64_t omptape_unify_became(const struct omptape_unify_meetings *meetings, uint64_t place);

/* Finds the other half of those that have none yet. True: of some. */
bool omptape_unify_meetings_pair(struct omptape_unify_meetings *meetings);

/* rewriting.c: definitions by what is known of the meetings now. */
void omptape_unify_meetings_rewrite(struct omptape_unify_meetings *meetings);

/* Communicators with processes of several MPI_COMM_WORLDs, each of which knows but its own world. This is the
 * last step before the definitions are written, once all parts are read and dated.
 */

/* Brings their sides together. Processes that left no archive, and those of whom it cannot be told which
 * they are, get places in MPI's list that lead nowhere. What goes wrong is noted in the model. */
void omptape_unify_settle_worlds(struct omptape_unify_model *model);

#endif
