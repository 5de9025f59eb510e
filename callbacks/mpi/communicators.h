/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators by MPI's handles, and the records of new ones. Any thread.
 *
 * A communicator has an identity that all of its processes compute without a message. It is a hash of the
 * parent, the members, and the number of earlier ones with the same parent and members. All processes create
 * their communicators in the same order, so they all count alike. Processes of several worlds may connect
 * (MPI_Comm_spawn, _accept...). They exchange no messages about their members. Each side records what it
 * knows, and unification joins both sides.
 */
#pragma once

#include "buffers/slot.h"
#include "callbacks/mpi/counts.h"
#include <omptape/record.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The objects that all processes of a communicator create together. */
enum omptape_mpi_object_kind { OMPTAPE_MPI_WINDOWS, OMPTAPE_MPI_FILES, OMPTAPE_MPI_OBJECT_KINDS };

/* Partitioned messages of one tag between the same two processes are distinguished by their requests. This
 * works for at most this many requests at a time. */
enum { OMPTAPE_MPI_PARTITIONED = 8 };

struct omptape_mpi_comm {
    uint64_t identity;
    /* Its use of a number, which communicators made of the same parent and members share. */
    struct omptape_mpi_number_use number_use;
    uint32_t number; /* Number in this process's records. */
    uint32_t rank;   /* Rank of this process. */
    uint32_t size;
    /* How many ranks messages may be sent to: `size`, or the size of the remote group. */
    uint32_t peers;
    /* The remote group's first rank within this communicator's members; 0 without a remote group. */
    uint32_t offset;
    /* Number of the communicator by which processes of other worlds joined; 0 if there are none. */
    uint32_t connection;
    /* True for an inter-communicator; its two groups are numbered as one. */
    bool inter;
    /* True if it has taken over the number of an earlier, recorded communicator. */
    bool recorded;
    uint32_t created[OMPTAPE_MPI_OBJECT_KINDS]; /* How many windows and files were created on it. */
    /* Numbers of recorded communicators for partitioned messages; 0 if not recorded yet. */
    _Atomic uint32_t partitioned[OMPTAPE_MPI_PARTITIONED];
};

/* Allocates the tables. Called on the thread that initialises MPI. Returns false if out of memory. */
bool omptape_mpi_comms_alloc(void);

/* Records MPI_COMM_WORLD and MPI_COMM_SELF, which are known until MPI_Finalize. sessions.h must know the
 * world before. Returns false if its processes cannot be determined. */
bool omptape_mpi_comms_begin_world(struct omptape_slot *slot);
void omptape_mpi_comms_end_world(void);

/* Records the processes of the set "mpi://WORLD", once, if a session was opened without MPI_Init. Members of
 * other communicators are given as ranks in this set. */
bool omptape_mpi_comms_begin_set(struct omptape_slot *slot);

/* Returns the entry of a communicator, or NULL if it is unknown. */
const struct omptape_mpi_comm *omptape_mpi_comms_find(intptr_t handle);

/* The parent of a new communicator, and its handle. */
struct omptape_mpi_origin {
    const struct omptape_mpi_comm *comm;
    intptr_t handle;
};

/* Adds a new communicator. `like` means that it has the parent's members. `tag` distinguishes communicators
 * that several threads create of one parent at once. Returns false if its members are unknown. */
bool omptape_mpi_comms_add(struct omptape_slot *slot, const struct omptape_mpi_origin *origin,
                           intptr_t handle, bool like, uint64_t tag);

/* Adds a communicator that was made of groups only. */
bool omptape_mpi_comms_add_of_groups(struct omptape_slot *slot, intptr_t handle, uint64_t tag);

/* How processes of two worlds connect. `first`: this side's ranks come first; both sides agree on it. `root`:
 * MPI's arguments are significant on this process. `name` is a number that both sides compute from the
 * connection's name; 0 if unknown here. */
struct omptape_mpi_connection {
    enum omptape_mpi_connection_kind kind;
    bool first;
    bool root;
    uint64_t name;
};

/* Adds a communicator by which the members of `parent` joined other processes. If all belong to this world,
 * it is added as an ordinary communicator. */
void omptape_mpi_comms_connect(struct omptape_slot *slot, const struct omptape_mpi_comm *parent,
                               intptr_t handle, const struct omptape_mpi_connection *connection);

/* Creates an entry without a handle; NULL if the table is full. The second sets the handle. */
struct omptape_mpi_comm *omptape_mpi_comms_create_pending(struct omptape_slot *slot,
                                                          const struct omptape_mpi_comm *parent);
void omptape_mpi_comms_set_handle(struct omptape_mpi_comm *pending, intptr_t handle);

/* A window or file on a communicator. Its number is not reused while it exists. */
struct omptape_mpi_object {
    enum omptape_mpi_object_kind kind;
    struct omptape_mpi_number_use number_use;
    struct omptape_mpi_number_use comm_use; /* The use of the communicator's number. */
    /* The recorded number that it takes over; UINT32_MAX if it needs a new one. */
    uint32_t number;
    /* How many objects of this kind were created on the communicator before. All members count the same. */
    uint32_t ordinal;
};

/* Prepares a new window or file, whose number later ones of the same kind and `key` may take over. Returns
 * false if it cannot be counted. */
bool omptape_mpi_comms_add_object(const struct omptape_mpi_comm *comm, enum omptape_mpi_object_kind kind,
                                  uint64_t key, struct omptape_mpi_object *object);
/* Notes the object's number after it was recorded. */
void omptape_mpi_comms_set_object_number(const struct omptape_mpi_object *object, uint32_t number);
/* Releases the object after its end was recorded. */
void omptape_mpi_comms_release_object(const struct omptape_mpi_object *object);

/* Returns the number of the communicator for a new request for partitioned messages to or from `peer`, which
 * is recorded at its first use. The sender's n-th request belongs to the receiver's n-th one, so both compute
 * the same. Returns UINT32_MAX if there is none. */
uint32_t omptape_mpi_comms_partitioned(struct omptape_slot *slot, const struct omptape_mpi_comm *comm,
                                       int peer, int tag, bool sends);

/* The first removes a communicator before MPI may reuse its handle. `*last` receives its entry. The second
 * releases the number after the end is recorded. The first returns false if it is unknown. */
bool omptape_mpi_comms_remove(intptr_t handle, struct omptape_mpi_comm *last);
void omptape_mpi_comms_release(const struct omptape_mpi_comm *last);
