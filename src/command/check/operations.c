/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations that begin with one event and are complete with another one, known by what they are on (a
 * window, a handle of a file) and a matching id. Called by transfers.c and io.c.
 */
#include "src/command/check/operations.h"

#include <inttypes.h>
#include <stdlib.h>

const struct check_operation *omptape_check_operation_begin(struct omptape_check *check,
                                                            struct omptape_pairs *operations,
                                                            const struct check_location *location,
                                                            const struct omptape_event *event)
{
    uint64_t on = event->refs[0].id;
    struct check_operation *operation = omptape_pairs_get(operations, on, event->value[1]);
    if (operation == NULL) {
        operation = calloc(1, sizeof(*operation));
        if (operation == NULL || omptape_pairs_put(operations, on, event->value[1], operation) != 0) {
            free(operation);
            check->no_memory = true;
            return NULL;
        }
        operation->location = location;
        operation->number = location->events;
        operation->name = event->name;
    }
    operation->pending++;
    return operation;
}

void omptape_check_operation_complete(struct omptape_check *check, struct omptape_pairs *operations,
                                      const struct check_location *location,
                                      const struct omptape_event *event, const char *topic, bool needed)
{
    struct check_operation *operation = omptape_pairs_take(operations, event->refs[0].id, event->value[1]);
    if (operation == NULL && needed && !check->gaps)
        omptape_check_report_event(
            check, topic, location, event,
            "%s: expected an operation with matching id %" PRIu64 " before it, found none",
            omptape_check_label(check, event->refs[0].kind, event->refs[0].id).text, event->value[1]);
    free(operation);
}

void omptape_check_operations_end(struct omptape_check *check, struct omptape_pairs *operations,
                                  enum omptape_definition_kind on, const char *topic)
{
    for (uint32_t i = 0; i < operations->count; i++) {
        const struct omptape_pair *pair = &operations->list[i];
        struct check_operation *operation = pair->value;
        if (!check->ended_early && !check->gaps)
            omptape_check_report_end(check, topic, operation->location,
                                     "%s of event %" PRIu64
                                     ": expected a completion with matching id %" PRIu64
                                     " for %s, found none",
                                     operation->name, operation->number, pair->low,
                                     omptape_check_label(check, on, pair->high).text);
        free(operation);
    }
    omptape_pairs_free(operations);
}
