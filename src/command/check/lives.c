/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies that communicators whose definition says so are made and freed in turn, in each process, whose
 * threads may free what others made. Called by events.c.
 */
#include "src/command/check/state.h"

static const char TOPIC[] = "communicator";

void omptape_check_life(struct omptape_check *check, struct check_location *location,
                        const struct omptape_event *event)
{
    const uint64_t comm = event->refs[0].id;
    const bool made = event->kind == OMPTAPE_EVENT_COMM_CREATE;
    const struct omptape_definition *definition = omptape_reader_find(check->reader, OMPTAPE_DEF_COMM, comm);
    bool *is_there = omptape_check_obtain(check, &location->process->lives, 0, comm, sizeof(*is_there));
    if (is_there == NULL)
        return;
    if ((definition->value[1] & OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS) == 0)
        omptape_check_report_event(
            check, TOPIC, location, event,
            "%s: expected the flag CREATE_DESTROY_EVENTS in its definition, found none",
            omptape_check_label(check, OMPTAPE_DEF_COMM, comm).text);
    if (*is_there == made && !check->gaps)
        omptape_check_report_event(check, TOPIC, location, event, "%s: expected it to be %s, found it %s",
                                   omptape_check_label(check, OMPTAPE_DEF_COMM, comm).text,
                                   made ? "freed before" : "made before",
                                   made ? "made" : "freed, or never made");
    *is_there = made;
}
