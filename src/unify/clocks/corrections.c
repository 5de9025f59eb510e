/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts a domain's ticks to the reference's by way of a common time. This is the corrected wall clock, or
 * the clock of the domain with which its clock was compared. Called by clocks.c after the domains are known.
 */
#include "src/core/memory.h"
#include "src/core/sort.h"
#include "src/unify/clocks/clocks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const long double ns_per_second = 1e9L;

int64_t omptape_unify_to_whole(long double number)
{
    const int64_t max = INT64_MAX / 2;
    if (fabsl(number) < (long double)max)
        return (int64_t)number;
    return number > 0 ? max : -max;
}

long double omptape_unify_difference(uint64_t from, uint64_t to)
{
    return to >= from ? (long double)(to - from) : -(long double)(from - to);
}

/* Follows the hubs from a domain to the last one. Returns it, and converts *ticks to its ticks. */
static const struct omptape_unify_domain *clock_of(const struct omptape_unify_conversion *conversion,
                                                   uint32_t number, long double *ticks)
{
    const struct omptape_unify_domain *domain = &conversion->domains[number];
    while (domain->samples.reference_domain != OMPTAPE_UNIFY_NO_REFERENCE) {
        *ticks = omptape_unify_to_reference(&domain->samples, *ticks);
        domain = &conversion->domains[domain->samples.reference_domain];
    }
    return domain;
}

static const struct omptape_unify_offset *offsets_of(const struct omptape_unify_domain *domain,
                                                     const struct omptape_unify_offsets *offsets,
                                                     size_t *count)
{
    return omptape_unify_offsets_of(offsets, domain->clock->host, domain->clock->rank, count);
}

long double omptape_unify_wall_at(const struct omptape_unify_conversion *conversion, uint32_t number,
                                  long double ticks, const struct omptape_unify_offsets *offsets)
{
    size_t count;
    const struct omptape_unify_domain *domain = clock_of(conversion, number, &ticks);
    const struct omptape_unify_offset *list = offsets_of(domain, offsets, &count);
    long double wall = (long double)domain->start.realtime +
                       (ticks - (long double)domain->start.ticks) / domain->rate * ns_per_second;
    return wall + (long double)omptape_unify_offset_at(list, count, omptape_unify_to_whole(wall));
}

/* Returns the domain's ticks at a corrected wall-clock time. The offset is nearly constant: two rounds are
 * exact to ns. */
static long double ticks_at(const struct omptape_unify_conversion *conversion, uint32_t number,
                            long double wall, const struct omptape_unify_offsets *offsets)
{
    const struct omptape_unify_domain *domain = &conversion->domains[number];
    size_t count;
    if (domain->samples.reference_domain != OMPTAPE_UNIFY_NO_REFERENCE)
        return omptape_unify_from_reference(
            &domain->samples,
            ticks_at(conversion, (uint32_t)domain->samples.reference_domain, wall, offsets));
    const struct omptape_unify_offset *list = offsets_of(domain, offsets, &count);
    long double own = wall;
    for (int i = 0; i < 2; i++)
        own = wall - (long double)omptape_unify_offset_at(list, count, omptape_unify_to_whole(own));
    return (long double)domain->start.ticks +
           (own - (long double)domain->start.realtime) / ns_per_second * domain->rate;
}

/* Moments where the slope of a correction may change, in the domain's ticks. */
struct bends {
    long double *list;
    size_t count;
};

static size_t most_bends(const struct omptape_unify_conversion *conversion, uint32_t number,
                         const struct omptape_unify_offsets *offsets)
{
    size_t sum = 0;
    size_t count;
    for (int64_t next = number; next != OMPTAPE_UNIFY_NO_REFERENCE;
         next = conversion->domains[next].samples.reference_domain) {
        offsets_of(&conversion->domains[next], offsets, &count);
        sum += count + conversion->domains[next].samples.count;
    }
    return sum;
}

/* Adds the moments where the conversion of domain `other` changes its slope, in ticks of domain `number`.
 */
