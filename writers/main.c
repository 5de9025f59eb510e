/* SPDX-License-Identifier: BSD-3-Clause
 *
 * omptape-writer: drains the buffers of one traced process while it runs, and finishes the archive when it
 * ends. The library starts it (src/tool/launch.c) with four descriptors. Descriptor 3 is the shared memory, 4
 * a pidfd of the program, 5 a copy of its memory map and 6 the session's settings.
 */
#include "buffers/futex.h"
#include "src/core/clock.h"
#include "src/core/limits.h"
#include "src/core/log.h"
#include "src/core/message.h"
#include "src/core/own_stack.h"
#include "writers/checkpoint.h"
#include "writers/clock_sync.h"
#include "writers/credentials.h"
#include "writers/finish.h"
#include "writers/observe/observe.h"
#include "writers/output.h"
#include "writers/profile/profile.h"
#include "writers/recorder.h"
#include "writers/regions/modules.h"
#include "writers/regions/region_filter.h"
#include "writers/report.h"
#include "writers/requests.h"
#include "writers/symbols/lost_pages.h"
#include "writers/symbols/symbols.h"
#include "writers/top_answers.h"
#include "writers/translate/translate.h"
#include "writers/watch.h"
#include <errno.h>
#include <fcntl.h>
#include <omptape/settings.h>
#include <omptape/shm.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The text members of the settings; each must end with a NUL byte. */
static const struct {
    size_t offset;
    size_t bytes;
} texts[] = {
#define TEXT(member)                                                                                         \
    {offsetof(struct omptape_settings, member), sizeof(((struct omptape_settings *)0)->member)}
    TEXT(program),  TEXT(arguments),    TEXT(output),     TEXT(report),       TEXT(filter),
    TEXT(log_file), TEXT(counters),     TEXT(job.id),     TEXT(job.launcher), TEXT(job.step),
    TEXT(job.node), TEXT(job.identity), TEXT(job.parent),
#undef TEXT
};

static bool are_texts_ended(const struct omptape_settings *settings)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (memchr((const char *)settings + texts[i].offset, '\0', texts[i].bytes) == NULL)
            return false;
    return settings->arguments_bytes < sizeof(settings->arguments);
}

static bool is_layout_possible(const struct omptape_settings *settings)
{
    return settings->chunk_limit > 0 && settings->chunk_limit < UINT32_MAX / 2 &&
           settings->chunk_count >= settings->chunk_limit &&
           settings->chunk_count - settings->chunk_limit <= OMPTAPE_EXTRA_CHUNKS;
}

static bool is_valid(const struct omptape_settings *settings)
{
    return settings->magic == OMPTAPE_SETTINGS_MAGIC && settings->version == OMPTAPE_SETTINGS_VERSION &&
           is_layout_possible(settings) && are_texts_ended(settings) && settings->pid > 0 &&
           settings->parent_pid >= 0 && settings->policy <= OMPTAPE_POLICY_OVERWRITE &&
           settings->clock_kind >= OMPTAPE_CLOCK_TSC && settings->clock_kind <= OMPTAPE_CLOCK_MONOTONIC_RAW &&
           settings->log_level < OMPTAPE_LOG_LEVELS && settings->job.rank >= 0 && settings->job.size >= 0;
}

/* Reads the file at `fd` into `settings` and checks that every text ends and every number is in its range.
 * The caller keeps `fd`. Returns 0, -EPROTO if the settings come from another version of the library, or
 * another negative errno. */
static int settings_take(struct omptape_settings *settings, int fd)
{
    size_t taken = 0;
    while (taken < sizeof(*settings)) {
        ssize_t n = pread(fd, (char *)settings + taken, sizeof(*settings) - taken, (off_t)taken);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EPROTO;
        taken += (size_t)n;
    }
    return is_valid(settings) ? 0 : -EPROTO;
}

enum { SHM_FD = 3, PID_FD = 4, MAPS_FD = 5, SETTINGS_FD = 6, FIRST_FOREIGN_FD = 7 };
enum { MAX_PROCESSORS = 8192 };

/* The line that the library prints in the program; the shared memory has a copy. */
static char message[OMPTAPE_MESSAGE_BYTES];

