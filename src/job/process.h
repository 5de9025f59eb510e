/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What /proc says of a process. For the library and the command; any thread, allocates nothing.
 */
#ifndef OMPTAPE_JOB_PROCESS_H
#define OMPTAPE_JOB_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads /proc/PID/`name` as a text, cut to what fits; empty if there is none. Returns its length. */
size_t omptape_process_read(pid_t pid, const char *name, char *text, size_t bytes);

/* Its parent; 0: not known. */
pid_t omptape_process_parent(pid_t pid);

/* The path of the program that calls; false: not known. */
bool omptape_process_own_path(char *path, size_t bytes);

/* Is it an omptape-writer? */
bool omptape_process_is_writer(pid_t pid);

/* Is it that program's? Its last argument says so; an emulator may put words before the first one. */
bool omptape_process_is_writer_of(pid_t pid, pid_t program);

#endif
