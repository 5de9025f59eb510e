/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Binds this library's calls to libc itself, even if the program defines functions with libc's names (`read`,
 * `clone`). The loader would bind the library's calls to the program's functions. The linker therefore
 * replaces every imported function (ld's --wrap) by a jump through a table, which is filled with the
 * addresses of libc's own functions. The sources stay ordinary C.
 *
 * The library must not use functions with which libc allocates memory for the caller (strdup, getline). They
 * call the program's malloc, if it has one, but the library would call libc's free.
 */
#pragma once

#include <stdbool.h>

/* Returns false if the library must not do anything in this process. Every function that the program, the
 * loader or the runtime calls must check this first. False if libc lacks a function, and in a program with
 * more rights than its user (setuid, setgid, capabilities). The user's environment must not control what such
 * a program runs or writes. Any thread. */
bool omptape_libc_may_act(void);

/* The same before a session starts: looks up all, and prints one line if libc lacks one. Any thread. */
bool omptape_libc_is_complete(void);
