/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's functions as the library that records them and the writer both know them: numbers, names, families.
 * Constant data; any thread.
 */
#ifndef OMPTAPE_MPI_FUNCTIONS_H
#define OMPTAPE_MPI_FUNCTIONS_H

#include "src/mpi/table.h"

#include <stdint.h>

#define OMPTAPE_MPI_NUMBER(name, arguments, family, role, detail) OMPTAPE_CALL_MPI_##name,
enum omptape_mpi_number { OMPTAPE_MPI_ALL(OMPTAPE_MPI_NUMBER) OMPTAPE_MPI_FUNCTIONS };
#undef OMPTAPE_MPI_NUMBER

/* What a function does to messages, requests and communicators. Its arguments are those of the functions in
 * the table that have it. */
enum omptape_mpi_family {
    OMPTAPE_MPI_FAMILY_REGION, /* nothing */
    OMPTAPE_MPI_FAMILY_INIT,
    OMPTAPE_MPI_FAMILY_SESSION_INIT,
    OMPTAPE_MPI_FAMILY_SESSION_END,
    OMPTAPE_MPI_FAMILY_FINALIZE,
    OMPTAPE_MPI_FAMILY_ABORT,
    OMPTAPE_MPI_FAMILY_COMM_DUP,
    OMPTAPE_MPI_FAMILY_COMM_IDUP,
    OMPTAPE_MPI_FAMILY_COMM_NEW,
    OMPTAPE_MPI_FAMILY_COMM_OF_GROUP,  /* and of a communicator, */
    OMPTAPE_MPI_FAMILY_COMM_OF_GROUPS, /* or of groups alone */
    OMPTAPE_MPI_FAMILY_COMM_INTER,
    OMPTAPE_MPI_FAMILY_COMM_MEET,
    OMPTAPE_MPI_FAMILY_COMM_JOIN,
    OMPTAPE_MPI_FAMILY_COMM_PARENT,
    OMPTAPE_MPI_FAMILY_COMM_FREE,
    OMPTAPE_MPI_FAMILY_SEND,
    OMPTAPE_MPI_FAMILY_RECV,
    OMPTAPE_MPI_FAMILY_SENDRECV,
    OMPTAPE_MPI_FAMILY_SENDRECV_REPLACE,
    OMPTAPE_MPI_FAMILY_ISEND,
    OMPTAPE_MPI_FAMILY_IRECV,
    OMPTAPE_MPI_FAMILY_ISENDRECV,
    OMPTAPE_MPI_FAMILY_SEND_INIT,
    OMPTAPE_MPI_FAMILY_RECV_INIT,
    OMPTAPE_MPI_FAMILY_PARTITIONED_INIT,
    OMPTAPE_MPI_FAMILY_PREADY,
    OMPTAPE_MPI_FAMILY_START,
    OMPTAPE_MPI_FAMILY_STARTALL,
    OMPTAPE_MPI_FAMILY_WAIT,
    OMPTAPE_MPI_FAMILY_WAITANY,
    OMPTAPE_MPI_FAMILY_WAITALL,
    OMPTAPE_MPI_FAMILY_WAITSOME,
    OMPTAPE_MPI_FAMILY_TEST,
    OMPTAPE_MPI_FAMILY_TESTANY,
    OMPTAPE_MPI_FAMILY_TESTALL,
    OMPTAPE_MPI_FAMILY_GET_STATUS,
    OMPTAPE_MPI_FAMILY_CANCEL,
    OMPTAPE_MPI_FAMILY_REQUEST_FREE,
    OMPTAPE_MPI_FAMILY_PROBE,
    OMPTAPE_MPI_FAMILY_IPROBE,
    OMPTAPE_MPI_FAMILY_MPROBE,
    OMPTAPE_MPI_FAMILY_IMPROBE,
    OMPTAPE_MPI_FAMILY_MRECV,
    OMPTAPE_MPI_FAMILY_IMRECV,
    OMPTAPE_MPI_FAMILY_COLLECTIVE,
    OMPTAPE_MPI_FAMILY_ICOLLECTIVE,
    OMPTAPE_MPI_FAMILY_COLLECTIVE_INIT,
    OMPTAPE_MPI_FAMILY_WIN_NEW,
    OMPTAPE_MPI_FAMILY_WIN_FREE,
    OMPTAPE_MPI_FAMILY_WIN_FENCE,
    OMPTAPE_MPI_FAMILY_WIN_LOCK,
    OMPTAPE_MPI_FAMILY_WIN_UNLOCK,
    OMPTAPE_MPI_FAMILY_WIN_LOCK_ALL,
    OMPTAPE_MPI_FAMILY_WIN_UNLOCK_ALL,
    OMPTAPE_MPI_FAMILY_WIN_FLUSH,
    OMPTAPE_MPI_FAMILY_WIN_FLUSH_ALL,
    OMPTAPE_MPI_FAMILY_WIN_GROUP,
    OMPTAPE_MPI_FAMILY_WIN_COMPLETE,
    OMPTAPE_MPI_FAMILY_WIN_WAIT,
    OMPTAPE_MPI_FAMILY_WIN_SYNC,
    OMPTAPE_MPI_FAMILY_RMA,
    OMPTAPE_MPI_FAMILY_FILE_OPEN,
    OMPTAPE_MPI_FAMILY_FILE_CLOSE,
    OMPTAPE_MPI_FAMILY_FILE_DELETE,
    OMPTAPE_MPI_FAMILY_FILE_SEEK,
    OMPTAPE_MPI_FAMILY_FILE_ACCESS,  /* at once, */
    OMPTAPE_MPI_FAMILY_FILE_IACCESS, /* with a request, */
    OMPTAPE_MPI_FAMILY_FILE_BEGIN,   /* or in two steps */
    OMPTAPE_MPI_FAMILY_FILE_END,
    OMPTAPE_MPI_FAMILIES
};

