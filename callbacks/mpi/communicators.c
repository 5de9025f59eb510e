/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of communicators: a hash table from handle to entry. Lookups take no lock; changes, which are
 * rare, do.
 */
#include "callbacks/mpi/communicators.h"

#include "buffers/producer.h"
#include "callbacks/mpi/handles.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/members.h"
#include "callbacks/mpi/sessions.h"

#include <limits.h>
#include <stddef.h>

enum { MAX_COMMS = 1 << 15, MAX_CONNECTIONS = 1 << 12 };
/* Start values of identities: MPI_COMM_WORLD, MPI_COMM_SELF, communicators across worlds, communicators made
 * of groups alone, and partitioned messages. */
enum { FOR_PARTITIONED = 5 };
enum { OF_WORLD = 1, OF_SELF = 2, FIRST_OF_CONNECTION = 3, FIRST_OF_GROUPS = 4 };

/* Counts communicators made of the same parent and members. */
static struct omptape_mpi_counts counts;
/* Counts requests for partitioned messages. Separate, because a program may use any number of tags. */
static struct omptape_mpi_counts requests;
/* Counts windows and files of communicators, and communicators for partitioned messages. */
static struct omptape_mpi_counts objects[OMPTAPE_MPI_OBJECT_KINDS];
static struct omptape_mpi_counts partitioned;
static uint32_t connections;
static uint32_t numbers = OMPTAPE_MPI_FIRST_COMM;
/* Rank and size of this process's MPI_COMM_WORLD, or its replacement. Guarded by `recording`. */
static uint32_t world_rank;
static uint32_t world_size; /* 0 until it is recorded. */
static struct omptape_mpi_handles handles = {.capacity = MAX_COMMS, .bytes = sizeof(struct omptape_mpi_comm)};
static atomic_flag lock = ATOMIC_FLAG_INIT;
/* Held while a record is written that other threads use as soon as it is published. Writing may wait for a
 * buffer. `lock` may be acquired while `recording` is held, never the other way round. */
static atomic_flag recording = ATOMIC_FLAG_INIT;
/* The predefined communicators, which most calls use. */
static struct omptape_mpi_comm world;
static struct omptape_mpi_comm self;
/* The parent of communicators that are made of groups of a session alone (MPI 4). */
static const struct omptape_mpi_comm no_comm = {.identity = FIRST_OF_GROUPS, .number = UINT32_MAX};

const struct omptape_mpi_comm *omptape_mpi_comms_find(intptr_t argument)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    if (handle == omptape_mpi.comm_world)
        return world.size != 0 ? &world : NULL;
    if (handle == omptape_mpi.comm_self)
        return self.size != 0 ? &self : NULL;
    return omptape_mpi_handles_find(&handles, handle);
}

/* Creates an entry with the connection of its parent. Each connection has its own counts, because processes
 * that joined by another one cannot count it. Returns NULL if the table is full. */
static struct omptape_mpi_comm *new_comm(uint64_t key, uint32_t connection)
{
    uint32_t number;
    if (!omptape_mpi_lock(&lock))
        return NULL;
    const struct omptape_mpi_number_use number_use = omptape_mpi_counts_add_object(
        &counts, connection != 0 ? omptape_mpi_mix(key, connection) : key, &number);
    struct omptape_mpi_comm *comm = omptape_mpi_handles_alloc_entry(&handles);
    if (comm != NULL) {
        comm->number_use = number_use;
        comm->recorded = number != UINT32_MAX;
        comm->number = comm->recorded ? number : numbers++;
        comm->identity = omptape_mpi_mix(key, number_use.first + 1);
        comm->connection = connection;
    } else {
        omptape_mpi_counts_remove_user(&counts, number_use);
    }
    omptape_mpi_unlock(&lock);
    return comm;
}

/* Creates a communicator's entry by which processes of other worlds join. `key` is a hash of the parent, the
 * connection's kind and the sizes; `*side` receives the identity of this side. NULL if the table is full. */
