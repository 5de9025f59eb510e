/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declares the translators of records and the destructors of their state, for translate.c. MPI's translators
 * are in mpi*.h.
 */
#pragma once

#include "writers/translate/translator.h"

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
/* Returns a sentence if something was recorded differently from the program's request, else NULL. `text`
 * is a buffer for it. */
const char *omptape_user_names_warn(const struct omptape_writer *writer, char *text, size_t bytes);

/* target.c: the host's part of device operations. omptape_target_device: initialize, finalize, load,
 * unload. */
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