static void add_bends(struct bends *bends, const struct omptape_unify_conversion *conversion, uint32_t number,
                      uint32_t other, const struct omptape_unify_offsets *offsets)
{
    const struct omptape_unify_domain *domain = &conversion->domains[other];
    const bool own = number == other;
    size_t count;
    for (uint32_t i = 0;
         i < domain->samples.count && domain->samples.reference_domain != OMPTAPE_UNIFY_NO_REFERENCE; i++) {
        const long double at = (long double)domain->samples.list[i].ticks;
        bends->list[bends->count++] =
            own ? at
                : ticks_at(conversion, number, omptape_unify_wall_at(conversion, other, at, offsets),
                           offsets);
    }
    const struct omptape_unify_offset *list = offsets_of(domain, offsets, &count);
    for (size_t i = 0; i < count; i++) {
        const long double at =
            (long double)domain->start.ticks +
            ((long double)list[i].time - (long double)domain->start.realtime) / ns_per_second * domain->rate;
        bends->list[bends->count++] =
            own ? at
                : ticks_at(conversion, number, omptape_unify_wall_at(conversion, other, at, offsets),
                           offsets);
    }
}

static int compare_numbers(const void *left, const void *right)
{
    const long double *a = left;
    const long double *b = right;
    return (*a > *b) - (*a < *b);
}

/* Lists both ends and all measurements of this domain and of the hubs up to the reference. `ticks` receives
 * them sorted; returns their number. */
static uint32_t find_bends(struct bends *bends, const struct omptape_unify_conversion *conversion,
                           uint32_t number, const struct omptape_unify_offsets *offsets, uint64_t *ticks)
{
    const struct omptape_unify_domain *domain = &conversion->domains[number];
    uint32_t found = 0;
    for (int64_t next = number; next != OMPTAPE_UNIFY_NO_REFERENCE;
         next = conversion->domains[next].samples.reference_domain)
        add_bends(bends, conversion, number, (uint32_t)next, offsets);
    for (int64_t next = 0; next != OMPTAPE_UNIFY_NO_REFERENCE;
         next = conversion->domains[next].samples.reference_domain)
        add_bends(bends, conversion, number, (uint32_t)next, offsets);
    omptape_sort(bends->list, bends->count, sizeof(*bends->list), compare_numbers);
    ticks[found++] = domain->first;
    for (size_t i = 0; i < bends->count; i++)
        if (bends->list[i] >= (long double)ticks[found - 1] + 1 && bends->list[i] < (long double)domain->last)
            ticks[found++] = (uint64_t)bends->list[i];
    if (domain->last > ticks[found - 1])
        ticks[found++] = domain->last;
    return found;
}

/* Duplicates a single correction, because libotf2 ignores it otherwise. */
static uint32_t make_two(struct omptape_unify_correction *list, uint32_t count)
{
    if (count != 1)
        return count;
    list[1] = list[0];
    list[1].ticks++;
    return 2;
}

static long double time_of(const struct omptape_unify_correction *correction)
{
    return (long double)correction->ticks + (long double)correction->offset;
}

/* Returns the maximum error of the domain's times, in ticks of the archive. */
static double deviation_of(const struct omptape_unify_conversion *conversion, uint32_t number)
{
    const struct omptape_unify_domain *domain = &conversion->domains[number];
    const struct omptape_unify_domain *reference = &conversion->domains[0];
    long double sum = 0;
    for (uint32_t i = 0;
         i < domain->samples.count && domain->samples.reference_domain != OMPTAPE_UNIFY_NO_REFERENCE; i++)
        sum = fmaxl(sum, (long double)domain->samples.list[i].error);
    if (sum > 0)
        return (double)(sum / (long double)domain->resolution * (long double)conversion->resolution);
    return (double)((long double)(domain->error + reference->error) / ns_per_second *
                    (long double)conversion->resolution);
}

static int make_corrections(struct omptape_unify_conversion *conversion, uint32_t number,
                            const struct omptape_unify_offsets *offsets)
{
    struct omptape_unify_domain *domain = &conversion->domains[number];
    const size_t max = most_bends(conversion, number, offsets) + most_bends(conversion, 0, offsets) + 2;
    struct bends bends = {.list = omptape_calloc(max, sizeof(*bends.list))};
    uint64_t *ticks = omptape_calloc(max, sizeof(*ticks));
    struct omptape_unify_correction *list = omptape_calloc(max, sizeof(*list));
    if (bends.list == NULL || ticks == NULL || list == NULL) {
        free(bends.list);
        free(ticks);
        free(list);
        return -ENOMEM;
    }
    const uint32_t count = find_bends(&bends, conversion, number, offsets, ticks);
    const double deviation = deviation_of(conversion, number);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const long double wall = omptape_unify_wall_at(conversion, number, (long double)ticks[i], offsets);
        const long double time = ticks_at(conversion, 0, wall, offsets);
        int64_t offset = omptape_unify_to_whole(floorl(time - (long double)ticks[i]));
        /* Contradicting measurements must not make the time decrease. */
        list[kept] =
            (struct omptape_unify_correction){.ticks = ticks[i], .offset = offset, .deviation = deviation};
        kept += kept == 0 || time_of(&list[kept]) > time_of(&list[kept - 1]);
    }
    free(bends.list);
    free(ticks);
    domain->corrections = (struct omptape_unify_corrections){.list = list, .count = make_two(list, kept)};
    return 0;
}

