/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All recorded MPI functions: X(name, arguments, family, role, detail). A function's number in records is its
 * position in this list. Functions that are not listed are not intercepted.
 *
 * - family: the function's arguments and records (enum omptape_mpi_family).
 * - role: OTF2's role of its region.
 * - detail: depends on the family. Collective operations: the kind (enum omptape_mpi_shape). Functions that
 *   create a communicator: the argument that receives it. Functions that create a window: the argument with
 *   its communicator. Flushes and unlocks: enum omptape_mpi_flush. One-sided calls: enum omptape_mpi_access.
 *   Completions: enum omptape_mpi_completes. File access: enum omptape_mpi_io_flags; seeks: 1 if collective.
 *   Partitioned messages: 1 if they are sent, and enum omptape_mpi_ready.
 *
 * Functions in COUNTED lists exist twice: with int (C is empty) and with MPI_Count (C is _c, MPI 4). The
 * lists differ in their groups of --events (functions.c).
 */
#pragma once

#include "src/mpi/rest.h"

#define OMPTAPE_MPI_MANAGEMENT(X)                                                                            \
    X(Init, 2, INIT, CODE, 0)                                                                                \
    X(Init_thread, 4, INIT, CODE, 0)                                                                         \
    X(Finalize, 0, FINALIZE, CODE, 0)                                                                        \
    X(Abort, 2, ABORT, CODE, 0)                                                                              \
    X(Comm_dup, 2, COMM_DUP, COLL_OTHER, 1)                                                                  \
    X(Comm_dup_with_info, 3, COMM_DUP, COLL_OTHER, 2)                                                        \
    X(Comm_idup, 3, COMM_IDUP, COLL_OTHER, 1)                                                                \
    X(Comm_idup_with_info, 4, COMM_IDUP, COLL_OTHER, 2)                                                      \
    X(Comm_split, 4, COMM_NEW, COLL_OTHER, 3)                                                                \
    X(Comm_split_type, 5, COMM_NEW, COLL_OTHER, 4)                                                           \
    X(Comm_create, 3, COMM_NEW, COLL_OTHER, 2)                                                               \
    X(Comm_create_group, 4, COMM_OF_GROUP, COLL_OTHER, 3)                                                    \
    X(Cart_create, 6, COMM_NEW, COLL_OTHER, 5)                                                               \
    X(Cart_sub, 3, COMM_NEW, COLL_OTHER, 2)                                                                  \
    X(Graph_create, 6, COMM_NEW, COLL_OTHER, 5)                                                              \
    X(Dist_graph_create, 9, COMM_NEW, COLL_OTHER, 8)                                                         \
    X(Dist_graph_create_adjacent, 10, COMM_NEW, COLL_OTHER, 9)                                               \
    X(Intercomm_create, 6, COMM_INTER, COLL_OTHER, 5)                                                        \
    X(Intercomm_merge, 3, COMM_NEW, COLL_OTHER, 2)                                                           \
    X(Comm_free, 1, COMM_FREE, COLL_OTHER, 0)                                                                \
    X(Comm_disconnect, 1, COMM_FREE, COLL_OTHER, 0)                                                          \
    X(Comm_spawn, 8, COMM_CONNECT, COLL_OTHER, 6)                                                            \
    X(Comm_spawn_multiple, 9, COMM_CONNECT, COLL_OTHER, 7)                                                   \
    X(Comm_accept, 5, COMM_CONNECT, COLL_OTHER, 4)                                                           \
    X(Comm_connect, 5, COMM_CONNECT, COLL_OTHER, 4)                                                          \
    X(Comm_join, 2, COMM_JOIN, COLL_OTHER, 1)                                                                \
    X(Comm_create_from_group, 5, COMM_OF_GROUPS, COLL_OTHER, 4)                                              \
    X(Intercomm_create_from_groups, 8, COMM_OF_GROUPS, COLL_OTHER, 7)                                        \
    X(Comm_get_parent, 1, COMM_PARENT, CODE, 0)                                                              \
    X(Session_init, 3, SESSION_INIT, CODE, 0)                                                                \
    X(Session_finalize, 1, SESSION_END, CODE, 0)

