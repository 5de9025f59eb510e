/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators by MPI's handles, and what is recorded of a new one. Any thread.
 *
 * A communicator has an identity that all of its processes compute without a message. It is a hash of the
 * parent, the members, and the number of earlier ones with the same parent and members. All processes make
 * their communicators in the same order, so they all count alike. Processes of several worlds may meet
 * (MPI_Comm_spawn, _accept...). They do not ask each other who the others are: each side records what it
 * knows, and unification joins both sides.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_COMMUNICATORS_H
#define OMPTAPE_CALLBACKS_MPI_COMMUNICATORS_H

#include "buffers/slot.h"
#include "callbacks/mpi/counts.h"
#include <omptape/record.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What is made on a communicator, by all of its processes. */
enum omptape_mpi_on_comm { OMPTAPE_MPI_WINDOWS, OMPTAPE_MPI_FILES, OMPTAPE_MPI_ON_COMMS };

/* Partitioned messages of one tag between the same two processes are distinguished by their requests. This
 * works for at most so many requests at a time. */
enum { OMPTAPE_MPI_PARTITIONED = 8 };

struct omptape_mpi_comm {
    uint64_t identity;
    struct omptape_mpi_turn turn; /* among those that are made of the same */
    uint32_t number;              /* in this process */
    uint32_t rank;                /* of this process */
    uint32_t size;
    uint32_t peers;   /* whom messages may be for: `size`, or those on the other side */
    uint32_t offset;  /* of the other side's first rank */
    uint32_t meeting; /* number of that by which processes of other worlds came in; 0: there are none */
    bool inter;       /* there are two groups, which are one here */
    bool recorded;    /* its number is that of one before it, of which there is a record */
    uint32_t made[OMPTAPE_MPI_ON_COMMS]; /* on it */
    /* Numbers of those that stand for it and are recorded; 0: none does yet. */
    _Atomic uint32_t partitioned[OMPTAPE_MPI_PARTITIONED];
};

/* Takes the memory for them. On the thread that initialises MPI. False: there is none. */
bool omptape_mpi_comms_begin(void);

/* Records those that MPI_Init makes; who their processes are has been said (sessions.h). They are there until
 * MPI_Finalize. False: it cannot be done. */
bool omptape_mpi_comms_begin_world(struct omptape_slot *slot);
void omptape_mpi_comms_end_world(void);

/* Records who these processes would be where a session was opened without MPI_Init, once: members of other
 * communicators are ranks among them. */
bool omptape_mpi_comms_begin_set(struct omptape_slot *slot);

/* NULL: not known. */
const struct omptape_mpi_comm *omptape_mpi_comms_find(intptr_t handle);

/* What a communicator is made of. */
struct omptape_mpi_origin {
    const struct omptape_mpi_comm *comm;
    intptr_t handle;
};

/* One was made. `like`: with the same members. `tag` tells apart what threads may make of the same at a time.
 * False: it is not known who is in it. */
bool omptape_mpi_comms_add(struct omptape_slot *slot, const struct omptape_mpi_origin *origin,
                           intptr_t handle, bool like, uint64_t tag);

/* One was made of nothing but groups. */
bool omptape_mpi_comms_add_of_groups(struct omptape_slot *slot, intptr_t handle, uint64_t tag);

/* Processes of two worlds meet: how, which side the communicator's ranks begin with, as both sides find it,
 * whether this process is the one that MPI's own arguments count at, and a number of what both sides call the
 * meeting by (0: nothing that is known here). */
struct omptape_mpi_meeting {
    enum omptape_mpi_way kind;
    bool first;
    bool root;
    uint64_t name;
};

/* The members of `parent` met others. Where these are of this world, it is a communicator as all others. */
void omptape_mpi_comms_meet(struct omptape_slot *slot, const struct omptape_mpi_comm *parent, intptr_t handle,
                            const struct omptape_mpi_meeting *meeting);

/* The same for one whose handle is not known yet (NULL: there is no room), and its handle later. */
struct omptape_mpi_comm *omptape_mpi_comms_announce(struct omptape_slot *slot,
                                                    const struct omptape_mpi_comm *parent);
void omptape_mpi_comms_give(struct omptape_mpi_comm *announced, intptr_t handle);

/* What is made on a communicator, which nothing else stands for as long as it is there. */
struct omptape_mpi_made {
    enum omptape_mpi_on_comm what;
    struct omptape_mpi_turn turn;
    struct omptape_mpi_turn of; /* the communicator's */
    uint32_t number;            /* that it takes over, which is recorded; UINT32_MAX: it needs one */
    uint32_t ordinal;           /* how many of these were made on it before: the same on all of its members */
};

/* One more, and what comes after it of the same `kind` may take over its number when it is gone. False:
 * nothing is known of it. */
bool omptape_mpi_comms_make(const struct omptape_mpi_comm *comm, enum omptape_mpi_on_comm what, uint64_t kind,
                            struct omptape_mpi_made *made);
/* It has this number, which is recorded. */
void omptape_mpi_comms_made(const struct omptape_mpi_made *made, uint32_t number);
/* It is gone, as is recorded. */
void omptape_mpi_comms_unmake(const struct omptape_mpi_made *made);

/* A request for partitioned messages to or from this rank was made. Returns the number of the communicator
 * that stands for it, which is recorded at its first use. The n-th request of the sender belongs to the n-th
 * of the receiver, and both find the same. UINT32_MAX: there is none. */
uint32_t omptape_mpi_comms_partitioned(struct omptape_slot *slot, const struct omptape_mpi_comm *comm,
                                       int peer, int tag, bool sends);

/* Its handle is MPI's again. *last gets what is known of it, whose number nobody takes over before it is
 * released, when its end is recorded. False: nothing is. */
bool omptape_mpi_comms_remove(intptr_t handle, struct omptape_mpi_comm *last);
void omptape_mpi_comms_release(const struct omptape_mpi_comm *last);

#endif
