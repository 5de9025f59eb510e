/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of omp_control_tool, flush, the error directive and omptape's own records.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_CONTROL_H
#define OMPTAPE_WRITERS_TRANSLATE_CONTROL_H

#include "writers/model/model.h"

/* Recording goes on, or stops, at `time` on all locations. */
void omptape_control_record(struct omptape_writer *writer, uint64_t time, bool on);

#endif
