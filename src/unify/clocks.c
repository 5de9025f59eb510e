/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorts processes into domains and computes the correction of each domain's times (clocks.h), once all
 * parts are read.
 */
#include "src/unify/clocks.h"

#include "src/core/hash.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Anchors of one counter may disagree by this: the wall clock was set, or slewed, in between. More means that
 * the counter started anew. */
static const long double most_step = 10.0L;
static const long double most_slew = 1e-3L;
/* Over a shorter time the anchors' scatter says less about the rate than the resolution does. */
static const long double shortest_span = 10.0L;
static const long double ns_per_second = 1e9L;

/* Damaged archives may say anything of their clocks. */
static int64_t to_whole(long double number)
{
    const int64_t most = INT64_MAX / 2;
    if (fabsl(number) < (long double)most)
        return (int64_t)number;
    return number > 0 ? most : -most;
}

/* Of two moments; negative if the second is earlier. */
static long double difference_of(uint64_t from, uint64_t to)
{
    return to >= from ? (long double)(to - from) : -(long double)(from - to);
}

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
    long double by_ticks = difference_of(other->start.ticks, clock->start.ticks) / resolution_of(other);
    long double by_wall = difference_of(other->start.realtime, clock->start.realtime) / ns_per_second;
    return fabsl(by_ticks - by_wall) <= most_step + most_slew * fabsl(by_wall);
}

static const struct omptape_unify_offset *offsets_of(const struct omptape_unify_offsets *offsets,
                                                     const struct omptape_unify_clock *clock, size_t *count)
{
    return omptape_unify_offsets_of(offsets, clock->host, clock->rank, count);
}

/* Ranks of one host that have measurements of their own are dated apart. */
static bool is_in_domain(const struct omptape_unify_domain *domain, const struct omptape_unify_clock *clock,
                         const struct omptape_unify_offsets *offsets)
{
    size_t count;
    return is_same_counter(domain, clock) &&
           offsets_of(offsets, clock, &count) == offsets_of(offsets, domain->clock, &count);
}

static void take_anchor(struct omptape_unify_domain *domain, const struct omptape_unify_anchor *anchor)
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
    take_anchor(domain, &clock->start);
    take_anchor(domain, &clock->end);
    domain->first = clock->first < domain->first ? clock->first : domain->first;
    domain->last = clock->last > domain->last ? clock->last : domain->last;
    domain->error = clock->error > domain->error ? clock->error : domain->error;
}

/* What must be equal for two clocks to be in one domain: not all that must hold. Never 0. */
static uint64_t key_of(const struct omptape_unify_clock *clock, const struct omptape_unify_offsets *offsets)
{
    size_t count;
    const struct omptape_unify_offset *list = offsets_of(offsets, clock, &count);
    const uint64_t words[] = {omptape_hash_key(clock->host, strlen(clock->host)),
                              omptape_hash_key(clock->kind, strlen(clock->kind)),
                              list != NULL ? (uint64_t)(list - offsets->list) : UINT64_MAX};
    return omptape_hash_key(words, sizeof(words));
}

/* The first domain that the clock belongs to, or the next that there will be. */
static uint32_t find_domain(const struct omptape_unify_dating *dating, const struct omptape_hash *known,
                            uint64_t key, const struct omptape_unify_clock *clock,
                            const struct omptape_unify_offsets *offsets)
{
    uint32_t number = dating->domain_count;
    const struct omptape_hash_entry *entry = NULL;
    if (clock->host[0] == '\0')
        return number; /* it is its own */
    while ((entry = omptape_hash_next(known, key, entry)) != NULL)
        if (entry->number < number && is_in_domain(&dating->domains[entry->number], clock, offsets))
            number = (uint32_t)entry->number;
    return number;
}

