/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the properties of the devices. Called when the archive is finished.
 */
#include "writers/devices/report.h"

#include "src/core/words.h"
#include "writers/devices/clock.h"
#include "writers/devices/state.h"

#include <omptape/properties.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char answers_prefix[] = "set_trace_ompt.";

static void put_property(struct omptape_writer *writer, const struct omptape_device *device, const char *key,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
static void put_property(struct omptape_writer *writer, const struct omptape_device *device, const char *key,
                         const char *format, ...)
{
    char name[160];
    char value[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof(value), format, arguments);
    va_end(arguments);
    snprintf(name, sizeof(name), "%d.%s", (int)device->number, key);
    omptape_archive_property(&writer->archive, OMPTAPE_DEVICE_PREFIX, name, value);
}

static void put_count(struct omptape_writer *writer, const struct omptape_device *device, const char *key,
                      uint64_t value)
{
    put_property(writer, device, key, "%llu", (unsigned long long)value);
}

static const char *producer_name(enum omptape_device_producer producer)
{
    switch (producer) {
    case OMPTAPE_PRODUCER_RUNTIME:
        return "runtime";
    case OMPTAPE_PRODUCER_CUPTI:
        return "CUPTI";
    default:
        return "host-observed";
    }
}

/* Writes one property with all kinds of records with this answer of the device: many kinds, few answers. */
static void put_answers(struct omptape_writer *writer, const struct omptape_device *device,
                        const char *answer)
{
    char key[64];
    char kinds[1024] = "";
    size_t length = strlen(answer);
    for (const char *line = device->interface; line != NULL && *line != '\0';) {
        size_t bytes = strcspn(line, "\n");
        const char *value = memchr(line, '=', bytes);
        size_t prefix = sizeof(answers_prefix) - 1;
        if (value != NULL && omptape_starts_with(line, answers_prefix) &&
            (size_t)(line + bytes - value - 1) == length && memcmp(value + 1, answer, length) == 0)
            omptape_append_item(kinds, sizeof(kinds), " ", "%.*s", (int)(value - line - (ptrdiff_t)prefix),
                                line + prefix);
        line += bytes + (line[bytes] == '\n');
    }
    snprintf(key, sizeof(key), "interface.set_trace_ompt.%s", answer);
    if (kinds[0] != '\0')
        put_property(writer, device, key, "%s", kinds);
}

static void put_line(struct omptape_writer *writer, const struct omptape_device *device, char *line)
{
    char key[128];
    char *value = strchr(line, '=');
    if (value == NULL || omptape_starts_with(line, answers_prefix))
        return;
    *value++ = '\0';
    snprintf(key, sizeof(key), "interface.%s", line);
    put_property(writer, device, key, "%s", value);
}

static void put_interface(struct omptape_writer *writer, const struct omptape_device *device)
{
    static const char *const answers[] = {"error", "never", "impossible", "sometimes", "sometimes_paired",
                                          "always"};
    char *text = device->interface != NULL ? strdup(device->interface) : NULL;
    char *rest = NULL;
    for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        put_line(writer, device, line);
    for (size_t i = 0; text != NULL && i < sizeof(answers) / sizeof(answers[0]); i++)
        put_answers(writer, device, answers[i]);
    free(text);
}

static void put_counts(struct omptape_writer *writer, const struct omptape_device *device)
{
    const struct omptape_device_counts *counts = &device->counts;
    const struct {
        const char *key;
        uint64_t value;
        bool always;
    } all[] = {
        {"records", counts->records, true},        {"shown", counts->shown, true},
        {"observed", counts->observed, true},      {"unlinked", counts->unlinked, false},
        {"repaired", counts->repaired, false},     {"undated", counts->undated, false},
        {"duplicates", counts->duplicates, false}, {"invalid", counts->invalid + device->sums_invalid, false},
        {"refused", counts->refused, false},       {"lost", counts->lost, false},
        {"dropped", counts->dropped, false}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].always || all[i].value > 0)
            put_count(writer, device, all[i].key, all[i].value);
}

