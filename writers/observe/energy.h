/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the energy of the node's processor packages and their memory (/sys/class/powercap, intel-rapl).
 * The values cover all programs on the node. The kernel's counters wrap around within minutes, so they are
 * read about once a second. Since Linux 5.10 only root may read the files; without access there are no
 * values. Called on the writer's main thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OMPTAPE_ENERGY_ZONES = 32, OMPTAPE_ENERGY_NAME_BYTES = 48 };

/* A package or its memory. */
struct omptape_energy_zone {
    char folder[32];
    char name[OMPTAPE_ENERGY_NAME_BYTES]; /* "package-0", "package-0/dram" */
    uint64_t range;                       /* uJ; the counter restarts at 0 after this value */
    uint64_t last;
    uint64_t sum; /* uJ since the start */
};

struct omptape_energy {
    int powercap; /* descriptor of the folder; -1 if it cannot be opened */
    struct omptape_energy_zone zones[OMPTAPE_ENERGY_ZONES];
    uint32_t count;
    int refused;   /* errno of the first package that cannot be read; 0 if none */
    uint64_t next; /* time of the next reading, CLOCK_MONOTONIC_RAW, ns */
};

/* Finds the zones below `folder` and starts to add up their energy. */
void omptape_energy_start(struct omptape_energy *energy, const char *folder);
void omptape_energy_stop(struct omptape_energy *energy);

/* Reads all zones if a second has passed, or always if `now` is UINT64_MAX. A zone that cannot be read keeps
 * its sum. */
void omptape_energy_read(struct omptape_energy *energy, uint64_t now);

/* Writes "package-0:1234567 package-0/dram:34567", in uJ. Returns false if a zone is missing or unreadable.
 */
bool omptape_energy_describe(const struct omptape_energy *energy, char *text, size_t bytes);
