/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sessions: the shared memory between this process and its writer, from its creation to the closed archive.
 * Started by the initialising thread, ended by the one that ends the program, which waits for the writer.
 */
#include "src/tool/session.h"

#include "buffers/cancel.h"
#include "buffers/futex.h"
#include "buffers/layout.h"
#include "buffers/pool.h"
#include "buffers/producer.h"
#include "buffers/signal_samples.h"
#include "buffers/writer_monitor.h"
#include "callbacks/module.h"
#include "src/core/clock.h"
#include "src/core/log.h"
#include "src/core/message.h"
#include "src/core/progress.h"
#include "src/job/job.h"
#include "src/job/report_file.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <errno.h>
#include <omptape/properties.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Mapped until the process ends, because late callbacks may write to it. */
static struct omptape_shm *session;
static struct omptape_settings settings;

/* The early session, in which the writer samples the program from its begin. It becomes the first session. If
 * the program never uses OpenMP, MPI or marks, neither an archive nor a message is left. */
static struct {
    struct omptape_shm *_Atomic shm; /* NULL: no early session */
    uid_t user;
    gid_t group;
    uint64_t ns; /* how long its start delayed the program's thread */
} early;
static atomic_bool ended;
static atomic_bool waited;
static bool quiet;

static const uint64_t wait_slice_ns = 250000000;

/* An early session is being started. Failures are not reported: the first use of OpenMP starts it again. */
static bool is_early;

/* Starts the debug log. Copies the file's name, because the program may change its environment. */
static void start_log(const struct omptape_options *options)
{
    static char file[OMPTAPE_PATH_BYTES];
    struct omptape_log_choice choice = options->log;
    snprintf(file, sizeof(file), "%s", choice.file != NULL ? choice.file : "");
    choice.file = file;
    const int error = omptape_log_start(&choice, false);
    if (error != 0 && !is_early)
        omptape_message("cannot write the log to %.600s: %s", file, omptape_cause(error));
}

/* Prints one line for the user, or passes it to the command's report, so that it is printed once. */
static void report_failure(const char *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void report_failure(const char *report, const char *format, ...)
{
    static char line[OMPTAPE_PATH_BYTES + 256]; /* the program's stack may be small */
    static char escaped[sizeof(line)];
    static char entry[sizeof(line) + sizeof("error=\n\n")];
    va_list arguments;
    if (is_early)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    int fd = omptape_report_file_open(report);
    const int bytes = snprintf(entry, sizeof(entry), "error=%s\n\n",
                               omptape_report_file_escape(line, escaped, sizeof(escaped)));
    const bool reported = fd >= 0 && omptape_message_write(fd, entry, (size_t)bytes);
    if (fd >= 0)
        close(fd);
    if (!reported)
        omptape_message("%s", line);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_LIBRARY, "failed: %s", line);
}

static int own_pid_fd(void)
{
#ifdef SYS_pidfd_open
    if (!omptape_launch_is_emulated())
        return (int)syscall(SYS_pidfd_open, getpid(), 0);
#endif
    return -1;
}

/* Returns true if the limit of descriptors caused the error. fcntl returns EINVAL beyond the limit. */
static bool is_descriptor_limit(int error)
{
    enum { FEW = 64 };
    struct rlimit limit;
    return error == -EMFILE ||
           (error == -EINVAL && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FEW);
}

/* Tells the writer that the program is done. Also works if the program has overwritten the shared memory. */
static void report_done(struct omptape_shm *shm)
{
    atomic_store(&shm->program_state, OMPTAPE_PROGRAM_DONE);
    atomic_fetch_add(&shm->work, 1);
    omptape_futex_wake(&shm->work);
}

/* Starts the writer. For an early session it does not wait until the writer runs (open_early_session does).
 * Returns 0, or negative errno after one line with the cause. */
