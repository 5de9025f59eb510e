/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --filter by file: what stands in a library's source is left out, whatever its folder; its tasks' place is
 * that of the task.
//: only clang
//: lib count
//: env OMPTAPE_FILTER=-file=cou*.c
//: vary all
//: enter critical@here 2
//: enter critical@count.c:critical 0
//: enter parallel@here 2
*/
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void (*count)(int *) = library != NULL ? (void (*)(int *))dlsym(library, "count") : NULL;
    int sum = 0;
    int counted = 0;

    if (count == NULL)
        return 1;
#pragma omp parallel num_threads(2) // @here
    {
#pragma omp critical // @here
        sum++;
        count(&counted);
    }
    printf("%d %d\n", sum, counted);
    return 0;
}
