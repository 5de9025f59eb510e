/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of what the host does for devices. The writer's translating thread only.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_TARGET_H
#define OMPTAPE_WRITERS_TRANSLATE_TARGET_H

#include "writers/model/model.h"

void omptape_target(struct omptape_writer *writer, struct omptape_location *location,
                    const struct omptape_record *record, uint64_t time);
void omptape_target_data_op(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time);
void omptape_target_submit(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);
void omptape_target_map(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time);
/* device_initialize, _finalize, _load, _unload */
void omptape_target_device(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time);

#endif
