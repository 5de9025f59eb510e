/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads files of /proc.
 */
#include "src/job/process.h"

#include "src/core/clock.h"
#include "src/core/process_stat.h"
#include "src/core/text_file.h"
#include "src/folder/beneath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

size_t omptape_process_read(pid_t pid, const char *name, char *text, size_t bytes)
{
    char path[96];
    if (pid == 0)
        snprintf(path, sizeof(path), "/proc/self/%s", name);
    else
        snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    const ssize_t length = omptape_read_text(AT_FDCWD, path, text, bytes);
    return length > 0 ? (size_t)length : 0;
}

pid_t omptape_process_parent(pid_t pid)
{
    struct omptape_process_stat stat;
    return omptape_process_stat_of((int32_t)pid, &stat) == 0 ? stat.parent : 0;
}

/* Returns the number of a thread's context switches from its file `status`; 0: unknown. */
static uint64_t switches_of(pid_t pid, const char *thread)
{
    static const char key[] = "voluntary_ctxt_switches:";
    char name[64];
    char text[4096];
    uint64_t sum = 0;
    snprintf(name, sizeof(name), "task/%.20s/status", thread);
    (void)omptape_process_read(pid, name, text, sizeof(text));
    /* Matches voluntary_ctxt_switches and nonvoluntary_ctxt_switches. */
    for (const char *at = text; (at = strstr(at, key)) != NULL; at += sizeof(key) - 1)
        sum += strtoull(at + sizeof(key) - 1, NULL, 10);
    return sum;
}

uint64_t omptape_process_activity(pid_t pid)
{
    char path[64];
    struct omptape_process_stat stat;
    const struct dirent *entry;
    uint64_t sum = 0;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    while (threads != NULL && (entry = readdir(threads)) != NULL)
        sum += entry->d_name[0] != '.' ? switches_of(pid, entry->d_name) : 0;
    omptape_close_list(threads);
    /* A thread that has a processor for itself is never switched: its processor time counts, too. */
    return sum > 0 && omptape_process_stat_of((int32_t)pid, &stat) == 0 ? sum + stat.processor : sum;
}

bool omptape_process_is_silent(struct omptape_process_silence *silence, uint64_t activity)
{
    static const double longest_step = 2;
    static const double max_silence = 10;
    const double now = omptape_clock_seconds();
    const double step = now - silence->looked;
    silence->looked = now;
    if (activity == 0 || activity != silence->activity) {
        silence->activity = activity;
        silence->lasts = 0;
    } else {
        silence->lasts += step < longest_step ? step : longest_step;
    }
    return silence->lasts > max_silence;
}

int omptape_process_await(pid_t child, int *status)
{
    enum { FIRST_NS = 1000000, LAST_NS = 50000000 };
    struct timespec nap = {.tv_nsec = FIRST_NS};
    uint64_t stopped = 0;
    for (;;) {
        const pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child)
            return 0;
        if (ended < 0 && errno != EINTR)
            return -errno;
        if (omptape_process_is_stopped((int32_t)child, (uint64_t)nap.tv_nsec, &stopped))
            return -ETIMEDOUT;
        nanosleep(&nap, NULL);
        nap.tv_nsec = 2 * nap.tv_nsec < LAST_NS ? 2 * nap.tv_nsec : LAST_NS;
    }
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
