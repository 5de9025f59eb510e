/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stack of a sample, as flame graphs show it: the functions of its calling context, and among them the
 * OpenMP constructs that were open. Each of these is behind the function that it stands in. A part of a
 * construct, as a loop's chunk, is not shown beside the construct; nor is a wait in which a task runs. For
 * the formats, in the child that reads; one thread.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/archive/read/regions.h"
#include "src/core/store.h"
#include "src/replay/stack.h"

#include <stdbool.h>
#include <stdint.h>

/* What an observer of the replay keeps of an open region, at least. */
struct export_open {
    struct replay_frame replay;
    uint64_t region;     /* the call's, where it is known (omptape_event_call_region) */
    uint32_t constructs; /* the number of the list of constructs up to this one; 0: not known yet */
};

/* A function or a construct. Texts live as long as the reader. */
struct export_call {
    const char *name;   /* "dgemv_", "for @solver.c:12" */
    const char *module; /* path of the executable or library; "": not known */
    const char *file;   /* "": not known */
    uint32_t line;      /* where it is, or where it calls the next one; of a construct, where it stands */
    uint64_t region;    /* the definition's id */
    uint32_t behind;    /* of a construct: the number of functions around it */
    bool is_construct;
};

/* All zeros but `reader` at first. */
struct export_stacks {
    const struct omptape_reader *reader;
    struct omptape_rows constructs; /* the number of the list without the innermost region, and this region */
    struct export_call *calls;      /* what export_stacks_list made: `count`, the outermost first */
    uint32_t count;
    uint32_t room;
};

/* For an observer's `enter`. */
static inline void export_open_begin(struct export_open *open, const struct omptape_reader *reader,
                                     const struct omptape_event *event)
{
    open->region = omptape_event_call_region(reader, event);
    open->constructs = 0;
}

/* The next event of a location whose frames are struct export_open. */
void export_stacks_follow(const struct export_stacks *stacks, struct replay_location *location,
                          const struct omptape_event *event);

/* The number of the list of all regions that are open; 1 where none is. Frames begin with struct
 * export_open. */
uint32_t export_stacks_constructs(struct export_stacks *stacks, struct replay_location *location,
                                  size_t frame_bytes);

/* The region that samples with this list count for, as in the report: the innermost one, but the loop for its
 * chunk. NULL: there is none but the program. */
const struct omptape_definition *export_stacks_blamed(const struct export_stacks *stacks,
                                                      uint32_t constructs);

/* Was the thread asleep, which was looked at for its place alone? */
bool export_stacks_is_asleep(const struct export_stacks *stacks, uint64_t context);

/* The processor time that a sample stands for, ns; 0: none, or it is not known. */
uint64_t export_stacks_ns(const struct export_stacks *stacks, const struct omptape_event *sample);

/* Lists the calls of a stack. A path of an archive that was made to deceive is cut. */
void export_stacks_list(struct export_stacks *stacks, uint64_t context, uint32_t constructs);

/* Does the archive have paths of samples? */
bool export_stacks_are_there(const struct omptape_reader *reader);

void export_stacks_free(struct export_stacks *stacks);
