/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the energy of the node's processor packages and their memory (/sys/class/powercap, intel-rapl).
 * The values cover all programs on the node. The kernel's counters wrap around within minutes, so they are
 * read about once a second. Since Linux 5.10 only root may read the files; without access there are no
 * values. Called on the writer's main thread.
 */
#pragma once

#include "writers/state/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OMPTAPE_ENERGY_ZONES = 32, OMPTAPE_ENERGY_NAME_BYTES = 48 };
/* Most readings that are kept. When there are more, every other one is dropped and their distance doubles. */
enum { OMPTAPE_MAX_ENERGY_READINGS = 1024 };

/* A package or its memory. */
struct omptape_energy_zone {
    char folder[32];
    char name[OMPTAPE_ENERGY_NAME_BYTES]; /* "package-0", "package-0/dram" */
    uint64_t range;                       /* uJ; the counter restarts at 0 after this value */
    uint64_t last;                        /* uJ */
    uint64_t read;                        /* time of `last`, CLOCK_MONOTONIC_RAW, ns; 0 at the start */
    uint64_t sum;                         /* uJ since the start */
    bool lost;                            /* the last attempt to read it failed */
};

/* Sums of all zones at one moment. */
struct omptape_energy_reading {
    uint64_t time;                       /* time of the trace */
    uint64_t sums[OMPTAPE_ENERGY_ZONES]; /* uJ; UINT64_MAX: the zone could not be read */
};

struct omptape_energy {
    int powercap; /* descriptor of the folder; -1 if it cannot be opened */
    struct omptape_energy_zone zones[OMPTAPE_ENERGY_ZONES];
    uint32_t count;
    int refused;   /* errno of the first package that cannot be read; 0 if none */
    uint64_t next; /* time of the next reading, CLOCK_MONOTONIC_RAW, ns */
    bool is_shown; /* this process writes the node's power into its archive; set after the start */
    struct omptape_energy_reading *readings;
    uint32_t reading_count;
    uint32_t reading_capacity;
    uint64_t kept;     /* time of the last one that was kept, CLOCK_MONOTONIC_RAW, ns */
    uint64_t attempts; /* number of readings, also of those that were not kept */
    unsigned halvings; /* how often there were too many readings */
};

/* Finds the zones below `folder` and starts to add up their energy. */
void omptape_energy_start(struct omptape_energy *energy, const char *folder);
void omptape_energy_stop(struct omptape_energy *energy);

/* Reads all zones if a second has passed, or `at_once`. `now` and `time` are CLOCK_MONOTONIC_RAW, ns, and the
 * time of the trace. A zone that cannot be read keeps its sum. */
void omptape_energy_read(struct omptape_energy *energy, uint64_t now, uint64_t time, bool at_once);

/* Writes "package-0:1234567 package-0/dram:34567", in uJ. False if a zone is missing or unreadable. */
bool omptape_energy_describe(const struct omptape_energy *energy, char *text, size_t bytes);

/* Adds a location with the power of each zone between its readings, up to `end`. Does nothing if
 * `is_shown` is false or nothing could be read. Called when all other locations are closed. */
void omptape_energy_adopt(const struct omptape_energy *energy, struct omptape_writer *writer, uint64_t end);
