/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definitions of MPI's communicators and groups (communicators.h), by who writes all definitions.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_MPI_COMM_DEFINITIONS_H
#define OMPTAPE_WRITERS_TRANSLATE_MPI_COMM_DEFINITIONS_H

#include "writers/model/model.h"

/* The list of locations, before all others, as this group; */
void omptape_communicators_write_list(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                      OTF2_GroupRef group);
/* the communicator of this number, with its group. */
void omptape_communicators_write(struct omptape_writer *writer, OTF2_GlobalDefWriter *out, uint64_t number,
                                 OTF2_GroupRef group);
/* What is known of the meetings, as properties of the process's location group. */
void omptape_communicators_write_meetings(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                          OTF2_LocationGroupRef process);
/* The groups that are no communicators, the first with this number. */
void omptape_communicators_write_groups(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                        OTF2_GroupRef first);

#endif
