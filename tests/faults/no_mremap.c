/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that forbids itself mremap (seccomp, EPERM) after its first parallel region, and then has many
 * threads. Prints "right" if all took part.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { THREADS = 200 };

static long meet(int wanted)
{
    long threads = 0;
#pragma omp parallel num_threads(wanted) reduction(+ : threads)
    threads++;
    return threads;
}

int main(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mremap, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
    const long before = meet(2);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    puts(before == 2 && meet(THREADS) == THREADS ? "right" : "wrong");
    return 17;
}
