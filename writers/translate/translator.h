/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Type of the translators of records (translate.h). They run on the thread of the merge.
 */
#pragma once

#include "writers/state/writer.h"

/* Translates a complete record of the location's thread. `time` is the record's; the location's last event
 * may be later (omptape_location_time). */
typedef void omptape_translator(struct omptape_writer *writer, struct omptape_location *location,
                                const struct omptape_record *record, uint64_t time);
