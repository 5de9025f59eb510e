/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs main() of omptape's programs on a large stack. RLIMIT_STACK is meant for the traced program and may be
 * too small for omptape and its libraries.
 */
#pragma once

/* Calls `function`, on a new stack if the limit is low, and returns its result. Does not change the limit.
 * Called once per process, by its first thread. */
int omptape_own_stack_run(int (*function)(int argc, char **argv), int argc, char **argv);
