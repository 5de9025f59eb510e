/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file in which a run's processes report to the omptape command. It is an anonymous file of its, reached
 * through /proc; or any other file that is there. For the library, the writer and the command; any thread.
 */
#ifndef OMPTAPE_JOB_REPORT_FILE_H
#define OMPTAPE_JOB_REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The file's name, by which it is recognised. */
#define OMPTAPE_REPORT_FILE "omptape-report"

/* False if `path` is NULL, empty, or not reachable: the command has ended, or runs on another node, where the
 * path may be anybody's file. */
bool omptape_report_file_is_there(const char *path);

/* The process number of the command, from the report's path; 0 if it is none. */
int omptape_report_file_owner(const char *path);

/* A value as it stands in a line of the file: newlines and backslashes are escaped. What does not fit is left
 * out. Returns `text`. The other one undoes that in place. */
const char *omptape_report_file_escape(const char *value, char *text, size_t bytes);
void omptape_report_file_unescape(char *value);

/* Opens it for appending, closed on exec; -1 if it is not there. */
int omptape_report_file_open(const char *path);

#endif
