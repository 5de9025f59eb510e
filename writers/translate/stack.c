/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the stacks of regions and tasks, one for each location.
 */
#include "writers/translate/stack.h"

#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

uint32_t omptape_stack_find_frame(const struct omptape_location *location, uint64_t task_id)
{
    for (uint32_t i = location->stack.frame_count; i > 0; i--)
        if (omptape_stack_frame_id(&location->stack.frames[i - 1]) == task_id)
            return i;
    return 0;
}

bool omptape_stack_reserve_frame(struct omptape_stack *stack)
{
    return OMPTAPE_RESERVE(stack->frames, stack->frame_count + 1, &stack->frame_capacity);
}

void omptape_stack_pop_last(struct omptape_stack *stack)
{
    stack->frame_count = 0;
    stack->frame = NULL;
    stack->floor = stack->regions;
    stack->implicit_team = NULL;
    stack->in_hidden = false;
    stack->is_helper = false;
}

bool omptape_stack_reserve_region(struct omptape_stack *stack)
{
    ptrdiff_t top = stack->top - stack->regions;
    ptrdiff_t floor = stack->floor - stack->regions;
    uint32_t capacity = (uint32_t)(stack->end - stack->regions);
    if (!OMPTAPE_RESERVE(stack->regions, capacity + 1, &capacity))
        return false;
    stack->end = stack->regions + capacity;
    stack->top = stack->regions + top;
    stack->floor = stack->regions + floor;
    return true;
}

/* True if the Enter of this region must be written. `counted`: region_filter.h has counted the visit. */
static bool is_written(struct omptape_writer *writer, OTF2_RegionRef region, bool hidden, bool counted)
{
    if (writer->paused || hidden) {
        omptape_archive_clear_attributes(&writer->archive);
        return false;
    }
    if (writer->filter != NULL)
        omptape_region_filter_written(writer, region, counted);
    return true;
}

static bool is_hidden(struct omptape_writer *writer, const struct omptape_location *location, uint64_t time,
                      OTF2_RegionRef region, bool hidden, bool decided)
{
    if (writer->filter == NULL)
        return false;
    if (decided)
        return hidden || location->stack.in_hidden;
    return omptape_region_filter_hides(writer, location, time, region, hidden);
}

struct omptape_visibility omptape_stack_decide_visibility(struct omptape_writer *writer,
                                                          const struct omptape_location *location,
                                                          uint64_t time, OTF2_RegionRef region, bool hidden,
                                                          bool decided)
{
    struct omptape_visibility visibility = {.hidden =
                                                is_hidden(writer, location, time, region, hidden, decided),
                                            .counted = decided || !writer->paused};
    visibility.written = is_written(writer, region, visibility.hidden, visibility.counted);
    return visibility;
}

/* Writes the Enter of a region that is already on the stack. */
static void write_enter(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                        struct omptape_open_region *open)
{
    open->begin = time;
    location->last = time;
    open->written = is_written(writer, open->region, open->hidden, open->counted);
    open->counted = open->counted || open->written;
    if (open->written)
        omptape_archive_enter(&writer->archive, location->events, time, open->region);
}

void omptape_stack_enter(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                         const struct omptape_enter *enter)
{
    time = omptape_location_time(location, time);
    omptape_stack_book(location, time);
    struct omptape_site_region found = omptape_stack_site_region(writer, location, enter);
    struct omptape_visibility visibility = {.counted = true, .written = true};
    if (omptape_stack_hides_some(writer))
        visibility = omptape_stack_decide_visibility(writer, location, time, found.region, enter->hidden,
                                                     enter->decided);
    omptape_stack_enter_visible(writer, location, time, enter, &found, visibility);
}

void omptape_stack_write_enter(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time, struct omptape_open_region *open)
{
    if (!open->written)
        write_enter(writer, location, time, open);
}

void omptape_stack_write_point(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time, enum omptape_region_kind kind, uint64_t address)
{
    const struct omptape_enter enter = {.kind = kind, .class = OMPTAPE_CLASS_INNER, .address = address};
    struct omptape_stack_point point = omptape_stack_begin_point(writer, location, time, &enter);
    omptape_stack_end_point(writer, location, &point);
}

