/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates records of MPI's files: opens, closes, reads, writes. Writes their definitions.
 */
#include "writers/translate/mpi_files.h"

#include "src/core/array.h"
#include "src/mpi/functions.h"
#include "writers/translate/mpi_communicators.h"

#include <stdlib.h>
#include <string.h>

/* Writes a record of the location's at `time`. */
#define PUT(kind, ...)                                                                                       \
    OMPTAPE_ARCHIVE_PUT(&writer->archive, location->events, time, OMPTAPE_RECORD_##kind, __VA_ARGS__)

/* Numbers further ahead are ignored, because damaged records can contain any value. */
enum { MAX_AHEAD = 1024 };

void omptape_mpi_files_free(struct omptape_writer *writer)
{
    omptape_rows_free(&writer->files->names);
    free(writer->files->handles);
    free(writer->files->numbers);
    free(writer->files);
}

/* Returns the entry of this number, or NULL if the number is too large or memory is exhausted. */
static struct omptape_file_number *obtain_number(struct omptape_files *files, uint32_t number)
{
    if (number >= files->number_count && number - files->number_count >= MAX_AHEAD)
        return NULL;
    if (!OMPTAPE_RESERVE(files->numbers, number + 1, &files->number_capacity))
        return NULL;
    for (; files->number_count <= number; files->number_count++)
        files->numbers[files->number_count] =
            (struct omptape_file_number){.file = UINT32_MAX, .handle = UINT32_MAX};
    return &files->numbers[number];
}

void omptape_mpi_translate_file(struct omptape_writer *writer, struct omptape_location *location,
                                const struct omptape_record *record, uint64_t time)
{
    struct omptape_files *files = writer->files;
    const uint32_t comm = (uint32_t)record->p[0];
    const char *name = (const char *)&record->p[1];
    const size_t capacity = (omptape_record_payload(record) - 1) * sizeof(uint64_t);
    (void)location;
    (void)time;
    if (strnlen(name, capacity) == capacity ||
        (comm != UINT32_MAX && omptape_communicators_find(writer, comm, 0) == OTF2_UNDEFINED_COMM))
        return;
    struct omptape_file_number *number = obtain_number(files, record->b);
    if (number == NULL || number->file != UINT32_MAX)
        return;
    const uint32_t file = omptape_rows_text(&files->names, name);
    if (files->names.failed)
        return;
    number->file = file;
    const struct omptape_file_handle handle = {
        .file = file, .comm = comm, .ordinal = (uint32_t)(record->p[0] >> 32)};
    if (comm != UINT32_MAX &&
        OMPTAPE_APPEND(files->handles, files->handle_count, files->handle_capacity, handle))
        number->handle = files->handle_count - 1;
}

/* Returns how many words follow the file's number. */
static unsigned words_of(enum omptape_mpi_io step, unsigned detail)
{
    switch (step) {
    case OMPTAPE_MPI_IO_BEGIN:
        return (detail & OMPTAPE_MPI_IO_AT) != 0 ? 3 : 2;
    case OMPTAPE_MPI_IO_SEEK:
    case OMPTAPE_MPI_IO_COMPLETE:
        return 2;
    case OMPTAPE_MPI_IO_OPENED:
    case OMPTAPE_MPI_IO_ISSUED:
    case OMPTAPE_MPI_IO_TESTED:
    case OMPTAPE_MPI_IO_CANCELLED:
        return 1;
    default:
        return 0;
    }
}

static void put_opened(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                       OTF2_IoHandleRef handle, uint64_t mode)
{
    OTF2_IoAccessMode access = OTF2_IO_ACCESS_MODE_READ_ONLY;
    OTF2_IoCreationFlag creation = OTF2_IO_CREATION_FLAG_NONE;
    OTF2_IoStatusFlag status = OTF2_IO_STATUS_FLAG_NONE;
    if ((mode & OMPTAPE_MPI_MODE_RDWR) != 0)
        access = OTF2_IO_ACCESS_MODE_READ_WRITE;
    else if ((mode & OMPTAPE_MPI_MODE_WRONLY) != 0)
        access = OTF2_IO_ACCESS_MODE_WRITE_ONLY;
    creation |= (mode & OMPTAPE_MPI_MODE_CREATE) != 0 ? OTF2_IO_CREATION_FLAG_CREATE : 0;
    creation |= (mode & OMPTAPE_MPI_MODE_EXCL) != 0 ? OTF2_IO_CREATION_FLAG_EXCLUSIVE : 0;
    creation |= (mode & OMPTAPE_MPI_MODE_UNIQUE_OPEN) != 0 ? OTF2_IO_CREATION_FLAG_UNIQUE : 0;
    creation |= (mode & OMPTAPE_MPI_MODE_SEQUENTIAL) != 0 ? OTF2_IO_CREATION_FLAG_NO_SEEK : 0;
    status |= (mode & OMPTAPE_MPI_MODE_APPEND) != 0 ? OTF2_IO_STATUS_FLAG_APPEND : 0;
    status |= (mode & OMPTAPE_MPI_MODE_DELETE_ON_CLOSE) != 0 ? OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE : 0;
    PUT(IO_CREATE_HANDLE, handle, access, creation, status);
}

static void put_begin(struct omptape_writer *writer, struct omptape_location *location,
                      const struct omptape_record *record, uint64_t time, OTF2_IoHandleRef handle)
{
    const unsigned way = record->b >> 8;
    const OTF2_IoOperationMode mode =
        (way & OMPTAPE_MPI_IO_WRITE) != 0 ? OTF2_IO_OPERATION_MODE_WRITE : OTF2_IO_OPERATION_MODE_READ;
    OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
    flags |= (way & OMPTAPE_MPI_IO_ALL) != 0 ? OTF2_IO_OPERATION_FLAG_COLLECTIVE : 0;
    flags |= (way & OMPTAPE_MPI_IO_NON_BLOCKING) != 0 ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING : 0;
    if ((way & OMPTAPE_MPI_IO_AT) != 0)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_OFFSET, record->p[3]);
    PUT(IO_OPERATION_BEGIN, handle, mode, flags, record->p[1], record->p[2]);
}

