/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the cgroup files. Called by the writer at its start.
 */
#include "src/core/memory_limit.h"

#include "src/core/cgroup.h"

#include <stdlib.h>

static void visit_group(void *argument, const char *folder, bool v2)
{
    uint64_t *least = argument;
    char *text = omptape_cgroup_read(folder, v2 ? "memory.max" : "memory.limit_in_bytes");
    /* "max" and version 1's greatest value are no limit. */
    const uint64_t bytes = text != NULL ? strtoull(text, NULL, 10) : 0;
    free(text);
    if (bytes != 0 && bytes <= INT64_MAX / 2 && bytes < *least)
        *least = bytes;
}

uint64_t omptape_memory_limit(int process, const char *mounts)
{
    uint64_t least = UINT64_MAX;
    for (int v2 = 0; v2 <= 1; v2++)
        (void)omptape_cgroup_visit(process, mounts, "memory", v2 != 0, visit_group, &least);
    return least;
}
