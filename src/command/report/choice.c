/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the options that select a part of the archive and the order of its regions (choice.h).
 */
#include "src/command/report/choice.h"

#include "src/command/report/state.h"
#include "src/command/text/units.h"
#include "src/core/message.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/core/words.h"
#include "src/job/processors.h"

#include <errno.h>
#include <limits.h>
#include <omptape/locations.h>
#include <stdlib.h>
#include <string.h>

/* Prefix of a detected loop's name: "iteration @solver.c:80". */
#define ITERATION "iteration"

static int refuse(const char *command, const char *option, const char *text, const char *what)
{
    omptape_message("%s: --%s: \"%.80s\" is no %s", command, option, text, what);
    return -EINVAL;
}

static int read_list(struct ranges *ranges, const char *option, const char *text, const char *what,
                     int (*read)(struct ranges *ranges, const char *list))
{
    int status = text == NULL ? 0 : read(ranges, text);
    if (status == -ENOMEM)
        omptape_message("report: out of memory");
    else if (status != 0)
        (void)refuse("report", option, text, what);
    return status;
}

static int read_moment(struct time_option *moment, const char *option, const char *text)
{
    char error[256];
    int status = moment_read(moment, option, text, error, sizeof(error));
    if (status != 0)
        omptape_message("report: %s", error);
    return status;
}

static uint64_t waiting_of(const struct analysis_region *region)
{
    return omptape_minus(report_cost(region), report_time_at_work(region->parts));
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
    uint64_t (*value)(const struct analysis_region *region); /* NULL: sorted by name */
} orders[] = {
    {"gain", gain_of}, {"time", report_cost}, {"waiting", waiting_of}, {"visits", visits_of}, {"name", NULL}};
enum { ORDERS = sizeof(orders) / sizeof(orders[0]), BY_NAME = ORDERS - 1 };

static int read_order(struct report_choice *choice, const char *text)
{
    struct omptape_nearest nearest = omptape_nearest_start(text, strlen(text));
    for (unsigned i = 0; i < ORDERS; i++) {
        omptape_nearest_try(&nearest, orders[i].name);
        if (strcmp(orders[i].name, text) == 0) {
            choice->sort = i;
            return 0;
        }
    }
    omptape_message("report: --sort: \"%.80s\" is none of gain, time, waiting, visits, name%s", text,
                    omptape_nearest_hint(&nearest, "").text);
    return -EINVAL;
}

/* Parses a number of at least 1; *number stays as it is if the option was not given. */
static int read_number(const char *command, const char *option, const char *text, unsigned *number)
{
    uint64_t value = 0;
    const char *at = text;
    if (text == NULL)
        return 0;
    if (!number_read(&at, &value) || *at != '\0' || value == 0)
        return refuse(command, option, text, "number from 1 on");
    *number = value < UINT_MAX ? (unsigned)value : UINT_MAX;
    return 0;
}

int report_choice_read_top(const char *command, const char *text, unsigned *top)
{
    return read_number(command, "top", text, top);
}

int report_choice_read(struct report_choice *choice, const struct report_option_texts *texts)
{
    *choice = (struct report_choice){
        .jobs = omptape_processors(), .ranks_text = texts->ranks, .threads_text = texts->threads};
    int status = report_choice_read_top("report", texts->top, &choice->top);
    if (status == 0)
        status = read_number("report", "jobs", texts->jobs, &choice->jobs);
    if (status == 0 && texts->sort != NULL)
        status = read_order(choice, texts->sort);
    if (status == 0)
        status = read_moment(&choice->from, "from", texts->from);
    if (status == 0)
        status = read_moment(&choice->to, "to", texts->to);
    if (status == 0 && (moments_are_swapped(&choice->from, &choice->to) ||
                        (choice->to.is_given && choice->to.visit == NULL && choice->to.ns == 0))) {
        omptape_message("report: --to must be later than --from");
        status = -EINVAL;
    }
    if (status == 0)
        status = read_list(&choice->ranks, "ranks", texts->ranks, "list of numbers (0,4-7)", ranges_read);
    if (status == 0)
        status = read_list(&choice->threads, "threads", texts->threads,
                           "list of threads (0-3,7; 2:0-3 of process 2; names; all)", ranges_read_threads);
    return status;
}

