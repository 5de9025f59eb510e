/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads files of /proc. Called by whoever looks for writers: children.c and snapshot.c, on the command's one
 * thread.
 */
#include "src/command/run/process.h"

#include <stdio.h>
#include <string.h>

static const char writer_name[] = "omptape-writer";

size_t omptape_process_read(pid_t pid, const char *name, char *text, size_t bytes)
{
    char path[64];
    size_t length = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        length = fread(text, 1, bytes - 1, file);
        (void)fclose(file);
    }
    text[length] = '\0';
    return length;
}

bool omptape_process_is_writer(pid_t pid)
{
    char text[64];

    (void)omptape_process_read(pid, "comm", text, sizeof(text));
    text[strcspn(text, "\n")] = '\0';
    return strcmp(text, writer_name) == 0;
}
