/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The binary interface of the loaded MPI: constants that differ between implementations, and functions that
 * the wrappers call. Determined once, after MPI's initialisation; read on any thread after that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values that are the same in all implementations. */
enum {
    OMPTAPE_MPI_SUCCESS = 0,
    OMPTAPE_MPI_ERR_OTHER = 16, /* Also used for errors without a number of their own. */
    OMPTAPE_MPI_UNDEFINED = -32766
};
/* The largest MPI_Status of any MPI. */
enum { OMPTAPE_MPI_STATUS_BYTES = 32 };

/* How a status stores the byte count and whether the request was cancelled. */
enum omptape_mpi_status_form {
    OMPTAPE_MPI_STATUS_PLAIN,  /* A number and a 64-bit word after the other fields. */
    OMPTAPE_MPI_STATUS_HALVES, /* Two words at the beginning. */
    OMPTAPE_MPI_STATUS_QUERIED /* Private: MPI's functions are called. */
};

struct omptape_mpi_interface {
    unsigned handle_bytes; /* 4 if handles are numbers, 8 if they are addresses. */
    unsigned status_bytes;
    unsigned source, tag, error; /* Byte offsets in a status. */
    enum omptape_mpi_status_form form;
    /* The bits of MPI_MODE_... are in the alphabetical order of their names. */
    bool modes_by_name;
    int seek_set, seek_cur;
    int proc_null;
    int lock_exclusive;
    int root; /* MPI_ROOT. */
    int error_in_status;
    intptr_t status_ignore; /* MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE. */
    intptr_t in_place;
    intptr_t comm_world, comm_self, comm_null, request_null, message_null, message_no_proc;
    intptr_t datatype_null;
    intptr_t byte;          /* MPI_BYTE. */
    intptr_t errors_return; /* MPI_ERRORS_RETURN. */

    int (*comm_rank)(intptr_t, int *);
    int (*comm_size)(intptr_t, int *);
    int (*comm_remote_size)(intptr_t, int *);
    int (*comm_test_inter)(intptr_t, int *);
    int (*comm_group)(intptr_t, void *);
    int (*comm_remote_group)(intptr_t, void *);
    int (*group_size)(intptr_t, int *);
    int (*group_rank)(intptr_t, int *);
    int (*group_free)(void *);
    int (*group_translate_ranks)(intptr_t, int, const int *, intptr_t, int *);
    int (*type_size)(intptr_t, int *);
    int (*type_size_x)(intptr_t, int64_t *);
    /* The functions to read a status; only with OMPTAPE_MPI_STATUS_QUERIED. */
    int (*get_count)(intptr_t, intptr_t, int64_t *);
    int (*test_cancelled)(intptr_t, int *);
    /* NULL if this MPI has no sessions. */
    int (*group_from_session_pset)(intptr_t, const char *, void *);
    /* NULL if this MPI has no windows. */
    int (*win_get_group)(intptr_t, void *);
    /* NULL if this MPI has no files. */
    int (*file_get_position)(intptr_t, int64_t *);
    int (*file_get_position_shared)(intptr_t, int64_t *);
};

extern struct omptape_mpi_interface omptape_mpi;

/* Determines the implementation, on the thread that has initialised MPI. Returns false if it is unknown. */
bool omptape_mpi_interface_find(void);

static inline intptr_t omptape_mpi_handle(intptr_t argument)
{
    return omptape_mpi.handle_bytes == 4 ? (intptr_t)(uint32_t)argument : argument;
}

/* Returns element `index` of an array of handles in memory. */
static inline intptr_t omptape_mpi_handle_at(intptr_t array, size_t index)
{
    return omptape_mpi.handle_bytes == 4 ? (intptr_t)((const uint32_t *)array)[index]
                                         : ((const intptr_t *)array)[index];
}

/* The contents of a status. `array` is the address of one status or of an array. */
struct omptape_mpi_message {
    int source;
    int tag;
    uint64_t bytes;
    bool cancelled;
};
struct omptape_mpi_message omptape_mpi_message_at(intptr_t array, size_t index);
/* Returns the error code of a status. */
int omptape_mpi_error_at(intptr_t array, size_t index);

/* Returns a file's MPI_MODE_... bits as records have them (enum omptape_mpi_mode). */
int omptape_mpi_mode(int mode);

/* Returns the bytes of `count` elements of a type. */
uint64_t omptape_mpi_bytes(int64_t count, intptr_t type);
