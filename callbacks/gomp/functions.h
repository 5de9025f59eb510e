/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of the functions of GNU's libgomp that the library wraps, with one list for each family that is
 * recorded in the same way. From it are generated the functions' numbers, types, names
 * (src/tool/gomp_names.c) and most of the wrappers (callbacks/gomp/). Other functions of libgomp have no
 * effect that a trace shows, and have no wrapper.
 */
#pragma once

#include <omptape/ompt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts of loops. X(name, kind of iterations, form of the other arguments, schedule). */
#define OMPTAPE_GOMP_LOOPS(X)                                                                                \
    X(GOMP_loop_static_start, LONG, CHUNK, OMPTAPE_GOMP_STATIC)                                              \
    X(GOMP_loop_dynamic_start, LONG, CHUNK, OMPTAPE_GOMP_DYNAMIC)                                            \
    X(GOMP_loop_guided_start, LONG, CHUNK, OMPTAPE_GOMP_GUIDED)                                              \
    X(GOMP_loop_nonmonotonic_dynamic_start, LONG, CHUNK, OMPTAPE_GOMP_DYNAMIC)                               \
    X(GOMP_loop_nonmonotonic_guided_start, LONG, CHUNK, OMPTAPE_GOMP_GUIDED)                                 \
    X(GOMP_loop_ordered_static_start, LONG, CHUNK, OMPTAPE_GOMP_STATIC)                                      \
    X(GOMP_loop_ordered_dynamic_start, LONG, CHUNK, OMPTAPE_GOMP_DYNAMIC)                                    \
    X(GOMP_loop_ordered_guided_start, LONG, CHUNK, OMPTAPE_GOMP_GUIDED)                                      \
    X(GOMP_loop_runtime_start, LONG, PLAIN, OMPTAPE_GOMP_RUNTIME)                                            \
    X(GOMP_loop_nonmonotonic_runtime_start, LONG, PLAIN, OMPTAPE_GOMP_RUNTIME)                               \
    X(GOMP_loop_maybe_nonmonotonic_runtime_start, LONG, PLAIN, OMPTAPE_GOMP_RUNTIME)                         \
    X(GOMP_loop_ordered_runtime_start, LONG, PLAIN, OMPTAPE_GOMP_RUNTIME)                                    \
    X(GOMP_loop_start, LONG, SCHEDULE, schedule)                                                             \
    X(GOMP_loop_ordered_start, LONG, SCHEDULE, schedule)                                                     \
    X(GOMP_loop_ull_static_start, ULL, CHUNK, OMPTAPE_GOMP_STATIC)                                           \
    X(GOMP_loop_ull_dynamic_start, ULL, CHUNK, OMPTAPE_GOMP_DYNAMIC)                                         \
    X(GOMP_loop_ull_guided_start, ULL, CHUNK, OMPTAPE_GOMP_GUIDED)                                           \
    X(GOMP_loop_ull_nonmonotonic_dynamic_start, ULL, CHUNK, OMPTAPE_GOMP_DYNAMIC)                            \
    X(GOMP_loop_ull_nonmonotonic_guided_start, ULL, CHUNK, OMPTAPE_GOMP_GUIDED)                              \
    X(GOMP_loop_ull_ordered_static_start, ULL, CHUNK, OMPTAPE_GOMP_STATIC)                                   \
    X(GOMP_loop_ull_ordered_dynamic_start, ULL, CHUNK, OMPTAPE_GOMP_DYNAMIC)                                 \
    X(GOMP_loop_ull_ordered_guided_start, ULL, CHUNK, OMPTAPE_GOMP_GUIDED)                                   \
    X(GOMP_loop_ull_runtime_start, ULL, PLAIN, OMPTAPE_GOMP_RUNTIME)                                         \
    X(GOMP_loop_ull_nonmonotonic_runtime_start, ULL, PLAIN, OMPTAPE_GOMP_RUNTIME)                            \
    X(GOMP_loop_ull_maybe_nonmonotonic_runtime_start, ULL, PLAIN, OMPTAPE_GOMP_RUNTIME)                      \
    X(GOMP_loop_ull_ordered_runtime_start, ULL, PLAIN, OMPTAPE_GOMP_RUNTIME)                                 \
    X(GOMP_loop_ull_start, ULL, SCHEDULE, schedule)                                                          \
    X(GOMP_loop_ull_ordered_start, ULL, SCHEDULE, schedule)                                                  \
    X(GOMP_loop_doacross_static_start, DOACROSS, CHUNK, OMPTAPE_GOMP_STATIC)                                 \
    X(GOMP_loop_doacross_dynamic_start, DOACROSS, CHUNK, OMPTAPE_GOMP_DYNAMIC)                               \
    X(GOMP_loop_doacross_guided_start, DOACROSS, CHUNK, OMPTAPE_GOMP_GUIDED)                                 \
    X(GOMP_loop_doacross_runtime_start, DOACROSS, PLAIN, OMPTAPE_GOMP_RUNTIME)                               \
    X(GOMP_loop_doacross_start, DOACROSS, SCHEDULE, schedule)                                                \
    X(GOMP_loop_ull_doacross_static_start, ULL_DOACROSS, CHUNK, OMPTAPE_GOMP_STATIC)                         \
    X(GOMP_loop_ull_doacross_dynamic_start, ULL_DOACROSS, CHUNK, OMPTAPE_GOMP_DYNAMIC)                       \
    X(GOMP_loop_ull_doacross_guided_start, ULL_DOACROSS, CHUNK, OMPTAPE_GOMP_GUIDED)                         \
    X(GOMP_loop_ull_doacross_runtime_start, ULL_DOACROSS, PLAIN, OMPTAPE_GOMP_RUNTIME)                       \
    X(GOMP_loop_ull_doacross_start, ULL_DOACROSS, SCHEDULE, schedule)

