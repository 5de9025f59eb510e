/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective operations of one kind of counts, for calls.c: COUNT and PLACE are their types, LARGE(name) is
 * their name, NAME(word) what the functions here are called.
 */
static void NAME(collect)(struct ring *ring, MPI_Comm grid, int way)
{
    COUNT counts[MAX_RANKS], ones[MAX_RANKS];
    PLACE places[MAX_RANKS], far[MAX_RANKS];
    MPI_Aint addresses[2] = {0, 4};
    MPI_Datatype types[MAX_RANKS];
    MPI_Request request;
    MPI_Comm comm = ring->comm;
    int rank = ring->rank, root = ring->size - 1;
    int *out = ring->out, *in = ring->in;
    PLACE place = 0;
    int again = ring->size > 2 ? 1 : 2; /* MPICH 4.0.2 fails on what is started again among more */
    for (int i = 0; i < ring->size || i < 2; i++) {
        ones[i] = 1;
        counts[i] = 1 + i % 2;
        places[i] = place;
        place += (PLACE)counts[i];
        far[i] = 4 * i;
        types[i] = MPI_INT;
    }
    if (way == 0) {
#define CALL(name, later, ...) DO_NAMED(LARGE(name), __VA_ARGS__)
#include "operations.h"
    } else if (way == 1) {
#undef CALL
#define CALL(name, later, ...)                                                                               \
    do {                                                                                                     \
        DO_NAMED(LARGE(I##later), __VA_ARGS__, &request);                                                    \
        DO(Wait, &request, MPI_STATUS_IGNORE);                                                               \
    } while (0)
#include "operations.h"
    }
#if MPI_VERSION >= 4
    if (way == 2) {
#undef CALL
#define CALL(name, later, ...)                                                                               \
    do {                                                                                                     \
        int index;                                                                                           \
        DO_NAMED(LARGE(name##_init), __VA_ARGS__, MPI_INFO_NULL, &request);                                  \
        for (int i = 0; i < again; i++) {                                                                    \
            DO(Start, &request);                                                                             \
            DO(Waitany, 1, &request, &index, MPI_STATUS_IGNORE);                                             \
        }                                                                                                    \
        DO(Request_free, &request);                                                                          \
    } while (0)
#include "operations.h"
    }
#endif
#undef CALL
}
