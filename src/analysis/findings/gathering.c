/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Maintains the list of collected findings, and formats pieces of their sentences (gathering.h).
 */
#include "src/analysis/findings/gathering.h"

#include "src/analysis/location.h"
#include "src/core/array.h"
#include "src/core/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *omptape_sentence(const struct analysis_state *state, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char *copy = omptape_arena_alloc(&state->result->arena, strlen(text) + 1);
    if (copy == NULL)
        return "";
    memcpy(copy, text, strlen(text));
    return copy;
}

const char *omptape_count_text(const struct analysis_state *state, uint64_t count)
{
    char text[OMPTAPE_COUNT_BYTES];
    return omptape_sentence(state, "%s", omptape_count(count, text));
}

const char *omptape_time_text(const struct analysis_state *state, double ticks)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
    const double ns = ticks > 0 ? ticks * state->ns_per_tick : 0; /* odd sums may make it negative */
    size_t i = 0;
    while (ns < units[i].least)
        i++;
    double value = units[i].least > 0 ? ns / units[i].least : ns;
    return omptape_sentence(state, "%.*f %s", value < 10 ? 1 : 0, value, units[i].unit);
}

const char *omptape_findings_thread_name(const struct analysis_state *state, uint64_t location)
{
    const struct analysis_location *found = omptape_pairs_get(&state->locations, 0, location);
    return found != NULL && found->thread != NULL ? found->thread->name : NULL;
}

struct omptape_finding *omptape_findings_at(struct analysis_findings *findings,
                                            enum omptape_finding_kind kind,
                                            const struct analysis_region *region)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->list[i].kind == kind && findings->list[i].region == region &&
            findings->list[i].serial == NULL)
            return &findings->list[i];
    return omptape_findings_add(findings, kind, region);
}

struct omptape_finding *omptape_findings_add(struct analysis_findings *findings,
                                             enum omptape_finding_kind kind,
                                             const struct analysis_region *region)
{
    struct omptape_finding *finding =
        OMPTAPE_RESERVE(findings->list, findings->count + 1, &findings->capacity)
            ? &findings->list[findings->count++]
            : &findings->spare;
    *finding = (struct omptape_finding){.kind = kind, .region = region};
    return finding;
}

struct omptape_finding *omptape_findings_add_serial(struct analysis_findings *findings,
                                                    enum omptape_finding_kind kind,
                                                    const struct analysis_serial *serial)
{
    struct omptape_finding *finding = omptape_findings_add(findings, kind, NULL);
    omptape_findings_set_serial(finding, serial);
    finding->count = serial->count;
    return finding;
}

void omptape_findings_set_cost(struct omptape_finding *finding, uint64_t cost, uint64_t gain)
{
    finding->cost = finding->cost_wall = cost;
    finding->gain = gain;
    finding->remaining_wall = omptape_minus(cost, gain);
}

void omptape_findings_add_gain(struct omptape_finding *finding, uint64_t gain)
{
    omptape_add(&finding->gain, gain);
    omptape_add(&finding->cost, gain);
    omptape_add(&finding->cost_wall, gain);
}

double omptape_findings_number(const struct omptape_analysis *result, uint32_t process, const char *key)
{
    return (double)omptape_reader_number_of(result->reader, result->processes[process].number, key);
}

void omptape_findings_set_serial(struct omptape_finding *finding, const struct analysis_serial *serial)
{
    finding->region = serial->after;
    finding->before = serial->before;
    finding->serial = serial;
    finding->worst = omptape_worst(serial->longest, serial->longest_begin, serial->longest_location);
}

void omptape_findings_set_worst(struct omptape_finding *finding, const struct analysis_durations *durations)
{
    finding->worst = omptape_worst(durations->longest, durations->longest_begin, durations->longest_location);
}
