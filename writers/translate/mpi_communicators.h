/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's communicators and groups, from the program's records. Assigns their numbers while the archive is
 * written, and writes their definitions at its end. Members are ranks in MPI_COMM_WORLD, which are places in
 * the list of MPI's locations. A process knows only its own place in this list; unification adds the others
 * (docs/mapping.md). Places of processes of other worlds follow.
 */
#pragma once

#include "writers/state/writer.h"
#include "writers/translate/translators.h"

/* Members at equal distances: first, first + step, ... */
struct omptape_mpi_run {
    uint32_t first;
    uint32_t count;
    int64_t step;
};

struct omptape_communicator {
    bool known;
    /* True if its members exceed the limit of members; then those derived from it are refused, too. */
    bool refused;
    unsigned flags; /* enum omptape_mpi_comm_flags. */
    uint64_t identity;
    uint32_t parent; /* Number of the parent; UINT32_MAX: none. */
    uint32_t rank;
    uint32_t size;
    OTF2_CommRef comm;
    struct omptape_mpi_run *runs;
    uint32_t run_count;
    uint32_t run_capacity;
    /* Index in the list of connections; valid if processes of other worlds came in by this communicator. */
    uint32_t connection;
};

/* A connection (spawn, accept, connect, join) with processes of another world. */
struct omptape_comm_connection {
    uint32_t number;        /* Number of the communicator; its parent's processes are this side. */
    uint64_t identity;      /* Identity of this side's communicator in the connection. */
    uint32_t remote_count;  /* Number of processes on the other side. */
    uint32_t remote_before; /* Number of remote processes in earlier connections. */
    unsigned kind;          /* enum omptape_mpi_connection_kind. */
    bool first;             /* True if this side's ranks precede the other side's. */
    bool root;
    uint64_t name;
    uint64_t begin; /* Times of the call's begin and end. */
    uint64_t end;
};

/* Detects receives with requests that may have completed before an earlier posted one. */
struct omptape_mpi_receives {
    uint64_t open;   /* Posted and not complete, including cancelled ones. */
    uint64_t last;   /* Request that was posted last; 0: none. */
    uint64_t newest; /* Latest posted request that is complete. */
    /* True if several threads post receives: the numbers of their requests do not show the order. */
    bool of_several;
    uint64_t overtaking; /* Number of receives that overtook another one, or may have. */
};

struct omptape_communicators {
    struct omptape_communicator *list; /* Indexed by the program's numbers. */
    uint32_t count;
    uint32_t capacity;
    /* Groups of processes, indexed by the program's numbers; `comm` is the position in group_order. */
    struct omptape_communicator *groups;
    uint32_t group_numbers;
    uint32_t group_capacity;
    uint32_t *group_order; /* Numbers of groups in the order of their records. */
    uint32_t group_count;
    uint32_t order_capacity;
    struct omptape_comm_connection *connections; /* In the order of their records. */
    uint32_t connection_count;
    uint32_t connection_capacity;
    bool called; /* True if an MPI function was called, even if no communicator is known. */
    struct omptape_mpi_receives receives;
};

void omptape_communicators_free(struct omptape_writer *writer);

/* Translates the record of a new communicator or group, or of more of its members. */
omptape_translator omptape_mpi_translate_communicator;

/* Returns the communicator of this number, or NULL if it is unknown. */
const struct omptape_communicator *omptape_communicators_get(const struct omptape_writer *writer,
                                                             uint64_t number);
/* Returns the number of processes of this world and, in known connections, of others; 0 if it is unknown. */
uint32_t omptape_communicators_process_count(const struct omptape_writer *writer);

/* Returns the archive's number of a communicator that contains `rank`, or OTF2_UNDEFINED_COMM. */
OTF2_CommRef omptape_communicators_find(const struct omptape_writer *writer, uint64_t number, uint32_t rank);

/* Returns true if the archive has events for the communicator's creation and destruction. Returns false
 * for an unknown communicator. */
bool omptape_communicators_have_lifetime(const struct omptape_writer *writer, uint64_t number);

/* Returns true if the program initialised MPI. */
bool omptape_communicators_are_used(const struct omptape_writer *writer);

/* Returns the number of a group that is no communicator. Events number them from 0, and local definitions
 * map the numbers. Returns OTF2_UNDEFINED_GROUP if the group is unknown. */
OTF2_GroupRef omptape_communicators_find_group(const struct omptape_writer *writer, uint64_t number);
uint32_t omptape_communicators_group_count(const struct omptape_writer *writer);

/* Writes the list of MPI's locations as group `group`, before all other groups. */
void omptape_communicators_write_list(struct omptape_writer *writer, OTF2_GroupRef group);
/* Writes the communicator of this number and its group. */
void omptape_communicators_write(struct omptape_writer *writer, uint64_t number, OTF2_GroupRef group);
/* Writes the known connections as properties of the process's location group. */
void omptape_communicators_write_connections(struct omptape_writer *writer, OTF2_LocationGroupRef process);
/* Writes the groups that are no communicators, numbered from `first`. */
void omptape_communicators_write_groups(struct omptape_writer *writer, OTF2_GroupRef first);
