/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples in Perfetto's format: each has a callstack, whose frames and texts are written once. For
 * perfetto.c.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_CALLSTACKS_H
#define OMPTAPE_COMMAND_EXPORT_CALLSTACKS_H

#include "src/command/export/lane.h"

/* A sample of the lane's thread. */
void export_callstacks_sample(struct omptape_perfetto *perfetto, struct export_lane *lane,
                              const struct omptape_event *event);
void export_callstacks_free(struct omptape_perfetto *perfetto);

#endif
