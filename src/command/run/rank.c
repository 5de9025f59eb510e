/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs omptape as one rank of a job. The command is registered in the job's folder while its program runs,
 * even without OpenMP. The last rank can therefore be determined. Called before and after the program.
 */
#include "src/command/report/report.h"
#include "src/command/run/run.h"
#include "src/command/text/notice.h"
#include "src/core/log.h"
#include "src/core/message.h"
#include "src/core/string_list.h"
#include "src/core/words.h"
#include "src/folder/archive_files.h"
#include "src/folder/beneath.h"
#include "src/folder/output_folder.h"
#include "src/job/folder.h"
#include "src/job/job.h"
#include "src/job/unify.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rank_is_one(struct run_rank *rank)
{
    omptape_job_read(&rank->job);
    return omptape_job_is_parallel(&rank->job);
}

int rank_begin(struct run_rank *rank, const struct omptape_options *options)
{
    char name[sizeof(rank->job.id) + sizeof(rank->job.step) + 16];
    char asked[OMPTAPE_PATH_BYTES];
    char why[OMPTAPE_BENEATH_WHY_BYTES] = "";
    char folder[OMPTAPE_PATH_BYTES];
    rank->unify = !options->separate;
    rank->explain = options->explain;
    omptape_job_folder_name(&rank->job, name, sizeof(name));
    const char *output = options->output != NULL ? options->output : name;
    int error = omptape_output_folder_absolute(asked, output);
    snprintf(folder, sizeof(folder), "%s", output);
    if (error == 0)
        error = omptape_job_folder_claim(asked, options->output != NULL, &rank->job, options->force, folder,
                                         sizeof(folder), why);
    if (error != 0) {
        notice_failure("rank %d: cannot write to %s: %s (-o names another folder)", (int)rank->job.rank,
                       omptape_quoted(folder).text, omptape_cause(error));
        return error;
    }
    if (why[0] != '\0')
        omptape_notice("%s is left alone: %s; writing to %s", omptape_quoted(output).text, why,
                       omptape_quoted(folder).text);
    omptape_job_marks_enter(&rank->marks, folder, rank->job.rank, true, why);
    if (why[0] != '\0')
        omptape_notice(
            "the ranks' archives stay apart in %s: %s (remove it, then omptape unify makes one of them)",
            omptape_quoted(folder).text, why);
    (void)setenv("OMPTAPE_OUTPUT", folder, 1);
    (void)setenv("OMPTAPE_RUN", rank->job.identity, 1);
    return 0;
}

/* Prints the first finding of the report, and the command that prints all of it. */
static void print_first_finding(const struct run_rank *rank, const char *ranks, const char *archive)
{
    char line[REPORT_LINE_BYTES];
    char *folder = summary_path(rank->marks.folder);
    if (!notice_is_silent() && report_first(archive, line, sizeof(line)))
        omptape_notice("%s: %s", ranks, line);
    omptape_notice("%s: omptape report %s", ranks, folder);
    free(folder);
}

/* Prints the job's lines once, from the last rank, so that they do not appear once per rank and interleaved.
 * `has_time` is false if the launcher may kill this command soon. */
static void print_job_lines(const struct run_rank *rank, bool unified, bool has_time,
                            const struct omptape_job_lines *lines)
{
    if (lines->text[0] != '\0')
        omptape_notice("%s", lines->text);
    const char *folder = rank->marks.folder;
    char *archive = omptape_text("%s/traces.otf2", folder);
    char *shown = summary_path(unified ? archive : folder);
    char *ranks = rank->job.size > 0 ? omptape_text("%d ranks", (int)rank->job.size) : omptape_text("a job");
    const char *next = !unified                      ? ", not yet in one archive: omptape unify"
                       : summary_is_profile(archive) ? ": omptape report"
                                                     : ": vampir";
    if (unified && has_time)
        print_first_finding(rank, ranks, archive);
    omptape_notice("%s%s %s", ranks, next, shown);
    if (unified && has_time && rank->explain)
        report_show(archive);
    free(ranks);
    free(shown);
    free(archive);
}

static int unify_parts(void *context, const char *folder)
{
    return omptape_archive_files_hold_parts(folder, true) ? omptape_job_unify(context, folder) : 0;
}

