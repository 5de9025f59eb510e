/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions' names as people call them. Used by report.
 */
#ifndef OMPTAPE_COMMAND_TEXT_FUNCTION_H
#define OMPTAPE_COMMAND_TEXT_FUNCTION_H

#include <stddef.h>

/* "double space::Sum<int>::add<float>(float const&) const" becomes "space::Sum<>::add<>": without arguments,
 * those of templates, and the type. Whatever is no name of C++ stays as it is. Returns `shown`. */
const char *omptape_function_short(const char *name, char *shown, size_t bytes);

#endif
