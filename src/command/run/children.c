/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks after the children that the kernel hands to the command. Called by its one thread whenever SIGCHLD
 * arrives.
 */
#include "src/command/run/children.h"

#include "src/command/run/process.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void tend_one(pid_t child, pid_t program, struct omptape_children *children)
{
    if (child == program || waitpid(child, NULL, WNOHANG | __WALL) != 0)
        return;
    if (omptape_process_is_writer(child))
        children->writers++;
    else
        children->others++;
}

/* For kernels without /proc/.../children (CONFIG_PROC_CHILDREN). */
static void tend_by_search(pid_t program, struct omptape_children *children)
{
    struct dirent *entry;
    DIR *proc = opendir("/proc");

    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        char text[512];
        int parent;
        int pid = atoi(entry->d_name);
        if (pid <= 0)
            continue;
        (void)omptape_process_read(pid, "stat", text, sizeof(text));
        const char *after_name = strrchr(text, ')');
        if (after_name != NULL && sscanf(after_name, ") %*c %d", &parent) == 1 && parent == (int)getpid())
            tend_one(pid, program, children);
    }
    if (proc != NULL)
        closedir(proc);
}

void omptape_children_tend(pid_t program, struct omptape_children *children)
{
    char path[64];
    int pid;

    *children = (struct omptape_children){0};
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    FILE *list = fopen(path, "re");
    if (list == NULL) {
        tend_by_search(program, children);
        return;
    }
    while (fscanf(list, "%d", &pid) == 1)
        tend_one(pid, program, children);
    fclose(list);
}
