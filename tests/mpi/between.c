/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective operations between two groups: rank 0, and all others. Each process writes told.RANK with a line
 * for each operation: "FUNCTION OPERATION ROOT SENT RECEIVED", where ROOT is the rank in both groups, one
 * after the other, "none", or "side" of whoever is on the root's side and stands by. Waited for by Waitall is
 * what does not block. Usage: between
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_RANKS = 16, INT = 4, AFTER_THE_FIRST = 1 };

static int rank, size;
static MPI_Comm across;
static FILE *told;

/* Of the operations with a root this is the first side's only process, then the first one of the other side. */
static int root_argument(int of_first)
{
    if (of_first)
        return rank == 0 ? MPI_ROOT : 0;
    if (rank == 0)
        return 0;
    return rank == AFTER_THE_FIRST ? MPI_ROOT : MPI_PROC_NULL;
}

static void tell(const char *function, const char *operation, int root, int sent, int received)
{
    char name[16] = "none";
    if (root >= 0)
        snprintf(name, sizeof(name), "%d", root);
    if (root == -2)
        snprintf(name, sizeof(name), "side");
    fprintf(told, "%s %s %s %d %d\n", function, operation, name, INT * sent, INT * received);
}

/* Who sends and gets how much where data go from the root, or to it, in all and each. */
static void tell_rooted(const char *function, const char *operation, int of_first, int from_root, int others)
{
    int root = of_first ? 0 : AFTER_THE_FIRST;
    int on_side = of_first == (rank == 0);
    int partners = of_first ? size - 1 : 1;
    if (on_side && rank != root)
        tell(function, operation, -2, 0, 0);
    else if (on_side)
        tell(function, operation, root, from_root ? partners * others : 0, from_root ? 0 : partners * others);
    else
        tell(function, operation, root, from_root ? 0 : others, from_root ? others : 0);
}

static void with_root(int of_first)
{
    int out[MAX_RANKS] = {0}, in[MAX_RANKS * MAX_RANKS] = {0}, counts[MAX_RANKS], places[MAX_RANKS];
    int root = root_argument(of_first);
    MPI_Request request;
    for (int i = 0; i < MAX_RANKS; i++) {
        counts[i] = 2;
        places[i] = 2 * i;
    }
    MPI_Bcast(out, 3, MPI_INT, root, across);
    tell_rooted("MPI_Bcast", "BCAST", of_first, 1, 3);
    MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, across);
    tell_rooted("MPI_Gather", "GATHER", of_first, 0, 2);
    MPI_Gatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, root, across);
    tell_rooted("MPI_Gatherv", "GATHERV", of_first, 0, 2);
    MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, across);
    tell_rooted("MPI_Scatter", "SCATTER", of_first, 1, 2);
    MPI_Scatterv(in, counts, places, MPI_INT, out, 2, MPI_INT, root, across);
    tell_rooted("MPI_Scatterv", "SCATTERV", of_first, 1, 2);
    MPI_Reduce(out, in, 4, MPI_INT, MPI_SUM, root, across);
    tell_rooted("MPI_Reduce", "REDUCE", of_first, 0, 4);
    MPI_Ibcast(out, 5, MPI_INT, root, across, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell_rooted("MPI_Wait", "BCAST", of_first, 1, 5);
}

static void without_root(void)
{
    int out[MAX_RANKS * MAX_RANKS] = {0}, in[MAX_RANKS * MAX_RANKS] = {0}, counts[MAX_RANKS], places[MAX_RANKS];
    int here = rank == 0 ? 1 : size - 1, there = size - here, all = here * there;
    MPI_Request request;
    MPI_Barrier(across);
    tell("MPI_Barrier", "BARRIER", -1, 0, 0);
    MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, across);
    tell("MPI_Allgather", "ALLGATHER", -1, 1, there);
    MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, across);
    tell("MPI_Alltoall", "ALLTOALL", -1, 2 * there, 2 * there);
    for (int i = 0; i < there; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, across);
    tell("MPI_Alltoallv", "ALLTOALLV", -1, there, there);
    MPI_Allreduce(out, in, 3, MPI_INT, MPI_SUM, across);
    tell("MPI_Allreduce", "ALLREDUCE", -1, 3, 3);
    for (int i = 0; i < here; i++)
        counts[i] = there; /* both sides have as many in all */
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, across);
    tell("MPI_Reduce_scatter", "REDUCE_SCATTER", -1, all, there);
    MPI_Reduce_scatter_block(out, in, there, MPI_INT, MPI_SUM, across);
    tell("MPI_Reduce_scatter_block", "REDUCE_SCATTER_BLOCK", -1, all, there);
    MPI_Iallreduce(out, in, 7, MPI_INT, MPI_SUM, across, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell("MPI_Wait", "ALLREDUCE", -1, 7, 7);
}

int main(int argc, char **argv)
{
    MPI_Comm local;
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof(name), "told.%d", rank);
    told = fopen(name, "w");
    if (told == NULL || size > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, rank > 0 ? 0 : AFTER_THE_FIRST, 5, &across);
    with_root(1);
    with_root(0);
    without_root();
    fclose(told);
    MPI_Finalize();
    return 0;
}