static const uint64_t second_ns = 1000000000;
static const uint64_t sleep_ns = 100000000;
static const uint64_t blocked_sleep_ns = 1000000;
/* After new threads the writer sleeps for so long and only a waiting thread wakes it: threads mostly begin
 * together, and are found together. */
static const uint64_t new_threads_sleep_ns = 2000000;
/* The members of a team begin within microseconds. After this time the record of one is lost. */
static const uint64_t team_timeout_ns = 1000000000;

static void close_foreign_descriptors(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, FIRST_FOREIGN_FD, ~0U, 0) == 0)
        return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = FIRST_FOREIGN_FD; fd < limit; fd++)
        close(fd);
}

/* Sends the writer's version to a library of another version, which reports the mismatch in the program. */
static void send_release(const struct omptape_settings *settings)
{
    static const char release[OMPTAPE_RELEASE_BYTES] = OMPTAPE_VERSION;
    if (settings->magic == OMPTAPE_SETTINGS_MAGIC && settings->version >= OMPTAPE_RELEASE_VERSION)
        (void)!pwrite(SHM_FD, release, sizeof(release), offsetof(struct omptape_shm, writer_release));
}

/* Keeps the writer out of the program's way: all processors of the job, low priority, no limit of the
 * program's time, no core file. */
static void configure_process(void)
{
    struct rlimit limit;
    cpu_set_t *all = CPU_ALLOC(MAX_PROCESSORS);
    if (all != NULL) {
        memset(all, 0xff, CPU_ALLOC_SIZE(MAX_PROCESSORS));
        sched_setaffinity(0, CPU_ALLOC_SIZE(MAX_PROCESSORS), all);
        CPU_FREE(all);
    }
    setpriority(PRIO_PROCESS, 0, 10);
    /* SCHED_BATCH prevents the writer from preempting a thread of the program when work arrives. */
    const struct sched_param none = {.sched_priority = 0};
    sched_setscheduler(0, SCHED_BATCH, &none);
    if (getrlimit(RLIMIT_CPU, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_CPU, &limit);
    }
    /* A core file would be left in the archive's folder, or replace the program's. */
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &limit);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    /* A batch system signals the whole job before it kills it. The archive must be finished in between. */
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
}

/* Reduces the pool where a cgroup limits the program's memory, unless the user chose its size: the ranks of
 * the node share that memory. Otherwise the kernel might end the program for the memory of its pool. */
static void limit_pool(struct omptape_writer *writer)
{
    enum { PARTS_OF_MEMORY = 32 };
    const struct omptape_settings *settings = writer->settings;
    const uint64_t ranks = settings->job.local_size > 0 ? (uint64_t)settings->job.local_size : 1;
    const uint64_t limit = omptape_memory_limit(writer->process, "/proc/self/mountinfo");
    if (settings->buffer_requested != 0 || limit == UINT64_MAX)
        return;
    omptape_consumer_limit_pool(&writer->consumer, limit / PARTS_OF_MEMORY / ranks);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "memory is limited to %llu MiB: a pool of %u chunks",
                (unsigned long long)(limit >> 20), writer->consumer.layout.chunk_limit);
}

static void set_state(struct omptape_shm *shm, enum omptape_writer_state state)
{
    atomic_store(&shm->writer_state, (uint32_t)state);
    omptape_futex_wake(&shm->writer_state);
    /* Threads that wait for a chunk must check the state, too. */
    atomic_fetch_add(&shm->freed, 1);
    omptape_futex_wake(&shm->freed);
}

static void sleep_for_work(struct omptape_shm *shm, enum omptape_writer_sleep how, uint64_t ns)
{
    uint32_t seen = atomic_load(&shm->work);
    atomic_store(&shm->writer_sleeps, (uint32_t)how);
    atomic_thread_fence(memory_order_seq_cst);
    /* A thread that began to wait for a chunk earlier did not wake the writer, and no other may be left for
     * it. */
    if (atomic_load(&shm->chunk_waiters) != 0 && ns > blocked_sleep_ns)
        ns = blocked_sleep_ns;
    if (atomic_load(&shm->program_state) == OMPTAPE_PROGRAM_RUNNING)
        omptape_futex_wait(&shm->work, seen, ns);
    atomic_store(&shm->writer_sleeps, OMPTAPE_WRITER_AWAKE);
}