static int launch_writer(struct omptape_shm *shm, int shm_fd, const char *report)
{
    static char path[OMPTAPE_PATH_BYTES];
    int error = omptape_launch_find_writer(path, sizeof(path));
    int settings_fd = error == 0 ? omptape_session_seal(&settings) : -1;
    if (error == 0 && settings_fd < 0)
        error = settings_fd;
    if (error == 0) {
        const struct omptape_launch_files files = {.shm = shm_fd,
                                                   .settings = settings_fd,
                                                   .pid = own_pid_fd(),
                                                   .has_stderr = omptape_log_uses_stderr()};
        error = omptape_launch_writer(path, &files, !is_early, &shm->writer_pid);
        omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_LIBRARY, "started the writer %s: %s", path,
                    error == 0 ? "it runs" : strerror(-error));
        if (files.pid >= 0)
            close(files.pid);
    }
    if (settings_fd >= 0)
        close(settings_fd);
    if (error == -EAGAIN)
        report_failure(report,
                       "the limit on processes (ulimit -u, or pids.max of a control group) leaves too few "
                       "to the program beside its writer; nothing is traced");
    else if (is_descriptor_limit(error))
        report_failure(report, "cannot start the writer: %s; nothing is traced", omptape_cause(EMFILE));
    else if (error != 0)
        report_failure(report,
                       "cannot start the writer %s: %s; nothing is traced (OMPTAPE_WRITER names another)",
                       path, omptape_cause(error));
    return error;
}

void omptape_session_note_start(uint64_t ns)
{
    omptape_session_info_note_start(early.ns + ns);
}

void omptape_session_unrecorded(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (omptape_session_is_own())
        omptape_session_info_warn(text);
    else
        report_failure(settings.report, OMPTAPE_WARNING_UNRECORDED "%s; nothing is traced", text);
}

/* The writer may have reduced the pool in the shared memory since. */
static void report_small_pool(const struct omptape_options *options)
{
    const uint64_t bytes = (uint64_t)settings.chunk_limit * OMPTAPE_CHUNK_BYTES;
    if (bytes + OMPTAPE_CHUNK_BYTES <= options->buffer_bytes && !options->quiet)
        omptape_message("the limit on the size of files (ulimit -f) leaves %llu MiB for buffers, not %llu",
                        (unsigned long long)(bytes >> 20), (unsigned long long)(options->buffer_bytes >> 20));
}

/* Returns 0 if a session may start here, or negative errno after one line with the reason. */
static int refuse(const struct omptape_options *options)
{
    static char line[256];
    if (omptape_launch_refusal(line, sizeof(line))) {
        report_failure(options->report, "%s; nothing is traced", line);
        return -EPERM;
    }
    const char *refusal = omptape_place_refusal(options->output);
    if (refusal == NULL)
        return 0;
    report_failure(options->report,
                   "%s; nothing is traced (OMPTAPE_OUTPUT names another one by its full path)", refusal);
    return -ENOENT;
}

/* Creates the shared memory and starts the writer. Returns 0, or negative errno after one line. */
static int make_session(const struct omptape_options *options, int32_t parent_pid, struct omptape_shm **made)
{
    struct omptape_shm *shm = NULL;
    omptape_module_start();
    int fd = omptape_producer_prepare();
    if (fd >= 0)
        fd = omptape_layout_create(options->buffer_bytes, &shm);
    if (fd < 0) {
        report_failure(options->report, "cannot make %llu MiB of shared memory: %s; nothing is traced%s",
                       (unsigned long long)(options->buffer_bytes >> 20), omptape_cause(fd),
                       fd == -ENOMEM ? " (--buffer-size=8M asks for less)" : "");
        return fd;
    }
    shm->policy = (uint32_t)options->when_full;
    atomic_store(&shm->unused, is_early);
    omptape_session_describe(&settings, shm, options, parent_pid);
    omptape_session_info_write(shm);
    omptape_layout_seal(fd);
    const int error = launch_writer(shm, fd, options->report);
    close(fd);
    if (error == 0) {
        *made = shm;
        return 0;
    }
    (void)omptape_signal_samples_stop();
    omptape_layout_unmap(shm);
    return error;
}

