/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of the public header, include/omptape/omptape.h. Called by the traced program on any of its
 * threads.
 */
#include <omptape/omptape.h>

#include "buffers/producer.h"

__attribute__((visibility("default"))) const char *omptape_version(void)
{
    return OMPTAPE_VERSION;
}

__attribute__((visibility("default"))) int omptape_is_recording(void)
{
    struct omptape_shm *shm = atomic_load(&omptape_producer_shm);
    return shm != NULL && atomic_load(&shm->program_state) == OMPTAPE_PROGRAM_RUNNING &&
           atomic_load(&shm->writer_state) < OMPTAPE_WRITER_FINISHED;
}