/* The parameters and the arguments of the loop starts: those that describe the iterations, and the rest. */
#define OMPTAPE_GOMP_NUMBER_LONG long
#define OMPTAPE_GOMP_NUMBER_ULL unsigned long long
#define OMPTAPE_GOMP_NUMBER_DOACROSS long
#define OMPTAPE_GOMP_NUMBER_ULL_DOACROSS unsigned long long
#define OMPTAPE_GOMP_ITERATIONS_LONG long first, long last, long step
#define OMPTAPE_GOMP_ITERATIONS_ULL                                                                          \
    bool up, unsigned long long first, unsigned long long last, unsigned long long step
#define OMPTAPE_GOMP_ITERATIONS_DOACROSS unsigned dimensions, long *counts
#define OMPTAPE_GOMP_ITERATIONS_ULL_DOACROSS unsigned dimensions, unsigned long long *counts
#define OMPTAPE_GOMP_REST_PLAIN(number) number *start, number *end
#define OMPTAPE_GOMP_REST_CHUNK(number) number chunk, number *start, number *end
#define OMPTAPE_GOMP_REST_SCHEDULE(number)                                                                   \
    long schedule, number chunk, number *start, number *end, uintptr_t *reductions, void **memory
#define OMPTAPE_GOMP_LOOP_PARAMETERS(kind, form)                                                             \
    OMPTAPE_GOMP_ITERATIONS_##kind, OMPTAPE_GOMP_REST_##form(OMPTAPE_GOMP_NUMBER_##kind)
#define OMPTAPE_GOMP_GIVE_LONG first, last, step
#define OMPTAPE_GOMP_GIVE_ULL up, first, last, step
#define OMPTAPE_GOMP_GIVE_DOACROSS dimensions, counts
#define OMPTAPE_GOMP_GIVE_ULL_DOACROSS dimensions, counts
#define OMPTAPE_GOMP_GIVE_PLAIN start, end
#define OMPTAPE_GOMP_GIVE_CHUNK chunk, start, end
#define OMPTAPE_GOMP_GIVE_SCHEDULE schedule, chunk, start, end, reductions, memory
#define OMPTAPE_GOMP_LOOP_ARGUMENTS(kind, form) OMPTAPE_GOMP_GIVE_##kind, OMPTAPE_GOMP_GIVE_##form

