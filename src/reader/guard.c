/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The child process that reads an archive for check and info (guard.h). The parent waits,
 * passes the output on and puts a crash into words; both sides run on the command's only thread.
 */
#include "src/reader/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ERROR_BYTES = 1024, POLL_FIRST_NS = 100000, POLL_LAST_NS = 20000000, PATIENCE_SECONDS = 300 };

/* Shared by the two processes. */
struct channel {
    volatile uint64_t progress;
    int exit_code;
    bool finished;
    char error[ERROR_BYTES];
};

/* The child must neither print, nor leave a core file, nor outlive the command. */
static void restrain(pid_t parent)
{
    struct rlimit none = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(OMPTAPE_EXIT_ERROR);
    setrlimit(RLIMIT_CORE, &none);
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    setenv("LIBC_FATAL_STDERR_", "1", 1); /* or an old glibc prints to the terminal */
}

static void work_in_child(struct channel *channel, int output, omptape_reader_work *work, void *data)
{
    FILE *out = fdopen(output, "w");
    if (out == NULL)
        _exit(OMPTAPE_EXIT_ERROR);
    channel->exit_code = work(data, out, channel->error, sizeof(channel->error), &channel->progress);
    if (fflush(out) != 0 && channel->exit_code != OMPTAPE_EXIT_ERROR) {
        snprintf(channel->error, sizeof(channel->error), "cannot keep the output: %s", strerror(errno));
        channel->exit_code = OMPTAPE_EXIT_ERROR;
    }
    channel->finished = true;
    _exit(OMPTAPE_EXIT_OK);
}

/* Waits for the child; kills it when it makes no progress. Returns its wait status, or -1: killed for that.
 */
static int wait_for(pid_t child, const struct channel *channel)
{
    uint64_t seen = 0;
    struct timespec pause = {.tv_nsec = POLL_FIRST_NS};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    time_t since = now.tv_sec;
    for (;;) {
        int status = 0;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return status;
        if (ended < 0 && errno != EINTR)
            return 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (channel->progress != seen) {
            seen = channel->progress;
            since = now.tv_sec;
        } else if (now.tv_sec - since > PATIENCE_SECONDS) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < POLL_LAST_NS)
            pause.tv_nsec *= 2;
    }
}

/* Copies what the child printed. */
static void pass_on(int output)
{
    char buffer[8192];
    off_t offset = 0;
    for (ssize_t got = pread(output, buffer, sizeof(buffer), offset); got > 0;
         got = pread(output, buffer, sizeof(buffer), offset)) {
        fwrite(buffer, 1, (size_t)got, stdout);
        offset += got;
    }
}

/* One line, whatever libotf2 or a name in the file brought. */
static void complain(const char *command, const char *path, const char *error)
{
    fprintf(stderr, "omptape %s: %s: ", command, path);
    for (const char *at = error; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        fputc(byte < ' ' || byte == 127 ? ' ' : byte, stderr);
    }
    fputc('\n', stderr);
}

static int report(const char *command, const char *path, const struct channel *channel, int status)
{
    char line[ERROR_BYTES];
    if (channel->finished) {
        if (channel->exit_code == OMPTAPE_EXIT_ERROR)
            complain(command, path, channel->error);
        return channel->exit_code;
    }
    if (status == -1) {
        snprintf(line, sizeof(line), "damaged archive: reading it makes no progress");
    } else if (WIFSIGNALED(status)) {
        snprintf(line, sizeof(line), "damaged archive: the OTF2 library crashed reading it (%s)",
                 strsignal(WTERMSIG(status)));
    } else {
        snprintf(line, sizeof(line), "damaged archive: the OTF2 library gave up reading it");
    }
    complain(command, path, line);
    return OMPTAPE_EXIT_ERROR;
}

int omptape_reader_guard(const char *command, const char *path, omptape_reader_work *work, void *data)
{
    int code = OMPTAPE_EXIT_ERROR;
    int output = memfd_create("omptape-output", MFD_CLOEXEC);
    struct channel *channel =
        mmap(NULL, sizeof(*channel), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (output < 0 || channel == MAP_FAILED) {
        complain(command, path, strerror(errno));
        goto out;
    }
    fflush(NULL); /* or the child would print it again */
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        restrain(parent);
        work_in_child(channel, output, work, data);
    }
    if (child < 0) {
        complain(command, path, strerror(errno));
        goto out;
    }
    int status = wait_for(child, channel);
    pass_on(output);
    code = report(command, path, channel, status);
    if (fflush(stdout) != 0) {
        fprintf(stderr, "omptape %s: cannot write the output: %s\n", command, strerror(errno));
        code = OMPTAPE_EXIT_ERROR;
    }
out:
    if (channel != MAP_FAILED)
        munmap(channel, sizeof(*channel));
    if (output >= 0)
        close(output);
    return code;
}