struct omptape_open_region *omptape_stack_find(const struct omptape_location *location,
                                               enum omptape_class class, uint16_t key, uint64_t id)
{
    for (struct omptape_open_region *open = location->stack.top; open != location->stack.floor; open--)
        if (omptape_stack_is(open, class, key, id))
            return open;
    return NULL;
}

static void leave_innermost(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                            bool synthesised)
{
    omptape_stack_leave_inline(writer, location, time, synthesised);
}

void omptape_stack_leave(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                         struct omptape_open_region *region, bool synthesised)
{
    if (region == NULL)
        return;
    while (location->stack.top > region)
        leave_innermost(writer, location, time, true);
    omptape_stack_leave_inline(writer, location, time, synthesised);
}

void omptape_stack_unwind_some(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time, uint32_t keep, bool synthesised)
{
    const struct omptape_open_region *last = location->stack.floor + keep;
    while (location->stack.top > last)
        leave_innermost(writer, location, time, synthesised);
}

void omptape_stack_suspend(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_frame *top = omptape_stack_top(location);
    struct omptape_task *task = top->task;
    uint32_t count = (uint32_t)(location->stack.top - location->stack.floor);
    free(task->suspended);
    task->suspended_count = 0;
    task->suspended = count > 0 ? malloc(count * sizeof(*task->suspended)) : NULL;
    if (task->suspended != NULL) {
        memcpy(task->suspended, location->stack.floor + 1, count * sizeof(*task->suspended));
        task->suspended_count = count;
    }
    omptape_stack_unwind(writer, location, time, 0, false);
    task->runs_on = NULL;
    task->left = omptape_location_moment(location);
    omptape_stack_pop(location);
}

void omptape_stack_resume(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                          struct omptape_task *task)
{
    time = omptape_location_time(location, time);
    for (uint32_t i = 0; i < task->suspended_count; i++) {
        omptape_stack_book(location, time);
        struct omptape_open_region *open = omptape_stack_push_region(&location->stack, &task->suspended[i]);
        if (open == NULL)
            break;
        write_enter(writer, location, time, open);
    }
    free(task->suspended);
    task->suspended = NULL;
    task->suspended_count = 0;
}

/* Returns the OTF2 task of the topmost frame that has one, or NULL. `implicit` is memory for the name of
 * an implicit task. `written` receives whether the task may be announced. */
static const struct omptape_task_name *running_task(const struct omptape_location *location,
                                                    struct omptape_task_name *implicit, bool *written)
{
    *written = false;
    for (uint32_t i = location->stack.frame_count; i > 0; i--) {
        const struct omptape_frame *frame = &location->stack.frames[i - 1];
        if (frame->of_other_team)
            continue;
        if (frame->task != NULL && frame->task->name.generation != 0) {
            *written = frame->task->written;
            return &frame->task->name;
        }
        if (frame->task == NULL && frame->team != NULL) {
            *implicit = (struct omptape_task_name){.comm = frame->team->comm, .creator = frame->position};
            *written = frame->written;
            return implicit;
        }
        if (frame->implicit)
            return NULL;
    }
    return NULL;
}

void omptape_stack_set_announced(struct omptape_location *location)
{
    bool written;
    struct omptape_task_name implicit = {.comm = OTF2_UNDEFINED_COMM};
    const struct omptape_task_name *running = running_task(location, &implicit, &written);
    location->stack.announced = running != NULL ? *running : implicit;
}

void omptape_stack_book_from(struct omptape_location *location, uint64_t time)
{
    memset(location->stack.bucket_ticks, 0, sizeof(location->stack.bucket_ticks));
    if (location->end == 0)
        location->stack.booked = time;
}

void omptape_stack_end(struct omptape_location *location, uint64_t time)
{
    if (location->end != 0 || location->device != NULL)
        return;
    omptape_stack_book(location, omptape_location_time(location, time));
    location->end = location->stack.booked;
    location->stack.booked = UINT64_MAX;
}

static void announce(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                     const struct omptape_task_name *running)
{
    if (omptape_task_names_equal(running, &location->stack.announced))
        return;
    time = omptape_location_time(location, time);
    omptape_archive_task_switch(&writer->archive, location->events, time, running);
    location->stack.announced = *running;
    location->last = time;
}

void omptape_stack_announce(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    bool written;
    struct omptape_task_name implicit;
    const struct omptape_task_name *running = running_task(location, &implicit, &written);
    if (written && !writer->paused)
        announce(writer, location, time, running);
}
