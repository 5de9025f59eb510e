/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts the omptape command for a unification: a process of its own, so that whatever a damaged part does to
 * it leaves the caller alone. Called by the writer's main thread and by the command.
 */
#include "src/core/job_unify.h"

#include <errno.h>
#include <fcntl.h>
#include <omptape/shm.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The exit status if there is an archive, but not of all ranks (src/command/unify.c): a rank may never have
 * used OpenMP. */
enum { LEFT_OUT = 1 };

/* This program, if it is the command; else the command beside the writer's folder. */
static int find_command(char *path, size_t bytes)
{
    char own[OMPTAPE_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
    own[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(own, '/');
    if (slash == NULL)
        return -ENOENT;
    int n = strcmp(slash, "/omptape") == 0
                ? snprintf(path, bytes, "%s", own)
                : snprintf(path, bytes, "%.*s/" OMPTAPE_LIBEXEC_TO_BIN "/omptape", (int)(slash - own), own);
    return n > 0 && (size_t)n < bytes ? 0 : -ENAMETOOLONG;
}

static void become_command(const char *command, const char *folder)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
    execl(command, "omptape", "unify", folder, (char *)NULL);
    _exit(127);
}

int omptape_job_unify(void *context, const char *folder)
{
    char command[OMPTAPE_PATH_BYTES];
    int status = 0;
    (void)context;
    int error = find_command(command, sizeof(command));
    pid_t child = error == 0 ? fork() : 0;
    if (error != 0 || child < 0)
        return error != 0 ? error : -errno;
    if (child == 0)
        become_command(command, folder);
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return -errno;
    }
    if (!WIFEXITED(status))
        return -EINTR;
    return WEXITSTATUS(status) == LEFT_OUT ? 0 : WEXITSTATUS(status);
}
