/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts the writer process so that the program does not notice it. There is no child to wait for, no
 * SIGCHLD, no descriptor and no copy of its memory. Called once by the thread that starts the session.
 *
 * The writer is a grandchild of the program. The intermediate child has exit signal 0, so wait() does not see
 * it, and it exits immediately, which orphans the writer. The kernel gives an orphan to the init process of
 * its pid namespace or to a subreaper. If that is the program itself, as in a container, wait() would see the
 * writer and block until its end. In this case the intermediate child stays alive as the writer's parent.
 *
 * Emulators (qemu-user) support neither a child that shares memory without being a thread, nor a child
 * without an exit signal. There both children are copies, and the first one's SIGCHLD is consumed before the
 * program can receive it.
 */
#include "buffers/futex.h"
#include "src/core/limits.h"
#include "src/core/process_stat.h"
#include "src/core/words.h"
#include "src/job/process.h"
#include "src/tool/raw.h"
#include "src/tool/tool.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptor numbers that the writer inherits (writers/main.c). */
enum {
    WRITER_SHM_FD = 3,
    WRITER_PID_FD = 4,
    WRITER_MAPS_FD = 5,
    WRITER_SETTINGS_FD = 6,
    FIRST_SAFE_FD = 10,
};
enum { STACK_BYTES = 65536 };
/* Processes and threads that the user must keep: a large team, the writer's second, its checkpoint's. */
enum { RESERVED_PROCESSES = 256 };

struct writer_launch {
    const char *path;
    char **environment;
    struct omptape_launch_files files;
    char pid[16];             /* the program's process number: the writer's argument in lists of processes */
    bool keep;                /* the intermediate child stays as the writer's parent */
    bool copied;              /* the children run in copies of the memory; this struct is shared */
    int error;                /* set by the children, which share this memory; `writer`, too */
    int32_t writer;           /* its process number */
    _Atomic uint32_t started; /* futex word, set by an intermediate child that stays */
};

/* Returns true for variables that would affect the writer's loader, runtime or allocator: not passed on. */
static bool variable_is_harmful(const char *variable)
{
    static const char *const prefixes[] = {
        "LD_",     "OMP_",           "OMPTAPE_", "OMPT_", "KMP_",        "GOMP_", "LIBOMP",
        "MALLOC_", "GLIBC_TUNABLES", "ASAN_",    "TSAN_", "DEBUGINFOD_", "CUDA_", NULL};
    return omptape_starts_with_one_of(variable, prefixes);
}

/* Measures the variables that the writer inherits. Returns their number. */
static size_t measure_environment(size_t *bytes)
{
    size_t count = 0;
    for (char **variable = __environ; variable != NULL && *variable != NULL; variable++) {
        if (variable_is_harmful(*variable))
            continue;
        *bytes += strlen(*variable) + 1;
        count++;
    }
    return count;
}

/* Copies them, because the program may change its own while the writer starts. */
static void copy_environment(char **copies, size_t max, char *texts, size_t bytes)
{
    size_t count = 0;
    for (char **variable = __environ; variable != NULL && *variable != NULL && count < max; variable++) {
        const size_t length = strlen(*variable) + 1;
        if (variable_is_harmful(*variable) || length > bytes)
            continue;
        copies[count++] = memcpy(texts, *variable, length);
        texts += length;
        bytes -= length;
    }
    copies[count] = NULL;
}

/* Duplicates a descriptor to a number that no other one is moved to. Returns it, or negative errno. */
static int move_away(int fd)
{
    return (int)omptape_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FIRST_SAFE_FD, 0);
}

static int open_raw(const char *path, int flags)
{
    return (int)omptape_raw(SYS_openat, AT_FDCWD, (long)path, flags, 0);
}

/* Moves descriptor `from` to `to` in this child; closes `to` if `from` is negative. */
static void place_descriptor(int from, int to)
{
    if (from >= 0)
        (void)omptape_raw(SYS_dup3, from, to, 0, 0);
    else
        (void)omptape_raw(SYS_close, to, 0, 0, 0);
}

