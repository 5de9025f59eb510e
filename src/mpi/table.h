/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All functions of MPI that are recorded: X(name, arguments, family, role, detail). Their numbers, in this
 * order, are those of the records. A function that is not here is not touched.
 *
 * family: what its arguments are, and what is recorded of it (enum omptape_mpi_family). role: OTF2's role of
 * its region. detail: of a collective operation what it exchanges (enum omptape_mpi_shape), of what makes a
 * communicator which argument that is.
 */
#ifndef OMPTAPE_MPI_TABLE_H
#define OMPTAPE_MPI_TABLE_H

#define OMPTAPE_MPI_MANAGEMENT(X)                                                                            \
    X(Init, 2, INIT, CODE, 0)                                                                                \
    X(Init_thread, 4, INIT, CODE, 0)                                                                         \
    X(Finalize, 0, FINALIZE, CODE, 0)                                                                        \
    X(Abort, 2, ABORT, CODE, 0)                                                                              \
    X(Comm_dup, 2, COMM_DUP, COLL_OTHER, 1)                                                                  \
    X(Comm_dup_with_info, 3, COMM_DUP, COLL_OTHER, 2)                                                        \
    X(Comm_idup, 3, COMM_IDUP, COLL_OTHER, 1)                                                                \
    X(Comm_split, 4, COMM_NEW, COLL_OTHER, 3)                                                                \
    X(Comm_split_type, 5, COMM_NEW, COLL_OTHER, 4)                                                           \
    X(Comm_create, 3, COMM_NEW, COLL_OTHER, 2)                                                               \
    X(Comm_create_group, 4, COMM_OF_GROUP, COLL_OTHER, 3)                                                    \
    X(Cart_create, 6, COMM_NEW, COLL_OTHER, 5)                                                               \
    X(Cart_sub, 3, COMM_NEW, COLL_OTHER, 2)                                                                  \
    X(Graph_create, 6, COMM_NEW, COLL_OTHER, 5)                                                              \
    X(Dist_graph_create, 9, COMM_NEW, COLL_OTHER, 8)                                                         \
    X(Dist_graph_create_adjacent, 10, COMM_NEW, COLL_OTHER, 9)                                               \
    X(Intercomm_create, 6, COMM_NEW, COLL_OTHER, 5)                                                          \
    X(Intercomm_merge, 3, COMM_NEW, COLL_OTHER, 2)                                                           \
    X(Comm_free, 1, COMM_FREE, COLL_OTHER, 0)                                                                \
    X(Comm_disconnect, 1, COMM_FREE, COLL_OTHER, 0)

#define OMPTAPE_MPI_POINT2POINT(X)                                                                           \
    X(Send, 6, SEND, POINT2POINT, 0)                                                                         \
    X(Bsend, 6, SEND, POINT2POINT, 0)                                                                        \
    X(Ssend, 6, SEND, POINT2POINT, 0)                                                                        \
    X(Rsend, 6, SEND, POINT2POINT, 0)                                                                        \
    X(Recv, 7, RECV, POINT2POINT, 0)                                                                         \
    X(Sendrecv, 12, SENDRECV, POINT2POINT, 0)                                                                \
    X(Sendrecv_replace, 9, SENDRECV_REPLACE, POINT2POINT, 0)                                                 \
    X(Isend, 7, ISEND, POINT2POINT, 0)                                                                       \
    X(Ibsend, 7, ISEND, POINT2POINT, 0)                                                                      \
    X(Issend, 7, ISEND, POINT2POINT, 0)                                                                      \
    X(Irsend, 7, ISEND, POINT2POINT, 0)                                                                      \
    X(Irecv, 7, IRECV, POINT2POINT, 0)                                                                       \
    X(Send_init, 7, SEND_INIT, POINT2POINT, 0)                                                               \
    X(Bsend_init, 7, SEND_INIT, POINT2POINT, 0)                                                              \
    X(Ssend_init, 7, SEND_INIT, POINT2POINT, 0)                                                              \
    X(Rsend_init, 7, SEND_INIT, POINT2POINT, 0)                                                              \
    X(Recv_init, 7, RECV_INIT, POINT2POINT, 0)                                                               \
    X(Start, 1, START, POINT2POINT, 0)                                                                       \
    X(Startall, 2, STARTALL, POINT2POINT, 0)                                                                 \
    X(Wait, 2, WAIT, POINT2POINT, 0)                                                                         \
    X(Waitany, 4, WAITANY, POINT2POINT, 0)                                                                   \
    X(Waitall, 3, WAITALL, POINT2POINT, 0)                                                                   \
    X(Waitsome, 5, WAITSOME, POINT2POINT, 0)                                                                 \
    X(Test, 3, TEST, POINT2POINT, 0)                                                                         \
    X(Testany, 5, TESTANY, POINT2POINT, 0)                                                                   \
    X(Testall, 4, TESTALL, POINT2POINT, 0)                                                                   \
    X(Testsome, 5, WAITSOME, POINT2POINT, 0)                                                                 \
    X(Cancel, 1, CANCEL, POINT2POINT, 0)                                                                     \
    X(Request_free, 1, REQUEST_FREE, POINT2POINT, 0)                                                         \
    X(Probe, 4, REGION, POINT2POINT, 0)                                                                      \
    X(Iprobe, 5, REGION, POINT2POINT, 0)                                                                     \
    X(Mprobe, 5, MPROBE, POINT2POINT, 0)                                                                     \
    X(Improbe, 6, IMPROBE, POINT2POINT, 0)                                                                   \
    X(Mrecv, 5, MRECV, POINT2POINT, 0)                                                                       \
    X(Imrecv, 5, IMRECV, POINT2POINT, 0)

