/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges communicators between processes of different MPI_COMM_WORLDs. A connection is a call that connects
 * two sides: MPI_Comm_spawn, MPI_Comm_accept with MPI_Comm_connect, or MPI_Comm_join. A process knows only
 * its own side: its members, the number of remote members, and the time. A fact is the property that one
 * process recorded. A half is one side, with the facts of its processes. A connection has two halves if
 * both sides have archives. Used by the child process of plan.h, on one thread.
 */
#pragma once

#include "src/unify/model.h"

#define OMPTAPE_UNIFY_NONE UINT32_MAX

/* What one process recorded about one connection, as a property. */
struct omptape_unify_connection_fact {
    uint32_t process;
    uint32_t property;
    uint64_t comm;   /* row of the communicator that the connection created */
    uint64_t parent; /* row of the communicator of the own side */
    unsigned kind;   /* enum omptape_mpi_connection_kind */
    unsigned first;  /* 1: the own side's ranks come before the other side's */
    unsigned root;
    uint32_t remote;
    uint64_t identity;
    uint64_t name;
    uint64_t begin, end; /* in times of the unified archive */
    uint32_t connection; /* index in the list of connections */
    uint32_t depends;    /* connection that created `parent`; OMPTAPE_UNIFY_NONE: none */
    bool is_added;       /* it has been added to its half */
};

/* One side of a connection. */
struct omptape_unify_connection_half {
    uint32_t fact;    /* one of its facts */
    uint32_t of_root; /* the root's fact; OMPTAPE_UNIFY_NONE: not known */
    uint32_t connection;
    uint64_t name;
    uint64_t begin, end;
    uint64_t start; /* earliest start of its processes */
    bool paired;    /* the other half is known */
};

/* A connection as one part numbers it. Equal ones of several parts form a tree (union-find); the top has
 * data. */
struct omptape_unify_connection {
    uint64_t comm;    /* row of a communicator that it created */
    uint32_t up;      /* parent in the tree; its own index at the top */
    uint32_t half[2]; /* the side whose ranks come first, and the other side; OMPTAPE_UNIFY_NONE: not known */
    uint64_t *places; /* places of all members in MPI's list; NULL: not known yet */
    bool substituted; /* `places` have replaced the part's own places */
    uint32_t count;
    uint32_t number; /* number in the unified archive */
    bool needed;     /* some facts depend on it */
};

struct omptape_unify_connections {
    struct omptape_unify_model *model;
    struct omptape_unify_connection_fact *facts;
    uint32_t fact_count, fact_capacity;
    struct omptape_unify_connection_half *halves;
    uint32_t half_count, half_capacity;
    struct omptape_unify_connection *list;
    uint32_t count, capacity;
    struct omptape_rows numbers;        /* part, its number of the connection -> index in `list` */
    struct omptape_rows sides;          /* identifying words of a half -> index in `halves` */
    struct omptape_hash current_places; /* place + 1 -> the place that replaces it */
};

/* connections.c: collects all processes' facts and the connections in group names. False if none. */
bool omptape_unify_connections_collect(struct omptape_unify_connections *connections);
void omptape_unify_connections_free(struct omptape_unify_connections *connections);
/* Returns the connection whose number is in the group's name, or OMPTAPE_UNIFY_NONE. `identity` receives the
 * communicator's identity. omptape_unify_connection_top returns the top of a connection's tree. */
uint32_t omptape_unify_connection_of(struct omptape_unify_connections *connections, uint64_t group,
                                     uint64_t *identity);
uint32_t omptape_unify_connection_top(struct omptape_unify_connections *connections, uint32_t connection);
/* Merges the trees of two connections. */
void omptape_unify_connection_join(struct omptape_unify_connections *connections, uint32_t one,
                                   uint32_t other);
/* Returns the members of the communicator's group as they were read; `count` receives their number. */
const uint64_t *omptape_unify_connection_words(const struct omptape_unify_connections *connections,
                                               uint64_t comm, uint32_t *count);
/* Returns the place that replaces `place`, or `place` itself. */
uint64_t omptape_unify_current_place(const struct omptape_unify_connections *connections, uint64_t place);

/* Finds the other halves of unpaired halves. Returns true if it paired any. */
bool omptape_unify_connections_pair(struct omptape_unify_connections *connections);

/* rewriting.c: replaces the members of groups by the resolved places, and merges equal definitions. */
void omptape_unify_connections_rewrite(struct omptape_unify_connections *connections);

/* Communicators with processes of several MPI_COMM_WORLDs. A process knows only its own world. The two sides
 * are merged as the last step before the definitions are written, after all parts are read and their times
 * are converted. */

/* Merges the two sides of all connections. Processes that left no archive or cannot be identified get
 * unassigned places in MPI's list. Errors are recorded in the model. */
void omptape_unify_resolve_connections(struct omptape_unify_model *model);
