/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies operations that have a begin event and a completion event with the same object (an RMA window or
 * I/O handle) and matching id. RMA transfers are paired per location. MPI's transfers and I/O are paired per
 * process, because any thread may complete them. Called by events.c.
 */
#include "src/command/check/state.h"

#include <inttypes.h>
#include <stdlib.h>

/* Pending operations with the same object and matching id. */
struct check_operation {
    struct check_place begin; /* the first begin event */
    uint64_t pending;
};

/* Adds a pending operation. The event's first reference is the object, its second value the matching id.
 * Returns NULL if out of memory. */
static const struct check_operation *begin_operation(const struct check *check,
                                                     struct omptape_pairs *operations,
                                                     const struct omptape_event *event)
{
    uint64_t on = event->refs[0].id;
    struct check_operation *operation = omptape_pairs_get(operations, on, event->value[1]);
    if (operation == NULL) {
        operation = omptape_calloc(1, sizeof(*operation));
        if (operation == NULL || omptape_pairs_put(operations, on, event->value[1], operation) != 0) {
            free(operation);
            return NULL;
        }
        operation->begin = check->at;
    }
    operation->pending++;
    return operation;
}

/* Completes all pending operations with the event's matching id. `needed`: none is a violation. */
static void complete_operation(struct check *check, struct omptape_pairs *operations,
                               const struct omptape_event *event, const char *topic, bool needed)
{
    struct check_operation *operation = omptape_pairs_remove(operations, event->refs[0].id, event->value[1]);
    if (operation == NULL && needed && !check->gaps)
        check_report(check, topic,
                     "%s: expected an operation with matching id %" PRIu64 " before it, found none",
                     check_label(check, event->refs[0].kind, event->refs[0].id).text, event->value[1]);
    free(operation);
}

/* Reports operations without completion if that is a violation, and frees all. */
static void end_operations(struct check *check, struct omptape_pairs *operations,
                           enum omptape_definition_kind on, const char *topic)
{
    for (uint32_t i = 0; i < operations->count; i++) {
        const struct omptape_pair *pair = &operations->list[i];
        struct check_operation *operation = pair->value;
        if (!check->ended_early && !check->gaps)
            check_report_at(check, topic, &operation->begin,
                            "expected a completion with matching id %" PRIu64 " for %s, found none",
                            pair->low, check_label(check, on, pair->high).text);
        free(operation);
    }
    omptape_pairs_free(operations);
}

static const struct omptape_definition *group_of(const struct check *check, const struct omptape_event *event,
                                                 const struct omptape_definition **comm)
{
    const struct omptape_definition *window =
        omptape_reader_find(check->reader, OMPTAPE_DEF_RMA_WIN, event->refs[0].id);
    *comm = window == NULL ? NULL : omptape_reader_find(check->reader, OMPTAPE_DEF_COMM, window->refs[1].id);
    return *comm == NULL ? NULL : omptape_reader_find(check->reader, OMPTAPE_DEF_GROUP, (*comm)->refs[1].id);
}

static struct omptape_pairs *transfers_of(const struct check *check, struct check_location *location,
                                          const struct omptape_event *event)
{
    const struct omptape_definition *comm;
    const struct omptape_definition *group = group_of(check, event, &comm);
    return group != NULL && group->value[1] == OTF2_PARADIGM_MPI ? &location->process->transfers
                                                                 : &location->transfers;
}

static void check_remote(struct check *check, const struct omptape_event *event)
{
    const struct omptape_definition *comm;
    const struct omptape_definition *group = group_of(check, event, &comm);
    if (group != NULL && comm->value[0] == 0 && group->value[0] == OTF2_GROUP_TYPE_COMM_GROUP &&
        (group->value[2] & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) == 0 && event->value[0] >= group->member_count) {
        check_report(check, "rma",
                     "%s: expected a remote rank below %" PRIu32 " (size of its comm), found %" PRIu64,
                     check_label(check, OMPTAPE_DEF_RMA_WIN, event->refs[0].id).text, group->member_count,
                     event->value[0]);
    }
}

void check_transfer(struct check *check, struct check_location *location, const struct omptape_event *event)
{
    check_devices_transfer(check, location, event);
    if (event->kind == OMPTAPE_EVENT_RMA_OPERATION) {
        check_remote(check, event);
        if (begin_operation(check, transfers_of(check, location, event), event) != NULL)
            check->seen.transfers++;
        return;
    }
    /* A remote completion may follow the local completion of the same operation. */
    complete_operation(check, transfers_of(check, location, event), event, "rma", event->value[2] == 0);
}

void check_transfers_end(struct check *check, struct omptape_pairs *transfers)
{
    end_operations(check, transfers, OMPTAPE_DEF_RMA_WIN, "rma");
}

void check_io(struct check *check, struct check_location *location, const struct omptape_event *event)
{
    struct omptape_pairs *operations = &location->process->io;
    if (event->kind != OMPTAPE_EVENT_IO_OPERATION) {
        complete_operation(check, operations, event, "io", true);
        return;
    }
    const struct check_operation *operation = begin_operation(check, operations, event);
    if (operation != NULL && operation->pending > 1)
        check_report(check, "io",
                     "%s: expected no operation with matching id %" PRIu64 " that goes on, found one",
                     check_label(check, OMPTAPE_DEF_IO_HANDLE, event->refs[0].id).text, event->value[1]);
}

void check_io_end(struct check *check, struct omptape_pairs *operations)
{
    end_operations(check, operations, OMPTAPE_DEF_IO_HANDLE, "io");
}
