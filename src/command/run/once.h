/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines on a program come once, however many commands of one run start it: an omptape on each rank, or in a
 * loop of a script.
 */
#ifndef OMPTAPE_COMMAND_RUN_ONCE_H
#define OMPTAPE_COMMAND_RUN_ONCE_H

#include <stdbool.h>

/* A line of the report (src/job/report_file.h): something was said of this file; "*": of all. */
#define OMPTAPE_ONCE_KEY "said="

/* Is it this process that says what becomes of the file? It is the first to note so in the report; where that
 * is out of reach, the first rank. */
bool omptape_once_speaks(const char *file);

/* No process that has this report says so. */
void omptape_once_silence(int report);

#endif
