/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes what a process did between two messages of its writer. Both messages hold sums from the same
 * start, in which everything open is treated as ended at the time of the message. Their difference is
 * therefore the time between them.
 */
#include "src/command/top/state.h"

#include "src/analysis/findings/inside.h"
#include "src/core/sort.h"
#include "src/core/store.h"
#include "src/core/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void top_subtract(uint64_t parts[OMPTAPE_BUCKET_COUNT], const uint64_t *now, const uint64_t *before)
{
    uint64_t more = 0;
    uint64_t less = 0;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        const uint64_t old = before != NULL ? before[bucket] : 0;
        parts[bucket] = omptape_minus(now[bucket], old);
        omptape_add(&more, parts[bucket]);
        omptape_add(&less, omptape_minus(old, now[bucket]));
    }
    const double share = more > 0 ? (double)omptape_minus(more, less) / (double)more : 0;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT && less > 0; bucket++)
        parts[bucket] = omptape_whole((double)parts[bucket] * share);
}

/* Kinds of keys in the table of the older message's sums; the second part of a key is a definition's id. */
enum { REGION, THREAD, PHASE };

/* Lists the regions, threads and named phases of the older message; none if `before` is NULL. Returns 0 or
 * -ENOMEM. */
static int list_older(struct omptape_pairs *older, const struct omptape_message *before)
{
    const struct omptape_analysis *analysis = before != NULL ? before->analysis : NULL;
    int status = 0;
    for (uint32_t i = 0; analysis != NULL && i < analysis->region_count && status == 0; i++)
        status = omptape_pairs_put(older, REGION, analysis->regions[i]->definition->id, analysis->regions[i]);
    for (uint32_t i = 0; analysis != NULL && i < analysis->thread_count && status == 0; i++) {
        struct analysis_thread *thread = &analysis->thread_list[i];
        status = omptape_pairs_put(older, THREAD, thread->location->id, thread);
    }
    for (uint32_t i = 0; analysis != NULL && i < analysis->phase_count && status == 0; i++) {
        struct analysis_phase *phase = analysis->phases[i];
        if (!omptape_phase_is_detected(phase))
            status = omptape_pairs_put(older, PHASE, phase->region->definition->id, phase);
    }
    return status;
}

static int compare_regions(const void *left, const void *right)
{
    const struct top_region *a = left;
    const struct top_region *b = right;
    const uint64_t first = omptape_parts_sum(a->parts);
    const uint64_t second = omptape_parts_sum(b->parts);
    return first != second ? omptape_order(second, first)
                           : omptape_order(a->region->definition->id, b->region->definition->id);
}

static int make_regions(struct top_interval *interval, const struct omptape_pairs *older,
                        const struct omptape_message *now)
{
    const struct omptape_analysis *analysis = now->analysis;
    interval->regions = calloc(analysis->region_count + (size_t)1, sizeof(*interval->regions));
    if (interval->regions == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < analysis->region_count; i++) {
        const struct analysis_region *region = analysis->regions[i];
        const struct analysis_region *old = omptape_pairs_get(older, REGION, region->definition->id);
        struct top_region *one = &interval->regions[interval->region_count];
        *one = (struct top_region){.region = region};
        top_subtract(one->parts, region->parts, old != NULL ? old->parts : NULL);
        one->visits = omptape_minus(region->visits.count, old != NULL ? old->visits.count : 0);
        interval->region_count += omptape_parts_sum(one->parts) > 0;
    }
    omptape_sort(interval->regions, interval->region_count, sizeof(*interval->regions), compare_regions);
    return 0;
}

static int make_threads(struct top_interval *interval, const struct omptape_pairs *older,
                        const struct omptape_message *now)
{
    const struct omptape_analysis *analysis = now->analysis;
    interval->threads = calloc(analysis->thread_count + (size_t)1, sizeof(*interval->threads));
    if (interval->threads == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < analysis->thread_count; i++) {
        const struct analysis_thread *thread = &analysis->thread_list[i];
        const struct analysis_thread *old = omptape_pairs_get(older, THREAD, thread->location->id);
        struct top_thread *one = &interval->threads[interval->thread_count];
        *one = (struct top_thread){.thread = thread};
        top_subtract(one->parts, thread->parts, old != NULL ? old->parts : NULL);
        omptape_parts_add(interval->parts, one->parts);
        interval->thread_count += omptape_parts_sum(one->parts) > 0;
    }
    return 0;
}

