/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements `omptape compare A B`: what became faster or slower. Called by main.c. Each archive is read in a
 * guarded child process, which writes its rows to an anonymous file.
 */
#include "src/command/compare/compare.h"

#include "src/archive/read/guard.h"
#include "src/command/report/choice.h"
#include "src/command/report/runs.h"
#include "src/command/text/usage.h"
#include "src/core/message.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char USAGE[] =
    "Usage: omptape compare [options] BEFORE AFTER\n"
    "       omptape compare [options] BEFORE... -- AFTER...\n"
    "\n"
    "Compares two OTF2 archives of a program, before and after a change: the run as a\n"
    "whole, its efficiencies, what each finding loses and how long each region takes\n"
    "(as omptape report counts it). What changed most comes first. A construct whose\n"
    "line moved is found again by its file and function. Each side may be several\n"
    "runs ('before-*' 'after-*'): then it shows medians, and calls a change within\n"
    "their noise none (Mann-Whitney's test).\n"
    "\n"
    "  --all         all rows, also those that hardly changed\n"
    "  --top N       at most N rows of each table\n"
    "These write a file in place of the text (\"-\": to the standard output):\n"
    "  --json FILE   everything, as JSON\n"
    "  --html FILE   a page: both timelines on one scale, and all tables\n"
    "For pipelines:\n"
    "  --fail-if EXPRESSION\n"
    "                exit code 3 and a line if it is true: 'wall>+5%',\n"
    "                'region:solver>+10%', 'parallel<-0.05', of AFTER alone\n"
    "                'parallel<0.8'. It may be given several times\n"
    "  --junit FILE  what became of these, as JUnit's XML\n"
    "\n"
    "Exit code: 0; 3 where an expression of --fail-if is true; or 2 if an archive\n"
    "cannot be read. docs/report.md has the expressions.\n";

/* Prints or writes the changes and evaluates the gates. Returns the exit code. */
static int answer(struct comparison *comparison)
{
    const struct report_rows *before = &comparison->before.rows;
    const struct report_rows *after = &comparison->after.rows;
    char error[OMPTAPE_ATOMIC_FILE_ERROR_BYTES];
    struct report_pairs *pairs = &comparison->pairs;
    int code = OMPTAPE_EXIT_ERROR;
    int status = report_pairs_make(pairs, before, after);
    if (status == 0)
        report_runs_test(pairs, before->runs, after->runs);
    comparison->screen.out = stdout;
    if (status == 0 && !report_outputs_replace_text(comparison->files))
        status = compare_print(comparison);
    if (status != 0)
        snprintf(error, sizeof(error), "cannot compare: %s", omptape_cause(status));
    if (status == 0)
        status = report_outputs_write_numbers(comparison->files, stdout, compare_write_numbers, comparison,
                                              error, sizeof(error));
    if (status == 0)
        status = report_file_write(&comparison->files[REPORT_HTML], stdout, compare_write_html, comparison,
                                   error, sizeof(error));
    if (status != 0) {
        omptape_message("compare: %s", error);
        goto out;
    }
    if (report_outputs_commit(comparison->files, "compare") == 0)
        code = report_gates_evaluate(&comparison->gates, &(struct report_gates_side){pairs, 0}, 1);
out:
    report_pairs_free(pairs);
    return code;
}

static int prepare(struct comparison *comparison, const char *top)
{
    comparison->gates.junit = &comparison->files[REPORT_JUNIT];
    if (report_choice_read_top("compare", top, &comparison->top) != 0 ||
        report_gates_read(&comparison->gates, "compare", REPORT_GATES_SCOPE_CHANGE) != 0)
        return -EINVAL;
    return report_outputs_open(comparison->files, "compare");
}

/* Reads all runs of a side. Returns the exit code. */
static int read_side(struct compare_side *side)
{
    int code = OMPTAPE_EXIT_OK;
    if (side->paths.count > REPORT_MAX_RUNS) {
        omptape_message("compare: %u archives on one side; there may be %d", side->paths.count,
                        REPORT_MAX_RUNS);
        return OMPTAPE_EXIT_ERROR;
    }
    for (uint32_t i = 0; code == OMPTAPE_EXIT_OK && i < side->paths.count; i++) {
        struct report_rows rows = {0};
        code = report_runs_read("compare", side->paths.items[i], &rows);
        const int status = code == OMPTAPE_EXIT_OK ? report_runs_merge(&side->rows, &rows) : 0;
        if (status != 0) {
            omptape_message("compare: %s", omptape_cause(status));
            code = OMPTAPE_EXIT_ERROR;
        }
        report_rows_free(&rows);
    }
    return code;
}

