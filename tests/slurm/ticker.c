/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program for the tests of jobs: a parallel region every 10 ms for a number of seconds (the argument), so
 * that it can be cancelled at any moment and its archive stays small. Says "ticking" once it is in full
 * swing. With a folder as second argument, the file there that is called like the process always holds the
 * number of regions that are over.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile long *open_counter(const char *folder)
{
    static long nowhere;
    char path[4096];
    snprintf(path, sizeof(path), "%s/%d", folder, (int)getpid());
    int fd = folder[0] != '\0' ? open(path, O_RDWR | O_CREAT, 0666) : -1;
    if (fd < 0 || ftruncate(fd, sizeof(long)) != 0)
        return &nowhere;
    long *counter = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return counter != MAP_FAILED ? counter : &nowhere;
}

int main(int argc, char **argv)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    long ticks = argc > 1 ? (long)(strtod(argv[1], NULL) * 100) : 1;
    volatile long *over = open_counter(argc > 2 ? argv[2] : "");
    long count = 0;

    for (long i = 0; i < ticks; i++) {
#pragma omp parallel reduction(+ : count)
        count += 1;
        *over = i + 1;
        if (i == 10) {
            puts("ticking");
            fflush(stdout);
        }
        nanosleep(&pause, NULL);
    }
    return count > 0 ? 0 : 1;
}
