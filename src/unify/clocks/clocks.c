/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups processes into clock domains and computes their corrections (clocks.h), after all parts are read.
 */
#include "src/unify/clocks/clocks.h"

#include "src/core/hash.h"
#include "src/core/memory.h"
#include "src/core/whole.h"
#include "src/core/words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum disagreement between two anchors of one counter, because the wall clock may be set (s) or slewed
 * (ratio). More means that the counter was restarted. */
static const long double most_step = 10.0L;
static const long double most_slew = 1e-3L;
/* Minimum time in s for measuring the rate. Over less the anchors scatter more than the given resolution. */
static const long double shortest_span = 10.0L;
static const long double ns_per_second = 1e9L;

static long double resolution_of(const struct omptape_unify_clock *clock)
{
    return clock->resolution != 0 ? (long double)clock->resolution : ns_per_second;
}

static bool is_same_counter(const struct omptape_unify_domain *domain,
                            const struct omptape_unify_clock *clock)
{
    const struct omptape_unify_clock *other = domain->clock;
    if (other == NULL || clock->host[0] == '\0' || strcmp(clock->host, other->host) != 0 ||
        strcmp(clock->kind, other->kind) != 0)
        return false;
    long double by_ticks =
        omptape_unify_difference(other->start.ticks, clock->start.ticks) / resolution_of(other);
    long double by_wall =
        omptape_unify_difference(other->start.realtime, clock->start.realtime) / ns_per_second;
    return fabsl(by_ticks - by_wall) <= most_step + most_slew * fabsl(by_wall);
}

static const struct omptape_unify_offset *offsets_of(const struct omptape_unify_offsets *offsets,
                                                     const struct omptape_unify_clock *clock, size_t *count)
{
    return omptape_unify_offsets_of(offsets, clock->host, clock->rank, count);
}

/* Ranks of one host with separate offset measurements are in separate domains. */
static bool is_in_domain(const struct omptape_unify_domain *domain, const struct omptape_unify_clock *clock,
                         const struct omptape_unify_offsets *offsets)
{
    size_t count;
    return is_same_counter(domain, clock) &&
           offsets_of(offsets, clock, &count) == offsets_of(offsets, domain->clock, &count);
}

static void set_anchor(struct omptape_unify_domain *domain, const struct omptape_unify_anchor *anchor)
{
    if (anchor->realtime == 0)
        return;
    if (anchor->ticks < domain->start.ticks)
        domain->start = *anchor;
    if (anchor->ticks > domain->end.ticks)
        domain->end = *anchor;
}

static void join_domain(struct omptape_unify_domain *domain, const struct omptape_unify_clock *clock)
{
    set_anchor(domain, &clock->start);
    set_anchor(domain, &clock->end);
    domain->first = clock->first < domain->first ? clock->first : domain->first;
    domain->last = clock->last > domain->last ? clock->last : domain->last;
    domain->error = clock->error > domain->error ? clock->error : domain->error;
}

/* Returns a hash of properties that are equal within a domain: necessary, not sufficient. Never 0. */
static uint64_t key_of(const struct omptape_unify_clock *clock, const struct omptape_unify_offsets *offsets)
{
    size_t count;
    const struct omptape_unify_offset *list = offsets_of(offsets, clock, &count);
    const uint64_t words[] = {omptape_hash_key(clock->host, strlen(clock->host)),
                              omptape_hash_key(clock->kind, strlen(clock->kind)),
                              list != NULL ? (uint64_t)(list - offsets->list) : UINT64_MAX};
    return omptape_hash_key(words, sizeof(words));
}

/* Returns the first domain to which the clock belongs, or the number of a new one. */
static uint32_t find_domain(const struct omptape_unify_conversion *conversion,
                            const struct omptape_hash *known, uint64_t key,
                            const struct omptape_unify_clock *clock,
                            const struct omptape_unify_offsets *offsets)
{
    uint32_t number = conversion->domain_count;
    const struct omptape_hash_entry *entry = NULL;
    if (clock->host[0] == '\0')
        return number; /* it has a domain of its own */
    while ((entry = omptape_hash_next(known, key, entry)) != NULL)
        if (entry->number < number && is_in_domain(&conversion->domains[entry->number], clock, offsets))
            number = (uint32_t)entry->number;
    return number;
}

static int sort_into_domains(struct omptape_unify_conversion *conversion,
                             struct omptape_unify_clock *const *clocks, uint32_t count,
                             const struct omptape_unify_offsets *offsets)
{
    struct omptape_hash known = {.entries = NULL};
    int result = 0;
    conversion->domains = omptape_calloc(count, sizeof(*conversion->domains));
    if (conversion->domains == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count && result == 0; i++) {
        struct omptape_unify_clock *clock = clocks[i];
        uint64_t key = key_of(clock, offsets);
        uint32_t number = find_domain(conversion, &known, key, clock, offsets);
        clock->domain = number;
        if (number == conversion->domain_count) {
            conversion->domains[conversion->domain_count++] =
                (struct omptape_unify_domain){.clock = clock,
                                              .first = clock->first,
                                              .last = clock->last,
                                              .start = clock->start,
                                              .end = clock->start};
            if (clock->host[0] != '\0')
                result = omptape_hash_join(&known, key, number);
        }
        join_domain(&conversion->domains[number], clock);
    }
    omptape_hash_free(&known);
    return result;
}

