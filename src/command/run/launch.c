/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts the program and waits for it and for its writers. Called once. No signal handler is installed:
 * signals stay blocked and are read with sigtimedwait, so no code runs asynchronously.
 */
#include "src/command/run/run.h"

#include "src/command/text/notice.h"
#include "src/core/clock.h"
#include "src/core/guarded_child.h"
#include "src/core/log.h"
#include "src/core/progress.h"
#include "src/folder/beneath.h"
#include "src/job/process.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Signals that are not forwarded to the program: signals that cannot be blocked, faults of the process
 * itself, job control, and SIGCHLD. */
static const int kept[] = {SIGKILL, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP, SIGSYS,  SIGABRT,
                           SIGPIPE, SIGXFSZ, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD};

/* timeout(1) and others signal their child and then its whole group. Both within this time count as one. */
static const double same_signal_seconds = 0.1;
/* A signal within this time after the program's end was meant for the program and does not end the wait. */
static const double grace_seconds = 1;
/* If a program dies while it starts its writer, its child is not recognisable as a writer for some
 * milliseconds. The command then looks at the child again, START_POLLS times. */
enum { START_POLLS = 5, START_POLL_MS = 10, DETACHED_POLL_MS = 50 };

struct launch {
    pid_t program;
    int *error;  /* errno of exec in the child, in memory shared with it */
    bool adopts; /* this process is a child subreaper: orphans of the program become its children */
    sigset_t forwarded;
    sigset_t waited; /* `forwarded` and SIGCHLD */
    sigset_t old_mask;
    struct sigaction old_child;
    struct sigaction old_pipe;
    double forwarded_at[NSIG]; /* time of the last forwarding, by signal number */
};

/* Counts of this process's children except the program: writers and other orphans of the program. Without
 * PR_SET_CHILD_SUBREAPER only the program's own writer is found. */
struct children {
    unsigned writers; /* running or stopped, not ended */
    unsigned others;
    pid_t writer;      /* one of the writers */
    bool unknown;      /* the activity of some writer could not be read */
    uint64_t activity; /* sum of the writers' activity */
};

static void block_signals(struct launch *launch)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigfillset(&launch->forwarded);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        sigdelset(&launch->forwarded, kept[i]);
    launch->waited = launch->forwarded;
    sigaddset(&launch->waited, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &launch->waited, &launch->old_mask);
    /* If SIGCHLD were ignored, as it may be inherited, the kernel would reap children before waitpid. */
    (void)sigaction(SIGCHLD, &plain, &launch->old_child);
    (void)sigaction(SIGPIPE, &ignored, &launch->old_pipe);
}

static void restore_signals(const struct launch *launch)
{
    (void)sigaction(SIGCHLD, &launch->old_child, NULL);
    (void)sigaction(SIGPIPE, &launch->old_pipe, NULL);
    (void)sigprocmask(SIG_SETMASK, &launch->old_mask, NULL);
}

static void exec_program(const struct launch *launch, const char *file, char *const *argv)
{
    restore_signals(launch);
    if (file != NULL)
        (void)execv(file, argv);
    else
        (void)execvp(argv[0], argv);
    *launch->error = errno;
    _exit(127);
}

/* Forks the program's process. Returns 0 or errno of fork; an error of exec appears in *launch->error. Needs
 * no descriptor, because none may be left (ulimit -n). */
static int start_program(struct launch *launch, const char *file, char *const *argv)
{
    launch->error = omptape_guarded_memory(sizeof(*launch->error));
    if (launch->error == NULL)
        return ENOMEM;
    launch->program = fork();
    if (launch->program == 0)
        exec_program(launch, file, argv);
    return launch->program < 0 ? errno : 0;
}

/* Forwards a signal that another process sent to this process alone. The terminal's signals already reach the
 * program's process group. An alarm set before this command was executed is forwarded, too. */
static void forward_signal(struct launch *launch, const siginfo_t *info)
{
    const int signal = info->si_signo;
    if ((info->si_code > 0 && signal != SIGALRM) || sigismember(&launch->forwarded, signal) != 1 ||
        omptape_clock_seconds() - launch->forwarded_at[signal] < same_signal_seconds)
        return;
    launch->forwarded_at[signal] = omptape_clock_seconds();
    (void)kill(launch->program, signal);
}

static bool asks_to_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

static void count_writer(pid_t writer, struct children *children)
{
    const uint64_t activity = omptape_process_activity(writer);
    children->writers++;
    children->writer = writer;
    children->activity += activity;
    children->unknown = children->unknown || activity == 0;
}

static void reap_or_count_child(pid_t child, pid_t program, struct children *children)
{
    if (child == program || waitpid(child, NULL, WNOHANG | __WALL) != 0)
        return;
    if (omptape_process_is_writer(child))
        count_writer(child, children);
    else
        children->others++;
}

/* Fallback for kernels without /proc/.../children (CONFIG_PROC_CHILDREN). */
static void reap_children_of_proc(pid_t program, struct children *children)
{
    const struct dirent *entry;
    DIR *proc = opendir("/proc");
    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        int pid = atoi(entry->d_name);
        if (pid > 0 && omptape_process_parent(pid) == getpid())
            reap_or_count_child(pid, program, children);
    }
    omptape_close_list(proc);
}

