/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes the writer's place (OMPTAPE_WRITER) and gives what a program recorded to two writers, one after the
 * other: the same records to both, so that their archives can be compared byte for byte. The variable
 * COMPARED_WRITERS holds their paths, "BEFORE:AFTER"; their archives go to OUTPUT.before and OUTPUT.after.
 * With COMPARED_PROFILE=1 the second one makes a profile (--profile). Both get the same clock rate, which is
 * measured once: two measurements differ by some millionths. Nothing is read while the program runs,
 * so all that it records must fit into its buffers. Started by the library in a traced program, as the writer
 * is; see compare.py.
 */
#include "src/core/clock.h"

#include <omptape/shm.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHM_FD = 3, PID_FD = 4, MAPS_FD = 5, SETTINGS_FD = 6 };

static struct omptape_settings settings;

static void set_state(struct omptape_shm *shm, enum omptape_writer_state state)
{
    atomic_store(&shm->writer_state, (uint32_t)state);
    syscall(SYS_futex, &shm->writer_state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void wait_for_program(struct omptape_shm *shm)
{
    struct pollfd gone = {.fd = PID_FD, .events = POLLIN};
    while (atomic_load(&shm->program_state) == OMPTAPE_PROGRAM_RUNNING && poll(&gone, 1, 10) == 0)
        atomic_fetch_add(&shm->heartbeat, 1);
    /* Of a program that was killed each writer would find a time of its own. */
    omptape_clock_use((enum omptape_clock_kind)settings.clock_kind);
    if (atomic_load(&shm->end_ticks) == 0)
        atomic_store(&shm->end_ticks, omptape_clock_now());
}

/* Both writers convert and compare times by this rate. The span from the session's start is usually too short
 * to be measured well, so a span of its own is waited for; how good it is does not matter. */
static void measure_rate(void)
{
    struct omptape_clock_anchor from;
    struct omptape_clock_anchor to;
    if (settings.clock_second != 0)
        return;
    omptape_clock_anchor(&from);
    usleep(20000);
    omptape_clock_anchor(&to);
    settings.clock_second =
        (uint64_t)((double)(to.ticks - from.ticks) * 1e9 / (double)(to.raw_ns - from.raw_ns));
}

/* A copy of what lies in a memory file; its unused parts stay holes. */
static int copy_memory(int from, off_t bytes)
{
    static char block[1 << 16];
    int copy = memfd_create("compared", MFD_CLOEXEC);
    if (copy < 0 || ftruncate(copy, bytes) != 0)
        return -1;
    off_t at = 0;
    while ((at = lseek(from, at, SEEK_DATA)) >= 0) {
        off_t hole = lseek(from, at, SEEK_HOLE);
        while (at < hole) {
            size_t most = hole - at < (off_t)sizeof(block) ? (size_t)(hole - at) : sizeof(block);
            ssize_t n = pread(from, block, most, at);
            if (n <= 0 || pwrite(copy, block, (size_t)n, at) != n)
                return -1;
            at += n;
        }
    }
    return copy;
}

static int prepare_memory(int from, off_t bytes)
{
    int copy = copy_memory(from, bytes);
    if (copy < 0)
        return -1;
    struct omptape_shm *shm = mmap(NULL, sizeof(*shm), PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0);
    if (shm == MAP_FAILED)
        return -1;
    atomic_store(&shm->writer_state, OMPTAPE_WRITER_STARTING);
    atomic_store(&shm->writer_pid, 0);
    munmap(shm, sizeof(*shm));
    return copy;
}

/* The session's settings, for an output of its own. */
static int prepare_settings(const char *suffix, bool profile)
{
    struct omptape_settings own = settings;
    strncat(own.output, suffix, sizeof(own.output) - strlen(own.output) - 1);
    own.profile = profile;
    int file = memfd_create("compared-settings", MFD_CLOEXEC);
    return file >= 0 && pwrite(file, &own, sizeof(own), 0) == (ssize_t)sizeof(own) ? file : -1;
}

static void become_writer(const char *path, char **arguments, int memory, int own_settings)
{
    int maps = open("/proc/self/fd/5", O_RDONLY);
    dup2(memory, SHM_FD);
    dup2(own_settings, SETTINGS_FD);
    if (maps >= 0)
        dup2(maps, MAPS_FD);
    execv(path, arguments);
    _exit(127);
}

/* True if the writer ended well. */
static bool run_writer(const char *path, char **arguments, int from, off_t bytes, const char *suffix,
                       bool profile)
{
    int status = -1;
    int memory = prepare_memory(from, bytes);
    int own_settings = prepare_settings(suffix, profile);
    if (memory < 0 || own_settings < 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        become_writer(path, arguments, memory, own_settings);
    close(memory);
    close(own_settings);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    struct stat info;
    char *before = getenv("COMPARED_WRITERS");
    char *colon = before != NULL ? strchr(before, ':') : NULL;
    (void)argc;
    if (colon == NULL || fstat(SHM_FD, &info) != 0 ||
        pread(SETTINGS_FD, &settings, sizeof(settings), 0) != (ssize_t)sizeof(settings))
        return 2;
    struct omptape_shm *shm = mmap(NULL, sizeof(*shm), PROT_READ | PROT_WRITE, MAP_SHARED, SHM_FD, 0);
    if (shm == MAP_FAILED)
        return 2;
    *colon = '\0';
    atomic_store(&shm->writer_pid, (int32_t)getpid());
    set_state(shm, OMPTAPE_WRITER_RUNNING);
    wait_for_program(shm);
    measure_rate();
    /* Threads that exit() did not stop may still record. */
    int memory = copy_memory(SHM_FD, info.st_size);
    bool well = memory >= 0 && run_writer(before, argv, memory, info.st_size, ".before", false);
    well = well &&
           run_writer(colon + 1, argv, memory, info.st_size, ".after", getenv("COMPARED_PROFILE") != NULL);
    set_state(shm, well ? OMPTAPE_WRITER_FINISHED : OMPTAPE_WRITER_FAILED);
    return well ? 0 : 1;
}
