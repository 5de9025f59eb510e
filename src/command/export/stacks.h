/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the stack of a sample as flame graphs show it: the functions of its calling context with the open
 * OpenMP constructs among them. Each construct follows the function that contains it. Parts of a construct,
 * such as a loop's chunk, are omitted, and so is a wait in which a task runs. Used by the formats in the
 * reading child process, on one thread.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/archive/read/regions.h"
#include "src/core/store.h"
#include "src/replay/stack.h"

#include <stdbool.h>
#include <stdint.h>

/* First member of every frame of an open region in the replay's observers. */
struct export_open {
    struct replay_frame replay;
    uint64_t region;         /* the call's region if known (omptape_event_call_region) */
    uint32_t construct_list; /* number of the list of constructs up to this one; 0 if not yet computed */
};

/* A function or a construct of a stack. The texts live as long as the reader. */
struct export_call {
    const char *name;        /* "dgemv_", "for @solver.c:12" */
    const char *module;      /* path of the executable or library; "" if unknown */
    const char *file;        /* "" if unknown */
    uint32_t line;           /* current line in the function, or the construct's line */
    uint64_t region;         /* id of the region's definition */
    uint32_t function_depth; /* for a construct: number of functions that contain it */
    bool is_construct;
};

/* Initialised with `reader`, all other fields zero. */
struct export_stacks {
    const struct omptape_reader *reader;
    /* Rows: number of the list without the innermost region, innermost region. */
    struct omptape_rows construct_lists;
    struct export_call *calls; /* result of export_stacks_list: `count` calls, outermost first */
    uint32_t count;
    uint32_t capacity;
};

/* Initialises a frame; called by an observer's `enter`. */
static inline void export_open_begin(struct export_open *open, const struct omptape_reader *reader,
                                     const struct omptape_event *event)
{
    open->region = omptape_event_call_region(reader, event);
    open->construct_list = 0;
}

/* Replays the next event of a location whose frames are struct export_open. */
void export_stacks_follow(const struct export_stacks *stacks, struct replay_location *location,
                          const struct omptape_event *event);

/* Returns the number of the list of all open regions; 1: none is. Frames begin with struct export_open. */
uint32_t export_stacks_constructs(struct export_stacks *stacks, struct replay_location *location,
                                  size_t frame_bytes);

/* Returns the region to which the report attributes samples with this list: the innermost one, or the loop in
 * place of its chunk. Returns NULL if only the program's region is open. */
const struct omptape_definition *export_stacks_attributed_region(const struct export_stacks *stacks,
                                                                 uint32_t construct_list);

/* Returns true if the thread slept and the sample records only where it did. */
bool export_stacks_is_asleep(const struct export_stacks *stacks, uint64_t context);

/* Returns the processor time that a sample represents, ns; 0 if it represents none or the time is unknown. */
uint64_t export_stacks_ns(const struct export_stacks *stacks, const struct omptape_event *sample);

/* Lists the calls of a stack in stacks->calls. Truncates the paths of manipulated archives. */
void export_stacks_list(struct export_stacks *stacks, uint64_t context, uint32_t construct_list);

void export_stacks_free(struct export_stacks *stacks);