/* Returns true if an incomplete team must be translated without its missing members. */
static bool is_team_overdue(const struct omptape_shm *shm, uint64_t blocked_since)
{
    uint64_t waited = omptape_clock_raw_ns() - blocked_since;
    return waited > team_timeout_ns ||
           (atomic_load(&shm->chunk_waiters) > 0 && waited > team_timeout_ns / 50);
}

/* Returns the processor time of children that have ended, for example those that made checkpoints. */
static uint64_t children_ns(void)
{
    struct rusage spent;
    if (getrusage(RUSAGE_CHILDREN, &spent) != 0)
        return 0;
    return ((uint64_t)spent.ru_utime.tv_sec + (uint64_t)spent.ru_stime.tv_sec) * second_ns +
           ((uint64_t)spent.ru_utime.tv_usec + (uint64_t)spent.ru_stime.tv_usec) * 1000;
}

/* Returns true if the program has ended. Sets the time up to which its records count. */
static bool is_program_over(struct omptape_writer *writer, const struct omptape_watch *watch)
{
    bool dead = atomic_load(&watch->gone) || atomic_load(&watch->replaced);
    struct timespec spent;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) == 0)
        writer->processor_ns = (uint64_t)spent.tv_sec * second_ns + (uint64_t)spent.tv_nsec + children_ns();
    writer->final = dead || atomic_load(&writer->shm->program_state) != OMPTAPE_PROGRAM_RUNNING;
    writer->consumer.final = writer->final;
    /* Threads that exit() did not stop continue to record. They must not delay the end of the archive. */
    writer->final_horizon = dead ? UINT64_MAX : omptape_timeline_now(&writer->timeline);
    return writer->final;
}