/* Uses the measured resolution of the process that ran longest, which is the most exact one. */
static void find_resolutions(struct omptape_unify_conversion *conversion,
                             struct omptape_unify_clock *const *clocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct omptape_unify_domain *domain = &conversion->domains[clocks[i]->domain];
        uint64_t span = omptape_minus(clocks[i]->last, clocks[i]->first);
        if (domain->resolution == 0 || span > domain->longest) {
            domain->longest = span;
            domain->resolution = clocks[i]->resolution;
        }
    }
    for (uint32_t i = 0; i < conversion->domain_count; i++)
        if (conversion->domains[i].resolution == 0)
            conversion->domains[i].resolution = 1000000000;
}

static void find_rate(struct omptape_unify_domain *domain)
{
    uint64_t resolution = domain->resolution;
    long double seconds =
        omptape_unify_difference(domain->start.realtime, domain->end.realtime) / ns_per_second;
    long double rate =
        seconds > 0 ? omptape_unify_difference(domain->start.ticks, domain->end.ticks) / seconds : 0;
    /* A wall clock that was set in between gives a wrong rate. */
    bool good = seconds >= shortest_span && fabsl(rate / (long double)resolution - 1) <= most_slew;
    domain->rate = good ? rate : (long double)resolution;
}

static void find_range(struct omptape_unify_conversion *conversion,
                       const struct omptape_unify_offsets *offsets)
{
    conversion->first = UINT64_MAX;
    conversion->last = 0;
    for (uint32_t i = 0; i < conversion->domain_count; i++) {
        const struct omptape_unify_domain *domain = &conversion->domains[i];
        uint64_t first = omptape_unify_corrected(&domain->corrections, domain->first);
        uint64_t last = omptape_unify_corrected(&domain->corrections, domain->last);
        if (first < conversion->first) {
            long double wall = omptape_unify_wall_at(conversion, i, (long double)domain->first, offsets);
            conversion->first = first;
            conversion->realtime = wall > 0 ? (uint64_t)omptape_unify_to_whole(wall) : 0;
        }
        conversion->last = last > conversion->last ? last : conversion->last;
    }
}

/* Makes the domain with the highest rate the reference, so that times keep the finest resolution. */
static void choose_reference(struct omptape_unify_conversion *conversion,
                             struct omptape_unify_clock *const *clocks, uint32_t count)
{
    uint32_t finest = 0;
    for (uint32_t i = 1; i < conversion->domain_count; i++)
        if (conversion->domains[i].rate > conversion->domains[finest].rate)
            finest = i;
    struct omptape_unify_domain first = conversion->domains[0];
    conversion->domains[0] = conversion->domains[finest];
    conversion->domains[finest] = first;
    conversion->first_domain = finest;
    for (uint32_t i = 0; i < count; i++)
        if (clocks[i]->domain == finest)
            clocks[i]->domain = 0;
        else if (clocks[i]->domain == 0)
            clocks[i]->domain = finest;
}

int omptape_unify_convert_clocks(struct omptape_unify_conversion *conversion,
                                 struct omptape_unify_clock *const *clocks, uint32_t count,
                                 const struct omptape_unify_offsets *offsets)
{
    int result = sort_into_domains(conversion, clocks, count, offsets);
    if (result != 0)
        return result;
    find_resolutions(conversion, clocks, count);
    for (uint32_t i = 0; i < conversion->domain_count; i++)
        find_rate(&conversion->domains[i]);
    choose_reference(conversion, clocks, count);
    conversion->resolution = conversion->domains[0].resolution;
    result = omptape_unify_samples_join(conversion, clocks, count, offsets);
    if (result == 0)
        result = omptape_unify_correct(conversion, offsets);
    if (result == 0)
        find_range(conversion, offsets);
    return result;
}

void omptape_unify_conversion_free(struct omptape_unify_conversion *conversion)
{
    for (uint32_t i = 0; i < conversion->domain_count; i++) {
        free(conversion->domains[i].corrections.list);
        free(conversion->domains[i].samples.list);
    }
    free(conversion->domains);
    *conversion = (struct omptape_unify_conversion){.domains = NULL};
}

void omptape_unify_find_unmeasured(const struct omptape_unify_conversion *conversion,
                                   const struct omptape_unify_offsets *offsets, char *line, size_t bytes)
{
    char hosts[256] = "";
    line[0] = '\0';
    for (uint32_t i = 0; offsets->count > 0 && i < conversion->domain_count; i++) {
        const struct omptape_unify_clock *clock = conversion->domains[i].clock;
        size_t count;
        offsets_of(offsets, clock, &count);
        if (count > 0 || i == conversion->first_domain)
            continue;
        omptape_append_item(hosts, sizeof(hosts), ", ", "%s",
                            clock->host[0] != '\0' ? clock->host : "a host without a name");
    }
    if (hosts[0] != '\0')
        snprintf(line, bytes, "no clock offset is given for %s: the wall clock there is believed", hosts);
}
