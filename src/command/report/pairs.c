/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes rows of an archive's values and matches the rows of two archives (pairs.h).
 */
#include "src/command/report/pairs.h"

#include "src/analysis/findings/inside.h"

#include "src/command/report/state.h"
#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/core/whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct report_row *add_row(struct report_rows *rows, enum report_row_kind kind, double value)
{
    if (!OMPTAPE_RESERVE(rows->list, rows->count + 1, &rows->capacity))
        return NULL;
    struct report_row *row = &rows->list[rows->count++];
    memset(row, 0, sizeof(*row));
    row->kind = kind;
    row->value = value;
    row->min = value;
    row->max = value;
    row->values[0] = value;
    return row;
}

struct report_row *report_rows_add(struct report_rows *rows, const struct report_row *row)
{
    struct report_row *copy = add_row(rows, row->kind, row->value);
    if (copy != NULL)
        *copy = *row;
    return copy;
}

/* Sets a row's name and key. The key is the function and the name without line numbers. */
static bool name_row(struct report_row *row, const char *prefix, const char *name, const char *function,
                     uint32_t line)
{
    if (row == NULL)
        return false;
    (void)snprintf(row->name, sizeof(row->name), "%s%s%s", prefix, prefix[0] != '\0' ? ": " : "", name);
    row->place = prefix[0] != '\0' ? (uint32_t)strlen(prefix) + 2 : 0;
    (void)snprintf(row->key, sizeof(row->key), "%s ", function);
    size_t used = strlen(row->key);
    row->function = (uint32_t)used - (used > 0 && row->key[used - 1] == ' ');
    for (const char *at = row->name; *at != '\0' && used + 1 < sizeof(row->key); at++) {
        bool of_line = *at >= '0' && *at <= '9' && row->key[used - 1] == ':';
        if (!of_line)
            row->key[used++] = *at;
    }
    row->key[used] = '\0';
    row->line = line;
    return true;
}

/* Returns the computing time including serial parts, thread seconds. If it grows with the number of threads,
 * memory, caches or the program are the reason. */
static double computed(const struct omptape_analysis *analysis)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < analysis->thread_count; i++)
        omptape_add(&sum, report_time_working(analysis->thread_list[i].parts));
    return omptape_analysis_seconds(analysis, sum);
}

static bool add_whole(struct report_rows *rows, const struct omptape_analysis *analysis)
{
    const struct analysis_efficiency *efficiency = &analysis->efficiency;
    struct report_row *wall = add_row(rows, REPORT_ROW_WHOLE, report_wall(analysis));
    if (wall != NULL)
        report_losses_of_whole(wall, analysis);
    bool good =
        name_row(wall, "", "wall", "", 0) &&
        name_row(add_row(rows, REPORT_ROW_MACHINE, analysis->node_count), "", "nodes", "", 0) &&
        name_row(add_row(rows, REPORT_ROW_MACHINE, report_processors(analysis)), "", "processors", "", 0) &&
        name_row(add_row(rows, REPORT_ROW_MACHINE, report_is_oversubscribed(analysis)), "", "oversubscribed",
                 "", 0) &&
        name_row(add_row(rows, REPORT_ROW_COUNT, analysis->process_count), "", "processes", "", 0) &&
        name_row(add_row(rows, REPORT_ROW_COUNT, analysis->threads), "", "threads", "", 0) &&
        name_row(add_row(rows, REPORT_ROW_WORK, computed(analysis)), "", "computing", "", 0) &&
        name_row(add_row(rows, REPORT_ROW_EFFICIENCY, efficiency->parallel), "", "parallel", "", 0);
    for (int factor = 0; good && factor < ANALYSIS_FACTORS; factor++)
        good = name_row(add_row(rows, REPORT_ROW_EFFICIENCY, efficiency->factors[factor]), "",
                        omptape_analysis_factors[factor].name, "", 0);
    return good;
}

/* Adds rows with the processor time of each function of the program and its library calls, by samples. */
static bool add_functions(struct report_rows *rows, const struct omptape_analysis *analysis)
{
    const double ns_per_second = 1e9;
    const double threads = analysis->threads > 0 ? analysis->threads : 1;
    const int64_t number = analysis->process_count > 0 ? analysis->processes[0].number : -1;
    const double period =
        (double)omptape_reader_sample_period(analysis->reader, number) / ns_per_second / threads;
    struct omptape_inside inside;
    bool good = omptape_inside_gather_all(analysis, &inside);
    for (uint32_t i = 0; good && i < inside.entry_count; i++) {
        struct omptape_inside_call call = inside.entries[i].call;
        const double count = (double)inside.entries[i].count;
        char name[REPORT_NAME_BYTES];
        call.own.line = 0; /* the hottest line differs between runs */
        struct report_row *row = add_row(rows, REPORT_ROW_FUNCTION, count * period);
        if (row != NULL)
            row->error = sqrt(count) * period;
        good = name_row(row, "", omptape_inside_describe(&call, name, sizeof(name)), "", 0);
    }
    omptape_inside_free(&inside);
    return good;
}

