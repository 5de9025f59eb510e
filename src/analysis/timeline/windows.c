/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the events of windows of time (windows.h). Called by the analysis for each interval and event.
 */
#include "src/analysis/timeline/windows.h"

#include "src/analysis/timeline/streams.h"
#include "src/archive/read/regions.h"
#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

enum { LEAD_PART = 4 }; /* at most one in LEAD_PART entries of a window may be from before its core */

struct window_location {
    const struct omptape_definition *definition; /* a device's stream; NULL: a thread */
    struct omptape_device_stream stream;
    uint64_t first; /* first event; 0: none yet */
    uint64_t last;
    struct timeline_reading kernel;
    /* Time of the last metric event: an interval ends there although nothing else changed. */
    uint64_t reading;
    /* From the Enter of the newest loop or chunk: */
    uint64_t loop; /* region */
    uint64_t iterations;
};

struct windows_state {
    struct omptape_pairs locations; /* (0, id) -> window_location */
    struct timeline_kernel kernel;
    struct replay_arrows *arrows;
    bool looked_at;  /* the current event lies in a window */
    uint64_t before; /* time of the location's previous event; 0: none */
    struct omptape_arena arena;
};

const struct window_arrow_words omptape_window_arrow_kinds[] = {
    [REPLAY_ARROW_LOCK] = {"lock handed on", "hands the lock to", "gets the lock from"},
    [REPLAY_ARROW_TASK] = {"task created", "creates a task for", "task created by"},
    [REPLAY_ARROW_DEPENDENCE] = {"task dependence",
                                 "a task of this one depends on it:", "depends on a task of"},
    [REPLAY_ARROW_FORK] = {"fork", "forks", "forked by"},
    [REPLAY_ARROW_WAIT] = {"waiting for", "waits for", "is waited for by"},
    [REPLAY_ARROW_MESSAGE] = {"message", "sends to", "gets a message of"},
    [REPLAY_ARROW_DEVICE] = {"device operation", "starts it on", "started by"},
    [REPLAY_ARROW_CREATE] = {"thread created", "creates", "created by"},
    [REPLAY_ARROW_JOIN] = {"thread awaited", "awaited by", "awaited the end of"},
};

/* Moves the window's begin to `time`, and drops what ended before. */
static void forget(struct omptape_window *window, uint64_t time)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < window->interval_count; i++)
        if (window->intervals[i].to > time)
            window->intervals[kept++] = window->intervals[i];
    window->interval_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < window->state_count; i++)
        if (window->states[i].did.to > time)
            window->states[kept++] = window->states[i];
    window->state_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < window->arrow_count; i++)
        if (window->arrows[i].to > time)
            window->arrows[kept++] = window->arrows[i];
    window->arrow_count = kept;
    window->begin = time;
    window->cut = true;
}

/* Adds an arrow to the windows that it overlaps, unless it begins and ends on the same location. */
static void keep_arrow(struct omptape_windows *windows, const struct window_arrow *arrow)
{
    for (uint32_t i = 0; i < windows->count && arrow->from_location != arrow->to_location; i++) {
        struct omptape_window *window = &windows->list[i];
        if (arrow->to < window->begin || arrow->from > window->end)
            continue;
        if (arrow->to <= window->core && window->arrow_count >= WINDOWS_MAX_ARROWS / LEAD_PART)
            forget(window, window->arrows[window->arrow_count / 2].to);
        if (window->arrow_count == WINDOWS_MAX_ARROWS)
            continue;
        if (!OMPTAPE_APPEND(window->arrows, window->arrow_count, window->arrow_capacity, *arrow))
            return;
    }
}

static void on_linked(void *data, enum replay_arrow_kind kind, uint64_t from_location, uint64_t from,
                      uint64_t to_location, uint64_t to)
{
    keep_arrow(data, &(struct window_arrow){kind, from_location, to_location, from, to});
}

/* Follows arrows that begin in a window, and all messages: a message that ends in a window may have begun
 * before. The rows have the lives of threads. */
static bool begin_arrow(void *data, enum replay_arrow_kind kind, const struct omptape_event *event,
                        void **owned)
{
    const struct omptape_windows *windows = data;
    (void)event;
    (void)owned;
    const bool is_life = kind == REPLAY_ARROW_CREATE || kind == REPLAY_ARROW_JOIN;
    return (windows->state->looked_at && !is_life) || kind == REPLAY_ARROW_MESSAGE;
}

