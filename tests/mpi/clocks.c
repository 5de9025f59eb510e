/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that look for messages that none of them sent: as soon as MPI_Init is over for any message at all, and then
 * in each that they take from any sender with any tag. Each says how often PMPI was asked to send or to make a
 * communicator, which the program does not do by these names. Built with -rdynamic, so that a tool finds the
 * functions here first. Usage: clocks [ROUNDS]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int sends, groups;

int PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int (*next)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = dlsym(RTLD_NEXT, "PMPI_Isend");
    sends++;
    return next(data, count, type, to, tag, comm, request);
}

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    int (*next)(MPI_Comm, MPI_Group, int, MPI_Comm *) = dlsym(RTLD_NEXT, "PMPI_Comm_create_group");
    groups++;
    return next(comm, group, tag, made);
}

int main(int argc, char **argv)
{
    int rank, size, flag, stray = 0;
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 200; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        stray += flag;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < rounds; i++) {
        int out = rank * rounds + i, in = -1;
        const int left = (rank + size - 1) % size;
        MPI_Status status;
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, i, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                     MPI_COMM_WORLD, &status);
        stray += in != left * rounds + i || status.MPI_SOURCE != left || status.MPI_TAG != i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("rank %d: %d strays, %d sends, %d groups\n", rank, stray, sends, groups);
    return 0;
}
