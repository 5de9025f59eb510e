/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program itself has no OpenMP: the runtime comes in with a library that it loads.
//: cflags -fno-openmp
//: lib region
//: ldflags -ldl
//: threads 2
//: enter parallel@region.c:library 2
*/
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library;
    int (*library_sum)(void);

    (void)argc;
    library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    *(void **)&library_sum = dlsym(library, "library_sum");
    printf("%d\n", library_sum());
    return 0;
}
