/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Performs a traced run: preparation, launch, summary. Called once by main.c. An error in omptape costs the
 * trace, never the run.
 */
#include "src/command/run/run.h"

#include "src/command/report/report.h"
#include "src/command/text/notice.h"
#include "src/core/log.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/output_folder.h"
#include "src/job/job.h"
#include "src/job/report_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Exit code that env, timeout and similar commands use for their own failures. */
enum { EXIT_STRICT = 125 };

struct run {
    const char *name; /* argv[0] as the user wrote it */
    char *const *argv;
    const struct omptape_options *options;
    struct run_program program;
    struct libraries libraries;
    struct run_output output;
    struct run_rank rank;
    int report;     /* descriptor of the report, or -1 */
    bool explained; /* a message has said why nothing will be traced */
    bool inner;     /* an outer omptape command prints the summary */
};

/* Claims the output folder and exports it with the run's identifier, which all processes of the run share.
 * Keeps those of an outer omptape command. */
static int claim_output(struct run *run, bool output_given)
{
    char name[NAME_MAX + 1];
    struct timespec now;
    bool outer = run->options->sibling && !output_given;
    if (!outer && rank_is_one(&run->rank)) {
        /* Messages on the program are printed by rank 0 only. */
        notice_set_silent(run->options->quiet || run->rank.job.rank > 0);
        return rank_begin(&run->rank, run->options);
    }
    if (outer && run->options->output != NULL) {
        run->inner = omptape_report_file_is_there(run->options->report);
        if (run->inner)
            notice_set_silent(run->options->quiet || !message_claim(run->program.path));
        return 0;
    }
    /* All processes of a run share one folder, whatever their programs are called. */
    (void)clock_gettime(CLOCK_REALTIME, &now);
    omptape_output_folder_name(name, sizeof(name), omptape_base_name(run->name), now.tv_sec, (int)getpid());
    const bool named = run->options->output != NULL;
    int error =
        run_output_claim(named ? run->options->output : name, named, run->options->force, &run->output);
    if (error != 0)
        return error;
    char *mark = omptape_text("%d-%lld.%09ld", (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
    (void)setenv("OMPTAPE_OUTPUT", run->output.folder, 1);
    (void)setenv("OMPTAPE_RUN", mark, 1);
    free(mark);
    return 0;
}

static void create_report(struct run *run)
{
    char *path;
    if (run->inner)
        return;
    run->report = writer_reports_create(&path);
    if (run->report < 0) {
        (void)unsetenv("OMPTAPE_REPORT_FILE");
        return;
    }
    (void)setenv("OMPTAPE_REPORT_FILE", path, 1);
    free(path);
    if (run->rank.job.rank > 0)
        messages_suppress(run->report);
}

static bool is_interpreter(const char *name)
{
    static const char *const names[] = {"sh", "bash", "dash", "ksh", "zsh", "python", "python3", NULL};
    const char *base = omptape_base_name(name);
    return omptape_is_one_of(base, names);
}

/* Returns true if the program may use MPI, judged before it runs. A launcher (mpirun) preloads the library
 * into its ranks by itself unless it is statically linked (src/tool/launcher.c). */
static bool may_use_mpi(const struct run *run)
{
    struct omptape_job job;
    if (run->options->mpi != OMPTAPE_MPI_AUTO)
        return run->options->mpi == OMPTAPE_MPI_ON;
    omptape_job_read(&job);
    if (run->program.script
            ? forward_names_mpi4py(run->program.path)
            : run->argv[1] != NULL && is_interpreter(run->name) && forward_names_mpi4py(run->argv[1]))
        return true;
    return omptape_job_is_parallel(&job) || omptape_launcher_is(run->name) ||
           libraries_find(&run->libraries, "libmpi") != NULL;
}

/* Sets the environment that makes the program load the library. Returns false if the program will not be
 * traced; a message has said why. */
static bool prepare_program(struct run *run, bool output_given)
{
    bool traced = false;
    if (run->program.foreign) {
        if (run->options->strict)
            notice_failure("%s is built for %s, and libomptape.so is not", run->name, run->program.machine);
        return false;
    }
    run->explained = true;
    char *library = preload_find();
    if (library == NULL || claim_output(run, output_given) != 0)
        goto out;
    const char *folder = getenv("OMPTAPE_OUTPUT");
    if (run->options->strict && folder != NULL && !run_output_try(folder))
        goto out;
    (void)libraries_read(&run->program, &run->libraries);
    if (run->options->cuda != OMPTAPE_CUDA_OFF) /* CUDA loads it when the program first uses CUDA */
        (void)setenv("CUDA_INJECTION64_PATH", library, 0);
    traced = preload_set(run->name, &run->program, &run->libraries, library);
    preload_add_tool_variable(&run->libraries, library);
    preload_add_marks(&run->program, &run->libraries, library);
    if (may_use_mpi(run))
        preload_add_mpi(library);
    create_report(run);
    run->explained = !traced;
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_COMMAND, "%s %s with LD_PRELOAD=%s",
                traced ? "traces" : "cannot trace", run->program.path, getenv("LD_PRELOAD"));
out:
    free(library);
    return traced;
}

/* Returns true if nothing was traced. */
static bool summarise_run(struct run *run, struct writer_reports *report, const struct outcome *outcome)
{
    if (omptape_job_is_parallel(&run->rank.job))
        return rank_end(&run->rank, report, outcome->exit_code > 128);
    if (run->report >= 0)
        summary_print(report);
    return run->report >= 0 && report->count == 0;
}

/* Returns true if a program that root started has become another user's process, as daemons do. Its writer
 * runs as that user, so it cannot report, and root neither reads nor completes its archive. */
static bool is_others(const struct run *run, const struct outcome *outcome)
{
    return geteuid() == 0 && outcome->error == 0 && outcome->user != getuid() &&
           wrapper_find(run->argv) == NULL;
}

/* Reads the figures from the unified archive if no writer could report. */
static void recover_report(const struct run *run, struct writer_reports *report)
{
    char *unified = report->unified;
    if (unified == NULL || report->count > 0 || run->report < 0)
        return;
    writer_reports_add_archive(unified, run->report);
    report->unified = NULL;
    writer_reports_free(report);
    (void)writer_reports_read(run->report, report);
    report->unified = unified;
    for (uint32_t i = 0; i < report->count; i++)
        report->writers[i].joined = true;
}

/* Prints one line for all stopped writers. `omptape unify` does not wait for them either. */
static void print_stopped_writer(const struct outcome *outcome)
{
    const char *folder = getenv("OMPTAPE_OUTPUT");
    omptape_message(
        "the writer (process %d) is stopped, and the archive is not complete: when it has gone on or was "
        "killed, omptape unify %s",
        (int)outcome->stopped, omptape_quoted(folder != NULL ? folder : ".").text);
}

static void conclude_run(struct run *run, const struct outcome *outcome)
{
    struct writer_reports report = {0};
    notice_set_silent(run->options->quiet);
    if (outcome->error != 0)
        (void)refusal_print(run->name, &run->program, outcome->error);
    if (outcome->interrupted)
        omptape_notice("interrupted; a writer goes on by itself until the archive is complete");
    if (outcome->stopped != 0)
        print_stopped_writer(outcome);
    const bool waited = !outcome->interrupted && outcome->stopped == 0;
    if (run->report >= 0)
        (void)writer_reports_read(run->report, &report);
    const bool others = report.count == 0 && is_others(run, outcome);
    if (waited && !run->options->separate && !run->rank.marks.entered && !others)
        unify_run(&run->output, &report);
    recover_report(run, &report);
    bool nothing = summarise_run(run, &report, outcome) || run->program.foreign;
    const bool unexplained = nothing && report.unified == NULL && report.unfinished.count == 0 &&
                             !run->explained && waited && outcome->error == 0;
    if (unexplained && others)
        untraced_explain_user(run->name, outcome->user, getenv("OMPTAPE_OUTPUT"));
    else if (unexplained)
        untraced_explain(run->argv, &run->program, &run->libraries);
    const char *archive = summary_archive(&report);
    if (run->options->explain && archive != NULL && !omptape_job_is_parallel(&run->rank.job))
        report_show(archive);
    writer_reports_free(&report);
}

int omptape_run(const struct omptape_options *options, bool output_given, char *const *argv)
{
    struct run run = {.name = argv[0], .argv = argv, .options = options, .report = -1};
    struct omptape_string_list forwarded = {0};
    struct outcome outcome;
    int exit_code;
    int error = program_find(run.name, &run.program);
    exit_code = refusal_print(run.name, &run.program, error);
    if (exit_code != 0)
        goto out;
    if (run.program.cut)
        omptape_notice("%s is cut short: it was not copied whole, and may crash", run.name);
    notice_set_strict(options->strict);
    if (!prepare_program(&run, output_given) && options->strict) {
        exit_code = EXIT_STRICT;
        goto out;
    }
    omptape_launch(run.program.script ? NULL : run.program.path,
                   omptape_forward(argv, &run.libraries, &forwarded), &outcome);
    exit_code = outcome.exit_code;
    conclude_run(&run, &outcome);
out:
    omptape_string_list_free(&forwarded);
    /* Releasing the claim opens descriptors, so the report's descriptor is closed first: few may be left. */
    if (run.report >= 0)
        close(run.report);
    run_output_end(&run.output);
    libraries_free(&run.libraries);
    program_free(&run.program);
    return exit_code;
}