static struct omptape_mpi_comm *new_connection(uint64_t key, uint32_t connection, uint64_t *side)
{
    if (!omptape_mpi_lock(&lock))
        return NULL;
    uint64_t count =
        omptape_mpi_counts_next(&counts, connection != 0 ? omptape_mpi_mix(key, connection) : key);
    if (count == OMPTAPE_MPI_NO_COUNT)
        count = 0;
    struct omptape_mpi_comm *comm = omptape_mpi_handles_alloc_entry(&handles);
    if (comm != NULL) {
        comm->number = numbers++;
        comm->connection = comm->number;
        *side = omptape_mpi_mix(key, count + 1);
    }
    omptape_mpi_unlock(&lock);
    return comm;
}

static void set_entry(intptr_t handle, struct omptape_mpi_comm *comm)
{
    if (!omptape_mpi_lock(&lock))
        return;
    omptape_mpi_handles_set(&handles, handle, comm);
    omptape_mpi_unlock(&lock);
}

/* Records a communicator, unless it takes over the number of one recorded before. */
static void record_as(struct omptape_slot *slot, const struct omptape_mpi_comm *comm, uint32_t parent,
                      unsigned flags, const int *members)
{
    const struct omptape_mpi_described described = {.identity = comm->identity,
                                                    .number = comm->number,
                                                    .parent = parent,
                                                    .rank = comm->rank,
                                                    .size = comm->size};
    if (comm->recorded || !omptape_mpi_members_record(slot, &described, flags, members) ||
        comm->number_use.entry == 0 || !omptape_mpi_lock(&lock))
        return;
    omptape_mpi_counts_set_number(&counts, comm->number_use, comm->number);
    omptape_mpi_unlock(&lock);
}

/* Records a new communicator with its members' `ranks`. With those of other worlds these are the parent's. */
static void record_new(struct omptape_slot *slot, const struct omptape_mpi_comm *comm, uint32_t parent,
                       const int *ranks)
{
    record_as(slot, comm, parent, comm->connection != 0 ? OMPTAPE_MPI_COMM_OF_PARENT : 0, ranks);
}

/* Returns where the members of communicators made of `origin` are looked up. */
static struct omptape_mpi_rank_space rank_space_of(const struct omptape_mpi_origin *origin)
{
    const struct omptape_mpi_comm *comm = origin->comm;
    return (struct omptape_mpi_rank_space){.across_worlds = comm->connection != 0,
                                           .group_of = omptape_mpi.comm_group,
                                           .handle = origin->handle,
                                           .inter = comm->inter,
                                           .own_first = (int)(comm->offset == 0 ? comm->peers : 0),
                                           .others_first = (int)comm->offset};
}

static void set_sides(struct omptape_mpi_comm *comm, bool first, int rank, int size, int remote)
{
    comm->inter = true;
    comm->rank = (uint32_t)(first ? rank : remote + rank);
    comm->size = (uint32_t)(size + remote);
    comm->peers = (uint32_t)remote;
    comm->offset = (uint32_t)(first ? size : 0);
}

/* Queries the size of the remote group. Returns false if it fails or if the total exceeds INT_MAX. */
static bool query_remote_size(intptr_t handle, int size, int *remote)
{
    *remote = 0;
    return omptape_mpi.comm_remote_size(handle, remote) == OMPTAPE_MPI_SUCCESS && *remote > 0 &&
           *remote <= INT_MAX - size;
}

/* Properties of a new communicator that MPI reports. */
struct shape {
    int size, rank, inter;
};

/* Adds an inter-communicator, which has the members of both groups in an order that both sides compute alike.
 * `mine` receives the own group. Returns NULL if members are unknown. */
