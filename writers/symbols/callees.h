/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which function a call or jump in a module's code leads to.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_CALLEES_H
#define OMPTAPE_WRITERS_SYMBOLS_CALLEES_H

#include "writers/symbols/loaded.h"

#include <stdbool.h>

/* Lists of names are ended by NULL; a '*' at a name's end stands for anything. */

/* The functions of the runtimes that are handed the body of a construct, made into a function. */
extern const char *const omptape_callees_with_body[];

/* What begins the names of the runtimes' functions, but of no function of a user. */
extern const char *const omptape_callees_of_runtime[];

bool omptape_callee_is_listed(const char *name, const char *const *list);

struct omptape_callee {
    const char *name; /* owned by the module */
    bool here;        /* a function of the module of the call itself, and `start` is where it begins */
    struct omptape_loaded_place start;
};

/* The code between two places of the place's module; all zero if it cannot be read. */
struct omptape_code_range omptape_callee_code(const struct omptape_loaded_place *place, uint64_t low,
                                              uint64_t high);

/* What the call whose last byte this place is leads to; false where no known function begins there. */
bool omptape_callee_of_call(const struct omptape_loaded_place *call, struct omptape_callee *callee);

/* The same for the jump that begins at this place in the range, if it leaves the range. */
bool omptape_callee_of_jump(const struct omptape_code_range *range, const struct omptape_loaded_place *jump,
                            struct omptape_callee *callee);

/* The same for a place that is the one or the other. Sets the function around it, too, and its code. */
bool omptape_callee_at(const struct omptape_loaded_place *place, struct omptape_symbol *around,
                       struct omptape_code_range *range, struct omptape_callee *callee);

#endif
