/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State and interface that the files of `omptape info` share. Everything is called by info.c, on the only
 * thread of the child process that info.c starts.
 */
#pragma once

#include "src/archive/read/guard.h"
#include "src/archive/read/reader.h"
#include "src/replay/replay.h"

#include <stdint.h>
#include <stdio.h>

/* Sums of one pass over the events: visits and times of regions, events by location and kind, teams, devices.
 * A malformed archive is described as far as possible. Filled by gather.c, which prints nothing. */

/* Sums of a region. Times are in clock ticks. */
struct info_region {
    const struct omptape_definition *definition;
    uint64_t visits;
    uint64_t inclusive; /* only the outermost of nested visits */
    uint64_t exclusive;
};

struct info_frame {
    struct replay_frame replay;
    struct info_region *region; /* NULL if not defined */
    uint64_t inner;             /* time in nested regions */
};

struct info_device;

struct info_location {
    struct replay_location replay;
    const struct omptape_definition *definition;
    struct info_device *device; /* owning device; NULL for a thread */
    uint64_t events;
    uint64_t first; /* time of the first and last event */
    uint64_t last;
};

/* Direction of a device's transfers. */
enum info_direction { INFO_TO_DEVICE, INFO_FROM_DEVICE, INFO_BETWEEN_DEVICES, INFO_DIRECTIONS };

/* A device's location group. */
struct info_device {
    const struct omptape_definition *group;
    uint64_t transfers[INFO_DIRECTIONS];
    uint64_t bytes[INFO_DIRECTIONS];
    uint64_t memory; /* highest value of the memory metric, bytes */
    bool has_memory;
    uint64_t open; /* number of kernels and transfers that run now */
    uint64_t busy_begin;
    uint64_t busy; /* time in which at least one of them ran */
};

/* A team: a comm with at least one team begin. */
struct info_team {
    const struct omptape_definition *definition;
    uint64_t begins; /* over all members */
};

struct info_count {
    const char *name; /* name of an event kind or of a marker's category */
    uint64_t count;
};

enum { INFO_MARKER_TEXTS = 5 };

struct info_profile {
    struct omptape_reader *reader;
    struct omptape_reader_progress *progress;
    struct omptape_arena arena;
    struct omptape_pairs regions;   /* (0, region) -> struct info_region, on threads */
    struct omptape_pairs works;     /* (location group, region) -> struct info_region, on devices */
    struct omptape_pairs devices;   /* (0, location group) -> struct info_device */
    struct omptape_pairs locations; /* (0, location) -> struct info_location */
    struct omptape_pairs teams;     /* (0, comm) -> struct info_team */
    struct omptape_pairs kinds;     /* (0, address of the event's name) -> struct info_count */
    struct omptape_pairs markers;   /* (0, marker definition) -> struct info_count */
    struct info_location *last_location;
    uint64_t events;
    uint64_t first_time;
    uint64_t last_time;
    uint64_t transferred; /* bytes of all RMA operations */
    char *command_line;   /* from ProgramBegin, or NULL */
    uint64_t marker_count;
    const char *marker_texts[INFO_MARKER_TEXTS];
    uint64_t marker_times[INFO_MARKER_TEXTS];
};

/* Reads all events and markers of `profile->reader`, which the caller closes. Returns 0, or negative errno
 * with a line in `error`. The caller frees the profile in any case. */
int info_gather(struct info_profile *profile, char *error, size_t error_bytes);
void info_free_profile(struct info_profile *profile);

/* gather.c: Returns the device that a location belongs to and creates it at its first use. Returns NULL if
 * there is none or memory is exhausted. */
struct info_device *info_device_of(struct info_profile *profile, const struct omptape_definition *location);

struct info {
    struct omptape_reader *reader;
    FILE *out;
    struct info_profile profile;
};

/* The sections, each with its title. */
void info_print_recording(struct info *info);    /* recording.c */
void info_print_completeness(struct info *info); /* recording.c */
void info_print_times(struct info *info);        /* recording.c */
void info_print_choice(struct info *info);       /* choice.c */
void info_print_processes(struct info *info);    /* processes.c */
void info_print_threads(struct info *info);      /* threads.c */
void info_print_teams(struct info *info);        /* threads.c */
void info_print_devices(struct info *info);      /* devices.c */
void info_print_events(struct info *info);       /* regions.c */
void info_print_regions(struct info *info);      /* regions.c */
void info_print_runtime(struct info *info);      /* runtime.c */

/* regions.c: Returns the name of a region role, such as "task creation"; a constant. */
const char *info_role(uint64_t role);

/* print.c: output helpers. */
enum { INFO_LABEL_WIDTH = 14, INFO_LINE_WIDTH = 80, INFO_TEXT_BYTES = 4096 };

void info_title(struct info *info, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints " label text". The text is wrapped at blanks and indented; control characters are made visible. */
void info_field(struct info *info, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints a field unless the text is NULL or empty. */
void info_optional(struct info *info, const char *label, const char *text);
/* Formats ticks as "1.23 ms". The result is valid until the fourth call after this one. */
const char *info_time(const struct info *info, uint64_t ticks);
/* Formats "1,234". The result is valid until the fourth call after this one. */
const char *info_number(uint64_t number);
/* Return the property OMPTAPE::KEY as text or NULL, or as a number, 0 if it does not exist. */
const char *info_property(struct info *info, const char *key);
uint64_t info_property_number(struct info *info, const char *key);
/* sizes.c: Prints `omptape info --sizes` for an open archive. Returns 0, or negative errno with `error`. */
int info_print_sizes(struct omptape_reader *reader, FILE *out, struct omptape_reader_progress *progress,
                     char *error, size_t error_bytes);

/* Lists all values of a table in *values, which the caller frees. Returns how many, 0 if out of memory. */
size_t info_values(const struct omptape_pairs *table, void ***values);
