/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel says of a thread, as a track of slices below the thread's: on a processor, runnable,
 * blocked. Between two readings there may be several of these. For perfetto.c.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_STATES_H
#define OMPTAPE_COMMAND_EXPORT_STATES_H

#include "src/command/export/lane.h"

/* A metric of the lane's thread; any but a reading of its scheduler statistics is passed over. */
void export_states_reading(struct omptape_perfetto *perfetto, struct export_lane *lane,
                           const struct omptape_event *event);

/* Another thread has the location from now on. */
void export_states_restart(struct omptape_perfetto *perfetto, struct export_lane *lane);

/* The window ends, or the trace. */
void export_states_close(struct omptape_perfetto *perfetto);

#endif
