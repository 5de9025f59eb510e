/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stacks of regions and tasks, one for each location. Called by the translation of each record.
 */
#include "writers/translate/stack.h"

#include "src/core/array.h"
#include "src/core/buckets.h"
#include "writers/regions/choice.h"
#include "writers/regions/references.h"
#include "writers/regions/sites.h"

#include <stdlib.h>
#include <string.h>

uint32_t omptape_stack_find_frame(const struct omptape_location *location, uint64_t task_id)
{
    for (uint32_t i = location->stack.frame_count; i > 0; i--)
        if (omptape_stack_frame_id(&location->stack.frames[i - 1]) == task_id)
            return i;
    return 0;
}

void omptape_stack_book(struct omptape_location *location, uint64_t time)
{
    if (time <= location->stack.booked)
        return;
    unsigned bucket = location->stack.region_count > 0
                          ? location->stack.regions[location->stack.region_count - 1].bucket
                          : location->stack.outside;
    location->stack.books[bucket] += time - location->stack.booked;
    location->stack.booked = time;
}

/* Keeps at hand what is asked for at each record. */
static void look_at_top(struct omptape_stack *stack, const struct omptape_frame *top)
{
    stack->base = top != NULL ? top->base : 0;
    stack->within = top != NULL && top->implicit ? top->team : NULL;
    stack->in_hidden = top != NULL && top->in_hidden;
}

struct omptape_frame *omptape_stack_push(struct omptape_location *location, const struct omptape_frame *frame)
{
    struct omptape_frame *frames =
        omptape_array_reserve(location->stack.frames, location->stack.frame_count + 1,
                              &location->stack.frame_capacity, sizeof(*frames));
    if (frames == NULL)
        return NULL;
    location->stack.frames = frames;
    struct omptape_frame *top = &frames[location->stack.frame_count++];
    *top = *frame;
    top->base = location->stack.region_count;
    look_at_top(&location->stack, top);
    return top;
}

void omptape_stack_pop(struct omptape_location *location)
{
    if (location->stack.frame_count > 0)
        location->stack.frame_count--;
    look_at_top(&location->stack, omptape_stack_top(location));
}

static struct omptape_open_region *push_region(struct omptape_location *location)
{
    struct omptape_open_region *regions =
        omptape_array_reserve(location->stack.regions, location->stack.region_count + 1,
                              &location->stack.region_capacity, sizeof(*regions));
    if (regions == NULL)
        return NULL;
    location->stack.regions = regions;
    return &regions[location->stack.region_count++];
}

/* Writes the Enter of a region that stands on the stack already. */
static inline void write_enter(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time, struct omptape_open_region *open)
{
    open->written = !writer->paused && !open->hidden;
    open->begin = time;
    if (open->written && writer->choice != NULL) {
        omptape_choice_written(writer, open->region, open->counted);
        open->counted = true;
    }
    if (open->written)
        omptape_archive_enter(&writer->archive, location->events, time, open->region);
    else
        omptape_archive_clear_attributes(&writer->archive);
    location->last = time;
}

/* The bucket of what is around something new. Who has got what it asked for waits no more. */
static uint8_t bucket_around(const struct omptape_location *location)
{
    for (uint32_t i = location->stack.region_count; i > 0; i--)
        if (location->stack.regions[i - 1].class != OMPTAPE_CLASS_MUTEX)
            return location->stack.regions[i - 1].bucket;
    return location->stack.outside;
}

/* Is the thread one that the runtime keeps for later, and in no task now? */
static bool is_spare(const struct omptape_location *location)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    return top != NULL && top->task == NULL && top->team != NULL && top->team->spare;
}

static uint8_t bucket_for(const struct omptape_location *location, enum omptape_region_kind kind)
{
    if (omptape_bucket_rules[kind].rule == OMPTAPE_BUCKET_AROUND)
        return bucket_around(location);
    if (omptape_bucket_rules[kind].rule == OMPTAPE_BUCKET_UNLESS_SPARE && is_spare(location))
        return OMPTAPE_BUCKET_IDLE;
    return omptape_bucket_rules[kind].bucket;
}

static bool is_hidden(struct omptape_writer *writer, const struct omptape_location *location, uint64_t time,
                      OTF2_RegionRef region, const struct omptape_enter *enter)
{
    if (enter->decided)
        return enter->hidden || location->stack.in_hidden;
    return omptape_choice_hides(writer, location, time, region, enter->hidden);
}

void omptape_stack_enter(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                         const struct omptape_enter *enter)
{
    time = omptape_location_time(location, time);
    omptape_stack_book(location, time);
    uint8_t bucket = bucket_for(location, enter->kind);
    uint64_t site =
        enter->site != 0 ? enter->site : omptape_sites_of(writer, location, enter->kind, enter->address);
    OTF2_RegionRef region = omptape_references_get(writer, enter->kind, site);
    bool hidden = writer->choice != NULL && is_hidden(writer, location, time, region, enter);
    struct omptape_open_region *open = push_region(location);
    if (open == NULL)
        return;
    *open = (struct omptape_open_region){.region = region,
                                         .class = (uint8_t)enter->class,
                                         .bucket = bucket,
                                         .hidden = hidden,
                                         .key = enter->key,
                                         .counted = enter->decided || !writer->paused,
                                         .id = enter->id,
                                         .site = site};
    write_enter(writer, location, time, open);
}

