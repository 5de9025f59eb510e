/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The families of MPI-IO: files opened, closed and deleted, and the data read from and written to them.
 */
#include "buffers/producer.h"
#include "buffers/slot.h"
#include "callbacks/mpi/calls.h"
#include "callbacks/mpi/communicators.h"
#include "callbacks/mpi/handles.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An open file, found by MPI's handle, which is an address even if other handles are numbers. Any thread. */

struct mpi_file {
    uint32_t number; /* Number in this process's records. */
    int mode;        /* MPI_MODE_... */
    struct omptape_mpi_object object;
    /* Identity of the open split operation (begin/end); 0 if there is none. */
    _Atomic uint64_t split;
};

enum { MAX_FILES = 1 << 12, NAME_WORDS = OMPTAPE_RECORD_MAX_WORDS - OMPTAPE_RECORD_HEADER_WORDS - 1 };

static struct omptape_mpi_handles handles = {.capacity = MAX_FILES, .bytes = sizeof(struct mpi_file)};

static atomic_flag lock = ATOMIC_FLAG_INIT;

static _Atomic uint32_t numbers;

/* Numbers + 1 of names that were recorded without a file. */
static struct omptape_mpi_counts names;

/* Returns the entry of a file, or NULL if it is unknown. */
static struct mpi_file *mpi_files_find(intptr_t handle)
{
    return omptape_mpi_handles_find(&handles, handle);
}

static bool put_name(struct omptape_slot *slot, uint32_t number, uint64_t comm, const char *name)
{
    uint64_t payload[1 + NAME_WORDS] = {comm};
    const size_t words = omptape_producer_text(payload + 1, NAME_WORDS, name, SIZE_MAX);
    return omptape_producer_put_words(slot, OMPTAPE_MPI_FILE, 0, number, payload, 1 + words);
}

/* Adds and records an opened file. Returns NULL if the table is full. */
static struct mpi_file *mpi_files_add(struct omptape_slot *slot, intptr_t handle,
                                      const struct omptape_mpi_comm *comm, const char *name, int mode)
{
    struct omptape_mpi_object object;
    if (!omptape_mpi_comms_add_object(comm, OMPTAPE_MPI_FILES, omptape_mpi_hash_bytes(name, strlen(name)),
                                      &object))
        return NULL;
    const bool locked = omptape_mpi_lock(&lock);
    struct mpi_file *file =
        locked && omptape_mpi_handles_alloc(&handles) ? omptape_mpi_handles_alloc_entry(&handles) : NULL;
    if (file != NULL) {
        file->object = object;
        file->number = object.number != UINT32_MAX ? object.number : atomic_fetch_add(&numbers, 1);
        file->mode = mode;
        omptape_mpi_handles_set(&handles, handle, file);
    }
    if (locked)
        omptape_mpi_unlock(&lock);
    if (file == NULL)
        omptape_mpi_comms_release_object(&object);
    else if (object.number == UINT32_MAX &&
             put_name(slot, file->number, comm->number | (uint64_t)object.ordinal << 32, name))
        omptape_mpi_comms_set_object_number(&object, file->number);
    return file;
}

