/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the fixtures of the symbol test use of their stand-in for an OpenMP runtime (runtime.c). Called by the
 * fixtures on their only thread.
 */
#pragma once

/* Prints the return addresses recorded since the last time, and the process's mappings, to stdout. */
void runtime_report(void);

/* constructs.c and constructs.cc: passes all marked constructs once. */
#ifdef __cplusplus
extern "C"
#endif
    int
    constructs(int n);