static void put_clock(struct omptape_writer *writer, const struct omptape_device *device, uint64_t resolution)
{
    struct omptape_device_clock_summary summary;
    double ns = 1e9 / (double)resolution;
    if (device->clock == NULL)
        return;
    omptape_device_clock_summarise(device->clock, &summary);
    put_property(writer, device, "clock.source", "%s", omptape_device_clock_source_name(summary.source));
    put_count(writer, device, "clock.anchors", summary.fit.anchors);
    put_count(writer, device, "clock.rejected", summary.fit.rejected);
    put_count(writer, device, "clock.segments", summary.fit.segments);
    put_property(writer, device, "clock.offset", "%.0f", summary.offset * 1e9);
    put_property(writer, device, "clock.drift_ppm", "%.3f", summary.fit.drift);
    put_property(writer, device, "clock.residual", "%.0f", summary.fit.residual * ns);
    put_property(writer, device, "clock.bound", "%.0f", (double)summary.bound_max * ns);
    if (summary.compared > 0)
        put_property(writer, device, "clock.translate_difference", "%.0f", summary.disagreement * ns);
}

/* Returns true for unused devices: a runtime initialises all devices, but most programs use one or none. */
static bool is_unused(const struct omptape_device *device)
{
    static const struct omptape_device_counts none;
    return memcmp(&device->counts, &none, sizeof(none)) == 0 && device->sums_invalid == 0 &&
           device->first_location == NULL && device->memory_location == NULL;
}

void omptape_device_report(struct omptape_writer *writer, uint64_t resolution)
{
    for (uint32_t i = 0; i < writer->devices->count; i++) {
        const struct omptape_device *device = writer->devices->list[i];
        if (is_unused(device))
            continue;
        put_property(writer, device, "type", "%s", device->type != NULL ? device->type : "");
        put_property(writer, device, "producer", "%s", producer_name(device->producer));
        put_property(writer, device, "why", "%s", device->why != NULL ? device->why : "");
        put_interface(writer, device);
        put_counts(writer, device);
        put_clock(writer, device, resolution);
    }
}

struct omptape_device_counts omptape_device_sum(const struct omptape_writer *writer)
{
    struct omptape_device_counts sum = {.kernels = 0};
    for (uint32_t i = 0; i < writer->devices->count; i++) {
        const struct omptape_device_counts *counts = &writer->devices->list[i]->counts;
        sum.kernels += counts->kernels;
        sum.transfers += counts->transfers;
        sum.bytes += counts->bytes;
    }
    return sum;
}

static void describe_disagreement(const struct omptape_device *device, char *text, size_t bytes)
{
    struct omptape_device_clock_summary summary;
    if (device->clock == NULL)
        return;
    omptape_device_clock_summarise(device->clock, &summary);
    if (summary.disagree)
        snprintf(
            text, bytes,
            "ompt_translate_time of device %d disagrees with its clock by more than their errors; the clock "
            "is used",
            (int)device->number);
}

static void describe_losses(const struct omptape_device *device, char *text, size_t bytes)
{
    const struct omptape_device_counts *counts = &device->counts;
    if (counts->refused + counts->lost + counts->undated + counts->dropped > 0)
        snprintf(text, bytes,
                 "device %d: %llu buffer(s) refused, %llu lost; %llu record(s) without time, %llu dropped",
                 (int)device->number, (unsigned long long)counts->refused, (unsigned long long)counts->lost,
                 (unsigned long long)counts->undated, (unsigned long long)counts->dropped);
}

void omptape_device_warnings(struct omptape_writer *writer,
                             void (*warn)(struct omptape_writer *writer, const char *text))
{
    void (*const all[])(const struct omptape_device *, char *, size_t) = {describe_disagreement,
                                                                          describe_losses};
    for (uint32_t i = 0; i < writer->devices->count; i++) {
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
            char text[256] = "";
            all[k](writer->devices->list[i], text, sizeof(text));
            if (text[0] != '\0')
                warn(writer, text);
        }
    }
}