bool rank_end(struct run_rank *rank, struct writer_reports *report, bool killed)
{
    summary_print_rank(report, (int)rank->job.rank);
    if (!rank->marks.entered)
        return false;
    struct omptape_job_lines lines = {.asked = false};
    enum omptape_job_left left =
        omptape_job_marks_leave(&rank->marks, rank->unify ? unify_parts : NULL, &lines);
    omptape_log(OMPTAPE_LOG_INFO, OMPTAPE_LOG_COMMAND, "rank %d has left the job: %s", (int)rank->job.rank,
                left == OMPTAPE_JOB_GOES_ON   ? "others say what became of it"
                : left == OMPTAPE_JOB_UNIFIED ? "the last one; it is unified"
                                              : "the last one; it is not unified");
    if (left == OMPTAPE_JOB_GOES_ON)
        return false;
    if (omptape_archive_files_hold_parts(rank->marks.folder, true)) {
        /* Reports which ranks are missing, as the writer that unified the archive has no terminal. Skipped if
         * the program was killed: the launcher kills this command next, perhaps during a unification. */
        if (rank->unify && !killed)
            omptape_job_unify_ask(&lines, rank->marks.folder);
        print_job_lines(rank, left == OMPTAPE_JOB_UNIFIED, !killed, &lines);
        return false;
    }
    omptape_job_folder_discard(rank->marks.folder);
    return true;
}

static const char list_variable[] = "OMPI_MCA_mca_base_env_list";

bool forward_names_mpi4py(const char *path)
{
    enum { MAX_TEXT = 1 << 18 };
    static const char name[] = "mpi4py";
    char *text = malloc(MAX_TEXT);
    int file = text != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat status;
    ssize_t bytes = 0;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        bytes = read(file, text, MAX_TEXT);
    omptape_close(file);
    bool found = bytes > 0 && memchr(text, '\0', (size_t)bytes) == NULL &&
                 memmem(text, (size_t)bytes, name, strlen(name)) != NULL;
    free(text);
    return found;
}

/* mpirun rejects -x if the list variable is set. */
static bool has_list(char *const *argv)
{
    if (getenv(list_variable) != NULL)
        return true;
    for (size_t i = 1; argv[i] != NULL; i++)
        if (strcmp(argv[i], "mca_base_env_list") == 0)
            return true;
    return false;
}

/* Returns true for variables that the ranks need. Not OMPTAPE_REPORT_FILE, which other nodes cannot open. */
static bool is_needed(const char *variable)
{
    static const char *const names[] = {
        "LD_PRELOAD=",           "OMP_TOOL_LIBRARIES=", "CUDA_INJECTION64_PATH=", "NVTX_INJECTION64_PATH=",
        "INTEL_LIBITTNOTIFY64=", "KOKKOS_TOOLS_LIBS=",  "ASAN_OPTIONS=",          NULL};
    return omptape_starts_with_one_of(variable, names) ||
           (omptape_starts_with(variable, "OMPTAPE_") &&
            !omptape_starts_with(variable, "OMPTAPE_REPORT_FILE="));
}

static void add_options(struct omptape_string_list *copy)
{
    for (char **variable = environ; *variable != NULL; variable++) {
        if (!is_needed(*variable))
            continue;
        char *name = omptape_text("%.*s", (int)strcspn(*variable, "="), *variable);
        omptape_string_list_add(copy, "-x");
        omptape_string_list_add(copy, name);
        free(name);
    }
}

char *const *omptape_forward(char *const *argv, const struct libraries *libraries,
                             struct omptape_string_list *copy)
{
    bool is_openmpi =
        libraries_find(libraries, "libopen-") != NULL || libraries_find(libraries, "libprrte.") != NULL;
    if (!is_openmpi || !omptape_launcher_is(argv[0]) || has_list(argv))
        return argv;
    for (size_t i = 0; argv[i] != NULL; i++) {
        omptape_string_list_add(copy, argv[i]);
        /* Each program of an MPMD command line (separated by ":") needs its own -x options. */
        if (i == 0 || strcmp(argv[i], ":") == 0)
            add_options(copy);
    }
    /* Adds an entry and replaces it by the terminating NULL. */
    omptape_string_list_add(copy, "");
    copy->count--;
    free(copy->items[copy->count]);
    copy->items[copy->count] = NULL;
    return copy->items;
}
