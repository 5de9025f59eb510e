/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The energy that the node's processors take, as the kernel counts it for each package and its memory
 * (/sys/class/powercap, intel-rapl). It is of all that runs there. Counters wrap around within minutes, so
 * they are read about once a second. Where the files are root's, as since Linux 5.10, nothing is known. On
 * the writer's main thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OMPTAPE_ENERGY_ZONES = 32, OMPTAPE_ENERGY_NAME_BYTES = 48 };

/* A package, or its memory. */
struct omptape_energy_zone {
    char folder[32];
    char name[OMPTAPE_ENERGY_NAME_BYTES]; /* "package-0", "package-0/dram" */
    uint64_t range;                       /* uJ, at which the counter begins anew */
    uint64_t last;
    uint64_t sum; /* uJ since the start */
};

struct omptape_energy {
    int powercap; /* the folder; -1: there is none */
    struct omptape_energy_zone zones[OMPTAPE_ENERGY_ZONES];
    uint32_t count;
    int refused;   /* errno of the first package that cannot be read; 0: all can */
    uint64_t next; /* when it is read again, CLOCK_MONOTONIC_RAW, ns */
};

/* Finds the zones below `folder` and begins to add up. */
void omptape_energy_start(struct omptape_energy *energy, const char *folder);
void omptape_energy_stop(struct omptape_energy *energy);

/* Reads all zones, if it is time, or in any case where `now` is UINT64_MAX. A zone that cannot be read any
 * more stays as it is. */
void omptape_energy_read(struct omptape_energy *energy, uint64_t now);

/* "package-0:1234567 package-0/dram:34567", in uJ. False: not all of it is known. */
bool omptape_energy_describe(const struct omptape_energy *energy, char *text, size_t bytes);
