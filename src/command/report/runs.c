/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and merges groups of runs (runs.h).
 */
#include "src/command/report/runs.h"

#include "src/archive/read/guard.h"
#include "src/command/page/page.h"
#include "src/command/report/file.h"
#include "src/command/report/state.h"
#include "src/core/message.h"
#include "src/core/sort.h"
#include "src/folder/beneath.h"
#include "src/folder/output_folder.h"
#include "src/job/processors.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Adds the archives that match the pattern, sorted by name. Returns their number. */
static uint32_t add_matches(struct omptape_string_list *paths, const char *pattern)
{
    const uint32_t before = paths->count;
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (omptape_is_archive(found.gl_pathv[i]))
                omptape_string_list_add(paths, found.gl_pathv[i]);
        globfree(&found);
    }
    return paths->count - before;
}

void report_runs_find(struct omptape_string_list *paths, const char *operand)
{
    struct stat status;
    uint32_t found = 0;
    if (omptape_is_archive(operand)) {
        omptape_string_list_add(paths, operand);
        return;
    }
    const bool exists = stat(operand, &status) == 0;
    if (!exists && strpbrk(operand, "*?[") != NULL) {
        found = add_matches(paths, operand);
    } else if (exists && S_ISDIR(status.st_mode) && strpbrk(operand, "*?[\\") == NULL) {
        char *pattern = omptape_text("%s/*", operand);
        found = add_matches(paths, pattern);
        free(pattern);
    }
    if (found == 0)
        omptape_string_list_add(paths, operand);
}

/* Arguments of the reading child: an archive, and the descriptor of the file for its rows or its timeline. */
struct reading {
    const char *path;
    int made;
    bool is_drawn;
    double seconds; /* least length of the timeline */
};

static int draw(const struct reading *reading, const struct omptape_analysis *analysis,
                struct omptape_pyramid *pyramid)
{
    const struct page page = {.analysis = analysis,
                              .pyramid = pyramid,
                              .title = report_program(analysis),
                              .seconds = reading->seconds};
    return report_file_write_into(reading->made, page_svg, &page);
}

/* Runs in the child. */
static int read_archive(void *data, FILE *out, char *error, size_t error_bytes,
                        struct omptape_reader_progress *progress)
{
    const struct reading *reading = data;
    struct omptape_reader *reader = NULL;
    struct omptape_analysis *analysis = NULL;
    (void)out;
    int status = omptape_reader_open(&reader, reading->path, error, error_bytes);
    if (status != 0)
        return OMPTAPE_EXIT_ERROR;
    omptape_reader_follow(reader, progress);
    struct omptape_analysis_options options = {.done = &progress->done, .jobs = omptape_processors()};
    options.pyramid = reading->is_drawn ? omptape_pyramid_begin(reader, 0, 0) : NULL;
    status = omptape_analysis_run(&analysis, reader, &options, error, error_bytes);
    if (status != 0)
        goto out;
    status = options.pyramid != NULL ? draw(reading, analysis, options.pyramid)
                                     : report_rows_write(analysis, reading->made);
    if (status != 0)
        snprintf(error, error_bytes, "cannot compare: %s", omptape_cause(status));
out:
    omptape_pyramid_free(options.pyramid);
    omptape_analysis_free(analysis);
    omptape_reader_close(reader);
    return status == 0 ? OMPTAPE_EXIT_OK : OMPTAPE_EXIT_ERROR;
}

int report_runs_read(const char *command, const char *path, struct report_rows *rows)
{
    struct reading reading = {.path = path, .made = report_rows_file()};
    int status = reading.made < 0 ? reading.made : 0;
    int code = OMPTAPE_EXIT_ERROR;
    if (status == 0)
        code = omptape_reader_guard(command, path, read_archive, &reading);
    if (code == OMPTAPE_EXIT_OK)
        status = report_rows_read(rows, reading.made);
    if (status != 0)
        omptape_message("%s: %s", command, omptape_cause(status));
    omptape_close(reading.made);
    return status != 0 ? OMPTAPE_EXIT_ERROR : code;
}

static int copy(int from, FILE *out)
{
    char bytes[BUFSIZ];
    ssize_t count = lseek(from, 0, SEEK_SET);
    while (count >= 0 && (count = read(from, bytes, sizeof(bytes))) > 0)
        (void)fwrite(bytes, 1, (size_t)count, out);
    return count < 0 ? -errno : 0;
}

int report_runs_draw(const char *command, const char *path, double seconds, FILE *out)
{
    struct reading reading = {.path = path, .made = report_rows_file(), .is_drawn = true, .seconds = seconds};
    if (reading.made < 0)
        return reading.made;
    const int code = omptape_reader_guard(command, path, read_archive, &reading);
    const int status = code == OMPTAPE_EXIT_OK ? copy(reading.made, out) : -EIO;
    close(reading.made);
    return status;
}