void report_choice_free(struct report_choice *choice)
{
    ranges_free(&choice->ranks);
    ranges_free(&choice->threads);
}

static bool wants(void *data, int64_t number)
{
    struct report_choice *choice = data;
    bool wanted = number >= 0 && number <= UINT32_MAX && ranges_have(&choice->ranks, (uint32_t)number);
    choice->any_rank_exists = choice->any_rank_exists || wanted;
    return wanted;
}

/* Returns true if the archive has one of the selected processes. */
static bool has_ranks(struct report_choice *choice, const struct omptape_reader *reader)
{
    for (const struct omptape_definition *group = reader->first[OMPTAPE_DEF_LOCATION_GROUP];
         group != NULL && !choice->any_rank_exists; group = group->next)
        (void)wants(choice, omptape_reader_process_number(reader, group->id));
    return choice->any_rank_exists;
}

static bool has_row(const struct report_choice *choice, const struct omptape_reader *reader,
                    const struct omptape_definition *location)
{
    uint64_t id = location->id;
    return ranges_have_thread(&choice->threads, choice->plain ? 0 : omptape_location_process(id),
                              choice->plain ? (uint32_t)id : omptape_location_index(id),
                              omptape_reader_name(reader, OMPTAPE_DEF_LOCATION, id));
}

/* Returns true if the archive has one of the selected threads. */
static bool has_threads(const struct report_choice *choice, const struct omptape_reader *reader)
{
    OMPTAPE_EACH_DEFINITION(location, reader, OMPTAPE_DEF_LOCATION)
        if (has_row(choice, reader, location))
            return true;
    return false;
}

/* Compares two names without their spaces: "iteration@solver.c:80" equals "iteration @solver.c:80". */
static bool are_equal(const char *one, const char *other)
{
    for (;; one++, other++) {
        one += strspn(one, " ");
        other += strspn(other, " ");
        if (*one != *other || *one == '\0')
            return *one == *other;
    }
}

/* Finds an iteration of a detected loop: of the named place, else of the longest loop. Returns 0 or
 * -ENOENT. */
static int take_iteration(struct omptape_visit *visit, const struct omptape_analysis *analysis,
                          const char *name, uint64_t number)
{
    for (uint32_t i = 0; i < analysis->phase_count; i++) {
        const struct analysis_phase *phase = analysis->phases[i];
        if (!omptape_phase_is_detected(phase) ||
            (strcmp(name, ITERATION) != 0 && !are_equal(name, phase->name)))
            continue;
        for (uint64_t j = 0; j < phase->step_count; j++) {
            if (phase->step_list[j]->number != number)
                continue;
            *visit = (struct omptape_visit){.begin = phase->step_list[j]->longest_begin,
                                            .end = phase->step_list[j]->longest_end};
            return 0;
        }
    }
    return -ENOENT;
}

/* Finds an iteration by an analysis of all events. Returns 0, or negative errno with a line in `error`. */
static int find_iteration(struct omptape_visit *visit, const char *path, const char *text, char *error,
                          size_t error_bytes)
{
    struct omptape_reader *reader = NULL;
    struct omptape_analysis *analysis = NULL;
    const char *colon = strrchr(text, ':');
    const char *at = colon + 1;
    char name[256];
    uint64_t number = 0;
    (void)snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
    int status = omptape_reader_open(&reader, path, error, error_bytes);
    if (status != 0)
        return status;
    status = omptape_analysis_run(&analysis, reader, &(struct omptape_analysis_options){.jobs = 1}, error,
                                  error_bytes);
    if (status == 0 && (!number_read(&at, &number) || take_iteration(visit, analysis, name, number) != 0))
        status = omptape_fail(error, error_bytes, -ENOENT,
                              "no loop with %.80s was found: omptape report --by phase lists them", text);
    omptape_analysis_free(analysis);
    omptape_reader_close(reader);
    return status;
}

