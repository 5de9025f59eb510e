/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes values that text, JSON and CSV share (state.h).
 */
#include "src/command/report/state.h"

#include "src/core/whole.h"
#include "src/core/words.h"

#include <math.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double report_wall(const struct omptape_analysis *analysis)
{
    return omptape_analysis_seconds(analysis, omptape_minus(analysis->end, analysis->begin));
}

/* Returns the energy of the packages and memory of a process's node during the run, J. */
static double energy_of(const struct omptape_analysis *analysis, const struct analysis_process *process)
{
    const char *zone = omptape_reader_property_of(analysis->reader, process->number, OMPTAPE_KEY_ENERGY);
    double sum = 0;
    for (; zone != NULL && (zone = strchr(zone, ':')) != NULL; zone++)
        sum += strtod(zone + 1, NULL) / 1e6;
    return sum;
}

/* Returns true for the first process of its node. */
static bool is_first_there(const struct omptape_analysis *analysis, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++)
        if (strcmp(analysis->processes[i].node, analysis->processes[number].node) == 0)
            return false;
    return true;
}

double report_energy(const struct omptape_analysis *analysis)
{
    double sum = 0;
    for (uint32_t i = 0; i < analysis->process_count; i++) {
        double node = 0;
        if (!is_first_there(analysis, i))
            continue;
        for (uint32_t k = i; k < analysis->process_count; k++)
            if (strcmp(analysis->processes[i].node, analysis->processes[k].node) == 0)
                node = fmax(node, energy_of(analysis, &analysis->processes[k]));
        if (node <= 0)
            return 0;
        sum += node;
    }
    return sum;
}

double report_serial(const struct omptape_analysis *analysis)
{
    double sum = 0;
    for (uint32_t i = 0; i < analysis->process_count; i++)
        sum += omptape_analysis_seconds(analysis, analysis->processes[i].serial);
    return sum / analysis->at_once;
}

double report_moment(const struct omptape_analysis *analysis, uint64_t time)
{
    uint64_t zero = analysis->reader->clock_offset;
    return time >= zero ? omptape_analysis_seconds(analysis, time - zero)
                        : -omptape_analysis_seconds(analysis, zero - time);
}

uint64_t report_time_working(const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    uint64_t sum = 0;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        omptape_add(&sum, omptape_buckets[bucket].work ? parts[bucket] : 0);
    return sum;
}

uint64_t report_time_at_work(const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    uint64_t sum = report_time_working(parts);
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        omptape_add(&sum, omptape_buckets[bucket].off_cpu ? parts[bucket] : 0);
    return sum;
}

bool report_has(const struct omptape_analysis *analysis, enum omptape_bucket bucket)
{
    const uint64_t noise = 100;
    uint64_t sum = 0;
    uint64_t part = 0;
    for (uint32_t i = 0; i < analysis->process_count; i++) {
        omptape_add(&sum, omptape_parts_sum(analysis->processes[i].parts));
        omptape_add(&part, analysis->processes[i].parts[bucket]);
    }
    return part > sum / noise;
}

uint64_t report_cost(const struct analysis_region *region)
{
    uint64_t at_work = report_time_at_work(region->parts);
    uint64_t waiting = omptape_minus(omptape_parts_sum(region->parts), at_work);
    return omptape_plus(at_work, waiting > region->charged ? waiting : region->charged);
}

/* Returns a phrase for why the gain exceeds the region's own time and the waiting for it, by the kind. */
static const char *reason_of(enum omptape_finding_kind kind)
{
    switch (kind) {
    case OMPTAPE_FINDING_TINY_REGIONS:
    case OMPTAPE_FINDING_OVERSUBSCRIPTION:
    case OMPTAPE_FINDING_PREEMPTION:
        return "with what lies in it";
    case OMPTAPE_FINDING_LOCK:
        return "held here, and waited for at another place";
    case OMPTAPE_FINDING_FINE_TASKS:
    case OMPTAPE_FINDING_TASK_CHAIN:
        return "with the time in which threads look for a task";
    default:
        return "with what waits for it elsewhere";
    }
}

static bool is_at(const struct analysis_region *region, const struct analysis_region *other)
{
    return region == other ||
           (region->line > 0 && region->line == other->line && strcmp(region->file, other->file) == 0);
}

const char *report_gain_reason(const struct omptape_analysis *analysis, const struct analysis_region *region)
{
    const uint64_t threads = analysis->threads > 0 ? analysis->threads : 1;
    uint64_t here = 0;
    if (region->gain <= report_cost(region) / threads)
        return "";
    for (uint32_t i = 0; i < analysis->region_count; i++)
        if (is_at(region, analysis->regions[i]))
            omptape_add(&here, report_cost(analysis->regions[i]));
    if (region->gain <= here / threads)
        return "with the constructs at the same line";
    for (uint32_t i = 0; i < analysis->finding_count; i++)
        if (analysis->findings[i].region != NULL && is_at(region, analysis->findings[i].region))
            return reason_of(analysis->findings[i].kind);
    return reason_of(OMPTAPE_FINDING_KINDS);
}

struct units_text report_time(const struct omptape_analysis *analysis, uint64_t ticks)
{
    return units_seconds(omptape_analysis_seconds(analysis, ticks));
}

struct units_text report_percent(double part, double whole)
{
    const double percent = whole > 0 ? 100 * part / whole : 0;
    struct units_text share = {""};
    if (whole > 0)
        (void)snprintf(share.text, sizeof(share.text), percent > 0 && percent < 1 ? "%.1f %%" : "%.0f %%",
                       percent);
    return share;
}

const char *report_program(const struct omptape_analysis *analysis)
{
    const char *path = omptape_reader_property(analysis->reader, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_PROGRAM);
    if (path == NULL && analysis->process_count > 0)
        path =
            omptape_reader_property_of(analysis->reader, analysis->processes[0].number, OMPTAPE_KEY_PROGRAM);
    if (path == NULL && analysis->process_count > 0)
        path = analysis->processes[0].name;
    return path != NULL ? omptape_base_name(path) : "";
}

struct units_text report_date(const struct omptape_analysis *analysis, const char *format)
{
    const struct omptape_reader *reader = analysis->reader;
    struct units_text date;
    time_t seconds = (time_t)(reader->clock_realtime / UINT64_C(1000000000));
    struct tm calendar;
    if (reader->clocks == 0 || reader->clock_realtime == OTF2_UNDEFINED_TIMESTAMP ||
        localtime_r(&seconds, &calendar) == NULL ||
        strftime(date.text, sizeof(date.text), format, &calendar) == 0)
        date.text[0] = '\0';
    return date;
}
