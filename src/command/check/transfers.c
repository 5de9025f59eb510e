/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies that transfers (RMA) and their completions pair up on each location, by window and matching id; of
 * MPI's in each process, whose threads may complete what others began. Called by events.c.
 */
#include "src/command/check/operations.h"

#include <inttypes.h>

static const char TOPIC[] = "rma";

/* The group of the window's communicator, or NULL. */
static const struct omptape_definition *group_of(const struct omptape_check *check,
                                                 const struct omptape_event *event,
                                                 const struct omptape_definition **comm)
{
    const struct omptape_definition *window =
        omptape_reader_find(check->reader, OMPTAPE_DEF_RMA_WIN, event->refs[0].id);
    *comm = window == NULL ? NULL : omptape_reader_find(check->reader, OMPTAPE_DEF_COMM, window->refs[1].id);
    return *comm == NULL ? NULL : omptape_reader_find(check->reader, OMPTAPE_DEF_GROUP, (*comm)->refs[1].id);
}

static struct omptape_pairs *transfers_of(const struct omptape_check *check, struct check_location *location,
                                          const struct omptape_event *event)
{
    const struct omptape_definition *comm;
    const struct omptape_definition *group = group_of(check, event, &comm);
    return group != NULL && group->value[1] == OTF2_PARADIGM_MPI ? &location->process->transfers
                                                                 : &location->transfers;
}

static void check_remote(struct omptape_check *check, const struct check_location *location,
                         const struct omptape_event *event)
{
    const struct omptape_definition *comm;
    const struct omptape_definition *group = group_of(check, event, &comm);
    if (group != NULL && comm->value[0] == 0 && group->value[0] == OTF2_GROUP_TYPE_COMM_GROUP &&
        (group->value[2] & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) == 0 && event->value[0] >= group->member_count) {
        omptape_check_report_event(check, TOPIC, location, event,
                                   "%s: expected a remote rank below %" PRIu32
                                   " (size of its comm), found %" PRIu64,
                                   omptape_check_label(check, OMPTAPE_DEF_RMA_WIN, event->refs[0].id).text,
                                   group->member_count, event->value[0]);
    }
}

void omptape_check_transfer(struct omptape_check *check, struct check_location *location,
                            const struct omptape_event *event)
{
    omptape_check_devices_transfer(check, location, event);
    if (event->kind == OMPTAPE_EVENT_RMA_OPERATION) {
        check_remote(check, location, event);
        if (omptape_check_operation_begin(check, transfers_of(check, location, event), location, event) !=
            NULL)
            check->seen.transfers++;
        return;
    }
    /* A completion at the remote side may follow one at this side. */
    omptape_check_operation_complete(check, transfers_of(check, location, event), location, event, TOPIC,
                                     event->value[2] == 0);
}

void omptape_check_transfers_end(struct omptape_check *check, struct omptape_pairs *transfers)
{
    omptape_check_operations_end(check, transfers, OMPTAPE_DEF_RMA_WIN, TOPIC);
}