/* Looks up a moment among the program's own names first, then among detected loops. */
static int find_moment(struct omptape_visit *visit, const char *path, const char *text, char *error,
                       size_t error_bytes)
{
    const int status = omptape_visit_find(visit, path, text, error, error_bytes);
    return status == -EINVAL && omptape_starts_with(text, ITERATION)
               ? find_iteration(visit, path, text, error, error_bytes)
               : status;
}

int report_choice_find(struct report_choice *choice, const char *path, char *error, size_t error_bytes)
{
    int status = 0;
    if (choice->from.visit != NULL)
        status = find_moment(&choice->first, path, choice->from.visit, error, error_bytes);
    if (status == 0 && choice->to.visit != NULL)
        status = find_moment(&choice->last, path, choice->to.visit, error, error_bytes);
    return status;
}

static uint64_t ticks_of(const struct omptape_reader *reader, uint64_t ns)
{
    const uint64_t second = 1000000000;
    uint64_t seconds = ns / second;
    double max = (double)(UINT64_MAX - reader->clock_offset) / 2;
    double resolution = (double)reader->clock_resolution;
    double since = (double)seconds * resolution + (double)(ns % second) * resolution / (double)second;
    return reader->clock_offset + (uint64_t)(since < max ? since + 0.5 : max);
}

int report_choice_apply(struct report_choice *choice, const struct omptape_reader *reader,
                        struct omptape_analysis_options *options, char *error, size_t error_bytes)
{
    choice->plain = omptape_locations_are_plain(reader);
    if (choice->ranks_text != NULL && !has_ranks(choice, reader))
        return omptape_fail(error, error_bytes, -EINVAL, "it holds none of the processes %s",
                            choice->ranks_text);
    if (choice->threads.count > 0 && !has_threads(choice, reader))
        return omptape_fail(error, error_bytes, -EINVAL, "it holds none of the threads %s",
                            choice->threads_text);
    if (choice->from.is_given)
        options->from = choice->from.visit != NULL ? choice->first.begin : ticks_of(reader, choice->from.ns);
    if (choice->to.is_given)
        options->to = choice->to.visit != NULL ? choice->last.end : ticks_of(reader, choice->to.ns);
    if (reader->clock_resolution > 0 && options->from > reader->clock_offset &&
        options->from - reader->clock_offset > reader->clock_length) {
        return omptape_fail(
            error, error_bytes, -EINVAL, "the trace is %s long: nothing is behind --from",
            units_time(omptape_whole(1e9 * (double)reader->clock_length / (double)reader->clock_resolution))
                .text);
    }
    if (options->to > 0 && options->to <= options->from)
        return omptape_fail(error, error_bytes, -EINVAL, "--to must be later than --from");
    options->jobs = choice->jobs;
    if (choice->ranks_text != NULL) {
        options->wants_process = wants;
        options->data = choice;
    }
    return 0;
}

void report_choice_threads(const struct report_choice *choice, struct omptape_analysis *analysis,
                           struct omptape_pyramid *pyramid)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < analysis->thread_count; i++)
        if (has_row(choice, analysis->reader, analysis->thread_list[i].location))
            analysis->thread_list[left++] = analysis->thread_list[i];
    analysis->thread_count = left;
    for (uint32_t i = 0; pyramid != NULL && i < pyramid->row_count; i++)
        if (!has_row(choice, analysis->reader, pyramid->rows[i].location))
            pyramid->rows[i].events = 0; /* a thread without events has no row in pictures */
}

static unsigned order; /* argument of the comparison below, because qsort passes none */

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
        return omptape_order(b, a);
    return by_name != 0 ? by_name : omptape_order(one->definition->id, other->definition->id);
}

void report_choice_sort(const struct report_choice *choice, struct omptape_analysis *analysis)
{
    order = choice->sort;
    omptape_sort(analysis->regions, analysis->region_count, sizeof(analysis->regions[0]), compare_regions);
}
