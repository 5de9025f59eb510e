/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Watches the traced process from a thread of its own: notices its end, however it comes, and an exec; and
 * beats the heart by which the program knows that the writer lives.
 */
#ifndef OMPTAPE_WRITERS_WATCH_H
#define OMPTAPE_WRITERS_WATCH_H

#include <omptape/shm.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct omptape_watch {
    struct omptape_shm *shm;
    int32_t pid;
    int pid_fd;     /* readable when the process has ended; -1: not to be had */
    int process_fd; /* its /proc folder */
    uint64_t image; /* tells one program image from the next */
    atomic_bool gone;
    atomic_bool replaced; /* the process lives on, but it execed another program */
    atomic_bool stop;
    _Atomic uint64_t gone_ticks; /* when its end was noticed */
    int status;                  /* as waitpid gives it; valid once gone, if status_known */
    bool status_known;
    pthread_t thread;
};

/* Starts the thread that watches the process `pid`; `pid_fd` passes to it. 0 or negative errno. */
int omptape_watch_start(struct omptape_watch *watch, struct omptape_shm *shm, int32_t pid, int pid_fd);
void omptape_watch_stop(struct omptape_watch *watch);

#endif