static int rows_make(struct report_rows *rows, const struct omptape_analysis *analysis)
{
    double threads = analysis->threads > 0 ? analysis->threads : 1;
    bool good = add_whole(rows, analysis);
    for (uint32_t i = 0; good && i < analysis->finding_count; i++) {
        const struct omptape_finding *finding = &analysis->findings[i];
        const struct analysis_region *region = finding->region;
        char place[REPORT_NAME_BYTES];
        struct report_row *row =
            add_row(rows, REPORT_ROW_FINDING, omptape_analysis_seconds(analysis, finding->gain));
        if (row != NULL) {
            row->finding = finding->kind;
            row->cost =
                finding->gain > 0 ? row->value : omptape_analysis_seconds(analysis, finding->spent_wall);
        }
        good = name_row(row,
                        finding->kind == OMPTAPE_FINDING_SERIAL || finding->serial != NULL
                            ? ""
                            : omptape_finding_name(finding->kind),
                        report_place(finding, place, sizeof(place)), region != NULL ? region->function : "",
                        region != NULL ? region->line : 0);
    }
    for (uint32_t i = 0; good && i < analysis->phase_count; i++) {
        const struct analysis_phase *phase = analysis->phases[i];
        if (omptape_phase_is_detected(phase))
            continue;
        struct report_row *row =
            add_row(rows, REPORT_ROW_PHASE,
                    omptape_analysis_seconds(analysis, omptape_mean(phase->wall, analysis->at_once)));
        if (row != NULL)
            report_losses_of_phase(row, analysis, phase);
        good = name_row(row, "", phase->region->label, "", 0);
    }
    for (uint32_t i = 0; good && i < analysis->region_count; i++) {
        const struct analysis_region *region = analysis->regions[i];
        if (report_is_only_waiting(region))
            continue;
        double time = omptape_analysis_seconds(analysis, report_cost(region));
        struct report_row *row = add_row(rows, REPORT_ROW_REGION, time / threads);
        if (row != NULL)
            report_losses_of_region(row, analysis, region);
        good = name_row(row, "", region->label, region->function, region->line);
        if (good && region->kind == OMPTAPE_REGION_PROGRAM)
            row->key[0] = '\0'; /* two builds of a program often have different names */
    }
    good = good && (analysis->sampled_count == 0 || add_functions(rows, analysis));
    return good ? 0 : -ENOMEM;
}

int report_rows_file(void)
{
    const int descriptor = memfd_create("omptape-rows", MFD_CLOEXEC);
    return descriptor >= 0 ? descriptor : -errno;
}

static int write_row_list(const struct report_rows *rows, int descriptor)
{
    size_t bytes = rows->count * sizeof(rows->list[0]);
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = pwrite(descriptor, (const char *)rows->list + done, bytes - done, (off_t)done);
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        done += (size_t)n;
    }
    return 0;
}

int report_rows_write(struct omptape_analysis *analysis, int descriptor)
{
    struct report_rows rows = {0};
    int status = report_fold(analysis);
    if (status == 0)
        status = rows_make(&rows, analysis);
    if (status == 0)
        status = write_row_list(&rows, descriptor);
    report_rows_free(&rows);
    return status;
}

int report_rows_read(struct report_rows *rows, int descriptor)
{
    struct report_row row;
    off_t offset = 0;
    while (pread(descriptor, &row, sizeof(row), offset) == (ssize_t)sizeof(row)) {
        struct report_row *copy = report_rows_add(rows, &row);
        if (copy == NULL)
            return -ENOMEM;
        copy->name[REPORT_NAME_BYTES - 1] = '\0'; /* the child read an untrusted archive */
        copy->key[REPORT_NAME_BYTES - 1] = '\0';
        offset += (off_t)sizeof(row);
    }
    rows->runs = 1;
    return 0;
}

const char *report_factor_key(const char *name)
{
    for (int factor = 0; factor < ANALYSIS_FACTORS; factor++)
        if (strcmp(name, omptape_analysis_factors[factor].name) == 0)
            return omptape_analysis_factors[factor].key;
    return name;
}

const struct report_row *report_rows_find(const struct report_rows *rows, enum report_row_kind kind,
                                          const char *name)
{
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->list[i].kind == kind && strcmp(rows->list[i].name, name) == 0)
            return &rows->list[i];
    return NULL;
}

void report_rows_free(struct report_rows *rows)
{
    free(rows->list);
    *rows = (struct report_rows){0};
}

static int compare_keys(const struct report_row *one, const struct report_row *other)
{
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    return strcmp(one->key, other->key);
}