static uint64_t shorter(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Drops the rights that the program has dropped. If that fails, the archive gets an error and ends. */
static void follow_rights(struct omptape_writer *writer, struct omptape_credentials *credentials,
                          const struct omptape_watch *watch, const struct omptape_output *output, bool now)
{
    int error = omptape_credentials_follow(credentials, watch->process_fd, output->descriptor, now);
    if (error != 0 && writer->archive.error[0] == '\0')
        snprintf(writer->archive.error, sizeof(writer->archive.error),
                 "the program has given up rights, and its writer could not: %s", omptape_cause(error));
}

/* Translates records, or forgets them as flight recorder, until the program is over. */
static void follow_program(struct omptape_writer *writer, const struct omptape_watch *watch,
                           struct omptape_recorder *recorder, struct omptape_top_answers *answers,
                           struct omptape_checkpoint *checkpoint,
                           struct omptape_writer_clock_sync *clock_sync,
                           struct omptape_credentials *credentials, const struct omptape_output *output)
{
    struct omptape_shm *shm = writer->shm;
    uint64_t blocked_since = 0;
    while (!is_program_over(writer, watch)) {
        follow_rights(writer, credentials, watch, output, false);
        const uint64_t max_sleep_ns = omptape_clock_sync_serve(clock_sync, writer, output);
        omptape_recorder_serve(recorder, writer, output);
        omptape_consumer_populate_chunks(&writer->consumer);
        omptape_observe_switches(writer);
        /* The reading must be taken before the events since the last reading are written, because it may
         * have to be inserted between them. */
        if (blocked_since == 0)
            omptape_observe_serve(writer);
        const uint32_t threads = writer->thread_count;
        struct omptape_merge_result result =
            recorder->on ? omptape_recorder_pass(writer) : omptape_merge_pass(writer);
        const bool has_new_threads = writer->thread_count > threads;
        if (has_new_threads)
            omptape_observe_switches(writer);
        if (!result.blocked) {
            blocked_since = 0;
            omptape_top_answers_serve(
                answers, writer, recorder->on ? omptape_timeline_now(&writer->timeline) : result.horizon);
            writer->forms_incomplete_teams = false;
            omptape_disk_reserve_check(&writer->archive.disk_reserve);
            if (!writer->archive.disk_reserve.tight)
                omptape_checkpoint_serve(checkpoint, writer, result.horizon);
            omptape_disk_reserve_set_checkpoint(&writer->archive.disk_reserve, checkpoint->child != 0);
        } else if (blocked_since == 0) {
            blocked_since = omptape_clock_raw_ns();
        } else if (is_team_overdue(shm, blocked_since)) {
            writer->forms_incomplete_teams = true;
            blocked_since = 0;
            continue;
        }
        if (result.blocked)
            usleep((useconds_t)(blocked_sleep_ns / 1000));
        else if (recorder->on)
            sleep_for_work(shm, OMPTAPE_WRITER_NOT_NEEDED,
                           shorter(max_sleep_ns, omptape_recorder_max_sleep_ns(writer)));
        else if (has_new_threads)
            sleep_for_work(shm, OMPTAPE_WRITER_NOT_NEEDED, shorter(max_sleep_ns, new_threads_sleep_ns));
        else
            sleep_for_work(shm, OMPTAPE_WRITER_SLEEPS,
                           shorter(max_sleep_ns, omptape_observe_max_sleep_ns(writer, sleep_ns)));
    }
}

/* Observes a program that has not used OpenMP, MPI or marks yet. False if it ends without any. */
static bool await_use(struct omptape_writer *writer, const struct omptape_watch *watch,
                      struct omptape_credentials *credentials)
{
    const struct omptape_output none = {.descriptor = -1};
    struct omptape_request request;
    while (atomic_load(&writer->shm->unused) != 0) {
        if (is_program_over(writer, watch))
            return atomic_load(&writer->shm->unused) == 0;
        follow_rights(writer, credentials, watch, &none, false);
        while (omptape_requests_take(&request))
            omptape_requests_answer(&request, "error=it has not used OpenMP, MPI or marks yet\n");
        omptape_top_answers_unused(writer);
        omptape_observe_serve(writer);
        omptape_observe_switches(writer);
        sleep_for_work(writer->shm, OMPTAPE_WRITER_SLEEPS, omptape_observe_max_sleep_ns(writer, sleep_ns));
    }
    return true;
}

/* Sets the message about an error or a gap. The library prints it once when the program ends. */
static void set_message(struct omptape_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void set_message(struct omptape_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    memcpy(writer->shm->message, message, sizeof(message));
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "has the library print: %s", message);
}

/* Chooses the folder and opens the archive in it. The flight recorder opens its archive later (`later`). */
static int open_output(struct omptape_writer *writer, struct omptape_output *output, bool later)
{
    int error = omptape_output_choose(output, writer->settings);
    if (error != 0) {
        const char *mark = output->refusal[0] != '\0' ? "; " : "";
        set_message(writer,
                    "%.400s%scannot write to %.400s: %s; nothing is traced (-o DIR names another folder)",
                    output->refusal, mark, output->folder, omptape_cause(error));
        return error;
    }
    if (later || omptape_archive_open(&writer->archive, output->descriptor) == 0)
        return 0;
    set_message(writer, "cannot write an archive in %.600s: %.250s; nothing is traced", output->folder,
                writer->archive.error);
    omptape_output_release(output);
    struct omptape_job_lines lines = {.asked = false};
    omptape_output_leave(output, writer->settings, omptape_report_is_read(&writer->report), &lines);
    return -EIO;
}

/* Reports a finished trace's problems in the program, unless a command will. `lines`: about the job. */
static void report_problems(struct omptape_writer *writer, const struct omptape_output *output,
                            bool checkpoint, const char *lines)
{
    bool reports_itself = writer->settings->report[0] == '\0';
    char why[256];
    if (writer->archive.error[0] != '\0')
        set_message(writer, "the trace in %.400s is not complete: %.300s%s%.400s%s", output->folder,
                    writer->archive.error, checkpoint ? " (`omptape unify " : "",
                    checkpoint ? output->folder : "",
                    checkpoint ? "` makes an archive of what came before)" : "");
    else if (reports_itself && omptape_disk_reserve_describe(&writer->archive.disk_reserve, why, sizeof(why)))
        set_message(writer, "%.600s: %s", output->folder, why);
    else if (reports_itself && output->refusal[0] != '\0')
        set_message(writer, "%.500s; the trace is in %.400s", output->refusal, output->folder);
    else if (reports_itself && omptape_region_filter_error(writer)[0] != '\0')
        set_message(writer, "%s", omptape_region_filter_error(writer));
    else if (reports_itself && lines[0] != '\0')
        set_message(writer, "%s", lines);
    else if (reports_itself && omptape_report_advice()[0] != '\0') {
        set_message(writer, "%s", omptape_report_advice());
        writer->shm->message_is_advice = 1;
    }
    /* A rank's process archive is removed soon by unification, so its path is not reported. */
    if (reports_itself && writer->archive.error[0] == '\0' && output->marks.folder[0] == '\0')
        snprintf(writer->shm->archive, sizeof(writer->shm->archive), "%s", output->folder);
}

static void trace_program(struct omptape_writer *writer, struct omptape_watch *watch)
{
    struct omptape_output output = {.folder = ""};
    struct omptape_recorder recorder = {.on = false};
    struct omptape_top_answers answers = {.frames = -1};
    struct omptape_job_lines lines = {.asked = false};
    struct omptape_writer_clock_sync clock_sync = {.started = false};
    struct omptape_credentials credentials;
    struct omptape_checkpoint checkpoint;
    struct omptape_shm *shm = writer->shm;
    omptape_recorder_start(&recorder, writer);
    omptape_credentials_init(&credentials);
    if (!await_use(writer, watch, &credentials)) {
        omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "ends: the program used nothing that is traced");
        return;
    }
    if (open_output(writer, &output, recorder.on) != 0) {
        omptape_report_send(writer, output.folder, output.marks.folder, message);
        set_state(shm, OMPTAPE_WRITER_FAILED);
        return;
    }
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "writes into %s", output.folder);
    omptape_report_begin(writer, output.folder);
    set_state(shm, OMPTAPE_WRITER_RUNNING);
    omptape_checkpoint_start(&checkpoint, writer, recorder.on ? NULL : output.folder, output.descriptor);
    answers.is_recorder = recorder.on;
    answers.folder = output.folder;
    follow_program(writer, watch, &recorder, &answers, &checkpoint, &clock_sync, &credentials, &output);
    omptape_top_answers_stop(&answers, writer);
    follow_rights(writer, &credentials, watch, &output, true);
    omptape_clock_sync_end(&clock_sync, &output);
    const bool is_there = !atomic_load(&watch->gone) && !atomic_load(&watch->replaced);
    omptape_observe_end(writer, is_there);
    const uint64_t ended_ns = children_ns();
    omptape_checkpoint_stop(&checkpoint);
    writer->processor_ns += children_ns() - ended_ns;
    omptape_recorder_stop(&recorder, writer, &output, is_there);
    if (!recorder.on || omptape_recorder_open(writer, output.descriptor) == 0) {
        struct omptape_ending ending = omptape_finish_ending(writer, watch);
        omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "the program has ended (%s); reads what is left",
                    ending.text);
        omptape_merge_pass(writer);
        omptape_observe_read_remaining(writer, is_there);
        set_state(shm, OMPTAPE_WRITER_CLOSING);
        omptape_finish(writer, &ending);
    }
    if (writer->archive.error[0] == '\0')
        omptape_checkpoint_remove(&checkpoint);
    omptape_output_release(&output);
    omptape_output_leave(&output, writer->settings, omptape_report_is_read(&writer->report), &lines);
    report_problems(writer, &output, checkpoint.made, lines.text);
    omptape_report_send(writer, output.folder, output.marks.folder, message);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "ends: %s",
                writer->archive.error[0] != '\0' ? writer->archive.error : "the archive is complete");
    set_state(shm, writer->archive.error[0] != '\0' ? OMPTAPE_WRITER_FAILED : OMPTAPE_WRITER_FINISHED);
}

