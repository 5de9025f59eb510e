/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Describes MPI's functions for the library, which records them, and for the writer: numbers, names,
 * families. Constant data; any thread.
 */
#pragma once

#include "src/mpi/table.h"

#include <stdint.h>

#define OMPTAPE_MPI_NUMBER(name, arguments, family, role, detail) OMPTAPE_CALL_MPI_##name,
enum omptape_mpi_number { OMPTAPE_MPI_ALL(OMPTAPE_MPI_NUMBER) OMPTAPE_MPI_FUNCTIONS };
#undef OMPTAPE_MPI_NUMBER

/* Families of functions, by their effect on messages, requests and communicators: X(NAME, suffix of the
 * recording function). The functions of a family have the same arguments. REGION: no effect. Files are
 * accessed by a blocking call, with a request (FILE_IACCESS), or in two steps (FILE_BEGIN and FILE_END).
 */
#define OMPTAPE_MPI_FAMILIES(X)                                                                              \
    X(REGION, region)                                                                                        \
    X(INIT, init)                                                                                            \
    X(SESSION_INIT, session_init)                                                                            \
    X(SESSION_END, session_end)                                                                              \
    X(FINALIZE, finalize)                                                                                    \
    X(ABORT, abort)                                                                                          \
    X(COMM_DUP, comm_dup)                                                                                    \
    X(COMM_IDUP, comm_idup)                                                                                  \
    X(COMM_NEW, comm_new)                                                                                    \
    X(COMM_OF_GROUP, comm_of_group)                                                                          \
    X(COMM_OF_GROUPS, comm_of_groups)                                                                        \
    X(COMM_INTER, comm_inter)                                                                                \
    X(COMM_CONNECT, comm_connect)                                                                            \
    X(COMM_JOIN, comm_join)                                                                                  \
    X(COMM_PARENT, comm_parent)                                                                              \
    X(COMM_FREE, comm_free)                                                                                  \
    X(SEND, send)                                                                                            \
    X(RECV, recv)                                                                                            \
    X(SENDRECV, sendrecv)                                                                                    \
    X(ISEND, isend)                                                                                          \
    X(IRECV, irecv)                                                                                          \
    X(ISENDRECV, isendrecv)                                                                                  \
    X(SEND_INIT, send_init)                                                                                  \
    X(RECV_INIT, recv_init)                                                                                  \
    X(PARTITIONED_INIT, partitioned_init)                                                                    \
    X(PREADY, pready)                                                                                        \
    X(START, start)                                                                                          \
    X(COMPLETE, complete)                                                                                    \
    X(GET_STATUS, get_status)                                                                                \
    X(CANCEL, cancel)                                                                                        \
    X(REQUEST_FREE, request_free)                                                                            \
    X(PROBE, probe)                                                                                          \
    X(IPROBE, iprobe)                                                                                        \
    X(MPROBE, probe)                                                                                         \
    X(IMPROBE, iprobe)                                                                                       \
    X(MRECV, mrecv)                                                                                          \
    X(IMRECV, imrecv)                                                                                        \
    X(COLLECTIVE, collective)                                                                                \
    X(ICOLLECTIVE, icollective)                                                                              \
    X(COLLECTIVE_INIT, collective_init)                                                                      \
    X(WIN_NEW, win_new)                                                                                      \
    X(WIN_FREE, win_free)                                                                                    \
    X(WIN_FENCE, win_fence)                                                                                  \
    X(WIN_LOCK, win_lock)                                                                                    \
    X(WIN_FLUSH, win_flush)                                                                                  \
    X(WIN_GROUP, win_group)                                                                                  \
    X(WIN_END, win_end)                                                                                      \
    X(WIN_SYNC, win_sync)                                                                                    \
    X(RMA, rma)                                                                                              \
    X(FILE_OPEN, file_open)                                                                                  \
    X(FILE_CLOSE, file_close)                                                                                \
    X(FILE_DELETE, file_delete)                                                                              \
    X(FILE_SEEK, file_seek)                                                                                  \
    X(FILE_ACCESS, file_access)                                                                              \
    X(FILE_IACCESS, file_iaccess)                                                                            \
    X(FILE_BEGIN, file_begin)                                                                                \
    X(FILE_END, file_end)

#define OMPTAPE_MPI_FAMILY(name, ...) OMPTAPE_MPI_FAMILY_##name,
enum omptape_mpi_family { OMPTAPE_MPI_FAMILIES(OMPTAPE_MPI_FAMILY) OMPTAPE_MPI_FAMILY_COUNT };
#undef OMPTAPE_MPI_FAMILY

