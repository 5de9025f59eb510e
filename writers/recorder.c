/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the flight recorder: forgets old records and writes snapshots of the newest ones.
 */
#include "writers/recorder.h"

#include "src/core/message.h"
#include "src/job/process.h"
#include "writers/finish.h"
#include "writers/observe/observe.h"
#include "writers/report.h"
#include "writers/state/locations.h"
#include "writers/translate/stack.h"
#include "writers/translate/translate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* One eighth of the pool is kept free for the threads while the oldest records are read. */
enum { FREE_SHARE = 8 };

static const uint64_t calm_ns = 50000000;
static const uint64_t busy_ns = 2000000;

/* Adds one chunk for each living thread, because current chunks do not count against the limit. */
static uint64_t chunks_to_keep(const struct omptape_writer *writer)
{
    uint64_t limit = writer->consumer.layout.chunk_limit;
    return limit - limit / FREE_SHARE + atomic_load(&writer->shm->live_threads);
}

void omptape_recorder_start(struct omptape_recorder *recorder, struct omptape_writer *writer)
{
    recorder->on = writer->settings->policy == OMPTAPE_POLICY_OVERWRITE;
    writer->forgetting = recorder->on;
    /* The program itself has paused the recording: --start=paused. */
    writer->paused_by_program = writer->paused;
    writer->paused = writer->paused || recorder->on;
}

struct omptape_merge_result omptape_recorder_pass(struct omptape_writer *writer)
{
    uint64_t used = omptape_consumer_chunks_in_use(&writer->consumer);
    uint64_t keep = chunks_to_keep(writer);
    if (used <= keep)
        return (struct omptape_merge_result){.blocked = false};
    writer->stop_at_freed = writer->consumer.chunks_returned + (used - keep);
    struct omptape_merge_result result = omptape_merge_pass(writer);
    writer->stop_at_freed = 0;
    return result;
}

uint64_t omptape_recorder_max_sleep_ns(const struct omptape_writer *writer)
{
    return omptape_consumer_chunks_in_use(&writer->consumer) > chunks_to_keep(writer) / 2 ? busy_ns : calm_ns;
}

void omptape_recorder_begin_window(struct omptape_writer *writer)
{
    uint64_t time = writer->last_time > writer->begin ? writer->last_time : writer->begin;
    writer->window_begin = time;
    writer->forgotten = writer->record_count;
    writer->record_count = 0;
    writer->stalled = 0;
    /* Nothing before the window is recorded, so the archive begins with a paused recording. */
    writer->paused = true;
    for (uint32_t i = 0; i < writer->location_count; i++) {
        struct omptape_location *location = writer->locations[i];
        omptape_stack_book_from(location, time);
        location->lived = 0;
        omptape_locations_open_events(writer, location, time);
    }
    writer->forgetting = false;
    writer->paused = writer->paused_by_program;
    if (!writer->paused)
        omptape_control_record(writer, time, true);
}

int omptape_recorder_open(struct omptape_writer *writer, int folder)
{
    int error = omptape_archive_open(&writer->archive, folder);
    if (error == 0)
        omptape_recorder_begin_window(writer);
    return error;
}

/* Runs in the snapshot's process, which has copies of the writer's state and of the buffers. */
static void write_snapshot(struct omptape_writer *writer, struct omptape_output *output, uint64_t time,
                           const struct omptape_request *request)
{
    char text[OMPTAPE_PATH_BYTES + 64];
    struct omptape_ending ending = {
        .text = "snapshot", .time = time, .status = OTF2_UNDEFINED_INT64, .has_maps = true};
    prctl(PR_SET_NAME, "omptape-snapshot");
    writer->final = true;
    writer->final_horizon = time;
    int error = omptape_recorder_open(writer, output->descriptor);
    if (error == 0) {
        omptape_merge_pass(writer);
        omptape_observe_read_remaining(writer, true);
        omptape_finish(writer, &ending);
    }
    omptape_output_release(output);
    const char *problem = writer->archive.error;
    snprintf(text, sizeof(text), "%s%s\n",
             problem[0] != '\0' ? "error=" : "trace=", problem[0] != '\0' ? problem : output->folder);
    omptape_requests_answer(request, text);
    omptape_report_send(writer, output->folder, "", problem);
    _exit(0);
}

/* The child answers the request itself, unless it was killed. */
static void forget_child(struct omptape_recorder *recorder, bool good)
{
    recorder->child = 0;
    if (!good)
        omptape_requests_answer(&recorder->request, "error=the process that wrote the snapshot was killed\n");
}

static void reap_child(struct omptape_recorder *recorder)
{
    int status;
    pid_t ended = recorder->child > 0 ? waitpid(recorder->child, &status, WNOHANG) : 0;
    if (ended != 0)
        forget_child(recorder, ended > 0 && WIFEXITED(status));
}

/* Waits for the child before the program ends, but kills a child that is stopped. */
static void await_child(struct omptape_recorder *recorder)
{
    int status = 0;
    if (recorder->child <= 0)
        return;
    int result = omptape_process_await(recorder->child, &status);
    if (result == -ETIMEDOUT) {
        (void)kill(recorder->child, SIGKILL);
        result = omptape_process_await(recorder->child, &status);
    }
    forget_child(recorder, result == 0 && WIFEXITED(status));
}

static void make_snapshot(struct omptape_recorder *recorder, struct omptape_writer *writer,
                          const struct omptape_output *output, const struct omptape_request *request)
{
    struct omptape_output own;
    struct omptape_consumer copy;
    char text[OMPTAPE_PATH_BYTES + 64] = "error=";
    uint64_t time = omptape_timeline_now(&writer->timeline);
    recorder->request = *request;
    int error = omptape_output_inside(&own, output, "snapshot", ++recorder->written_snapshots);
    if (error == 0)
        error = omptape_consumer_copy(&writer->consumer, &copy);
    if (error == 0) {
        recorder->child = fork();
        if (recorder->child == 0) {
            writer->consumer = copy;
            writer->shm = copy.shm;
            write_snapshot(writer, &own, time, request);
        }
        error = recorder->child < 0 ? -errno : 0;
        omptape_consumer_close(&copy);
    }
    omptape_output_close(&own);
    if (error == 0)
        return;
    recorder->child = 0;
    snprintf(text, sizeof(text), "error=cannot write a snapshot to %s: %s\n", own.folder,
             omptape_cause(error));
    omptape_requests_answer(request, text);
}

void omptape_recorder_serve(struct omptape_recorder *recorder, struct omptape_writer *writer,
                            const struct omptape_output *output)
{
    static const char refusal[] =
        "error=it is not recorded by --when-full=overwrite; its archive is complete when it ends\n";
    struct omptape_request request = {.answer_pid = 0};
    uint32_t requested_snapshots = atomic_load(&writer->shm->snapshots_requested);
    reap_child(recorder);
    if (requested_snapshots != recorder->requested_snapshots && recorder->child == 0) {
        if (recorder->on)
            make_snapshot(recorder, writer, output, &request);
        recorder->requested_snapshots = requested_snapshots;
    }
    while (recorder->child == 0 && omptape_requests_take(&request))
        if (recorder->on)
            make_snapshot(recorder, writer, output, &request);
        else
            omptape_requests_answer(&request, refusal);
}

void omptape_recorder_stop(struct omptape_recorder *recorder, struct omptape_writer *writer,
                           const struct omptape_output *output, bool ask)
{
    do {
        await_child(recorder);
        if (ask)
            omptape_recorder_serve(recorder, writer, output);
    } while (recorder->child != 0);
}
