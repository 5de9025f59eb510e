/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape snapshot PID`: has the writer of a running program save what its flight recorder holds. Called by
 * main.c; finds the writer by its name and argument in /proc, asks by a signal and reads the answer from a
 * pipe or a socket (include/omptape/requests.h).
 */
#include "src/command/command.h"
#include "src/command/text/usage.h"
#include "src/core/message.h"
#include "src/core/process_stat.h"
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/job/process.h"
#include <omptape/requests.h>

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, ANSWER_BYTES = 8192, MOST_LISTED = 8 };
/* A large buffer on a slow file system takes its time. */
enum { LOOK_MS = 200, MOST_LOOKS = 600 };

static const char USAGE[] = "Usage: omptape snapshot PID\n"
                            "\n"
                            "Has the flight recorder of a running program (omptape --when-full=overwrite)\n"
                            "saved, and prints the path of the archive. The recording goes on meanwhile.\n"
                            "\n"
                            "Exit code: 0, 1 if there is nothing to save or it cannot be saved, 2 if the\n"
                            "command line is wrong.\n";

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

/* What a writer has just forked, for a snapshot or to look something up, still has its name and its command
 * line. */
static bool is_child_of_writer(pid_t process)
{
    struct omptape_process_stat stat;
    return omptape_process_stat_of(process, &stat) == 0 && omptape_process_is_writer(stat.parent);
}

/* The traced program's process number if this process is its writer, else 0. */
static pid_t program_of(pid_t writer)
{
    char text[256];
    if (!omptape_process_is_writer(writer) || is_child_of_writer(writer))
        return 0;
    size_t length = omptape_process_read(writer, "cmdline", text, sizeof(text));
    const char *argument = memchr(text, '\0', length);
    pid_t program = argument != NULL ? parse_pid(argument + 1) : 0;
    return program != 0 && takes_requests(writer) ? program : 0;
}

static uid_t user_of(pid_t process)
{
    char text[4096];
    unsigned user;
    (void)omptape_process_read(process, "status", text, sizeof(text));
    const char *line = strstr(text, "\nUid:");
    /* The real one, then the effective one. */
    return line != NULL && sscanf(line, " Uid: %*u %u", &user) == 1 ? (uid_t)user : geteuid();
}

/* Anybody's process can be named so. A writer has the user that the program began with, which the program may
 * have left since if that was root. */
static bool is_trusted(pid_t writer, pid_t program)
{
    const uid_t user = user_of(writer);
    return user == user_of(program) || user == 0 || user == geteuid();
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
        if (traced == 0 || !is_trusted(pid, traced))
            continue;
        if (traced == program) {
            writer = pid;
        } else if (listed++ < MOST_LISTED) {
            int n = snprintf(others + used, bytes - used, "%s%d", used > 0 ? ", " : "", (int)traced);
            used += n > 0 && (size_t)n < bytes - used ? (size_t)n : 0;
        }
    }
    if (proc != NULL)
        (void)closedir(proc);
    return writer;
}

/* Where the answer comes. */
struct answer_place {
    int fd;    /* a pipe's end, or a socket that listens */
    int other; /* the pipe's other end, or -1 */
    int value; /* for the writer */
};

static void close_place(const struct answer_place *place)
{
    if (place->fd >= 0)
        (void)close(place->fd);
    if (place->other >= 0)
        (void)close(place->other);
}

static int open_pipe(struct answer_place *place)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -errno;
    *place = (struct answer_place){.fd = ends[0], .other = ends[1], .value = ends[1]};
    return 0;
}

/* For root, whose descriptors the writer's user cannot open: at a name that the kernel chooses. */
static int open_socket(struct answer_place *place)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t bytes = sizeof(name);
    unsigned number;
    *place = (struct answer_place){.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), .other = -1};
    if (place->fd < 0 || bind(place->fd, (const struct sockaddr *)&name, sizeof(name.sun_family)) != 0 ||
        listen(place->fd, SOMAXCONN) != 0 || getsockname(place->fd, (struct sockaddr *)&name, &bytes) != 0)
        return -errno;
    name.sun_path[sizeof(name.sun_path) - 1] = '\0';
    if (sscanf(name.sun_path + 1, "%5x", &number) != 1)
        return -EAFNOSUPPORT;
    place->value = OMPTAPE_REQUEST_SOCKET - (int)number;
    return 0;
}

/* Whoever calls must be the writer's user. */
static int accept_from(int listening, uid_t user)
{
    struct ucred who;
    socklen_t bytes = sizeof(who);
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 && who.uid == user)
        return fd;
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

static bool is_ready(int fd, int ms)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    int ready;
    do {
        ready = poll(&look, 1, ms);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/* Until something comes, or the writer is gone. The descriptor to read the answer from, or negative errno. */
static int wait_for_answer(const struct answer_place *place, pid_t writer, uid_t user)
{
    struct omptape_process_silence silence = {.activity = 0};
    for (int i = 0; i < MOST_LOOKS; i++) {
        bool alive = kill(writer, 0) == 0;
        if (omptape_process_is_silent(&silence, omptape_process_activity(writer)))
            break;
        /* It may have answered in its last moment. */
        bool ready = is_ready(place->fd, alive ? LOOK_MS : 0);
        int fd = !ready ? -1 : place->other >= 0 ? dup(place->fd) : accept_from(place->fd, user);
        if (fd >= 0)
            return fd;
        if (!alive)
            return -ESRCH;
    }
    return -ETIMEDOUT;
}

/* The writer's line; its length, or negative errno. */
static ssize_t read_answer(int fd, char *answer, size_t bytes)
{
    ssize_t n = is_ready(fd, LOOK_MS * MOST_LOOKS) ? read(fd, answer, bytes - 1) : 0;
    if (n < 0)
        return -errno;
    answer[n] = '\0';
    answer[strcspn(answer, "\n")] = '\0';
    return n;
}

static ssize_t get_answer(pid_t writer, uid_t user, char *answer, size_t bytes)
{
    struct answer_place place = {.fd = -1, .other = -1};
    int error = user == geteuid() ? open_pipe(&place) : open_socket(&place);
    if (error != 0) {
        close_place(&place);
        return error;
    }
    const union sigval value = {.sival_int = place.value};
    int fd =
        sigqueue(writer, OMPTAPE_REQUEST_SIGNAL, value) == 0 ? wait_for_answer(&place, writer, user) : -errno;
    ssize_t length = fd >= 0 ? read_answer(fd, answer, bytes) : fd;
    if (fd >= 0)
        (void)close(fd);
    close_place(&place);
    return length;
}

static int ask_writer(pid_t program, pid_t writer)
{
    char answer[ANSWER_BYTES];
    char quoted[ANSWER_BYTES];
    const uid_t user = user_of(writer);
    ssize_t length = get_answer(writer, user, answer, sizeof(answer));
    if (length < 0) {
        omptape_message("snapshot: the writer of process %d (process %d) gave no answer: %s", (int)program,
                        (int)writer, strerror((int)-length));
        return EXIT_FAILED;
    }
    if (strncmp(answer, "trace=", strlen("trace=")) == 0) {
        const char *path = answer + strlen("trace=");
        /* Another user's may be made to be seen by a terminal. */
        printf("%s/" OMPTAPE_ARCHIVE_ANCHOR "\n",
               user == geteuid() ? path : omptape_path_quote(path, quoted, sizeof(quoted)));
        return 0;
    }
    const char *problem =
        strncmp(answer, "error=", strlen("error=")) == 0 ? answer + strlen("error=") : answer;
    omptape_message("snapshot of process %d: %s", (int)program, problem);
    return EXIT_FAILED;
}

int omptape_command_snapshot(int argc, char **argv)
{
    const struct omptape_usage usage = {.command = "snapshot", .help = USAGE, .operand = "process"};
    char others[256];
    const char *word;
    int parsed = omptape_usage_parse(&usage, argc, argv, &word);
    if (parsed != 0)
        return parsed > 0 ? 0 : EXIT_USAGE;
    pid_t program = parse_pid(word);
    if (program == 0) {
        omptape_message("snapshot: %s is no process number (omptape snapshot --help shows how)", word);
        return EXIT_USAGE;
    }
    pid_t writer = find_writer(program, others, sizeof(others));
    if (writer == 0) {
        omptape_message("snapshot: process %d is not being traced%s%s%s", (int)program,
                        others[0] != '\0' ? " (these are: " : "", others, others[0] != '\0' ? ")" : "");
        return EXIT_FAILED;
    }
    return ask_writer(program, writer);
}
