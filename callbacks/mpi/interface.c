/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Determines the MPI implementation by symbols or names that only one of them has, and its constants.
 */
#include "callbacks/mpi/interface.h"

#include "callbacks/mpi/real.h"

#include <omptape/record.h>
#include <string.h>

struct omptape_mpi_interface omptape_mpi;

/* Open MPI. Handles are addresses of objects; a status is {source, tag, error, cancelled, bytes}. */
static bool find_openmpi(struct omptape_mpi_interface *mpi)
{
    const struct {
        intptr_t *handle;
        const char *object;
    } objects[] = {
        {&mpi->comm_world, "ompi_mpi_comm_world"},       {&mpi->comm_self, "ompi_mpi_comm_self"},
        {&mpi->comm_null, "ompi_mpi_comm_null"},         {&mpi->request_null, "ompi_request_null"},
        {&mpi->message_null, "ompi_message_null"},       {&mpi->message_no_proc, "ompi_message_no_proc"},
        {&mpi->datatype_null, "ompi_mpi_datatype_null"}, {&mpi->byte, "ompi_mpi_byte"},
        {&mpi->errors_return, "ompi_mpi_errors_return"}};
    *mpi = (struct omptape_mpi_interface){.handle_bytes = 8,
                                          .status_bytes = 24,
                                          .source = 0,
                                          .tag = 4,
                                          .error = 8,
                                          .proc_null = -2,
                                          .lock_exclusive = 1,
                                          .root = -4,
                                          .error_in_status = 18,
                                          .seek_set = 600,
                                          .seek_cur = 602,
                                          .status_ignore = 0,
                                          .in_place = 1};
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        *objects[i].handle = (intptr_t)omptape_mpi_real_symbol(objects[i].object);
        if (*objects[i].handle == 0)
            return false;
    }
    return true;
}

/* MPICH and implementations with its binary interface (Intel, MVAPICH, Cray). Handles are numbers. A status
 * is {lower half of bytes, upper half and cancelled, source, tag, error}. */
static bool find_mpich(struct omptape_mpi_interface *mpi)
{
    static const char *const names[] = {"MPICH", "Intel", "MVAPICH", "CRAY"};
    enum { MAX_TEXT = 8192 }; /* MPI_MAX_LIBRARY_VERSION_STRING. */
    static char text[MAX_TEXT + 1];
    int length = 0;
    int (*version)(char *, int *) =
        (int (*)(char *, int *))(uintptr_t)omptape_mpi_real_symbol("PMPI_Get_library_version");
    bool known = false;
    if (version == NULL || version(text, &length) != OMPTAPE_MPI_SUCCESS)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        known |= strstr(text, names[i]) != NULL;
    *mpi = (struct omptape_mpi_interface){.handle_bytes = 4,
                                          .status_bytes = 20,
                                          .source = 8,
                                          .tag = 12,
                                          .error = 16,
                                          .form = OMPTAPE_MPI_STATUS_HALVES,
                                          .proc_null = -1,
                                          .lock_exclusive = 234,
                                          .root = -3,
                                          .error_in_status = 17,
                                          .seek_set = 600,
                                          .seek_cur = 602,
                                          .status_ignore = 1,
                                          .in_place = -1,
                                          .comm_world = 0x44000000,
                                          .comm_self = 0x44000001,
                                          .comm_null = 0x04000000,
                                          .request_null = 0x2c000000,
                                          .message_null = 0x2c000000,
                                          .message_no_proc = 0x6c000000,
                                          .datatype_null = 0x0c000000,
                                          .byte = 0x4c00010d,
                                          .errors_return = 0x54000001};
    return known;
}

/* The standard binary interface (MPI 5.0, chapter 20). Handles are addresses; those of constants are small
 * numbers. A status begins with {source, tag, error}; its other fields are private. */
static bool find_standard(struct omptape_mpi_interface *mpi)
{
    *mpi = (struct omptape_mpi_interface){.handle_bytes = 8,
                                          .status_bytes = 32,
                                          .source = 0,
                                          .tag = 4,
                                          .error = 8,
                                          .form = OMPTAPE_MPI_STATUS_QUERIED,
                                          .modes_by_name = true,
                                          .proc_null = -3,
                                          .lock_exclusive = 301,
                                          .root = -4,
                                          .error_in_status = 19,
                                          .seek_set = 403,
                                          .seek_cur = 401,
                                          .status_ignore = 0,
                                          .in_place = 1,
                                          .comm_world = 0x101,
                                          .comm_self = 0x102,
                                          .comm_null = 0x100,
                                          .request_null = 0x180,
                                          .message_null = 0x128,
                                          .message_no_proc = 0x129,
                                          .datatype_null = 0x200,
                                          .byte = 0x247,
                                          .errors_return = 0x143};
    const struct omptape_mpi_symbol functions[] = {{&mpi->get_count, "PMPI_Get_count_c"},
                                                   {&mpi->test_cancelled, "PMPI_Test_cancelled"}};
    return omptape_mpi_real_symbols(functions, sizeof(functions) / sizeof(functions[0]));
}

