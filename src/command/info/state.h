/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of `omptape info` share: the sections that print what was read and gathered. All of it is
 * called by info.c and runs on the one thread of the child process that info.c starts.
 */
#ifndef OMPTAPE_COMMAND_INFO_STATE_H
#define OMPTAPE_COMMAND_INFO_STATE_H

#include "src/command/info/profile.h"

#include <stdint.h>
#include <stdio.h>

struct omptape_info {
    struct omptape_reader *reader;
    FILE *out;
    bool no_memory;
    struct info_profile profile;
};

/* The sections, each with its title. */
void omptape_info_print_recording(struct omptape_info *info);    /* recording.c */
void omptape_info_print_completeness(struct omptape_info *info); /* recording.c */
void omptape_info_print_times(struct omptape_info *info);        /* recording.c */
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
enum { INFO_LABEL_WIDTH = 14, INFO_LINE_WIDTH = 80, INFO_TEXT_BYTES = 4096 };

/* A text that grows; what does not fit is cut. */
struct info_text {
    size_t length;
    char text[INFO_TEXT_BYTES];
};

void omptape_info_append(struct info_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, after ", " if it is not the first. */
void omptape_info_append_item(struct info_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

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
/* sizes.c: all of `omptape info --sizes` for an open archive: prints to `out`. 0, or a negative errno with
 * one line in `error`. */
int omptape_info_sizes(struct omptape_reader *reader, FILE *out, struct omptape_reader_progress *progress,
                       char *error, size_t error_bytes);

/* All values of a table, in *values (malloc'ed). Returns how many; 0 without memory. */
size_t omptape_info_values(struct omptape_info *info, const struct omptape_pairs *table, void ***values);

#endif