/* Functions that take the loop's next chunk. X(name, type of an iteration number). */
#define OMPTAPE_GOMP_NEXTS(X)                                                                                \
    X(GOMP_loop_static_next, long)                                                                           \
    X(GOMP_loop_dynamic_next, long)                                                                          \
    X(GOMP_loop_guided_next, long)                                                                           \
    X(GOMP_loop_runtime_next, long)                                                                          \
    X(GOMP_loop_nonmonotonic_dynamic_next, long)                                                             \
    X(GOMP_loop_nonmonotonic_guided_next, long)                                                              \
    X(GOMP_loop_nonmonotonic_runtime_next, long)                                                             \
    X(GOMP_loop_maybe_nonmonotonic_runtime_next, long)                                                       \
    X(GOMP_loop_ordered_static_next, long)                                                                   \
    X(GOMP_loop_ordered_dynamic_next, long)                                                                  \
    X(GOMP_loop_ordered_guided_next, long)                                                                   \
    X(GOMP_loop_ordered_runtime_next, long)                                                                  \
    X(GOMP_loop_ull_static_next, unsigned long long)                                                         \
    X(GOMP_loop_ull_dynamic_next, unsigned long long)                                                        \
    X(GOMP_loop_ull_guided_next, unsigned long long)                                                         \
    X(GOMP_loop_ull_runtime_next, unsigned long long)                                                        \
    X(GOMP_loop_ull_nonmonotonic_dynamic_next, unsigned long long)                                           \
    X(GOMP_loop_ull_nonmonotonic_guided_next, unsigned long long)                                            \
    X(GOMP_loop_ull_nonmonotonic_runtime_next, unsigned long long)                                           \
    X(GOMP_loop_ull_maybe_nonmonotonic_runtime_next, unsigned long long)                                     \
    X(GOMP_loop_ull_ordered_static_next, unsigned long long)                                                 \
    X(GOMP_loop_ull_ordered_dynamic_next, unsigned long long)                                                \
    X(GOMP_loop_ull_ordered_guided_next, unsigned long long)                                                 \
    X(GOMP_loop_ull_ordered_runtime_next, unsigned long long)

/* Parallel regions that are one loop, and the older form for compilers before gcc 4.9. Such compilers call
 * the region's function on the encountering thread themselves and pass no flags. X(name, form of its
 * arguments, schedule). */
#define OMPTAPE_GOMP_PARALLEL_LOOPS(X)                                                                       \
    X(GOMP_parallel_loop_static, CHUNK, OMPTAPE_GOMP_STATIC)                                                 \
    X(GOMP_parallel_loop_dynamic, CHUNK, OMPTAPE_GOMP_DYNAMIC)                                               \
    X(GOMP_parallel_loop_guided, CHUNK, OMPTAPE_GOMP_GUIDED)                                                 \
    X(GOMP_parallel_loop_nonmonotonic_dynamic, CHUNK, OMPTAPE_GOMP_DYNAMIC)                                  \
    X(GOMP_parallel_loop_nonmonotonic_guided, CHUNK, OMPTAPE_GOMP_GUIDED)                                    \
    X(GOMP_parallel_loop_runtime, PLAIN, OMPTAPE_GOMP_RUNTIME)                                               \
    X(GOMP_parallel_loop_nonmonotonic_runtime, PLAIN, OMPTAPE_GOMP_RUNTIME)                                  \
    X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, PLAIN, OMPTAPE_GOMP_RUNTIME)

#define OMPTAPE_GOMP_STARTED_LOOPS(X)                                                                        \
    X(GOMP_parallel_loop_static_start, CHUNK, OMPTAPE_GOMP_STATIC)                                           \
    X(GOMP_parallel_loop_dynamic_start, CHUNK, OMPTAPE_GOMP_DYNAMIC)                                         \
    X(GOMP_parallel_loop_guided_start, CHUNK, OMPTAPE_GOMP_GUIDED)                                           \
    X(GOMP_parallel_loop_runtime_start, PLAIN, OMPTAPE_GOMP_RUNTIME)

#define OMPTAPE_GOMP_REGION_PARAMETERS_PLAIN                                                                 \
    void (*function)(void *), void *data, unsigned threads, long first, long last, long step
#define OMPTAPE_GOMP_REGION_PARAMETERS_CHUNK OMPTAPE_GOMP_REGION_PARAMETERS_PLAIN, long chunk
#define OMPTAPE_GOMP_REGION_ARGUMENTS_PLAIN threads, first, last, step
#define OMPTAPE_GOMP_REGION_ARGUMENTS_CHUNK threads, first, last, step, chunk