static bool find_functions(struct omptape_mpi_interface *mpi)
{
    const struct omptape_mpi_symbol functions[] = {
        {&mpi->comm_rank, "PMPI_Comm_rank"},
        {&mpi->comm_size, "PMPI_Comm_size"},
        {&mpi->comm_remote_size, "PMPI_Comm_remote_size"},
        {&mpi->comm_test_inter, "PMPI_Comm_test_inter"},
        {&mpi->comm_group, "PMPI_Comm_group"},
        {&mpi->comm_remote_group, "PMPI_Comm_remote_group"},
        {&mpi->group_size, "PMPI_Group_size"},
        {&mpi->group_rank, "PMPI_Group_rank"},
        {&mpi->group_free, "PMPI_Group_free"},
        {&mpi->group_translate_ranks, "PMPI_Group_translate_ranks"},
        {&mpi->type_size, "PMPI_Type_size"}};
    /* The last two are names of one function; the older one is preferred. */
    const struct omptape_mpi_symbol optional[] = {
        {&mpi->group_from_session_pset, "PMPI_Group_from_session_pset"},
        {&mpi->win_get_group, "PMPI_Win_get_group"},
        {&mpi->file_get_position, "PMPI_File_get_position"},
        {&mpi->file_get_position_shared, "PMPI_File_get_position_shared"},
        {&mpi->type_size_x, "PMPI_Type_size_c"},
        {&mpi->type_size_x, "PMPI_Type_size_x"}};
    for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++)
        (void)omptape_mpi_real_symbols(&optional[i], 1);
    return omptape_mpi_real_symbols(functions, sizeof(functions) / sizeof(functions[0])) &&
           mpi->type_size_x != NULL;
}

/* Returns true if the library has the name that the standard prescribes. An MPI may have another library for
 * its own interface, which may also support the standard's functions. */
static bool is_standard(void)
{
    return omptape_mpi_real_is_in(omptape_mpi_real_symbol("PMPI_Comm_size"), "libmpi_abi.");
}

/* Returns true if a library of another name reports that it has the standard interface. */
static bool says_standard(void)
{
    int major = -1;
    int minor = -1;
    int (*version)(int *, int *) =
        (int (*)(int *, int *))(uintptr_t)omptape_mpi_real_symbol("PMPI_Abi_get_version");
    return version != NULL && version(&major, &minor) == OMPTAPE_MPI_SUCCESS && major >= 1;
}

bool omptape_mpi_interface_find(void)
{
    const bool found = is_standard() ? find_standard(&omptape_mpi)
                                     : find_openmpi(&omptape_mpi) || find_mpich(&omptape_mpi) ||
                                           (says_standard() && find_standard(&omptape_mpi));
    return found && find_functions(&omptape_mpi);
}

int omptape_mpi_mode(int mode)
{
    static const int by_name[] = {
        OMPTAPE_MPI_MODE_APPEND,     OMPTAPE_MPI_MODE_CREATE,      OMPTAPE_MPI_MODE_DELETE_ON_CLOSE,
        OMPTAPE_MPI_MODE_EXCL,       OMPTAPE_MPI_MODE_RDONLY,      OMPTAPE_MPI_MODE_RDWR,
        OMPTAPE_MPI_MODE_SEQUENTIAL, OMPTAPE_MPI_MODE_UNIQUE_OPEN, OMPTAPE_MPI_MODE_WRONLY};
    int recorded = 0;
    if (!omptape_mpi.modes_by_name)
        return mode;
    for (unsigned i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++)
        recorded |= (mode & 1 << i) != 0 ? by_name[i] : 0;
    return recorded;
}

static int number_at(intptr_t array, size_t index, unsigned place)
{
    int number;
    memcpy(&number, (const char *)array + index * omptape_mpi.status_bytes + place, sizeof(number));
    return number;
}

struct omptape_mpi_message omptape_mpi_message_at(intptr_t array, size_t index)
{
    enum { CANCELLED = 12, BYTES = 16 };
    struct omptape_mpi_message message = {.source = number_at(array, index, omptape_mpi.source),
                                          .tag = number_at(array, index, omptape_mpi.tag)};
    if (omptape_mpi.form == OMPTAPE_MPI_STATUS_QUERIED) {
        const intptr_t status = array + (intptr_t)(index * omptape_mpi.status_bytes);
        int64_t bytes = 0;
        int cancelled = 0;
        message.cancelled =
            omptape_mpi.test_cancelled(status, &cancelled) == OMPTAPE_MPI_SUCCESS && cancelled != 0;
        if (omptape_mpi.get_count(status, omptape_mpi.byte, &bytes) == OMPTAPE_MPI_SUCCESS && bytes > 0)
            message.bytes = (uint64_t)bytes;
    } else if (omptape_mpi.form == OMPTAPE_MPI_STATUS_HALVES) {
        unsigned high = (unsigned)number_at(array, index, sizeof(int));
        message.cancelled = (high & 1U) != 0;
        message.bytes = (uint64_t)(high >> 1) << 32 | (unsigned)number_at(array, index, 0);
    } else {
        message.cancelled = number_at(array, index, CANCELLED) != 0;
        memcpy(&message.bytes, (const char *)array + index * omptape_mpi.status_bytes + BYTES,
               sizeof(message.bytes));
    }
    return message;
}

int omptape_mpi_error_at(intptr_t array, size_t index)
{
    return number_at(array, index, omptape_mpi.error);
}

uint64_t omptape_mpi_bytes(int64_t count, intptr_t type)
{
    int size = 0;
    int64_t large = 0;
    /* MPI reports errors in the program's own call. */
    if (count <= 0 || omptape_mpi_handle(type) == omptape_mpi.datatype_null ||
        omptape_mpi.type_size(type, &size) != OMPTAPE_MPI_SUCCESS)
        return 0;
    if (size == OMPTAPE_MPI_UNDEFINED && omptape_mpi.type_size_x(type, &large) != OMPTAPE_MPI_SUCCESS)
        return 0;
    if (size >= 0)
        large = size;
    return large > 0 ? (uint64_t)count * (uint64_t)large : 0;
}
