/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls the functions of stub.c and prints what they return.
 */
#include <stdio.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Send(const void *buffer, int count, int type, int to, int tag, int comm);
int MPI_Allreduce(const void *from, void *to, int count, int type, int operation, int comm);
int MPI_Finalize(void);

int main(int argc, char **argv)
{
    int first = MPI_Init(&argc, &argv);
    int second = MPI_Send(NULL, 1, 2, 3, 4, 5);
    int third = MPI_Allreduce(NULL, NULL, 1, 2, 3, 4);
    printf("%d %d %d %d\n", first, second, third, MPI_Finalize());
    return 0;
}
