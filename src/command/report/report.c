/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape report`: parses the command line, reads the archive and writes the result. The entry
 * points run on the command's only thread. The archive is read in omptape_reader_guard's child.
 */
#include "src/command/report/report.h"

#include "src/analysis/reduce/profile.h"
#include "src/archive/read/guard.h"
#include "src/command/page/page.h"
#include "src/command/report/choice.h"
#include "src/command/report/file.h"
#include "src/command/report/gates.h"
#include "src/command/report/pairs.h"
#include "src/command/report/share.h"
#include "src/command/report/state.h"
#include "src/command/text/usage.h"
#include "src/core/guarded_child.h"
#include "src/core/message.h"
#include "src/job/processors.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Larger archives are not read for a run's summary: reading takes a second or two. */
enum { MAX_EVENTS_OF_SUMMARY = 30000000 };

static const char USAGE[] =
    "Usage: omptape report [options] [ARCHIVE]\n"
    "\n"
    "Says what costs time in an OTF2 archive (its .otf2 file, or the folder that\n"
    "holds it), where, why, and how many seconds there are to win; how well the\n"
    "threads were used; and what each region, loop, task, lock and device did. Reads\n"
    "all events once. Without ARCHIVE it takes the newest one in the current folder.\n"
    "\n"
    "  --all          all rows of all tables, and one for each thread\n"
    "  --top N        at most N rows of each\n"
    "  --sort HOW     regions by gain (the default), time, waiting, visits or name\n"
    "  --threads LIST a row for each of these threads, by numbers in their process or\n"
    "                 names: all; 0-3,7; 2:0-3 of process 2; \"OMP thread 5\"\n"
    "  --inside PLACE the functions that threads were in there, by samples, as a\n"
    "                 tree: for@solver.c:112; @solver.c:112;\n"
    "                 \"serial before for @solver.c:112\"\n"
    "  --by phase     only what the program named, or the loops that were found: how\n"
    "                 long each took, its efficiency, and what was different in the\n"
    "                 slowest one\n"
    "  --from TIME, --to TIME\n"
    "                 only this part: seconds since the beginning of the trace, or\n"
    "                 with ms, us or ns behind the number; or from the begin, to the\n"
    "                 end of a region's instance: for@solver.c:112:3; or of a step\n"
    "                 that the program numbered: step:37, \"time step:37\"; or of a\n"
    "                 loop that was found: iteration:37\n"
    "  --ranks LIST   only these processes: 0,4-7\n"
    "  --jobs N       read with N processes (default: as many as there are\n"
    "                 processors); one does it where the archive is of one\n"
    "  --part N/COUNT do the part N (from 0) of COUNT; srun, mpirun and the like say\n"
    "                 that by themselves. The last one that is done prints\n"
    "  --parts DIR    keep parts there (default: with the archive)\n"
    "These write a file in place of the text (\"-\": to the standard output):\n"
    "  --json FILE    everything, as JSON\n"
    "  --csv FILE     the same as CSV\n"
    "  --html FILE    a page for a browser, with a timeline: one file that needs no\n"
    "                 network; with --from and --to all single events of that time\n"
    "  --svg FILE     its timeline as a picture\n"
    "For pipelines:\n"
    "  --fail-if EXPRESSION\n"
    "                 exit code 3 and a line if it is true: 'parallel<0.8',\n"
    "                 'wall>10s', 'finding>5%', 'finding:lock',\n"
    "                 'region:solver>20%'. Several times\n"
    "  --junit FILE   what became of these, as JUnit's XML\n"
    "\n"
    "Exit code: 0; 3 where an expression of --fail-if is true; or 2 if the archive\n"
    "cannot be read. docs/report.md says what each number and expression means.\n";

/* The parsed command line. */
struct request {
    struct report_choice choice;
    struct report_share share; /* used with the other ranks of a job */
    struct report_file files[REPORT_OUTPUTS];
    struct page page; /* filled by the reading child, for --html and --svg */
    struct report report;
    struct report_gates gates;
    int rows; /* descriptor of the rows for the gates; -1 if none */
    const char *path;
    char *first;         /* the summary's line in shared memory; NULL otherwise */
    uint64_t max_events; /* larger archives are not read; 0 for no limit */
};

static int print_text(const struct request *request, FILE *out, struct omptape_analysis *analysis)
{
    struct report report = request->report;
    report.screen.out = out;
    report.analysis = analysis;
    report.folder = request->path;
    int status = report_fold(analysis);
    if (status != 0)
        return status;
    report_choice_sort(&request->choice, analysis);
    if (report.inside != NULL)
        return report_print_inside(&report);
    if (report.by_phase)
        return report_print_by_phase(&report);
    report_print_findings(&report);
    status = report_print_tables(&report);
    fputc('\n', out);
    (void)screen_wrap(&report.screen, 0, strlen("more: "),
                      "more: omptape report --all, --threads all, --html FILE, --json FILE, --csv "
                      "FILE; omptape compare, export, info");
    fputc('\n', out);
    return status;
}

#ifdef OMPTAPE_WITHOUT_PAGE
/* Returns true, after one line, if a page or picture was requested. */
static bool lacks_page(bool wanted)
{
    if (wanted)
        omptape_message("report: this omptape was built without --html and --svg (OMPTAPE_WITH_PAGE of its "
                        "CMake build)");
    return wanted;
}

static int answer_with_page(struct request *request, FILE *out, struct omptape_analysis *analysis,
                            struct page *page, char *error, size_t error_bytes)
{
    (void)request, (void)out, (void)analysis, (void)page, (void)error, (void)error_bytes;
    return -ENOTSUP;
}

static void choose_windows(const struct request *request, const struct omptape_analysis *analysis)
{
    (void)request, (void)analysis;
}
#else
static bool lacks_page(bool wanted)
{
    (void)wanted;
    return false;
}

static void choose_windows(const struct request *request, const struct omptape_analysis *analysis)
{
    page_choose_windows(request->page.windows, analysis, !request->report.whole);
}

/* Writes page and picture. The page contains the whole report as text. */
static int answer_with_page(struct request *request, FILE *out, struct omptape_analysis *analysis,
                            struct page *page, char *error, size_t error_bytes)
{
    enum { PAGE_COLUMNS = 110 };
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    struct request all = *request;
    all.report.screen = (struct screen){.width = PAGE_COLUMNS, .utf8 = true};
    int status = memory == NULL ? -ENOMEM : print_text(&all, memory, analysis);
    if (memory != NULL && fclose(memory) != 0)
        status = -ENOMEM;
    if (status == 0) {
        page->analysis = analysis;
        page->title = report_program(analysis);
        page->archive = request->path;
        page->text = text;
        status = report_file_write(&request->files[REPORT_HTML], out, page_write, page, error, error_bytes);
        if (status == 0)
            status = report_file_write(&request->files[REPORT_SVG], out, page_svg, page, error, error_bytes);
    }
    free(text);
    return status;
}
#endif

static bool wants_page(const struct request *request)
{
    return request->files[REPORT_HTML].name != NULL || request->files[REPORT_SVG].name != NULL;
}

static int answer(struct request *request, FILE *out, struct omptape_analysis *analysis, char *error,
                  size_t error_bytes)
{
    report_choice_sort(&request->choice, analysis);
    report_choice_threads(&request->choice, analysis, request->page.pyramid);
    int status =
        report_outputs_write_numbers(request->files, out, report_write_numbers, analysis, error, error_bytes);
    if (status == 0 && wants_page(request))
        status = answer_with_page(request, out, analysis, &request->page, error, error_bytes);
    if (status == 0 && !report_outputs_replace_text(request->files)) {
        status = print_text(request, out, analysis);
        if (status == -ENOENT)
            snprintf(error, error_bytes, "--inside %s: there is no such construct or serial part",
                     request->report.inside);
    }
    return status;
}

/* Writes the line for a run's summary. */
static int write_first_line(const struct request *request, struct omptape_analysis *analysis)
{
    const int status = report_fold(analysis);
    if (status == 0)
        report_first_line(analysis, request->first, REPORT_LINE_BYTES);
    return status;
}

/* Writes the rows that the command needs for the gates. */
static int write_rows(const struct request *request, struct omptape_analysis *analysis, char *error,
                      size_t error_bytes)
{
    const int status = report_rows_write(analysis, request->rows);
    if (status != 0)
        snprintf(error, error_bytes, "cannot judge --fail-if: %s", omptape_cause(status));
    return status;
}

/* Reads the single events near the findings in a second pass. */
static int read_windows(struct request *request, const struct omptape_analysis *analysis,
                        struct omptape_analysis_options options, char *error, size_t error_bytes)
{
    struct omptape_reader *reader = NULL;
    struct omptape_analysis *again = NULL;
    int status = omptape_reader_open(&reader, request->path, error, error_bytes);
    if (status != 0)
        return status;
    struct omptape_windows *windows = omptape_windows_new(reader);
    request->page.windows = windows;
    if (windows == NULL) {
        status = -ENOMEM;
        goto out;
    }
    choose_windows(request, analysis);
    struct omptape_analysis_observer observer = omptape_windows_observer(windows);
    options.observer = &observer;
    if (windows->count > 0)
        status = omptape_analysis_run(&again, reader, &options, error, error_bytes);
out:
    omptape_analysis_free(again);
    omptape_reader_close(reader);
    return status;
}

/* Analyses this rank's part, unless an earlier run left it. */
static int analyse_part(struct request *request, struct omptape_reader *reader,
                        const struct omptape_analysis_options *options, char *error, size_t error_bytes)
{
    struct omptape_partial partial = {0};
    struct report_share *share = &request->share;
    int status = report_share_load(share, share->which.number, &partial);
    if (status == 0)
        status = omptape_analysis_part_check(partial.bytes, partial.count, reader, options, &share->which);
    if (status != 0) {
        free(partial.bytes);
        status = omptape_analysis_part_make(&partial, reader, options, &share->which, error, error_bytes);
        if (status == 0)
            status = report_share_store(share, &partial, error, error_bytes);
    }
    free(partial.bytes);
    return status;
}

/* Analyses all events or this rank's part, or merges all parts. */
static int analyse_events(struct request *request, struct omptape_reader *reader,
                          const struct omptape_analysis_options *options, struct omptape_analysis **analysis,
                          char *error, size_t error_bytes)
{
    struct report_share *share = &request->share;
    if (share->merges)
        return omptape_analysis_parts_merge(analysis, reader, options, share->which.count, report_share_load,
                                            share, error, error_bytes);
    return share->shared ? analyse_part(request, reader, options, error, error_bytes)
                         : omptape_analysis_run(analysis, reader, options, error, error_bytes);
}

/* Analyses the events and collects the data for the page. */
static int analyse_for_page(struct request *request, struct omptape_reader *reader,
                            const struct omptape_analysis_options *options,
                            struct omptape_analysis **analysis, char *error, size_t error_bytes)
{
    struct omptape_analysis_options drawn = *options;
    drawn.pyramid = omptape_pyramid_begin(reader, options->from, options->to);
    request->page.pyramid = drawn.pyramid;
    if (drawn.pyramid == NULL)
        return -ENOMEM;
    int status = analyse_events(request, reader, &drawn, analysis, error, error_bytes);
    return status != 0 || *analysis == NULL || request->report.profile
               ? status
               : read_windows(request, *analysis, *options, error, error_bytes);
}

static int analyse(void *data, FILE *out, char *error, size_t error_bytes,
                   struct omptape_reader_progress *progress)
{
    struct request *request = data;
    struct omptape_reader *reader = NULL;
    struct omptape_analysis *analysis = NULL;
    int status = report_choice_find(&request->choice, request->path, error, error_bytes);
    if (status == 0)
        status = omptape_reader_open(&reader, request->path, error, error_bytes);
    if (status != 0)
        return OMPTAPE_EXIT_ERROR;
    omptape_reader_follow(reader, progress);
    if (request->max_events > 0 && progress->total > request->max_events) {
        (void)snprintf(request->first, REPORT_LINE_BYTES,
                       "what costs time was not looked for: reading %s events takes a while; this does it:",
                       units_count(progress->total).text);
        goto out;
    }
    request->report.profile = omptape_sums_anywhere(reader);
    if (request->report.profile && (request->choice.from.is_given || request->choice.to.is_given)) {
        status = -EINVAL;
        snprintf(error, error_bytes,
                 "a profile is of the whole run: there are no events for --from and --to");
        goto out;
    }
    struct omptape_analysis_options options = {.done = &progress->done};
    status = report_choice_apply(&request->choice, reader, &options, error, error_bytes);
    if (status == 0 && wants_page(request))
        status = analyse_for_page(request, reader, &options, &analysis, error, error_bytes);
    else if (status == 0)
        status = analyse_events(request, reader, &options, &analysis, error, error_bytes);
    if (status == 0 && request->share.shared && !request->share.merges)
        goto out;
    if (status == 0 && request->first == NULL)
        status = answer(request, out, analysis, error, error_bytes);
    else if (status == 0)
        status = write_first_line(request, analysis);
    if (status == 0 && request->rows >= 0)
        status = write_rows(request, analysis, error, error_bytes);
out:
    omptape_windows_free(request->page.windows);
    omptape_pyramid_free(request->page.pyramid);
    omptape_analysis_free(analysis);
    omptape_reader_close(reader);
    return status == 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
}

/* Opens the output files. Returns 0, or negative errno after one line. */
static int prepare(struct request *request)
{
    request->gates.junit = &request->files[REPORT_JUNIT];
    int status = report_gates_read(&request->gates, "report", REPORT_GATES_SCOPE_RUN);
    if (status == 0)
        status = report_outputs_open(request->files, "report");
    if (status != 0 || request->gates.texts.count == 0)
        return status;
    request->rows = report_rows_file();
    if (request->rows < 0)
        omptape_message("report: %s", omptape_cause(request->rows));
    return request->rows < 0 ? request->rows : 0;
}

/* Evaluates the gates with the child's rows. Returns the exit code. */
static int evaluate_gates(struct request *request)
{
    struct report_rows before = {0};
    struct report_rows rows = {0};
    struct report_pairs pairs = {0};
    int code = OMPTAPE_EXIT_ERROR;
    int status = report_rows_read(&rows, request->rows);
    if (status == 0)
        status = report_pairs_make(&pairs, &before, &rows);
    if (status == 0)
        code = report_gates_evaluate(&request->gates, &(struct report_gates_side){&pairs, 0}, 1);
    else
        omptape_message("report: %s", omptape_cause(status));
    report_pairs_free(&pairs);
    report_rows_free(&rows);
    return code;
}

/* Reads the archive and writes the result. Returns the exit code. */
static int read_and_answer(struct request *request)
{
    int code = omptape_reader_guard("report", request->path, analyse, request);
    if (code == OMPTAPE_EXIT_OK && report_outputs_commit(request->files, "report") != 0)
        code = OMPTAPE_EXIT_ERROR;
    return code == OMPTAPE_EXIT_OK && request->rows >= 0 ? evaluate_gates(request) : code;
}

/* Runs as one of several ranks; the last one prints. */
static int report_shared(struct request *request, const struct report_option_texts *texts)
{
    struct report_share *share = &request->share;
    if (report_share_join(share, request->path, texts) != 0)
        return OMPTAPE_EXIT_ERROR;
    int code = omptape_reader_guard("report", request->path, analyse, request);
    switch (report_share_finish(share, code == OMPTAPE_EXIT_OK)) {
    case REPORT_SHARE_PRINT:
        share->merges = true;
        code = read_and_answer(request);
        report_share_remove(share, code != OMPTAPE_EXIT_ERROR);
        break;
    case REPORT_SHARE_FAILED:
        code = OMPTAPE_EXIT_ERROR;
        break;
    default:
        break;
    }
    return code;
}

/* Reads the options' texts and opens the files. Returns 0, or negative errno after one line. */
static int read_options(struct request *request, const struct report_option_texts *texts)
{
    if (texts->by != NULL && strcmp(texts->by, "phase") != 0) {
        omptape_message("report: --by: \"%.80s\" is not \"phase\"", texts->by);
        return -EINVAL;
    }
    if (report_choice_read(&request->choice, texts) != 0 || lacks_page(wants_page(request)) ||
        prepare(request) != 0)
        return -EINVAL;
    request->report.by_phase = texts->by != NULL;
    request->report.top = request->report.all ? UINT_MAX : request->choice.top;
    request->report.threads = texts->threads != NULL || request->report.all;
    request->report.whole = texts->from == NULL && texts->to == NULL;
    request->report.screen = screen_for(STDOUT_FILENO);
    return report_share_read(&request->share, texts->part, wants_page(request), &request->choice.jobs,
                             texts->jobs != NULL);
}

/* Returns the exit code. */
static int run_request(struct request *request, const struct report_option_texts *texts)
{
    if (read_options(request, texts) != 0)
        return OMPTAPE_EXIT_ERROR;
    if (request->share.idle)
        return OMPTAPE_EXIT_OK;
    return request->share.shared ? report_shared(request, texts) : read_and_answer(request);
}

int omptape_command_report(int argc, char **argv)
{
    struct request request = {.rows = -1, .share = {.parent = -1, .folder = -1}};
    struct report_option_texts texts = {0};
    const struct usage_option options[] = {
        {.name = "all", .on = &request.report.all},
        {.name = "top", .text = &texts.top, .value = "N"},
        {.name = "sort", .text = &texts.sort, .value = "HOW"},
        {.name = "threads", .text = &texts.threads, .value = "LIST"},
        {.name = "inside", .text = &request.report.inside, .value = "PLACE"},
        {.name = "by", .text = &texts.by, .value = "phase"},
        {.name = "from", .text = &texts.from, .value = "TIME"},
        {.name = "to", .text = &texts.to, .value = "TIME"},
        {.name = "ranks", .text = &texts.ranks, .value = "LIST"},
        {.name = "json", .text = &request.files[REPORT_JSON].name, .value = "FILE", .makes_file = true},
        {.name = "csv", .text = &request.files[REPORT_CSV].name, .value = "FILE", .makes_file = true},
        {.name = "html", .text = &request.files[REPORT_HTML].name, .value = "FILE", .makes_file = true},
        {.name = "svg", .text = &request.files[REPORT_SVG].name, .value = "FILE", .makes_file = true},
        {.name = "jobs", .text = &texts.jobs, .value = "N"},
        {.name = "part", .text = &texts.part, .value = "N/COUNT"},
        {.name = "parts", .text = &texts.parts, .value = "DIR"},
        {.name = "fail-if", .list = &request.gates.texts, .value = "EXPRESSION"},
        {.name = "junit", .text = &request.files[REPORT_JUNIT].name, .value = "FILE", .makes_file = true},
    };
    const struct usage usage = {
        "report", USAGE, "archive", options, sizeof(options) / sizeof(options[0]), .newest = true};
    report_outputs_init(request.files);
    const int parsed = usage_parse(&usage, argc, argv, &request.path);
    const int code = parsed == 0  ? run_request(&request, &texts)
                     : parsed > 0 ? OMPTAPE_EXIT_OK
                                  : OMPTAPE_EXIT_ERROR;
    report_share_close(&request.share);
    report_choice_free(&request.choice);
    report_outputs_close(request.files);
    report_gates_free(&request.gates);
    if (request.rows >= 0)
        close(request.rows);
    return code;
}

void report_show(const char *archive)
{
    struct request request = {.path = archive, .rows = -1, .report.whole = true};
    request.choice.jobs = omptape_processors();
    request.report.screen = screen_for(STDERR_FILENO);
    /* The guard prints to stdout, which belongs to the program: stderr replaces it meanwhile. */
    fflush(stdout);
    int output = dup(STDOUT_FILENO);
    if (output >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        (void)omptape_reader_guard("report", archive, analyse, &request);
    if (output >= 0) {
        (void)dup2(output, STDOUT_FILENO);
        close(output);
    }
}

bool report_first(const char *archive, char *line, size_t bytes)
{
    struct request request = {.path = archive, .rows = -1, .max_events = MAX_EVENTS_OF_SUMMARY};
    request.first = omptape_guarded_memory(REPORT_LINE_BYTES);
    if (request.first == NULL)
        return false;
    bool good = omptape_reader_guard(NULL, archive, analyse, &request) == OMPTAPE_EXIT_OK;
    request.first[REPORT_LINE_BYTES - 1] = '\0';
    (void)snprintf(line, bytes, "%s", good ? request.first : "");
    munmap(request.first, REPORT_LINE_BYTES);
    return line[0] != '\0';
}
