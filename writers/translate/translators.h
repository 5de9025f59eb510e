/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declares the translators of records and the destructors of their state, for translate.c, and how locations
 * are closed. The translators of MPI's communicators, windows and files are in mpi_*.h.
 */
#pragma once

#include "writers/state/writer.h"

/* Translates a complete record of the location's thread. `time` is the record's; the location's last event
 * may be later (omptape_location_time). */
typedef void omptape_translator(struct omptape_writer *writer, struct omptape_location *location,
                                const struct omptape_record *record, uint64_t time);

/* Must be called before the locations are freed, which point to some of the state. */
void omptape_locks_free(struct omptape_writer *writer);

/* The translator of a scope's begin is also called for a scope that begins and ends at once, or whose
 * endpoint is damaged. */

/* close.c: the end of a thread. */
omptape_translator omptape_close_thread;

/* parallel.c: parallel and teams regions and their implicit tasks. */
omptape_translator omptape_parallel_begin;
omptape_translator omptape_parallel_end;
omptape_translator omptape_parallel_implicit_begin;
omptape_translator omptape_parallel_implicit_end;

/* task.c, dependence.c, control.c: explicit tasks. */
omptape_translator omptape_task_create;
omptape_translator omptape_task_schedule;
omptape_translator omptape_task_dependences;
omptape_translator omptape_task_dependence;
omptape_translator omptape_task_turns;
omptape_translator omptape_task_cancel;

/* work.c: work-sharing constructs, their chunks, and masked. */
omptape_translator omptape_work_begin;
omptape_translator omptape_work_end;
omptape_translator omptape_work_dispatch;
omptape_translator omptape_work_masked_begin;
omptape_translator omptape_work_masked_end;

/* sync.c: barriers, taskwait, taskgroup, reductions and the waiting inside them. */
omptape_translator omptape_sync_begin;
omptape_translator omptape_sync_end;
omptape_translator omptape_sync_wait_begin;
omptape_translator omptape_sync_wait_end;
omptape_translator omptape_sync_reduction_begin;
omptape_translator omptape_sync_reduction_end;

/* mutex.c: locks, nest locks, critical, atomic and ordered. */
omptape_translator omptape_mutex_init;
omptape_translator omptape_mutex_destroy;
omptape_translator omptape_mutex_acquire;
omptape_translator omptape_mutex_acquired;
omptape_translator omptape_mutex_released;
omptape_translator omptape_mutex_nest;
omptape_translator omptape_mutex_tests;

/* user.c: regions, steps, marks and ranges that the program names. */
omptape_translator omptape_user_translate_begin;
omptape_translator omptape_user_translate_end;
omptape_translator omptape_user_translate_mark;
void omptape_user_names_free(struct omptape_writer *writer);
/* Returns a sentence, in `text`, if something was recorded otherwise than requested, or NULL. */
const char *omptape_user_names_warn(const struct omptape_writer *writer, char *text, size_t bytes);

/* target.c: device operations on the host. omptape_target_device: initialize, finalize, load, unload. */
omptape_translator omptape_target;
omptape_translator omptape_target_data_op;
omptape_translator omptape_target_submit;
omptape_translator omptape_target_map;
omptape_translator omptape_target_device;

/* control.c, close.c: omp_control_tool, flush, the error directive, and omptape's own records. */
omptape_translator omptape_control_tool;
omptape_translator omptape_control_flush;
omptape_translator omptape_control_flushes_begin;
omptape_translator omptape_control_flushes_end;
omptape_translator omptape_control_error;
omptape_translator omptape_control_place;
omptape_translator omptape_control_module;
omptape_translator omptape_control_stall;
omptape_translator omptape_gaps_translate;

/* mpi.c: MPI's calls, messages, requests and collective operations. */

omptape_translator omptape_mpi_translate_enter;
omptape_translator omptape_mpi_translate_leave;
omptape_translator omptape_mpi_translate_send;
omptape_translator omptape_mpi_translate_receive;
omptape_translator omptape_mpi_translate_request;
omptape_translator omptape_mpi_translate_collective;
omptape_translator omptape_mpi_translate_life;

/* Returns true if the record's call, and therefore its contents, are shown. */
bool omptape_mpi_is_shown(const struct omptape_location *location, const struct omptape_record *record);

/* What an MPI call waits for. Kept while the call is open, and written only if the trace ends in the call.
 * Shows who waits for whom in a program that hangs (docs/mapping.md). */
struct omptape_awaited {
    uint16_t function; /* Number of the call's function. */
    uint8_t what;      /* enum omptape_mpi_awaits. */
    uint32_t count;    /* Number of `words`, which follow the return address in the record. */
    uint64_t tested;   /* Request that was tested last; 0: none. */
    uint64_t words[OMPTAPE_MPI_AWAITED_REQUESTS * OMPTAPE_MPI_AWAITED_WORDS];
};

/* Called when the trace ends and the location's innermost open region is about to be left. If this region
 * is a waiting call, adds what it waits for to the attributes of its Leave. Shows each awaited request as
 * tested without success. */
void omptape_awaited_write(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* close.c: the end of a location, because its thread, the program or the trace has ended. */

/* Leaves all open regions of the location at `time`. */
void omptape_close_regions(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Closes the regions and ends the location's thread. On the first location also ends the program. */
void omptape_close_contents(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Closes the location's contents and its event file. */
void omptape_close_location(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Closes a location whose thread has ended while the program continues. If a later thread may reuse the
 * location, its event file stays open. */
void omptape_close_ended(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Called when the disk is full: closes all regions of all locations at `time`. Later records are ignored. */
void omptape_close_trace(struct omptape_writer *writer, uint64_t time);

/* Gaps in a thread's records. Each gap gets a marker; regions open before it may have ended in it. */
/* Called when the location's thread has ended or will send no more records. `events` is the total number
 * of records that it dropped. Marks drops that no record reported. `location` may be NULL. */
void omptape_gaps_close(struct omptape_writer *writer, struct omptape_location *location, uint64_t events);
