/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the translators of MPI's records share.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_MPI_H
#define OMPTAPE_WRITERS_TRANSLATE_MPI_H

#include "writers/translate/translator.h"

omptape_translator omptape_mpi_translate_enter;
omptape_translator omptape_mpi_translate_leave;
omptape_translator omptape_mpi_translate_send;
omptape_translator omptape_mpi_translate_receive;
omptape_translator omptape_mpi_translate_request;
omptape_translator omptape_mpi_translate_collective;
omptape_translator omptape_mpi_translate_life;

/* Is the call that the record is of shown, and so what happens in it? */
bool omptape_mpi_is_shown(const struct omptape_location *location, const struct omptape_record *record);

#endif
