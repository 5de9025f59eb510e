/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For main() of our own programs. RLIMIT_STACK is the user's, for the program that is traced, and may be
 * smaller than what we and our libraries need.
 */
#ifndef OMPTAPE_CORE_OWN_STACK_H
#define OMPTAPE_CORE_OWN_STACK_H

/* Calls `function` and returns what it returns; on a stack of its own where the limit is low. The limit stays
 * as it is. Once in a process, by its first thread. */
int omptape_own_stack_run(int (*function)(int argc, char **argv), int argc, char **argv);

#endif