/* The kernel's struct sigaction, and its set of signals, are words of zeros. */
static void reset_signals(void)
{
    static const uint64_t plain[4];
    for (int signal = 1; signal < NSIG; signal++)
        (void)omptape_raw(SYS_rt_sigaction, signal, (long)plain, 0, sizeof(plain[0]));
    (void)omptape_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)plain, 0, sizeof(plain[0]));
}

/* Copies /proc/self/maps into an anonymous file. Until exec it is the program's memory map, which the writer
 * needs to name call sites even if the program dies early. Returns a descriptor or negative errno. */
static int copy_maps(void)
{
    char block[4096];
    const int maps = open_raw("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const int copy = (int)omptape_raw(SYS_memfd_create, (long)"omptape-maps", MFD_CLOEXEC, 0, 0);
    long n = 0;
    while (maps >= 0 && copy >= 0 && (n = omptape_raw(SYS_read, maps, (long)block, sizeof(block), 0)) > 0)
        if (omptape_raw(SYS_write, copy, (long)block, n, 0) != n)
            break;
    if (copy >= 0)
        (void)omptape_raw(SYS_lseek, copy, 0, SEEK_SET, 0);
    return copy >= 0 ? move_away(copy) : copy;
}

/* Raises the stack limit, which the program may have lowered. Root may exceed the hard limit. */
static void raise_stack_limit(void)
{
    const rlim_t enough = (rlim_t)8 << 20;
    struct rlimit limit = {0};
    if (omptape_raw(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit) != 0 || limit.rlim_cur >= enough)
        return;
    struct rlimit wanted = {enough, limit.rlim_max > enough ? limit.rlim_max : enough};
    if (omptape_raw(SYS_prlimit64, 0, RLIMIT_STACK, (long)&wanted, 0) == 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)omptape_raw(SYS_prlimit64, 0, RLIMIT_STACK, (long)&limit, 0);
}

/* Lowers RLIMIT_NPROC of this child by `reserved`. So the writer cannot use up the processes and threads that
 * the user's limit leaves for the program. */
static void reserve_processes(rlim_t reserved)
{
    struct rlimit limit = {0};
    if (omptape_raw(SYS_prlimit64, 0, RLIMIT_NPROC, 0, (long)&limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    limit.rlim_cur = limit.rlim_cur > reserved ? limit.rlim_cur - reserved : 0;
    (void)omptape_raw(SYS_prlimit64, 0, RLIMIT_NPROC, (long)&limit, 0);
}

/* Becomes the writer. Until exec this child has its own descriptors, but it shares the program's memory and
 * the thread-local data of a thread that may continue. So it must not call libc. */
static _Noreturn void become_writer(struct writer_launch *launch)
{
    char name[] = "omptape-writer";
    char *arguments[] = {name, launch->pid, NULL};
    const int shm_fd = move_away(launch->files.shm);
    const int settings_fd = move_away(launch->files.settings);
    const int pid_fd = launch->files.pid >= 0 ? move_away(launch->files.pid) : -1;
    const int maps_fd = copy_maps();
    int null = open_raw("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) /* a container or chroot without /dev */
        null = open_raw("/", O_PATH | O_CLOEXEC);
    const int min = shm_fd < settings_fd ? shm_fd : settings_fd;
    long error = min < null ? min : null;
    if (error >= 0) {
        for (int fd = 0; fd <= (launch->files.has_stderr ? STDOUT_FILENO : STDERR_FILENO); fd++)
            place_descriptor(null, fd);
        place_descriptor(shm_fd, WRITER_SHM_FD);
        place_descriptor(settings_fd, WRITER_SETTINGS_FD);
        place_descriptor(pid_fd, WRITER_PID_FD);
        place_descriptor(maps_fd, WRITER_MAPS_FD);
        reset_signals();
        raise_stack_limit();
        error = omptape_raw(SYS_execve, (long)launch->path, (long)arguments, (long)launch->environment, 0);
    }
    launch->error = (int)-error;
    for (;;)
        (void)omptape_raw(SYS_exit, 127, 0, 0, 0);
}

static void close_all(void)
{
    enum { MAX_DESCRIPTORS = 1 << 20 };
    struct rlimit limit = {.rlim_cur = 0};
#ifdef SYS_close_range
    if (omptape_raw(SYS_close_range, 0, UINT32_MAX, 0, 0) == 0)
        return;
#endif
    omptape_raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
    for (long fd = 0; fd < MAX_DESCRIPTORS && (rlim_t)fd < limit.rlim_cur; fd++)
        omptape_raw(SYS_close, fd, 0, 0, 0);
}

/* Waits for the writer's end as its parent. Runs in the program's memory and shares the thread-local data of
 * a thread that continues, so it must not call libc. Holds no descriptors of the program. */
static void keep_writer(struct writer_launch *launch)
{
    close_all();
    omptape_raw(SYS_chdir, (long)"/", 0, 0, 0);
    atomic_store(&launch->started, 1);
    omptape_raw(SYS_futex, (long)&launch->started, FUTEX_WAKE, INT_MAX, 0);
    while (omptape_raw(SYS_wait4, -1, 0, __WALL, 0) != -ECHILD) {
    }
    omptape_raw(SYS_exit, 0, 0, 0, 0);
}

/* Returns when the writer has its own memory. Until then the child uses this stack, as after vfork. */
static __attribute__((noinline)) void start_writer(struct writer_launch *launch)
{
    const long child = omptape_raw(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0);
    if (child == 0)
        become_writer(launch);
    if (child < 0)
        launch->error = (int)-child;
    else
        launch->writer = (int32_t)child;
}

/* Starts the writer from a copied child. CLONE_VFORK does not block a copy until exec, so this function waits
 * until the writer's end of a pipe is closed by exec. */
static void start_writer_of_copy(struct writer_launch *launch)
{
    int ends[2];
    char none;
    int last = pipe2(ends, O_CLOEXEC) == 0 ? fcntl(ends[1], F_DUPFD_CLOEXEC, FIRST_SAFE_FD) : -1;
    if (last < 0) {
        start_writer(launch);
        return;
    }
    close(ends[1]);
    start_writer(launch);
    close(last);
    while (read(ends[0], &none, sizeof(none)) < 0 && errno == EINTR) {
    }
}

static const char intermediate_name[] = "omptape-launch";

/* The intermediate child: becomes a session leader, so that signals of the program's terminal do not reach
 * the writer. It must not call libc either, unless it is a copy. */
static int become_intermediate(void *argument)
{
    struct writer_launch *launch = argument;
    (void)omptape_raw(SYS_prctl, PR_SET_NAME, (long)intermediate_name, 0, 0);
    (void)omptape_raw(SYS_setsid, 0, 0, 0, 0);
    reserve_processes(RESERVED_PROCESSES);
    if (launch->copied)
        start_writer_of_copy(launch);
    else
        start_writer(launch);
    if (launch->keep)
        keep_writer(launch);
    (void)omptape_raw(SYS_exit, 0, 0, 0, 0);
    return 0;
}

/* Returns true if the kernel gives orphans to this process. False under valgrind, which cannot run a child
 * that stays in its memory. */
static bool orphans_come_here(void)
{
    int requested = 0;
    if (omptape_launch_is_emulated())
        return false;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &requested, 0, 0, 0) == 0 && requested != 0);
}

/* Waits for the end of an intermediate child that does not stay. Its stacks are unused afterwards. */
static void wait_for_end(pid_t child)
{
    int status;
    while (waitpid(child, &status, __WALL) < 0 && errno == EINTR) {
    }
}

/* Waits until the writer runs, or the intermediate child has ended although it should stay. */
static bool wait_for_start(struct writer_launch *launch, pid_t child)
{
    const uint64_t slice_ns = 1000000000;
    int status;
    while (atomic_load(&launch->started) == 0 && waitpid(child, &status, __WALL | WNOHANG) == 0)
        omptape_futex_wait(&launch->started, 0, slice_ns);
    return atomic_load(&launch->started) != 0;
}

/* Waits for a child with an exit signal, and consumes its SIGCHLD, which is blocked in this thread. */
static void wait_for_visible(pid_t child, const sigset_t *pending_before)
{
    const struct timespec now = {0, 0};
    sigset_t ended;
    wait_for_end(child);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    if (!sigismember(pending_before, SIGCHLD))
        sigtimedwait(&ended, NULL, &now);
}

/* Starts the intermediate child, which `wait`s until the writer runs. Returns true if its stack is in use. */
static bool start_intermediate(struct writer_launch *launch, char *stack, bool wait, pid_t *child)
{
    const int flags = CLONE_VM | (launch->keep || !wait ? 0 : CLONE_VFORK);
    sigset_t pending;
    *child = clone(become_intermediate, stack + STACK_BYTES, flags, launch);
    if (*child < 0 && errno == EINVAL && !launch->keep) {
        launch->copied = true;
        sigpending(&pending);
        *child = clone(become_intermediate, stack + STACK_BYTES, flags | CLONE_VFORK | SIGCHLD, launch);
    }
    if (*child < 0) {
        launch->error = errno;
        return false;
    }
    if (launch->copied) {
        wait_for_visible(*child, &pending);
        return false;
    }
    if (launch->keep && wait_for_start(launch, *child) && launch->error == 0)
        return true;
    /* With a stack of its own for the writer, it would be enough to wait for the end of the child. This would
     * hide the child from every wait of the program. But each start would take 0.1 ms, and 4 to 10 ms on busy
     * processors. */
    if (!wait && !launch->keep)
        return true;
    wait_for_end(*child);
    return false;
}

/* A launch that the program has not waited for. `launch` is NULL if there is none. */
static struct {
    struct writer_launch *launch;
    char *memory;
    size_t bytes;
    pid_t child;
} pending_launch;

int omptape_launch_finish(_Atomic int32_t *writer)
{
    if (pending_launch.launch == NULL)
        return 0;
    wait_for_end(pending_launch.child);
    atomic_store(writer, pending_launch.launch->writer);
    const int error = pending_launch.launch->error;
    pending_launch.launch = NULL;
    munmap(pending_launch.memory, pending_launch.bytes);
    return -error;
}

void omptape_launch_finish_earlier(void)
{
    const int clone_children = (int)(WEXITED | WNOHANG | WNOWAIT | __WCLONE);
    siginfo_t ended = {.si_pid = 0};
    char name[32];
    if (omptape_launch_is_emulated())
        return;
    while (waitid(P_ALL, 0, &ended, clone_children) == 0 && ended.si_pid != 0 &&
           omptape_process_read(ended.si_pid, "comm", name, sizeof(name)) == sizeof(intermediate_name) &&
           memcmp(name, intermediate_name, sizeof(intermediate_name) - 1) == 0 &&
           waitpid(ended.si_pid, NULL, (int)(WNOHANG | __WCLONE)) > 0)
        ended.si_pid = 0;
}

/* Returns how many processes a program needs: a team of as many threads as processors or as asked for, and
 * the writer's. At most as many as are reserved within a user's limit. */
static uint64_t needed_processes(void)
{
    enum { OF_WRITER = 8 };
    const char *asked = getenv("OMP_NUM_THREADS");
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const long threads = asked != NULL ? strtol(asked, NULL, 10) : 0;
    const long most = threads > processors ? threads : processors;
    return most < RESERVED_PROCESSES - OF_WRITER ? (uint64_t)(most > 0 ? most : 1) + OF_WRITER
                                                 : RESERVED_PROCESSES;
}

/* Returns true if the limits of control groups leave enough processes to the program. */
static bool has_processes_left(void)
{
    const int process = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const uint64_t left = process >= 0 ? omptape_process_limit(process, "/proc/self/mountinfo") : UINT64_MAX;
    if (process >= 0)
        close(process);
    return left >= needed_processes();
}

bool omptape_launch_take_back(pid_t writer)
{
    sigset_t child_signal;
    sigset_t saved;
    sigset_t pending;
    struct omptape_process_stat stat;
    int requested = 0;
    if (prctl(PR_GET_CHILD_SUBREAPER, &requested, 0, 0, 0) != 0 || requested == 0 ||
        omptape_process_stat_of(writer, &stat) != 0 || stat.parent != getpid())
        return false;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child_signal, &saved);
    sigpending(&pending);
    kill(writer, SIGKILL);
    wait_for_visible(writer, &pending);
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    return true;
}

int omptape_launch_writer(const char *path, const struct omptape_launch_files *files, bool wait,
                          _Atomic int32_t *writer)
{
    sigset_t all;
    sigset_t saved;
    pid_t child;
    if (!has_processes_left())
        return -EAGAIN;
    size_t texts = 0;
    const size_t variables = measure_environment(&texts);
    const size_t launch_at = STACK_BYTES + (variables + 1) * sizeof(char *);
    const size_t texts_at = launch_at + sizeof(struct writer_launch);
    const size_t bytes = texts_at + texts;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return -errno;
    char **environment = (char **)(void *)(memory + STACK_BYTES);
    copy_environment(environment, variables, memory + texts_at, texts);
    struct writer_launch *launch = (struct writer_launch *)(void *)(memory + launch_at);
    *launch = (struct writer_launch){
        .path = path, .environment = environment, .files = *files, .keep = orphans_come_here()};
    snprintf(launch->pid, sizeof(launch->pid), "%d", (int)getpid());
    /* The program's signal handlers must not run in a child that shares its memory. */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &saved);
    const bool is_in_use = start_intermediate(launch, memory, wait, &child);
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    const int error = launch->error;
    if (!is_in_use || launch->keep)
        atomic_store(writer, launch->writer);
    if (!is_in_use)
        munmap(memory, bytes);
    else if (!launch->keep) {
        pending_launch.launch = launch;
        pending_launch.memory = memory;
        pending_launch.bytes = bytes;
        pending_launch.child = child;
        return 0;
    }
    return -error;
}

