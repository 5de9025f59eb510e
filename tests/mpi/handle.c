/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that is not linked with MPI and calls it through a handle, as ctypes and plugins do: messages go
 * round once. Usage: handle LIBRARY local|global|deepbind [openmp]. With the last word it has a parallel region,
 * too.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *find(const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL)
        exit(2);
    return found;
}

int main(int argc, char **argv)
{
    int flags = RTLD_NOW;
    int counter = 0;
    if (argc < 3)
        return 2;
    flags |= strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    flags |= strcmp(argv[2], "deepbind") == 0 ? RTLD_DEEPBIND : 0;
    library = dlopen(argv[1], flags);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    int (*init)(int *, char ***) = (int (*)(int *, char ***))find("MPI_Init");
    int (*finalize)(void) = (int (*)(void))find("MPI_Finalize");
    if (init(NULL, NULL) != 0)
        return 3;
    if (argc > 3) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
        counter++;
    }
    printf("%d\n", counter);
    return finalize();
}
