/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that uses MPI if there is one, as some libraries do: where there is none it must not find one.
 */
#include <dlfcn.h>
#include <stdio.h>

#pragma weak MPI_Init
int MPI_Init(int *argc, char ***argv);

int main(void)
{
    printf("%d %d\n", MPI_Init != NULL, dlsym(RTLD_DEFAULT, "MPI_Send") != NULL);
    return 0;
}
