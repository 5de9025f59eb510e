/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects clock comparisons per domain and interpolates between them (clocks.h).
 */
#include "src/unify/clocks/clocks.h"

#include "src/core/array.h"
#include "src/core/hash.h"
#include "src/core/sort.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum relative difference of two counters' rates: the most by which the kernel slews a clock. */
static const long double most_slew = 1e-3L;
/* A slope with a greater relative error than this is no better than the wall clocks' rates. */
static const long double sure_slope = 1e-5L;

void omptape_unify_comparison_read(struct omptape_unify_comparison *comparison, const char *samples,
                                   const char *reference)
{
    int place = 0;
    *comparison = (struct omptape_unify_comparison){.host = ""};
    if (samples == NULL || reference == NULL ||
        sscanf(reference, "%" SCNd64 " %n", &comparison->pid, &place) != 1 || place == 0)
        return;
    comparison->host = reference + place;
    while (comparison->count < OMPTAPE_UNIFY_SAMPLES) {
        struct omptape_unify_sample sample;
        place = 0;
        if (sscanf(samples, "%" SCNu64 ":%" SCNu64 ":%" SCNu64 "%n", &sample.ticks, &sample.reference,
                   &sample.error, &place) != 3 ||
            sample.ticks >= OMPTAPE_UNIFY_MAX_TICKS || sample.reference >= OMPTAPE_UNIFY_MAX_TICKS ||
            sample.error >= OMPTAPE_UNIFY_MAX_TICKS)
            return;
        comparison->list[comparison->count++] = sample;
        samples += place;
    }
}

static uint64_t key_of(const char *host, int64_t pid)
{
    const uint64_t words[] = {omptape_hash_key(host, strlen(host)), (uint64_t)pid};
    return omptape_hash_key(words, sizeof(words));
}

static bool is_measured(const struct omptape_unify_domain *domain,
                        const struct omptape_unify_offsets *offsets)
{
    size_t count;
    return omptape_unify_offsets_of(offsets, domain->clock->host, domain->clock->rank, &count) != NULL;
}

/* Returns true if `domain` may follow `reference_domain`: it follows no other domain, and there is no cycle.
 */
static bool can_follow(const struct omptape_unify_conversion *conversion, uint32_t domain,
                       uint32_t reference_domain)
{
    const struct omptape_unify_samples *own = &conversion->domains[domain].samples;
    if (own->reference_domain != OMPTAPE_UNIFY_NO_REFERENCE)
        return own->reference_domain == (int64_t)reference_domain;
    for (int64_t next = reference_domain; next != OMPTAPE_UNIFY_NO_REFERENCE;
         next = conversion->domains[next].samples.reference_domain)
        if (next == (int64_t)domain)
            return false;
    return true;
}

static int add_comparison(struct omptape_unify_conversion *conversion,
                          const struct omptape_unify_clock *clock, uint32_t reference_domain)
{
    struct omptape_unify_domain *domain = &conversion->domains[clock->domain];
    const struct omptape_unify_comparison *comparison = &clock->comparison;
    struct omptape_unify_samples *samples = &domain->samples;
    if (!can_follow(conversion, clock->domain, reference_domain))
        return 0;
    if (!OMPTAPE_RESERVE(samples->list, samples->count + comparison->count, &samples->capacity))
        return -ENOMEM;
    memcpy(samples->list + samples->count, comparison->list, comparison->count * sizeof(*samples->list));
    samples->count += comparison->count;
    samples->reference_domain = reference_domain;
    samples->rate = conversion->domains[reference_domain].rate / domain->rate;
    return 0;
}

static int compare_samples(const void *left, const void *right)
{
    const struct omptape_unify_sample *a = left;
    const struct omptape_unify_sample *b = right;
    return (a->ticks > b->ticks) - (a->ticks < b->ticks);
}

/* Returns the maximum error of the slope between two samples. */
static long double doubt_of(const struct omptape_unify_sample *from, const struct omptape_unify_sample *to)
{
    return ((long double)from->error + (long double)to->error) / (long double)(to->ticks - from->ticks);
}

static long double slope_of(const struct omptape_unify_sample *from, const struct omptape_unify_sample *to)
{
    return ((long double)to->reference - (long double)from->reference) /
           (long double)(to->ticks - from->ticks);
}

/* Returns true if the second sample is consistent with the first. A counter restarted in between has another
 * offset. */
