/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps what happens in windows of time (windows.h). Called by the analysis for each stretch and event.
 */
#include "src/analysis/windows.h"

#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

/* Whose creation is remembered. */
enum { MOST_TASKS = 100000 };

/* Where an arrow may begin. */
struct arrow_tail {
    uint64_t location;
    uint64_t time;
    bool taken;
};

/* What the Enter of a location's newest loop or chunk said. */
struct loop_entered {
    uint64_t region;
    uint64_t iterations;
};

struct windows_state {
    uint64_t attribute;         /* "iterations"; UINT64_MAX: there is none */
    struct omptape_pairs loops; /* (0, location) -> loop_entered */
    struct omptape_pairs locks; /* (location group, lock) -> its last release */
    struct omptape_pairs tasks; /* (communicator, thread and generation) -> its creation */
    struct omptape_arena arena;
};

static uint64_t find_iterations(const struct omptape_reader *reader)
{
    for (uint32_t i = 0; i < reader->definition_count; i++) {
        const struct omptape_definition *attribute = reader->definitions[i];
        if (attribute->kind == OMPTAPE_DEF_ATTRIBUTE && attribute->value[0] == OTF2_TYPE_UINT64 &&
            strcmp(omptape_reader_name(reader, OMPTAPE_DEF_ATTRIBUTE, attribute->id), "iterations") == 0)
            return attribute->id;
    }
    return UINT64_MAX;
}

struct omptape_windows *omptape_windows_new(const struct omptape_reader *reader)
{
    struct omptape_windows *windows = calloc(1, sizeof(*windows));
    struct windows_state *state = calloc(1, sizeof(*state));
    if (windows == NULL || state == NULL) {
        free(windows);
        free(state);
        return NULL;
    }
    state->attribute = find_iterations(reader);
    windows->reader = reader;
    windows->state = state;
    windows->first = UINT64_MAX;
    return windows;
}

void omptape_windows_add(struct omptape_windows *windows, uint64_t begin, uint64_t end)
{
    if (windows->count == WINDOWS_MOST || end <= begin)
        return;
    windows->list[windows->count++] = (struct omptape_window){.begin = begin, .end = end};
    windows->first = begin < windows->first ? begin : windows->first;
    windows->last = end > windows->last ? end : windows->last;
}

/* The window ends here: to show some threads longer than others would be wrong. */
static void cut_window(struct omptape_window *window, uint64_t time)
{
    if (time < window->end) {
        window->end = time > window->begin ? time : window->begin;
        window->cut = true;
    }
}

static void keep_stretch(struct omptape_windows *windows, struct omptape_window *window,
                         const struct window_stretch *stretch)
{
    if (window->stretch_count == windows->most) {
        cut_window(window, stretch->from);
        return;
    }
    struct window_stretch *list = omptape_array_reserve(window->stretches, window->stretch_count + 1,
                                                        &window->stretch_room, sizeof(*list));
    if (list == NULL) {
        windows->no_memory = true;
        return;
    }
    window->stretches = list;
    list[window->stretch_count++] = *stretch;
}

static void on_booked(void *data, const struct omptape_definition *location, enum omptape_bucket bucket,
                      const struct analysis_region *region, uint64_t from, uint64_t to)
{
    struct omptape_windows *windows = data;
    if (to <= windows->first || from >= windows->last)
        return;
    const struct loop_entered *loop = omptape_pairs_get(&windows->state->loops, 0, location->id);
    bool is_loop = loop != NULL && region != NULL && loop->region == region->definition->id;
    const struct window_stretch stretch = {.location = location->id,
                                           .region = region == NULL ? 0 : region->definition->id,
                                           .from = from,
                                           .to = to,
                                           .iterations = is_loop ? loop->iterations : 0,
                                           .has_region = region != NULL,
                                           .bucket = (uint8_t)bucket};
    for (uint32_t i = 0; i < windows->count; i++)
        if (to > windows->list[i].begin && from < windows->list[i].end)
            keep_stretch(windows, &windows->list[i], &stretch);
}

static void draw_arrow(struct omptape_windows *windows, enum window_arrow_kind kind,
                       const struct arrow_tail *tail, const struct omptape_event *event)
{
    const struct window_arrow arrow = {kind, tail->location, event->location, tail->time, event->time};
    for (uint32_t i = 0; i < windows->count; i++) {
        struct omptape_window *window = &windows->list[i];
        if (arrow.to < window->begin || arrow.from > window->end ||
            window->arrow_count == WINDOWS_MOST_ARROWS)
            continue;
        struct window_arrow *list = omptape_array_reserve(window->arrows, window->arrow_count + 1,
                                                          &window->arrow_room, sizeof(*list));
        if (list == NULL) {
            windows->no_memory = true;
            return;
        }
        window->arrows = list;
        list[window->arrow_count++] = arrow;
    }
}

