/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads files of /proc.
 */
#include "src/job/process.h"

#include "src/core/process_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t omptape_process_read(pid_t pid, const char *name, char *text, size_t bytes)
{
    char path[64];
    size_t length = 0;
    ssize_t n;
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, text + length, bytes - 1 - length)) > 0)
        length += (size_t)n;
    if (fd >= 0)
        close(fd);
    text[length] = '\0';
    return length;
}

pid_t omptape_process_parent(pid_t pid)
{
    struct omptape_process_stat stat;
    return omptape_process_stat_of((int32_t)pid, &stat) == 0 ? stat.parent : 0;
}

bool omptape_process_is_writer(pid_t pid)
{
    char text[64];
    (void)omptape_process_read(pid, "comm", text, sizeof(text));
    text[strcspn(text, "\n")] = '\0';
    return strcmp(text, "omptape-writer") == 0;
}

bool omptape_process_is_writer_of(pid_t pid, pid_t program)
{
    char text[512];
    if (!omptape_process_is_writer(pid))
        return false;
    size_t length = omptape_process_read(pid, "cmdline", text, sizeof(text));
    while (length > 0 && text[length - 1] == '\0')
        length--;
    const char *before = memrchr(text, '\0', length);
    return before != NULL && atoi(before + 1) == (int)program;
}

bool omptape_process_own_path(char *path, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
    path[length > 0 ? length : 0] = '\0';
    return strchr(path, '/') != NULL;
}
