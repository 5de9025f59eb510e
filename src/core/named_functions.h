/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lookup functions of OMPT (OpenMP 5.2 sections 19.2.3 and 19.6.1): functions by their names. Any thread.
 */
#pragma once

#include <omptape/ompt.h>
#include <stddef.h>
#include <string.h>

struct omptape_named_function {
    const char *name;
    ompt_interface_fn_t function;
};

/* Returns the function of that name, or NULL if the table has none. */
static inline ompt_interface_fn_t omptape_named_function_find(const struct omptape_named_function *table,
                                                              size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].function;
    return NULL;
}