static int by_name(const void *left, const void *right)
{
    const struct report_row *one = *(const struct report_row *const *)left;
    const struct report_row *other = *(const struct report_row *const *)right;
    int kinds = (one->kind > other->kind) - (one->kind < other->kind);
    int names = strcmp(one->name, other->name);
    return kinds != 0 ? kinds : names != 0 ? names : strcmp(one->key, other->key);
}

static int by_key(const void *left, const void *right)
{
    const struct report_row *one = *(const struct report_row *const *)left;
    const struct report_row *other = *(const struct report_row *const *)right;
    int keys = compare_keys(one, other);
    return keys != 0 ? keys : (one->line > other->line) - (one->line < other->line);
}

static int same_names(const struct report_row *one, const struct report_row *other)
{
    int kinds = (one->kind > other->kind) - (one->kind < other->kind);
    return kinds != 0 ? kinds : strcmp(one->name, other->name);
}

/* Adds a pair. `shown` is one of the two rows; the other may be NULL. */
static bool add_pair(struct report_pairs *pairs, const struct report_row *shown,
                     const struct report_row *before, const struct report_row *after)
{
    if (!OMPTAPE_RESERVE(pairs->list, pairs->count + 1, &pairs->capacity))
        return false;
    if (shown->kind == REPORT_ROW_WHOLE) {
        pairs->wall_before = before != NULL ? before->value : 0;
        pairs->wall_after = after != NULL ? after->value : 0;
        pairs->wall = fmax(pairs->wall_before, pairs->wall_after);
    }
    pairs->list[pairs->count++] = (struct report_pair){
        .kind = shown->kind,
        .name = shown->name,
        .old = before,
        .new = after,
        .before = before != NULL ? before->value : 0,
        .after = after != NULL ? after->value : 0,
        .chance = 1,
        .error = hypot(before != NULL ? before->error : 0, after != NULL ? after->error : 0)};
    return true;
}

/* Rows without a partner so far. */
struct rest {
    const struct report_row **list;
    uint32_t count;
};

/* Pairs equal rows of both lists, sorted by `sort`, and removes them. Returns false if out of memory. */
static bool take_partners(struct report_pairs *pairs, struct rest *before, struct rest *after,
                          int (*sort)(const void *, const void *),
                          int (*compare)(const struct report_row *, const struct report_row *))
{
    bool good = true;
    struct rest left = {before->list, 0};
    struct rest right = {after->list, 0};
    uint32_t i = 0;
    uint32_t j = 0;
    omptape_sort(before->list, before->count, sizeof(before->list[0]), sort);
    omptape_sort(after->list, after->count, sizeof(after->list[0]), sort);
    while (good && (i < before->count || j < after->count)) {
        int order = i == before->count  ? 1
                    : j == after->count ? -1
                                        : compare(before->list[i], after->list[j]);
        if (order == 0) {
            good = add_pair(pairs, after->list[j], before->list[i], after->list[j]);
            i++;
            j++;
        } else if (order < 0)
            left.list[left.count++] = before->list[i++];
        else
            right.list[right.count++] = after->list[j++];
    }
    *before = left;
    *after = right;
    return good;
}

static int by_change(const void *left, const void *right)
{
    const struct report_pair *one = left;
    const struct report_pair *other = right;
    double a = fabs(one->after - one->before);
    double b = fabs(other->after - other->before);
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    if (one->kind == REPORT_ROW_EFFICIENCY || one->kind == REPORT_ROW_COUNT) /* in the order of the rows */
        return (one->name > other->name) - (one->name < other->name);
    return a != b ? (a > b ? -1 : 1) : strcmp(one->name, other->name);
}

static struct rest rest_of(const struct report_rows *rows)
{
    struct rest rest = {calloc(rows->count + 1, sizeof(rest.list[0])), rows->count};
    for (uint32_t i = 0; rest.list != NULL && i < rows->count; i++)
        rest.list[i] = &rows->list[i];
    return rest;
}

int report_pairs_make(struct report_pairs *pairs, const struct report_rows *before,
                      const struct report_rows *after)
{
    struct rest left = rest_of(before);
    struct rest right = rest_of(after);
    const struct report_row **lists[] = {left.list, right.list};
    bool good = left.list != NULL && right.list != NULL &&
                take_partners(pairs, &left, &right, by_name, same_names) &&
                take_partners(pairs, &left, &right, by_key, compare_keys);
    for (uint32_t i = 0; good && i < left.count; i++)
        good = add_pair(pairs, left.list[i], left.list[i], NULL);
    for (uint32_t i = 0; good && i < right.count; i++)
        good = add_pair(pairs, right.list[i], NULL, right.list[i]);
    if (good && pairs->count > 1)
        omptape_sort(pairs->list, pairs->count, sizeof(pairs->list[0]), by_change);
    free(lists[0]);
    free(lists[1]);
    return good ? 0 : -ENOMEM;
}

void report_pairs_free(struct report_pairs *pairs)
{
    free(pairs->list);
    *pairs = (struct report_pairs){0};
}
