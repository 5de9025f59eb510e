/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What /proc/PID/task/TID tells of a thread. Any thread of the writer's process.
 */
#ifndef OMPTAPE_WRITERS_OBSERVE_THREAD_FILES_H
#define OMPTAPE_WRITERS_OBSERVE_THREAD_FILES_H

#include "writers/model/sched.h"

/* `tasks`: the open folder /proc/PID/task. */

/* `schedstat`: reads processor time and time on a run queue; leaves the other sums. A read takes about 3 us,
 * and none of the program's time. 0; -ESRCH: the thread is gone, or the kernel does not count. */
int omptape_thread_files_times(int tasks, uint32_t tid, struct omptape_sched_reading *reading);

/* As the kernel shows it: a line feed and a backslash are escaped. */
enum { OMPTAPE_THREAD_NAME_BYTES = 64 };

/* `stat` and `status`: reads the other sums, and the thread's name. About 12 us. 0 or negative errno: nothing
 * was changed. */
int omptape_thread_files_details(int tasks, uint32_t tid, struct omptape_sched_reading *reading,
                                 char name[OMPTAPE_THREAD_NAME_BYTES]);

/* The threads' numbers, sorted: *tids, which the caller frees. Returns how many; negative errno: nothing is
 * known. */
int omptape_thread_files_list(int tasks, uint32_t **tids);

#endif
