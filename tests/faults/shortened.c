/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program with a library whose file becomes shorter while it is loaded: what the loader has mapped stays.
 * Usage: shortened LIBRARY. The library is this file, too, compiled with -shared.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile double sum;

/* Computes in two threads for half a second of the clock. */
void compute_first(void)
{
#pragma omp parallel num_threads(2)
    for (time_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;)
        sum += 1;
}

void compute_second(void)
{
#pragma omp parallel num_threads(2)
    for (time_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;)
        sum += 2;
}

/* Cuts the file behind the last page that the loader has mapped. */
static int shorten(const char *path)
{
    enum { MAX_SEGMENTS = 32, PAGE = 4096 };
    Elf64_Ehdr head;
    Elf64_Phdr segments[MAX_SEGMENTS];
    off_t end = 0;
    int file = open(path, O_RDWR);
    if (file < 0 || pread(file, &head, sizeof(head), 0) != sizeof(head) || head.e_phnum > MAX_SEGMENTS ||
        pread(file, segments, head.e_phnum * sizeof(*segments), (off_t)head.e_phoff) < 0)
        return -1;
    for (int i = 0; i < head.e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && (off_t)(segments[i].p_offset + segments[i].p_filesz) > end)
            end = (off_t)(segments[i].p_offset + segments[i].p_filesz);
    return ftruncate(file, (end + PAGE - 1) / PAGE * PAGE);
}

int main(int argc, char **argv)
{
    typedef void compute(void);
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    compute *first = library != NULL ? (compute *)dlsym(library, "compute_first") : NULL;
    compute *second = library != NULL ? (compute *)dlsym(library, "compute_second") : NULL;
    if (first == NULL || second == NULL)
        return 1;
    first();
    sleep(1); /* The writer makes a checkpoint meanwhile, for which it looks up the lines. */
    if (shorten(argv[1]) != 0)
        return 2;
    second();
    puts("right");
    return 17;
}
