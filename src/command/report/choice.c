/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of the archive is looked at, and in which order it is shown (choice.h).
 */
#include "src/command/report/choice.h"

#include "src/command/report/state.h"
#include "src/core/message.h"
#include "src/core/words.h"
#include "src/job/processors.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *command, const char *option, const char *text, const char *what)
{
    omptape_message("%s: --%s: \"%.80s\" is no %s", command, option, text, what);
    return -EINVAL;
}

static bool reads_number(const char **text, uint64_t *number)
{
    char *end = NULL;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

/* The next of "0,4-7"; false: it is none. */
static bool reads_range(const char **text, uint64_t *first, uint64_t *last)
{
    if (!reads_number(text, first))
        return false;
    *last = *first;
    if (**text == '-') {
        (*text)++;
        if (!reads_number(text, last) || *last < *first)
            return false;
    }
    if (**text == ',')
        return *++*text != '\0';
    return **text == '\0';
}

static int read_ranks(struct report_choice *choice, const char *text)
{
    uint64_t first;
    uint64_t last;
    const char *at = text;
    do {
        if (!reads_range(&at, &first, &last))
            return refuse("report", "ranks", text, "list of numbers (0,4-7)");
    } while (*at != '\0');
    choice->ranks = text;
    return 0;
}

static int read_time(double *time, const char *option, const char *text)
{
    char *end = NULL;
    *time = strtod(text, &end);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || !isfinite(*time))
        return refuse("report", option, text, "number of seconds");
    return 0;
}

static uint64_t waiting_of(const struct analysis_region *region)
{
    return report_cost(region) - report_working(region->parts);
}

static uint64_t gain_of(const struct analysis_region *region)
{
    return region->gain;
}

static uint64_t visits_of(const struct analysis_region *region)
{
    return region->visits.count;
}

static const struct {
    const char *name;
    uint64_t (*value)(const struct analysis_region *region); /* NULL: by name */
} orders[] = {
    {"gain", gain_of}, {"time", report_cost}, {"waiting", waiting_of}, {"visits", visits_of}, {"name", NULL}};
enum { ORDERS = sizeof(orders) / sizeof(orders[0]), BY_NAME = ORDERS - 1 };

static int read_order(struct report_choice *choice, const char *text)
{
    struct omptape_nearest nearest = omptape_nearest_start(text, strlen(text));
    char hint[OMPTAPE_HINT_BYTES];
    for (unsigned i = 0; i < ORDERS; i++) {
        omptape_nearest_try(&nearest, orders[i].name);
        if (strcmp(orders[i].name, text) == 0) {
            choice->sort = i;
            return 0;
        }
    }
    omptape_message("report: --sort: \"%.80s\" is none of gain, time, waiting, visits, name%s", text,
                    omptape_nearest_hint(&nearest, "", hint, sizeof(hint)));
    return -EINVAL;
}

int report_choice_read_top(const char *command, const char *text, unsigned *top)
{
    uint64_t number = 0;
    const char *at = text;
    if (text == NULL)
        return 0;
    if (!reads_number(&at, &number) || *at != '\0' || number == 0)
        return refuse(command, "top", text, "number from 1 on");
    *top = number < UINT_MAX ? (unsigned)number : UINT_MAX;
    return 0;
}

/* As many as there are processors at hand. */
static int read_jobs(struct report_choice *choice, const char *text)
{
    uint64_t number = 0;
    const char *at = text;
    if (text == NULL)
        number = omptape_processors();
    else if (!reads_number(&at, &number) || *at != '\0' || number == 0)
        return refuse("report", "jobs", text, "number from 1 on");
    choice->jobs = number < UINT_MAX ? (unsigned)number : UINT_MAX;
    return 0;
}

