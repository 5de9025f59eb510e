/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definitions of the threads' processor time: the metric, and its last values as location properties.
 */
#ifndef OMPTAPE_WRITERS_DEFINITIONS_SCHED_H
#define OMPTAPE_WRITERS_DEFINITIONS_SCHED_H

#include "writers/model/model.h"

/* Of this location, after its definition. */
void omptape_definitions_sched_values(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                      const struct omptape_location *location);
/* The metric, after all locations and before any other metric. */
void omptape_definitions_sched_metric(struct omptape_writer *writer, OTF2_GlobalDefWriter *out);

#endif