/* Barriers, and ends of work-sharing constructs. X(name, ompt_sync_region_t of its barrier). */
#define OMPTAPE_GOMP_BARRIERS(X)                                                                             \
    X(GOMP_barrier, ompt_sync_region_barrier_implementation)                                                 \
    X(GOMP_loop_end, ompt_sync_region_barrier_implicit_workshare)                                            \
    X(GOMP_sections_end, ompt_sync_region_barrier_implicit_workshare)
#define OMPTAPE_GOMP_CANCEL_BARRIERS(X)                                                                      \
    X(GOMP_barrier_cancel, ompt_sync_region_barrier_implementation)                                          \
    X(GOMP_loop_end_cancel, ompt_sync_region_barrier_implicit_workshare)                                     \
    X(GOMP_sections_end_cancel, ompt_sync_region_barrier_implicit_workshare)
#define OMPTAPE_GOMP_NOWAITS(X)                                                                              \
    X(GOMP_loop_end_nowait, nowait)                                                                          \
    X(GOMP_sections_end_nowait, nowait)                                                                      \
    X(GOMP_loop_static_worksharing_end, nowait)                                                              \
    X(GOMP_distribute_static_worksharing_end, nowait)                                                        \
    X(GOMP_single_end, nowait)

/* Mutual exclusion. X(name, ompt_mutex_t). */
#define OMPTAPE_GOMP_ACQUIRES(X)                                                                             \
    X(GOMP_critical_start, critical)                                                                         \
    X(GOMP_atomic_start, atomic)                                                                             \
    X(GOMP_ordered_start, ordered)
#define OMPTAPE_GOMP_RELEASES(X)                                                                             \
    X(GOMP_critical_end, critical)                                                                           \
    X(GOMP_atomic_end, atomic)                                                                               \
    X(GOMP_ordered_end, ordered)

/* Locks; each function exists for C and for Fortran. X(name, ompt_mutex_t). Set and unset of nest locks are
 * X(name, test, unset): the two functions determine how often the lock is held. */
#define OMPTAPE_GOMP_LOCK_INITS(X)                                                                           \
    X(omp_init_lock, lock)                                                                                   \
    X(omp_init_lock_, lock)                                                                                  \
    X(omp_init_nest_lock, nest_lock)                                                                         \
    X(omp_init_nest_lock_, nest_lock)
#define OMPTAPE_GOMP_LOCK_DESTROYS(X)                                                                        \
    X(omp_destroy_lock, lock)                                                                                \
    X(omp_destroy_lock_, lock)                                                                               \
    X(omp_destroy_nest_lock, nest_lock)                                                                      \
    X(omp_destroy_nest_lock_, nest_lock)
#define OMPTAPE_GOMP_LOCK_SETS(X)                                                                            \
    X(omp_set_lock, lock)                                                                                    \
    X(omp_set_lock_, lock)
#define OMPTAPE_GOMP_LOCK_UNSETS(X)                                                                          \
    X(omp_unset_lock, lock)                                                                                  \
    X(omp_unset_lock_, lock)
#define OMPTAPE_GOMP_LOCK_TESTS(X)                                                                           \
    X(omp_test_lock, test_lock)                                                                              \
    X(omp_test_lock_, test_lock)
#define OMPTAPE_GOMP_NEST_LOCK_SETS(X)                                                                       \
    X(omp_set_nest_lock, omp_test_nest_lock, omp_unset_nest_lock)                                            \
    X(omp_set_nest_lock_, omp_test_nest_lock_, omp_unset_nest_lock_)
#define OMPTAPE_GOMP_NEST_LOCK_UNSETS(X)                                                                     \
    X(omp_unset_nest_lock, omp_test_nest_lock, omp_unset_nest_lock)                                          \
    X(omp_unset_nest_lock_, omp_test_nest_lock_, omp_unset_nest_lock_)
#define OMPTAPE_GOMP_NEST_LOCK_TESTS(X)                                                                      \
    X(omp_test_nest_lock, test_nest_lock)                                                                    \
    X(omp_test_nest_lock_, test_nest_lock)

