/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process of a run of many (runs.py), or the library of one: some parallel regions. What it did is appended
 * to the file WORKLOAD_LOG: process number, begin and end (seconds since 1970), regions. Usage: workload
 * REGIONS
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int workload(int regions)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    const char *log = getenv("WORKLOAD_LOG");
    double begin = now();
    char line[128];
    int sum = 0;

    for (int i = 0; i < regions; i++) {
#pragma omp parallel reduction(+ : sum)
        sum++;
        nanosleep(&pause, NULL); /* so that processes are there at the same time */
    }
    int n = snprintf(line, sizeof(line), "%d %.9f %.9f %d\n", (int)getpid(), begin, now(), regions);
    int fd = log != NULL ? open(log, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        return 1;
    close(fd);
    return sum == 2 * regions ? 0 : 2;
}

int main(int argc, char **argv)
{
    return workload(argc > 1 ? atoi(argv[1]) : 1);
}
