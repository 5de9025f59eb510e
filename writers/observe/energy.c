/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the files in /sys/class/powercap. Called by observe.c.
 */
#include "writers/observe/energy.h"

#include "src/core/text_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t period_ns = 1000000000;

/* Reads a file's text without the line feed. Returns 0 or negative errno. */
static int read_text(int powercap, const char *zone, const char *name, char *text, size_t bytes)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "%s/%s", zone, name);
    const ssize_t n = omptape_read_text(powercap, path, text, bytes);
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
 * "intel-rapl:PACKAGE:PART", 0 for any other folder. intel-rapl-mmio is ignored because it lists the same
 * packages again. */
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

static bool is_package(const char *name)
{
    static const char package[] = "package-";
    return strncmp(name, package, sizeof(package) - 1) == 0;
}

/* Names the zone. Returns false if the zone is no package, or if its energy is part of another zone. A
 * package's energy includes its cores, but not its memory. The zone psys covers the whole machine and is
 * ignored. */
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
        return is_package(name);
    }
    (void)snprintf(parent, sizeof(parent), "%s", zone->folder);
    *strrchr(parent, ':') = '\0';
    if (strcmp(name, "dram") != 0 || read_text(powercap, parent, "name", package, sizeof(package)) != 0 ||
        !is_package(package))
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
    qsort(energy->zones, energy->count, sizeof(energy->zones[0]), compare_zones);
}

void omptape_energy_stop(struct omptape_energy *energy)
{
    if (energy->powercap >= 0)
        close(energy->powercap);
    energy->powercap = -1;
}

void omptape_energy_read(struct omptape_energy *energy, uint64_t now)
{
    if (now < energy->next)
        return;
    energy->next = now < UINT64_MAX - period_ns ? now + period_ns : energy->next;
    for (uint32_t i = 0; i < energy->count; i++) {
        struct omptape_energy_zone *zone = &energy->zones[i];
        uint64_t value;
        if (read_number(energy->powercap, zone->folder, "energy_uj", &value) != 0 || value > zone->range)
            continue;
        zone->sum += value >= zone->last ? value - zone->last : zone->range - zone->last + value;
        zone->last = value;
    }
}

bool omptape_energy_describe(const struct omptape_energy *energy, char *text, size_t bytes)
{
    size_t used = 0;
    for (uint32_t i = 0; i < energy->count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s:%" PRIu64, i > 0 ? " " : "",
                                 energy->zones[i].name, energy->zones[i].sum);
    return energy->count > 0 && energy->refused == 0;
}
