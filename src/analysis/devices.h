/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures what devices and data transfers did, and what host threads of the process did at the same time.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_device_state;
struct analysis_state;
struct analysis_location;
struct analysis_frame;

/* What a host thread does at present. Only tracked in processes with devices. */
enum analysis_host {
    ANALYSIS_HOST_ELSEWHERE,
    ANALYSIS_HOST_AT_WORK,
    ANALYSIS_HOST_AT_DEVICE,
    ANALYSIS_HOSTS
};

/* Per location: the device that the location belongs to, or the transfers of its host thread. */
struct analysis_thread_transfers {
    struct analysis_device_state *device;
    struct analysis_transfer *transfer; /* transfer in progress */
    bool transfer_repeats;
    uint64_t transfer_bytes;
    uint64_t transfer_begin;
    struct analysis_transfer *moved; /* last one within a construct that only moves data */
    uint64_t moved_time;             /* time of all transfers in that construct */
    uint64_t allocated_time;         /* time of an allocation on the device, for the next transfer */
    uint64_t allocated_until;
    uint32_t allocations;                 /* allocations counted with transfers and not yet freed */
    struct analysis_transfer *moved_last; /* last transfer in any construct */
    uint64_t moved_until;                 /* end of that transfer or its construct */
    uint64_t stalled;                     /* the thread's `stalled` sum when it was last read */
    uint64_t construct_stalled;           /* stall time between the last two operations */
    enum analysis_host host;              /* state as counted in the process */
    bool host_counted;                    /* the process counts this thread */
};

/* Returns the device of the location group; NULL if the group is no device or memory is exhausted. */
struct analysis_device *omptape_analysis_device(struct analysis_state *state,
                                                const struct omptape_definition *group);
void omptape_analysis_device_open(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_definition *group);
void omptape_analysis_device_event(struct analysis_state *state, struct analysis_location *location,
                                   const struct omptape_event *event);
void omptape_analysis_transfer_enter(struct analysis_state *state, struct analysis_location *location,
                                     const struct omptape_event *event);
/* Notes that the thread's innermost region changed. Called in processes with devices. */
void omptape_analysis_device_host(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time);
/* Handles the end of a construct that may only move data. */
void omptape_analysis_move_leave(struct analysis_location *location, const struct analysis_frame *frame,
                                 uint64_t time);
void omptape_analysis_transfer_leave(struct analysis_state *state, struct analysis_location *location,
                                     uint64_t time);
