/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends requests to the writer of a running program (include/omptape/requests.h). Finds writers by their name
 * and argument in /proc, sends the request as a signal, and receives the answer through a pipe or a socket.
 * Called by the command, on one thread.
 */
#pragma once

#include "src/core/hash.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Parses a process number; returns 0 if `text` is not one. */
pid_t omptape_parse_pid(const char *text);

/* A writer that accepts requests, and the program that it traces. */
struct omptape_writer_found {
    pid_t writer;
    pid_t program;
};

/* A search of /proc for writers. It may be repeated, and does not look again at processes that two searches
 * have seen: a process becomes a writer right after its begin. Initialised with zeros. */
struct omptape_writer_search {
    DIR *proc;
    struct omptape_hash others; /* by the inode in /proc: how many searches saw that it is no writer */
    struct omptape_hash before; /* the same of the search before */
};
void omptape_writer_search_begin(struct omptape_writer_search *search);
/* Returns the next writer that handles `signal` and is trusted. False at the end. */
bool omptape_writer_search_next(struct omptape_writer_search *search, int signal,
                                struct omptape_writer_found *found);
void omptape_writer_search_end(struct omptape_writer_search *search);
void omptape_writer_search_free(struct omptape_writer_search *search);

/* The first of the programs that are traced, as a part of a message; begins as zeros. */
struct omptape_traced {
    unsigned count;
    char text[128]; /* " (these are traced: 10, 11)" or "" */
};
void omptape_traced_add(struct omptape_traced *traced, pid_t program);

/* Returns the effective user of a process, or the caller's if the process has ended. */
uid_t omptape_process_user(pid_t process);

/* A request and the channel of its answer. */
struct omptape_writer_call {
    pid_t writer;
    uid_t user; /* the writer's */
    int fd;     /* becomes readable when the answer begins or the writer has gone */
    int other;  /* the pipe's write end; -1 if `fd` is a socket, listening or connected */
    bool is_socket;
};

/* Sends the request. Returns 0; -ESRCH if the writer has ended, also if another process has its number now;
 * or another negative errno. The caller must end the call in all cases. */
int omptape_writer_call(struct omptape_writer_call *call, const struct omptape_writer_found *found,
                        int signal);
/* Accepts the answer after `fd` has become readable; `fd` is the answer's then. Returns 0, -EAGAIN if there
 * is no answer yet, or another negative errno. */
int omptape_writer_call_accept(struct omptape_writer_call *call);
void omptape_writer_call_end(struct omptape_writer_call *call);
