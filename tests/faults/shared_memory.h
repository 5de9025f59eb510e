/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the memory that a traced program shares with its writer, for test programs that overwrite it
 * (scribble.c, tests/adversary/renounce.c).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The writable memory that is shared with the writer; the header is at its beginning. NULL: there is none. */
static inline char *find_shared(size_t *bytes)
{
    char line[1024];
    char *found = NULL;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && found == NULL && fgets(line, sizeof(line), maps) != NULL) {
        unsigned long begin;
        unsigned long end;
        if (strstr(line, "rw-s 00000000") != NULL && strstr(line, "/memfd:omptape") != NULL &&
            sscanf(line, "%lx-%lx", &begin, &end) == 2) {
            found = (char *)(uintptr_t)begin;
            *bytes = end - begin;
        }
    }
    if (maps != NULL)
        fclose(maps);
    return found;
}
