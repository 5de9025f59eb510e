/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses the MPI of abi.c, and prints what it did as calls.c does.
 */
#include "abi.h"

#include <stdio.h>

enum { ROUNDS = 5, MANY = 40 };

int main(int argc, char **argv)
{
    int rank, data[MANY] = {0}, all = 0;
    MPI_Request requests[2 * 3];
    MPI_Status statuses[2 * 3], status;
    MPI_Comm comm;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Send(data, MANY, MPI_INT, rank, i, comm); /* 160 bytes */
        MPI_Recv(data, MANY, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, i % 2 == 0 ? &status : MPI_STATUS_IGNORE);
        for (int k = 0; k < 3; k++) {
            MPI_Irecv(data, MANY, MPI_BYTE, rank, 10 + k, MPI_COMM_SELF, &requests[k]);
            MPI_Isend(data, k + 1, MPI_BYTE, rank, 10 + k, MPI_COMM_SELF, &requests[3 + k]);
        }
        MPI_Waitall(2 * 3, requests, i % 2 == 0 ? statuses : MPI_STATUSES_IGNORE); /* 1 + 2 + 3 bytes */
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(data, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(data, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_File_open(MPI_COMM_WORLD, "abi.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_seek(file, 8, MPI_SEEK_CUR);
    MPI_File_write(file, data, MANY, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    printf("rank %d: sent %d %d received %d %d files 1 seeks 1 deleted 1 reads 0 0 writes 1 %d MPI_Init 1 MPI_Comm_rank 1 "
           "MPI_Comm_dup 1 MPI_Send %d MPI_Recv %d MPI_Irecv %d MPI_Isend %d MPI_Waitall %d MPI_Allreduce %d MPI_Cancel 1 "
           "MPI_Wait 1 MPI_File_open 1 MPI_File_seek 1 MPI_File_write 1 MPI_File_close 1 MPI_Comm_free 1 MPI_Finalize 1\n",
           rank, 4 * ROUNDS, ROUNDS * (4 * MANY + 6), 4 * ROUNDS, ROUNDS * (4 * MANY + 6), 4 * MANY, ROUNDS + 1, ROUNDS + 1,
           3 * ROUNDS + 1, 3 * ROUNDS, ROUNDS, ROUNDS);
    return 0;
}
