/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the translators of MPI's records share.
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

/* Is the call that the record is of shown, and so what happens in it? */
bool omptape_mpi_is_shown(const struct omptape_location *location, const struct omptape_record *record);

/* What a call of MPI waits for. It is kept while the call is open, and written only where the trace ends
 * with it: who waits for whom in a program that hangs follows from that (docs/mapping.md). */
struct omptape_awaited {
    uint16_t function; /* the call's */
    uint8_t what;      /* enum omptape_mpi_awaits */
    uint32_t count;    /* of words, as the record has them behind the return address */
    uint64_t tested;   /* the request that was last; 0: none */
    uint64_t words[OMPTAPE_MPI_AWAITED_REQUESTS * OMPTAPE_MPI_AWAITED_WORDS];
};

/* The location's innermost open region will be left because the trace ends. If it is a call that waits, that
 * gets into the attributes of its Leave, and each request that it waits for is shown as tested in vain. */
void omptape_awaited_write(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