static void put_progress(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                         enum omptape_mpi_io step, OTF2_IoHandleRef handle, uint64_t id)
{
    static const uint8_t kinds[] = {
        [OMPTAPE_MPI_IO_ISSUED] = OMPTAPE_RECORD_IO_OPERATION_ISSUED,
        [OMPTAPE_MPI_IO_TESTED] = OMPTAPE_RECORD_IO_OPERATION_TEST,
        [OMPTAPE_MPI_IO_CANCELLED] = OMPTAPE_RECORD_IO_OPERATION_CANCELLED,
    };
    OMPTAPE_ARCHIVE_PUT(&writer->archive, location->events, time, kinds[step], handle, id);
}

static void put_step(struct omptape_writer *writer, struct omptape_location *location,
                     const struct omptape_record *record, uint64_t time,
                     const struct omptape_file_number *number)
{
    static const OTF2_IoSeekOption from[] = {OTF2_IO_SEEK_FROM_START, OTF2_IO_SEEK_FROM_CURRENT,
                                             OTF2_IO_SEEK_FROM_END};
    const enum omptape_mpi_io step = (enum omptape_mpi_io)(record->b & UINT8_MAX);
    const unsigned detail = record->b >> 8;
    const OTF2_IoHandleRef handle = number->handle;
    switch (step) {
    case OMPTAPE_MPI_IO_OPENED:
        put_opened(writer, location, time, handle, record->p[1]);
        break;
    case OMPTAPE_MPI_IO_CLOSED:
        if (detail != 0)
            PUT(IO_DELETE_FILE, OMPTAPE_IO_PARADIGM, number->file);
        PUT(IO_DESTROY_HANDLE, handle);
        break;
    case OMPTAPE_MPI_IO_DELETED:
        PUT(IO_DELETE_FILE, OMPTAPE_IO_PARADIGM, number->file);
        break;
    case OMPTAPE_MPI_IO_SEEK:
        if (detail < sizeof(from) / sizeof(from[0]))
            PUT(IO_SEEK, handle, record->p[1], from[detail], record->p[2]);
        break;
    case OMPTAPE_MPI_IO_BEGIN:
        put_begin(writer, location, record, time, handle);
        break;
    case OMPTAPE_MPI_IO_ISSUED:
    case OMPTAPE_MPI_IO_TESTED:
    case OMPTAPE_MPI_IO_CANCELLED:
        put_progress(writer, location, time, step, handle, record->p[1]);
        break;
    case OMPTAPE_MPI_IO_COMPLETE:
        PUT(IO_OPERATION_COMPLETE, handle, record->p[1], record->p[2]);
        break;
    }
}

void omptape_mpi_translate_io(struct omptape_writer *writer, struct omptape_location *location,
                              const struct omptape_record *record, uint64_t time)
{
    enum { HEAD = OMPTAPE_RECORD_HEADER_WORDS + 1 };
    const enum omptape_mpi_io step = (enum omptape_mpi_io)(record->b & UINT8_MAX);
    const struct omptape_files *files = writer->files;
    if (!omptape_mpi_is_shown(location, record) || record->words < HEAD + words_of(step, record->b >> 8) ||
        record->p[0] >= files->number_count)
        return;
    const struct omptape_file_number *number = &files->numbers[record->p[0]];
    if (number->file != UINT32_MAX && (step == OMPTAPE_MPI_IO_DELETED || number->handle != UINT32_MAX))
        put_step(writer, location, record, omptape_location_time(location, time), number);
}

void omptape_mpi_files_write_paradigm(struct omptape_writer *writer)
{
    if (writer->files->names.count == 0)
        return;
    const OTF2_StringRef identification = omptape_archive_string(&writer->strings, "MPI-IO");
    const OTF2_StringRef name = omptape_archive_string(&writer->strings, "MPI I/O");
    OMPTAPE_DEFINE(&writer->archive, IoParadigm, OMPTAPE_IO_PARADIGM, identification, name,
                   OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL);
}

void omptape_mpi_files_write(struct omptape_writer *writer, OTF2_SystemTreeNodeRef scope)
{
    const struct omptape_files *files = writer->files;
    for (uint32_t i = 0; i < files->names.count; i++) {
        const OTF2_StringRef name =
            omptape_archive_string(&writer->strings, omptape_rows_text_at(&files->names, i));
        OMPTAPE_DEFINE(&writer->archive, IoRegularFile, i, name, scope);
    }
    for (uint32_t i = 0; i < files->handle_count; i++) {
        const struct omptape_file_handle *handle = &files->handles[i];
        /* All process archives use the same name and communicator for the same handle. */
        const OTF2_StringRef name = omptape_archive_format(&writer->strings, "MPI File %u", handle->ordinal);
        OMPTAPE_DEFINE(&writer->archive, IoHandle, i, name, handle->file, OMPTAPE_IO_PARADIGM,
                       OTF2_IO_HANDLE_FLAG_NONE, omptape_communicators_find(writer, handle->comm, 0),
                       OTF2_UNDEFINED_IO_HANDLE);
    }
}
