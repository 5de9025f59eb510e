/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements process_stat.h.
 */
#include "src/core/process_stat.h"

#include "src/core/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Numbers of the fields in proc(5), counted from 1. */
enum {
    STATE = 3,
    PARENT = 4,
    MINOR_FAULTS = 10,
    MAJOR_FAULTS = 12,
    USER_TIME = 14,
    SYSTEM_TIME = 15,
    START = 22,
    EXIT_CODE = 52
};
enum { LINE_BYTES = 1200 };

/* Parses a number. `copy` receives it, too, unless it is NULL. */
static uint64_t read_time(const char *at, uint64_t *copy)
{
    const uint64_t time = strtoull(at, NULL, 10);
    if (copy != NULL)
        *copy = time;
    return time;
}

int omptape_process_stat(int folder, const char *path, struct omptape_process_stat *stat)
{
    char line[LINE_BYTES];
    *stat = (struct omptape_process_stat){.state = 0};
    const ssize_t n = omptape_read_piece(folder, path, line, sizeof(line));
    if (n <= 0)
        return n < 0 ? (int)n : -ESRCH;
    /* The fields follow the program's name, which may contain any characters. */
    const char *at = strrchr(line, ')');
    if (at == NULL || at[1] != ' ')
        return -EINVAL;
    stat->state = at[2];
    at++;
    for (int field = STATE; at != NULL; field++, at = strchr(at + 1, ' '))
        if (field == PARENT)
            stat->parent = (int32_t)strtol(at, NULL, 10);
        else if (field == USER_TIME || field == SYSTEM_TIME)
            stat->processor += read_time(at, field == SYSTEM_TIME ? &stat->system : NULL);
        else if (field == MINOR_FAULTS)
            stat->minor_faults = strtoull(at, NULL, 10);
        else if (field == MAJOR_FAULTS)
            stat->major_faults = strtoull(at, NULL, 10);
        else if (field == START)
            stat->start = strtoull(at, NULL, 10);
        else if (field == EXIT_CODE)
            stat->exit_code = (int32_t)strtol(at, NULL, 10);
    return 0;
}

int omptape_process_stat_of(int32_t pid, struct omptape_process_stat *stat)
{
    char path[32];
    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    return omptape_process_stat(AT_FDCWD, path, stat);
}

bool omptape_process_numbers_are_own(void)
{
    char text[32];
    const ssize_t n = readlink("/proc/self", text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = '\0';
    return strtol(text, NULL, 10) == (long)getpid();
}

bool omptape_process_is_stopped(int32_t pid, uint64_t ns, uint64_t *stopped)
{
    static const uint64_t timeout_ns = UINT64_C(10000000000);
    struct omptape_process_stat stat;
    const bool now = omptape_process_stat_of(pid, &stat) == 0 && (stat.state == 'T' || stat.state == 't');
    *stopped = now ? *stopped + ns : 0;
    return *stopped >= timeout_ns;
}
