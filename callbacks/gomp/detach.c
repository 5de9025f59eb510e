/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which task an event belongs to (detach.h): a short list, since such tasks are few at a time. An event that
 * is not found, because there was no room or its task has not begun, is fulfilled early.
 */
#include "callbacks/gomp/detach.h"

#include "callbacks/gomp/record.h"

#include <stdatomic.h>

enum { MOST_EVENTS = 1024 };

static struct {
    uint64_t event; /* 0: a free place */
    uint64_t task;  /* 0: it has not begun to run */
    bool fulfilled;
    bool returned;
} events[MOST_EVENTS];
static unsigned used; /* places that were ever taken */
static atomic_flag changing = ATOMIC_FLAG_INIT;

/* The event's place, or a free one with its name; MOST_EVENTS: there is no room. */
static unsigned find(uint64_t event)
{
    unsigned place = MOST_EVENTS;
    for (unsigned i = 0; i < used; i++) {
        if (events[i].event == event)
            return i;
        if (events[i].event == 0)
            place = i;
    }
    if (place == MOST_EVENTS && used < MOST_EVENTS)
        place = used++;
    if (place < MOST_EVENTS) {
        events[place].event = event;
        events[place].task = 0;
        events[place].fulfilled = false;
        events[place].returned = false;
    }
    return place;
}

void omptape_gomp_detach_begins(uint64_t event, uint64_t task)
{
    omptape_gomp_hold(&changing);
    const unsigned place = find(event);
    if (place < MOST_EVENTS)
        events[place].task = task;
    omptape_gomp_release(&changing);
}

bool omptape_gomp_detach_ends(uint64_t event, uint64_t task)
{
    bool over = true;
    (void)task;
    omptape_gomp_hold(&changing);
    const unsigned place = find(event);
    if (place < MOST_EVENTS) {
        over = events[place].fulfilled;
        events[place].returned = true;
        if (over)
            events[place].event = 0;
    }
    omptape_gomp_release(&changing);
    return over;
}

/* True if the task had returned before: it is over with that. */
static bool fulfill(uint64_t event, uint64_t *task)
{
    bool over = false;
    omptape_gomp_hold(&changing);
    const unsigned place = find(event);
    *task = place < MOST_EVENTS ? events[place].task : 0;
    if (place < MOST_EVENTS) {
        over = events[place].returned;
        events[place].fulfilled = true;
        if (over)
            events[place].event = 0;
    }
    omptape_gomp_release(&changing);
    return over;
}

/* Told before: afterwards the task's memory, which the event's name is, may be another one's. */
void omptape_omp_fulfill_event(void *event)
{
    OMPTAPE_GOMP_ENTER(omp_fulfill_event, event);
    ompt_data_t task = {.value = 0};
    (void)site;
    (void)omptape_gomp_thread(OMPTAPE_TASK_SCHEDULE);
    const bool over = fulfill((uint64_t)(uintptr_t)event, &task.value);
    if (OMPTAPE_GOMP_WANTS(task_schedule))
        omptape_on_task_schedule(&task, over ? ompt_task_late_fulfill : ompt_task_early_fulfill, NULL);
    OMPTAPE_GOMP_REAL(runtime, omp_fulfill_event)(event);
}
