/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the files in /sys/class/powercap. Called by observe.c.
 */
#include "writers/observe/energy.h"

#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/core/text_file.h"
#include "src/core/words.h"
#include "writers/state/locations.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t period_ns = 1000000000;
/* The kernel's counters are updated every millisecond: a shorter time between two readings says nothing. */
static const uint64_t shortest_ns = 100000000;
/* No package, and no package's memory, uses as much. */
enum { MAX_WATTS = 5000 };

/* Reads a file's text without the line feed. Returns 0 or negative errno. */
static int read_text(int powercap, const char *zone, const char *name, char *text, size_t bytes)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "%s/%s", zone, name);
    const ssize_t n = omptape_read_piece(powercap, path, text, bytes);
    text[strcspn(text, "\n")] = '\0';
    return n < 0 ? (int)n : 0;
}

static int read_number(int powercap, const char *zone, const char *name, uint64_t *number)
{
    char text[32];
    char *end = text;
    const int error = read_text(powercap, zone, name, text, sizeof(text));
    if (error != 0)
        return error;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return end == text || *end != '\0' || errno != 0 ? -EINVAL : 0;
}

/* Returns how many numbers the folder's name has: 1 for "intel-rapl:PACKAGE", 2 for
 * "intel-rapl:PACKAGE:PART", 0 for any other folder. The folder intel-rapl-mmio is ignored because it lists
 * the same packages again. */
static int count_numbers(const char *folder)
{
    unsigned package;
    unsigned part;
    int length = 0;
    int count = 0;
    if (sscanf(folder, "intel-rapl:%u%n:%u%n", &package, &length, &part, &length) >= 1 &&
        folder[length] == '\0')
        for (const char *at = folder; *at != '\0'; at++)
            count += *at == ':';
    return count;
}

/* Names the zone. Returns false if it is no package, or part of another zone. A package's energy includes its
 * cores, but not its memory. The zone psys covers the whole machine and is ignored. */
static bool name_zone(int powercap, struct omptape_energy_zone *zone)
{
    char name[OMPTAPE_ENERGY_NAME_BYTES / 2 - 1];
    char package[OMPTAPE_ENERGY_NAME_BYTES / 2 - 1];
    char parent[sizeof(zone->folder)];
    const int numbers = count_numbers(zone->folder);
    if (numbers == 0 || read_text(powercap, zone->folder, "name", name, sizeof(name)) != 0)
        return false;
    if (numbers == 1) {
        (void)snprintf(zone->name, sizeof(zone->name), "%s", name);
        return omptape_starts_with(name, "package-");
    }
    (void)snprintf(parent, sizeof(parent), "%s", zone->folder);
    *strrchr(parent, ':') = '\0';
    if (strcmp(name, "dram") != 0 || read_text(powercap, parent, "name", package, sizeof(package)) != 0 ||
        !omptape_starts_with(package, "package-"))
        return false;
    (void)snprintf(zone->name, sizeof(zone->name), "%s/%s", package, name);
    return true;
}

static void add_zone(struct omptape_energy *energy, const char *folder)
{
    struct omptape_energy_zone *zone = &energy->zones[energy->count];
    if (strlen(folder) >= sizeof(zone->folder))
        return;
    *zone = (struct omptape_energy_zone){.sum = 0};
    memcpy(zone->folder, folder, strlen(folder) + 1);
    if (!name_zone(energy->powercap, zone))
        return;
    int error = read_number(energy->powercap, folder, "max_energy_range_uj", &zone->range);
    if (error == 0)
        error = read_number(energy->powercap, folder, "energy_uj", &zone->last);
    if (error == 0 && zone->last <= zone->range)
        energy->count++;
    else if (energy->refused == 0)
        energy->refused = error != 0 ? -error : EINVAL;
}

static int compare_zones(const void *left, const void *right)
{
    return strcmp(((const struct omptape_energy_zone *)left)->name,
                  ((const struct omptape_energy_zone *)right)->name);
}

