/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tries the system calls of a session in a child process, because a filter (seccomp) may end a process for
 * one of them. The child shares nothing with the program. A kernel before 5.16 also ends the processes that
 * share the memory of one that it ends for a call. The child has no exit signal, so neither wait() nor a
 * handler of the program notices it.
 */
#include "src/tool/raw.h"
#include "src/tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* What the child shares with the program. */
struct trial {
    volatile long number; /* the call that is tried; 0 after all of them */
    volatile bool can_wait;
    struct utsname system;
    char path[PATH_MAX];
};

static void try_call(struct trial *trial, long number, long a, long b, long c, long d)
{
    trial->number = number;
    (void)omptape_raw(number, a, b, c, d);
}

/* The calls that make the child's end leave no core file, and that the end of a trial needs, come first. */
static void try_ends(struct trial *trial)
{
    struct rlimit none = {0, 0};
    try_call(trial, SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0);
    try_call(trial, SYS_prlimit64, 0, RLIMIT_CORE, (long)&none, 0);
    try_call(trial, SYS_wait4, -1, 0, WNOHANG | __WALL, 0);
    trial->can_wait = true;
}

/* The calls of the program's threads, from the start of a session to its end. */
static void try_session(struct trial *trial)
{
    struct termios terminal;
    static const char text[] = "";
    try_call(trial, SYS_getpid, 0, 0, 0, 0);
    try_call(trial, SYS_gettid, 0, 0, 0, 0);
    try_call(trial, SYS_geteuid, 0, 0, 0, 0);
    try_call(trial, SYS_getegid, 0, 0, 0, 0);
    try_call(trial, SYS_getcwd, (long)trial->path, sizeof(trial->path), 0, 0);
    try_call(trial, SYS_uname, (long)&trial->system, 0, 0, 0);
#ifdef SYS_access
    try_call(trial, SYS_access, (long)text, X_OK, 0, 0);
#endif
    try_call(trial, SYS_faccessat, AT_FDCWD, (long)text, X_OK, 0);
#ifdef SYS_readlink
    try_call(trial, SYS_readlink, (long)text, (long)trial->path, sizeof(trial->path), 0);
#endif
    try_call(trial, SYS_ftruncate, -1, 0, 0, 0);
    try_call(trial, SYS_fcntl, -1, F_GETFD, 0, 0);
    try_call(trial, SYS_madvise, 0, 0, MADV_NORMAL, 0);
    try_call(trial, SYS_mprotect, 0, 0, PROT_READ, 0);
    try_call(trial, SYS_mremap, 0, 0, 0, 0);
    try_call(trial, SYS_munmap, 0, 0, 0, 0);
    try_call(trial, SYS_memfd_create, (long)"omptape", MFD_CLOEXEC, 0, 0);
#ifdef SYS_pidfd_open
    try_call(trial, SYS_pidfd_open, -1, 0, 0, 0);
#endif
    try_call(trial, SYS_pwrite64, -1, (long)text, 0, 0);
    try_call(trial, SYS_ioctl, -1, TCGETS, (long)&terminal, 0);
    try_call(trial, SYS_futex, (long)&trial->number, FUTEX_WAKE, 1, 0);
    try_call(trial, SYS_waitid, P_ALL, 0, 0, WNOHANG);
    try_call(trial, SYS_kill, omptape_raw(SYS_getpid, 0, 0, 0, 0), 0, 0, 0);
    try_call(trial, SYS_sched_yield, 0, 0, 0, 0);
}

/* The calls of the children that become the writer, and its first one. */
static void try_launch(struct trial *trial)
{
    uint64_t none = 0;
    char *nothing = NULL;
    try_call(trial, SYS_rt_sigprocmask, SIG_BLOCK, (long)&none, 0, sizeof(none));
    try_call(trial, SYS_rt_sigaction, SIGUSR1, 0, 0, sizeof(none));
    try_call(trial, SYS_setsid, 0, 0, 0, 0);
    try_call(trial, SYS_openat, AT_FDCWD, (long)"/", O_PATH | O_CLOEXEC, 0);
    try_call(trial, SYS_read, -1, 0, 0, 0);
    try_call(trial, SYS_write, -1, 0, 0, 0);
    try_call(trial, SYS_lseek, -1, 0, SEEK_SET, 0);
    try_call(trial, SYS_dup3, -1, 0, 0, 0);
    try_call(trial, SYS_chdir, (long)"", 0, 0, 0);
    try_call(trial, SYS_close, -1, 0, 0, 0);
#ifdef SYS_close_range
    try_call(trial, SYS_close_range, UINT32_MAX, UINT32_MAX, 0, 0);
#endif
    try_call(trial, SYS_execve, (long)"", (long)&nothing, (long)&nothing, 0);
}

/* Returns when the child has ended, as after vfork. */
static __attribute__((noinline)) long run(struct trial *trial)
{
    const long child = omptape_raw(SYS_clone, CLONE_VFORK, 0, 0, 0);
    if (child != 0)
        return child;
    try_ends(trial);
    try_session(trial);
    try_launch(trial);
    trial->number = 0;
    for (;;)
        (void)omptape_raw(SYS_exit, 0, 0, 0, 0);
}

long omptape_trial_fatal_call(void)
{
    sigset_t all;
    sigset_t saved;
    struct trial *trial =
        mmap(NULL, sizeof(*trial), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (trial == MAP_FAILED)
        return -errno;
    trial->number = SYS_clone;
    /* A handler of the program must not run in the child, nor hide that a filter sends SIGSYS. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &saved);
    const long child = run(trial);
    if (child > 0 && trial->can_wait)
        (void)omptape_raw(SYS_wait4, child, 0, __WALL, 0);
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    const long result = child > 0 ? trial->number : child;
    munmap(trial, sizeof(*trial));
    return result;
}
