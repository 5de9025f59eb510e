/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that the public header, include/omptape/omptape.h, looks up at run time. Called by the traced
 * program on any thread.
 */
#include "buffers/producer.h"

#include <stdatomic.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const char *omptape_version(void);
EXPORTED int omptape_is_recording(void);

const char *omptape_version(void)
{
    return OMPTAPE_VERSION;
}

int omptape_is_recording(void)
{
    struct omptape_shm *shm = atomic_load(&omptape_producer_shm);
    return shm != NULL && atomic_load(&shm->program_state) == OMPTAPE_PROGRAM_RUNNING &&
           atomic_load(&shm->writer_state) < OMPTAPE_WRITER_FINISHED;
}
