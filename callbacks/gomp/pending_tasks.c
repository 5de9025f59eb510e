/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of waiting tasks (pending_tasks.h). Used only with OMP_CANCELLATION=true.
 */
#include "callbacks/gomp/pending_tasks.h"

#include "callbacks/gomp/record.h"

#include <stdlib.h>

struct omptape_gomp_waiting {
    struct omptape_gomp_waiting *next;
    struct omptape_gomp_waiting **before; /* Points to the pointer to this entry. */
    uint64_t task;
    uint64_t region;
};

static struct omptape_gomp_waiting *first;
static atomic_flag changing = ATOMIC_FLAG_INIT;

struct omptape_gomp_waiting *omptape_gomp_waiting_add(uint64_t task, uint64_t region)
{
    struct omptape_gomp_waiting *waiting = malloc(sizeof(*waiting));
    if (waiting == NULL)
        return NULL;
    omptape_gomp_hold(&changing);
    *waiting = (struct omptape_gomp_waiting){first, &first, task, region};
    if (first != NULL)
        first->before = &waiting->next;
    first = waiting;
    omptape_gomp_release(&changing);
    return waiting;
}

static void take_out(struct omptape_gomp_waiting *waiting)
{
    *waiting->before = waiting->next;
    if (waiting->next != NULL)
        waiting->next->before = waiting->before;
}

void omptape_gomp_waiting_remove(struct omptape_gomp_waiting *waiting)
{
    omptape_gomp_hold(&changing);
    take_out(waiting);
    omptape_gomp_release(&changing);
    free(waiting);
}

static struct omptape_gomp_waiting *take_of(uint64_t region)
{
    omptape_gomp_hold(&changing);
    struct omptape_gomp_waiting *waiting = first;
    while (waiting != NULL && waiting->region != region)
        waiting = waiting->next;
    if (waiting != NULL)
        take_out(waiting);
    omptape_gomp_release(&changing);
    return waiting;
}

void omptape_gomp_waiting_discard(uint64_t region)
{
    struct omptape_gomp_waiting *waiting;
    const struct omptape_slot *slot = omptape_producer_slot;
    ompt_data_t current = {.value = slot != NULL ? slot->gomp.task : 0};
    while ((waiting = take_of(region)) != NULL) {
        ompt_data_t task = {.value = waiting->task};
        if (OMPTAPE_GOMP_WANTS(task_schedule))
            omptape_on_task_schedule(&task, ompt_task_cancel, &current);
        free(waiting);
    }
}

void omptape_gomp_waiting_forget(void)
{
    first = NULL;
    omptape_gomp_release(&changing);
}
