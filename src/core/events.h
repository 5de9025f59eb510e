/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event groups: the names of --events and the OMPT callbacks that each stands for. Used by the command (help,
 * checks) and by the library when it registers callbacks.
 */
#ifndef OMPTAPE_CORE_EVENTS_H
#define OMPTAPE_CORE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#define OMPTAPE_EVENT(number) (UINT64_C(1) << (number))

/* Beyond the callbacks: what of MPI's calls is recorded, as enum omptape_mpi_group has it. */
enum { OMPTAPE_EVENTS_MPI_FIRST = 48 };
#define OMPTAPE_EVENTS_MPI_P2P OMPTAPE_EVENT(OMPTAPE_EVENTS_MPI_FIRST)
#define OMPTAPE_EVENTS_MPI_COLL OMPTAPE_EVENT(OMPTAPE_EVENTS_MPI_FIRST + 1)
#define OMPTAPE_EVENTS_MPI_RMA OMPTAPE_EVENT(OMPTAPE_EVENTS_MPI_FIRST + 2)
#define OMPTAPE_EVENTS_MPI_IO OMPTAPE_EVENT(OMPTAPE_EVENTS_MPI_FIRST + 3)
#define OMPTAPE_EVENTS_MPI_REST OMPTAPE_EVENT(OMPTAPE_EVENTS_MPI_FIRST + 4)
#define OMPTAPE_EVENTS_MPI_USUAL                                                                             \
    (OMPTAPE_EVENTS_MPI_P2P | OMPTAPE_EVENTS_MPI_COLL | OMPTAPE_EVENTS_MPI_RMA | OMPTAPE_EVENTS_MPI_IO)
#define OMPTAPE_EVENTS_MPI (OMPTAPE_EVENTS_MPI_USUAL | OMPTAPE_EVENTS_MPI_REST)

struct omptape_event_group {
    const char *name;
    uint64_t events; /* bit n: callback number n (ompt_callbacks_t), or of OMPTAPE_EVENTS_MPI */
    const char *help;
};

extern const struct omptape_event_group omptape_event_groups[];
extern const size_t omptape_event_group_count;

/* What an archive says of the error callback where it was not set on purpose. */
#define OMPTAPE_UNSAFE_ERROR_CALLBACK                                                                        \
    "unsafe: this runtime crashes at an error directive without a message (--events=+error sets it)"

/* Without these no timeline can be built; they are always on: threads, parallel regions, implicit tasks,
 * device initialize/finalize, and omp_control_tool. */
extern const uint64_t omptape_events_always;
/* Every callback of OMPT 5.2 and of the newest omp-tools.h, and of MPI what is usual. */
extern const uint64_t omptape_events_all;
/* Number 0 is no callback: the group "error" was asked for by its name. Set by omptape_events_parse. */
#define OMPTAPE_EVENTS_ERROR_NAMED OMPTAPE_EVENT(0)

/* Reads LIST: group names separated by commas. A plain first name starts from nothing, "-name" first starts
 * from everything; "+name" or "name" adds, "-name" takes away; "all" and "none" are groups. 0, or -EINVAL
 * with one line in `error` that names the word and says how to list the groups. */
int omptape_events_parse(const char *list, uint64_t *events, char *error, size_t error_bytes);

/* "parallel_begin" for 3 (ompt_callbacks_t less its prefix); NULL for a number that is none. */
const char *omptape_event_name(unsigned number);

/* "always" for 5 (ompt_set_result_t less its prefix); "unknown" for a number that is none. */
const char *omptape_set_result_name(unsigned result);

#endif
