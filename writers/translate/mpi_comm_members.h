/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes are in MPI's communicators and groups (communicators.h): their places in the list of MPI's
 * locations, by way of what each was made of. Nothing is believed of the records that told so.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_MPI_COMM_MEMBERS_H
#define OMPTAPE_WRITERS_TRANSLATE_MPI_COMM_MEMBERS_H

#include "writers/translate/mpi_communicators.h"

/* By which processes of other worlds came into the communicator of this number, or into what it was made of;
 * NULL: there are none. */
const struct omptape_comm_meeting *omptape_comm_members_meeting(const struct omptape_writer *writer,
                                                                uint64_t number);
/* The same of a group. */
const struct omptape_comm_meeting *
omptape_comm_members_group_meeting(const struct omptape_writer *writer,
                                   const struct omptape_communicator *group);

/* The places of its members, in their order, which the caller frees. None of MPI_COMM_SELF, nor as long as
 * MPI_COMM_WORLD is not known. NULL: out of memory, or there is no such communicator. */
uint64_t *omptape_comm_members_list(const struct omptape_writer *writer, uint64_t number, uint32_t *count);
/* The same of a group. */
uint64_t *omptape_comm_members_list_group(const struct omptape_writer *writer,
                                          const struct omptape_communicator *group, uint32_t *count);

#endif
