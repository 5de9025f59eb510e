/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies that operations on files are complete once, by handle and matching id: in each process, whose
 * threads may complete what others began. Called by events.c.
 */
#include "src/command/check/state.h"

#include <inttypes.h>
#include <stdlib.h>

static const char TOPIC[] = "io";

/* One that is not complete. */
struct check_begun {
    const struct check_location *location;
    uint64_t number; /* of the event */
};

static void begin(struct omptape_check *check, const struct check_location *location,
                  struct omptape_pairs *operations, const struct omptape_event *event)
{
    const uint64_t handle = event->refs[0].id;
    if (omptape_pairs_get(operations, handle, event->value[1]) != NULL) {
        omptape_check_report_event(
            check, TOPIC, location, event,
            "%s: expected no operation with matching id %" PRIu64 " that goes on, found one",
            omptape_check_label(check, OMPTAPE_DEF_IO_HANDLE, handle).text, event->value[1]);
        return;
    }
    struct check_begun *begun = malloc(sizeof(*begun));
    if (begun == NULL || omptape_pairs_put(operations, handle, event->value[1], begun) != 0) {
        free(begun);
        check->no_memory = true;
        return;
    }
    *begun = (struct check_begun){.location = location, .number = location->events};
}

void omptape_check_io(struct omptape_check *check, struct check_location *location,
                      const struct omptape_event *event)
{
    struct omptape_pairs *operations = &location->process->io;
    if (event->kind == OMPTAPE_EVENT_IO_OPERATION) {
        begin(check, location, operations, event);
        return;
    }
    struct check_begun *begun = omptape_pairs_take(operations, event->refs[0].id, event->value[1]);
    if (begun == NULL && !check->gaps)
        omptape_check_report_event(
            check, TOPIC, location, event,
            "%s: expected an operation with matching id %" PRIu64 " before it, found none",
            omptape_check_label(check, OMPTAPE_DEF_IO_HANDLE, event->refs[0].id).text, event->value[1]);
    free(begun);
}

void omptape_check_io_end(struct omptape_check *check, struct omptape_pairs *operations)
{
    for (uint32_t i = 0; i < operations->count; i++) {
        const struct omptape_pair *pair = &operations->list[i];
        struct check_begun *begun = pair->value;
        if (!check->ended_early && !check->gaps)
            omptape_check_report_end(
                check, TOPIC, begun->location,
                "IoOperationBegin of event %" PRIu64 ": expected a completion with matching id %" PRIu64
                " for %s, found none",
                begun->number, pair->low, omptape_check_label(check, OMPTAPE_DEF_IO_HANDLE, pair->high).text);
        free(begun);
    }
    omptape_pairs_free(operations);
}