static int sort_into_domains(struct omptape_unify_dating *dating, struct omptape_unify_clock *const *clocks,
                             uint32_t count, const struct omptape_unify_offsets *offsets)
{
    struct omptape_hash known = {.entries = NULL};
    int result = 0;
    dating->domains = calloc(count, sizeof(*dating->domains));
    if (dating->domains == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count && result == 0; i++) {
        struct omptape_unify_clock *clock = clocks[i];
        uint64_t key = key_of(clock, offsets);
        uint32_t number = find_domain(dating, &known, key, clock, offsets);
        clock->domain = number;
        if (number == dating->domain_count) {
            dating->domains[dating->domain_count++] = (struct omptape_unify_domain){.clock = clock,
                                                                                    .first = clock->first,
                                                                                    .last = clock->last,
                                                                                    .start = clock->start,
                                                                                    .end = clock->start};
            if (clock->host[0] != '\0')
                result = omptape_hash_join(&known, key, number);
        }
        join_domain(&dating->domains[number], clock);
    }
    omptape_hash_free(&known);
    return result;
}

/* Of its processes' measured resolutions, that of the one that ran longest is the most exact. */
static void find_resolutions(struct omptape_unify_dating *dating, struct omptape_unify_clock *const *clocks,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct omptape_unify_domain *domain = &dating->domains[clocks[i]->domain];
        uint64_t span = clocks[i]->last - clocks[i]->first;
        if (domain->resolution == 0 || span > domain->longest) {
            domain->longest = span;
            domain->resolution = clocks[i]->resolution;
        }
    }
    for (uint32_t i = 0; i < dating->domain_count; i++)
        if (dating->domains[i].resolution == 0)
            dating->domains[i].resolution = 1000000000;
}

static void find_rate(struct omptape_unify_domain *domain)
{
    uint64_t resolution = domain->resolution;
    long double seconds = difference_of(domain->start.realtime, domain->end.realtime) / ns_per_second;
    long double rate = seconds > 0 ? difference_of(domain->start.ticks, domain->end.ticks) / seconds : 0;
    /* A wall clock that was set in between says nothing about the rate. */
    bool good = seconds >= shortest_span && fabsl(rate / (long double)resolution - 1) <= most_slew;
    domain->rate = good ? rate : (long double)resolution;
}

/* The wall clock of the domain at `ticks`, with what was measured about it; ns since 1970. */
static long double wall_at(const struct omptape_unify_domain *domain, uint64_t ticks,
                           const struct omptape_unify_offsets *offsets)
{
    size_t count;
    const struct omptape_unify_offset *list = offsets_of(offsets, domain->clock, &count);
    long double wall = (long double)domain->start.realtime +
                       difference_of(domain->start.ticks, ticks) / domain->rate * ns_per_second;
    return wall + (long double)omptape_unify_offset_at(list, count, to_whole(wall));
}

/* The reference's ticks at a corrected wall-clock time. Its own correction is nearly constant: two steps find
 * the moment to the ns. */
static long double ticks_at(const struct omptape_unify_domain *reference, long double wall,
                            const struct omptape_unify_offsets *offsets)
{
    size_t count;
    const struct omptape_unify_offset *list = offsets_of(offsets, reference->clock, &count);
    long double own = wall;
    for (int i = 0; i < 2; i++)
        own = wall - (long double)omptape_unify_offset_at(list, count, to_whole(own));
    return (long double)reference->start.ticks +
           (own - (long double)reference->start.realtime) / ns_per_second * reference->rate;
}

/* Where the correction may bend: at both ends, and where it was measured. */
static uint32_t find_bends(const struct omptape_unify_domain *domain,
                           const struct omptape_unify_offsets *offsets, uint64_t *ticks)
{
    size_t count;
    const struct omptape_unify_offset *list = offsets_of(offsets, domain->clock, &count);
    uint32_t found = 0;
    ticks[found++] = domain->first;
    for (size_t i = 0; i < count; i++) {
        long double at =
            (long double)domain->start.ticks +
            ((long double)list[i].time - (long double)domain->start.realtime) / ns_per_second * domain->rate;
        if (at > (long double)ticks[found - 1] && at < (long double)domain->last)
            ticks[found++] = (uint64_t)at;
    }
    if (domain->last > ticks[found - 1])
        ticks[found++] = domain->last;
    return found;
}

