/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the summary of a run. Called once, after the writers have ended.
 */
#include "src/command/run/run.h"

#include "src/command/report/report.h"
#include "src/command/text/notice.h"
#include "src/command/text/units.h"
#include "src/core/message.h"
#include "src/core/sort.h"
#include "src/core/words.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_WARNINGS = 2, MAX_ARCHIVES = 6 };

static uint64_t file_bytes(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

static uint64_t folder_bytes(char *path)
{
    char *roots[] = {path, NULL};
    uint64_t bytes = 0;
    FTSENT *entry;
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    while (tree != NULL && (entry = fts_read(tree)) != NULL)
        if (entry->fts_info == FTS_F)
            bytes += (uint64_t)entry->fts_statp->st_size;
    if (tree != NULL)
        (void)fts_close(tree);
    return bytes;
}

/* Returns the size of an archive: anchor, definitions and event folder. Returns 0 if it does not exist. */
static uint64_t archive_bytes(const char *path)
{
    static const char suffix[] = ".otf2";
    size_t length = strlen(path);
    if (length <= strlen(suffix) || strcmp(path + length - strlen(suffix), suffix) != 0)
        return 0;
    char *folder = omptape_text("%.*s", (int)(length - strlen(suffix)), path);
    char *definitions = omptape_text("%s.def", folder);
    uint64_t bytes = file_bytes(path) + file_bytes(definitions) + folder_bytes(folder);
    free(folder);
    free(definitions);
    return bytes;
}

char *summary_path(const char *path)
{
    enum { QUOTED_SHARE = 4 }; /* a byte may be quoted as "\\377" */
    char *current = getcwd(NULL, 0);
    size_t length = current != NULL ? strlen(current) : 0;
    if (length > 1 && strncmp(path, current, length) == 0 && path[length] == '/')
        path += length + 1;
    free(current);
    size_t bytes = QUOTED_SHARE * strlen(path) + sizeof("$''");
    char *quoted = omptape_text("%*s", (int)bytes, "");
    (void)omptape_path_quote(path, quoted, bytes);
    if (path[0] != '-')
        return quoted;
    char *named = omptape_text("./%s", quoted); /* so that no command takes it for an option */
    free(quoted);
    return named;
}

static const char *short_name(const struct writer_report *writer)
{
    if (writer->program == NULL)
        return "the program";
    return omptape_base_name(writer->program);
}

bool summary_is_profile(const char *anchor)
{
    size_t length = (size_t)(omptape_base_name(anchor) - anchor);
    char *path = omptape_text("%.*straces/0.sums", (int)length, anchor);
    bool there = path != NULL && access(path, F_OK) == 0;
    free(path);
    return there;
}

/* Returns how the user called this command, for lines to paste: a path, or "omptape" if in PATH; to be
 * freed. */
static char *own_name(void)
{
    bool is_path = strchr(program_invocation_name, '/') != NULL;
    return is_path ? summary_path(program_invocation_name) : omptape_text("omptape");
}

/* Prints the first finding, if there is one, and the commands that open the archive. */
static void print_open(const char *anchor)
{
    char lines[REPORT_LINE_BYTES];
    if (notice_is_silent())
        return;
    size_t length = (size_t)(omptape_base_name(anchor) - anchor);
    char *folder = omptape_text("%.*s", length > 1 ? (int)length - 1 : (int)length, anchor);
    char *shown = summary_path(folder);
    char *path = summary_path(anchor);
    if (report_first(anchor, lines, sizeof(lines))) {
        char *rest = lines;
        for (const char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"))
            omptape_notice("%s", line);
    }
    char *own = own_name();
    omptape_notice("%s report %s", own, shown);
    free(own);
    if (!summary_is_profile(anchor))
        omptape_notice("vampir %s", path);
    free(path);
    free(shown);
    free(folder);
}

/* Prints the shares of thread time. `duration` is the run's, in ns. */
static void print_where(const struct thread_time *time, uint64_t duration)
{
    char shares[THREAD_TIME_BYTES];
    char work[THREAD_TIME_BYTES];
    if (thread_time_shares(time, shares, sizeof(shares))[0] != '\0')
        omptape_notice("thread time: %s%s%s", shares, duration > 0 ? "; " : "",
                       thread_time_at_work(time, duration, work, sizeof(work)));
}

static void print_devices(const struct writer_report *writer)
{
    if (writer->device_kernels + writer->device_transfers == 0)
        return;
    omptape_notice("devices: %s, %s of %s", units_things(writer->device_kernels, "kernel").text,
                   units_things(writer->device_transfers, "transfer").text,
                   units_bytes(writer->device_bytes).text);
}

/* Returns a description of how the program ended, NULL after a normal end. A signal has number and name. */
static char *describe_end(const struct writer_report *writer)
{
    int number;
    if (writer->end == NULL || strcmp(writer->end, "finalize") == 0)
        return NULL;
    if (sscanf(writer->end, "signal %d", &number) == 1)
        return omptape_text("signal %d (%s)", number, strsignal(number));
    return omptape_text("%s", writer->end);
}

static bool was_memory_refused(const struct writer_report *writer)
{
    for (size_t i = 0; i < writer->warnings.count; i++)
        if (omptape_starts_with(writer->warnings.items[i], OMPTAPE_WARNING_MEMORY))
            return true;
    return false;
}

static void print_losses(const struct writer_report *writer, const char *prefix)
{
    char *end = describe_end(writer);
    if (end != NULL)
        omptape_notice("%send: %s", prefix, end);
    free(end);
    if (writer->dropped > 0)
        omptape_notice("%s%s lost%s", prefix, units_things(writer->dropped, "record").text,
                       was_memory_refused(writer) ? "" : " (a larger --buffer-size may help)");
    if (writer->stalled > 0)
        omptape_notice("%sthreads waited %s for buffers (a larger --buffer-size may help)", prefix,
                       units_time(writer->stalled).text);
    if (writer->synthesised > 0)
        omptape_notice("%s%s %s still open when the program ended, or the end was lost: omptape added it",
                       prefix, units_things(writer->synthesised, "construct").text,
                       writer->synthesised == 1 ? "was" : "were");
}

static void print_warnings(const struct writer_report *writer, const char *prefix)
{
    for (size_t i = 0; i < writer->warnings.count && i < MAX_WARNINGS; i++)
        omptape_notice("%swarning: %s", prefix, writer->warnings.items[i]);
    if (writer->warnings.count > MAX_WARNINGS)
        omptape_notice("%s%s (omptape info shows %s)", prefix,
                       units_things(writer->warnings.count - MAX_WARNINGS, "more warning").text,
                       writer->warnings.count == MAX_WARNINGS + 1 ? "it" : "them");
}

static bool is_archive(const struct writer_report *writer)
{
    return writer->path != NULL && !writer_report_is_snapshot(writer);
}

static void print_snapshots(const struct writer_reports *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct writer_report *writer = &report->writers[i];
        if (writer->path == NULL || is_archive(writer) || ++count > MAX_ARCHIVES)
            continue;
        char *path = summary_path(writer->path);
        omptape_notice("snapshot: vampir %s", path);
        free(path);
    }
    if (count > MAX_ARCHIVES)
        omptape_notice("and %s beside them", units_things(count - MAX_ARCHIVES, "more snapshot").text);
}

static uint64_t events_of(const struct writer_report *writer)
{
    return writer->profile > 0 ? writer->profile : writer->events;
}

/* Prints the summary of a single archive. `unified` is the unified archive it was merged into, or NULL. */
static void print_one(const struct writer_report *writer, const char *unified)
{
    const char *path = writer->joined && unified != NULL ? unified : writer->path;
    omptape_notice("%s of %s in %s%s, %s on disk", units_things(events_of(writer), "event").text,
                   units_things(writer->threads, "thread").text, units_time(writer->duration).text,
                   writer->profile > 0 ? " added up" : "", units_bytes(archive_bytes(path)).text);
    print_where(&writer->time, writer->duration);
    print_devices(writer);
    print_losses(writer, "");
    print_warnings(writer, "");
    print_open(path);
}

static void print_line(const struct writer_report *writer)
{
    char *end = describe_end(writer);
    char *path = summary_path(writer->path);
    bool shown = !writer->joined && writer->profile == 0;
    omptape_notice("%s%s%s%s (%s): %s, %s, %s%s%s%s%s%s", writer->rank != NULL ? "rank " : "",
                   writer->rank != NULL ? writer->rank : "", writer->rank != NULL ? ": " : "",
                   short_name(writer), writer->pid != NULL ? writer->pid : "?",
                   units_things(events_of(writer), "event").text,
                   units_things(writer->threads, "thread").text, units_time(writer->duration).text,
                   writer->dropped > 0 ? ", records lost" : "", end != NULL ? ", end: " : "",
                   end != NULL ? end : "", shown ? ": vampir " : "", shown ? path : "");
    free(end);
    free(path);
}

/* Prints one warning for all processes, because most of them report the same. */
static void print_first_warning(const struct writer_reports *report, uint64_t warnings)
{
    const struct writer_report *writer = NULL;
    for (size_t i = 0; i < report->count && writer == NULL; i++)
        if (report->writers[i].path != NULL && report->writers[i].warnings.count > 0)
            writer = &report->writers[i];
    if (writer == NULL)
        return;
    omptape_notice("warning: %s%s: %s", writer->rank != NULL ? "rank " : "",
                   writer->rank != NULL ? writer->rank : short_name(writer), writer->warnings.items[0]);
    if (warnings > 1)
        omptape_notice("%s (omptape info shows %s)", units_things(warnings - 1, "more warning").text,
                       warnings == 2 ? "it" : "them");
}

static void print_many(const struct writer_reports *report, size_t archives)
{
    struct writer_report sum = {0};
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    uint64_t bytes = 0;
    uint64_t warnings = 0;
    size_t shown = 0;
    size_t joined = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct writer_report *writer = &report->writers[i];
        if (!is_archive(writer))
            continue;
        sum.events += events_of(writer);
        sum.threads += writer->threads;
        sum.dropped += writer->dropped;
        sum.stalled += writer->stalled;
        sum.synthesised += writer->synthesised;
        sum.device_kernels += writer->device_kernels;
        sum.device_transfers += writer->device_transfers;
        sum.device_bytes += writer->device_bytes;
        thread_time_add(&sum.time, &writer->time);
        begin = writer->begin > 0 && writer->begin < begin ? writer->begin : begin;
        end = writer->begin + writer->duration > end ? writer->begin + writer->duration : end;
        warnings += writer->warnings.count;
        joined += writer->joined;
        bytes += writer->joined ? 0 : archive_bytes(writer->path);
    }
    if (report->unified != NULL)
        bytes += archive_bytes(report->unified);
    omptape_notice("%zu %s, %s of %s, %s on disk", archives,
                   joined == archives ? "processes in one archive" : "archives",
                   units_things(sum.events, "event").text, units_things(sum.threads, "thread").text,
                   units_bytes(bytes).text);
    print_where(&sum.time, end > begin ? end - begin : 0);
    print_devices(&sum);
    print_losses(&sum, "");
    print_first_warning(report, warnings);
    const struct writer_report *last = NULL;
    for (size_t i = 0; i < report->count && shown < MAX_ARCHIVES; i++) {
        if (is_archive(&report->writers[i])) {
            last = &report->writers[i];
            print_line(last);
            shown++;
        }
    }
    if (archives > shown && last != NULL)
        omptape_notice("and %s beside them",
                       units_things(archives - shown, last->rank != NULL ? "more rank" : "smaller one").text);
    if (report->unified != NULL)
        print_open(report->unified);
}

