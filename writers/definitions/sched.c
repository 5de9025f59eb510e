/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the archive says of the threads' processor time, page faults and switches. Called when the definitions
 * are written.
 */
#include "writers/definitions/sched.h"

#include "writers/model/sched.h"
#include <omptape/properties.h>

static const struct {
    const char *name;
    const char *description;
    const char *unit;
} members[OMPTAPE_SCHED_MEMBERS] = {
    [OMPTAPE_MEMBER_RUNNING] = {OMPTAPE_LOCATION_RUNNING, "time that the thread was on a processor", "ns"},
    [OMPTAPE_MEMBER_WAITING] = {OMPTAPE_LOCATION_WAITING,
                                "time that the thread could have run, but had no processor", "ns"},
    [OMPTAPE_MEMBER_SYSTEM] = {OMPTAPE_LOCATION_SYSTEM, "time of that on a processor in the kernel", "ns"},
    [OMPTAPE_MEMBER_MINOR_FAULTS] = {OMPTAPE_LOCATION_MINOR_FAULTS,
                                     "page faults that the kernel served without a disk", "#"},
    [OMPTAPE_MEMBER_MAJOR_FAULTS] = {OMPTAPE_LOCATION_MAJOR_FAULTS, "page faults that needed a disk", "#"},
    [OMPTAPE_MEMBER_VOLUNTARY] = {OMPTAPE_LOCATION_VOLUNTARY,
                                  "times that the thread left its processor to wait for something", "#"},
    [OMPTAPE_MEMBER_INVOLUNTARY] = {OMPTAPE_LOCATION_INVOLUNTARY,
                                    "times that another thread took the thread's processor", "#"},
};

static void write_value(struct omptape_writer *writer, OTF2_GlobalDefWriter *out, OTF2_LocationRef location,
                        const char *name, uint64_t value)
{
    OTF2_GlobalDefWriter_WriteLocationProperty(out, location, omptape_archive_string(&writer->strings, name),
                                               OTF2_TYPE_UINT64, (OTF2_AttributeValue){.uint64 = value});
}

void omptape_definitions_sched_values(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                      const struct omptape_location *location)
{
    if (location->sched == NULL || location->sched->latest.time == 0)
        return;
    for (unsigned i = 0; i < OMPTAPE_SCHED_MEMBERS; i++)
        write_value(writer, out, location->ref, members[i].name, location->sched->latest.sums[i]);
    if (location->sched->seen_blocked == 0)
        return;
    write_value(writer, out, location->ref, OMPTAPE_LOCATION_SEEN_BLOCKED, location->sched->seen_blocked);
    write_value(writer, out, location->ref, OMPTAPE_LOCATION_SEEN_DISK, location->sched->seen_disk);
    if (location->sched->seen_stopped > 0)
        write_value(writer, out, location->ref, OMPTAPE_LOCATION_SEEN_STOPPED, location->sched->seen_stopped);
}

static void write_class(struct omptape_writer *writer, OTF2_GlobalDefWriter *out)
{
    OTF2_MetricMemberRef refs[OMPTAPE_SCHED_MEMBERS];
    for (unsigned i = 0; i < OMPTAPE_SCHED_MEMBERS; i++) {
        refs[i] = i;
        OTF2_GlobalDefWriter_WriteMetricMember(
            out, refs[i], omptape_archive_string(&writer->strings, members[i].name),
            omptape_archive_string(&writer->strings, members[i].description), OTF2_METRIC_TYPE_OTHER,
            OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0,
            omptape_archive_string(&writer->strings, members[i].unit));
    }
    omptape_archive_check(
        &writer->archive,
        OTF2_GlobalDefWriter_WriteMetricClass(out, OMPTAPE_METRIC_SCHED, OMPTAPE_SCHED_MEMBERS, refs,
                                              OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU),
        "MetricClass");
}

static bool is_shown(const struct omptape_location *location)
{
    return location->sched != NULL && location->sched->shown != 0;
}

void omptape_definitions_sched_metric(struct omptape_writer *writer, OTF2_GlobalDefWriter *out)
{
    bool needed = false;
    for (uint32_t i = 0; i < writer->location_count && !needed; i++)
        needed = is_shown(writer->locations[i]) || writer->locations[i]->on_device.metric;
    if (needed)
        write_class(writer, out);
    for (uint32_t i = 0; i < writer->location_count; i++)
        if (is_shown(writer->locations[i]))
            OTF2_GlobalDefWriter_WriteMetricClassRecorder(out, OMPTAPE_METRIC_SCHED,
                                                          writer->locations[i]->ref);
}
