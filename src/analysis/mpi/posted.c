/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queues nonblocking operations until they end (calls.h).
 */
#include "src/analysis/mpi/calls.h"

/* An operation that never ends blocks all later ones. The queue is limited to the number of operations that
 * the library records. */
enum { MAX_BEGUN = 1 << 18 };

struct waits_begun {
    struct waits_begun *next;
    struct waits_part part; /* `waits` is NULL until the operation ends */
    bool lost;              /* its request was reused for another operation */
};

struct waits_queue {
    struct waits_begun *first;
    struct waits_begun **last;
    uint32_t count;
};

static struct waits_queue *queue_of(struct waits *waits, uint64_t process)
{
    struct waits_queue *queue =
        omptape_pairs_obtain(&waits->queues, &waits->arena, 0, process, sizeof(*queue));
    if (queue != NULL && queue->last == NULL)
        queue->last = &queue->first;
    return queue;
}

/* Passes on all operations at the head of the queue that have ended. */
static void pass_on_ended(struct waits *waits, struct waits_queue *queue)
{
    while (queue->first != NULL && (queue->first->lost || queue->first->part.waits != NULL)) {
        struct waits_begun *begun = queue->first;
        queue->first = begun->next;
        queue->last = queue->first == NULL ? &queue->first : queue->last;
        queue->count--;
        if (!begun->lost) {
            omptape_waits_collective(waits, &begun->part);
            omptape_waits_call_drop(waits, begun->part.waits);
        }
        omptape_waits_call_drop(waits, begun->part.came);
        omptape_free_list_free(&waits->free_begun, begun);
    }
}

void omptape_waits_post(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    struct analysis_state *state = waits->state;
    struct waits_queue *queue = queue_of(waits, call->process);
    struct waits_begun *old = omptape_pairs_remove(&waits->begun, call->process, event->value[0]);
    if (old != NULL && queue != NULL) {
        old->lost = true;
        pass_on_ended(waits, queue);
    }
    struct waits_begun *begun = omptape_free_list_alloc(&waits->free_begun, &waits->arena, sizeof(*begun));
    if (begun == NULL || queue == NULL ||
        omptape_pairs_put(&waits->begun, call->process, event->value[0], begun) != 0)
        return;
    *begun = (struct waits_begun){.part.came = omptape_waits_call_use(call)};
    *queue->last = begun;
    queue->last = &begun->next;
    state->mpi_incomplete |= ++queue->count > MAX_BEGUN;
}

void omptape_waits_complete(struct waits *waits, struct waits_call *call, const struct omptape_event *event)
{
    struct waits_queue *queue = queue_of(waits, call->process);
    struct waits_begun *begun = omptape_pairs_remove(&waits->begun, call->process, event->value[4]);
    if (begun == NULL || queue == NULL) {
        /* The operation's position in its communicator is unknown. */
        waits->state->mpi_incomplete = true;
        return;
    }
    begun->part.comm = event->refs[0].id;
    begun->part.order = WAITS_POSTED | event->refs[0].id;
    begun->part.operation = event->value[0];
    begun->part.root = event->value[1];
    begun->part.waits = omptape_waits_call_use(call);
    pass_on_ended(waits, queue);
}