static int compare_others(const void *left, const void *right)
{
    const struct omptape_message_thread *a = left;
    const struct omptape_message_thread *b = right;
    return omptape_order(a->tid, b->tid);
}

static void list_parts(uint64_t parts[OMPTAPE_BUCKET_COUNT], const struct omptape_message_thread *thread)
{
    parts[OMPTAPE_BUCKET_COMPUTING] = thread->computing;
    parts[OMPTAPE_BUCKET_RUNNABLE] = thread->runnable;
    parts[OMPTAPE_BUCKET_BLOCKED] = thread->blocked;
}

/* Lists the threads that OpenMP does not know. A thread may have the number of an earlier one. */
static int make_others(struct top_interval *interval, const struct omptape_message *before,
                       const struct omptape_message *now)
{
    interval->others = calloc(now->other_count + (size_t)1, sizeof(*interval->others));
    if (interval->others == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < now->other_count; i++) {
        const struct omptape_message_thread *old =
            before != NULL ? bsearch(&now->others[i], before->others, before->other_count,
                                     sizeof(*before->others), compare_others)
                           : NULL;
        struct top_other *one = &interval->others[interval->other_count++];
        uint64_t sums[2][OMPTAPE_BUCKET_COUNT] = {{0}, {0}};
        one->thread = &now->others[i];
        list_parts(sums[0], one->thread);
        if (old != NULL && old->begin == one->thread->begin)
            list_parts(sums[1], old);
        top_subtract(one->parts, sums[0], sums[1]);
    }
    return 0;
}

static int make_phases(struct top_interval *interval, const struct omptape_pairs *older,
                       const struct omptape_message *now)
{
    const struct omptape_analysis *analysis = now->analysis;
    interval->phases = calloc(analysis->phase_count + (size_t)1, sizeof(*interval->phases));
    if (interval->phases == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < analysis->phase_count; i++) {
        const struct analysis_phase *phase = analysis->phases[i];
        const struct analysis_phase *old = omptape_pairs_get(older, PHASE, phase->region->definition->id);
        const uint64_t count = omptape_minus(phase->count, old != NULL ? old->count : 0);
        if (count > 0 && !omptape_phase_is_detected(phase))
            interval->phases[interval->phase_count++] =
                (struct top_phase){.region = phase->region, .count = count};
    }
    return 0;
}

/* Returns the function of these samples: the innermost one. Where threads sleep, that is the C library's, and
 * the program's own one is returned. */
static const char *function_of(const struct omptape_message *message, const struct analysis_sampled *sampled)
{
    if (sampled->context->ref_count == 0 || (sampled->blocked > 0 && sampled->thread != NULL))
        return "";
    const char *own =
        sampled->blocked > 0
            ? omptape_inside_call(message->reader, sampled->context, sampled->region).own.function
            : NULL;
    return own != NULL
               ? own
               : omptape_reader_name(message->reader, OMPTAPE_DEF_REGION, sampled->context->refs[0].id);
}

static uint64_t at_work(const struct analysis_sampled *sampled)
{
    return omptape_minus(sampled->count, sampled->waiting);
}

static int compare_functions(const void *left, const void *right)
{
    const struct top_function *a = left;
    const struct top_function *b = right;
    const uint64_t sum = a->samples + a->asleep;
    const uint64_t other_sum = b->samples + b->asleep;
    return sum != other_sum ? omptape_order(other_sum, sum) : strcmp(a->name, b->name);
}

static void add_samples(struct top_function *one, const struct analysis_sampled *sampled)
{
    const uint64_t count = at_work(sampled) + sampled->blocked;
    one->samples += at_work(sampled);
    one->asleep += sampled->blocked;
    if (count > one->samples_at_place && sampled->region != NULL)
        one->place = sampled->region->shown;
    one->samples_at_place = count > one->samples_at_place ? count : one->samples_at_place;
}

/* Subtracts the samples of the message before. A function's number is its index. */
static void subtract_samples(struct top_interval *interval, const struct omptape_rows *names,
                             const struct omptape_message *before)
{
    for (uint32_t i = 0; before != NULL && i < before->analysis->sampled_count; i++) {
        const struct analysis_sampled *sampled = before->analysis->sampled[i];
        const char *name = function_of(before, sampled);
        const uint32_t number = omptape_rows_find(names, name, strlen(name));
        if (number >= interval->function_count)
            continue;
        struct top_function *one = &interval->functions[number];
        one->samples = omptape_minus(one->samples, at_work(sampled));
        one->asleep = omptape_minus(one->asleep, sampled->blocked);
    }
}