#define OMPTAPE_MPI_COLLECTIVE(X)                                                                            \
    X(Barrier, 1, COLLECTIVE, BARRIER, BARRIER)                                                              \
    X(Bcast, 5, COLLECTIVE, COLL_ONE2ALL, BCAST)                                                             \
    X(Gather, 8, COLLECTIVE, COLL_ALL2ONE, GATHER)                                                           \
    X(Gatherv, 9, COLLECTIVE, COLL_ALL2ONE, GATHERV)                                                         \
    X(Scatter, 8, COLLECTIVE, COLL_ONE2ALL, SCATTER)                                                         \
    X(Scatterv, 9, COLLECTIVE, COLL_ONE2ALL, SCATTERV)                                                       \
    X(Allgather, 7, COLLECTIVE, COLL_ALL2ALL, ALLGATHER)                                                     \
    X(Allgatherv, 8, COLLECTIVE, COLL_ALL2ALL, ALLGATHERV)                                                   \
    X(Alltoall, 7, COLLECTIVE, COLL_ALL2ALL, ALLTOALL)                                                       \
    X(Alltoallv, 9, COLLECTIVE, COLL_ALL2ALL, ALLTOALLV)                                                     \
    X(Alltoallw, 9, COLLECTIVE, COLL_ALL2ALL, ALLTOALLW)                                                     \
    X(Allreduce, 6, COLLECTIVE, COLL_ALL2ALL, ALLREDUCE)                                                     \
    X(Reduce, 7, COLLECTIVE, COLL_ALL2ONE, REDUCE)                                                           \
    X(Reduce_scatter, 6, COLLECTIVE, COLL_ALL2ALL, REDUCE_SCATTER)                                           \
    X(Reduce_scatter_block, 6, COLLECTIVE, COLL_ALL2ALL, REDUCE_SCATTER_BLOCK)                               \
    X(Scan, 6, COLLECTIVE, COLL_OTHER, SCAN)                                                                 \
    X(Exscan, 6, COLLECTIVE, COLL_OTHER, EXSCAN)                                                             \
    X(Neighbor_allgather, 7, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLGATHER)                                   \
    X(Neighbor_allgatherv, 8, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLGATHERV)                                 \
    X(Neighbor_alltoall, 7, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALL)                                     \
    X(Neighbor_alltoallv, 9, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALLV)                                   \
    X(Neighbor_alltoallw, 9, COLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALLW)                                   \
    X(Ibarrier, 2, ICOLLECTIVE, BARRIER, BARRIER)                                                            \
    X(Ibcast, 6, ICOLLECTIVE, COLL_ONE2ALL, BCAST)                                                           \
    X(Igather, 9, ICOLLECTIVE, COLL_ALL2ONE, GATHER)                                                         \
    X(Igatherv, 10, ICOLLECTIVE, COLL_ALL2ONE, GATHERV)                                                      \
    X(Iscatter, 9, ICOLLECTIVE, COLL_ONE2ALL, SCATTER)                                                       \
    X(Iscatterv, 10, ICOLLECTIVE, COLL_ONE2ALL, SCATTERV)                                                    \
    X(Iallgather, 8, ICOLLECTIVE, COLL_ALL2ALL, ALLGATHER)                                                   \
    X(Iallgatherv, 9, ICOLLECTIVE, COLL_ALL2ALL, ALLGATHERV)                                                 \
    X(Ialltoall, 8, ICOLLECTIVE, COLL_ALL2ALL, ALLTOALL)                                                     \
    X(Ialltoallv, 10, ICOLLECTIVE, COLL_ALL2ALL, ALLTOALLV)                                                  \
    X(Ialltoallw, 10, ICOLLECTIVE, COLL_ALL2ALL, ALLTOALLW)                                                  \
    X(Iallreduce, 7, ICOLLECTIVE, COLL_ALL2ALL, ALLREDUCE)                                                   \
    X(Ireduce, 8, ICOLLECTIVE, COLL_ALL2ONE, REDUCE)                                                         \
    X(Ireduce_scatter, 7, ICOLLECTIVE, COLL_ALL2ALL, REDUCE_SCATTER)                                         \
    X(Ireduce_scatter_block, 7, ICOLLECTIVE, COLL_ALL2ALL, REDUCE_SCATTER_BLOCK)                             \
    X(Iscan, 7, ICOLLECTIVE, COLL_OTHER, SCAN)                                                               \
    X(Iexscan, 7, ICOLLECTIVE, COLL_OTHER, EXSCAN)                                                           \
    X(Ineighbor_allgather, 8, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLGATHER)                                 \
    X(Ineighbor_allgatherv, 9, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLGATHERV)                               \
    X(Ineighbor_alltoall, 8, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALL)                                   \
    X(Ineighbor_alltoallv, 10, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALLV)                                \
    X(Ineighbor_alltoallw, 10, ICOLLECTIVE, COLL_ALL2ALL, NEIGHBOR_ALLTOALLW)

#define OMPTAPE_MPI_ALL(X) OMPTAPE_MPI_MANAGEMENT(X) OMPTAPE_MPI_POINT2POINT(X) OMPTAPE_MPI_COLLECTIVE(X)

#endif