void summary_print_rank(struct writer_reports *report, int rank)
{
    char *prefix = omptape_text("rank %d: ", rank);
    for (size_t i = 0; i < report->count; i++) {
        const struct writer_report *writer = &report->writers[i];
        if (writer->error != NULL) {
            omptape_message("%sno archive of %s: %s", prefix, short_name(writer), writer->error);
            continue;
        }
        print_losses(writer, prefix);
        print_warnings(writer, prefix);
    }
    free(prefix);
}

/* Orders ranks of a job first, then archives by descending number of events, then snapshots by time. */
static int compare_reports(const void *a, const void *b)
{
    const struct writer_report *left = a;
    const struct writer_report *right = b;
    long ranks[] = {left->rank != NULL ? strtol(left->rank, NULL, 10) : LONG_MAX,
                    right->rank != NULL ? strtol(right->rank, NULL, 10) : LONG_MAX};
    bool snapshots[] = {writer_report_is_snapshot(left), writer_report_is_snapshot(right)};
    if (snapshots[0] != snapshots[1])
        return snapshots[0] ? 1 : -1;
    uint64_t ends[] = {left->begin + left->duration, right->begin + right->duration};
    if (snapshots[0] && ends[0] != ends[1])
        return ends[0] < ends[1] ? -1 : 1;
    if (ranks[0] != ranks[1])
        return ranks[0] < ranks[1] ? -1 : 1;
    if (left->events == right->events)
        return (left->duration < right->duration) - (left->duration > right->duration);
    return left->events < right->events ? 1 : -1;
}

