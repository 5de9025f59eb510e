/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The binary interface of the MPI that is loaded: the numbers that differ between MPIs, and those of its
 * functions that the wrappers themselves need. Found once, when MPI has been initialised. Read on any thread
 * after that.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_INTERFACE_H
#define OMPTAPE_CALLBACKS_MPI_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is the same in all of them. */
enum {
    OMPTAPE_MPI_SUCCESS = 0,
    OMPTAPE_MPI_ERR_OTHER = 16, /* or another error of no number of its own */
    OMPTAPE_MPI_UNDEFINED = -32766
};
/* The largest MPI_Status of any MPI. */
enum { OMPTAPE_MPI_STATUS_BYTES = 32 };

/* How a status says how many bytes there are, and whether the request was cancelled. */
enum omptape_mpi_status_form {
    OMPTAPE_MPI_STATUS_PLAIN,  /* a number and a word of 64 bits behind the rest */
    OMPTAPE_MPI_STATUS_HALVES, /* in two words at its beginning */
    OMPTAPE_MPI_STATUS_ASKED   /* nobody knows: MPI is asked */
};

struct omptape_mpi_interface {
    unsigned handle_bytes; /* 4: handles are numbers, else addresses */
    unsigned status_bytes;
    unsigned source, tag, error; /* where they are in a status */
    enum omptape_mpi_status_form form;
    bool modes_by_name; /* MPI_MODE_... count in the order of their names */
    int seek_set, seek_cur;
    int proc_null;
    int lock_exclusive;
    int root; /* on the root's side of an inter-communicator */
    int error_in_status;
    intptr_t status_ignore; /* the same for arrays of them */
    intptr_t in_place;
    intptr_t comm_world, comm_self, comm_null, request_null, message_null, message_no_proc;
    intptr_t datatype_null;
    intptr_t byte;          /* MPI_BYTE */
    intptr_t errors_return; /* MPI_ERRORS_RETURN */

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
    /* Where a status is asked: */
    int (*get_count)(intptr_t, intptr_t, int64_t *);
    int (*test_cancelled)(intptr_t, int *);
    /* NULL: it knows no sessions. */
    int (*group_from_session_pset)(intptr_t, const char *, void *);
    /* NULL: it knows no windows, */
    int (*win_get_group)(intptr_t, void *);
    /* or no files. */
    int (*file_get_position)(intptr_t, int64_t *);
    int (*file_get_position_shared)(intptr_t, int64_t *);
};

extern struct omptape_mpi_interface omptape_mpi;

/* Finds out which it is, on the thread that initialises MPI, when it has done so. False: none that is known.
 */
bool omptape_mpi_interface_find(void);

static inline intptr_t omptape_mpi_handle(intptr_t argument)
{
    return omptape_mpi.handle_bytes == 4 ? (intptr_t)(uint32_t)argument : argument;
}

/* A handle that lies in memory, as an element of an array of them. */
static inline intptr_t omptape_mpi_handle_at(intptr_t array, size_t index)
{
    return omptape_mpi.handle_bytes == 4 ? (intptr_t)((const uint32_t *)array)[index]
                                         : ((const intptr_t *)array)[index];
}

/* What a status says of a message. `array` is one, or an array of them. */
struct omptape_mpi_message {
    int source;
    int tag;
    uint64_t bytes;
    bool cancelled;
};
struct omptape_mpi_message omptape_mpi_message_at(intptr_t array, size_t index);
/* Its error code. */
int omptape_mpi_error_at(intptr_t array, size_t index);

/* MPI_MODE_... of a file as records have them (enum omptape_mpi_mode). */
int omptape_mpi_mode(int mode);

/* Bytes of so many elements. */
uint64_t omptape_mpi_bytes(int64_t count, intptr_t type);

#endif