static struct omptape_mpi_comm *add_inter(struct omptape_slot *slot, const struct omptape_mpi_origin *origin,
                                          intptr_t handle, const struct shape *shape, uint64_t tag, int *mine)
{
    const int size = shape->size;
    int remote;
    if (!query_remote_size(handle, size, &remote))
        return NULL;
    const int size_of_all = size + remote;
    const size_t bytes =
        (OMPTAPE_MPI_NUMBERS_PER_MEMBER * (size_t)remote + (size_t)size_of_all) * sizeof(int);
    int *theirs = omptape_mpi_memory(bytes);
    const struct omptape_mpi_rank_space rank_space = rank_space_of(origin);
    struct omptape_mpi_comm *comm = NULL;
    if (theirs != NULL && omptape_mpi_group_of_comm(&rank_space, handle, false, size, mine) &&
        omptape_mpi_group_of_comm(&rank_space, handle, true, remote, theirs)) {
        int *all = theirs + OMPTAPE_MPI_NUMBERS_PER_MEMBER * (size_t)remote;
        const bool first = mine[0] < theirs[0];
        const uint32_t connection = origin->comm->connection;
        for (int i = 0; i < size; i++)
            all[(first ? 0 : remote) + i] = mine[i];
        for (int i = 0; i < remote; i++)
            all[(first ? size : 0) + i] = theirs[i];
        const uint64_t sizes = (uint64_t)(first ? size : remote) << 32 | UINT32_MAX;
        uint64_t key = omptape_mpi_mix(omptape_mpi_group_hash(all, size_of_all), sizes ^ tag);
        if (connection != 0)
            key = omptape_mpi_mix(key, origin->comm->identity);
        comm = new_comm(key, connection);
        if (comm != NULL) {
            set_sides(comm, first, shape->rank, size, remote);
            record_new(slot, comm, connection != 0 ? origin->comm->number : UINT32_MAX, all);
        }
    }
    omptape_mpi_memory_free(theirs, bytes);
    return comm;
}

static bool query_shape(intptr_t handle, struct shape *shape)
{
    *shape = (struct shape){.size = 0};
    return omptape_mpi.comm_size(handle, &shape->size) == OMPTAPE_MPI_SUCCESS && shape->size > 0 &&
           omptape_mpi.comm_rank(handle, &shape->rank) == OMPTAPE_MPI_SUCCESS &&
           omptape_mpi.comm_test_inter(handle, &shape->inter) == OMPTAPE_MPI_SUCCESS;
}

/* Adds a new communicator. Returns NULL if its members are unknown or the table is full. */
static struct omptape_mpi_comm *add_new(struct omptape_slot *slot, const struct omptape_mpi_origin *origin,
                                        intptr_t handle, uint64_t tag)
{
    const struct omptape_mpi_comm *parent = origin->comm;
    struct shape shape;
    if (!query_shape(handle, &shape))
        return NULL;
    const size_t bytes = OMPTAPE_MPI_NUMBERS_PER_MEMBER * (size_t)shape.size * sizeof(int);
    int *ranks = omptape_mpi_memory(bytes);
    if (ranks == NULL)
        return NULL;
    const struct omptape_mpi_rank_space rank_space = rank_space_of(origin);
    struct omptape_mpi_comm *comm = NULL;
    if (shape.inter != 0)
        comm = add_inter(slot, origin, handle, &shape, tag, ranks);
    else if (omptape_mpi_group_of_comm(&rank_space, handle, false, shape.size, ranks))
        comm = new_comm(omptape_mpi_mix(omptape_mpi_mix(parent->identity, tag),
                                        omptape_mpi_group_hash(ranks, shape.size)),
                        parent->connection);
    if (comm != NULL && !comm->inter) {
        comm->rank = (uint32_t)shape.rank;
        comm->size = (uint32_t)shape.size;
        comm->peers = comm->size;
        record_new(slot, comm, parent->number, ranks);
    }
    omptape_mpi_memory_free(ranks, bytes);
    return comm;
}

struct omptape_mpi_comm *omptape_mpi_comms_create_pending(struct omptape_slot *slot,
                                                          const struct omptape_mpi_comm *parent)
{
    /* UINT64_MAX distinguishes the duplicate from a split that contains all members. */
    struct omptape_mpi_comm *comm =
        new_comm(omptape_mpi_mix(parent->identity, UINT64_MAX), parent->connection);
    if (comm == NULL)
        return NULL;
    comm->rank = parent->rank;
    comm->size = parent->size;
    comm->peers = parent->peers;
    comm->offset = parent->offset;
    comm->inter = parent->inter;
    record_as(slot, comm, parent->number, OMPTAPE_MPI_COMM_LIKE, NULL);
    return comm;
}

