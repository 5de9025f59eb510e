/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations that begin with one event and are complete with another one: pairs (what it is on, matching id)
 * -> struct check_operation, in which these functions own the values.
 */
#ifndef OMPTAPE_COMMAND_CHECK_OPERATIONS_H
#define OMPTAPE_COMMAND_CHECK_OPERATIONS_H

#include "src/command/check/state.h"

/* Operations with one matching id that are not complete. */
struct check_operation {
    const struct check_location *location;
    uint64_t pending;
    uint64_t number; /* of the first such event, and its name */
    const char *name;
};

/* One more begins: `event` has what it is on as its first reference, and the matching id as its second value.
 * NULL: no memory, which `check` knows then. */
const struct check_operation *omptape_check_operation_begin(struct omptape_check *check,
                                                            struct omptape_pairs *operations,
                                                            const struct check_location *location,
                                                            const struct omptape_event *event);

/* All with that id are complete. `needed`: it is an error if there is none. */
void omptape_check_operation_complete(struct omptape_check *check, struct omptape_pairs *operations,
                                      const struct check_location *location,
                                      const struct omptape_event *event, const char *topic, bool needed);

/* Says which never were, if that is an error, and frees all. */
void omptape_check_operations_end(struct omptape_check *check, struct omptape_pairs *operations,
                                  enum omptape_definition_kind on, const char *topic);

#endif