/* All other functions. X(name, result, parameters). */
#define OMPTAPE_GOMP_OTHERS(X)                                                                               \
    X(GOMP_parallel, void, (void (*function)(void *), void *data, unsigned threads, unsigned flags))         \
    X(GOMP_parallel_reductions, unsigned,                                                                    \
      (void (*function)(void *), void *data, unsigned threads, unsigned flags))                              \
    X(GOMP_parallel_sections, void,                                                                          \
      (void (*function)(void *), void *data, unsigned threads, unsigned count, unsigned flags))              \
    X(GOMP_parallel_start, void, (void (*function)(void *), void *data, unsigned threads))                   \
    X(GOMP_parallel_sections_start, void,                                                                    \
      (void (*function)(void *), void *data, unsigned threads, unsigned count))                              \
    X(GOMP_parallel_end, void, (void))                                                                       \
    X(GOMP_teams_reg, void,                                                                                  \
      (void (*function)(void *), void *data, unsigned teams, unsigned limit, unsigned flags))                \
    X(GOMP_sections_start, unsigned, (unsigned count))                                                       \
    X(GOMP_sections2_start, unsigned, (unsigned count, uintptr_t *reductions, void **memory))                \
    X(GOMP_sections_next, unsigned, (void))                                                                  \
    X(GOMP_loop_static_worksharing_start, uint64_t, (unsigned long long count))                              \
    X(GOMP_loop_static_worksharing_dispatch, void, (unsigned long long start, unsigned long long count))     \
    X(GOMP_distribute_static_worksharing_start, uint64_t, (unsigned long long count))                        \
    X(GOMP_distribute_static_worksharing_dispatch, void,                                                     \
      (unsigned long long start, unsigned long long count))                                                  \
    X(GOMP_single_start, bool, (void))                                                                       \
    X(GOMP_single_start_with_end, bool, (void))                                                              \
    X(GOMP_has_masked_thread_num_with_end, bool, (int filter))                                               \
    X(GOMP_masked_end, void, (void))                                                                         \
    X(GOMP_barrier_ext, void, (unsigned which))                                                              \
    X(GOMP_single_copy_start, void *, (void))                                                                \
    X(GOMP_single_copy_end, void, (void *data))                                                              \
    X(GOMP_critical_name_start, void, (void **name))                                                         \
    X(GOMP_critical_name_end, void, (void **name))                                                           \
    X(GOMP_doacross_post, void, (long *counts))                                                              \
    X(GOMP_doacross_wait, void, (long first, ...))                                                           \
    X(GOMP_doacross_ull_post, void, (unsigned long long *counts))                                            \
    X(GOMP_doacross_ull_wait, void, (unsigned long long first, ...))                                         \
    X(GOMP_task, void,                                                                                       \
      (void (*function)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,       \
       bool deferred, unsigned flags, void **depend, int priority, void *detach))                            \
    X(GOMP_taskloop, void,                                                                                   \
      (void (*function)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,       \
       unsigned flags, unsigned long tasks, int priority, long first, long last, long step))                 \
    X(GOMP_taskloop_ull, void,                                                                               \
      (void (*function)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,       \
       unsigned flags, unsigned long tasks, int priority, unsigned long long first, unsigned long long last, \
       unsigned long long step))                                                                             \
    X(GOMP_taskwait, void, (void))                                                                           \
    X(GOMP_taskwait_depend, void, (void **depend))                                                           \
    X(GOMP_taskgroup_start, void, (void))                                                                    \
    X(GOMP_taskgroup_end, void, (void))                                                                      \
    X(GOMP_workshare_task_reduction_unregister, void, (bool cancelled))                                      \
    X(GOMP_cancel, bool, (int which, bool activate))                                                         \
    X(GOMP_cancellation_point, bool, (int which))                                                            \
    X(omp_get_max_threads, int, (void))                                                                      \
    X(omp_get_max_threads_, int, (void))                                                                     \
    X(omp_control_tool, int, (int command, int modifier, void *argument))                                    \
    X(omp_control_tool_, int, (const int *command, const int *modifier))                                     \
    X(omp_fulfill_event, void, (void *event))                                                                \
    X(GOMP_target, void,                                                                                     \
      (int device, void (*function)(void *), const void *unused, size_t count, void **addresses,             \
       size_t *sizes, unsigned char *kinds))                                                                 \
    X(GOMP_target_ext, void,                                                                                 \
      (int device, void (*function)(void *), size_t count, void **addresses, size_t *sizes,                  \
       unsigned short *kinds, unsigned flags, void **depend, void **arguments))                              \
    X(GOMP_target_data, void,                                                                                \
      (int device, const void *unused, size_t count, void **addresses, size_t *sizes, unsigned char *kinds)) \
    X(GOMP_target_data_ext, void,                                                                            \
      (int device, size_t count, void **addresses, size_t *sizes, unsigned short *kinds))                    \
    X(GOMP_target_end_data, void, (void))                                                                    \
    X(GOMP_target_update, void,                                                                              \
      (int device, const void *unused, size_t count, void **addresses, size_t *sizes, unsigned char *kinds)) \
    X(GOMP_target_update_ext, void,                                                                          \
      (int device, size_t count, void **addresses, size_t *sizes, unsigned short *kinds, unsigned flags,     \
       void **depend))                                                                                       \
    X(GOMP_target_enter_exit_data, void,                                                                     \
      (int device, size_t count, void **addresses, size_t *sizes, unsigned short *kinds, unsigned flags,     \
       void **depend))

