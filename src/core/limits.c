/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the cgroups' files of memory and processes.
 */
#include "src/core/limits.h"

#include "src/core/cgroup.h"

#include <stdlib.h>

/* Returns the number in the file. Returns UINT64_MAX for "max", and if there is no such file. */
static uint64_t read_number(const char *folder, const char *name)
{
    char *text = omptape_cgroup_read(folder, name);
    const bool is_number = text != NULL && text[0] >= '0' && text[0] <= '9';
    const uint64_t number = is_number ? strtoull(text, NULL, 10) : UINT64_MAX;
    free(text);
    return number;
}

static void visit_memory(void *argument, const char *folder, bool v2)
{
    uint64_t *least = argument;
    const uint64_t bytes = read_number(folder, v2 ? "memory.max" : "memory.limit_in_bytes");
    /* Version 1's greatest value is no limit. */
    if (bytes != 0 && bytes <= INT64_MAX / 2 && bytes < *least)
        *least = bytes;
}

static void visit_processes(void *argument, const char *folder, bool v2)
{
    uint64_t *least = argument;
    const uint64_t most = read_number(folder, "pids.max");
    const uint64_t now = most != UINT64_MAX ? read_number(folder, "pids.current") : 0;
    (void)v2;
    if (most != UINT64_MAX && now != UINT64_MAX && (now < most ? most - now : 0) < *least)
        *least = now < most ? most - now : 0;
}

static uint64_t least_of(int process, const char *mounts, const char *controller,
                         omptape_cgroup_visitor *visit)
{
    uint64_t least = UINT64_MAX;
    for (int v2 = 0; v2 <= 1; v2++)
        (void)omptape_cgroup_visit(process, mounts, controller, v2 != 0, visit, &least);
    return least;
}

uint64_t omptape_memory_limit(int process, const char *mounts)
{
    return least_of(process, mounts, "memory", visit_memory);
}

uint64_t omptape_process_limit(int process, const char *mounts)
{
    return least_of(process, mounts, "pids", visit_processes);
}