void omptape_energy_start(struct omptape_energy *energy, const char *folder)
{
    *energy = (struct omptape_energy){.powercap = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    const int copy = energy->powercap >= 0 ? fcntl(energy->powercap, F_DUPFD_CLOEXEC, 0) : -1;
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    if (entries == NULL && copy >= 0)
        close(copy);
    if (entries != NULL) {
        const struct dirent *entry;
        while (energy->count < OMPTAPE_ENERGY_ZONES && (entry = readdir(entries)) != NULL)
            add_zone(energy, entry->d_name);
        closedir(entries);
    }
    omptape_sort(energy->zones, energy->count, sizeof(energy->zones[0]), compare_zones);
}

void omptape_energy_stop(struct omptape_energy *energy)
{
    if (energy->powercap >= 0)
        close(energy->powercap);
    energy->powercap = -1;
    free(energy->readings);
    energy->readings = NULL;
    energy->reading_count = energy->reading_capacity = 0;
}

/* Returns whether the counter has wrapped around to this smaller value. Otherwise it was reset: the zone
 * cannot have used so much since then. After a failed attempt it is unknown how often it wrapped around. */
static bool has_wrapped(const struct omptape_energy_zone *zone, uint64_t value, uint64_t now, bool was_lost)
{
    const uint64_t most = (now - zone->read + period_ns) / 1000 * MAX_WATTS;
    return !was_lost && zone->range - zone->last + value <= most;
}

/* Adds what the zone has used since it was last read. After a reset of its counter the sum is too low. */
static void read_zone(struct omptape_energy *energy, struct omptape_energy_zone *zone, uint64_t now)
{
    uint64_t value;
    const bool was_lost = zone->lost;
    zone->lost = read_number(energy->powercap, zone->folder, "energy_uj", &value) != 0 || value > zone->range;
    if (zone->lost)
        return;
    if (value >= zone->last)
        zone->sum += value - zone->last;
    else if (has_wrapped(zone, value, now, was_lost))
        zone->sum += zone->range - zone->last + value;
    else
        energy->refused = ENODATA;
    zone->last = value;
    zone->read = now;
}

static void drop_every_other(struct omptape_energy *energy)
{
    energy->reading_count /= 2;
    for (uint32_t i = 0; i < energy->reading_count; i++)
        energy->readings[i] = energy->readings[2 * i];
    energy->halvings++;
}

static void keep_reading(struct omptape_energy *energy, uint64_t now, uint64_t time)
{
    if (energy->reading_count > 1 && now < energy->kept + shortest_ns)
        energy->reading_count--;
    if (energy->reading_count == OMPTAPE_MAX_ENERGY_READINGS)
        drop_every_other(energy);
    if (!OMPTAPE_RESERVE(energy->readings, energy->reading_count + 1, &energy->reading_capacity))
        return;
    struct omptape_energy_reading *reading = &energy->readings[energy->reading_count++];
    reading->time = time;
    energy->kept = now;
    for (uint32_t i = 0; i < energy->count; i++)
        reading->sums[i] = energy->zones[i].lost ? UINT64_MAX : energy->zones[i].sum;
}

void omptape_energy_read(struct omptape_energy *energy, uint64_t now, uint64_t time, bool at_once)
{
    if (now < energy->next && !at_once)
        return;
    energy->next = now + period_ns;
    for (uint32_t i = 0; i < energy->count; i++)
        read_zone(energy, &energy->zones[i], now);
    const bool is_due = (energy->attempts++ & ((UINT64_C(1) << energy->halvings) - 1)) == 0;
    if (energy->is_shown && energy->count > 0 && (is_due || at_once))
        keep_reading(energy, now, time);
}

bool omptape_energy_describe(const struct omptape_energy *energy, char *text, size_t bytes)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < energy->count; i++)
        omptape_append_item(text, bytes, " ", "%s:%" PRIu64, energy->zones[i].name, energy->zones[i].sum);
    for (uint32_t i = 0; i < energy->count; i++)
        if (energy->zones[i].lost)
            return false;
    return energy->count > 0 && energy->refused == 0;
}

