/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of omp_control_tool, flush, the error directive and omptape's own records. The writer's
 * translating thread only.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_CONTROL_H
#define OMPTAPE_WRITERS_TRANSLATE_CONTROL_H

#include "writers/model/model.h"

void omptape_control_tool(struct omptape_writer *writer, struct omptape_location *location,
                          const struct omptape_record *record, uint64_t time);
void omptape_control_flush(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);
void omptape_control_error(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);
void omptape_control_place(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);
void omptape_control_module(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time);
void omptape_control_stall(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);
/* Recording goes on, or stops, at `time` on all locations. */
void omptape_control_record(struct omptape_writer *writer, uint64_t time, bool on);

#endif
