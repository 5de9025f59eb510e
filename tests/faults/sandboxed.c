/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that puts itself into a sandbox: a system call that neither it nor the runtime makes from there
 * on kills it. Usage: sandboxed [before|child|LIBRARY]. It does so after its first parallel region, before
 * it, or in a child that it forks after a region. LIBRARY is the absolute path of this file as a library: its
 * regions follow. The C library's own stat is forbidden, too.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned needless[] = {
#ifndef __clang__ /* LLVM's runtime makes this one */
    SYS_getpid,
#endif
    SYS_kill,       SYS_tkill,  SYS_fcntl, SYS_prctl,  SYS_wait4,  SYS_waitid, SYS_ppoll,      SYS_dup3,
    SYS_readlinkat, SYS_socket, SYS_pipe2, SYS_execve, SYS_getcwd, SYS_setsid, SYS_newfstatat, SYS_read};
/* Before, the runtime needs to read files (the last two); what a tool may need for a start comes in place of
 * that. */
static const unsigned of_a_start[] = {SYS_memfd_create, SYS_pidfd_open};
enum {
    OF_FILES = 2,
    NEEDLESS = sizeof(needless) / sizeof(needless[0]),
    OF_A_START = sizeof(of_a_start) / sizeof(of_a_start[0])
};

static int enter(int before)
{
    struct sock_filter filter[2 * (NEEDLESS + OF_A_START) + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {1, filter};
    const int calls = before ? NEEDLESS - OF_FILES + OF_A_START : NEEDLESS;
    for (int i = 0; i < calls; i++) {
        const unsigned call =
            i < OF_A_START && before ? of_a_start[i] : needless[before ? i - OF_A_START : i];
        filter[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
        filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/* The compiler's code asks the runtime for the thread's number where a function begins: main has no region of
 * its own. */
__attribute__((noinline)) long meet(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp critical
        sum++;
    }
    return sum;
}

static int leave_to(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 200 };
    typedef long meeting(void);
    static char buffer[BUFSIZ];
    void *library = argc > 1 && argv[1][0] == '/' ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    meeting *meets = library != NULL ? (meeting *)dlsym(library, "meet") : meet;
    const int before = argc > 1 && library == NULL;
    long sum = 0;
    setvbuf(stdout, buffer, _IOFBF, sizeof(buffer)); /* else the C library asks for its size */
    if (before && strcmp(argv[1], "child") == 0 && meet() == 2) {
        const pid_t child = fork();
        if (child != 0)
            return leave_to(child);
    }
    for (int round = 0; round < ROUNDS; round++) {
        if (round == !before && enter(before) != 0) {
            perror("sandboxed");
            return 77;
        }
        sum += round == 0 ? meet() : meets();
    }
    printf("%s\n", sum == 2 * ROUNDS ? "right" : "wrong");
    return 17;
}
