/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many processors this process may use: by its affinity, and by the quota of the cgroups that it is in
 * (containers, batch systems). For the command; any thread.
 */
#ifndef OMPTAPE_JOB_PROCESSORS_H
#define OMPTAPE_JOB_PROCESSORS_H

/* At least 1. A quota of two and a half is three. */
unsigned omptape_processors(void);

#endif
