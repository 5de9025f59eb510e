/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of open files, with one lock. Nothing is recorded while it is held: that may have to wait for
 * memory.
 */
#include "callbacks/mpi/files.h"

#include "buffers/producer.h"
#include "callbacks/mpi/tables/handles.h"
#include "callbacks/mpi/tables/memory.h"

#include <stddef.h>
#include <string.h>

enum { MOST_FILES = 1 << 12, NAME_WORDS = OMPTAPE_RECORD_MAX_WORDS - OMPTAPE_RECORD_HEADER_WORDS - 1 };

static struct omptape_mpi_handles handles = {.most = MOST_FILES, .bytes = sizeof(struct omptape_mpi_file)};
static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Atomic uint32_t numbers;

struct omptape_mpi_file *omptape_mpi_files_find(intptr_t handle)
{
    return omptape_mpi_handles_find(&handles, handle);
}

static void put_name(struct omptape_slot *slot, uint32_t number, uint64_t comm, const char *name)
{
    uint64_t payload[1 + NAME_WORDS] = {comm};
    const size_t words = omptape_producer_text(payload + 1, NAME_WORDS, name, SIZE_MAX);
    omptape_producer_put_words(slot, OMPTAPE_MPI_FILE, 0, number, payload, 1 + words);
}

struct omptape_mpi_file *omptape_mpi_files_add(struct omptape_slot *slot, intptr_t handle,
                                               const struct omptape_mpi_comm *comm, const char *name,
                                               int mode)
{
    const uint32_t ordinal = omptape_mpi_comms_next(comm, OMPTAPE_MPI_FILES);
    if (ordinal == UINT32_MAX || !omptape_mpi_lock(&lock))
        return NULL;
    struct omptape_mpi_file *file =
        omptape_mpi_handles_begin(&handles) ? omptape_mpi_handles_take(&handles) : NULL;
    if (file != NULL) {
        file->number = atomic_fetch_add(&numbers, 1);
        file->mode = mode;
        omptape_mpi_handles_put(&handles, handle, file);
    }
    omptape_mpi_unlock(&lock);
    if (file != NULL)
        put_name(slot, file->number, comm->number | (uint64_t)ordinal << 32, name);
    return file;
}

uint32_t omptape_mpi_files_name(struct omptape_slot *slot, const char *name)
{
    const uint32_t number = atomic_fetch_add(&numbers, 1);
    put_name(slot, number, UINT32_MAX, name);
    return number;
}

void omptape_mpi_files_remove(intptr_t handle)
{
    struct omptape_mpi_file *file = omptape_mpi_files_find(handle);
    if (file == NULL || !omptape_mpi_lock(&lock))
        return;
    omptape_mpi_handles_remove(&handles, handle, file);
    omptape_mpi_unlock(&lock);
}
