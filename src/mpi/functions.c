/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Defines the table of MPI's functions for the library and the writer.
 */
#include "src/mpi/functions.h"

#define ROW(called, count, kind, part, what, of, wide)                                                       \
    {.name = "MPI_" #called,                                                                                 \
     .arguments = (count),                                                                                   \
     .family = OMPTAPE_MPI_FAMILY_##kind,                                                                    \
     .role = OMPTAPE_MPI_ROLE_##part,                                                                        \
     .detail = (what),                                                                                       \
     .groups = (of),                                                                                         \
     .large = (wide)},

/* Groups that share the functions that complete requests. */
enum {
    P2P = OMPTAPE_MPI_GROUP_P2P,
    COLL = OMPTAPE_MPI_GROUP_COLL,
    RMA = OMPTAPE_MPI_GROUP_RMA,
    IO = OMPTAPE_MPI_GROUP_IO,
    REQUESTS = P2P | COLL | RMA | IO
};
#define OF_ALWAYS(n, c, f, r, d) ROW(n, c, f, r, d, OMPTAPE_MPI_GROUP_ALWAYS, 0)
#define OF_P2P(n, c, f, r, d) ROW(n, c, f, r, d, P2P, 0)
#define LARGE_P2P(n, c, f, r, d) ROW(n, c, f, r, d, P2P, 1)
#define OF_REQUESTS(n, c, f, r, d) ROW(n, c, f, r, d, REQUESTS, 0)
#define OF_COLL(n, c, f, r, d) ROW(n, c, f, r, OMPTAPE_MPI_SHAPE_##d, COLL, 0)
#define LARGE_COLL(n, c, f, r, d) ROW(n, c, f, r, OMPTAPE_MPI_SHAPE_##d, COLL, 1)
#define OF_RMA(n, c, f, r, d) ROW(n, c, f, r, d, RMA, 0)
#define LARGE_RMA(n, c, f, r, d) ROW(n, c, f, r, d, RMA, 1)
#define OF_IO(n, c, f, r, d) ROW(n, c, f, r, d, IO, 0)
#define LARGE_IO(n, c, f, r, d) ROW(n, c, f, r, d, IO, 1)
#define OF_REST(n, c, f, r, d) ROW(n, c, f, r, d, OMPTAPE_MPI_GROUP_REST, 0)
#define LARGE_REST(n, c, f, r, d) ROW(n, c, f, r, d, OMPTAPE_MPI_GROUP_REST, 1)

/* In the order of OMPTAPE_MPI_ALL. */
const struct omptape_mpi_function omptape_mpi_functions[OMPTAPE_MPI_FUNCTIONS] = {
    OMPTAPE_MPI_MANAGEMENT(OF_ALWAYS) OMPTAPE_MPI_MESSAGES(OF_P2P) OMPTAPE_MPI_COUNTED_MESSAGES(OF_P2P, )
        OMPTAPE_MPI_COUNTED_MESSAGES(LARGE_P2P, _c) OMPTAPE_MPI_REQUESTS(OF_REQUESTS)
            OMPTAPE_MPI_BARRIERS(OF_COLL) OMPTAPE_MPI_COUNTED_COLLECTIVE(OF_COLL, )
                OMPTAPE_MPI_COUNTED_COLLECTIVE(LARGE_COLL, _c) OMPTAPE_MPI_WINDOWS(OF_RMA)
                    OMPTAPE_MPI_COUNTED_RMA(OF_RMA, ) OMPTAPE_MPI_COUNTED_RMA(LARGE_RMA, _c)
                        OMPTAPE_MPI_IO(OF_IO) OMPTAPE_MPI_COUNTED_IO(OF_IO, )
                            OMPTAPE_MPI_COUNTED_IO(LARGE_IO, _c) OMPTAPE_MPI_REST(OF_REST)
                                OMPTAPE_MPI_COUNTED_REST(OF_REST, ) OMPTAPE_MPI_COUNTED_REST(LARGE_REST, _c)};
