/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of pending tasks (record.h). Used only with OMP_CANCELLATION=true.
 */
#include "callbacks/gomp/record.h"

#include <stdlib.h>

struct omptape_gomp_pending_task {
    struct omptape_gomp_pending_task *next;
    struct omptape_gomp_pending_task **before; /* Points to the pointer to this entry. */
    uint64_t task;
    uint64_t region;
};

static struct omptape_gomp_pending_task *first;
static atomic_flag list_lock = ATOMIC_FLAG_INIT;

struct omptape_gomp_pending_task *omptape_gomp_pending_task_add(uint64_t task, uint64_t region)
{
    struct omptape_gomp_pending_task *waiting = malloc(sizeof(*waiting));
    if (waiting == NULL)
        return NULL;
    omptape_gomp_lock(&list_lock);
    *waiting = (struct omptape_gomp_pending_task){first, &first, task, region};
    if (first != NULL)
        first->before = &waiting->next;
    first = waiting;
    omptape_gomp_unlock(&list_lock);
    return waiting;
}

/* Takes the entry to which *at points out of the list. */
static struct omptape_gomp_pending_task *unlink_task(struct omptape_gomp_pending_task **at)
{
    struct omptape_gomp_pending_task *waiting = *at;
    *at = waiting->next;
    if (waiting->next != NULL)
        waiting->next->before = at;
    return waiting;
}

void omptape_gomp_pending_task_remove(struct omptape_gomp_pending_task *waiting)
{
    omptape_gomp_lock(&list_lock);
    unlink_task(waiting->before);
    omptape_gomp_unlock(&list_lock);
    free(waiting);
}

static struct omptape_gomp_pending_task *remove_task_of(uint64_t region)
{
    omptape_gomp_lock(&list_lock);
    struct omptape_gomp_pending_task **at = &first;
    while (*at != NULL && (*at)->region != region)
        at = &(*at)->next;
    struct omptape_gomp_pending_task *waiting = *at != NULL ? unlink_task(at) : NULL;
    omptape_gomp_unlock(&list_lock);
    return waiting;
}

void omptape_gomp_pending_tasks_discard(uint64_t region)
{
    struct omptape_gomp_pending_task *waiting;
    const struct omptape_slot *slot = omptape_producer_slot;
    ompt_data_t current = {.value = slot != NULL ? slot->gomp.task : 0};
    while ((waiting = remove_task_of(region)) != NULL) {
        ompt_data_t task = {.value = waiting->task};
        if (OMPTAPE_GOMP_WANTS(task_schedule))
            omptape_on_task_schedule(&task, ompt_task_cancel, &current);
        free(waiting);
    }
}

void omptape_gomp_pending_tasks_forget(void)
{
    first = NULL;
    omptape_gomp_unlock(&list_lock);
}
