/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an archive in a guarded child process: forwards its output and reports crashes (guard.h).
 */
#include "src/archive/read/guard.h"

#include "src/archive/read/internal.h"
#include "src/core/guarded_child.h"
#include "src/core/memory.h"
#include "src/core/message.h"
#include "src/core/progress.h"
#include "src/core/words.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ERROR_BYTES = 1024 };

/* Results of the child, in shared memory. */
struct channel {
    struct omptape_reader_progress progress;
    int exit_code;
    bool finished;
    char error[ERROR_BYTES];
};

struct reading {
    const char *command;
    omptape_reader_work *work;
    void *data;
    int output;
    struct channel *channel;
    struct omptape_progress line;
};

static void read_in_child(void *data)
{
    struct reading *reading = data;
    struct channel *channel = reading->channel;
    FILE *out = fdopen(reading->output, "w");
    if (out == NULL)
        return;
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit becomes a normal write error */
    channel->exit_code =
        reading->work(reading->data, out, channel->error, sizeof(channel->error), &channel->progress);
    if (omptape_out_of_memory && channel->exit_code != OMPTAPE_EXIT_ERROR) {
        channel->exit_code = OMPTAPE_EXIT_ERROR;
        channel->error[0] = '\0';
    }
    if (channel->exit_code == OMPTAPE_EXIT_ERROR && channel->error[0] == '\0')
        snprintf(channel->error, sizeof(channel->error), "out of memory");
    if (fflush(out) != 0 && channel->exit_code != OMPTAPE_EXIT_ERROR) {
        snprintf(channel->error, sizeof(channel->error), "cannot keep the output: %s", omptape_cause(errno));
        channel->exit_code = OMPTAPE_EXIT_ERROR;
    }
    channel->finished = true;
}

void omptape_reader_follow(struct omptape_reader *reader, struct omptape_reader_progress *progress)
{
    progress->total = omptape_reader_announced_events(reader);
    reader->beats = &progress->beats;
    reader->current_file = progress->current_file;
}

static uint64_t watch_progress(void *data)
{
    struct reading *reading = data;
    const struct omptape_reader_progress *progress = &reading->channel->progress;
    uint64_t done = progress->done;
    uint64_t total = progress->total;
    /* The announced number of events may be wrong. */
    unsigned percent = done < total ? (unsigned)(100.0 * (double)done / (double)total) : 100;
    if (omptape_progress_is_due(&reading->line)) {
        if (done == 0)
            omptape_progress_draw("%s: opening the files", reading->command);
        else
            omptape_progress_draw("%s: %u %% read", reading->command, percent);
    }
    return done + progress->beats;
}

/* Copies the child's output to stdout. Returns 0, or the errno of the first failed write. */
static int pass_output_on(int output)
{
    char buffer[8192];
    off_t offset = 0;
    int failed = 0;
    for (ssize_t got = pread(output, buffer, sizeof(buffer), offset); got > 0;
         got = pread(output, buffer, sizeof(buffer), offset)) {
        if (fwrite(buffer, 1, (size_t)got, stdout) != (size_t)got && failed == 0)
            failed = errno;
        offset += got;
    }
    if (fflush(stdout) != 0 && failed == 0)
        failed = errno;
    return failed;
}

static void complain(const char *command, const char *path, const char *error)
{
    char quoted[512];
    if (command == NULL)
        return;
    omptape_message("%s: %s: %s", command, omptape_path_quote(path, quoted, sizeof(quoted)), error);
}

/* Prints which file is damaged, or libotf2's error if no damaged file is found. */
static void explain(const char *command, const char *path, const char *error)
{
    char damage[ERROR_BYTES];
    if (command == NULL)
        return;
    complain(command, path, omptape_reader_find_damage(path, damage, sizeof(damage)) ? damage : error);
}

/* Describes a crash while omptape itself read one of its own files, without libotf2. */
static void describe_crash_in_file(const char *current_file, int result, int status, char *line, size_t bytes)
{
    char file[OMPTAPE_READER_FILE_BYTES];
    snprintf(file, sizeof(file), "%.*s", (int)sizeof(file) - 1, current_file);
    if (result == -ETIMEDOUT)
        snprintf(line, bytes, "%s is damaged: reading it makes no progress", file);
    else if (WIFSIGNALED(status))
        snprintf(line, bytes, "%s is damaged: reading it crashed (%s)", file, strsignal(WTERMSIG(status)));
    else
        snprintf(line, bytes, "%s is damaged: reading it ended early", file);
}

/* `result` and `status` are the results of omptape_guarded_child. */
static int report_result(const char *command, const char *path, const struct channel *channel, int result,
                         int status)
{
    char line[ERROR_BYTES];
    if (channel->finished) {
        if (channel->exit_code == OMPTAPE_EXIT_ERROR)
            explain(command, path, channel->error);
        return channel->exit_code;
    }
    if (channel->progress.current_file[0] != '\0') {
        describe_crash_in_file(channel->progress.current_file, result, status, line, sizeof(line));
        complain(command, path, line);
        return OMPTAPE_EXIT_ERROR;
    }
    if (result == -ETIMEDOUT) {
        snprintf(line, sizeof(line), "damaged archive: reading it makes no progress");
    } else if (WIFSIGNALED(status)) {
        snprintf(line, sizeof(line), "damaged archive: the OTF2 library crashed reading it (%s)",
                 strsignal(WTERMSIG(status)));
    } else {
        snprintf(line, sizeof(line), "damaged archive: the OTF2 library gave up reading it");
    }
    explain(command, path, line);
    return OMPTAPE_EXIT_ERROR;
}

/* Commands read an archive in several passes, between which another run may replace it. */
static bool was_replaced(const struct stat *before, const struct stat *after)
{
    return before->st_ino != 0 &&
           (before->st_ino != after->st_ino || before->st_dev != after->st_dev ||
            before->st_size != after->st_size || before->st_mtim.tv_sec != after->st_mtim.tv_sec ||
            before->st_mtim.tv_nsec != after->st_mtim.tv_nsec);
}

int omptape_reader_guard(const char *command, const char *path, omptape_reader_work *work, void *data)
{
    int code = OMPTAPE_EXIT_ERROR;
    int status = 0;
    struct stat before;
    struct stat after;
    struct reading reading = {.command = command,
                              .work = work,
                              .data = data,
                              .output = memfd_create("omptape-output", MFD_CLOEXEC)};
    reading.channel = omptape_guarded_memory(sizeof(*reading.channel));
    if (reading.output < 0 || reading.channel == NULL) {
        complain(command, path, strerror(errno));
        goto out;
    }
    omptape_reader_anchor_status(path, &before);
    omptape_progress_begin(&reading.line, command == NULL);
    int result = omptape_guarded_child(read_in_child, watch_progress, &reading, &status);
    omptape_progress_erase();
    if (result < 0 && result != -ETIMEDOUT) {
        complain(command, path, strerror(-result));
        goto out;
    }
    omptape_reader_anchor_status(path, &after);
    if (was_replaced(&before, &after)) {
        complain(command, path,
                 after.st_ino == 0 ? "it was deleted while it was read"
                                   : "it was replaced while it was read (run the command again)");
        goto out;
    }
    int failed = pass_output_on(reading.output);
    code = report_result(command, path, reading.channel, result, status);
    if (failed != 0) {
        omptape_message("%s: cannot write the output: %s", command, omptape_cause(failed));
        code = OMPTAPE_EXIT_ERROR;
    }
out:
    if (reading.channel != NULL)
        munmap(reading.channel, sizeof(*reading.channel));
    if (reading.output >= 0)
        close(reading.output);
    return code;
}
