/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements writer_call.h on /proc, signals, pipes and Unix sockets.
 */
#include "src/job/writer_call.h"

#include "src/core/process_stat.h"
#include "src/folder/beneath.h"
#include "src/job/process.h"
#include <errno.h>
#include <omptape/requests.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

pid_t omptape_parse_pid(const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && *text != '\0' && *end == '\0' && value > 0 && value < INT32_MAX ? (pid_t)value : 0;
}

/* Returns true if the writer has installed its signal handler: before, the signal would kill it. */
static bool takes_requests(pid_t writer, int signal)
{
    static const char key[] = "SigBlk:";
    char text[4096];
    (void)omptape_process_read(writer, "status", text, sizeof(text));
    const char *line = strstr(text, key);
    uint64_t blocked = line != NULL ? strtoull(line + strlen(key), NULL, 16) : 0;
    return (blocked >> (signal - 1) & 1) != 0;
}

/* Returns true for a child that a writer has just forked: it still has the writer's name and command line. */
static bool is_child_of_writer(pid_t process)
{
    struct omptape_process_stat stat;
    return omptape_process_stat_of(process, &stat) == 0 && omptape_process_is_writer(stat.parent);
}

/* Returns the process number of the program that `writer` traces; 0 if `writer` is not a writer. */
static pid_t program_of(pid_t writer, int signal)
{
    char text[256];
    if (!omptape_process_is_writer(writer) || is_child_of_writer(writer))
        return 0;
    size_t length = omptape_process_read(writer, "cmdline", text, sizeof(text));
    const char *argument = memchr(text, '\0', length);
    pid_t program = argument != NULL ? omptape_parse_pid(argument + 1) : 0;
    return program != 0 && takes_requests(writer, signal) ? program : 0;
}

uid_t omptape_process_user(pid_t process)
{
    char text[4096];
    unsigned user;
    (void)omptape_process_read(process, "status", text, sizeof(text));
    const char *line = strstr(text, "\nUid:");
    /* "Uid:" lists the real, then the effective user. */
    return line != NULL && sscanf(line, " Uid: %*u %u", &user) == 1 ? (uid_t)user : geteuid();
}

/* True if the process is a writer that the caller may trust, as any process can have its name. A writer runs
 * as the user who started the program; a program started by root may have changed its user since. */
static bool is_trusted(pid_t writer, pid_t program)
{
    const uid_t user = omptape_process_user(writer);
    return user == omptape_process_user(program) || user == 0 || user == geteuid();
}

void omptape_writer_search_begin(struct omptape_writer_search *search)
{
    omptape_hash_free(&search->before);
    search->before = search->others;
    search->others = (struct omptape_hash){.entries = NULL};
    search->proc = opendir("/proc");
}

/* Returns true if the process is known to be no writer. The kernel gives each process another inode in /proc,
 * also if it has the number of a former one. */
static bool is_other(struct omptape_writer_search *search, pid_t process, ino_t inode)
{
    enum { ENOUGH = 2 };
    const struct omptape_hash_entry *known = omptape_hash_next(&search->before, inode, NULL);
    const uint64_t times = known != NULL ? known->number : 0;
    if (times < ENOUGH && omptape_process_is_writer(process))
        return false;
    (void)omptape_hash_join(&search->others, inode, times < ENOUGH ? times + 1 : times);
    return true;
}

bool omptape_writer_search_next(struct omptape_writer_search *search, int signal,
                                struct omptape_writer_found *found)
{
    const struct dirent *entry;
    while (search->proc != NULL && (entry = readdir(search->proc)) != NULL) {
        found->writer = omptape_parse_pid(entry->d_name);
        if (found->writer <= 0 || is_other(search, found->writer, entry->d_ino))
            continue;
        found->program = program_of(found->writer, signal);
        if (found->program != 0 && is_trusted(found->writer, found->program))
            return true;
    }
    return false;
}

void omptape_writer_search_end(struct omptape_writer_search *search)
{
    omptape_close_list(search->proc);
    search->proc = NULL;
}

void omptape_writer_search_free(struct omptape_writer_search *search)
{
    omptape_hash_free(&search->others);
    omptape_hash_free(&search->before);
}

