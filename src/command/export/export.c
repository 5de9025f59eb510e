/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape export --perfetto FILE ARCHIVE` and the other formats. The entry point runs on the
 * command's only thread, opens the file and finally gives it its name. The child process that
 * omptape_reader_guard starts reads the archive and writes the file.
 */

#include "src/command/export/formats.h"
#include "src/command/text/notice.h"
#include "src/command/text/usage.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/atomic_file.h"

#include <errno.h>
#include <omptape/properties.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char USAGE[] =
    "Usage: omptape export --perfetto FILE [options] [ARCHIVE]\n"
    "       omptape export --csv|--folded|--pprof|--sqlite FILE [options] [ARCHIVE]\n"
    "\n"
    "Makes a file of an OTF2 archive (its .otf2 file, or the folder that holds it).\n"
    "Without ARCHIVE it takes the newest one in the current folder.\n"
    "\n"
    "  --perfetto FILE    a trace for Perfetto (https://ui.perfetto.dev, in the\n"
    "                     browser): regions, states, samples, tasks, devices\n"
    "  --csv FILE         a table of all events, for pandas or R\n"
    "  --instances        with --csv: a row for each visit of a region instead\n"
    "  --sqlite FILE      a database: visits, tasks, locks, messages, samples, ...\n"
    "  --folded FILE      the samples' stacks, a line each, for flame graphs\n"
    "                     (flamegraph.pl, inferno, speedscope)\n"
    "  --pprof FILE       the samples' stacks for pprof, by thread and region\n"
    "  --from TIME        what comes from this time on, and\n"
    "  --to TIME          up to this one: seconds since the trace's start, or with\n"
    "                     ms, us or ns behind the number; or the begin and the end of\n"
    "                     a region's instance: for@solver.c:112:3\n"
    "  --threads LIST     these locations alone, by their numbers in their process or\n"
    "                     names: 0-3,7; 2:0-3 of process 2; \"OMP thread 5\"\n"
    "  --min-duration T   regions that last as long, without arrows (--perfetto,\n"
    "                     --instances)\n"
    "\n"
    "The file is packed by gzip if FILE ends with .gz, which Perfetto and pandas read\n"
    "as well (--pprof: always, --sqlite: never); \"-\" is the standard output. A file\n"
    "of yours that is there is replaced when the new one is complete.\n"
    "\n"
    "Exit code: 0, or 2 if the archive cannot be read or the file not be written.\n";

struct format {
    const char *option;
    int (*write)(const struct export_job *job);
    bool packed;  /* always compressed with gzip */
    bool plain;   /* never compressed */
    bool shorter; /* --min-duration omits regions */
};

enum { PERFETTO, CSV, FOLDED, PPROF, SQLITE, FORMATS, OTHER_OPTIONS = 5 };
static const struct format formats[FORMATS] = {
    [PERFETTO] = {.option = "perfetto", .write = export_perfetto, .shorter = true},
    [CSV] = {.option = "csv", .write = export_csv},
    [FOLDED] = {.option = "folded", .write = export_folded},
    [PPROF] = {.option = "pprof", .write = export_pprof, .packed = true},
    [SQLITE] = {.option = "sqlite", .write = export_sqlite, .plain = true}};
static const struct format format_of_instances = {
    .option = "csv", .write = export_instances, .shorter = true};

struct task {
    const char *archive;
    const char *path; /* output file */
    const struct format *format;
    struct export_choice choice;
    struct omptape_atomic_file file;
};

static int write_file(const struct task *task, struct export_job *job)
{
    struct export_stream stream;
    int status = export_stream_begin(&stream, task->file.file,
                                     task->format->packed ||
                                         (!task->format->plain && omptape_ends_with(task->path, ".gz")));
    job->stream = &stream;
    if (status == 0) {
        status = task->format->write(job);
        int written = export_stream_end(&stream);
        if (status == 0 && written != 0)
            status = omptape_fail(job->error, job->error_bytes, written, "cannot write %s: %s",
                                  omptape_quoted(task->path).text, omptape_cause(written));
    }
    export_stream_free(&stream);
    return status;
}

#ifdef OMPTAPE_WITHOUT_SQLITE
int export_sqlite(const struct export_job *job)
{
    return omptape_fail(job->error, job->error_bytes, -ENOTSUP,
                        "this omptape was built without --sqlite (OMPTAPE_WITH_SQLITE of its build)");
}
#endif

static int export_archive(void *data, FILE *out, char *error, size_t error_bytes,
                          struct omptape_reader_progress *progress)
{
    (void)out;
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe returns an error */
    struct task *task = data;
    struct omptape_reader *reader = NULL;
    struct export_places places = {.reader = NULL};
    int status = export_choice_find(&task->choice, task->archive, error, error_bytes);
    if (status == 0)
        status = omptape_reader_open(&reader, task->archive, error, error_bytes);
    if (status != 0)
        return OMPTAPE_EXIT_ERROR;
    if (omptape_reader_number_of(reader, -1, OMPTAPE_KEY_PROFILE) > 0) {
        snprintf(error, error_bytes, "it is a profile: sums without events (`omptape report` shows them)");
        omptape_reader_close(reader);
        return OMPTAPE_EXIT_ERROR;
    }
    omptape_reader_follow(reader, progress);
    status = export_choice_apply(&task->choice, reader, error, error_bytes);
    if (status != 0)
        goto out;
    status = export_places_find(&places, reader, &task->choice.threads);
    if (status == 0 && task->choice.threads.count > 0 && !places.any_chosen)
        status = omptape_fail(error, error_bytes, -EINVAL, "it holds none of the threads %s",
                              task->choice.threads_text);
    if (status == 0)
        status = write_file(task, &(struct export_job){.places = &places,
                                                       .choice = &task->choice,
                                                       .progress = progress,
                                                       .error = error,
                                                       .error_bytes = error_bytes});
out:
    export_places_free(&places);
    omptape_reader_close(reader);
    return status == 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
}

static int complain(const char *error)
{
    omptape_message("export: %s", error);
    return OMPTAPE_EXIT_ERROR;
}

static int make_file(struct task *task)
{
    char error[OMPTAPE_ATOMIC_FILE_ERROR_BYTES];
    int code = OMPTAPE_EXIT_ERROR;
    if (omptape_atomic_file_open(&task->file, task->path, error, sizeof(error)) != 0) {
        (void)complain(error);
        goto out;
    }
    code = omptape_reader_guard("export", task->archive, export_archive, task);
    if (code == OMPTAPE_EXIT_OK && omptape_atomic_file_commit(&task->file, error, sizeof(error)) != 0)
        code = complain(error);
    if (code == OMPTAPE_EXIT_OK)
        notice_wrote(&task->file);
out:
    omptape_atomic_file_close(&task->file);
    return code;
}

/* Selects the one format that the options name. Returns 0, or -EINVAL after an error message. */
static int choose_format(struct task *task, const char *const *paths, bool instances)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (paths[i] == NULL)
            continue;
        if (task->format != NULL) {
            omptape_message("export: --%s and --%s: one of them at a time", task->format->option,
                            formats[i].option);
            return -EINVAL;
        }
        task->format = &formats[i];
        task->path = paths[i];
    }
    if (instances && task->format != NULL && task->format != &formats[CSV]) {
        omptape_message("export: --instances is for --csv");
        return -EINVAL;
    }
    if (task->format == &formats[SQLITE] && strcmp(task->path, "-") == 0) {
        omptape_message("export: a database needs a file: --sqlite cannot write to the standard output");
        return -EINVAL;
    }
    if (instances && task->format != NULL)
        task->format = &format_of_instances;
    if (task->format != NULL)
        return 0;
    omptape_message(
        "export: say --perfetto FILE, --csv, --sqlite, --folded or --pprof (omptape export --help)");
    return -EINVAL;
}

static int read_options(struct task *task, const struct export_option_texts *texts)
{
    char error[512];
    int status = export_choice_read(&task->choice, texts, error, sizeof(error));
    if (status == 0 && task->choice.min_duration > 0 && !task->format->shorter)
        status = omptape_fail(error, sizeof(error), -EINVAL,
                              "--min-duration is for --perfetto and --instances: --%s has all",
                              task->format->option);
    if (status != 0)
        (void)complain(error);
    return status;
}

int omptape_command_export(int argc, char **argv)
{
    const char *paths[FORMATS] = {NULL};
    struct task task = {.archive = NULL};
    struct export_option_texts texts = {.from = NULL};
    bool instances = false;
    struct usage_option options[FORMATS + OTHER_OPTIONS] = {
        {.name = "from", .text = &texts.from, .value = "TIME"},
        {.name = "to", .text = &texts.to, .value = "TIME"},
        {.name = "threads", .text = &texts.threads, .value = "LIST"},
        {.name = "min-duration", .text = &texts.min_duration, .value = "TIME"},
        {.name = "instances", .on = &instances}};
    for (size_t i = 0; i < FORMATS; i++)
        options[OTHER_OPTIONS + i] = (struct usage_option){
            .name = formats[i].option, .text = &paths[i], .value = "FILE", .makes_file = true};
    const struct usage usage = {
        "export", USAGE, "archive", options, sizeof(options) / sizeof(options[0]), .newest = true};
    int code = usage_parse(&usage, argc, argv, &task.archive);
    if (code != 0)
        return code > 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
    code = OMPTAPE_EXIT_ERROR;
    if (choose_format(&task, paths, instances) == 0 && read_options(&task, &texts) == 0)
        code = make_file(&task);
    export_choice_free(&task.choice);
    return code;
}
