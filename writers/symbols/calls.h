/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the place of a construct whose return address is not its own. Optimising compilers make a jump of a
 * call that ends a function (a tail call): the runtime then sees the address that the function itself would
 * return to.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_CALLS_H
#define OMPTAPE_WRITERS_SYMBOLS_CALLS_H

#include "writers/symbols/loaded.h"

#include <stdbool.h>

/* `callees`: see callees.h. `call` is the last byte before a return address. If what was called there
 * is no function of the runtime but one that ends, maybe through others, with a jump to one of the callees:
 * true, and *site is that jump. False if there is no such jump, or more than one that the source could tell
 * apart. */
bool omptape_calls_find_jump(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                             const char *const *callees, struct omptape_loaded_place *site);

/* `construct` is the call or jump to the runtime of a construct with a body, or stands in such a body. If the
 * body, or that of another such construct that it ends with, ends with a jump to one of the callees: as
 * above. If there is none, but just one call to them in the body and the functions of the module that it
 * calls: that call, by its last byte. */
bool omptape_calls_find_in_body(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                                const char *const *callees, struct omptape_loaded_place *site);

/* The call to one of the callees that the construct is itself, if it is a combined one, or the one that its
 * body and the functions of the module that this calls make. False if there is none, or more than one that
 * the source could tell apart. */
bool omptape_calls_find_inside(struct omptape_loaded *loaded, const struct omptape_loaded_place *construct,
                               const char *const *callees, struct omptape_loaded_place *site);

/* True if the call goes through a pointer: what it called is not known, and may be a function that ends with
 * a jump to the runtime. Never of the start of a body, which stands for its construct (bodies.h). */
bool omptape_calls_is_indirect(const struct omptape_loaded_place *call);

/* True if a construct with these callees (none: never) cannot have the call's return address: what is called
 * is another function of the program, and none that ends with just one jump to a callee; or, for a construct
 * that is a call `alone`, it begins another construct. */
bool omptape_calls_is_of_other(struct omptape_loaded *loaded, const struct omptape_loaded_place *call,
                               const char *const *callees, bool alone);

#endif
