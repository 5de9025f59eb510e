/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every collective operation once, for collective.h: CALL(Name, name, arguments), and in the end those among
 * neighbours of the grid.
 */
CALL(Barrier, barrier, comm);
CALL(Bcast, bcast, out, 2, MPI_INT, root, comm);
CALL(Gather, gather, out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
CALL(Gather, gather, rank == root ? MPI_IN_PLACE : out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
CALL(Gatherv, gatherv, out, counts[rank], MPI_INT, in, counts, places, MPI_INT, root, comm);
CALL(Scatter, scatter, out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
CALL(Scatter, scatter, out, 1, MPI_INT, rank == root ? MPI_IN_PLACE : in, 1, MPI_INT, root, comm);
CALL(Scatterv, scatterv, out, counts, places, MPI_INT, in, counts[rank], MPI_INT, root, comm);
CALL(Allgather, allgather, out, 1, MPI_INT, in, 1, MPI_INT, comm);
CALL(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
CALL(Allgatherv, allgatherv, out, counts[rank], MPI_INT, in, counts, places, MPI_INT, comm);
CALL(Alltoall, alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
CALL(Alltoallv, alltoallv, out, ones, places, MPI_INT, in, ones, places, MPI_INT, comm);
CALL(Alltoallw, alltoallw, out, ones, far, types, in, ones, far, types, comm);
CALL(Allreduce, allreduce, out, in, 2, MPI_INT, MPI_SUM, comm);
CALL(Allreduce, allreduce, MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, comm);
CALL(Reduce, reduce, out, in, 2, MPI_INT, MPI_SUM, root, comm);
CALL(Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, comm);
CALL(Reduce_scatter_block, reduce_scatter_block, out, in, 1, MPI_INT, MPI_SUM, comm);
CALL(Scan, scan, out, in, 1, MPI_INT, MPI_SUM, comm);
CALL(Exscan, exscan, out, in, 1, MPI_INT, MPI_SUM, comm);
CALL(Neighbor_allgather, neighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, grid);
CALL(Neighbor_allgatherv, neighbor_allgatherv, out, 1, MPI_INT, in, ones, places, MPI_INT, grid);
CALL(Neighbor_alltoall, neighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, grid);
CALL(Neighbor_alltoallv, neighbor_alltoallv, out, ones, places, MPI_INT, in, ones, places, MPI_INT, grid);
CALL(Neighbor_alltoallw, neighbor_alltoallw, out, ones, addresses, types, in, ones, addresses, types, grid);
