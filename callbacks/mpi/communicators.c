/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of communicators: handles, hashed, each to what is known of it. Looked up without a lock; changed
 * with one, which is rare.
 */
#include "callbacks/mpi/communicators.h"

#include "buffers/producer.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/memory.h"

#include <stddef.h>

enum { PLACES = 1 << 16, MOST_COMMS = PLACES / 2, MOST_COUNTS = 1 << 16 };
enum { HEAD_WORDS = 3, RUN_WORDS = 2, MOST_RUNS = 120 };

struct place {
    _Atomic uintptr_t handle; /* 0: it never had one */
    struct omptape_mpi_comm *_Atomic comm;
};

/* How many were made of the same. */
struct count {
    uint64_t key; /* 0: not in use */
    uint64_t count;
};

struct tables {
    struct place places[PLACES];
    struct omptape_mpi_comm comms[MOST_COMMS];
    struct count counts[MOST_COUNTS];
    struct omptape_mpi_comm *spare;
    uint32_t used;        /* comms that ever were in use, */
    uint32_t places_used; /* and places */
    uint32_t numbers;
};

static struct tables *tables;
static atomic_flag lock = ATOMIC_FLAG_INIT;
/* Those that are there from the start, which most calls are about. */
static struct omptape_mpi_comm world;
static struct omptape_mpi_comm self;

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

const struct omptape_mpi_comm *omptape_mpi_comms_find(intptr_t argument)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    if (handle == omptape_mpi.comm_world)
        return &world;
    if (handle == omptape_mpi.comm_self)
        return &self;
    for (uint64_t i = mix(0, (uint64_t)handle);; i++) {
        struct place *place = &tables->places[i % PLACES];
        const uintptr_t there = atomic_load_explicit(&place->handle, memory_order_acquire);
        if (there == (uintptr_t)handle)
            return atomic_load_explicit(&place->comm, memory_order_acquire);
        if (there == 0)
            return NULL;
    }
}

/* With the lock. */
static void put_place(intptr_t handle, struct omptape_mpi_comm *comm)
{
    for (uint64_t i = mix(0, (uint64_t)handle);; i++) {
        struct place *place = &tables->places[i % PLACES];
        const uintptr_t there = atomic_load_explicit(&place->handle, memory_order_relaxed);
        if (there != 0 && there != (uintptr_t)handle)
            continue;
        if (there == 0 && (comm == NULL || tables->places_used >= PLACES / 2))
            return;
        tables->places_used += there == 0;
        atomic_store_explicit(&place->comm, comm, memory_order_release);
        atomic_store_explicit(&place->handle, (uintptr_t)handle, memory_order_release);
        return;
    }
}

/* With the lock: how many there were of this key before. */
static uint64_t count_of(uint64_t key)
{
    enum { MOST_PROBES = 64 };
    key |= 1;
    for (uint64_t i = 0; i < MOST_PROBES; i++) {
        struct count *count = &tables->counts[(key + i) % MOST_COUNTS];
        if (count->key != 0 && count->key != key)
            continue;
        count->key = key;
        return count->count++;
    }
    return 0;
}

/* With the lock. */
static struct omptape_mpi_comm *take_comm(void)
{
    struct omptape_mpi_comm *comm = tables->spare;
    if (comm != NULL)
        tables->spare = comm->next_spare;
    else if (tables->used < MOST_COMMS)
        comm = &tables->comms[tables->used++];
    if (comm != NULL)
        *comm = (struct omptape_mpi_comm){.number = tables->numbers++};
    return comm;
}

static struct omptape_mpi_comm *new_comm(uint64_t key)
{
    if (!omptape_mpi_lock(&lock))
        return NULL;
    const uint64_t count = count_of(key);
    struct omptape_mpi_comm *comm = take_comm();
    if (comm != NULL)
        comm->identity = mix(key, count + 1);
    omptape_mpi_unlock(&lock);
    return comm;
}

static void give_place(intptr_t handle, struct omptape_mpi_comm *comm)
{
    if (!omptape_mpi_lock(&lock))
        return;
    put_place(handle, comm);
    omptape_mpi_unlock(&lock);
}

