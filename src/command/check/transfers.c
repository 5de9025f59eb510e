/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies that transfers (RMA) and their completions pair up on each location, by window and matching id; of
 * MPI's in each process, whose threads may complete what others began. Called by events.c.
 */
#include "src/command/check/state.h"

#include <inttypes.h>
#include <stdlib.h>

static const char TOPIC[] = "rma";

/* Operations with one matching id that are not complete. */
struct check_transfer {
    const struct check_location *location;
    uint64_t pending;
    uint64_t number; /* of the first such event */
    const char *name;
};

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

static void begin_transfer(struct omptape_check *check, struct check_location *location,
                           const struct omptape_event *event)
{
    uint64_t window = event->refs[0].id;
    struct omptape_pairs *transfers = transfers_of(check, location, event);
    struct check_transfer *transfer = omptape_pairs_get(transfers, window, event->value[1]);
    if (transfer == NULL) {
        transfer = calloc(1, sizeof(*transfer));
        if (transfer == NULL || omptape_pairs_put(transfers, window, event->value[1], transfer) != 0) {
            free(transfer);
            check->no_memory = true;
            return;
        }
        transfer->location = location;
        transfer->number = location->events;
        transfer->name = event->name;
    }
    transfer->pending++;
    check->seen.transfers++;
}

void omptape_check_transfer(struct omptape_check *check, struct check_location *location,
                            const struct omptape_event *event)
{
    omptape_check_devices_transfer(check, location, event);
    if (event->kind == OMPTAPE_EVENT_RMA_OPERATION) {
        check_remote(check, location, event);
        begin_transfer(check, location, event);
        return;
    }
    struct check_transfer *transfer =
        omptape_pairs_take(transfers_of(check, location, event), event->refs[0].id, event->value[1]);
    /* A completion at the remote side may follow one at this side. */
    bool needs_operation = event->value[2] == 0 && !check->gaps;
    if (transfer == NULL && needs_operation) {
        omptape_check_report_event(
            check, TOPIC, location, event,
            "%s: expected an operation with matching id %" PRIu64 " before it, found none",
            omptape_check_label(check, OMPTAPE_DEF_RMA_WIN, event->refs[0].id).text, event->value[1]);
    }
    free(transfer);
}

void omptape_check_transfers_end(struct omptape_check *check, struct omptape_pairs *transfers)
{
    for (uint32_t i = 0; i < transfers->count; i++) {
        const struct omptape_pair *pair = &transfers->list[i];
        struct check_transfer *transfer = pair->value;
        if (!check->ended_early && !check->gaps) {
            omptape_check_report_end(check, TOPIC, transfer->location,
                                     "%s of event %" PRIu64
                                     ": expected a completion with matching id %" PRIu64
                                     " for %s, found none",
                                     transfer->name, transfer->number, pair->low,
                                     omptape_check_label(check, OMPTAPE_DEF_RMA_WIN, pair->high).text);
        }
        free(transfer);
    }
    omptape_pairs_free(transfers);
}