/* Reports an arrow that ends. A lock requested after its release was free: it has no arrow. */
static void end_arrow(void *data, enum replay_arrow_kind kind, const struct replay_tail *tail,
                      const struct omptape_event *event)
{
    const struct omptape_windows *windows = data;
    const bool is_late = kind == REPLAY_ARROW_LOCK && tail->time < windows->state->before;
    const bool is_shown = windows->state->looked_at || kind == REPLAY_ARROW_DEPENDENCE;
    if (is_shown && !is_late && event->kind != OMPTAPE_EVENT_TASK_COMPLETE)
        on_linked(data, kind, tail->location, tail->time, event->location, event->time);
}

static const struct replay_arrow_observer arrow_observer = {.begin = begin_arrow, .end = end_arrow};

static bool add_locations(struct omptape_windows *windows)
{
    const struct omptape_reader *reader = windows->reader;
    OMPTAPE_EACH_DEFINITION(definition, reader, OMPTAPE_DEF_LOCATION) {
        struct window_location *location = omptape_pairs_obtain(
            &windows->state->locations, &windows->state->arena, 0, definition->id, sizeof(*location));
        if (location == NULL)
            return false;
        if (!omptape_location_is_thread(reader, definition) &&
            definition->value[0] != OTF2_LOCATION_TYPE_METRIC)
            location->definition = definition;
    }
    return true;
}

struct omptape_windows *omptape_windows_new(const struct omptape_reader *reader)
{
    struct omptape_windows *windows = omptape_calloc(1, sizeof(*windows));
    struct windows_state *state = omptape_calloc(1, sizeof(*state));
    if (windows == NULL || state == NULL) {
        free(windows);
        free(state);
        return NULL;
    }
    state->kernel.reader = reader;
    state->arrows = replay_new_arrows(reader, &arrow_observer, windows);
    windows->reader = reader;
    windows->state = state;
    windows->first = UINT64_MAX;
    if (state->arrows == NULL || !add_locations(windows)) {
        omptape_windows_free(windows);
        return NULL;
    }
    return windows;
}

void omptape_windows_add(struct omptape_windows *windows, uint64_t begin, uint64_t core, uint64_t end)
{
    if (windows->count == WINDOWS_MAX || end <= begin)
        return;
    for (uint32_t i = 0; i < windows->count; i++)
        if (windows->list[i].begin == begin && windows->list[i].end == end)
            return;
    windows->list[windows->count++] = (struct omptape_window){.begin = begin, .core = core, .end = end};
    windows->first = begin < windows->first ? begin : windows->first;
    windows->last = end > windows->last ? end : windows->last;
}

/* Moves the window's end to `time` for all threads: threads of different lengths would be misleading. */
static void cut_window(struct omptape_window *window, uint64_t time)
{
    if (time < window->end) {
        window->end = time > window->begin ? time : window->begin;
        window->cut = true;
    }
}

static void keep_interval(struct omptape_windows *windows, struct omptape_window *window,
                          const struct window_interval *interval)
{
    if (interval->to <= window->core && window->interval_count >= windows->most / LEAD_PART)
        forget(window, window->intervals[window->interval_count / 2].to);
    if (window->interval_count == windows->most) {
        cut_window(window, interval->from);
        return;
    }
    (void)OMPTAPE_APPEND(window->intervals, window->interval_count, window->interval_capacity, *interval);
}

/* Extends the location's last interval if only a reading separates the two. False if not in the window. */
static bool extend_last(struct omptape_window *window, const struct window_interval *interval)
{
    enum { MAX_STEPS = 1024 };
    for (uint32_t i = window->interval_count; i > 0 && window->interval_count - i < MAX_STEPS; i--) {
        struct window_interval *before = &window->intervals[i - 1];
        if (before->location != interval->location)
            continue;
        bool is_same = before->to == interval->from && before->has_region == interval->has_region &&
                       before->region == interval->region && before->bucket == interval->bucket;
        before->to = is_same ? interval->to : before->to;
        return is_same;
    }
    return false;
}

static void add_interval(struct omptape_windows *windows, const struct window_location *location,
                         const struct window_interval *interval)
{
    if (interval->to <= windows->first || interval->from >= windows->last)
        return;
    for (uint32_t i = 0; i < windows->count; i++)
        if (interval->to > windows->list[i].begin && interval->from < windows->list[i].end &&
            !(location != NULL && location->reading == interval->from &&
              extend_last(&windows->list[i], interval)))
            keep_interval(windows, &windows->list[i], interval);
}

static void on_booked(void *data, struct omptape_analysis_observed *thread, enum omptape_bucket bucket,
                      struct omptape_analysis_observed *region, uint64_t from, uint64_t to)
{
    struct omptape_windows *windows = data;
    if (to <= windows->first || from >= windows->last)
        return;
    const struct window_location *location =
        omptape_pairs_get(&windows->state->locations, 0, thread->definition->id);
    bool is_loop = location != NULL && region != NULL && location->iterations > 0 &&
                   location->loop == region->definition->id;
    const struct window_interval interval = {.location = thread->definition->id,
                                             .region = region == NULL ? 0 : region->definition->id,
                                             .from = from,
                                             .to = to,
                                             .iterations = is_loop ? location->iterations : 0,
                                             .has_region = region != NULL,
                                             .bucket = (uint8_t)bucket};
    add_interval(windows, location, &interval);
}

