/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What one pass over the events adds up: visits and times of regions, events of locations and kinds, teams,
 * devices. An archive that breaks rules is described as far as it goes. Filled by gather.c, which
 * prints nothing; used by the sections of `omptape info`. One thread.
 */
#ifndef OMPTAPE_COMMAND_INFO_PROFILE_H
#define OMPTAPE_COMMAND_INFO_PROFILE_H

#include "src/archive/read/guard.h"
#include "src/archive/read/reader.h"
#include "src/replay/replay.h"

#include <stdint.h>

/* Times are in clock ticks. */
struct info_region {
    const struct omptape_definition *definition;
    uint64_t visits;
    uint64_t inclusive; /* from the outermost Enter to its Leave */
    uint64_t exclusive;
};

struct info_frame {
    struct replay_frame replay;
    struct info_region *region; /* NULL: not defined */
    uint64_t inner;             /* time in regions inside this one */
};

struct info_device;

struct info_location {
    struct replay_location replay;
    const struct omptape_definition *definition;
    struct info_device *device; /* whose it is; NULL: a thread's */
    uint64_t events;
    uint64_t first; /* times of its events */
    uint64_t last;
};

/* How a device's transfers go. */
enum info_way { INFO_TO_DEVICE, INFO_FROM_DEVICE, INFO_BETWEEN_DEVICES, INFO_WAYS };

/* A location group of a device. */
struct info_device {
    const struct omptape_definition *group;
    uint64_t transfers[INFO_WAYS];
    uint64_t bytes[INFO_WAYS];
    uint64_t memory; /* the greatest value of a metric */
    bool has_memory;
    uint64_t open; /* kernels and transfers that run */
    uint64_t busy_begin;
    uint64_t busy; /* time in which any of them ran */
};

/* A comm whose team was begun. */
struct info_team {
    const struct omptape_definition *definition;
    uint64_t begins; /* of all members */
};

struct info_count {
    const char *name; /* of a kind of event, or of a marker's category */
    uint64_t count;
};

enum { INFO_MARKER_TEXTS = 5 };

struct info_profile {
    struct omptape_reader *reader;
    struct omptape_reader_progress *progress;
    bool no_memory;
    struct omptape_arena arena;
    struct omptape_pairs regions;   /* (0, region) -> struct info_region, on threads */
    struct omptape_pairs works;     /* (location group, region) -> the same, on devices */
    struct omptape_pairs devices;   /* (0, location group) -> struct info_device */
    struct omptape_pairs locations; /* (0, location) -> struct info_location */
    struct omptape_pairs teams;     /* (0, comm) -> struct info_team */
    struct omptape_pairs kinds;     /* (0, address of the event's name) -> struct info_count */
    struct omptape_pairs markers;   /* (0, marker definition) -> struct info_count */
    struct info_location *last_location;
    uint64_t events;
    uint64_t first_time;
    uint64_t last_time;
    uint64_t transferred; /* bytes of RMA operations */
    char *command_line;   /* from ProgramBegin, or NULL */
    uint64_t marker_count;
    const char *marker_texts[INFO_MARKER_TEXTS];
    uint64_t marker_times[INFO_MARKER_TEXTS];
};

/* Reads all events and markers of `profile->reader`, which stays the caller's. 0, or a negative errno with
 * one line in `error`. The caller frees the profile in any case. */
int omptape_info_gather(struct info_profile *profile, char *error, size_t error_bytes);
void omptape_info_free_profile(struct info_profile *profile);

/* The value under (high, id), made of zeros at its first use. NULL: no memory. */
static inline void *omptape_info_obtain(struct info_profile *profile, struct omptape_pairs *pairs,
                                        uint64_t high, uint64_t id, size_t bytes)
{
    void *value = omptape_pairs_obtain(pairs, &profile->arena, high, id, bytes);
    profile->no_memory = profile->no_memory || value == NULL;
    return value;
}

/* gather.c: the device that a location belongs to, made at its first use; NULL: none, or no memory. */
struct info_device *omptape_info_device_of(struct info_profile *profile,
                                           const struct omptape_definition *location);

#endif
