/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event groups: the names of --events and their OMPT callbacks. Used by the command (help, checks) and by the
 * library when it registers callbacks.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define OMPTAPE_EVENT(number) (UINT64_C(1) << (number))

/* First bit of the MPI groups (enum omptape_mpi_group), behind the callbacks' bits. */
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

/* The archive's result of the error callback if omptape did not register it because the runtime is unsafe. */
#define OMPTAPE_UNSAFE_ERROR_CALLBACK                                                                        \
    "unsafe: this runtime crashes at an error directive without a message (--events=+error sets it)"

/* Callbacks that are always registered, because no timeline can be built without them: threads, parallel
 * regions, implicit tasks, device initialize/finalize, and omp_control_tool. */
extern const uint64_t omptape_events_always;
/* All callbacks of OMPT 5.2 and of the newest omp-tools.h, and the default MPI groups. */
extern const uint64_t omptape_events_all;
/* Bit 0 belongs to no callback. omptape_events_parse sets it if the user named the group "error". */
#define OMPTAPE_EVENTS_ERROR_NAMED OMPTAPE_EVENT(0)

/* Parses a list of group names separated by commas. The initial set is empty if the first name is plain, and
 * full if it is "-name". "name" and "+name" add, "-name" removes; "all" and "none" are groups. Returns 0, or
 * -EINVAL with one line in `error`, which names the word and explains how to list the groups. */
int omptape_events_parse(const char *list, uint64_t *events, char *error, size_t error_bytes);

/* Returns the name of an ompt_callbacks_t without its prefix, "parallel_begin" for 3; NULL if unknown. */
const char *omptape_event_name(unsigned number);

/* Returns the other form of a target operation's callback: the EMI form, or the older one. Both have the same
 * trace record. Returns 0 for other callbacks. */
unsigned omptape_event_other_form(unsigned number);

/* Returns the name of an ompt_set_result_t without its prefix, "always" for 5; "unknown" if unknown. */
const char *omptape_set_result_name(unsigned result);
