/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of functions: suffixes that compilers append, and demangling.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns true if a compiler made this function from the body of a construct ("main.omp_outlined",
 * ".omp_task_entry.", "main._omp_fn.0"). */
bool omptape_name_is_outlined(const char *symbol);

/* Returns true if such a function contains the body itself, not copying or reduction of its data. */
bool omptape_name_is_body(const char *symbol);

/* Returns the length of the part of the symbol that names the user's function, without suffixes of
 * outlined functions and clones (".part.0", ".cold"). Returns 0 if the compiler kept nothing of the name
 * (".omp_task_entry."). */
size_t omptape_name_stem(const char *symbol);

/* Returns the first `length` bytes of a linkage name as the user would write it. C++ is demangled with its
 * arguments, Fortran becomes module::procedure, other names are unchanged. The caller frees it. Returns NULL
 * if out of memory. */
char *omptape_name_readable(const char *symbol, size_t length);
