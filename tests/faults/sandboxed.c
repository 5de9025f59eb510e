/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that puts itself into a sandbox after its first parallel region: a system call that neither it nor the
 * runtime makes from there on kills it.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const unsigned forbidden[] = {SYS_read,  SYS_kill,       SYS_tkill,  SYS_fcntl, SYS_prctl, SYS_wait4,  SYS_waitid, SYS_ppoll,
                                     SYS_dup3,  SYS_readlinkat, SYS_socket, SYS_pipe2, SYS_execve, SYS_getcwd, SYS_setsid};
enum { CALLS = sizeof(forbidden) / sizeof(forbidden[0]) };

static int enter(void)
{
    struct sock_filter filter[2 * CALLS + 2] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    const struct sock_fprog program = {2 * CALLS + 2, filter};
    for (int i = 0; i < CALLS; i++) {
        filter[2 * i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
        filter[2 * i + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    filter[2 * CALLS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

int main(void)
{
    long sum = 0;
    for (int round = 0; round < 200; round++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
#pragma omp critical
            sum++;
        }
        if (round == 0 && enter() != 0) {
            perror("sandboxed");
            return 77;
        }
    }
    printf("%s\n", sum == 400 ? "right" : "wrong");
    return 17;
}
