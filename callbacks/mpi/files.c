/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of open files, with one lock. Nothing is recorded while it is held: that may have to wait for
 * memory.
 */
#include "callbacks/mpi/files.h"

#include "buffers/producer.h"
#include "callbacks/mpi/handles.h"
#include "callbacks/mpi/memory.h"

#include <stddef.h>
#include <string.h>

enum { MOST_FILES = 1 << 12, NAME_WORDS = OMPTAPE_RECORD_MAX_WORDS - OMPTAPE_RECORD_HEADER_WORDS - 1 };

static struct omptape_mpi_handles handles = {.most = MOST_FILES, .bytes = sizeof(struct omptape_mpi_file)};
static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Atomic uint32_t numbers;
/* Of names that were recorded without a file, each + 1. */
static struct omptape_mpi_counts names;

struct omptape_mpi_file *omptape_mpi_files_find(intptr_t handle)
{
    return omptape_mpi_handles_find(&handles, handle);
}

static bool put_name(struct omptape_slot *slot, uint32_t number, uint64_t comm, const char *name)
{
    uint64_t payload[1 + NAME_WORDS] = {comm};
    const size_t words = omptape_producer_text(payload + 1, NAME_WORDS, name, SIZE_MAX);
    return omptape_producer_put_words(slot, OMPTAPE_MPI_FILE, 0, number, payload, 1 + words);
}

struct omptape_mpi_file *omptape_mpi_files_add(struct omptape_slot *slot, intptr_t handle,
                                               const struct omptape_mpi_comm *comm, const char *name,
                                               int mode)
{
    struct omptape_mpi_made made;
    if (!omptape_mpi_comms_make(comm, OMPTAPE_MPI_FILES, omptape_mpi_hash_bytes(name, strlen(name)), &made))
        return NULL;
    const bool locked = omptape_mpi_lock(&lock);
    struct omptape_mpi_file *file =
        locked && omptape_mpi_handles_begin(&handles) ? omptape_mpi_handles_take(&handles) : NULL;
    if (file != NULL) {
        file->made = made;
        file->number = made.number != UINT32_MAX ? made.number : atomic_fetch_add(&numbers, 1);
        file->mode = mode;
        omptape_mpi_handles_put(&handles, handle, file);
    }
    if (locked)
        omptape_mpi_unlock(&lock);
    if (file == NULL)
        omptape_mpi_comms_unmake(&made);
    else if (made.number == UINT32_MAX &&
             put_name(slot, file->number, comm->number | (uint64_t)made.ordinal << 32, name))
        omptape_mpi_comms_made(&made, file->number);
    return file;
}

uint32_t omptape_mpi_files_name(struct omptape_slot *slot, const char *name)
{
    const uint64_t key = omptape_mpi_hash_bytes(name, strlen(name));
    uint64_t *known = NULL;
    uint64_t found = 0;
    if (omptape_mpi_lock(&lock)) {
        known = omptape_mpi_counts_begin(&names) ? omptape_mpi_counts_number(&names, key) : NULL;
        found = known != NULL ? *known : 0;
        omptape_mpi_unlock(&lock);
    }
    if (found != 0)
        return (uint32_t)(found - 1);
    const uint32_t number = atomic_fetch_add(&numbers, 1);
    if (put_name(slot, number, UINT32_MAX, name) && known != NULL && omptape_mpi_lock(&lock)) {
        *known = (uint64_t)number + 1;
        omptape_mpi_unlock(&lock);
    }
    return number;
}

bool omptape_mpi_files_remove(intptr_t handle, struct omptape_mpi_made *made)
{
    struct omptape_mpi_file *file = omptape_mpi_files_find(handle);
    if (file == NULL || !omptape_mpi_lock(&lock))
        return false;
    *made = file->made;
    omptape_mpi_handles_remove(&handles, handle, file);
    omptape_mpi_unlock(&lock);
    return true;
}
