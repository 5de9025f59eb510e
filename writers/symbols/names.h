/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of functions: what compilers append to the user's name, and how a linkage name reads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* True if a compiler made this function out of the body of a construct ("main.omp_outlined",
 * ".omp_task_entry.", "main._omp_fn.0"): not a function that the user wrote. */
bool omptape_name_is_outlined(const char *symbol);

/* True for the one among them that holds the body itself, not its data's copying or reduction. */
bool omptape_name_is_body(const char *symbol);

/* Length of the part of the symbol that names the user's function, without the suffixes of outlined functions
 * and of clones (".part.0", ".cold"). 0 where the compiler kept none of it (".omp_task_entry."). */
size_t omptape_name_stem(const char *symbol);

/* The first `length` bytes of a linkage name as the user would write it: C++ demangled with its argument
 * list, Fortran as module::procedure, anything else unchanged. The caller frees it; NULL when there is no
 * memory. */
char *omptape_name_readable(const char *symbol, size_t length);