/* Kinds of collective operations; the first ones have OTF2's numbers. */
enum omptape_mpi_shape {
    OMPTAPE_MPI_SHAPE_BARRIER,
    OMPTAPE_MPI_SHAPE_BCAST,
    OMPTAPE_MPI_SHAPE_GATHER,
    OMPTAPE_MPI_SHAPE_GATHERV,
    OMPTAPE_MPI_SHAPE_SCATTER,
    OMPTAPE_MPI_SHAPE_SCATTERV,
    OMPTAPE_MPI_SHAPE_ALLGATHER,
    OMPTAPE_MPI_SHAPE_ALLGATHERV,
    OMPTAPE_MPI_SHAPE_ALLTOALL,
    OMPTAPE_MPI_SHAPE_ALLTOALLV,
    OMPTAPE_MPI_SHAPE_ALLTOALLW,
    OMPTAPE_MPI_SHAPE_ALLREDUCE,
    OMPTAPE_MPI_SHAPE_REDUCE,
    OMPTAPE_MPI_SHAPE_REDUCE_SCATTER,
    OMPTAPE_MPI_SHAPE_SCAN,
    OMPTAPE_MPI_SHAPE_EXSCAN,
    OMPTAPE_MPI_SHAPE_REDUCE_SCATTER_BLOCK,
    /* Neighbourhood collectives of a topology. */
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLGATHER,
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLGATHERV,
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLTOALL,
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLTOALLV,
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLTOALLW,
    OMPTAPE_MPI_SHAPES
};

/* Kinds of access to another process's memory. */
enum omptape_mpi_access {
    OMPTAPE_MPI_PUT,
    OMPTAPE_MPI_GET,
    OMPTAPE_MPI_ACCUMULATE,
    OMPTAPE_MPI_GET_ACCUMULATE,
    OMPTAPE_MPI_FETCH_AND_OP,
    OMPTAPE_MPI_COMPARE_AND_SWAP,
    OMPTAPE_MPI_ACCESS_REQUESTED = 0x80 /* with a request as the last argument */
};

/* How far a call completes the operations of a window. */
enum omptape_mpi_flush { OMPTAPE_MPI_FLUSH_LOCALLY, OMPTAPE_MPI_FLUSH, OMPTAPE_MPI_UNLOCK };

/* Which of its requests a call completes, and whether it waits for them. */
enum omptape_mpi_completes {
    OMPTAPE_MPI_COMPLETES_ONE, /* its only one */
    OMPTAPE_MPI_COMPLETES_ALL,
    OMPTAPE_MPI_COMPLETES_ANY, /* any one */
    OMPTAPE_MPI_COMPLETES_SOME,
    OMPTAPE_MPI_COMPLETES = 3, /* the bits of the values above */
    OMPTAPE_MPI_WAITS = 4
};

/* Arguments that name the partitions of a message that are ready to be sent. */
enum omptape_mpi_ready { OMPTAPE_MPI_READY_ONE, OMPTAPE_MPI_READY_RANGE, OMPTAPE_MPI_READY_LIST };

/* Flags of a file access. */
enum omptape_mpi_io_flags {
    OMPTAPE_MPI_IO_READ = 0,
    OMPTAPE_MPI_IO_WRITE = 1,
    OMPTAPE_MPI_IO_ALL = 2, /* collective */
    OMPTAPE_MPI_IO_AT = 4,  /* at the offset of the second argument */
    OMPTAPE_MPI_IO_READ_AT = OMPTAPE_MPI_IO_READ | OMPTAPE_MPI_IO_AT,
    OMPTAPE_MPI_IO_WRITE_AT = OMPTAPE_MPI_IO_WRITE | OMPTAPE_MPI_IO_AT,
};

enum omptape_mpi_role {
    OMPTAPE_MPI_ROLE_CODE,
    OMPTAPE_MPI_ROLE_POINT2POINT,
    OMPTAPE_MPI_ROLE_BARRIER,
    OMPTAPE_MPI_ROLE_COLL_ONE2ALL,
    OMPTAPE_MPI_ROLE_COLL_ALL2ONE,
    OMPTAPE_MPI_ROLE_COLL_ALL2ALL,
    OMPTAPE_MPI_ROLE_COLL_OTHER,
    OMPTAPE_MPI_ROLE_RMA,
    OMPTAPE_MPI_ROLE_FILE_IO,
    OMPTAPE_MPI_ROLE_FILE_IO_META,
};

/* Groups of --events that select a function, as in OMPTAPE_EVENTS_MPI (src/core/events.h). A function is
 * recorded if any of its groups is selected. */
enum omptape_mpi_group {
    OMPTAPE_MPI_GROUP_P2P = 1,
    OMPTAPE_MPI_GROUP_COLL = 2,
    OMPTAPE_MPI_GROUP_RMA = 4,
    OMPTAPE_MPI_GROUP_IO = 8,
    OMPTAPE_MPI_GROUP_REST = 16,
    OMPTAPE_MPI_GROUP_ALWAYS = 32
};

enum { OMPTAPE_MPI_NAME_BYTES = 36 };

/* A row of the table. Contains no addresses, so the loader need not relocate it in programs without MPI. */
struct omptape_mpi_function {
    char name[OMPTAPE_MPI_NAME_BYTES]; /* "MPI_Send" */
    uint8_t arguments;                 /* number of arguments; all are integers or addresses */
    uint8_t family;                    /* enum omptape_mpi_family */
    uint8_t role;                      /* enum omptape_mpi_role */
    uint8_t detail;                    /* depends on the family: see src/mpi/table.h */
    uint8_t groups;                    /* enum omptape_mpi_group */
    uint8_t large;                     /* 1: counts are MPI_Count, else int */
};

extern const struct omptape_mpi_function omptape_mpi_functions[OMPTAPE_MPI_FUNCTIONS];