/* Returns a number for the name of a file to be deleted, and records the name if it is new. */
static uint32_t mpi_files_name(struct omptape_slot *slot, const char *name)
{
    const uint64_t key = omptape_mpi_hash_bytes(name, strlen(name));
    uint64_t *known = NULL;
    uint64_t found = 0;
    if (omptape_mpi_lock(&lock)) {
        known = omptape_mpi_counts_alloc(&names) ? omptape_mpi_counts_value(&names, key) : NULL;
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

/* Removes a file handle from the table, because MPI may reuse it. The caller releases `*object` after it has
 * recorded the close. Returns false if the handle is unknown. */
static bool mpi_files_remove(intptr_t handle, struct omptape_mpi_object *object)
{
    struct mpi_file *file = mpi_files_find(handle);
    if (file == NULL || !omptape_mpi_lock(&lock))
        return false;
    *object = file->object;
    omptape_mpi_handles_remove(&handles, handle, file);
    omptape_mpi_unlock(&lock);
    return true;
}

static void put_io(const struct omptape_mpi_call *call, uint32_t file, enum omptape_mpi_io step,
                   unsigned detail)
{
    omptape_put1(call->slot, OMPTAPE_MPI_FILE_IO, call->number, (uint32_t)step | detail << 8, file);
}

static void put_id(const struct omptape_mpi_call *call, uint32_t file, enum omptape_mpi_io step, uint64_t id)
{
    omptape_put2(call->slot, OMPTAPE_MPI_FILE_IO, call->number, (uint32_t)step, file, id);
}

static void put_complete(const struct omptape_mpi_call *call, uint32_t file, uint64_t bytes, uint64_t id)
{
    omptape_put3(call->slot, OMPTAPE_MPI_FILE_IO, call->number, OMPTAPE_MPI_IO_COMPLETE, file, bytes, id);
}

static intptr_t address_at(intptr_t where)
{
    intptr_t address = 0;
    memcpy(&address, (const void *)where, sizeof(address));
    return address;
}

/* Arguments: communicator, name, mode, info, file. */
int omptape_mpi_file_open(struct omptape_mpi_call *call)
{
    const intptr_t *a = call->a;
    const struct omptape_mpi_comm *comm = omptape_mpi_comms_find(a[0]);
    const struct mpi_file *file = NULL;
    int result = omptape_mpi_enter_and_pass(call);
    if (comm != NULL && result == OMPTAPE_MPI_SUCCESS && a[1] != 0 && a[4] != 0)
        file = mpi_files_add(call->slot, address_at(a[4]), comm, (const char *)a[1],
                             omptape_mpi_mode((int)a[2]));
    if (file != NULL)
        omptape_put2(call->slot, OMPTAPE_MPI_FILE_IO, call->number, OMPTAPE_MPI_IO_OPENED, file->number,
                     (uint64_t)(unsigned)file->mode);
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_file_close(struct omptape_mpi_call *call)
{
    const intptr_t handle = call->a[0] != 0 ? address_at(call->a[0]) : 0;
    const struct mpi_file *found = mpi_files_find(handle);
    if (found == NULL)
        return omptape_mpi_region(call);
    const uint32_t number = found->number;
    const bool deleted = (found->mode & OMPTAPE_MPI_MODE_DELETE_ON_CLOSE) != 0;
    omptape_mpi_enter(call);
    /* The file is removed before another thread may receive the same handle. */
    struct omptape_mpi_object object;
    const bool removed = mpi_files_remove(handle, &object);
    int result = omptape_mpi_pass(call);
    put_io(call, number, OMPTAPE_MPI_IO_CLOSED, deleted);
    if (removed)
        omptape_mpi_comms_release_object(&object);
    return omptape_mpi_leave(call, result);
}

/* Arguments: name, info. */
int omptape_mpi_file_delete(struct omptape_mpi_call *call)
{
    int result = omptape_mpi_enter_and_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && call->a[0] != 0)
        put_io(call, mpi_files_name(call->slot, (const char *)call->a[0]), OMPTAPE_MPI_IO_DELETED, 0);
    return omptape_mpi_leave(call, result);
}

/* Arguments: file, offset, whence. */
int omptape_mpi_file_seek(struct omptape_mpi_call *call)
{
    int (*const position_of)(intptr_t, int64_t *) =
        call->detail != 0 ? omptape_mpi.file_get_position_shared : omptape_mpi.file_get_position;
    const struct mpi_file *file = mpi_files_find(call->a[0]);
    const int whence = (int)call->a[2];
    const unsigned from = whence == omptape_mpi.seek_set ? 0 : whence == omptape_mpi.seek_cur ? 1 : 2;
    int64_t position = 0;
    int result = omptape_mpi_enter_and_pass(call);
    if (file != NULL && result == OMPTAPE_MPI_SUCCESS && position_of != NULL &&
        position_of(call->a[0], &position) == OMPTAPE_MPI_SUCCESS)
        omptape_put3(call->slot, OMPTAPE_MPI_FILE_IO, call->number, OMPTAPE_MPI_IO_SEEK | from << 8,
                     file->number, (uint64_t)call->a[1], (uint64_t)position);
    return omptape_mpi_leave(call, result);
}

/* Records an access's begin. Arguments: file, [offset,] buffer, count, type. Returns its identity. */
static uint64_t begin(const struct omptape_mpi_call *call, const struct mpi_file *file, unsigned non_blocking)
{
    const bool placed = (call->detail & OMPTAPE_MPI_IO_AT) != 0;
    const unsigned count = 2U + placed;
    const uint64_t id = omptape_producer_id(call->slot);
    const uint64_t words[] = {file->number,
                              omptape_mpi_bytes(omptape_mpi_count(call, count), call->a[count + 1]), id,
                              (uint64_t)call->a[1]};
    omptape_producer_put_words(call->slot, OMPTAPE_MPI_FILE_IO, call->number,
                               OMPTAPE_MPI_IO_BEGIN | (call->detail | non_blocking) << 8, words,
                               placed ? 4 : 3);
    return id;
}

/* Calls MPI and records the complete operation. The last argument is the status. */
static int pass_completing(struct omptape_mpi_call *call, uint32_t file, uint64_t id)
{
    _Alignas(8) unsigned char own[OMPTAPE_MPI_STATUS_BYTES] = {0};
    const intptr_t status = omptape_mpi_status(&call->a[call->count - 1], own);
    int result = omptape_mpi_pass(call);
    put_complete(call, file, result == OMPTAPE_MPI_SUCCESS ? omptape_mpi_message_at(status, 0).bytes : 0, id);
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_file_access(struct omptape_mpi_call *call)
{
    const struct mpi_file *file = mpi_files_find(call->a[0]);
    if (file == NULL)
        return omptape_mpi_region(call);
    const uint32_t number = file->number;
    omptape_mpi_enter(call);
    return pass_completing(call, number, begin(call, file, 0));
}

/* Issues an operation whose request is the last argument, or a split operation, whose end is a call of its
 * own. MPI allows one split operation at a time for each file. */
static int issue(struct omptape_mpi_call *call, bool split)
{
    struct mpi_file *file = mpi_files_find(call->a[0]);
    const intptr_t where = call->a[call->count - 1];
    if (file == NULL)
        return omptape_mpi_region(call);
    const uint32_t number = file->number;
    omptape_mpi_enter(call);
    const uint64_t id = begin(call, file, OMPTAPE_MPI_IO_NON_BLOCKING);
    int result = omptape_mpi_pass(call);
    const bool issued = result == OMPTAPE_MPI_SUCCESS && (split || where != 0);
    put_id(call, number, issued ? OMPTAPE_MPI_IO_ISSUED : OMPTAPE_MPI_IO_CANCELLED, id);
    /* An operation with MPI_REQUEST_NULL is already complete. */
    if (issued && split)
        atomic_store_explicit(&file->split, id, memory_order_relaxed);
    else if (issued && omptape_mpi_handle_at(where, 0) == omptape_mpi.request_null)
        put_complete(call, number, 0, id);
    else if (issued)
        OMPTAPE_MPI_ADD_REQUEST(.handle = omptape_mpi_handle_at(where, 0), .id = id, .comm = number,
                                .kind = OMPTAPE_MPI_REQUEST_FILE);
    return omptape_mpi_leave(call, result);
}

int omptape_mpi_file_iaccess(struct omptape_mpi_call *call)
{
    return issue(call, false);
}

int omptape_mpi_file_begin(struct omptape_mpi_call *call)
{
    return issue(call, true);
}

/* Arguments: file, buffer, status. */
int omptape_mpi_file_end(struct omptape_mpi_call *call)
{
    struct mpi_file *file = mpi_files_find(call->a[0]);
    const uint64_t id = file != NULL ? atomic_exchange_explicit(&file->split, 0, memory_order_relaxed) : 0;
    if (id == 0)
        return omptape_mpi_region(call);
    const uint32_t number = file->number;
    omptape_mpi_enter(call);
    return pass_completing(call, number, id);
}

void omptape_mpi_file_test_request(const struct omptape_mpi_call *call,
                                   const struct omptape_mpi_request *request)
{
    put_id(call, (uint32_t)request->comm, OMPTAPE_MPI_IO_TESTED, request->id);
}

void omptape_mpi_file_end_request(const struct omptape_mpi_call *call,
                                  const struct omptape_mpi_request *request, uint64_t bytes)
{
    put_complete(call, (uint32_t)request->comm, bytes, request->id);
}

int omptape_mpi_file_free_request(struct omptape_mpi_call *call, const struct omptape_mpi_request *request)
{
    omptape_mpi_enter(call);
    put_complete(call, (uint32_t)request->comm, 0, request->id);
    int result = omptape_mpi_pass(call);
    return omptape_mpi_leave(call, result);
}
