/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the watching thread. A pidfd, from the program or opened here, becomes readable when the process
 * ends. Before Linux 5.3 the thread polls the process's /proc folder several times per second. The folder
 * stays open, so that a new process with the same pid is not mistaken for it.
 */
#include "writers/watch.h"

#include "buffers/futex.h"
#include "src/core/clock.h"
#include "src/core/log.h"
#include "src/core/process_stat.h"
#include "src/core/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BEAT_MS = 200, LOOK_MS = 50, STACK_BYTES = 262144 };

/* Returns a hash of the auxiliary vector, whose addresses differ for each program image; 0 if unreadable. */
static uint64_t image_of(int process_fd)
{
    char vector[1024] = "";
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    ssize_t n = omptape_read_text(process_fd, "auxv", vector, sizeof(vector));
    if (n <= 0)
        return 0;
    for (ssize_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)vector[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Result of PIDFD_GET_INFO (Linux 6.15). Declared here because older headers lack it. */
struct pidfd_information {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t ids[11];
    int32_t exit_code;
    uint64_t rest[4];
};

static bool status_from_pid_fd(int pid_fd, int *status)
{
    enum { INFORMATION_EXIT = 1 << 3 };
    struct pidfd_information information = {.mask = INFORMATION_EXIT};
    unsigned long request = _IOWR(0xFF, 11, struct pidfd_information);
    if (pid_fd < 0 || ioctl(pid_fd, request, &information) != 0 || (information.mask & INFORMATION_EXIT) == 0)
        return false;
    *status = information.exit_code;
    return true;
}

/* Returns false if the kernel keeps the process's state from this user, for example because the program has
 * switched core dumps off (PR_SET_DUMPABLE). */
static bool may_inspect(int process_fd)
{
    char path;
    return readlinkat(process_fd, "exe", &path, sizeof(path)) >= 0 || errno != EACCES;
}

/* Reads the exit status of a zombie. The kernel shows 0 to those who may not inspect it. */
static bool status_from_proc(int process_fd, int *status)
{
    struct omptape_process_stat stat;
    if (omptape_process_stat(process_fd, "stat", &stat) != 0 || !omptape_process_is_dead(&stat) ||
        (stat.exit_code == 0 && !may_inspect(process_fd)))
        return false;
    *status = stat.exit_code;
    return true;
}

static void find_status(struct omptape_watch *watch)
{
    enum { ATTEMPTS = 20, PAUSE_US = 5000 };
    for (int i = 0; i < ATTEMPTS && !watch->status_known; i++) {
        watch->status_known = status_from_proc(watch->process_fd, &watch->status) ||
                              status_from_pid_fd(watch->pid_fd, &watch->status);
        if (!watch->status_known)
            usleep(PAUSE_US);
    }
}

/* Used without a pidfd. Returns true if the process has no thread left except a dead leader. */
static bool is_gone_by_proc(int process_fd)
{
    struct omptape_process_stat stat;
    char text[1024];
    int error = omptape_process_stat(process_fd, "stat", &stat);
    if (error == -ESRCH || error == -ENOENT)
        return true;
    if (error != 0 || !omptape_process_is_dead(&stat))
        return false;
    ssize_t n = omptape_read_piece(process_fd, "status", text, sizeof(text));
    const char *threads = n > 0 ? strstr(text, "\nThreads:") : NULL;
    return threads == NULL || strtol(threads + strlen("\nThreads:"), NULL, 10) <= 1;
}

/* Opens a pidfd if the program could not (valgrind does not support pidfds). The pid is still valid,
 * because the program waited for the start of this process. */
static int open_pid_fd(int32_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

/* Returns the process's number in /proc, which may show those of another PID namespace; 0 if unknown. */
static int32_t find_number(int32_t pid, int pid_fd)
{
    char path[40];
    char text[1024];
    (void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pid_fd);
    const char *line =
        omptape_read_piece(AT_FDCWD, path, text, sizeof(text)) > 0 ? strstr(text, "\nPid:") : NULL;
    if (line != NULL)
        return (int32_t)strtol(line + strlen("\nPid:"), NULL, 10);
    return omptape_process_numbers_are_own() ? pid : 0;
}

/* Opens the process's folder in /proc. Returns -1 if it is not there. */
static int open_folder(int32_t pid, int pid_fd)
{
    char path[32];
    const int32_t number = find_number(pid, pid_fd);
    (void)snprintf(path, sizeof(path), "/proc/%d", (int)number);
    return number > 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

static bool wait_for_end(struct omptape_watch *watch)
{
    struct pollfd poll_fd = {.fd = watch->pid_fd, .events = POLLIN};
    if (watch->pid_fd >= 0)
        return poll(&poll_fd, 1, BEAT_MS) > 0;
    poll(NULL, 0, LOOK_MS);
    if (watch->process_fd < 0)
        return kill(watch->pid, 0) != 0 && errno == ESRCH;
    return is_gone_by_proc(watch->process_fd);
}

static void *watch_process(void *argument)
{
    struct omptape_watch *watch = argument;
    while (!atomic_load(&watch->stop)) {
        if (!atomic_load(&watch->gone) && wait_for_end(watch)) {
            atomic_store(&watch->gone_ticks, omptape_clock_now());
            find_status(watch);
            atomic_store(&watch->gone, true);
            omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "process %d is gone: %s %d", (int)watch->pid,
                        watch->status_known ? "wait status" : "status not known,", watch->status);
            atomic_fetch_add(&watch->shm->work, 1);
            omptape_futex_wake(&watch->shm->work);
        } else if (atomic_load(&watch->gone)) {
            usleep(BEAT_MS * 1000);
        } else if (!atomic_load(&watch->replaced)) {
            uint64_t image = image_of(watch->process_fd);
            if (image != 0 && watch->image != 0 && image != watch->image) {
                atomic_store(&watch->replaced, true);
                atomic_fetch_add(&watch->shm->work, 1);
                omptape_futex_wake(&watch->shm->work);
            }
        }
        atomic_fetch_add(&watch->shm->heartbeat, 1);
    }
    return NULL;
}

int omptape_watch_start(struct omptape_watch *watch, struct omptape_shm *shm, int32_t pid, int pid_fd)
{
    *watch =
        (struct omptape_watch){.shm = shm, .pid = pid, .pid_fd = pid_fd >= 0 ? pid_fd : open_pid_fd(pid)};
    watch->process_fd = open_folder(pid, watch->pid_fd);
    if (watch->process_fd >= 0)
        watch->image = image_of(watch->process_fd);
    /* Only the main thread handles signals. */
    sigset_t all;
    sigset_t saved;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    /* The default size is the limit of the first thread's stack, which may be small. */
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = pthread_create(&watch->thread, &attributes, watch_process, watch);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    return -error;
}

void omptape_watch_stop(struct omptape_watch *watch)
{
    atomic_store(&watch->stop, true);
    pthread_join(watch->thread, NULL);
    if (watch->process_fd >= 0)
        close(watch->process_fd);
    if (watch->pid_fd >= 0)
        close(watch->pid_fd);
}