/* Finds the program's writer without a child subreaper, which qemu-user lacks. Assumes one more process,
 * because it cannot see others. */
static void find_detached_writers(pid_t program, struct children *children)
{
    struct dirent *entry;
    DIR *proc = opendir("/proc");
    children->others++;
    while (proc != NULL && (entry = readdir(proc)) != NULL) {
        int pid = atoi(entry->d_name);
        if (pid > 0 && omptape_process_is_writer_of(pid, program))
            count_writer(pid, children);
    }
    omptape_close_list(proc);
}

/* Reaps every ended child except `program` and counts the running ones. */
static void reap_children(pid_t program, struct children *children)
{
    char path[64];
    int pid;
    *children = (struct children){0};
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    FILE *list = fopen(path, "re");
    if (list == NULL) {
        reap_children_of_proc(program, children);
        return;
    }
    while (fscanf(list, "%d", &pid) == 1)
        reap_or_count_child(pid, program, children);
    fclose(list);
}

/* Returns true if the program has ended. The process remains a zombie, from which the writers read the exit
 * status. Uses waitpid, which reaps it, only where a seccomp filter forbids waitid. */
static bool has_ended(pid_t program, struct outcome *outcome)
{
    siginfo_t end = {.si_pid = 0};
    int status = 0;
    if (waitid(P_PID, (id_t)program, &end, WEXITED | WNOHANG | WNOWAIT) == 0) {
        outcome->exit_code = end.si_code == CLD_EXITED ? end.si_status : 128 + end.si_status;
        outcome->user = end.si_uid;
        return end.si_pid == program;
    }
    if (waitpid(program, &status, WNOHANG) == 0)
        return false;
    outcome->user = getuid();
    outcome->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

static void wait_for_program(struct launch *launch, struct outcome *outcome)
{
    struct children children;
    siginfo_t info;
    for (;;) {
        reap_children(launch->program, &children);
        if (has_ended(launch->program, outcome))
            return;
        if (sigwaitinfo(&launch->waited, &info) > 0 && info.si_signo != SIGCHLD)
            forward_signal(launch, &info);
    }
}

/* Waits until no writer is left, a writer makes no progress, or a signal ends the wait. A stopped writer
 * completes its archive once it is continued. */
static void wait_for_writers(struct launch *launch, struct outcome *outcome)
{
    struct children children;
    struct omptape_process_silence silence = {.activity = 0};
    siginfo_t info;
    struct omptape_progress progress;
    double ended = omptape_clock_seconds();
    int start_polls = 0;
    omptape_progress_begin(&progress, notice_is_silent());
    for (;;) {
        reap_children(launch->program, &children);
        if (!launch->adopts)
            find_detached_writers(launch->program, &children);
        if (children.writers == 0 && (children.others == 0 || start_polls >= START_POLLS))
            return;
        if (omptape_process_is_silent(&silence, children.unknown ? 0 : children.activity)) {
            outcome->stopped = children.writer;
            return;
        }
        struct timespec time = {.tv_sec = 1};
        if (!launch->adopts)
            time = (struct timespec){.tv_nsec = DETACHED_POLL_MS * 1000000L};
        if (children.writers == 0) {
            start_polls++;
            time = (struct timespec){.tv_nsec = START_POLL_MS * 1000000L};
        }
        if (omptape_progress_is_due(&progress))
            omptape_progress_draw("the program has ended; waiting for %s",
                                  children.others > 0 ? "processes that it left behind" : "its trace");
        int signal = sigtimedwait(&launch->waited, &info, &time);
        if (asks_to_end(signal) && omptape_clock_seconds() - ended > grace_seconds) {
            outcome->interrupted = true;
            return;
        }
    }
}

void omptape_launch(const char *file, char *const *argv, struct outcome *outcome)
{
    struct launch launch = {.program = 0};
    *outcome = (struct outcome){0};
    /* The library detaches its writers from the program on purpose; as a subreaper this process gets them. */
    launch.adopts = prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) == 0;
    block_signals(&launch);
    outcome->error = start_program(&launch, file, argv);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_COMMAND, "started %s as process %d", argv[0],
                (int)launch.program);
    if (outcome->error == 0) {
        wait_for_program(&launch, outcome);
        outcome->error = *launch.error;
    }
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_COMMAND, "the program has ended: exit code %d%s%s",
                outcome->exit_code, outcome->error != 0 ? ", " : "",
                outcome->error != 0 ? strerror(outcome->error) : "");
    if (outcome->error != 0) {
        if (launch.program > 0)
            (void)waitpid(launch.program, NULL, 0);
        outcome->exit_code = outcome->error == ENOENT ? 127 : 126;
        return;
    }
    wait_for_writers(&launch, outcome);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_COMMAND, "no writer of it is left to wait for");
    omptape_progress_erase();
    (void)waitpid(launch.program, NULL, 0);
}