/* Ranks of a group's members in MPI_COMM_WORLD. `ranks` has room for twice `size`. */
static bool list_members(intptr_t comm, int (*group_of)(intptr_t, void *), int size, int *ranks)
{
    int (*own_group_of)(intptr_t, void *) = omptape_mpi.comm_group;
    intptr_t group = 0;
    intptr_t all = 0;
    bool known = true;
    if (group_of(comm, &group) != OMPTAPE_MPI_SUCCESS)
        return false;
    if (own_group_of(omptape_mpi.comm_world, &all) != OMPTAPE_MPI_SUCCESS) {
        omptape_mpi.group_free(&group);
        return false;
    }
    for (int i = 0; i < size; i++)
        ranks[size + i] = i;
    if (omptape_mpi.group_translate_ranks(group, size, ranks + size, all, ranks) != OMPTAPE_MPI_SUCCESS)
        known = false;
    /* Processes that are in no world of ours were spawned, or spawned us. */
    for (int i = 0; i < size && known; i++)
        known = ranks[i] >= 0;
    omptape_mpi.group_free(&group);
    omptape_mpi.group_free(&all);
    return known;
}

static uint64_t hash_members(const int *ranks, int size)
{
    uint64_t hash = (uint64_t)size;
    for (int i = 0; i < size; i++)
        hash = mix(hash, (uint64_t)ranks[i]);
    return hash;
}

struct description {
    uint64_t words[HEAD_WORDS + RUN_WORDS * MOST_RUNS];
    uint32_t runs;
    unsigned flags;
};

static void put_runs(struct omptape_slot *slot, const struct omptape_mpi_comm *comm,
                     struct description *description, unsigned more)
{
    omptape_producer_put_words(slot, OMPTAPE_MPI_COMM, description->flags | more, comm->number,
                               description->words, HEAD_WORDS + RUN_WORDS * description->runs);
    description->flags = OMPTAPE_MPI_COMM_MORE;
    description->runs = 0;
}

/* The members from the i-th on that are a run; returns how many. */
static int find_run(const int *ranks, int size, int i, int *step)
{
    int count = 1;
    *step = i + 1 < size ? ranks[i + 1] - ranks[i] : 1;
    while (i + count < size && ranks[i + count] - ranks[i + count - 1] == *step)
        count++;
    return count;
}

static void record(struct omptape_slot *slot, const struct omptape_mpi_comm *comm, uint32_t parent,
                   unsigned flags, const int *ranks)
{
    struct description description = {
        .words = {comm->identity, parent | (uint64_t)comm->rank << 32, comm->size}, .flags = flags};
    int step;
    int count;
    for (int i = 0; ranks != NULL && i < (int)comm->size; i += count) {
        if (description.runs == MOST_RUNS)
            put_runs(slot, comm, &description, OMPTAPE_MPI_COMM_GOES_ON);
        count = find_run(ranks, (int)comm->size, i, &step);
        uint64_t *run = description.words + HEAD_WORDS + (size_t)RUN_WORDS * description.runs++;
        run[0] = (uint32_t)ranks[i] | (uint64_t)count << 32;
        run[1] = (uint64_t)(int64_t)step;
    }
    put_runs(slot, comm, &description, 0);
}

/* An inter-communicator has a name that both of its sides find. */
static uint64_t key_of_inter(intptr_t handle, int size, int *ranks, bool *known)
{
    int remote = 0;
    if (omptape_mpi.comm_remote_size(handle, &remote) != OMPTAPE_MPI_SUCCESS || remote <= 0) {
        *known = false;
        return 0;
    }
    const size_t bytes = 2 * (size_t)remote * sizeof(*ranks);
    int *others = omptape_mpi_memory(bytes);
    *known = others != NULL && list_members(handle, omptape_mpi.comm_group, size, ranks) &&
             list_members(handle, omptape_mpi.comm_remote_group, remote, others);
    uint64_t mine = *known ? hash_members(ranks, size) : 0;
    uint64_t theirs = *known ? hash_members(others, remote) : 0;
    bool first = *known && ranks[0] < others[0];
    omptape_mpi_memory_free(others, bytes);
    return mix(first ? mix(mine, theirs) : mix(theirs, mine), UINT64_MAX);
}

