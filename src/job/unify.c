/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the omptape command as a child process, so that a damaged process archive cannot crash the caller.
 * Called by the writer's main thread and by the command.
 */
#include "src/job/unify.h"

#include "src/core/words.h"
#include "src/job/process.h"

#include <errno.h>
#include <fcntl.h>
#include <omptape/shm.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit statuses of src/command/unify.c. LEFT_OUT: unified without some ranks, which may never have used
 * OpenMP. BUSY: another process is unifying. */
enum { LEFT_OUT = 1, BUSY = 3 };
enum { WAIT_MS = 20, MAX_WAITS = 500 };

/* Finds the command: this executable, or the one of the writer's installation. */
static int find_command(char *path, size_t bytes)
{
    char own[OMPTAPE_PATH_BYTES];
    if (!omptape_process_own_path(own, sizeof(own)))
        return -ENOENT;
    const char *slash = strrchr(own, '/');
    int n = strcmp(slash, "/omptape") == 0
                ? snprintf(path, bytes, "%s", own)
                : snprintf(path, bytes, "%.*s/" OMPTAPE_LIBEXEC_TO_BIN "/omptape", (int)(slash - own), own);
    return n > 0 && (size_t)n < bytes ? 0 : -ENAMETOOLONG;
}

static void become_command(const char *command, const char *folder, int output)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd < 2; fd++)
        dup2(null, fd);
    dup2(output, 2);
    execl(command, "omptape", "unify", "--quiet", folder, (char *)NULL);
    _exit(127);
}

/* Keeps the lines that begin with "omptape: ", truncated to what fits. */
static void keep_lines(struct omptape_job_lines *lines, char *text)
{
    char *rest = NULL;
    lines->text[0] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        size_t used = strlen(lines->text);
        const char *first = omptape_text_after(line, "omptape: ");
        if (first != NULL)
            snprintf(lines->text + used, sizeof(lines->text) - used, "%s%s", used > 0 ? "\n" : "",
                     used > 0 ? line : first);
    }
}

static void read_lines(int file, struct omptape_job_lines *lines)
{
    char text[4096];
    const ssize_t n = pread(file, text, sizeof(text) - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    keep_lines(lines, text);
}

/* Runs the command. Returns its exit status, or negative errno. */
static int run_unify(const char *command, const char *folder, struct omptape_job_lines *lines)
{
    int status = 0;
    const int output = memfd_create("omptape-lines", MFD_CLOEXEC);
    if (output < 0)
        return -errno;
    const pid_t child = fork();
    if (child == 0)
        become_command(command, folder, output);
    const int result = child > 0 ? omptape_process_await(child, &status) : -EAGAIN;
    if (result == 0)
        read_lines(output, lines);
    close(output);
    if (result != 0)
        return result;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

/* Notes which archive is in the folder. Returns true if it is the one that was noted before. */
static bool note_archive(struct omptape_job_lines *lines, const char *folder)
{
    char path[OMPTAPE_PATH_BYTES + sizeof("/traces.otf2")];
    const struct omptape_job_lines before = *lines;
    struct stat status = {.st_ino = 0};
    snprintf(path, sizeof(path), "%s/traces.otf2", folder);
    (void)lstat(path, &status);
    lines->inode = status.st_ino;
    lines->changed = status.st_ctim;
    return lines->inode == before.inode && lines->changed.tv_sec == before.changed.tv_sec &&
           lines->changed.tv_nsec == before.changed.tv_nsec;
}

int omptape_job_unify(void *context, const char *folder)
{
    char command[OMPTAPE_PATH_BYTES];
    struct omptape_job_lines own = {.asked = false};
    struct omptape_job_lines *lines = context != NULL ? context : &own;
    int result = find_command(command, sizeof(command));
    if (result != 0)
        return result;
    result = run_unify(command, folder, lines);
    /* What an earlier unification said is out of date once another process unifies. */
    lines->asked = result != BUSY;
    (void)note_archive(lines, folder);
    if (result == BUSY) {
        lines->text[0] = '\0';
        return -EBUSY;
    }
    return result == LEFT_OUT ? 0 : result;
}

void omptape_job_unify_ask(struct omptape_job_lines *lines, const char *folder)
{
    static const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000L};
    lines->asked = lines->asked && note_archive(lines, folder);
    for (int i = 0; !lines->asked && omptape_job_unify(lines, folder) == -EBUSY && i < MAX_WAITS; i++)
        nanosleep(&pause, NULL);
}