static void release_writer(struct omptape_writer *writer)
{
    omptape_profile_free(writer);
    omptape_translate_free(writer);
    omptape_archive_strings_free(&writer->strings);
    omptape_symbols_destroy(writer->symbols);
    omptape_consumer_close(&writer->consumer);
}

/* Starts the log with the choice in the settings, because omptape's variables are removed from the
 * writer's environment. A log file that cannot be opened is ignored: the library has reported it already. */
static void start_log(const struct omptape_settings *settings)
{
    const struct omptape_log_choice choice = {.level = (enum omptape_log_level)settings->log_level,
                                              .areas = settings->log_areas,
                                              .file = settings->log_file};
    (void)omptape_log_start(&choice, true);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_WRITER, "starts for process %d, %s, rank %d of %d",
                (int)settings->pid, settings->program, (int)settings->job.rank, (int)settings->job.size);
}

/* Takes the settings and the shared memory from their descriptors. Returns 0 or negative errno. */
static int take_session(struct omptape_writer *writer, struct omptape_settings *settings)
{
    int error = settings_take(settings, SETTINGS_FD);
    if (error == -EPROTO && settings->version != OMPTAPE_SETTINGS_VERSION)
        send_release(settings);
    if (error == 0) {
        const struct omptape_layout layout =
            omptape_layout_of(settings->chunk_limit, settings->chunk_count - settings->chunk_limit);
        error = omptape_consumer_open(&writer->consumer, SHM_FD, &layout);
    }
    if (error != 0)
        return error;
    close(SHM_FD);
    close(SETTINGS_FD);
    start_log(settings);
    writer->settings = settings;
    writer->shm = writer->consumer.shm;
    return 0;
}