static void add_new(struct omptape_slot *slot, const struct omptape_mpi_comm *parent, intptr_t handle,
                    int tag)
{
    int size = 0;
    int rank = 0;
    int inter = 0;
    bool known = true;
    if (omptape_mpi.comm_size(handle, &size) != OMPTAPE_MPI_SUCCESS || size <= 0 ||
        omptape_mpi.comm_rank(handle, &rank) != OMPTAPE_MPI_SUCCESS ||
        omptape_mpi.comm_test_inter(handle, &inter) != OMPTAPE_MPI_SUCCESS)
        return;
    const size_t bytes = 2 * (size_t)size * sizeof(int);
    int *ranks = omptape_mpi_memory(bytes);
    if (ranks == NULL)
        return;
    uint64_t key = 0;
    if (inter != 0) {
        key = key_of_inter(handle, size, ranks, &known);
    } else {
        known = list_members(handle, omptape_mpi.comm_group, size, ranks);
        key = known ? mix(mix(parent->identity, (uint64_t)(uint32_t)tag), hash_members(ranks, size)) : 0;
    }
    struct omptape_mpi_comm *comm = known ? new_comm(key) : NULL;
    if (comm != NULL) {
        comm->rank = (uint32_t)rank;
        comm->size = (uint32_t)size;
        comm->inter = inter != 0;
        if (!comm->inter)
            record(slot, comm, parent->inter ? UINT32_MAX : parent->number, 0, ranks);
    }
    omptape_mpi_memory_free(ranks, bytes);
    give_place(handle, comm);
}

static struct omptape_mpi_comm *add_like(struct omptape_slot *slot, const struct omptape_mpi_comm *parent)
{
    /* Apart from what a split makes that has all members. */
    struct omptape_mpi_comm *comm = new_comm(mix(parent->identity, UINT64_MAX));
    if (comm == NULL)
        return NULL;
    comm->rank = parent->rank;
    comm->size = parent->size;
    comm->inter = parent->inter;
    if (!comm->inter)
        record(slot, comm, parent->number, OMPTAPE_MPI_COMM_LIKE, NULL);
    return comm;
}

void omptape_mpi_comms_add(struct omptape_slot *slot, const struct omptape_mpi_comm *parent,
                           intptr_t argument, bool like, int tag)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    if (handle == omptape_mpi.comm_null)
        return;
    if (like)
        give_place(handle, add_like(slot, parent));
    else
        add_new(slot, parent, handle, tag);
}

uint32_t omptape_mpi_comms_announce(struct omptape_slot *slot, const struct omptape_mpi_comm *parent)
{
    const struct omptape_mpi_comm *comm = add_like(slot, parent);
    return comm != NULL ? (uint32_t)(comm - tables->comms) + 1 : 0;
}

void omptape_mpi_comms_give(uint32_t number, intptr_t argument)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    if (number != 0 && handle != omptape_mpi.comm_null)
        give_place(handle, &tables->comms[number - 1]);
}

void omptape_mpi_comms_remove(intptr_t argument)
{
    const intptr_t handle = omptape_mpi_handle(argument);
    struct omptape_mpi_comm *comm = (struct omptape_mpi_comm *)omptape_mpi_comms_find(handle);
    if (comm == NULL || comm == &world || comm == &self || !omptape_mpi_lock(&lock))
        return;
    put_place(handle, NULL);
    comm->next_spare = tables->spare;
    tables->spare = comm;
    omptape_mpi_unlock(&lock);
}

bool omptape_mpi_comms_begin(struct omptape_slot *slot)
{
    int rank = 0;
    int size = 0;
    tables = omptape_mpi_memory(sizeof(*tables));
    if (tables == NULL || omptape_mpi.comm_rank(omptape_mpi.comm_world, &rank) != OMPTAPE_MPI_SUCCESS ||
        omptape_mpi.comm_size(omptape_mpi.comm_world, &size) != OMPTAPE_MPI_SUCCESS || size <= 0)
        return false;
    tables->numbers = OMPTAPE_MPI_FIRST_COMM;
    world = (struct omptape_mpi_comm){
        .identity = 1, .number = OMPTAPE_MPI_WORLD, .rank = (uint32_t)rank, .size = (uint32_t)size};
    self = (struct omptape_mpi_comm){.identity = 2, .number = OMPTAPE_MPI_SELF, .size = 1};
    uint64_t words[] = {1, UINT32_MAX | (uint64_t)rank << 32, (uint64_t)size, (uint64_t)size << 32, 1};
    omptape_producer_put_words(slot, OMPTAPE_MPI_COMM, 0, OMPTAPE_MPI_WORLD, words,
                               sizeof(words) / sizeof(words[0]));
    record(slot, &self, UINT32_MAX, OMPTAPE_MPI_COMM_SELF, NULL);
    return true;
}
