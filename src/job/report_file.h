/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file through which the processes of a run report to the omptape command. It is an anonymous file of the
 * command, opened through /proc, or an existing file. Any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The anonymous file's name, which identifies it in /proc/PID/fd. */
#define OMPTAPE_REPORT_FILE "omptape-report"

/* Returns false if `path` is NULL, empty, or not the report. The command may have ended, or runs on another
 * node, where the same path may be an unrelated file. */
bool omptape_report_file_is_there(const char *path);

/* Parses the command's process number from the report's path; 0 if `path` is not of that form. */
int omptape_report_file_owner(const char *path);

/* Escapes newlines and backslashes of a value for one line of the file, truncated to what fits. Returns
 * `text`. omptape_report_file_unescape reverts it in place. */
const char *omptape_report_file_escape(const char *value, char *text, size_t bytes);
void omptape_report_file_unescape(char *value);

/* Opens the report for appending, close-on-exec. Returns the descriptor, or -1 if there is no report. */
int omptape_report_file_open(const char *path);