static int make_functions(struct top_interval *interval, const struct omptape_message *before,
                          const struct omptape_message *now)
{
    const struct omptape_analysis *analysis = now->analysis;
    struct omptape_rows names = {0}; /* a function's number is its index */
    uint32_t kept = 0;
    interval->functions = calloc(analysis->sampled_count + (size_t)1, sizeof(*interval->functions));
    if (interval->functions == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < analysis->sampled_count; i++) {
        const char *name = function_of(now, analysis->sampled[i]);
        if (name[0] == '\0')
            continue;
        const uint32_t number = omptape_rows_text(&names, name);
        if (number == interval->function_count)
            interval->functions[interval->function_count++] =
                (struct top_function){.name = name, .place = ""};
        add_samples(&interval->functions[number], analysis->sampled[i]);
    }
    subtract_samples(interval, &names, before);
    const int status = names.failed ? -ENOMEM : 0;
    omptape_rows_free(&names);
    for (uint32_t i = 0; i < interval->function_count; i++)
        if (interval->functions[i].samples + interval->functions[i].asleep > 0) {
            interval->samples += interval->functions[i].samples;
            interval->asleep += interval->functions[i].asleep;
            interval->functions[kept++] = interval->functions[i];
        }
    interval->function_count = kept;
    omptape_sort(interval->functions, kept, sizeof(*interval->functions), compare_functions);
    return status;
}

static uint64_t serial_of(const struct omptape_message *message, bool communication)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; message != NULL && i < message->analysis->process_count; i++)
        omptape_add(&sum, communication ? message->analysis->processes[i].communication
                                        : message->analysis->processes[i].serial);
    return sum;
}

/* Computes the efficiency factors of the interval, from its sums, and of the run so far, from the writer's
 * totals. Work outside of parallel regions counts as one thread's. */
static void make_efficiencies(struct top_interval *interval, const struct omptape_message *before,
                              const struct omptape_message *now)
{
    const struct omptape_message_facts *facts = &now->facts;
    const double threads = omptape_analysis_mean_threads(now->analysis);
    const struct analysis_section recent = {
        .parts = interval->parts,
        .wall = interval->wall,
        .serial = omptape_minus(serial_of(now, false), serial_of(before, false)),
        .communication = omptape_minus(serial_of(now, true), serial_of(before, true))};
    const struct analysis_section whole = {.parts = facts->books,
                                           .wall = omptape_minus(facts->now, facts->begin),
                                           .serial = facts->books[OMPTAPE_BUCKET_SERIAL]};
    omptape_analysis_efficiency_of(&interval->efficiency, &recent, threads);
    omptape_analysis_efficiency_of(&interval->whole, &whole, threads);
}

int top_interval_make(struct top_interval *interval, const struct omptape_message *before,
                      const struct omptape_message *now)
{
    const bool is_window = (now->facts.flags & OMPTAPE_MESSAGE_WINDOW) != 0;
    const bool is_continued =
        before != NULL && !is_window && before->facts.sums_begin == now->facts.sums_begin;
    const struct omptape_message *base = is_continued ? before : NULL;
    const uint64_t from = is_continued ? before->facts.now : now->facts.sums_begin;
    *interval = (struct top_interval){.wall = omptape_minus(now->facts.now, from)};
    interval->records = before != NULL ? omptape_minus(now->facts.records, before->facts.records) : 0;
    struct omptape_pairs older = {.count = 0};
    int status = list_older(&older, base);
    if (status == 0)
        status = make_regions(interval, &older, now);
    if (status == 0)
        status = make_threads(interval, &older, now);
    if (status == 0)
        status = make_phases(interval, &older, now);
    omptape_pairs_free(&older);
    if (status == 0)
        status = make_others(interval, base, now);
    if (status == 0)
        status = make_functions(interval, base, now);
    if (status == 0)
        make_efficiencies(interval, base, now);
    return status;
}

void top_interval_free(struct top_interval *interval)
{
    free(interval->regions);
    free(interval->functions);
    free(interval->phases);
    free(interval->threads);
    free(interval->others);
    *interval = (struct top_interval){.wall = 0};
}
