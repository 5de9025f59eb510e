/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What /proc says of a process. The command's one thread.
 */
#ifndef OMPTAPE_COMMAND_RUN_PROCESS_H
#define OMPTAPE_COMMAND_RUN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads /proc/PID/`name` as a text, cut to what fits; empty if there is none. Returns its length. */
size_t omptape_process_read(pid_t pid, const char *name, char *text, size_t bytes);

/* Is it an omptape-writer? */
bool omptape_process_is_writer(pid_t pid);

#endif
