/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations shared by the translators of MPI's records.
 */
#pragma once

#include "writers/translate/translator.h"

omptape_translator omptape_mpi_translate_enter;
omptape_translator omptape_mpi_translate_leave;
omptape_translator omptape_mpi_translate_send;
omptape_translator omptape_mpi_translate_receive;
omptape_translator omptape_mpi_translate_request;
omptape_translator omptape_mpi_translate_collective;
omptape_translator omptape_mpi_translate_life;

/* Returns true if the record's call, and therefore its contents, are shown. */
bool omptape_mpi_is_shown(const struct omptape_location *location, const struct omptape_record *record);

/* What an MPI call waits for. Kept while the call is open, and written only if the trace ends in the call.
 * Shows who waits for whom in a program that hangs (docs/mapping.md). */
struct omptape_awaited {
    uint16_t function; /* Number of the call's function. */
    uint8_t what;      /* enum omptape_mpi_awaits. */
    uint32_t count;    /* Number of `words`, which follow the return address in the record. */
    uint64_t tested;   /* Request that was tested last; 0: none. */
    uint64_t words[OMPTAPE_MPI_AWAITED_REQUESTS * OMPTAPE_MPI_AWAITED_WORDS];
};

/* Called when the trace ends and the location's innermost open region is about to be left. If this region
 * is a waiting call, adds what it waits for to the attributes of its Leave. Shows each awaited request as
 * tested without success. */
void omptape_awaited_write(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
