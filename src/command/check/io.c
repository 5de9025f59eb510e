/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies that operations on files are complete once, by handle and matching id: in each process, whose
 * threads may complete what others began. Called by events.c.
 */
#include "src/command/check/operations.h"

#include <inttypes.h>

static const char TOPIC[] = "io";

void omptape_check_io(struct omptape_check *check, struct check_location *location,
                      const struct omptape_event *event)
{
    struct omptape_pairs *operations = &location->process->io;
    if (event->kind != OMPTAPE_EVENT_IO_OPERATION) {
        omptape_check_operation_complete(check, operations, location, event, TOPIC, true);
        return;
    }
    const struct check_operation *operation =
        omptape_check_operation_begin(check, operations, location, event);
    if (operation != NULL && operation->pending > 1)
        omptape_check_report_event(
            check, TOPIC, location, event,
            "%s: expected no operation with matching id %" PRIu64 " that goes on, found one",
            omptape_check_label(check, OMPTAPE_DEF_IO_HANDLE, event->refs[0].id).text, event->value[1]);
}

void omptape_check_io_end(struct omptape_check *check, struct omptape_pairs *operations)
{
    omptape_check_operations_end(check, operations, OMPTAPE_DEF_IO_HANDLE, TOPIC);
}
