/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape scale`: parses its options, makes or reads the runs, and writes the output (scale.h).
 */
#include "src/command/scale/scale.h"

#include "src/archive/read/guard.h"
#include "src/command/report/choice.h"
#include "src/command/report/file.h"
#include "src/command/report/gates.h"
#include "src/command/report/runs.h"
#include "src/command/text/usage.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/folder/output_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static const char USAGE[] =
    "Usage: omptape scale [options] -- PROGRAM [arguments]\n"
    "       omptape scale [options] ARCHIVE...\n"
    "\n"
    "Runs a program with several numbers of threads, or reads runs that there are,\n"
    "and says what more threads win: time, speed-up and efficiencies of each number,\n"
    "of the whole and of each region; the number from which on more do not pay; and\n"
    "what takes more time with more threads. The program's output goes to stderr.\n"
    "\n"
    "  --threads LIST  1,2,4; or auto (the default): 1, 2, 4... up to all processors\n"
    "  --ranks LIST    numbers of MPI's ranks: -- mpirun -n {ranks} ./app\n"
    "  --repeat N      so many runs of each (default: 3); medians are shown\n"
    "  -o, --output DIR\n"
    "                  keep the runs there (default: omptape-scale-PROGRAM)\n"
    "  --trace         record traces; the default is profiles, which are small\n"
    "Archives, folders of them or patterns may differ in threads, ranks or nodes.\n"
    "  --weak          the work grows with the number of threads\n"
    "  --all           all regions;  --top N  at most N of them\n"
    "These write a file in place of the text (\"-\": to the standard output):\n"
    "  --json FILE, --csv FILE  everything\n"
    "  --html FILE     a page: the curves, what they mean, and all tables\n"
    "  --svg FILE      the curves as a picture\n"
    "For pipelines:\n"
    "  --fail-if EXPRESSION     exit code 3 and a line if it is true:\n"
    "                  'efficiency@8<0.6', 'region:solver@8>2s'. Several times\n"
    "  --junit FILE    what became of these, as JUnit's XML\n"
    "\n"
    "Exit code: 0; 3 where an expression of --fail-if is true; 2 if an archive cannot\n"
    "be read or no run is complete; or 128 and the number of a signal that ended the\n"
    "series, after the complete runs are shown. docs/report.md has all words.\n";

/* The parsed command line and its results. */
struct request {
    struct scale_series series;
    struct scale scale;
    struct report_gates gates;
    struct report_file files[REPORT_OUTPUTS];
    struct scale_run *runs;
    uint32_t run_count;
    int stopped; /* signal that ended the series, or 0 */
    bool is_all;
    unsigned top;
};

static int prepare(struct request *request, const char *top)
{
    request->gates.junit = &request->files[REPORT_JUNIT];
    if (report_choice_read_top("scale", top, &request->top) != 0 ||
        report_gates_read(&request->gates, "scale", REPORT_GATES_SCOPE_SERIES) != 0)
        return -EINVAL;
    int status = report_outputs_open(request->files, "scale");
    request->top = request->is_all ? UINT_MAX : request->top;
    return status;
}

/* Lists existing archives. */
static int find_runs(struct request *request, const struct operands *operands)
{
    struct omptape_string_list paths = {0};
    for (int i = 0; i < operands->count; i++)
        report_runs_find(&paths, operands->list[i]);
    request->runs = calloc(paths.count + 1, sizeof(request->runs[0]));
    for (uint32_t i = 0; request->runs != NULL && i < paths.count; i++)
        request->runs[request->run_count++] = (struct scale_run){omptape_text("%s", paths.items[i]), 0};
    omptape_string_list_free(&paths);
    if (request->runs == NULL)
        omptape_message("scale: out of memory");
    return request->runs != NULL ? 0 : -ENOMEM;
}

static void print_threads_used(const struct report_rows *rows, const struct scale_run *run)
{
    const struct report_row *row = report_rows_find(rows, REPORT_ROW_COUNT, "threads");
    if (row != NULL && row->value < run->requested_threads)
        omptape_message("scale: %s: of %u threads, %.0f worked at once", run->path, run->requested_threads,
                        row->value);
}

/* Reads all runs. Returns the exit code. */
static int read_runs(struct request *request)
{
    int code = OMPTAPE_EXIT_OK;
    for (uint32_t i = 0; code == OMPTAPE_EXIT_OK && i < request->run_count; i++) {
        struct report_rows rows = {0};
        code = report_runs_read("scale", request->runs[i].path, &rows);
        if (code == OMPTAPE_EXIT_OK)
            print_threads_used(&rows, &request->runs[i]);
        const int status = code == OMPTAPE_EXIT_OK
                               ? scale_add_run(&request->scale, &rows, request->runs[i].requested_threads)
                               : 0;
        if (status == -E2BIG)
            omptape_message("scale: there may be %d runs of the same size", REPORT_MAX_RUNS);
        else if (status != 0)
            omptape_message("scale: %s", omptape_cause(status));
        code = status != 0 ? OMPTAPE_EXIT_ERROR : code;
        report_rows_free(&rows);
    }
    if (code == OMPTAPE_EXIT_OK && request->run_count == 0) {
        omptape_message("scale: no run is complete");
        code = OMPTAPE_EXIT_ERROR;
    } else if (code == OMPTAPE_EXIT_OK && request->scale.size_count < 2 && request->stopped == 0) {
        omptape_message("scale: all runs have the same number of threads: there is nothing to compare");
        code = OMPTAPE_EXIT_ERROR;
    }
    return code;
}

static int write_answers(struct request *request, char *error, size_t bytes)
{
    struct screen screen = screen_for(STDOUT_FILENO);
    int status = 0;
    screen.out = stdout;
    if (!report_outputs_replace_text(request->files)) {
        status = scale_print(&request->scale, &screen, request->top);
        if (status != 0)
            snprintf(error, bytes, "%s", omptape_cause(status));
    }
    if (status == 0)
        status = report_outputs_write_numbers(request->files, stdout, scale_write_numbers, &request->scale,
                                              error, bytes);
    if (status == 0)
        status = report_file_write(&request->files[REPORT_HTML], stdout, scale_write_html, &request->scale,
                                   error, bytes);
    if (status == 0)
        status = report_file_write(&request->files[REPORT_SVG], stdout, scale_write_svg, &request->scale,
                                   error, bytes);
    return status;
}

/* Adds the measures of a size that --fail-if can refer to. Returns 0 or -ENOMEM. */
static int add_measures(struct report_rows *rows, const struct scale_size *size)
{
    const struct report_row measures[] = {
        {.kind = REPORT_ROW_COUNT, .name = "speedup", .value = size->speedup},
        {.kind = REPORT_ROW_EFFICIENCY, .name = "efficiency", .value = size->efficiency},
        {.kind = REPORT_ROW_EFFICIENCY, .name = "computation", .value = size->computation}};
    bool good = true;
    for (uint32_t i = 0; good && i < size->rows.count; i++)
        good = report_rows_add(rows, &size->rows.list[i]) != NULL;
    for (size_t i = 0; good && i < sizeof(measures) / sizeof(measures[0]); i++)
        good = report_rows_add(rows, &measures[i]) != NULL;
    return good ? 0 : -ENOMEM;
}

/* Evaluates the expressions of --fail-if. Returns the exit code. */
static int evaluate_gates(struct request *request)
{
    const uint32_t count = request->scale.size_count;
    struct report_rows *rows = calloc(count, sizeof(*rows));
    struct report_pairs *pairs = calloc(count, sizeof(*pairs));
    struct report_gates_side *sides = calloc(count, sizeof(*sides));
    int code = OMPTAPE_EXIT_ERROR;
    int status = rows != NULL && pairs != NULL && sides != NULL ? 0 : -ENOMEM;
    for (uint32_t i = 0; status == 0 && i < count; i++) {
        sides[i] = (struct report_gates_side){&pairs[i], request->scale.sizes[i].threads};
        status = add_measures(&rows[i], &request->scale.sizes[i]);
        if (status == 0)
            status = report_pairs_make(&pairs[i], &(struct report_rows){0}, &rows[i]);
    }
    if (status == 0)
        code = report_gates_evaluate(&request->gates, sides, count);
    else
        omptape_message("scale: %s", omptape_cause(status));
    for (uint32_t i = 0; rows != NULL && pairs != NULL && i < count; i++) {
        report_pairs_free(&pairs[i]);
        report_rows_free(&rows[i]);
    }
    free(rows);
    free(pairs);
    free(sides);
    return code;
}

static int answer(struct request *request)
{
    char error[OMPTAPE_ATOMIC_FILE_ERROR_BYTES];
    int code = read_runs(request);
    if (code != OMPTAPE_EXIT_OK)
        return code;
    int status = scale_finish(&request->scale);
    if (status != 0)
        snprintf(error, sizeof(error), "%s", omptape_cause(status));
    else
        status = write_answers(request, error, sizeof(error));
    if (status != 0) {
        omptape_message("scale: %s", error);
        return OMPTAPE_EXIT_ERROR;
    }
    return report_outputs_commit(request->files, "scale") == 0 ? evaluate_gates(request) : OMPTAPE_EXIT_ERROR;
}

/* Runs the program or reads existing archives. Returns the exit code. */
static int make_or_find(struct request *request, const struct operands *operands, char *const *argv)
{
    const bool makes = operands->split >= 0;
    if (makes && (operands->split > 0 || operands->count == 0)) {
        omptape_message(operands->count == 0 ? "scale: which program? It stands behind --"
                                             : "scale: either archives, or -- and a program, but not both");
        return OMPTAPE_EXIT_ERROR;
    }
    for (int i = 0; !makes && i < operands->count; i++) {
        if (!omptape_is_program(operands->list[i]))
            continue;
        omptape_message("scale: a program stands behind --: omptape scale -- %s", operands->list[i]);
        return OMPTAPE_EXIT_ERROR;
    }
    request->scale.program = omptape_base_name(operands->list[0]);
    request->series.argv = argv;
    const int status =
        makes ? scale_run_series(&request->series, &request->runs, &request->run_count, &request->stopped)
              : find_runs(request, operands);
    return status == 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
}

static void free_request(struct request *request)
{
    for (uint32_t i = 0; i < request->run_count; i++)
        free(request->runs[i].path);
    free(request->runs);
    scale_free(&request->scale);
    report_gates_free(&request->gates);
    report_outputs_close(request->files);
}

int omptape_command_scale(int argc, char **argv)
{
    enum { BY_SIGNAL = 128 };
    struct request request = {.stopped = 0};
    struct operands operands = {0};
    const char *top = NULL;
    const struct usage_option options[] = {
        {.name = "threads", .text = &request.series.threads, .value = "LIST"},
        {.name = "ranks", .text = &request.series.ranks, .value = "LIST"},
        {.name = "repeat", .text = &request.series.repeat, .value = "N"},
        {.name = "output", .letter = 'o', .text = &request.series.output, .value = "DIR"},
        {.name = "trace", .on = &request.series.is_trace},
        {.name = "weak", .on = &request.scale.is_weak},
        {.name = "all", .on = &request.is_all},
        {.name = "top", .text = &top, .value = "N"},
        {.name = "json", .text = &request.files[REPORT_JSON].name, .value = "FILE", .makes_file = true},
        {.name = "csv", .text = &request.files[REPORT_CSV].name, .value = "FILE", .makes_file = true},
        {.name = "html", .text = &request.files[REPORT_HTML].name, .value = "FILE", .makes_file = true},
        {.name = "svg", .text = &request.files[REPORT_SVG].name, .value = "FILE", .makes_file = true},
        {.name = "fail-if", .list = &request.gates.texts, .value = "EXPRESSION"},
        {.name = "junit", .text = &request.files[REPORT_JUNIT].name, .value = "FILE", .makes_file = true}};
    const struct usage usage = {
        "scale", USAGE, "archive", options, sizeof(options) / sizeof(options[0]), .newest = false};
    int code = OMPTAPE_EXIT_ERROR;
    report_outputs_init(request.files);
    int parsed = usage_parse_many(&usage, argc, argv, &operands, 1);
    if (parsed > 0)
        code = OMPTAPE_EXIT_OK;
    if (parsed == 0 && prepare(&request, top) == 0) {
        code = make_or_find(&request, &operands, argv + argc - operands.count);
        code = code == OMPTAPE_EXIT_OK ? answer(&request) : code;
    }
    if (request.stopped != 0)
        code = BY_SIGNAL + request.stopped;
    free(operands.list);
    free_request(&request);
    return code;
}
