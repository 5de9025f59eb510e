/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a thread's files in /proc. Called by schedstat.c.
 */
#include "writers/observe/thread_files.h"

#include "src/core/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 32, STATUS_BYTES = 4096 };

/* 0 or negative errno. What does not fit is left out. */
static int read_text(int tasks, uint32_t tid, const char *file, char *text, size_t bytes)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof(name), "%" PRIu32 "/%s", tid, file);
    int fd = openat(tasks, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, text, bytes - 1);
    int error = n < 0 ? -errno : 0;
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return error;
}

int omptape_thread_files_times(int tasks, uint32_t tid, struct omptape_sched_reading *reading)
{
    char text[96];
    uint64_t running;
    uint64_t waiting;
    int error = read_text(tasks, tid, "schedstat", text, sizeof(text));
    if (error != 0)
        return error;
    /* A kernel that does not count says 0. */
    if (sscanf(text, "%" SCNu64 " %" SCNu64, &running, &waiting) != 2 || (running == 0 && waiting == 0))
        return -ESRCH;
    reading->sums[OMPTAPE_MEMBER_RUNNING] = running;
    reading->sums[OMPTAPE_MEMBER_WAITING] = waiting;
    return 0;
}

/* The number behind the line's label, "\nlabel:"; 0: there is no such line. */
static uint64_t number_of_line(const char *text, const char *label)
{
    const char *at = strstr(text, label);
    return at != NULL ? strtoull(at + strlen(label), NULL, 10) : 0;
}

int omptape_thread_files_details(int tasks, uint32_t tid, struct omptape_sched_reading *reading)
{
    static const uint64_t second_ns = 1000000000;
    char name[NAME_BYTES];
    char text[STATUS_BYTES];
    struct omptape_process_stat stat;
    const long ticks = sysconf(_SC_CLK_TCK);
    snprintf(name, sizeof(name), "%" PRIu32 "/stat", tid);
    int error = omptape_process_stat(tasks, name, &stat);
    if (error == 0)
        error = read_text(tasks, tid, "status", text, sizeof(text));
    if (error != 0 || ticks <= 0)
        return error != 0 ? error : -EINVAL;
    reading->sums[OMPTAPE_MEMBER_SYSTEM] = stat.system * (second_ns / (uint64_t)ticks);
    reading->sums[OMPTAPE_MEMBER_MINOR_FAULTS] = stat.minor_faults;
    reading->sums[OMPTAPE_MEMBER_MAJOR_FAULTS] = stat.major_faults;
    reading->sums[OMPTAPE_MEMBER_VOLUNTARY] = number_of_line(text, "\nvoluntary_ctxt_switches:");
    reading->sums[OMPTAPE_MEMBER_INVOLUNTARY] = number_of_line(text, "\nnonvoluntary_ctxt_switches:");
    reading->detailed = reading->sums[OMPTAPE_MEMBER_RUNNING];
    return 0;
}
