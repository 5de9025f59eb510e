/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Watches the traced process from a separate thread. Notices every kind of end and an exec. Increments the
 * heartbeat by which the program knows that the writer lives.
 */
#pragma once

#include <omptape/shm.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct omptape_watch {
    struct omptape_shm *shm;
    int32_t pid;
    int pid_fd;     /* Readable when the process has ended; -1: not available. */
    int process_fd; /* Descriptor of the process's /proc folder; -1: not available. */
    uint64_t image; /* Hash that distinguishes program images. */
    atomic_bool gone;
    atomic_bool replaced; /* True if the process still lives but has executed another program. */
    atomic_bool stop;
    _Atomic uint64_t gone_ticks; /* Time when the end was noticed. */
    int status;                  /* As waitpid returns it; valid if gone and status_known. */
    bool status_known;
    pthread_t thread;
};

/* Starts the thread that watches the process `pid` and takes ownership of `pid_fd`. 0 or negative errno. */
int omptape_watch_start(struct omptape_watch *watch, struct omptape_shm *shm, int32_t pid, int pid_fd);
void omptape_watch_stop(struct omptape_watch *watch);