void omptape_stack_show(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                        struct omptape_open_region *open)
{
    if (!open->written)
        write_enter(writer, location, time, open);
}

void omptape_stack_mark(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                        const struct omptape_enter *enter)
{
    omptape_stack_enter(writer, location, time, enter);
    omptape_stack_leave(writer, location, time, omptape_stack_innermost(location), false);
}

struct omptape_open_region *omptape_stack_find(const struct omptape_location *location,
                                               enum omptape_class class, uint16_t key, uint64_t id)
{
    for (uint32_t i = location->stack.region_count; i > location->stack.base; i--) {
        struct omptape_open_region *open = &location->stack.regions[i - 1];
        if (open->class == (uint8_t) class && (key == OMPTAPE_ANY_KEY || open->key == key) &&
            (id == 0 || open->id == id))
            return open;
    }
    return NULL;
}

static bool ends_with_its_surroundings(const struct omptape_open_region *open)
{
    return open->class == OMPTAPE_CLASS_INNER || open->class == OMPTAPE_CLASS_CREATE;
}

static void leave_innermost(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                            bool synthesised)
{
    struct omptape_open_region *open = &location->stack.regions[location->stack.region_count - 1];
    time = omptape_location_time(location, time);
    omptape_stack_book(location, time);
    location->stack.region_count--;
    location->last = time;
    if (!open->written)
        return;
    bool marked = synthesised && !ends_with_its_surroundings(open) && !is_spare(location);
    writer->synthesised += marked;
    omptape_archive_leave(&writer->archive, location->events, time, open->region, marked);
}

void omptape_stack_leave(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                         struct omptape_open_region *region, bool synthesised)
{
    if (region == NULL)
        return;
    uint32_t index = (uint32_t)(region - location->stack.regions);
    while (location->stack.region_count > index + 1)
        leave_innermost(writer, location, time, true);
    leave_innermost(writer, location, time, synthesised);
}

void omptape_stack_unwind(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                          uint32_t keep, bool synthesised)
{
    uint32_t base = location->stack.base + keep;
    while (location->stack.region_count > base)
        leave_innermost(writer, location, time, synthesised);
}

void omptape_stack_suspend(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_frame *top = omptape_stack_top(location);
    struct omptape_task *task = top->task;
    uint32_t count = location->stack.region_count - top->base;

    free(task->suspended);
    task->suspended_count = 0;
    task->suspended = count > 0 ? malloc(count * sizeof(*task->suspended)) : NULL;
    if (task->suspended != NULL) {
        memcpy(task->suspended, &location->stack.regions[top->base], count * sizeof(*task->suspended));
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
        struct omptape_open_region *open = push_region(location);
        if (open == NULL)
            break;
        *open = task->suspended[i];
        write_enter(writer, location, time, open);
    }
    free(task->suspended);
    task->suspended = NULL;
    task->suspended_count = 0;
}

/* The OTF2 task that runs at the top of the stack: that of the topmost frame that has one. */
static bool running_task(const struct omptape_location *location, struct omptape_announced *running)
{
    for (uint32_t i = location->stack.frame_count; i > 0; i--) {
        const struct omptape_frame *frame = &location->stack.frames[i - 1];
        if (frame->of_other_team)
            continue;
        if (frame->task != NULL && frame->task->generation != 0) {
            *running =
                (struct omptape_announced){frame->task->comm, frame->task->creator, frame->task->generation};
            return frame->task->written;
        }
        if (frame->task == NULL && frame->team != NULL) {
            *running = (struct omptape_announced){frame->team->comm, frame->position, 0};
            return frame->written;
        }
        if (frame->implicit)
            return false;
    }
    return false;
}

void omptape_stack_assume(struct omptape_location *location)
{
    struct omptape_announced running = {OTF2_UNDEFINED_COMM, 0, 0};
    running_task(location, &running);
    location->stack.announced = running;
}

void omptape_stack_book_from(struct omptape_location *location, uint64_t time)
{
    memset(location->stack.books, 0, sizeof(location->stack.books));
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

void omptape_stack_announce(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_announced running;
    if (writer->paused || !running_task(location, &running))
        return;
    if (running.comm == location->stack.announced.comm &&
        running.creator == location->stack.announced.creator &&
        running.generation == location->stack.announced.generation)
        return;
    time = omptape_location_time(location, time);
    omptape_archive_task_switch(&writer->archive, location->events, time, running.comm, running.creator,
                                running.generation);
    location->stack.announced = running;
    location->last = time;
}