static void on_stream(struct omptape_windows *windows, struct window_location *location,
                      const struct omptape_event *event)
{
    struct omptape_stream_interval did;
    omptape_stream_event(&location->stream, windows->reader, event, &did);
    const struct window_interval interval = {.location = event->location,
                                             .region = did.region == NULL ? 0 : did.region->id,
                                             .from = did.from,
                                             .to = did.to,
                                             .has_region = did.region != NULL,
                                             .bucket = (uint8_t)did.bucket};
    if (did.to > did.from)
        add_interval(windows, NULL, &interval);
}

/* Notes iterations of all loops and chunks: a loop in a window may have been entered long before it. */
static void on_enter(const struct omptape_windows *windows, struct window_location *location,
                     const struct omptape_event *event)
{
    uint64_t iterations;
    if (!omptape_event_number(windows->reader, event, READER_ITERATIONS, &iterations))
        return;
    location->loop = event->refs[0].id;
    location->iterations = iterations;
}

/* Adds a state to the window; if the window is full the state is dropped. */
static void keep_state(struct omptape_windows *windows, struct omptape_window *window,
                       const struct window_state *state)
{
    if (window->state_count == windows->most)
        return;
    (void)OMPTAPE_APPEND(window->states, window->state_count, window->state_capacity, *state);
}

static void on_reading(struct omptape_windows *windows, struct window_location *location,
                       const struct omptape_event *event)
{
    struct timeline_kernel *kernel = &windows->state->kernel;
    struct window_state state = {.location = event->location};
    if (!omptape_timeline_is_reading(kernel, event) ||
        !omptape_timeline_read_states(kernel, &location->kernel, event, location->first, &state.did))
        return;
    for (uint32_t i = 0; i < windows->count; i++)
        if (state.did.to > windows->list[i].begin && state.did.from < windows->list[i].end)
            keep_state(windows, &windows->list[i], &state);
}

static bool is_looked_at(const struct omptape_windows *windows, uint64_t time)
{
    for (uint32_t i = 0; i < windows->count; i++)
        if (time >= windows->list[i].begin && time <= windows->list[i].end)
            return true;
    return false;
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct omptape_windows *windows = data;
    struct window_location *location = omptape_pairs_get(&windows->state->locations, 0, event->location);
    /* An interval across a window's end is booked at its own end. The pass therefore continues after the last
     * window, for as long as the windows span. */
    bool over = event->time > windows->last && event->time - windows->last > windows->last - windows->first;
    if (location != NULL && location->definition != NULL)
        on_stream(windows, location, event);
    else if (location != NULL && event->kind == OMPTAPE_EVENT_ENTER)
        on_enter(windows, location, event);
    windows->state->looked_at = is_looked_at(windows, event->time);
    windows->state->before = location != NULL ? location->last : 0;
    replay_follow_arrows(windows->state->arrows, event);
    if (location != NULL)
        location->last = event->time;
    if (location != NULL && location->first == 0)
        location->first = event->time;
    if (location != NULL && event->kind == OMPTAPE_EVENT_METRIC) {
        location->reading = event->time;
        if (location->definition == NULL)
            on_reading(windows, location, event);
    }
    return !over && !omptape_out_of_memory;
}

struct omptape_analysis_observer omptape_windows_observer(struct omptape_windows *windows)
{
    enum { MAX_WHOLE = WINDOWS_TOTAL_INTERVALS / WINDOWS_MAX_INTERVALS };
    windows->most =
        windows->count > MAX_WHOLE ? WINDOWS_TOTAL_INTERVALS / windows->count : WINDOWS_MAX_INTERVALS;
    return (struct omptape_analysis_observer){
        .data = windows, .booked = on_booked, .linked = on_linked, .event = on_event, .together = true};
}

void omptape_windows_free(struct omptape_windows *windows)
{
    if (windows == NULL)
        return;
    for (uint32_t i = 0; i < windows->count; i++) {
        free(windows->list[i].intervals);
        free(windows->list[i].states);
        free(windows->list[i].arrows);
    }
    for (uint32_t i = 0; i < windows->state->locations.count; i++)
        omptape_stream_free(&((struct window_location *)windows->state->locations.list[i].value)->stream);
    replay_free_arrows(windows->state->arrows);
    omptape_pairs_free(&windows->state->locations);
    omptape_arena_free(&windows->state->arena);
    free(windows->state);
    free(windows);
}