bool omptape_launch_is_emulated(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded != NULL && strstr(preloaded, "vgpreload") != NULL;
}

static bool try_path(char *path, size_t bytes, const char *folder, size_t folder_length, const char *relative)
{
    int n = snprintf(path, bytes, "%.*s/%s", (int)folder_length, folder, relative);
    return n > 0 && (size_t)n < bytes && access(path, X_OK) == 0;
}

int omptape_launch_find_writer(char *path, size_t bytes)
{
    static const char *const relative_paths[] = {OMPTAPE_LIB_TO_LIBEXEC "/omptape-writer",
                                                 "../libexec/omptape/omptape-writer", "omptape-writer"};
    Dl_info library;
    const char *requested = getenv("OMPTAPE_WRITER");
    if (requested != NULL && requested[0] != '\0') {
        snprintf(path, bytes, "%s", requested);
        return access(path, X_OK) == 0 ? 0 : -ENOENT;
    }
    /* dladdr returns the name that the loader was given. A relative name is invalid after a change of folder.
     */
    if (dladdr((void *)(uintptr_t)&omptape_launch_find_writer, &library) == 0 || library.dli_fname == NULL)
        return -ENOENT;
    const char *slash = strrchr(library.dli_fname, '/');
    const char *folder = slash != NULL ? library.dli_fname : ".";
    size_t length = slash != NULL ? (size_t)(slash - library.dli_fname) : 1;
    for (size_t i = 0; i < sizeof(relative_paths) / sizeof(relative_paths[0]); i++)
        if (try_path(path, bytes, folder, length, relative_paths[i]))
            return 0;
    try_path(path, bytes, folder, length, relative_paths[0]);
    return -ENOENT;
}
