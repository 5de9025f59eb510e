/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Perfetto's counters: tasks in flight of each process, and whatever the archive has as metrics (memory in
 * use of devices, processor time of threads). For perfetto.c.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_COUNTERS_H
#define OMPTAPE_COMMAND_EXPORT_COUNTERS_H

#include "src/command/export/lane.h"

/* 0 or -ENOMEM. */
int omptape_counters_begin(struct omptape_perfetto *perfetto);
void omptape_counters_free(struct omptape_perfetto *perfetto);

/* The tasks that were there when the window begins. */
void omptape_counters_open(struct omptape_perfetto *perfetto);

/* A task was created, or is complete. */
void omptape_counters_task(struct omptape_perfetto *perfetto, const struct export_lane *lane, bool created);

void omptape_counters_metric(struct omptape_perfetto *perfetto, const struct export_lane *lane,
                             const struct omptape_event *event);

#endif
