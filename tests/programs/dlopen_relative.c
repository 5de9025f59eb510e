/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library that is loaded by a path from a folder that the program leaves, and unloaded before the end.
//: lib region
//: ldflags -ldl
//: threads 2
//: enter parallel@region.c:library 2
*/
#include <dlfcn.h>
#include <libgen.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char path[4096] = "";
    char folder[4096] = "";
    char from[4096 + 2];
    int (*library_sum)(void);

    /* The archive goes where the program was when it first used OpenMP. */
    if (omp_get_max_threads() < 1)
        return 1;
    if (argc < 2 || strlen(argv[1]) >= sizeof(path))
        return 1;
    strcpy(path, argv[1]);
    strcpy(folder, argv[1]);
    if (chdir(dirname(folder)) != 0)
        return 1;
    snprintf(from, sizeof(from), "./%s", basename(path));
    void *library = dlopen(from, RTLD_NOW);
    if (library == NULL || chdir("/") != 0) {
        printf("%s\n", dlerror());
        return 1;
    }
    *(void **)&library_sum = dlsym(library, "library_sum");
    printf("%d\n", library_sum());
    dlclose(library);
    return 0;
}
