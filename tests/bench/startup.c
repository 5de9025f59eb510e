/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a program takes from its start to its end when it does nothing, with and without a preloaded
 * library. Run by tests/bench/startups.py. Usage: startup TIMES PROGRAM LIBRARY...; an empty LIBRARY stands
 * for none. Prints for each library the microseconds: median, quartiles, least.
 */
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_LIBRARIES = 16, MAX_VARIABLES = 256, PATH_BYTES = 4096 };

struct candidate {
    char preload[PATH_BYTES];
    char *environment[MAX_VARIABLES + 2];
    uint64_t *times;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static int prepare(struct candidate *candidate, const char *library, size_t times)
{
    size_t n = 0;
    for (char **variable = environ; *variable != NULL && n < MAX_VARIABLES; variable++)
        candidate->environment[n++] = *variable;
    if (library[0] != '\0') {
        int length = snprintf(candidate->preload, sizeof(candidate->preload), "LD_PRELOAD=%s", library);
        if (length < 0 || (size_t)length >= sizeof(candidate->preload))
            return -ENAMETOOLONG;
        candidate->environment[n++] = candidate->preload;
    }
    candidate->environment[n] = NULL;
    candidate->times = calloc(times, sizeof(candidate->times[0]));
    return candidate->times != NULL ? 0 : -ENOMEM;
}

/* Nanoseconds from before the spawn to after the wait; 0 if the program did not end well. */
static uint64_t run_once(char *program, char **environment)
{
    char *arguments[] = {program, NULL};
    pid_t child;
    int status = 0;
    uint64_t begin = now_ns();
    if (posix_spawn(&child, program, NULL, NULL, arguments, environment) != 0)
        return 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    uint64_t end = now_ns();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? end - begin : 0;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void print(const struct candidate *candidate, const char *library, size_t times)
{
    static const double quantiles[] = {0.5, 0.25, 0.75, 0.0};
    qsort(candidate->times, times, sizeof(candidate->times[0]), compare);
    printf("%s", library);
    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
        printf("\t%.2f", (double)candidate->times[(size_t)((double)(times - 1) * quantiles[i])] / 1e3);
    printf("\n");
}

int main(int argc, char **argv)
{
    static struct candidate candidates[MAX_LIBRARIES];
    int count = argc - 3;
    size_t times = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    if (count < 1 || count > MAX_LIBRARIES || times < 1) {
        fprintf(stderr, "usage: startup TIMES PROGRAM LIBRARY...\n");
        return 2;
    }
    for (int i = 0; i < count; i++)
        if (prepare(&candidates[i], argv[i + 3], times) != 0)
            return 1;
    for (size_t round = 0; round < times; round++) {
        for (int i = 0; i < count; i++) {
            struct candidate *candidate = &candidates[((size_t)i + round) % (size_t)count];
            candidate->times[round] = run_once(argv[2], candidate->environment);
            if (candidate->times[round] == 0) {
                fprintf(stderr, "startup: %s with \"%s\" failed\n", argv[2], candidate->preload);
                return 1;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        print(&candidates[i], argv[i + 3], times);
        free(candidates[i].times);
    }
    return 0;
}
