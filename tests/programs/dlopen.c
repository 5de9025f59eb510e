/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A region in a library that is loaded late and unloaded before the end.
//: lib region
//: ldflags -ldl
//: threads 2
//: enter parallel@own 2
//: enter parallel@region.c:library 4
*/
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int sum = 0;

    (void)argc;
#pragma omp parallel num_threads(2) reduction(+ : sum) // @own
    sum += 1;
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        int (*library_sum)(void);

        if (library == NULL) {
            printf("%s\n", dlerror());
            return 1;
        }
        *(void **)&library_sum = dlsym(library, "library_sum");
        sum += library_sum();
        dlclose(library);
    }
    printf("%d\n", sum);
    return 0;
}