/* Returns where the last number in a path's last part is, or the path's end. *digits receives its length. */
static size_t find_number(const char *path, size_t *digits)
{
    size_t at = strlen(path);
    while (at > 0 && path[at - 1] != '/' && !isdigit((unsigned char)path[at - 1]))
        at--;
    const size_t end = at;
    while (at > 0 && isdigit((unsigned char)path[at - 1]))
        at--;
    *digits = end - at;
    return at;
}

/* Returns true if the paths differ only in the last number of their last part: "before-1" and "before-12". */
static bool is_same_series(const char *one, const char *other)
{
    size_t one_digits;
    size_t other_digits;
    const size_t at = find_number(one, &one_digits);
    return at == find_number(other, &other_digits) && strncmp(one, other, at) == 0 &&
           strcmp(one + at + one_digits, other + at + other_digits) == 0;
}

/* Assigns the operands to the sides: by "--", as two, or by their names. False after one line if unclear. */
static bool divide(struct comparison *comparison, const struct operands *operands)
{
    const char *const *list = operands->list;
    const bool is_split = operands->split > 0 && operands->split < operands->count;
    int second = 0; /* the first one that is not of the first one's series */
    bool is_clear = true;
    for (int i = 0; i < operands->count; i++) {
        bool is_first = is_split ? i < operands->split : i == 0;
        if (!is_split && operands->count > 2) {
            is_first = is_same_series(list[0], list[i]);
            second = is_first || second > 0 ? second : i;
            is_clear = is_clear && (is_first || is_same_series(list[second], list[i]));
        }
        report_runs_find(is_first ? &comparison->before.paths : &comparison->after.paths, list[i]);
    }
    if (is_clear && comparison->after.paths.count > 0)
        return true;
    omptape_message(
        "compare: which of the %d archives are of before, and which of after? Put -- between them",
        operands->count);
    return false;
}

static void free_side(struct compare_side *side)
{
    report_rows_free(&side->rows);
    omptape_string_list_free(&side->paths);
}

int omptape_command_compare(int argc, char **argv)
{
    struct comparison comparison = {.top = 0};
    struct operands archives = {0};
    const char *top = NULL;
    bool all = false;
    const struct usage_option options[] = {
        {.name = "all", .on = &all},
        {.name = "top", .text = &top, .value = "N"},
        {.name = "json", .text = &comparison.files[REPORT_JSON].name, .value = "FILE", .makes_file = true},
        {.name = "html", .text = &comparison.files[REPORT_HTML].name, .value = "FILE", .makes_file = true},
        {.name = "fail-if", .list = &comparison.gates.texts, .value = "EXPRESSION"},
        {.name = "junit", .text = &comparison.files[REPORT_JUNIT].name, .value = "FILE", .makes_file = true}};
    const struct usage usage = {
        "compare", USAGE, "archive", options, sizeof(options) / sizeof(options[0]), .newest = false};
    int code = OMPTAPE_EXIT_ERROR;
    report_outputs_init(comparison.files);
    int parsed = usage_parse_many(&usage, argc, argv, &archives, 2);
    if (parsed > 0)
        code = OMPTAPE_EXIT_OK;
    if (parsed != 0 || !divide(&comparison, &archives) || prepare(&comparison, top) != 0)
        goto out;
    comparison.top = all ? UINT_MAX : comparison.top;
    comparison.screen = screen_for(STDOUT_FILENO);
    code = read_side(&comparison.before);
    if (code == OMPTAPE_EXIT_OK)
        code = read_side(&comparison.after);
    if (code == OMPTAPE_EXIT_OK)
        code = answer(&comparison);
out:
    free(archives.list);
    free_side(&comparison.before);
    free_side(&comparison.after);
    report_gates_free(&comparison.gates);
    report_outputs_close(comparison.files);
    return code;
}