/* libotf2 passes over a correction that is alone. */
static uint32_t make_two(struct omptape_unify_correction *list, uint32_t count)
{
    if (count != 1)
        return count;
    list[1] = list[0];
    list[1].ticks++;
    return 2;
}

/* What a correction's ticks become. */
static long double time_of(const struct omptape_unify_correction *correction)
{
    return (long double)correction->ticks + (long double)correction->offset;
}

static int make_corrections(struct omptape_unify_dating *dating, struct omptape_unify_domain *domain,
                            const struct omptape_unify_offsets *offsets)
{
    const struct omptape_unify_domain *reference = &dating->domains[0];
    size_t measured;
    offsets_of(offsets, domain->clock, &measured);
    uint64_t *ticks = calloc(measured + 2, sizeof(*ticks));
    struct omptape_unify_correction *list = calloc(measured + 2, sizeof(*list));
    if (ticks == NULL || list == NULL) {
        free(ticks);
        free(list);
        return -ENOMEM;
    }
    uint32_t count = find_bends(domain, offsets, ticks);
    double deviation = (double)((long double)(domain->error + reference->error) / ns_per_second *
                                (long double)dating->resolution);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        long double time = ticks_at(reference, wall_at(domain, ticks[i], offsets), offsets);
        int64_t offset = to_whole(floorl(time - (long double)ticks[i]));
        /* Measurements that contradict each other must not turn the time back. */
        list[kept] =
            (struct omptape_unify_correction){.ticks = ticks[i], .offset = offset, .deviation = deviation};
        kept += kept == 0 || time_of(&list[kept]) > time_of(&list[kept - 1]);
    }
    free(ticks);
    domain->corrections = (struct omptape_unify_corrections){.list = list, .count = make_two(list, kept)};
    return 0;
}

/* Times before the reference's counter started would be negative: all are shifted then. */
static int keep_positive(struct omptape_unify_dating *dating)
{
    long double least = 0;
    for (uint32_t i = 1; i < dating->domain_count; i++) {
        long double time = time_of(dating->domains[i].corrections.list);
        least = time < least ? time : least;
    }
    if (least >= 0)
        return 0;
    struct omptape_unify_domain *reference = &dating->domains[0];
    reference->corrections.list = calloc(2, sizeof(*reference->corrections.list));
    if (reference->corrections.list == NULL)
        return -ENOMEM;
    reference->corrections.list[0].ticks = reference->first;
    reference->corrections.count = make_two(reference->corrections.list, 1);
    for (uint32_t i = 0; i < dating->domain_count; i++) {
        for (uint32_t k = 0; k < dating->domains[i].corrections.count; k++) {
            struct omptape_unify_correction *correction = &dating->domains[i].corrections.list[k];
            correction->offset = to_whole((long double)correction->offset - least);
        }
    }
    return 0;
}

static void find_range(struct omptape_unify_dating *dating, const struct omptape_unify_offsets *offsets)
{
    dating->first = UINT64_MAX;
    dating->last = 0;
    for (uint32_t i = 0; i < dating->domain_count; i++) {
        const struct omptape_unify_domain *domain = &dating->domains[i];
        uint64_t first = omptape_unify_corrected(&domain->corrections, domain->first);
        uint64_t last = omptape_unify_corrected(&domain->corrections, domain->last);
        if (first < dating->first) {
            long double wall = wall_at(domain, domain->first, offsets);
            dating->first = first;
            dating->realtime = wall > 0 ? (uint64_t)to_whole(wall) : 0;
        }
        dating->last = last > dating->last ? last : dating->last;
    }
}

/* The finest counter becomes the reference: what is a tick apart stays apart, where all others' times are
 * stretched. */