/* All functions that have a wrapper. X(name, ...). */
#define OMPTAPE_GOMP_WRAPPED(X)                                                                              \
    OMPTAPE_GOMP_LOOPS(X)                                                                                    \
    OMPTAPE_GOMP_NEXTS(X)                                                                                    \
    OMPTAPE_GOMP_PARALLEL_LOOPS(X)                                                                           \
    OMPTAPE_GOMP_STARTED_LOOPS(X)                                                                            \
    OMPTAPE_GOMP_BARRIERS(X)                                                                                 \
    OMPTAPE_GOMP_CANCEL_BARRIERS(X)                                                                          \
    OMPTAPE_GOMP_NOWAITS(X)                                                                                  \
    OMPTAPE_GOMP_ACQUIRES(X)                                                                                 \
    OMPTAPE_GOMP_RELEASES(X)                                                                                 \
    OMPTAPE_GOMP_LOCK_INITS(X)                                                                               \
    OMPTAPE_GOMP_LOCK_DESTROYS(X)                                                                            \
    OMPTAPE_GOMP_LOCK_SETS(X)                                                                                \
    OMPTAPE_GOMP_LOCK_UNSETS(X)                                                                              \
    OMPTAPE_GOMP_LOCK_TESTS(X)                                                                               \
    OMPTAPE_GOMP_NEST_LOCK_SETS(X)                                                                           \
    OMPTAPE_GOMP_NEST_LOCK_UNSETS(X)                                                                         \
    OMPTAPE_GOMP_NEST_LOCK_TESTS(X)                                                                          \
    OMPTAPE_GOMP_OTHERS(X)

/* Functions of the runtime that the library calls itself and does not wrap. X(name, result, parameters). */
#define OMPTAPE_GOMP_QUERIES(X)                                                                              \
    X(omp_get_thread_num, int, (void))                                                                       \
    X(omp_get_num_threads, int, (void))                                                                      \
    X(omp_get_schedule, void, (int *kind, int *chunk))                                                       \
    X(omp_get_cancellation, int, (void))                                                                     \
    X(omp_get_num_procs, int, (void))                                                                        \
    X(omp_get_num_places, int, (void))                                                                       \
    X(omp_get_place_num, int, (void))                                                                        \
    X(omp_get_place_num_procs, int, (int place))                                                             \
    X(omp_get_place_proc_ids, void, (int place, int *ids))                                                   \
    X(omp_get_default_device, int, (void))                                                                   \
    X(omp_get_num_devices, int, (void))

/* The functions' numbers, for example OMPTAPE_CALL_GOMP_parallel. */
#define OMPTAPE_GOMP_NUMBER(name, ...) OMPTAPE_CALL_##name,
enum omptape_gomp_number {
    OMPTAPE_GOMP_WRAPPED(OMPTAPE_GOMP_NUMBER) OMPTAPE_GOMP_QUERIES(OMPTAPE_GOMP_NUMBER) OMPTAPE_GOMP_FUNCTIONS
};