bool omptape_mpi_comms_add(struct omptape_slot *slot, const struct omptape_mpi_origin *origin,
                           intptr_t argument, bool like, uint64_t tag)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    if (handle == omptape_mpi.comm_null)
        return true;
    struct omptape_mpi_comm *comm =
        like ? omptape_mpi_comms_create_pending(slot, origin->comm) : add_new(slot, origin, handle, tag);
    set_entry(handle, comm);
    return comm != NULL;
}

/* Counts a connection; the caller holds `lock`. Returns false if there are too many for unification. */
static bool count_connection(void)
{
    if (connections == MAX_CONNECTIONS)
        return false;
    connections++;
    return true;
}

/* Adds a communicator across worlds. Both sides compute the same identity. Several connections may have the
 * same one; unification distinguishes them by the records of both sides. */
static struct omptape_mpi_comm *add_connection(struct omptape_slot *slot,
                                               const struct omptape_mpi_comm *parent,
                                               const struct shape *shape, int remote,
                                               const struct omptape_mpi_connection *connection)
{
    const uint64_t sizes = (uint64_t)shape->size << 32 | (uint32_t)remote;
    const uint64_t both = (uint64_t)(connection->first ? shape->size : remote) << 32 |
                          (uint32_t)(connection->first ? remote : shape->size);
    uint64_t side;
    struct omptape_mpi_comm *comm =
        new_connection(omptape_mpi_mix(omptape_mpi_mix(parent->identity, (uint64_t)connection->kind), sizes),
                       parent->connection, &side);
    if (comm == NULL)
        return NULL;
    comm->identity = omptape_mpi_mix(FIRST_OF_CONNECTION, both);
    set_sides(comm, connection->first, shape->rank, shape->size, remote);
    const uint64_t words[] = {comm->identity,
                              parent->number | (uint64_t)comm->rank << 32,
                              comm->size,
                              side,
                              (uint32_t)remote | (uint64_t)connection->kind << 32 |
                                  (uint64_t)connection->first << 40 | (uint64_t)connection->root << 41,
                              connection->name};
    omptape_producer_put_words(slot, OMPTAPE_MPI_COMM, OMPTAPE_MPI_COMM_CONNECTION, comm->number, words,
                               sizeof(words) / sizeof(words[0]));
    return comm;
}

void omptape_mpi_comms_connect(struct omptape_slot *slot, const struct omptape_mpi_comm *parent,
                               intptr_t argument, const struct omptape_mpi_connection *connection)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    const struct omptape_mpi_origin of_world = {.comm = &world};
    struct omptape_mpi_comm *comm = NULL;
    struct shape shape;
    int remote;
    /* The communicator of the parents is the same at each request. */
    if (handle == omptape_mpi.comm_null ||
        (connection->kind == OMPTAPE_MPI_SPAWNED && omptape_mpi_comms_find(handle) != NULL))
        return;
    /* All processes may belong to this world. */
    if (parent->connection == 0 && connection->kind != OMPTAPE_MPI_SPAWN &&
        connection->kind != OMPTAPE_MPI_SPAWNED)
        comm = add_new(slot, &of_world, handle, 0);
    if (comm == NULL && connection->kind != OMPTAPE_MPI_UNKNOWN && !parent->inter &&
        query_shape(handle, &shape) && (uint32_t)shape.size == parent->size && shape.inter != 0 &&
        query_remote_size(handle, shape.size, &remote) && omptape_mpi_lock(&lock)) {
        const bool counted = count_connection();
        omptape_mpi_unlock(&lock);
        if (counted)
            comm = add_connection(slot, parent, &shape, remote, connection);
    }
    set_entry(handle, comm);
}

bool omptape_mpi_comms_add_of_groups(struct omptape_slot *slot, intptr_t handle, uint64_t tag)
{
    const struct omptape_mpi_origin origin = {.comm = &no_comm};
    return omptape_mpi_comms_add(slot, &origin, handle, false, tag);
}

void omptape_mpi_comms_set_handle(struct omptape_mpi_comm *pending, intptr_t argument)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    if (pending != NULL && handle != omptape_mpi.comm_null)
        set_entry(handle, pending);
}