static struct arrow_tail *tail_of(struct omptape_windows *windows, struct omptape_pairs *tails, uint64_t high,
                                  uint64_t low)
{
    struct arrow_tail *tail = omptape_pairs_obtain(tails, &windows->state->arena, high, low, sizeof(*tail));
    windows->no_memory = windows->no_memory || tail == NULL;
    return tail;
}

/* Locks of different processes have the same numbers. */
static uint64_t process_of(const struct omptape_windows *windows, const struct omptape_event *event)
{
    const struct omptape_definition *location =
        omptape_reader_find(windows->reader, OMPTAPE_DEF_LOCATION, event->location);
    return location == NULL ? 0 : location->refs[1].id;
}

static void on_lock(struct omptape_windows *windows, const struct omptape_event *event)
{
    struct arrow_tail *tail =
        tail_of(windows, &windows->state->locks, process_of(windows, event), event->value[0]);
    if (tail == NULL)
        return;
    if (event->kind == OMPTAPE_EVENT_LOCK_RELEASE)
        *tail = (struct arrow_tail){.location = event->location, .time = event->time};
    else if (tail->time > 0 && !tail->taken && tail->location != event->location)
        draw_arrow(windows, WINDOW_ARROW_LOCK, tail, event);
    tail->taken = event->kind == OMPTAPE_EVENT_LOCK_ACQUIRE;
}

static void on_task(struct omptape_windows *windows, const struct omptape_event *event)
{
    struct omptape_pairs *tasks = &windows->state->tasks;
    uint64_t low = event->value[0] << 32 | (event->value[1] & UINT32_MAX);
    if (event->value[1] == 0)
        return; /* back to the implicit task */
    struct arrow_tail *tail = omptape_pairs_get(tasks, event->refs[0].id, low);
    if (event->kind == OMPTAPE_EVENT_TASK_CREATE) {
        if (tail == NULL && tasks->count < MOST_TASKS)
            tail = tail_of(windows, tasks, event->refs[0].id, low);
        if (tail != NULL)
            *tail = (struct arrow_tail){.location = event->location, .time = event->time};
    } else if (tail != NULL && !tail->taken) {
        draw_arrow(windows, WINDOW_ARROW_TASK, tail, event);
        tail->taken = true;
    }
}

/* Of all loops and chunks: one that is in a window may have been entered long before it. */
static void on_enter(struct omptape_windows *windows, const struct omptape_event *event)
{
    struct windows_state *state = windows->state;
    uint64_t iterations = 0;
    if (state->attribute == UINT64_MAX ||
        OTF2_AttributeList_GetUint64(event->attributes, (OTF2_AttributeRef)state->attribute, &iterations) !=
            OTF2_SUCCESS)
        return;
    struct loop_entered *loop =
        omptape_pairs_obtain(&state->loops, &state->arena, 0, event->location, sizeof(*loop));
    windows->no_memory = windows->no_memory || loop == NULL;
    if (loop != NULL)
        *loop = (struct loop_entered){.region = event->refs[0].id, .iterations = iterations};
}

/* Outside of all windows no arrow begins or ends. */
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
    /* What a thread does across a window's end is booked when it ends: a while is waited for that. */
    bool over = event->time > windows->last && event->time - windows->last > windows->last - windows->first;
    if (event->kind == OMPTAPE_EVENT_ENTER)
        on_enter(windows, event);
    if (!is_looked_at(windows, event->time))
        return !over && !windows->no_memory;
    switch (event->kind) {
    case OMPTAPE_EVENT_LOCK_ACQUIRE:
    case OMPTAPE_EVENT_LOCK_RELEASE:
        on_lock(windows, event);
        break;
    case OMPTAPE_EVENT_TASK_CREATE:
    case OMPTAPE_EVENT_TASK_SWITCH:
        on_task(windows, event);
        break;
    default:
        break;
    }
    return !windows->no_memory;
}

struct omptape_analysis_watcher omptape_windows_watcher(struct omptape_windows *windows)
{
    enum { MOST_WHOLE = WINDOWS_ALL_STRETCHES / WINDOWS_MOST_STRETCHES };
    windows->most =
        windows->count > MOST_WHOLE ? WINDOWS_ALL_STRETCHES / windows->count : WINDOWS_MOST_STRETCHES;
    return (struct omptape_analysis_watcher){
        .data = windows, .booked = on_booked, .event = on_event, .together = true};
}

void omptape_windows_free(struct omptape_windows *windows)
{
    if (windows == NULL)
        return;
    for (uint32_t i = 0; i < windows->count; i++) {
        free(windows->list[i].stretches);
        free(windows->list[i].arrows);
    }
    omptape_pairs_free(&windows->state->loops);
    omptape_pairs_free(&windows->state->locks);
    omptape_pairs_free(&windows->state->tasks);
    omptape_arena_free(&windows->state->arena);
    free(windows->state);
    free(windows);
}
