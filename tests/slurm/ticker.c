/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program for the tests of jobs: a parallel region every 10 ms for a number of seconds (the argument), so
 * that it can be cancelled at any moment and its archive stays small. Says "ticking" once it is in full
 * swing. With a folder as second argument, the file there that is called like the process always holds the
 * number of regions that are over. With a third argument it begins when that many processes have such files.
 */
#include <dirent.h>
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

static int files_in(const char *folder)
{
    int count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
        count += entry->d_name[0] != '.';
    if (list != NULL)
        closedir(list);
    return count;
}

int main(int argc, char **argv)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    long ticks = argc > 1 ? (long)(strtod(argv[1], NULL) * 100) : 1;
    volatile long *over = open_counter(argc > 2 ? argv[2] : "");
    long count = 0;

    while (argc > 3 && files_in(argv[2]) < atoi(argv[3]))
        nanosleep(&pause, NULL);
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
