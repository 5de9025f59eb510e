/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Settings of a session for its writer: the program, the options, the clock and the job. Called by session.c
 * on the thread that starts the session.
 */
#include "buffers/signal_samples.h"
#include "src/core/events.h"
#include "src/job/job.h"
#include "src/job/process.h"
#include "src/job/report_file.h"
#include "src/tool/session.h"
#include "src/tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void copy_text(char *to, size_t bytes, const char *text)
{
    snprintf(to, bytes, "%s", text != NULL ? text : "");
}

static void describe_program(struct omptape_settings *settings)
{
    (void)omptape_process_own_path(settings->program, sizeof(settings->program));
    settings->arguments_bytes =
        (uint32_t)omptape_process_read(0, "cmdline", settings->arguments, sizeof(settings->arguments));
}

static void describe_options(struct omptape_settings *settings, const struct omptape_options *options)
{
    const uint64_t requested = options->events & omptape_events_all;
    settings->policy = (uint32_t)options->when_full;
    settings->buffer_requested = options->buffer_requested;
    copy_text(settings->output, sizeof(settings->output), options->output);
    copy_text(settings->report, sizeof(settings->report),
              omptape_report_file_is_there(options->report) ? options->report : NULL);
    copy_text(settings->filter, sizeof(settings->filter), options->filter);
    copy_text(settings->log_file, sizeof(settings->log_file), options->log.file);
    settings->log_level = (uint32_t)options->log.level;
    settings->log_areas = options->log.areas;
    settings->checkpoint_ns = options->checkpoint_ns;
    settings->limit_per_site = options->limit_per_site;
    settings->force = options->force;
    settings->sibling = options->sibling;
    settings->paused = options->paused;
    settings->unify = !options->separate;
    settings->no_sched = options->no_sched;
    settings->sample_ns = options->sample_ns;
    copy_text(settings->counters, sizeof(settings->counters), options->counters);
    settings->sample_requested = options->sample_requested;
    settings->sample_by_signal = options->sample_by_signal && options->sample_ns != 0;
    if (settings->sample_by_signal != 0)
        settings->sample_error = omptape_signal_samples_start(&settings->sample_ns);
    settings->some_events = requested != omptape_events_all && (requested & ~omptape_events_always) != 0;
    settings->profile = options->profile;
    settings->distinct_times = options->distinct_times;
}

void omptape_session_describe(struct omptape_settings *settings, const struct omptape_shm *shm,
                              const struct omptape_options *options, int32_t parent_pid)
{
    struct omptape_clock_anchor anchor;
    enum omptape_clock_kind kind = omptape_clock_choose();
    omptape_clock_use(kind);
    memset(settings, 0, sizeof(*settings)); /* a value on the stack may be too large for the program's */
    settings->magic = OMPTAPE_SETTINGS_MAGIC;
    settings->version = OMPTAPE_SETTINGS_VERSION;
    settings->chunk_limit = shm->chunk_limit;
    settings->chunk_count = shm->chunk_count;
    settings->pid = (int32_t)getpid();
    settings->parent_pid = parent_pid;
    settings->clock_kind = (uint32_t)kind;
    settings->before_start_ns = omptape_process_start(&anchor);
    settings->start_ticks = anchor.ticks;
    settings->start_raw = anchor.raw_ns;
    settings->start_realtime = anchor.realtime_ns;
    settings->clock_second = omptape_clock_second();
    describe_options(settings, options);
    omptape_job_read(&settings->job);
    describe_program(settings);
}

int omptape_session_seal(const struct omptape_settings *settings)
{
    int fd = memfd_create("omptape-settings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    const ssize_t n = pwrite(fd, settings, sizeof(*settings), 0);
    if (n != (ssize_t)sizeof(*settings)) {
        int error = n < 0 ? -errno : -EIO;
        close(fd);
        return error;
    }
    (void)fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return fd;
}