static bool is_credible(const struct omptape_unify_samples *samples, const struct omptape_unify_sample *from,
                        const struct omptape_unify_sample *to)
{
    return to->ticks > from->ticks && to->reference > from->reference &&
           fabsl(slope_of(from, to) / samples->rate - 1) <= most_slew + doubt_of(from, to);
}

static void sort_samples(struct omptape_unify_samples *samples)
{
    uint32_t kept = 0;
    omptape_sort(samples->list, samples->count, sizeof(*samples->list), compare_samples);
    for (uint32_t i = 0; i < samples->count; i++)
        if (kept == 0 || is_credible(samples, &samples->list[kept - 1], &samples->list[i]))
            samples->list[kept++] = samples->list[i];
    samples->count = kept;
}

/* Returns the clock of the process with which a comparison was made. NULL without an archive, or if it went
 * backwards. */
static const struct omptape_unify_clock *find_reference(const struct omptape_hash *known,
                                                        struct omptape_unify_clock *const *clocks,
                                                        const struct omptape_unify_comparison *comparison)
{
    const struct omptape_hash_entry *entry = NULL;
    while ((entry = omptape_hash_next(known, key_of(comparison->host, comparison->pid), entry)) != NULL) {
        const struct omptape_unify_clock *clock = clocks[entry->number];
        if (clock->pid == comparison->pid && strcmp(clock->host, comparison->host) == 0)
            return clock->jumps == 0 ? clock : NULL;
    }
    return NULL;
}

int omptape_unify_samples_join(struct omptape_unify_conversion *conversion,
                               struct omptape_unify_clock *const *clocks, uint32_t count,
                               const struct omptape_unify_offsets *offsets)
{
    struct omptape_hash known = {.entries = NULL};
    int result = 0;
    for (uint32_t i = 0; i < conversion->domain_count; i++)
        conversion->domains[i].samples.reference_domain = OMPTAPE_UNIFY_NO_REFERENCE;
    for (uint32_t i = 0; i < count && result == 0; i++)
        result = omptape_hash_join(&known, key_of(clocks[i]->host, clocks[i]->pid), i);
    for (uint32_t i = 0; i < count && result == 0; i++) {
        const struct omptape_unify_clock *reference =
            clocks[i]->comparison.count > 0 ? find_reference(&known, clocks, &clocks[i]->comparison) : NULL;
        if (reference != NULL && reference->domain != clocks[i]->domain &&
            !is_measured(&conversion->domains[clocks[i]->domain], offsets))
            result = add_comparison(conversion, clocks[i], reference->domain);
    }
    for (uint32_t i = 0; i < conversion->domain_count; i++)
        sort_samples(&conversion->domains[i].samples);
    omptape_hash_free(&known);
    return result;
}

/* Returns the slope before the first and after the last sample. */
static long double slope_outside(const struct omptape_unify_samples *samples)
{
    const struct omptape_unify_sample *first = &samples->list[0];
    const struct omptape_unify_sample *last = &samples->list[samples->count - 1];
    return samples->count > 1 && doubt_of(first, last) <= sure_slope ? slope_of(first, last) : samples->rate;
}

/* Returns the last sample at or before `ticks`, or the first sample if there is none. `of_reference`:
 * `ticks` are the reference domain's. `slope` receives the slope from that sample on. */
static const struct omptape_unify_sample *sample_before(const struct omptape_unify_samples *samples,
                                                        long double ticks, bool of_reference,
                                                        long double *slope)
{
    uint32_t found = samples->count;
    for (uint32_t i = 0; i < samples->count; i++)
        if ((long double)(of_reference ? samples->list[i].reference : samples->list[i].ticks) <= ticks)
            found = i;
    const struct omptape_unify_sample *from = &samples->list[found < samples->count ? found : 0];
    const bool between = found < samples->count && found + 1 < samples->count;
    *slope = between ? slope_of(from, from + 1) : slope_outside(samples);
    return from;
}

long double omptape_unify_to_reference(const struct omptape_unify_samples *samples, long double ticks)
{
    long double slope;
    const struct omptape_unify_sample *from = sample_before(samples, ticks, false, &slope);
    return (long double)from->reference + (ticks - (long double)from->ticks) * slope;
}

long double omptape_unify_from_reference(const struct omptape_unify_samples *samples, long double ticks)
{
    long double slope;
    const struct omptape_unify_sample *from = sample_before(samples, ticks, true, &slope);
    return (long double)from->ticks + (ticks - (long double)from->reference) / slope;
}
