/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads /proc/stat and threads' sets of processors. Called by observe.c.
 */
#include "writers/observe/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

bool omptape_machine_allowed(uint32_t tid, struct omptape_processor_set *set)
{
    /* The C library's function fills up the rest with zeros, which takes longer than the call. */
    long bytes = syscall(SYS_sched_getaffinity, tid, sizeof(set->words), set->words);
    if (bytes <= 0)
        return false;
    set->count = (size_t)bytes / sizeof(set->words[0]);
    return true;
}

static bool is_in(const struct omptape_processor_set *set, uint64_t number)
{
    return number / 64 < set->count && (set->words[number / 64] >> (number % 64) & 1) != 0;
}

enum { USER, NICE, SYSTEM, IDLE, IO_WAIT, INTERRUPT, SOFT_INTERRUPT, STOLEN, COLUMNS };

/* Older kernels have fewer columns; guests' time behind them is in the first two. */
static void add_line(const char *numbers, struct omptape_processor_times *times, uint64_t tick_ns)
{
    uint64_t column[COLUMNS] = {0};
    char *end = NULL;
    for (unsigned i = 0; i < COLUMNS; i++) {
        column[i] = strtoull(numbers, &end, 10) * tick_ns;
        if (end == numbers)
            break;
        numbers = end;
    }
    for (unsigned i = 0; i < COLUMNS; i++) {
        times->all += column[i];
        if (i != IDLE && i != IO_WAIT && i != STOLEN)
            times->busy += column[i];
    }
    times->stolen += column[STOLEN];
}

bool omptape_machine_times(const char *path, const struct omptape_processor_set *set,
                           struct omptape_processor_times *times)
{
    static const uint64_t second_ns = 1000000000;
    const long ticks = sysconf(_SC_CLK_TCK);
    char *line = NULL;
    size_t capacity = 0;
    *times = (struct omptape_processor_times){0};
    FILE *file = ticks > 0 ? fopen(path, "re") : NULL;
    while (file != NULL && getline(&line, &capacity, file) > 0) {
        uint64_t number;
        int length = 0;
        if (line[0] != 'c')
            break; /* behind the processors' lines */
        if (sscanf(line, "cpu%" SCNu64 "%n", &number, &length) == 1 && is_in(set, number))
            add_line(line + length, times, second_ns / (uint64_t)ticks);
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return times->all > 0;
}
