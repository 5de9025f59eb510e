/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a program in which the kernel refuses perf_event_open with EPERM, as a container's filter does.
 * Compiled with -DFATAL the kernel ends a process that calls it or adjtimex, as the filters of services
 * do.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef FATAL
enum { ANSWER = SECCOMP_RET_KILL_PROCESS, SECOND = SYS_clock_adjtime, THIRD = SYS_adjtimex };
#else
enum { ANSWER = SECCOMP_RET_ERRNO | EPERM, SECOND = SYS_perf_event_open, THIRD = SYS_perf_event_open };
#endif

int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SECOND, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIRD, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, ANSWER),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 125;
    execvp(argv[1], argv + 1);
    return 126;
}
