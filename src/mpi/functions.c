/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of MPI's functions. Read by the library and by the writer.
 */
#include "src/mpi/functions.h"

#define PLAIN(called, count, kind, part, what)                                                               \
    {.name = "MPI_" #called,                                                                                 \
     .arguments = (count),                                                                                   \
     .family = OMPTAPE_MPI_FAMILY_##kind,                                                                    \
     .role = OMPTAPE_MPI_ROLE_##part,                                                                        \
     .detail = (what)},
#define COLLECTIVE(called, count, kind, part, what) PLAIN(called, count, kind, part, OMPTAPE_MPI_SHAPE_##what)

const struct omptape_mpi_function omptape_mpi_functions[OMPTAPE_MPI_FUNCTIONS] = {
    OMPTAPE_MPI_MANAGEMENT(PLAIN) OMPTAPE_MPI_POINT2POINT(PLAIN) OMPTAPE_MPI_COLLECTIVE(COLLECTIVE)};