static int by_value(const void *left, const void *right)
{
    const double one = *(const double *)left;
    const double other = *(const double *)right;
    return (one > other) - (one < other);
}

double report_runs_median(double *values, uint32_t count)
{
    if (count == 0)
        return 0;
    omptape_sort(values, count, sizeof(values[0]), by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void summarise_row(struct report_row *row, uint32_t runs)
{
    double values[REPORT_MAX_RUNS];
    memcpy(values, row->values, sizeof(values));
    row->value = report_runs_median(values, runs);
    row->min = values[0];
    row->max = values[runs - 1];
}

/* Merges a run. A row that one of the runs does not have has the value 0 in that run. */
int report_runs_merge(struct report_rows *all, const struct report_rows *run)
{
    struct report_pairs pairs = {0};
    struct report_rows merged = {.runs = all->runs + 1};
    int status = all->runs < REPORT_MAX_RUNS ? report_pairs_make(&pairs, all, run) : -E2BIG;
    for (uint32_t i = 0; status == 0 && i < pairs.count; i++) {
        const struct report_pair *pair = &pairs.list[i];
        struct report_row *row = report_rows_add(&merged, pair->old != NULL ? pair->old : pair->new);
        if (row == NULL) {
            status = -ENOMEM;
            break;
        }
        if (pair->old == NULL)
            memset(row->values, 0, sizeof(row->values));
        if (pair->old != NULL && pair->new != NULL) {
            row->cost = fmax(pair->old->cost, pair->new->cost);
            row->error = 0; /* the spread of the runs replaces it */
        }
        for (int loss = 0; loss < REPORT_LOSSES; loss++)
            row->losses[loss] = ((pair->old != NULL ? pair->old->losses[loss] : 0) * all->runs +
                                 (pair->new != NULL ? pair->new->losses[loss] : 0)) /
                                merged.runs;
        row->values[all->runs] = pair->after;
        summarise_row(row, merged.runs);
    }
    report_pairs_free(&pairs);
    report_rows_free(status == 0 ? all : &merged);
    if (status == 0)
        *all = merged;
    return status;
}

/* Sets twice the ranks of the values among `all`, so that the mean ranks of ties are whole numbers. */
static void rank_values(const double *values, uint32_t count, const double *all, uint32_t total,
                        unsigned *ranks)
{
    for (uint32_t i = 0; i < count; i++) {
        ranks[i] = 1;
        for (uint32_t k = 0; k < total; k++)
            ranks[i] += all[k] < values[i] ? 2 : all[k] <= values[i] ? 1 : 0;
    }
}

/* Counts, rank by rank, in how many ways `count` of the ranks have each sum. */
double report_runs_chance(const double *values, uint32_t count, const double *rest, uint32_t others)
{
    enum { MAX_VALUES = 2 * REPORT_MAX_RUNS, MAX_SUM = REPORT_MAX_RUNS * (2 * MAX_VALUES + 1) };
    static double arrangements[REPORT_MAX_RUNS + 1][MAX_SUM + 1];
    double all[MAX_VALUES];
    unsigned ranks[MAX_VALUES];
    const uint32_t total = count + others;
    const unsigned max = count * (2 * total + 1);
    double extreme = 0;
    double sum = 0;
    unsigned seen = 0;
    memcpy(all, values, count * sizeof(all[0]));
    memcpy(all + count, rest, others * sizeof(all[0]));
    rank_values(all, total, all, total, ranks);
    memset(arrangements, 0, sizeof(arrangements));
    arrangements[0][0] = 1;
    for (uint32_t i = 0; i < total; i++)
        for (uint32_t n = i + 1 < count ? i + 1 : count; n > 0; n--)
            for (unsigned at = max; at >= ranks[i]; at--)
                arrangements[n][at] += arrangements[n - 1][at - ranks[i]];
    for (uint32_t i = 0; i < count; i++)
        seen += ranks[i];
    const double mean = (double)count * (total + 1);
    for (unsigned at = 0; at <= max; at++) {
        sum += arrangements[count][at];
        if (fabs(at - mean) >= fabs(seen - mean))
            extreme += arrangements[count][at];
    }
    return extreme / sum;
}

double report_runs_level(uint32_t count, uint32_t others)
{
    const double usual = 0.05;
    const double rounding = 1e-9;
    double arrangements = 1;
    for (uint32_t i = 1; i <= count; i++)
        arrangements = arrangements * (others + i) / i;
    return fmax(usual, 2 / arrangements + rounding);
}

void report_runs_test(struct report_pairs *pairs, uint32_t before, uint32_t after)
{
    static const double nothing[REPORT_MAX_RUNS];
    const double level = report_runs_level(before, after);
    for (uint32_t i = 0; i < pairs->count; i++) {
        struct report_pair *pair = &pairs->list[i];
        pair->chance = report_runs_chance(pair->old != NULL ? pair->old->values : nothing, before,
                                          pair->new != NULL ? pair->new->values : nothing, after);
        pair->is_noise = pair->chance > level;
    }
}