static void choose_reference(struct omptape_unify_dating *dating, struct omptape_unify_clock *const *clocks,
                             uint32_t count)
{
    uint32_t finest = 0;
    for (uint32_t i = 1; i < dating->domain_count; i++)
        if (dating->domains[i].rate > dating->domains[finest].rate)
            finest = i;
    struct omptape_unify_domain first = dating->domains[0];
    dating->domains[0] = dating->domains[finest];
    dating->domains[finest] = first;
    dating->home = finest;
    for (uint32_t i = 0; i < count; i++)
        if (clocks[i]->domain == finest)
            clocks[i]->domain = 0;
        else if (clocks[i]->domain == 0)
            clocks[i]->domain = finest;
}

int omptape_unify_date(struct omptape_unify_dating *dating, struct omptape_unify_clock *const *clocks,
                       uint32_t count, const struct omptape_unify_offsets *offsets)
{
    int result = sort_into_domains(dating, clocks, count, offsets);
    if (result != 0)
        return result;
    find_resolutions(dating, clocks, count);
    for (uint32_t i = 0; i < dating->domain_count; i++)
        find_rate(&dating->domains[i]);
    choose_reference(dating, clocks, count);
    dating->resolution = dating->domains[0].resolution;
    for (uint32_t i = 1; result == 0 && i < dating->domain_count; i++)
        result = make_corrections(dating, &dating->domains[i], offsets);
    if (result == 0)
        result = keep_positive(dating);
    if (result == 0)
        find_range(dating, offsets);
    return result;
}

void omptape_unify_dating_free(struct omptape_unify_dating *dating)
{
    for (uint32_t i = 0; i < dating->domain_count; i++)
        free(dating->domains[i].corrections.list);
    free(dating->domains);
    *dating = (struct omptape_unify_dating){.domains = NULL};
}

void omptape_unify_find_unmeasured(const struct omptape_unify_dating *dating,
                                   const struct omptape_unify_offsets *offsets, char *line, size_t bytes)
{
    char hosts[256] = "";
    size_t used = 0;
    line[0] = '\0';
    for (uint32_t i = 0; offsets->count > 0 && i < dating->domain_count; i++) {
        const struct omptape_unify_clock *clock = dating->domains[i].clock;
        size_t count;
        offsets_of(offsets, clock, &count);
        if (count > 0 || i == dating->home)
            continue;
        int n = snprintf(hosts + used, sizeof(hosts) - used, "%s%s", used > 0 ? ", " : "",
                         clock->host[0] != '\0' ? clock->host : "a host without a name");
        used += n > 0 && (size_t)n < sizeof(hosts) - used ? (size_t)n : 0;
    }
    if (used > 0)
        snprintf(line, bytes, "no clock offset is given for %s: the wall clock there is believed", hosts);
}

/* The correction at or before `at`, on the scale of corrected times if `corrected`; the first if there is
 * none. */
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
    /* As libotf2: behind the last it goes on as before. */
    i = i + 1 >= corrections->count ? i - 1 : i;
    return ((long double)corrections->list[i + 1].offset - (long double)corrections->list[i].offset) /
           difference_of(corrections->list[i].ticks, corrections->list[i + 1].ticks);
}

uint64_t omptape_unify_corrected(const struct omptape_unify_corrections *corrections, uint64_t ticks)
{
    if (corrections->count == 0)
        return ticks;
    uint32_t i = correction_before(corrections, ticks, false);
    const struct omptape_unify_correction *correction = &corrections->list[i];
    int64_t stretch = to_whole(slope_of(corrections, i) * difference_of(correction->ticks, ticks));
    return ticks + (uint64_t)correction->offset + (uint64_t)stretch;
}

uint64_t omptape_unify_uncorrected(const struct omptape_unify_corrections *corrections, uint64_t time)
{
    if (corrections->count == 0)
        return time;
    uint32_t i = correction_before(corrections, time, true);
    const struct omptape_unify_correction *correction = &corrections->list[i];
    long double since = difference_of(correction->ticks + (uint64_t)correction->offset, time) /
                        (1 + slope_of(corrections, i));
    return correction->ticks + (uint64_t)to_whole(since);
}
