/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices and transfers: what they did, and what threads of their process did meanwhile.
 */
#ifndef OMPTAPE_ANALYSIS_DEVICES_H
#define OMPTAPE_ANALYSIS_DEVICES_H

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_frame;

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

#endif