int report_choice_read(struct report_choice *choice, const struct report_words *words)
{
    *choice = (struct report_choice){.from = -1, .to = -1};
    int status = report_choice_read_top("report", words->top, &choice->top);
    if (status == 0)
        status = read_jobs(choice, words->jobs);
    if (status == 0 && words->sort != NULL)
        status = read_order(choice, words->sort);
    if (status == 0 && words->from != NULL)
        status = read_time(&choice->from, "from", words->from);
    if (status == 0 && words->to != NULL)
        status = read_time(&choice->to, "to", words->to);
    if (status == 0 && words->from != NULL && words->to != NULL && choice->to <= choice->from) {
        omptape_message("report: --to is not behind --from");
        status = -EINVAL;
    }
    if (status == 0 && words->ranks != NULL)
        status = read_ranks(choice, words->ranks);
    return status;
}

static bool wants(void *data, int64_t number)
{
    struct report_choice *choice = data;
    const char *at = choice->ranks;
    uint64_t first;
    uint64_t last;
    do {
        if (reads_range(&at, &first, &last) && number >= 0 && (uint64_t)number >= first &&
            (uint64_t)number <= last)
            return choice->some = true;
    } while (*at != '\0');
    return false;
}

static uint64_t ticks_of(const struct omptape_reader *reader, double seconds)
{
    double ticks = seconds * (double)reader->clock_resolution;
    double most = (double)(UINT64_MAX - reader->clock_offset) / 2;
    return reader->clock_offset + (uint64_t)(ticks < most ? ticks : most);
}

/* Does the archive have one of the processes that are wanted? */
static bool has_ranks(struct report_choice *choice, const struct omptape_reader *reader)
{
    for (uint32_t i = 0; i < reader->definition_count && !choice->some; i++)
        if (reader->definitions[i]->kind == OMPTAPE_DEF_LOCATION_GROUP)
            (void)wants(choice, omptape_reader_process_number(reader, reader->definitions[i]->id));
    return choice->some;
}

int report_choice_apply(struct report_choice *choice, const struct omptape_reader *reader,
                        struct omptape_analysis_options *options, char *error, size_t error_bytes)
{
    const double most = 1e12;
    double length =
        reader->clock_resolution > 0 ? (double)reader->clock_length / (double)reader->clock_resolution : most;
    if (choice->from > length) {
        snprintf(error, error_bytes, "the trace is %.3f s long: nothing is behind --from", length);
        return -EINVAL;
    }
    if (choice->ranks != NULL && !has_ranks(choice, reader)) {
        snprintf(error, error_bytes, "it holds none of the processes %s", choice->ranks);
        return -EINVAL;
    }
    options->jobs = choice->jobs;
    if (choice->from > 0)
        options->from = ticks_of(reader, choice->from);
    if (choice->to >= 0)
        options->to = ticks_of(reader, choice->to);
    if (choice->ranks != NULL) {
        options->wants_process = wants;
        options->data = choice;
    }
    return 0;
}

static unsigned order; /* of the comparison below, which qsort gives nothing else */

static int compare_regions(const void *left, const void *right)
{
    const struct analysis_region *one = *(const struct analysis_region *const *)left;
    const struct analysis_region *other = *(const struct analysis_region *const *)right;
    uint64_t a = order == BY_NAME ? 0 : orders[order].value(one);
    uint64_t b = order == BY_NAME ? 0 : orders[order].value(other);
    int by_name = strcmp(one->label, other->label);
    if (a == b && order != BY_NAME) {
        a = report_cost(one);
        b = report_cost(other);
    }
    if (a != b)
        return a > b ? -1 : 1;
    return by_name != 0 ? by_name
                        : (one->definition->id > other->definition->id) -
                              (one->definition->id < other->definition->id);
}

void report_choice_sort(const struct report_choice *choice, struct omptape_analysis *analysis)
{
    order = choice->sort;
    if (analysis->region_count > 1)
        qsort(analysis->regions, analysis->region_count, sizeof(analysis->regions[0]), compare_regions);
}
