/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to the writer of a running program (include/omptape/requests.h), as whoever asks makes them. It
 * finds writers by their name and argument in /proc, and asks by a signal. The answer comes to a pipe or a
 * socket. For the command; one thread.
 */
#ifndef OMPTAPE_JOB_WRITER_CALL_H
#define OMPTAPE_JOB_WRITER_CALL_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A process number; 0: it is none. */
pid_t omptape_parse_pid(const char *text);

/* A writer that takes this signal, and the program that it traces. */
struct omptape_writer_found {
    pid_t writer;
    pid_t program;
};

/* The next one in a list of /proc that takes the signal and that the caller may trust. False: no more. */
bool omptape_writers_next(DIR *proc, int signal, struct omptape_writer_found *found);

/* The user of a process, the caller's if it is gone. */
uid_t omptape_process_user(pid_t process);

/* A request, and where its answer comes. */
struct omptape_writer_call {
    pid_t writer;
    uid_t user; /* the writer's */
    int fd;     /* readable once the answer begins, or is known not to come */
    int other;  /* the pipe's other end, or -1: `fd` is a socket that listens, or the answer's */
    bool is_socket;
};

/* 0 or negative errno. The call is to be ended in either case. */
int omptape_writer_call(struct omptape_writer_call *call, pid_t writer, int signal);
/* `fd` is readable: it is the answer's from now on. 0; -EAGAIN: not yet; or another negative errno. */
int omptape_writer_call_accept(struct omptape_writer_call *call);
void omptape_writer_call_end(struct omptape_writer_call *call);

#endif