/* Ends the early session. In a forked child, which only inherited it, the writer is not notified. Makes no
 * system call to find out: a filter may not allow it. */
static void discard_early(struct omptape_shm *shm)
{
    if (omptape_producer_is_own())
        report_done(shm);
    omptape_layout_unmap(shm);
    early.ns = 0;
}

void omptape_session_leave_early(void)
{
    struct omptape_shm *shm = atomic_exchange(&early.shm, NULL);
    if (shm != NULL)
        discard_early(shm);
}

/* Turns the early session into the recorded one. Returns NULL if there is none, or the program has changed
 * its user or became the writer's parent since. Under a new system call filter neither the user is checked
 * nor the launch waited for, because such a call might be fatal. */
static struct omptape_shm *open_early_session(void)
{
    struct omptape_shm *shm = atomic_exchange(&early.shm, NULL);
    if (shm == NULL)
        return NULL;
    if (settings.pid != (int32_t)getpid() ||
        (!omptape_seccomp_is_new() && (geteuid() != early.user || getegid() != early.group ||
                                       omptape_launch_finish(&shm->writer_pid) != 0 ||
                                       omptape_launch_take_back(atomic_load(&shm->writer_pid))))) {
        discard_early(shm);
        return NULL;
    }
    atomic_store(&shm->unused, 0);
    omptape_writer_monitor_wake(shm, true);
    return shm;
}

static int open_session(int32_t parent_pid)
{
    struct omptape_options options;
    const char *preloaded = getenv("LD_PRELOAD");
    const int saved = errno;
    int error = 0;
    (void)omptape_options_read(&options, NULL, 0);
    quiet = options.quiet;
    start_log(&options);
    struct omptape_shm *shm = open_early_session();
    if (shm == NULL)
        error = refuse(&options);
    if (shm == NULL && error == 0)
        error = make_session(&options, parent_pid, &shm);
    if (error == 0) {
        report_small_pool(&options);
        omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_LIBRARY,
                    "begins a session: %u chunks of %u KiB, parent process %d, LD_PRELOAD=%s",
                    settings.chunk_limit, OMPTAPE_CHUNK_BYTES / 1024U, (int)parent_pid,
                    preloaded != NULL ? preloaded : "");
        omptape_session_info_write(shm);
        session = shm;
        atomic_store(&waited, false);
        atomic_store(&ended, false);
        omptape_producer_open(shm);
    }
    errno = saved;
    return error;
}

/* Notes where failures are reported. The variables may be gone when the program ends. */
__attribute__((constructor(102))) static void note_report(void)
{
    if (!omptape_libc_may_act())
        return;
    const char *report = getenv("OMPTAPE_REPORT_FILE");
    (void)snprintf(settings.report, sizeof(settings.report), "%s", report != NULL ? report : "");
}

/* Returns true if an early session is useful. It needs an absolute output path, because the program may
 * change its current folder before it uses OpenMP, and samples or switches to record. False under emulators,
 * which support fewer system calls. */
static bool is_early_wanted(const struct omptape_options *options)
{
    return options->output != NULL && options->output[0] == '/' &&
           (options->sample_ns != 0 || !options->no_sched) && !options->sample_by_signal &&
           !omptape_launch_is_emulated();
}

/* Starts the early session of a program that is linked with an OpenMP runtime. */
__attribute__((constructor)) static void begin_early(void)
{
    struct omptape_options options;
    struct omptape_shm *shm = NULL;
    char ignored[256];
    if (!omptape_has_runtime() || !omptape_was_loaded_with_program() || !omptape_libc_is_complete())
        return;
    const int saved = errno;
    const int cancel = omptape_cancel_hold();
    const uint64_t begun = omptape_clock_raw_ns();
    (void)omptape_options_read(&options, ignored, sizeof(ignored));
    if (!omptape_session_is_own() && is_early_wanted(&options) &&
        !omptape_launch_refusal(ignored, sizeof(ignored))) {
        is_early = true;
        omptape_launch_finish_earlier();
        start_log(&options);
        early.user = geteuid();
        early.group = getegid();
        if (make_session(&options, 0, &shm) == 0) {
            early.ns = omptape_clock_raw_ns() - begun;
            atomic_store(&early.shm, shm);
        }
        is_early = false;
    }
    omptape_cancel_release(cancel);
    errno = saved;
}