bool omptape_mpi_comms_remove(intptr_t argument, struct omptape_mpi_comm *last)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    struct omptape_mpi_comm *comm = (struct omptape_mpi_comm *)omptape_mpi_comms_find(handle);
    if (comm == NULL || comm == &world || comm == &self || !omptape_mpi_lock(&lock))
        return false;
    *last = (struct omptape_mpi_comm){.number = comm->number, .number_use = comm->number_use};
    omptape_mpi_handles_remove(&handles, handle, comm);
    omptape_mpi_unlock(&lock);
    return true;
}

void omptape_mpi_comms_release(const struct omptape_mpi_comm *last)
{
    if (!omptape_mpi_lock(&lock))
        return;
    omptape_mpi_counts_remove_user(&counts, last->number_use);
    omptape_mpi_unlock(&lock);
}

bool omptape_mpi_comms_add_object(const struct omptape_mpi_comm *comm, enum omptape_mpi_object_kind kind,
                                  uint64_t key, struct omptape_mpi_object *object)
{
    *object = (struct omptape_mpi_object){.kind = kind, .number = UINT32_MAX};
    if (!omptape_mpi_lock(&lock))
        return false;
    object->ordinal = ((struct omptape_mpi_comm *)comm)->created[kind]++;
    if (omptape_mpi_counts_alloc(&objects[kind])) {
        object->comm_use = comm->number_use;
        omptape_mpi_counts_add_user(&counts, object->comm_use);
        object->number_use = omptape_mpi_counts_add_object(&objects[kind], omptape_mpi_mix(comm->number, key),
                                                           &object->number);
    }
    omptape_mpi_unlock(&lock);
    return object->ordinal != UINT32_MAX;
}

void omptape_mpi_comms_set_object_number(const struct omptape_mpi_object *object, uint32_t number)
{
    if (object->number_use.entry == 0 || !omptape_mpi_lock(&lock))
        return;
    omptape_mpi_counts_set_number(&objects[object->kind], object->number_use, number);
    omptape_mpi_unlock(&lock);
}

void omptape_mpi_comms_release_object(const struct omptape_mpi_object *object)
{
    if (!omptape_mpi_lock(&lock))
        return;
    omptape_mpi_counts_remove_user(&objects[object->kind], object->number_use);
    omptape_mpi_counts_remove_user(&counts, object->comm_use);
    omptape_mpi_unlock(&lock);
}

/* Records the communicator for partitioned messages; the caller holds `recording`. Other threads see
 * `*number` only after its record. An earlier communicator with the same number may already have one. */
static uint32_t record_partitioned(struct omptape_slot *slot, const struct omptape_mpi_comm *comm,
                                   uint64_t which, _Atomic uint32_t *number)
{
    if (!omptape_mpi_lock(&lock))
        return UINT32_MAX;
    uint64_t *kept = omptape_mpi_counts_alloc(&partitioned)
                         ? omptape_mpi_counts_value(&partitioned, omptape_mpi_mix(comm->number, which))
                         : NULL;
    const bool recorded = kept != NULL && *kept != 0;
    const struct omptape_mpi_comm shown = {
        .identity = omptape_mpi_mix(omptape_mpi_mix(comm->identity, FOR_PARTITIONED), which),
        .number = recorded ? (uint32_t)*kept : numbers++,
        .rank = comm->rank,
        .size = comm->size,
        .recorded = recorded};
    if (kept != NULL)
        *kept = shown.number;
    omptape_mpi_unlock(&lock);
    record_as(slot, &shown, comm->number, OMPTAPE_MPI_COMM_LIKE | OMPTAPE_MPI_COMM_PARTITIONED, NULL);
    atomic_store_explicit(number, shown.number, memory_order_release);
    return shown.number;
}

