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

enum {
    PLACES = 1 << 13,
    MOST_FILES = PLACES / 2,
    NAME_WORDS = OMPTAPE_RECORD_MAX_WORDS - OMPTAPE_RECORD_HEADER_WORDS - 1
};

struct tables {
    struct omptape_mpi_place places[PLACES];
    struct omptape_mpi_file files[MOST_FILES];
    struct omptape_mpi_file *spare;
    uint32_t used; /* files that ever were in use */
};

/* NULL before there is a file. */
static struct tables *_Atomic tables;
static struct omptape_mpi_handles handles;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Atomic uint32_t numbers;

/* With the lock. */
static bool make_tables(void)
{
    if (tables != NULL)
        return true;
    struct tables *made = omptape_mpi_memory(sizeof(*made));
    if (made == NULL)
        return false;
    handles = (struct omptape_mpi_handles){.list = made->places, .count = PLACES};
    tables = made;
    return true;
}

struct omptape_mpi_file *omptape_mpi_files_find(intptr_t handle)
{
    return tables != NULL && handle != 0 ? omptape_mpi_handles_find(&handles, handle) : NULL;
}

/* With the lock. */
static struct omptape_mpi_file *take_file(void)
{
    struct omptape_mpi_file *file = tables->spare;
    if (file != NULL)
        tables->spare = file->next_spare;
    else if (tables->used < MOST_FILES)
        file = &tables->files[tables->used++];
    return file;
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
    const uint32_t ordinal = omptape_mpi_comms_next_file(comm);
    if (ordinal == UINT32_MAX || !omptape_mpi_lock(&lock))
        return NULL;
    struct omptape_mpi_file *file = make_tables() ? take_file() : NULL;
    if (file != NULL) {
        file->number = atomic_fetch_add(&numbers, 1);
        file->mode = mode;
        atomic_store(&file->split, 0);
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
    omptape_mpi_handles_put(&handles, handle, NULL);
    file->next_spare = tables->spare;
    tables->spare = file;
    omptape_mpi_unlock(&lock);
}
