/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that is built again while it runs. Usage: rebuilt FILE [LIBRARY]. It gives FILE its own path, as
 * a linker does, or the path of a library that it has loaded. Compiled with -DAGAIN the same code has other
 * lines.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#ifdef AGAIN
#line 1000
#endif

int count_threads(void)
{
    int sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(2)
    sum++;
    return sum;
}

int main(int argc, char **argv)
{
    typedef int count(void);
    int sum = count_threads();
    void *library = argc == 3 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
    count *counts = library != NULL ? (count *)dlsym(library, "count_threads") : count_threads;
    if (argc < 2 || (argc == 3 && library == NULL) || rename(argv[1], argv[argc == 3 ? 2 : 0]) != 0)
        return 1;
    sum += counts();
    sleep(1); /* The writer makes a checkpoint meanwhile, for which it looks up the lines. */
    if (library != NULL && dlclose(library) != 0)
        return 1;
    puts(sum == 4 ? "right" : "wrong");
    return 17;
}
