/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements guarded_child.h.
 */
#include "src/core/guarded_child.h"

#include "src/core/clock.h"
#include "src/core/memory.h"
#include "src/core/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POLL_FIRST_NS = 100000, POLL_LAST_NS = 20000000 };
static const double timeout_seconds = 300;

void *omptape_guarded_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static void restrain_child(pid_t parent)
{
    struct rlimit none = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    setrlimit(RLIMIT_CORE, &none);
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    setenv("LIBC_FATAL_STDERR_", "1", 1); /* keeps old glibc versions from printing to the terminal */
}

static int wait_for_child(pid_t child, omptape_guarded_watch *watch, void *data, int *status)
{
    struct timespec pause = {.tv_nsec = POLL_FIRST_NS};
    uint64_t seen = watch(data);
    double since = omptape_clock_seconds();
    *status = 0;
    for (;;) {
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return 0;
        uint64_t progress = watch(data);
        if (progress != seen) {
            seen = progress;
            since = omptape_clock_seconds();
        } else if (omptape_clock_seconds() - since > timeout_seconds) {
            kill(child, SIGKILL);
            waitpid(child, status, 0);
            return -ETIMEDOUT;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < POLL_LAST_NS)
            pause.tv_nsec *= 2;
    }
}

int omptape_guarded_child(omptape_guarded_work *work, omptape_guarded_watch *watch, void *data, int *status)
{
    fflush(NULL); /* otherwise the child would write the buffers again */
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        restrain_child(parent);
        omptape_out_of_memory = false;
        work(data);
        _exit(EXIT_SUCCESS);
    }
    return child > 0 ? wait_for_child(child, watch, data, status) : -errno;
}

static uint64_t no_progress(void *data)
{
    (void)data;
    return 0;
}

/* Returns false only where the kernel says that there is no filter. The line is far behind in the file of a
 * user with hundreds of groups. */
static bool may_have_filter(void)
{
    static const char key[] = "\nSeccomp:";
    char text[4096];
    (void)omptape_read_piece(AT_FDCWD, "/proc/self/status", text, sizeof(text));
    const char *line = strstr(text, key);
    return line == NULL || strtol(line + strlen(key), NULL, 10) != 0;
}

bool omptape_guarded_is_safe(omptape_guarded_work *work, void *data)
{
    int status = 0;
    return !may_have_filter() ||
           (omptape_guarded_child(work, no_progress, data, &status) == 0 && !WIFSIGNALED(status));
}