#define OMPTAPE_MPI_MESSAGES(X)                                                                              \
    X(Probe, 4, PROBE, POINT2POINT, 0)                                                                       \
    X(Iprobe, 5, IPROBE, POINT2POINT, 0)                                                                     \
    X(Mprobe, 5, MPROBE, POINT2POINT, 0)                                                                     \
    X(Improbe, 6, IMPROBE, POINT2POINT, 0)                                                                   \
    X(Psend_init, 9, PARTITIONED_INIT, POINT2POINT, 1)                                                       \
    X(Precv_init, 9, PARTITIONED_INIT, POINT2POINT, 0)                                                       \
    X(Pready, 2, PREADY, POINT2POINT, OMPTAPE_MPI_READY_ONE)                                                 \
    X(Pready_range, 3, PREADY, POINT2POINT, OMPTAPE_MPI_READY_RANGE)                                         \
    X(Pready_list, 3, PREADY, POINT2POINT, OMPTAPE_MPI_READY_LIST)                                           \
    X(Parrived, 3, REGION, POINT2POINT, 0)

#define OMPTAPE_MPI_COUNTED_MESSAGES(X, C)                                                                   \
    X(Send##C, 6, SEND, POINT2POINT, 0)                                                                      \
    X(Bsend##C, 6, SEND, POINT2POINT, 0)                                                                     \
    X(Ssend##C, 6, SEND, POINT2POINT, 0)                                                                     \
    X(Rsend##C, 6, SEND, POINT2POINT, 0)                                                                     \
    X(Recv##C, 7, RECV, POINT2POINT, 0)                                                                      \
    X(Sendrecv##C, 12, SENDRECV, POINT2POINT, 0)                                                             \
    X(Sendrecv_replace##C, 9, SENDRECV, POINT2POINT, 0)                                                      \
    X(Isend##C, 7, ISEND, POINT2POINT, 0)                                                                    \
    X(Ibsend##C, 7, ISEND, POINT2POINT, 0)                                                                   \
    X(Issend##C, 7, ISEND, POINT2POINT, 0)                                                                   \
    X(Irsend##C, 7, ISEND, POINT2POINT, 0)                                                                   \
    X(Irecv##C, 7, IRECV, POINT2POINT, 0)                                                                    \
    X(Send_init##C, 7, SEND_INIT, POINT2POINT, 0)                                                            \
    X(Bsend_init##C, 7, SEND_INIT, POINT2POINT, 0)                                                           \
    X(Ssend_init##C, 7, SEND_INIT, POINT2POINT, 0)                                                           \
    X(Rsend_init##C, 7, SEND_INIT, POINT2POINT, 0)                                                           \
    X(Recv_init##C, 7, RECV_INIT, POINT2POINT, 0)                                                            \
    X(Mrecv##C, 5, MRECV, POINT2POINT, 0)                                                                    \
    X(Imrecv##C, 5, IMRECV, POINT2POINT, 0)                                                                  \
    X(Isendrecv##C, 12, ISENDRECV, POINT2POINT, 0)                                                           \
    X(Isendrecv_replace##C, 9, ISENDRECV, POINT2POINT, 0)

#define OMPTAPE_MPI_REQUESTS(X)                                                                              \
    X(Start, 1, START, POINT2POINT, 0)                                                                       \
    X(Startall, 2, START, POINT2POINT, 0)                                                                    \
    X(Wait, 2, COMPLETE, POINT2POINT, OMPTAPE_MPI_COMPLETES_ONE | OMPTAPE_MPI_WAITS)                         \
    X(Waitany, 4, COMPLETE, POINT2POINT, OMPTAPE_MPI_COMPLETES_ANY | OMPTAPE_MPI_WAITS)                      \
    X(Waitall, 3, COMPLETE, POINT2POINT, OMPTAPE_MPI_COMPLETES_ALL | OMPTAPE_MPI_WAITS)                      \
    X(Waitsome, 5, COMPLETE, POINT2POINT, OMPTAPE_MPI_COMPLETES_SOME | OMPTAPE_MPI_WAITS)                    \
    X(Test, 3, COMPLETE, POINT2POINT, OMPTAPE_MPI_COMPLETES_ONE)                                             \
    X(Testany, 5, COMPLETE, POINT2POINT, OMPTAPE_MPI_COMPLETES_ANY)                                          \
    X(Testall, 4, COMPLETE, POINT2POINT, OMPTAPE_MPI_COMPLETES_ALL)                                          \
    X(Testsome, 5, COMPLETE, POINT2POINT, OMPTAPE_MPI_COMPLETES_SOME)                                        \
    X(Request_get_status, 3, GET_STATUS, POINT2POINT, 0)                                                     \
    X(Cancel, 1, CANCEL, POINT2POINT, 0)                                                                     \
    X(Request_free, 1, REQUEST_FREE, POINT2POINT, 0)

#define OMPTAPE_MPI_BARRIERS(X)                                                                              \
    X(Barrier, 1, COLLECTIVE, BARRIER, BARRIER)                                                              \
    X(Ibarrier, 2, ICOLLECTIVE, BARRIER, BARRIER)                                                            \
    X(Barrier_init, 3, COLLECTIVE_INIT, BARRIER, BARRIER)

#define OMPTAPE_MPI_COUNTED_COLLECTIVE(X, C)                                                                 \
    X(Bcast##C, 5, COLLECTIVE, COLL_ONE2ALL, BCAST)                                                          \
    X(Gather##C, 8, COLLECTIVE, COLL_ALL2ONE, GATHER)                                                        \
    X(Gatherv##C, 9, COLLECTIVE, COLL_ALL2ONE, GATHERV)                                                      \
    X(Scatter##C, 8, COLLECTIVE, COLL_ONE2ALL, SCATTER)                                                      \
    X(Scatterv##C, 9, COLLECTIVE, COLL_ONE2ALL, SCATTERV)                                                    \
    X(Allgather##C, 7, COLLECTIVE, COLL_ALL2ALL, ALLGATHER)                                                  \
    X(Allgatherv##C, 8, COLLECTIVE, COLL_ALL2ALL, ALLGATHERV)                                                \
    X(Alltoall##C, 7, COLLECTIVE, COLL_ALL2ALL, ALLTOALL)                                                    \
    X(Alltoallv##C, 9, COLLECTIVE, COLL_ALL2ALL, ALLTOALLV)                                                  \
    X(Alltoallw##C, 9, COLLECTIVE, COLL_ALL2ALL, ALLTOALLW)                                                  \
    X(Allreduce##C, 6, COLLECTIVE, COLL_ALL2ALL, ALLREDUCE)                                                  \
    X(Reduce##C, 7, COLLECTIVE, COLL_ALL2ONE, REDUCE)                                                        \
    X(Reduce_scatter##C, 6, COLLECTIVE, COLL_ALL2ALL, REDUCE_SCATTER)                                        \
    X(Reduce_scatter_block##C, 6, COLLECTIVE, COLL_ALL2ALL, REDUCE_SCATTER_BLOCK)                            \
    X(Scan##C, 6, COLLECTIVE, COLL_OTHER, SCAN)                                                              \
    X(Exscan##C, 6, COLLECTIVE, COLL_OTHER, EXSCAN)                                                          \
    X(Neighbor_allgather##C, 7, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLGATHER)                                \
    X(Neighbor_allgatherv##C, 8, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLGATHERV)                              \
    X(Neighbor_alltoall##C, 7, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALL)                                  \
    X(Neighbor_alltoallv##C, 9, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALLV)                                \
    X(Neighbor_alltoallw##C, 9, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALLW)                                \
    X(Ibcast##C, 6, ICOLLECTIVE, COLL_ONE2ALL, BCAST)                                                        \
    X(Igather##C, 9, ICOLLECTIVE, COLL_ALL2ONE, GATHER)                                                      \
    X(Igatherv##C, 10, ICOLLECTIVE, COLL_ALL2ONE, GATHERV)                                                   \
    X(Iscatter##C, 9, ICOLLECTIVE, COLL_ONE2ALL, SCATTER)                                                    \
    X(Iscatterv##C, 10, ICOLLECTIVE, COLL_ONE2ALL, SCATTERV)                                                 \
    X(Iallgather##C, 8, ICOLLECTIVE, COLL_ALL2ALL, ALLGATHER)                                                \
    X(Iallgatherv##C, 9, ICOLLECTIVE, COLL_ALL2ALL, ALLGATHERV)                                              \
    X(Ialltoall##C, 8, ICOLLECTIVE, COLL_ALL2ALL, ALLTOALL)                                                  \
    X(Ialltoallv##C, 10, ICOLLECTIVE, COLL_ALL2ALL, ALLTOALLV)                                               \
    X(Ialltoallw##C, 10, ICOLLECTIVE, COLL_ALL2ALL, ALLTOALLW)                                               \
    X(Iallreduce##C, 7, ICOLLECTIVE, COLL_ALL2ALL, ALLREDUCE)                                                \
    X(Ireduce##C, 8, ICOLLECTIVE, COLL_ALL2ONE, REDUCE)                                                      \
    X(Ireduce_scatter##C, 7, ICOLLECTIVE, COLL_ALL2ALL, REDUCE_SCATTER)                                      \
    X(Ireduce_scatter_block##C, 7, ICOLLECTIVE, COLL_ALL2ALL, REDUCE_SCATTER_BLOCK)                          \
    X(Iscan##C, 7, ICOLLECTIVE, COLL_OTHER, SCAN)                                                            \
    X(Iexscan##C, 7, ICOLLECTIVE, COLL_OTHER, EXSCAN)                                                        \
    X(Ineighbor_allgather##C, 8, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLGATHER)                              \
    X(Ineighbor_allgatherv##C, 9, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLGATHERV)                            \
    X(Ineighbor_alltoall##C, 8, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALL)                                \
    X(Ineighbor_alltoallv##C, 10, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALLV)                             \
    X(Ineighbor_alltoallw##C, 10, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALLW)                             \
    X(Bcast_init##C, 7, COLLECTIVE_INIT, COLL_ONE2ALL, BCAST)                                                \
    X(Gather_init##C, 10, COLLECTIVE_INIT, COLL_ALL2ONE, GATHER)                                             \
    X(Gatherv_init##C, 11, COLLECTIVE_INIT, COLL_ALL2ONE, GATHERV)                                           \
    X(Scatter_init##C, 10, COLLECTIVE_INIT, COLL_ONE2ALL, SCATTER)                                           \
    X(Scatterv_init##C, 11, COLLECTIVE_INIT, COLL_ONE2ALL, SCATTERV)                                         \
    X(Allgather_init##C, 9, COLLECTIVE_INIT, COLL_ALL2ALL, ALLGATHER)                                        \
    X(Allgatherv_init##C, 10, COLLECTIVE_INIT, COLL_ALL2ALL, ALLGATHERV)                                     \
    X(Alltoall_init##C, 9, COLLECTIVE_INIT, COLL_ALL2ALL, ALLTOALL)                                          \
    X(Alltoallv_init##C, 11, COLLECTIVE_INIT, COLL_ALL2ALL, ALLTOALLV)                                       \
    X(Alltoallw_init##C, 11, COLLECTIVE_INIT, COLL_ALL2ALL, ALLTOALLW)                                       \
    X(Allreduce_init##C, 8, COLLECTIVE_INIT, COLL_ALL2ALL, ALLREDUCE)                                        \
    X(Reduce_init##C, 9, COLLECTIVE_INIT, COLL_ALL2ONE, REDUCE)                                              \
    X(Reduce_scatter_init##C, 8, COLLECTIVE_INIT, COLL_ALL2ALL, REDUCE_SCATTER)                              \
    X(Reduce_scatter_block_init##C, 8, COLLECTIVE_INIT, COLL_ALL2ALL, REDUCE_SCATTER_BLOCK)                  \
    X(Scan_init##C, 8, COLLECTIVE_INIT, COLL_OTHER, SCAN)                                                    \
    X(Exscan_init##C, 8, COLLECTIVE_INIT, COLL_OTHER, EXSCAN)                                                \
    X(Neighbor_allgather_init##C, 9, COLLECTIVE_INIT, COLL_ALL2ALL, NEIGHBOR_ALLGATHER)                      \
    X(Neighbor_allgatherv_init##C, 10, COLLECTIVE_INIT, COLL_ALL2ALL, NEIGHBOR_ALLGATHERV)                   \
    X(Neighbor_alltoall_init##C, 9, COLLECTIVE_INIT, COLL_ALL2ALL, NEIGHBOR_ALLTOALL)                        \
    X(Neighbor_alltoallv_init##C, 11, COLLECTIVE_INIT, COLL_ALL2ALL, NEIGHBOR_ALLTOALLV)                     \
    X(Neighbor_alltoallw_init##C, 11, COLLECTIVE_INIT, COLL_ALL2ALL, NEIGHBOR_ALLTOALLW)

#define OMPTAPE_MPI_WINDOWS(X)                                                                               \
    X(Win_create_dynamic, 3, WIN_NEW, RMA, 1)                                                                \
    X(Win_attach, 3, REGION, RMA, 0)                                                                         \
    X(Win_detach, 2, REGION, RMA, 0)                                                                         \
    X(Win_free, 1, WIN_FREE, RMA, 0)                                                                         \
    X(Win_fence, 2, WIN_FENCE, RMA, 0)                                                                       \
    X(Win_lock, 4, WIN_LOCK, RMA, 0)                                                                         \
    X(Win_unlock, 2, WIN_FLUSH, RMA, OMPTAPE_MPI_UNLOCK)                                                     \
    X(Win_lock_all, 2, WIN_LOCK, RMA, 0)                                                                     \
    X(Win_unlock_all, 1, WIN_FLUSH, RMA, OMPTAPE_MPI_UNLOCK)                                                 \
    X(Win_flush, 2, WIN_FLUSH, RMA, OMPTAPE_MPI_FLUSH)                                                       \
    X(Win_flush_all, 1, WIN_FLUSH, RMA, OMPTAPE_MPI_FLUSH)                                                   \
    X(Win_flush_local, 2, WIN_FLUSH, RMA, OMPTAPE_MPI_FLUSH_LOCALLY)                                         \
    X(Win_flush_local_all, 1, WIN_FLUSH, RMA, OMPTAPE_MPI_FLUSH_LOCALLY)                                     \
    X(Win_post, 3, WIN_GROUP, RMA, 0)                                                                        \
    X(Win_start, 3, WIN_GROUP, RMA, 1)                                                                       \
    X(Win_complete, 1, WIN_END, RMA, 0)                                                                      \
    X(Win_wait, 1, WIN_END, RMA, 0)                                                                          \
    X(Win_test, 2, WIN_END, RMA, 0)                                                                          \
    X(Win_sync, 1, WIN_SYNC, RMA, 0)                                                                         \
    X(Fetch_and_op, 7, RMA, RMA, OMPTAPE_MPI_FETCH_AND_OP)                                                   \
    X(Compare_and_swap, 7, RMA, RMA, OMPTAPE_MPI_COMPARE_AND_SWAP)

#define OMPTAPE_MPI_COUNTED_RMA(X, C)                                                                        \
    X(Win_create##C, 6, WIN_NEW, RMA, 4)                                                                     \
    X(Win_allocate##C, 6, WIN_NEW, RMA, 3)                                                                   \
    X(Win_allocate_shared##C, 6, WIN_NEW, RMA, 3)                                                            \
    X(Put##C, 8, RMA, RMA, OMPTAPE_MPI_PUT)                                                                  \
    X(Get##C, 8, RMA, RMA, OMPTAPE_MPI_GET)                                                                  \
    X(Accumulate##C, 9, RMA, RMA, OMPTAPE_MPI_ACCUMULATE)                                                    \
    X(Get_accumulate##C, 12, RMA, RMA, OMPTAPE_MPI_GET_ACCUMULATE)                                           \
    X(Rput##C, 9, RMA, RMA, OMPTAPE_MPI_PUT | OMPTAPE_MPI_ACCESS_REQUESTED)                                  \
    X(Rget##C, 9, RMA, RMA, OMPTAPE_MPI_GET | OMPTAPE_MPI_ACCESS_REQUESTED)                                  \
    X(Raccumulate##C, 10, RMA, RMA, OMPTAPE_MPI_ACCUMULATE | OMPTAPE_MPI_ACCESS_REQUESTED)                   \
    X(Rget_accumulate##C, 13, RMA, RMA, OMPTAPE_MPI_GET_ACCUMULATE | OMPTAPE_MPI_ACCESS_REQUESTED)

#define OMPTAPE_MPI_IO(X)                                                                                    \
    X(File_close, 1, FILE_CLOSE, FILE_IO_META, 0)                                                            \
    X(File_delete, 2, FILE_DELETE, FILE_IO_META, 0)                                                          \
    X(File_get_amode, 2, REGION, FILE_IO_META, 0)                                                            \
    X(File_get_atomicity, 2, REGION, FILE_IO_META, 0)                                                        \
    X(File_get_byte_offset, 3, REGION, FILE_IO_META, 0)                                                      \
    X(File_get_group, 2, REGION, FILE_IO_META, 0)                                                            \
    X(File_get_info, 2, REGION, FILE_IO_META, 0)                                                             \
    X(File_get_position, 2, REGION, FILE_IO_META, 0)                                                         \
    X(File_get_position_shared, 2, REGION, FILE_IO_META, 0)                                                  \
    X(File_get_size, 2, REGION, FILE_IO_META, 0)                                                             \
    X(File_get_view, 5, REGION, FILE_IO_META, 0)                                                             \
    X(File_open, 5, FILE_OPEN, FILE_IO_META, 0)                                                              \
    X(File_preallocate, 2, REGION, FILE_IO_META, 0)                                                          \
    X(File_read_all_end, 3, FILE_END, FILE_IO, OMPTAPE_MPI_IO_READ)                                          \
    X(File_read_at_all_end, 3, FILE_END, FILE_IO, OMPTAPE_MPI_IO_READ)                                       \
    X(File_read_ordered_end, 3, FILE_END, FILE_IO, OMPTAPE_MPI_IO_READ)                                      \
    X(File_seek, 3, FILE_SEEK, FILE_IO_META, 0)                                                              \
    X(File_seek_shared, 3, FILE_SEEK, FILE_IO_META, 1)                                                       \
    X(File_set_atomicity, 2, REGION, FILE_IO_META, 0)                                                        \
    X(File_set_info, 2, REGION, FILE_IO_META, 0)                                                             \
    X(File_set_size, 2, REGION, FILE_IO_META, 0)                                                             \
    X(File_set_view, 6, REGION, FILE_IO_META, 0)                                                             \
    X(File_sync, 1, REGION, FILE_IO_META, 0)                                                                 \
    X(File_write_all_end, 3, FILE_END, FILE_IO, OMPTAPE_MPI_IO_WRITE)                                        \
    X(File_write_at_all_end, 3, FILE_END, FILE_IO, OMPTAPE_MPI_IO_WRITE)                                     \
    X(File_write_ordered_end, 3, FILE_END, FILE_IO, OMPTAPE_MPI_IO_WRITE)                                    \
    X(Register_datarep, 5, REGION, FILE_IO_META, 0)

#define OMPTAPE_MPI_COUNTED_IO(X, C)                                                                         \
    X(File_get_type_extent##C, 3, REGION, FILE_IO_META, 0)                                                   \
    X(File_iread##C, 5, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_READ)                                          \
    X(File_iread_all##C, 5, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_READ | OMPTAPE_MPI_IO_ALL)                 \
    X(File_iread_at##C, 6, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_READ_AT)                                    \
    X(File_iread_at_all##C, 6, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_READ_AT | OMPTAPE_MPI_IO_ALL)           \
    X(File_iread_shared##C, 5, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_READ)                                   \
    X(File_iwrite##C, 5, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE)                                        \
    X(File_iwrite_all##C, 5, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE | OMPTAPE_MPI_IO_ALL)               \
    X(File_iwrite_at##C, 6, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE_AT)                                  \
    X(File_iwrite_at_all##C, 6, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE_AT | OMPTAPE_MPI_IO_ALL)         \
    X(File_iwrite_shared##C, 5, FILE_IACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE)                                 \
    X(File_read##C, 5, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_READ)                                            \
    X(File_read_all##C, 5, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_READ | OMPTAPE_MPI_IO_ALL)                   \
    X(File_read_all_begin##C, 4, FILE_BEGIN, FILE_IO, OMPTAPE_MPI_IO_READ | OMPTAPE_MPI_IO_ALL)              \
    X(File_read_at##C, 6, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_READ_AT)                                      \
    X(File_read_at_all##C, 6, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_READ_AT | OMPTAPE_MPI_IO_ALL)             \
    X(File_read_at_all_begin##C, 5, FILE_BEGIN, FILE_IO, OMPTAPE_MPI_IO_READ_AT | OMPTAPE_MPI_IO_ALL)        \
    X(File_read_ordered##C, 5, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_READ | OMPTAPE_MPI_IO_ALL)               \
    X(File_read_ordered_begin##C, 4, FILE_BEGIN, FILE_IO, OMPTAPE_MPI_IO_READ | OMPTAPE_MPI_IO_ALL)          \
    X(File_read_shared##C, 5, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_READ)                                     \
    X(File_write##C, 5, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE)                                          \
    X(File_write_all##C, 5, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE | OMPTAPE_MPI_IO_ALL)                 \
    X(File_write_all_begin##C, 4, FILE_BEGIN, FILE_IO, OMPTAPE_MPI_IO_WRITE | OMPTAPE_MPI_IO_ALL)            \
    X(File_write_at##C, 6, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE_AT)                                    \
    X(File_write_at_all##C, 6, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE_AT | OMPTAPE_MPI_IO_ALL)           \
    X(File_write_at_all_begin##C, 5, FILE_BEGIN, FILE_IO, OMPTAPE_MPI_IO_WRITE_AT | OMPTAPE_MPI_IO_ALL)      \
    X(File_write_ordered##C, 5, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE | OMPTAPE_MPI_IO_ALL)             \
    X(File_write_ordered_begin##C, 4, FILE_BEGIN, FILE_IO, OMPTAPE_MPI_IO_WRITE | OMPTAPE_MPI_IO_ALL)        \
    X(File_write_shared##C, 5, FILE_ACCESS, FILE_IO, OMPTAPE_MPI_IO_WRITE)

#define OMPTAPE_MPI_ALL(X)                                                                                   \
    OMPTAPE_MPI_MANAGEMENT(X)                                                                                \
    OMPTAPE_MPI_MESSAGES(X)                                                                                  \
    OMPTAPE_MPI_COUNTED_MESSAGES(X, )                                                                        \
    OMPTAPE_MPI_COUNTED_MESSAGES(X, _c)                                                                      \
    OMPTAPE_MPI_REQUESTS(X)                                                                                  \
    OMPTAPE_MPI_BARRIERS(X)                                                                                  \
    OMPTAPE_MPI_COUNTED_COLLECTIVE(X, )                                                                      \
    OMPTAPE_MPI_COUNTED_COLLECTIVE(X, _c)                                                                    \
    OMPTAPE_MPI_WINDOWS(X)                                                                                   \
    OMPTAPE_MPI_COUNTED_RMA(X, )                                                                             \
    OMPTAPE_MPI_COUNTED_RMA(X, _c)                                                                           \
    OMPTAPE_MPI_IO(X)                                                                                        \
    OMPTAPE_MPI_COUNTED_IO(X, )                                                                              \
    OMPTAPE_MPI_COUNTED_IO(X, _c)                                                                            \
    OMPTAPE_MPI_REST(X)                                                                                      \
    OMPTAPE_MPI_COUNTED_REST(X, )                                                                            \
    OMPTAPE_MPI_COUNTED_REST(X, _c)