/* The functions' types and wrappers, for example omptape_type_GOMP_parallel and omptape_GOMP_parallel. */
#define OMPTAPE_GOMP_TYPE(name, result, parameters) typedef result omptape_type_##name parameters;
#define OMPTAPE_GOMP_DECLARE(name, result, parameters)                                                       \
    OMPTAPE_GOMP_TYPE(name, result, parameters)                                                              \
    omptape_type_##name omptape_##name;

#define OMPTAPE_GOMP_DECLARE_LOOP(name, kind, form, schedule)                                                \
    OMPTAPE_GOMP_DECLARE(name, bool, (OMPTAPE_GOMP_LOOP_PARAMETERS(kind, form)))
#define OMPTAPE_GOMP_DECLARE_NEXT(name, number)                                                              \
    OMPTAPE_GOMP_DECLARE(name, bool, (number * start, number * end))
#define OMPTAPE_GOMP_DECLARE_PARALLEL_LOOP(name, form, schedule)                                             \
    OMPTAPE_GOMP_DECLARE(name, void, (OMPTAPE_GOMP_REGION_PARAMETERS_##form, unsigned flags))
#define OMPTAPE_GOMP_DECLARE_STARTED_LOOP(name, form, schedule)                                              \
    OMPTAPE_GOMP_DECLARE(name, void, (OMPTAPE_GOMP_REGION_PARAMETERS_##form))
#define OMPTAPE_GOMP_DECLARE_CALL(name, ...) OMPTAPE_GOMP_DECLARE(name, void, (void))
#define OMPTAPE_GOMP_DECLARE_QUESTION(name, ...) OMPTAPE_GOMP_DECLARE(name, bool, (void))
#define OMPTAPE_GOMP_DECLARE_LOCK(name, ...) OMPTAPE_GOMP_DECLARE(name, void, (void *lock))
#define OMPTAPE_GOMP_DECLARE_LOCK_TEST(name, ...) OMPTAPE_GOMP_DECLARE(name, int, (void *lock))

OMPTAPE_GOMP_LOOPS(OMPTAPE_GOMP_DECLARE_LOOP)
OMPTAPE_GOMP_NEXTS(OMPTAPE_GOMP_DECLARE_NEXT)
OMPTAPE_GOMP_PARALLEL_LOOPS(OMPTAPE_GOMP_DECLARE_PARALLEL_LOOP)
OMPTAPE_GOMP_STARTED_LOOPS(OMPTAPE_GOMP_DECLARE_STARTED_LOOP)
OMPTAPE_GOMP_BARRIERS(OMPTAPE_GOMP_DECLARE_CALL)
OMPTAPE_GOMP_CANCEL_BARRIERS(OMPTAPE_GOMP_DECLARE_QUESTION)
OMPTAPE_GOMP_NOWAITS(OMPTAPE_GOMP_DECLARE_CALL)
OMPTAPE_GOMP_ACQUIRES(OMPTAPE_GOMP_DECLARE_CALL)
OMPTAPE_GOMP_RELEASES(OMPTAPE_GOMP_DECLARE_CALL)
OMPTAPE_GOMP_LOCK_INITS(OMPTAPE_GOMP_DECLARE_LOCK)
OMPTAPE_GOMP_LOCK_DESTROYS(OMPTAPE_GOMP_DECLARE_LOCK)
OMPTAPE_GOMP_LOCK_SETS(OMPTAPE_GOMP_DECLARE_LOCK)
OMPTAPE_GOMP_LOCK_UNSETS(OMPTAPE_GOMP_DECLARE_LOCK)
OMPTAPE_GOMP_LOCK_TESTS(OMPTAPE_GOMP_DECLARE_LOCK_TEST)
OMPTAPE_GOMP_NEST_LOCK_SETS(OMPTAPE_GOMP_DECLARE_LOCK)
OMPTAPE_GOMP_NEST_LOCK_UNSETS(OMPTAPE_GOMP_DECLARE_LOCK)
OMPTAPE_GOMP_NEST_LOCK_TESTS(OMPTAPE_GOMP_DECLARE_LOCK_TEST)
OMPTAPE_GOMP_OTHERS(OMPTAPE_GOMP_DECLARE)
OMPTAPE_GOMP_QUERIES(OMPTAPE_GOMP_TYPE)
