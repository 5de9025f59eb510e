/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the affinity mask and the quotas of cgroup versions 1 and 2.
 */
#include "src/job/processors.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MASK_WORDS = 1024, TEXT_BYTES = 256 };

static unsigned in_affinity(void)
{
    static unsigned long mask[MASK_WORDS];
    unsigned count = 0;
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
    for (size_t i = 0; bytes > 0 && i < (size_t)bytes / sizeof(mask[0]); i++)
        count += (unsigned)__builtin_popcountl(mask[i]);
    return count > 0 ? count : 1;
}

/* Parses a quota in the format of cpu.max, "200000 100000" or "max 100000". Returns processors, rounded up; 0
 * if there is no quota or the text is malformed. */
static unsigned processors_of_quota(const char *text)
{
    char *end;
    long quota = strtol(text, &end, 10);
    long period = end != text ? strtol(end, NULL, 10) : 0;
    if (quota <= 0 || period <= 0)
        return 0;
    long count = quota / period + (quota % period != 0);
    return count < INT_MAX ? (unsigned)count : INT_MAX;
}

static bool read_line(const char *path, char *line, size_t bytes)
{
    FILE *file = fopen(path, "re");
    bool good = file != NULL && fgets(line, (int)bytes, file) != NULL;
    if (file != NULL)
        fclose(file);
    if (good)
        line[strcspn(line, "\n")] = '\0';
    return good;
}

/* Reads the quota of one cgroup; `unified`: version 2. */
static unsigned quota_at(const char *root, const char *group, bool unified)
{
    char path[PATH_MAX];
    char text[TEXT_BYTES];
    char period[TEXT_BYTES / 2];
    if (unified) {
        snprintf(path, sizeof(path), "%s%s/cpu.max", root, group);
        return read_line(path, text, sizeof(text)) ? processors_of_quota(text) : 0;
    }
    char quota[TEXT_BYTES / 2];
    snprintf(path, sizeof(path), "%s%s/cpu.cfs_quota_us", root, group);
    if (!read_line(path, quota, sizeof(quota)))
        return 0;
    snprintf(path, sizeof(path), "%s%s/cpu.cfs_period_us", root, group);
    if (!read_line(path, period, sizeof(period)))
        return 0;
    snprintf(text, sizeof(text), "%s %s", quota, period);
    return processors_of_quota(text);
}

/* Returns the smallest quota of the cgroup and its ancestors. Truncates `group` while it climbs. */
static unsigned least_quota(const char *root, char *group, bool unified)
{
    unsigned min = UINT_MAX;
    for (;;) {
        unsigned quota = quota_at(root, group, unified);
        min = quota > 0 && quota < min ? quota : min;
        char *slash = strrchr(group, '/');
        if (slash == NULL)
            return min;
        *slash = '\0';
    }
}

/* Returns the smallest quota of the process's cgroups in processors, or UINT_MAX if there is none. Parses
 * /proc/self/cgroup: lines "0::/user.slice/x" (version 2) or "4:cpu,cpuacct:/x" (version 1). */
static unsigned in_quota(void)
{
    char line[PATH_MAX];
    unsigned min = UINT_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *names = strchr(line, ':');
        char *group = names != NULL ? strchr(names + 1, ':') : NULL;
        if (group == NULL)
            continue;
        *group++ = '\0';
        names++;
        bool unified = names[0] == '\0';
        if (!unified && strcmp(names, "cpu") != 0 && strncmp(names, "cpu,", 4) != 0)
            continue;
        unsigned quota = least_quota(unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu", group, unified);
        min = quota < min ? quota : min;
    }
    if (file != NULL)
        fclose(file);
    return min;
}

unsigned omptape_processors(void)
{
    unsigned affinity = in_affinity();
    unsigned quota = in_quota();
    return quota < affinity ? quota : affinity;
}