static void start_timeline(struct omptape_writer *writer)
{
    const struct omptape_settings *settings = writer->settings;
    omptape_clock_use((enum omptape_clock_kind)settings->clock_kind);
    omptape_timeline_start(&writer->timeline, settings->start_ticks, settings->start_raw,
                           settings->clock_second);
    if (settings->distinct_times != 0)
        omptape_timeline_refine(&writer->timeline);
    writer->begin =
        omptape_timeline_before(&writer->timeline, settings->start_ticks, settings->before_start_ns);
}

/* Creates what needs memory. Returns false, with a message for the program, if out of memory. */
static bool create_parts(struct omptape_writer *writer, struct omptape_watch *watch)
{
    const struct omptape_settings *settings = writer->settings;
    const int pid_fd = fcntl(PID_FD, F_GETFD) >= 0 ? PID_FD : -1;
    if (omptape_symbols_create(&writer->symbols) == 0 && omptape_translate_create(writer) == 0 &&
        omptape_watch_start(watch, writer->shm, settings->pid, pid_fd) == 0) {
        omptape_symbols_set_start(writer->symbols, settings->start_realtime);
        omptape_archive_create(&writer->archive);
        if (settings->profile == 0 || omptape_profile_create(writer) == 0)
            return true;
    }
    set_message(writer, "the writer cannot start: %s; nothing is traced", omptape_cause(ENOMEM));
    set_state(writer->shm, OMPTAPE_WRITER_FAILED);
    return false;
}

static int run_writer(int argc, char **argv)
{
    static struct omptape_writer writer;
    static struct omptape_settings settings;
    static struct omptape_processor_set allowed;
    struct omptape_watch watch;
    (void)argc;
    (void)argv;
    /* Reads the allowed processors first: LLVM's runtime may bind itself to each one in turn meanwhile. */
    if (!omptape_machine_allowed(0, &allowed))
        allowed.count = 0;
    omptape_requests_start();
    configure_process();
    close_foreign_descriptors();
    if (take_session(&writer, &settings) != 0) {
        fprintf(stderr, "omptape-writer is started by libomptape.so in a traced program, not by hand\n");
        return 2;
    }
    /* The program ended before the writer had started. */
    if (atomic_load(&writer.shm->unused) != 0 &&
        atomic_load(&writer.shm->program_state) != OMPTAPE_PROGRAM_RUNNING)
        return 0;
    omptape_lost_pages_replace(writer.shm, writer.consumer.mapped_bytes);
    omptape_report_open(&writer.report, &settings);
    start_timeline(&writer);
    if (!create_parts(&writer, &watch))
        return 1;
    writer.process = watch.process_fd;
    limit_pool(&writer);
    writer.archive.step = settings.distinct_times != 0;
    omptape_modules_take(&writer, MAPS_FD);
    omptape_region_filter_create(&writer);
    omptape_observe_start(&writer, watch.process_fd, &allowed);
    trace_program(&writer, &watch);
    omptape_observe_stop(&writer);
    omptape_watch_stop(&watch);
    release_writer(&writer);
    return 0;
}

int main(int argc, char **argv)
{
    return omptape_own_stack_run(run_writer, argc, argv);
}