uint32_t omptape_mpi_comms_partitioned(struct omptape_slot *slot, const struct omptape_mpi_comm *comm,
                                       int peer, int tag, bool sends)
{
    const uint64_t pair = omptape_mpi_mix(comm->number, (uint64_t)(uint32_t)peer << 1 | sends);
    if (!omptape_mpi_lock(&lock))
        return UINT32_MAX;
    /* Counts even if the record fails, because the other side counts, too. */
    const uint64_t count = omptape_mpi_counts_alloc(&requests)
                               ? omptape_mpi_counts_next(&requests, omptape_mpi_mix(pair, (uint32_t)tag))
                               : OMPTAPE_MPI_NO_COUNT;
    omptape_mpi_unlock(&lock);
    if (count == OMPTAPE_MPI_NO_COUNT)
        return UINT32_MAX;
    const uint64_t which = count % OMPTAPE_MPI_PARTITIONED;
    _Atomic uint32_t *number = &((struct omptape_mpi_comm *)comm)->partitioned[which];
    uint32_t known = atomic_load_explicit(number, memory_order_acquire);
    if (known != 0)
        return known;
    if (!omptape_mpi_lock(&recording))
        return UINT32_MAX;
    known = atomic_load_explicit(number, memory_order_relaxed);
    if (known == 0)
        known = record_partitioned(slot, comm, which, number);
    omptape_mpi_unlock(&recording);
    return known;
}

bool omptape_mpi_comms_alloc(void)
{
    return omptape_mpi_counts_alloc(&counts) && omptape_mpi_handles_alloc(&handles);
}

/* Queries this process's rank among the processes that were started together, and their count. */
static bool query_rank(uint32_t *own_rank, uint32_t *all)
{
    intptr_t group;
    int rank = 0;
    int size = 0;
    if (!omptape_mpi_sessions_acquire_group(&group))
        return false;
    const bool known = omptape_mpi.group_rank(group, &rank) == OMPTAPE_MPI_SUCCESS && rank >= 0 &&
                       omptape_mpi.group_size(group, &size) == OMPTAPE_MPI_SUCCESS && size > 0;
    omptape_mpi_sessions_release_group(&group);
    *own_rank = (uint32_t)rank;
    *all = (uint32_t)size;
    return known;
}

/* Returns true if rank and size agree with those recorded; the caller holds `recording`. */
static bool is_recorded_rank(uint32_t rank, uint32_t size)
{
    return world_size == 0 || (world_rank == rank && world_size == size);
}

/* Records the first world; the caller holds `recording` until all records are written, because a thread that
 * finds a world records communicators made of it. `flags` is an enum omptape_mpi_comm_flags. */
static void record_first(struct omptape_slot *slot, uint32_t rank, uint32_t size, unsigned flags)
{
    const uint64_t words[] = {OF_WORLD, UINT32_MAX | (uint64_t)rank << 32, size, (uint64_t)size << 32, 1};
    omptape_producer_put_words(slot, OMPTAPE_MPI_COMM, flags, OMPTAPE_MPI_WORLD, words,
                               sizeof(words) / sizeof(words[0]));
    world_rank = rank;
    world_size = size;
}

bool omptape_mpi_comms_begin_world(struct omptape_slot *slot)
{
    const struct omptape_mpi_comm own = {
        .identity = OF_SELF, .number = OMPTAPE_MPI_SELF, .size = 1, .peers = 1};
    uint32_t rank;
    uint32_t size;
    if (!query_rank(&rank, &size) || !omptape_mpi_lock(&recording))
        return false;
    const bool known = is_recorded_rank(rank, size);
    if (known) {
        record_first(slot, rank, size, 0);
        record_as(slot, &own, UINT32_MAX, OMPTAPE_MPI_COMM_SELF, NULL);
        world = (struct omptape_mpi_comm){
            .identity = OF_WORLD, .number = OMPTAPE_MPI_WORLD, .rank = rank, .size = size, .peers = size};
        self = own;
    }
    omptape_mpi_unlock(&recording);
    return known;
}

bool omptape_mpi_comms_begin_set(struct omptape_slot *slot)
{
    uint32_t rank;
    uint32_t size;
    if (!query_rank(&rank, &size) || !omptape_mpi_lock(&recording))
        return false;
    const bool known = is_recorded_rank(rank, size);
    if (known && world_size == 0)
        record_first(slot, rank, size, OMPTAPE_MPI_COMM_SET);
    omptape_mpi_unlock(&recording);
    return known;
}

void omptape_mpi_comms_end_world(void)
{
    world.size = 0;
    self.size = 0;
}