/* Returns the next reading after reading `i` that has the zone, or NULL. */
static const struct omptape_energy_reading *find_next(const struct omptape_energy *energy, uint32_t i,
                                                      uint32_t zone)
{
    while (++i < energy->reading_count)
        if (energy->readings[i].sums[zone] != UINT64_MAX)
            return &energy->readings[i];
    return NULL;
}

static double find_power(const struct omptape_energy_reading *from, const struct omptape_energy_reading *to,
                         uint32_t zone, uint64_t second)
{
    return (double)(to->sums[zone] - from->sums[zone]) / 1e6 /
           ((double)(to->time - from->time) / (double)second);
}

/* The zones' metrics. */
struct power {
    uint32_t metric; /* of the first zone; the others follow */
    double last[OMPTAPE_ENERGY_ZONES];
};

static bool add_metrics(const struct omptape_energy *energy, struct omptape_writer *writer,
                        const struct omptape_location *location, struct power *power)
{
    struct omptape_archive_strings *strings = &writer->strings;
    for (uint32_t i = 0; i < energy->count; i++) {
        const struct omptape_level level = {
            .name = omptape_archive_format(strings, "power of %s", energy->zones[i].name),
            .description = omptape_archive_string(
                strings, "energy of the node until the next value, divided by the time, whoever used it"),
            .unit = omptape_archive_string(strings, "W"),
            .type = OTF2_TYPE_DOUBLE,
            .source = OTF2_METRIC_TYPE_OTHER,
            .mode = OTF2_METRIC_ABSOLUTE_NEXT,
            .recorder = OTF2_RECORDER_KIND_ABSTRACT};
        const uint32_t metric = omptape_archive_add_level(&writer->archive, &level);
        if (metric == OMPTAPE_METRIC_SCHED)
            return false;
        power->metric = i == 0 ? metric : power->metric;
        omptape_archive_add_level_place(&writer->archive, metric, location->ref);
    }
    return true;
}

/* Writes the power of each zone from reading `i` on. A zone's last reading repeats the power before it. */
static void write_reading(const struct omptape_energy *energy, struct omptape_writer *writer,
                          struct omptape_location *location, struct power *power, uint32_t i, uint64_t end)
{
    const struct omptape_energy_reading *reading = &energy->readings[i];
    const uint64_t time = reading->time < end ? reading->time : end;
    for (uint32_t zone = 0; zone < energy->count; zone++) {
        if (reading->sums[zone] == UINT64_MAX)
            continue;
        const struct omptape_energy_reading *next = find_next(energy, i, zone);
        if (next != NULL && (next->time <= location->last || reading->time >= end))
            continue;
        if (next != NULL && next->time > reading->time)
            power->last[zone] = find_power(reading, next, zone, writer->timeline.second);
        if (power->last[zone] < 0)
            continue;
        uint64_t value;
        memcpy(&value, &power->last[zone], sizeof(value));
        location->last = omptape_location_time(location, time);
        omptape_archive_metric(&writer->archive, location->events, location->last, power->metric + zone,
                               OTF2_TYPE_DOUBLE, 1, &value);
    }
}

void omptape_energy_adopt(const struct omptape_energy *energy, struct omptape_writer *writer, uint64_t end)
{
    struct power power = {.metric = OMPTAPE_METRIC_SCHED};
    char node[256] = "";
    /* With distinct times readers merge a metric into the following event. */
    if (!energy->is_shown || energy->reading_count < 2 || writer->archive.step != 0 ||
        writer->profile != NULL)
        return;
    (void)gethostname(node, sizeof(node) - 1);
    struct omptape_location *location = omptape_locations_add_node(
        writer, omptape_archive_format(&writer->strings, "node %s", node), writer->begin);
    if (location == NULL)
        return;
    for (uint32_t i = 0; i < energy->count; i++)
        power.last[i] = -1;
    if (add_metrics(energy, writer, location, &power))
        for (uint32_t i = 0; i < energy->reading_count; i++)
            write_reading(energy, writer, location, &power, i, end);
    location->closed = true;
    (void)omptape_archive_close_location(&writer->archive, location->events);
}
