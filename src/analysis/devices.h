/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices and transfers: what they did, and what threads of their process did meanwhile.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_device_state;
struct analysis_state;
struct analysis_location;
struct analysis_frame;

/* At what a thread is now; where its process has devices. */
enum analysis_host {
    ANALYSIS_HOST_ELSEWHERE,
    ANALYSIS_HOST_AT_WORK,
    ANALYSIS_HOST_AT_DEVICE,
    ANALYSIS_HOSTS
};

/* Of a location: the device that it is of, or what its thread moves. */
struct analysis_moves {
    struct analysis_device_state *device;
    struct analysis_transfer *transfer; /* that goes on */
    bool transfer_repeats;
    uint64_t transfer_bytes;
    uint64_t transfer_begin;
    struct analysis_transfer *moved; /* the last within a construct that does nothing else, */
    uint64_t moved_time;             /* ...and the time of all */
    uint64_t room_made;              /* on a device, and how long that took: for what is moved next */
    uint64_t room_until;
    uint32_t rooms;                       /* that were made for what a construct moves, and not given back */
    struct analysis_transfer *moved_last; /* whatever the construct, */
    uint64_t moved_until;                 /* ...and when that or its construct was over */
    uint64_t stalled;           /* how long the thread had stood still for its events at the last look, */
    uint64_t construct_stalled; /* ...and between the last two operations */
    enum analysis_host host;    /* as its process counts it, */
    bool host_counted;          /* ...if it does */
};

/* That of the location group, or NULL. */
struct analysis_device *omptape_analysis_device(struct analysis_state *state,
                                                const struct omptape_definition *group);
void omptape_analysis_device_open(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_definition *group);
void omptape_analysis_device_event(struct analysis_state *state, struct analysis_location *location,
                                   const struct omptape_event *event);
void omptape_analysis_transfer_enter(struct analysis_state *state, struct analysis_location *location,
                                     const struct omptape_event *event);
/* The thread is in another region, or in none: its process has devices. */
void omptape_analysis_device_host(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time);
/* A construct ends that may do nothing but move data. */
void omptape_analysis_move_leave(struct analysis_location *location, const struct analysis_frame *frame,
                                 uint64_t time);
void omptape_analysis_transfer_leave(struct analysis_state *state, struct analysis_location *location,
                                     uint64_t time);
