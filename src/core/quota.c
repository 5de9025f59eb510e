/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the cgroup files. Called by the writer at the recording's start and end, and by the command.
 */
#include "src/core/quota.h"

#include "src/core/cgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t us_ns = 1000;

/* Reads the cgroup's limit. Returns false if it has none. */
static bool read_limit(const char *folder, bool v2, uint64_t *quota_ns, uint64_t *period_ns)
{
    char *quota = omptape_cgroup_read(folder, v2 ? "cpu.max" : "cpu.cfs_quota_us");
    char *period = v2 ? NULL : omptape_cgroup_read(folder, "cpu.cfs_period_us");
    int64_t most = -1;
    int64_t each = 0;
    if (v2 && quota != NULL && sscanf(quota, "%" SCNd64 " %" SCNd64, &most, &each) != 2)
        most = -1; /* "max 100000" */
    if (!v2 && quota != NULL && period != NULL) {
        most = strtoll(quota, NULL, 10);
        each = strtoll(period, NULL, 10);
    }
    free(quota);
    free(period);
    *quota_ns = most > 0 ? (uint64_t)most * us_ns : 0;
    *period_ns = each > 0 ? (uint64_t)each * us_ns : 0;
    return *quota_ns > 0 && *period_ns > 0;
}

static uint64_t number_of_line(const char *text, const char *label)
{
    const size_t length = strlen(label);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, label, length) == 0 && line[length] == ' ')
            return strtoull(line + length, NULL, 10);
    }
    return 0;
}

static void read_throttling(struct omptape_quota *quota, bool v2)
{
    char *text = omptape_cgroup_read(quota->group, "cpu.stat");
    if (text == NULL)
        return;
    quota->now.periods = number_of_line(text, "nr_periods");
    quota->now.throttled = number_of_line(text, "nr_throttled");
    quota->now.ns =
        v2 ? number_of_line(text, "throttled_usec") * us_ns : number_of_line(text, "throttled_time");
    free(text);
}

/* Adopts the cgroup's limit if it is the tightest yet. */
static void visit_group(void *argument, const char *folder, bool v2)
{
    struct omptape_quota *quota = argument;
    uint64_t quota_ns;
    uint64_t period_ns;
    if (!read_limit(folder, v2, &quota_ns, &period_ns) ||
        (quota->limited &&
         (double)quota_ns / (double)period_ns >= (double)quota->quota_ns / (double)quota->period_ns))
        return;
    quota->limited = true;
    quota->quota_ns = quota_ns;
    quota->period_ns = period_ns;
    memcpy(quota->group, folder, strlen(folder) + 1);
}

void omptape_quota_read(struct omptape_quota *quota, int process, const char *mounts)
{
    *quota = (struct omptape_quota){.found = false};
    /* The cpu controller is in one of the two hierarchies. */
    for (int v2 = 0; v2 <= 1 && !quota->limited; v2++) {
        quota->found |= omptape_cgroup_visit(process, mounts, "cpu", v2 != 0, visit_group, quota);
        if (quota->limited)
            read_throttling(quota, v2 != 0);
    }
}
