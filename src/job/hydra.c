/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hydra gives each rank its number and the job's size, but nothing that tells one job from the next. Its
 * proxies, which are the ranks' ancestors on each node, were given mpiexec's address. Called by job.c.
 */
#include "src/job/hydra.h"

#include "src/job/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Wrappers (numactl, time, omptape, a shell) stand between the two. */
enum { MOST_ANCESTORS = 16 };

int omptape_hydra_port_of(const char *command, size_t length, char *port, size_t bytes)
{
    static const char option[] = "--control-port";
    const char *end = command + length;
    for (const char *argument = command; argument < end;) {
        const char *next = argument + strnlen(argument, (size_t)(end - argument)) + 1;
        if (next < end && strcmp(argument, option) == 0) {
            int n = snprintf(port, bytes, "%.*s", (int)strnlen(next, (size_t)(end - next)), next);
            return n > 0 && (size_t)n < bytes ? 0 : -ENOENT;
        }
        argument = next;
    }
    return -ENOENT;
}

int omptape_hydra_port(char *port, size_t bytes)
{
    static char command[4096]; /* the program's stack may be small */
    char name[32];
    int pid = (int)getppid();
    for (int i = 0; i < MOST_ANCESTORS && pid > 1; i++, pid = omptape_process_parent(pid)) {
        omptape_process_read(pid, "comm", name, sizeof(name));
        if (strncmp(name, "hydra_", strlen("hydra_")) != 0)
            continue;
        size_t length = omptape_process_read(pid, "cmdline", command, sizeof(command));
        return omptape_hydra_port_of(command, length, port, bytes);
    }
    return -ENOENT;
}
