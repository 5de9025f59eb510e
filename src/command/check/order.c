/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The deferred check. Teams, tasks and locks depend on several locations, and the order of events with the
 * same timestamp is unknown. Such events are queued until the timestamp changes. Then they are processed in
 * an order that keeps each location's order and violates no rule, if one exists. In omptape's archives the
 * order of arrival is guaranteed: lower locations first. Called by events.c.
 */
#include "src/command/check/state.h"

#include <stdlib.h>

/* Queued events of one location in its order: items[next .. end). */
struct check_run {
    size_t next;
    size_t end;
};

/* Returns the fork's begin around a team's, or UINT64_MAX. The team is on the stack, above its fork. */
static uint64_t fork_of(const struct check_location *location, const struct omptape_event *event)
{
    if (event->kind != OMPTAPE_EVENT_TEAM_BEGIN || location->replay.depth < 2)
        return UINT64_MAX;
    const struct check_open *enclosing = check_opened(location, location->replay.depth - 2);
    return enclosing->kind == OMPTAPE_EVENT_FORK ? enclosing->replay.begin : UINT64_MAX;
}

void check_queue(struct check *check, struct check_location *location, const struct omptape_event *event)
{
    if (!OMPTAPE_RESERVE(check->items, check->item_count + 1, &check->item_capacity))
        return;
    check->items[check->item_count++] = (struct check_deferred_event){.at = check->at,
                                                                      .kind = event->kind,
                                                                      .ref = event->refs[0].id,
                                                                      .first = (uint32_t)event->value[0],
                                                                      .second = (uint32_t)event->value[1],
                                                                      .forked = fork_of(location, event)};
    check->items_time = event->time;
}

static void check_deferred(struct check *check, const struct check_deferred_event *item)
{
    check->at = item->at;
    switch (item->kind) {
    case OMPTAPE_EVENT_TEAM_BEGIN:
        check_team_begin(check, item);
        break;
    case OMPTAPE_EVENT_TEAM_END:
        check_team_end(check, item);
        break;
    case OMPTAPE_EVENT_LOCK_ACQUIRE:
    case OMPTAPE_EVENT_LOCK_RELEASE:
        check_lock(check, item);
        break;
    default:
        check_task(check, item);
        break;
    }
}

static enum check_fit fit_of(struct check *check, const struct check_deferred_event *item)
{
    switch (item->kind) {
    case OMPTAPE_EVENT_TEAM_BEGIN:
    case OMPTAPE_EVENT_TEAM_END:
        return CHECK_FITS;
    case OMPTAPE_EVENT_LOCK_ACQUIRE:
    case OMPTAPE_EVENT_LOCK_RELEASE:
        return check_lock_fit(check, item);
    default:
        return check_task_fit(check, item);
    }
}

/* Breaks ties: acquisitions of the same lock are ordered by their order number. */
static bool comes_before(const struct check_deferred_event *one, const struct check_deferred_event *other)
{
    return one->kind == OMPTAPE_EVENT_LOCK_ACQUIRE && other->kind == OMPTAPE_EVENT_LOCK_ACQUIRE &&
           one->ref == other->ref && one->first == other->first && one->second < other->second;
}

static struct check_run *best_run(struct check *check, struct check_run *runs, size_t run_count)
{
    struct check_run *best = NULL;
    enum check_fit best_fit = CHECK_BREAKS;
    for (size_t i = 0; i < run_count; i++) {
        if (runs[i].next == runs[i].end)
            continue;
        const struct check_deferred_event *item = &check->items[runs[i].next];
        enum check_fit fit = fit_of(check, item);
        if (best == NULL || fit < best_fit ||
            (fit == best_fit && comes_before(item, &check->items[best->next]))) {
            best = &runs[i];
            best_fit = fit;
        }
    }
    return best;
}

/* Processes events of several locations. The reader delivers the events of each location consecutively. */
static void check_in_best_order(struct check *check)
{
    size_t run_count = 0;
    struct check_run *runs = omptape_calloc(check->item_count, sizeof(*runs));
    if (runs == NULL)
        return;
    for (size_t i = 0; i < check->item_count; i++) {
        if (i == 0 || check->items[i].at.location != check->items[i - 1].at.location)
            runs[run_count++].next = i;
        runs[run_count - 1].end = i + 1;
    }
    for (size_t i = 0; i < check->item_count && !check_stopped(check); i++) {
        struct check_run *run = best_run(check, runs, run_count);
        check_deferred(check, &check->items[run->next++]);
    }
    free(runs);
}

void check_run_deferred(struct check *check)
{
    bool in_order = true;
    for (size_t i = 1; i < check->item_count && in_order; i++)
        in_order = check->is_own_archive || check->items[i].at.location == check->items[0].at.location;
    if (in_order)
        for (size_t i = 0; i < check->item_count && !check_stopped(check); i++)
            check_deferred(check, &check->items[i]);
    else
        check_in_best_order(check);
    check->item_count = 0;
}