void summary_print(struct writer_reports *report)
{
    size_t archives = 0;
    size_t failures = 0;
    const struct writer_report *failure = NULL;
    omptape_sort(report->writers, report->count, sizeof(*report->writers), compare_reports);
    for (size_t i = 0; i < report->count; i++) {
        struct writer_report *writer = &report->writers[i];
        archives += is_archive(writer) && writer->error == NULL;
        if (writer->error == NULL)
            continue;
        failures++;
        failure = writer;
        /* If there is an error, `path` names where the archive should have been. */
        free(writer->path);
        writer->path = NULL;
    }
    if (failures > 0 && archives == 0 && report->unified != NULL)
        omptape_message("the archive is not all of %s: %s", short_name(failure), failure->error);
    else if (failures > 0)
        omptape_message("no archive of %s: %s", short_name(failure), failure->error);
    if (failures > 1)
        omptape_message("nor of %s", units_things(failures - 1, "other").text);
    for (size_t i = 0; i < report->count && archives == 1; i++)
        if (is_archive(&report->writers[i]))
            print_one(&report->writers[i], report->unified);
    if (archives > 1)
        print_many(report, archives);
    else if (archives == 0 && report->unified != NULL) /* all ranks ran on other nodes */
        print_open(report->unified);
    print_snapshots(report);
}

const char *summary_archive(const struct writer_reports *report)
{
    const char *path = NULL;
    size_t archives = 0;
    for (size_t i = 0; i < report->count; i++) {
        if (is_archive(&report->writers[i])) {
            path = report->writers[i].path;
            archives++;
        }
    }
    if (report->unified != NULL)
        return report->unified;
    return archives == 1 ? path : NULL;
}