/* Locks the start of a session. *starting holds the process and thread of the owner, or 0. Returns 0; or
 * -EBUSY in a signal handler of the owner, which must not wait. A forked child takes over its parent's lock.
 */
static int lock_start(_Atomic uint64_t *starting)
{
    const uint64_t process = (uint64_t)getpid() << 32;
    const uint64_t self = process | (uint32_t)syscall(SYS_gettid);
    uint64_t other = 0;
    while (!atomic_compare_exchange_strong(starting, &other, self)) {
        if (other == self)
            return -EBUSY;
        if (other >> 32 != self >> 32)
            continue; /* the owner is another process: the lock was taken over */
        (void)syscall(SYS_sched_yield);
        other = 0;
    }
    return 0;
}

/* Blocks the signals that others send to this thread. The program's handlers may leave by longjmp, and a
 * session would then never be started. */
static void block_signals(sigset_t *saved)
{
    static const int own_errors[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(own_errors) / sizeof(own_errors[0]); i++)
        sigdelset(&blocked, own_errors[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, saved);
}

int omptape_session_start(int32_t parent_pid)
{
    static _Atomic uint64_t starting;
    sigset_t saved;
    const int cancel = omptape_cancel_hold();
    block_signals(&saved);
    int error = lock_start(&starting);
    if (error == 0) {
        error = omptape_session_is_own() ? 0 : open_session(parent_pid);
        atomic_store(&starting, 0);
    }
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    omptape_cancel_release(cancel);
    return error;
}

bool omptape_session_is_own(void)
{
    return session != NULL && omptape_producer_is_own();
}

struct omptape_shm *omptape_session_shm(void)
{
    return session;
}

const struct omptape_job *omptape_session_job(void)
{
    return &settings.job;
}

void omptape_session_end(enum omptape_end end)
{
    if (!omptape_session_is_own())
        return;
    /* A signal handler may have called exit() in the middle of a record. */
    omptape_producer_end_records();
    if (atomic_exchange(&ended, true))
        return;
    if (!omptape_signal_samples_stop())
        omptape_session_unrecorded("samples since the program takes SIGURG itself (--sample=signal)");
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_LIBRARY, "ends the session (enum omptape_end %d)", (int)end);
    atomic_store(&session->end, (uint32_t)end);
    atomic_store(&session->end_ticks, omptape_clock_now());
    report_done(session);
}

bool omptape_session_has_ended(void)
{
    return session != NULL && atomic_load(&ended);
}

/* Returns the number of chunks that the writer has not read. Not counting live threads' current chunks. */
static uint32_t chunks_left(void)
{
    uint32_t used = omptape_pool_used(session);
    uint32_t slots = atomic_load(&session->fresh_slots);
    for (uint32_t i = 0; i < slots && i < OMPTAPE_MAX_SLOTS && used > 0; i++)
        used -= atomic_load(&omptape_shm_slot(session, i)->state) == OMPTAPE_SLOT_LIVE;
    return used;
}

static void draw_progress(uint32_t state, uint32_t at_first)
{
    const double mib = (double)OMPTAPE_CHUNK_BYTES / (1 << 20);
    uint32_t left = chunks_left();
    if (state >= OMPTAPE_WRITER_CLOSING)
        omptape_progress_draw("writing the trace: closing the files");
    else if (at_first == 0 || left > at_first)
        omptape_progress_draw("writing the trace");
    else
        omptape_progress_draw("writing the trace: %u %% (%.1f of %.1f MiB of records)",
                              (unsigned)((uint64_t)(at_first - left) * 100 / at_first),
                              (at_first - left) * mib, at_first * mib);
}

