/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way from this library to libc, which does not lead through the program: a program may define functions
 * named like libc's (`read`, `clone`), and the loader would bind the library's calls to them. So every
 * function that the library would import is replaced when it is linked (ld's --wrap) by a jump through a
 * table, and the table is filled with what libc itself holds. The sources stay ordinary C.
 *
 * What libc allocates on its own (strdup, getline) comes from the program's malloc, if it has one, and would
 * be freed by libc's: the library must not use such functions.
 */
#ifndef OMPTAPE_TOOL_LIBC_H
#define OMPTAPE_TOOL_LIBC_H

#include <stdbool.h>

/* Whether the library may do anything in this process; to be asked first by whatever the program, the loader
 * or the runtime calls. False where a function was not found in libc, and in a program that has more rights
 * than its user (setuid, setgid, capabilities): the user's environment must not choose what such a program
 * runs or writes. Any thread. */
bool omptape_libc_may_act(void);

/* The same for whoever goes on to do more than look around: finds all functions first, and says in one line
 * if there is one that libc lacks. Any thread. */
bool omptape_libc_is_complete(void);

#endif
