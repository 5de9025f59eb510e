/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape snapshot PID`: has the writer of a running program save what its flight recorder holds. Called by
 * main.c; finds the writer by its name and argument in /proc, asks by a signal and reads the answer from a
 * pipe.
 */
#include "src/command/command.h"
#include "src/command/process.h"
#include "src/core/message.h"
#include "writers/requests.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, ANSWER_BYTES = 8192, MOST_LISTED = 8 };
/* A large buffer on a slow file system takes its time. */
enum { LOOK_MS = 200, MOST_LOOKS = 600 };

static pid_t parse_pid(const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && *text != '\0' && *end == '\0' && value > 0 && value < INT32_MAX ? (pid_t)value : 0;
}

/* Has it come so far that a request does not end it? */
static bool takes_requests(pid_t writer)
{
    static const char key[] = "SigBlk:";
    char text[4096];
    (void)omptape_process_read(writer, "status", text, sizeof(text));
    const char *line = strstr(text, key);
    uint64_t blocked = line != NULL ? strtoull(line + strlen(key), NULL, 16) : 0;
    return (blocked >> (OMPTAPE_REQUEST_SIGNAL - 1) & 1) != 0;
}

/* The traced program's process number if this process is its writer, else 0. */
static pid_t program_of(pid_t writer)
{
    char text[256];
    if (!omptape_process_is_writer(writer))
        return 0;
    size_t length = omptape_process_read(writer, "cmdline", text, sizeof(text));
    const char *argument = memchr(text, '\0', length);
    pid_t program = argument != NULL ? parse_pid(argument + 1) : 0;
    return program != 0 && takes_requests(writer) ? program : 0;
}

/* The writer of `program`, 0 if there is none. Lists in `others` the programs that have one. */
static pid_t find_writer(pid_t program, char *others, size_t bytes)
{
    pid_t writer = 0;
    size_t used = 0;
    unsigned listed = 0;
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    others[0] = '\0';
    while (proc != NULL && writer == 0 && (entry = readdir(proc)) != NULL) {
        pid_t pid = parse_pid(entry->d_name);
        pid_t traced = pid > 0 ? program_of(pid) : 0;
        if (traced == program && traced != 0) {
            writer = pid;
        } else if (traced != 0 && listed++ < MOST_LISTED) {
            int n = snprintf(others + used, bytes - used, "%s%d", used > 0 ? ", " : "", (int)traced);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    if (proc != NULL)
        (void)closedir(proc);
    return writer;
}

/* The writer's line; its length, or negative errno. */
static ssize_t wait_for_answer(int fd, pid_t writer, char *answer, size_t bytes)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    int ready = 0;
    for (int i = 0; i < MOST_LOOKS && ready == 0 && kill(writer, 0) == 0; i++) {
        do {
            ready = poll(&look, 1, LOOK_MS);
        } while (ready < 0 && errno == EINTR);
    }
    /* It may have answered in its last moment. */
    if (ready == 0)
        ready = poll(&look, 1, 0);
    if (ready <= 0)
        return kill(writer, 0) == 0 ? -ETIMEDOUT : -ESRCH;
    ssize_t n = read(fd, answer, bytes - 1);
    if (n < 0)
        return -errno;
    answer[n] = '\0';
    answer[strcspn(answer, "\n")] = '\0';
    return n;
}

static int ask(pid_t program, pid_t writer)
{
    int ends[2];
    char answer[ANSWER_BYTES];
    if (pipe(ends) != 0) {
        omptape_message("snapshot: %s", strerror(errno));
        return EXIT_FAILED;
    }
    const union sigval value = {.sival_int = ends[1]};
    int error = sigqueue(writer, OMPTAPE_REQUEST_SIGNAL, value) == 0 ? 0 : errno;
    ssize_t length = error == 0 ? wait_for_answer(ends[0], writer, answer, sizeof(answer)) : -error;
    (void)close(ends[0]);
    (void)close(ends[1]);
    if (length < 0) {
        omptape_message("snapshot: the writer of process %d (process %d) gave no answer: %s", (int)program,
                        (int)writer, strerror((int)-length));
        return EXIT_FAILED;
    }
    if (strncmp(answer, "trace=", strlen("trace=")) == 0) {
        printf("%s/trace.otf2\n", answer + strlen("trace="));
        return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
    }
    const char *problem =
        strncmp(answer, "error=", strlen("error=")) == 0 ? answer + strlen("error=") : answer;
    omptape_message("snapshot of process %d: %s", (int)program, problem);
    return EXIT_FAILED;
}

int omptape_command_snapshot(int argc, char **argv)
{
    char others[256];
    pid_t program = argc == 2 ? parse_pid(argv[1]) : 0;
    if (program == 0) {
        omptape_message("usage: omptape snapshot PID (a process that omptape --when-full=overwrite records)");
        return EXIT_USAGE;
    }
    pid_t writer = find_writer(program, others, sizeof(others));
    if (writer == 0) {
        omptape_message("snapshot: process %d is not being traced%s%s%s", (int)program,
                        others[0] != '\0' ? " (these are: " : "", others, others[0] != '\0' ? ")" : "");
        return EXIT_FAILED;
    }
    return ask(program, writer);
}