/* What a collective operation exchanges: the first as OTF2 numbers them. */
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
    /* These among neighbours of a topology. */
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLGATHER,
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLGATHERV,
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLTOALL,
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLTOALLV,
    OMPTAPE_MPI_SHAPE_NEIGHBOR_ALLTOALLW,
    OMPTAPE_MPI_SHAPES
};

/* What is done to another process's memory. */
enum omptape_mpi_access {
    OMPTAPE_MPI_PUT,
    OMPTAPE_MPI_GET,
    OMPTAPE_MPI_ACCUMULATE,
    OMPTAPE_MPI_GET_ACCUMULATE,
    OMPTAPE_MPI_FETCH_AND_OP,
    OMPTAPE_MPI_COMPARE_AND_SWAP,
    OMPTAPE_MPI_ACCESS_REQUESTED = 0x80 /* with a request, which comes last */
};

/* Which partitions of a message are ready to be sent. */
enum omptape_mpi_ready { OMPTAPE_MPI_READY_ONE, OMPTAPE_MPI_READY_RANGE, OMPTAPE_MPI_READY_LIST };

/* How a file is read or written. */
enum omptape_mpi_io_way {
    OMPTAPE_MPI_IO_READ = 0,
    OMPTAPE_MPI_IO_WRITE = 1,
    OMPTAPE_MPI_IO_ALL = 2, /* by all processes of the communicator */
    OMPTAPE_MPI_IO_AT = 4,  /* where the second argument says */
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

/* What a function is recorded for: it is if any of these is asked for, which are as in OMPTAPE_EVENTS_MPI
 * (src/core/events.h). */
enum omptape_mpi_group {
    OMPTAPE_MPI_GROUP_P2P = 1,
    OMPTAPE_MPI_GROUP_COLL = 2,
    OMPTAPE_MPI_GROUP_RMA = 4,
    OMPTAPE_MPI_GROUP_IO = 8,
    OMPTAPE_MPI_GROUP_REST = 16,
    OMPTAPE_MPI_GROUP_ALWAYS = 32
};

enum { OMPTAPE_MPI_NAME_BYTES = 36 };

/* No address in it, so that programs that never use the table do not pay for it either. */
struct omptape_mpi_function {
    char name[OMPTAPE_MPI_NAME_BYTES]; /* "MPI_Send" */
    uint8_t arguments;                 /* how many: all are numbers or addresses */
    uint8_t family;                    /* enum omptape_mpi_family */
    uint8_t role;                      /* enum omptape_mpi_role */
    uint8_t detail;                    /* the table says what */
    uint8_t groups;                    /* enum omptape_mpi_group */
    uint8_t large;                     /* counts are MPI_Count, else int */
};

extern const struct omptape_mpi_function omptape_mpi_functions[OMPTAPE_MPI_FUNCTIONS];

#endif