/* Shifts all times if one would be negative, because the reference's counter started later. */
static int keep_positive(struct omptape_unify_conversion *conversion)
{
    long double min = 0;
    for (uint32_t i = 1; i < conversion->domain_count; i++) {
        long double time = time_of(conversion->domains[i].corrections.list);
        min = time < min ? time : min;
    }
    if (min >= 0)
        return 0;
    struct omptape_unify_domain *reference = &conversion->domains[0];
    reference->corrections.list = omptape_calloc(2, sizeof(*reference->corrections.list));
    if (reference->corrections.list == NULL)
        return -ENOMEM;
    reference->corrections.list[0].ticks = reference->first;
    reference->corrections.count = make_two(reference->corrections.list, 1);
    for (uint32_t i = 0; i < conversion->domain_count; i++) {
        for (uint32_t k = 0; k < conversion->domains[i].corrections.count; k++) {
            struct omptape_unify_correction *correction = &conversion->domains[i].corrections.list[k];
            correction->offset = omptape_unify_to_whole((long double)correction->offset - min);
        }
    }
    return 0;
}

int omptape_unify_correct(struct omptape_unify_conversion *conversion,
                          const struct omptape_unify_offsets *offsets)
{
    int result = 0;
    for (uint32_t i = 1; result == 0 && i < conversion->domain_count; i++)
        result = make_corrections(conversion, i, offsets);
    return result == 0 ? keep_positive(conversion) : result;
}

/* Returns the last correction at or before `at`, or the first one. `corrected`: `at` is a corrected time. */
static uint32_t correction_before(const struct omptape_unify_corrections *corrections, uint64_t at,
                                  bool corrected)
{
    uint32_t before = 0;
    uint32_t behind = corrections->count;
    while (behind - before > 1) {
        uint32_t middle = before + (behind - before) / 2;
        const struct omptape_unify_correction *correction = &corrections->list[middle];
        if (correction->ticks + (corrected ? (uint64_t)correction->offset : 0) <= at)
            before = middle;
        else
            behind = middle;
    }
    return before;
}

static long double slope_of(const struct omptape_unify_corrections *corrections, uint32_t i)
{
    if (corrections->count < 2)
        return 0;
    /* As in libotf2, the last slope continues after the last correction. */
    i = i + 1 >= corrections->count ? i - 1 : i;
    return ((long double)corrections->list[i + 1].offset - (long double)corrections->list[i].offset) /
           omptape_unify_difference(corrections->list[i].ticks, corrections->list[i + 1].ticks);
}

uint64_t omptape_unify_corrected(const struct omptape_unify_corrections *corrections, uint64_t ticks)
{
    if (corrections->count == 0)
        return ticks;
    uint32_t i = correction_before(corrections, ticks, false);
    const struct omptape_unify_correction *correction = &corrections->list[i];
    int64_t stretch =
        omptape_unify_to_whole(slope_of(corrections, i) * omptape_unify_difference(correction->ticks, ticks));
    return ticks + (uint64_t)correction->offset + (uint64_t)stretch;
}

uint64_t omptape_unify_uncorrected(const struct omptape_unify_corrections *corrections, uint64_t time)
{
    if (corrections->count == 0)
        return time;
    uint32_t i = correction_before(corrections, time, true);
    const struct omptape_unify_correction *correction = &corrections->list[i];
    long double since = omptape_unify_difference(correction->ticks + (uint64_t)correction->offset, time) /
                        (1 + slope_of(corrections, i));
    return correction->ticks + (uint64_t)omptape_unify_to_whole(since);
}
