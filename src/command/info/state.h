/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of `omptape info` share: what one pass over the events gathers, and the sections that print
 * it. All of it runs on the one thread of the child process that info.c starts.
 */
#ifndef OMPTAPE_COMMAND_INFO_STATE_H
#define OMPTAPE_COMMAND_INFO_STATE_H

#include "src/reader/reader.h"

#include <stdint.h>
#include <stdio.h>

/* Times are in clock ticks; omptape_info_time makes text of them. */
struct info_region {
    const struct omptape_definition *definition;
    uint64_t visits;
    uint64_t inclusive; /* from the outermost Enter to its Leave */
    uint64_t exclusive;
};

struct info_frame {
    struct info_region *region;
    uint64_t begin;
    uint64_t inner; /* time in regions inside this one */
};

struct info_device;

struct info_location {
    const struct omptape_definition *definition;
    struct info_device *device; /* whose it is; NULL: a thread's */
    uint64_t events;
    uint64_t last;
    struct info_frame *frames;
    size_t depth;
    size_t room;
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

struct omptape_info {
    struct omptape_reader *reader;
    FILE *out;
    volatile uint64_t *progress;
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

/* gather.c: the visitors of the archive reader; the data is the struct omptape_info. */
bool omptape_info_event(void *info, const struct omptape_event *event);
bool omptape_info_marker(void *info, const struct omptape_marker *marker);
/* Adds up to the greatest number at most: a thousand threads have more ticks in a month than fit. */
void omptape_info_add_ticks(uint64_t *sum, uint64_t ticks);
/* Ends regions that are still open, at their location's last event. */
void omptape_info_finish(struct omptape_info *info);

/* device_events.c: the device that a location belongs to, made at its first use; NULL: none, or no
 * memory. */
struct info_device *omptape_info_device_of(struct omptape_info *info,
                                           const struct omptape_definition *location);
/* An event of a device that begins or ends no region. */
void omptape_info_device_event(struct omptape_info *info, struct info_device *device,
                               const struct omptape_event *event);
/* A region began on one of its locations, or ended there. */
void omptape_info_device_enter(struct info_device *device, const struct info_region *region, uint64_t time);
void omptape_info_device_leave(struct info_device *device, const struct info_region *region, uint64_t time);

/* gather.c: the value under (high, id), made of zeros at its first use. NULL: no memory. */
void *omptape_info_obtain(struct omptape_info *info, struct omptape_pairs *table, uint64_t high, uint64_t id,
                          size_t bytes);

/* The sections, each with its title. */
void omptape_info_print_recording(struct omptape_info *info);    /* recording.c */
void omptape_info_print_completeness(struct omptape_info *info); /* recording.c */
void omptape_info_print_choice(struct omptape_info *info);       /* choice.c */
void omptape_info_print_processes(struct omptape_info *info);    /* processes.c */
void omptape_info_print_threads(struct omptape_info *info);      /* threads.c */
void omptape_info_print_teams(struct omptape_info *info);        /* threads.c */
void omptape_info_print_devices(struct omptape_info *info);      /* devices.c */
void omptape_info_print_events(struct omptape_info *info);       /* regions.c */
void omptape_info_print_regions(struct omptape_info *info);      /* regions.c */
void omptape_info_print_runtime(struct omptape_info *info);      /* runtime.c */

/* regions.c: "task creation": a constant. */
const char *omptape_info_role(uint64_t role);

/* print.c */
enum { INFO_LABEL_WIDTH = 14, INFO_LINE_WIDTH = 80, INFO_TEXT_BYTES = 1024 };

void omptape_info_title(struct omptape_info *info, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "  label         text", the text wrapped at spaces below itself; control characters are made visible. */
void omptape_info_field(struct omptape_info *info, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, unless the text is NULL or empty. */
void omptape_info_optional(struct omptape_info *info, const char *label, const char *text);
/* "1.23 ms" of a number of ticks. Valid until the fourth call after it. */
const char *omptape_info_time(const struct omptape_info *info, uint64_t ticks);
/* "1,234", likewise. */
const char *omptape_info_number(uint64_t number);
/* Property OMPTAPE::KEY as text or NULL; as a number, 0 if it has none. */
const char *omptape_info_property(struct omptape_info *info, const char *key);
uint64_t omptape_info_property_number(struct omptape_info *info, const char *key);
/* All values of a table, in *values (malloc'ed). Returns how many; 0 without memory. */
size_t omptape_info_values(struct omptape_info *info, const struct omptape_pairs *table, void ***values);

#endif
