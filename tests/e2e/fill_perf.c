/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a program while the memory that its user may lock for events is used up, as by other ranks on the
 * node: the program and its writer have only what RLIMIT_MEMLOCK allows, 512 KiB.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROGRAMS_BYTES = 512 * 1024, MAX_RINGS = 65536, NO_EVENTS = 77, NO_LIMIT = 78, FAILED = 125 };

static bool limit_locked(rlim_t bytes)
{
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = PROGRAMS_BYTES};
    return setrlimit(RLIMIT_MEMLOCK, &limit) == 0;
}

/* 0, or errno. The mapping stays. */
static int map_ring(size_t pages)
{
    struct perf_event_attr event = {.size = sizeof(event),
                                    .type = PERF_TYPE_SOFTWARE,
                                    .config = PERF_COUNT_SW_DUMMY,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1};
    const int fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return EACCES;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const void *ring = mmap(NULL, (1 + pages) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const int error = ring != MAP_FAILED ? 0 : errno;
    close(fd);
    return error;
}

int main(int argc, char **argv)
{
    int status = 0;
    int error = 0;
    if (argc < 2 || !limit_locked(0))
        return FAILED;
    for (size_t pages = 32; pages > 0; pages /= 2)
        for (int i = 0; (error = map_ring(pages)) == 0; i++)
            if (i == MAX_RINGS)
                return NO_LIMIT;
    if (error != EPERM)
        return NO_EVENTS;
    const pid_t child = limit_locked(PROGRAMS_BYTES) ? fork() : -1;
    if (child == 0) {
        execv(argv[1], argv + 1);
        _exit(FAILED);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                                 : FAILED;
}