void omptape_traced_add(struct omptape_traced *traced, pid_t program)
{
    enum { LISTED = 8 };
    const size_t used = traced->count > 0 ? strlen(traced->text) - strlen(")") : 0;
    if (traced->count >= LISTED)
        return;
    (void)snprintf(traced->text + used, sizeof(traced->text) - used, "%s%d)",
                   traced->count++ > 0 ? ", " : " (these are traced: ", (int)program);
}

static int open_pipe(struct omptape_writer_call *call, int *value)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -errno;
    call->fd = ends[0];
    call->other = ends[1];
    *value = ends[1];
    return 0;
}

/* Opens a listening socket with a name of the kernel's. Used by root, whose pipe the writer's user cannot
 * open. */
static int open_socket(struct omptape_writer_call *call, int *value)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t bytes = sizeof(name);
    unsigned number;
    call->is_socket = true;
    call->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (call->fd < 0 || bind(call->fd, (const struct sockaddr *)&name, sizeof(name.sun_family)) != 0 ||
        listen(call->fd, SOMAXCONN) != 0 || getsockname(call->fd, (struct sockaddr *)&name, &bytes) != 0)
        return -errno;
    name.sun_path[sizeof(name.sun_path) - 1] = '\0';
    if (sscanf(name.sun_path + 1, "%5x", &number) != 1)
        return -EAFNOSUPPORT;
    *value = OMPTAPE_REQUEST_SOCKET - (int)number;
    return 0;
}

/* Returns a descriptor of the process, or negative errno. */
static int open_process(pid_t process)
{
#ifdef SYS_pidfd_open
    const int fd = (int)syscall(SYS_pidfd_open, process, 0);
    return fd >= 0 ? fd : -errno;
#else
    (void)process;
    return -ENOSYS;
#endif
}

/* Sends the signal to the process behind `process_fd`. By its number only where the kernel has no such calls,
 * as before 5.3, or a filter forbids them. */
static int queue_signal(pid_t process, int process_fd, int signal, int value)
{
    siginfo_t information = {.si_signo = signal, .si_code = SI_QUEUE};
    int error = process_fd;
    information.si_pid = getpid();
    information.si_uid = getuid();
    information.si_value.sival_int = value;
#ifdef SYS_pidfd_open
    if (process_fd >= 0)
        error = syscall(SYS_pidfd_send_signal, process_fd, signal, &information, 0) == 0 ? 0 : -errno;
#endif
    if (error != -ENOSYS && error != -EPERM)
        return error;
    return sigqueue(process, signal, information.si_value) == 0 ? 0 : -errno;
}

/* Sends the signal if the process is still the writer that was found. Another process may have its number by
 * now, and the signal would kill it. */
static int send_request(const struct omptape_writer_found *found, int signal, int value)
{
    const int process = open_process(found->writer);
    int error = -ESRCH;
    if (program_of(found->writer, signal) == found->program && is_trusted(found->writer, found->program))
        error = queue_signal(found->writer, process, signal, value);
    if (process >= 0)
        (void)close(process);
    return error;
}

int omptape_writer_call(struct omptape_writer_call *call, const struct omptape_writer_found *found,
                        int signal)
{
    int value = 0;
    *call = (struct omptape_writer_call){
        .writer = found->writer, .user = omptape_process_user(found->writer), .fd = -1, .other = -1};
    const int error = call->user == geteuid() ? open_pipe(call, &value) : open_socket(call, &value);
    return error == 0 ? send_request(found, signal, value) : error;
}

/* Accepts a connection of the writer's user; rejects all others. */
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

int omptape_writer_call_accept(struct omptape_writer_call *call)
{
    if (!call->is_socket) {
        /* The reader sees the end of the answer only when no write end is left here. */
        if (call->other >= 0)
            (void)close(call->other);
        call->other = -1;
        return 0;
    }
    int fd = accept_from(call->fd, call->user);
    if (fd < 0)
        return -EAGAIN;
    (void)close(call->fd);
    call->fd = fd;
    call->is_socket = false;
    return 0;
}

void omptape_writer_call_end(struct omptape_writer_call *call)
{
    if (call->fd >= 0)
        (void)close(call->fd);
    if (call->other >= 0)
        (void)close(call->other);
    call->fd = -1;
    call->other = -1;
}