/* Prints the writer's message, and on a terminal where the archive is. With a command only a writer that did
 * not start is reported, because the command reads the rest from its report. */
static void report_outcome(struct omptape_shm *shm)
{
    if (shm->writer_release[0] != '\0')
        report_failure(settings.report,
                       "the writer is of omptape %.*s, the library of omptape " OMPTAPE_VERSION
                       "; nothing is traced (install both from one release)",
                       OMPTAPE_RELEASE_BYTES - 1, shm->writer_release);
    else if (atomic_load(&shm->writer_state) == OMPTAPE_WRITER_STARTING)
        report_failure(settings.report,
                       "the writer has not started: process %d was ended or stopped, or is not of "
                       "omptape " OMPTAPE_VERSION " as the library is; nothing is traced",
                       (int)atomic_load(&shm->writer_pid));
    if (settings.report[0] != '\0')
        return;
    shm->message[sizeof(shm->message) - 1] = '\0';
    shm->archive[sizeof(shm->archive) - 1] = '\0';
    if (shm->message[0] != '\0' && (!quiet || shm->message_is_advice == 0))
        omptape_message("%s", shm->message);
    if (shm->archive[0] != '\0' && !quiet && isatty(STDERR_FILENO))
        omptape_message("the trace is in %.900s", shm->archive);
}

void omptape_session_wait(void)
{
    if (!omptape_session_is_own() || atomic_load(&waited))
        return;
    int saved = errno;
    const int cancel = omptape_cancel_hold();
    uint32_t state;
    uint32_t at_first = chunks_left();
    struct omptape_progress progress;
    omptape_progress_begin(&progress, quiet);
    while ((state = atomic_load(&session->writer_state)) < OMPTAPE_WRITER_FINISHED) {
        if (omptape_writer_monitor_is_lost(session))
            break;
        if (omptape_progress_is_due(&progress))
            draw_progress(state, at_first);
        if (atomic_load(&ended) && atomic_load(&session->program_state) != OMPTAPE_PROGRAM_DONE)
            report_done(session);
        omptape_futex_wait(&session->writer_state, state, wait_slice_ns);
    }
    omptape_progress_erase();
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_LIBRARY, "waited for the writer: %s",
                state == OMPTAPE_WRITER_FINISHED ? "the archive is complete"
                : state == OMPTAPE_WRITER_FAILED ? "it failed"
                                                 : "it is lost");
    if (!atomic_exchange(&waited, true))
        report_outcome(session);
    omptape_cancel_release(cancel);
    errno = saved;
}

void omptape_session_hurry(void)
{
    atomic_store(&waited, true);
}

int32_t omptape_session_forget(void)
{
    struct omptape_shm *parents = atomic_exchange(&early.shm, NULL);
    if (parents != NULL)
        omptape_layout_unmap(parents);
    early.ns = 0;
    omptape_session_info_forget_lock();
    if (session == NULL)
        return 0;
    int32_t pid = settings.pid;
    omptape_producer_forget();
    atomic_fetch_add_explicit(&session->forks, 1, memory_order_relaxed);
    omptape_layout_unmap(session);
    session = NULL;
    return pid;
}

bool omptape_session_start_by_call(void)
{
    struct omptape_options options;
    char error[256];
    static atomic_bool failed;
    if (omptape_session_is_own())
        return true;
    if (atomic_load(&failed))
        return false;
    const uint64_t begun = omptape_clock_raw_ns();
    if (omptape_options_read(&options, error, sizeof(error)) != 0)
        omptape_message("%s; going on with the default", error);
    omptape_variables_say();
    const int status = omptape_session_start(0);
    atomic_store(&failed, status != 0 && status != -EBUSY);
    if (status != 0)
        return false;
    omptape_fork_watch();
    omptape_session_note_start(omptape_clock_raw_ns() - begun);
    return true;
}
