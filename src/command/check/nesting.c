/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks nesting on each location: regions, forks and teams must close in the reverse order of their opening.
 */
#include "src/command/check/state.h"

#include <inttypes.h>

static const char TOPIC[] = "nesting";

static enum omptape_event_kind opener_of(enum omptape_event_kind closer)
{
    switch (closer) {
    case OMPTAPE_EVENT_LEAVE:
        return OMPTAPE_EVENT_ENTER;
    case OMPTAPE_EVENT_JOIN:
        return OMPTAPE_EVENT_FORK;
    default:
        return OMPTAPE_EVENT_TEAM_BEGIN;
    }
}

/* Returns `region 5 "x" (entered at event 7)`. */
static struct check_label describe_open(const struct check *check, const struct check_open *open)
{
    struct check_label label;
    struct check_label of = check_label(check, open->definition, open->replay.region);
    if (open->kind == OMPTAPE_EVENT_ENTER) {
        snprintf(label.text, sizeof(label.text), "%.140s, entered at event %" PRIu64, of.text, open->number);
    } else if (open->kind == OMPTAPE_EVENT_FORK) {
        snprintf(label.text, sizeof(label.text), "the ThreadFork (%.120s) of event %" PRIu64, of.text,
                 open->number);
    } else {
        snprintf(label.text, sizeof(label.text), "the team of %.120s, begun at event %" PRIu64, of.text,
                 open->number);
    }
    return label;
}

void check_open(struct check_location *location, const struct omptape_event *event)
{
    struct check_open *open = replay_push(&location->replay, sizeof(*open), event->refs[0].id, event->time);
    if (open == NULL)
        return;
    open->kind = event->kind;
    open->definition = event->refs[0].kind;
    open->number = location->events;
    location->open_regions += event->kind == OMPTAPE_EVENT_ENTER;
}

static void drop_to(struct check_location *location, uint32_t depth)
{
    while (location->replay.depth > depth)
        location->open_regions -=
            check_opened(location, --location->replay.depth)->kind == OMPTAPE_EVENT_ENTER;
}

/* After a violation, returns the stack index of the entry that is closed, or the stack's depth, so that one
 * mistake is reported once. A region is searched only within the innermost fork or team. */
static uint32_t find_below(const struct check_location *location, enum omptape_event_kind opener, uint64_t id)
{
    for (uint32_t i = location->replay.depth; i-- > replay_search_end(&location->replay);) {
        const struct check_open *open = check_opened(location, i);
        if (open->kind == opener && open->replay.region == id)
            return i;
        if (opener == OMPTAPE_EVENT_ENTER && open->kind != OMPTAPE_EVENT_ENTER)
            break;
    }
    return location->replay.depth;
}

void check_close(struct check *check, struct check_location *location, const struct omptape_event *event)
{
    enum omptape_event_kind opener = opener_of(event->kind);
    uint64_t id = event->refs[0].id;
    struct check_label found = check_label(check, event->refs[0].kind, id);
    const struct check_open *top = replay_top(&location->replay, sizeof(*top));
    if (top == NULL) {
        check_report(check, TOPIC, "expected something open, found an empty stack (%s)", found.text);
        return;
    }
    if (top->kind == opener && top->replay.region == id) {
        drop_to(location, location->replay.depth - 1);
        return;
    }
    check_report(check, TOPIC, "expected the innermost that is open to end first (%s), found %s",
                 describe_open(check, top).text, found.text);
    uint32_t below = find_below(location, opener, id);
    if (below < location->replay.depth)
        drop_to(location, below);
}

void check_nesting_end(struct check *check, const struct check_location *location)
{
    const struct check_open *top = replay_top(&location->replay, sizeof(*top));
    if (top != NULL) {
        check_report(check, TOPIC, "expected an empty stack, found %" PRIu32 " open: innermost %s",
                     location->replay.depth, describe_open(check, top).text);
    }
}
