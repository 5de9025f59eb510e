/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A location's stack: regions inside tasks inside tasks. Keeps each location's Enter and Leave properly
 * nested, even if the runtime omits callbacks. Moves regions of suspended tasks off and onto the stack.
 */
#pragma once

#include "src/core/buckets.h"
#include "writers/regions/references.h"
#include "writers/regions/region_filter.h"
#include "writers/regions/regions.h"
#include "writers/regions/sites.h"
#include "writers/translate/tasks.h"
#include "writers/translate/teams.h"

/* Frames of a location's stack, one for each task on it. Values of the top frame that each record needs
 * are cached in struct omptape_stack. */
/* A task on a location's stack: the implicit task of a team, an initial task, or an explicit task. */
struct omptape_frame {
    struct omptape_team *team; /* Team of the implicit or explicit task; NULL: initial task. */
    struct omptape_task *task; /* The explicit task; NULL for other tasks. */
    uint64_t parallel_id;      /* Implicit and initial tasks: source of their id. */
    uint32_t position;         /* Position of this thread in the team. */
    uint32_t thread_number;
    uint32_t base; /* Number of open regions below the frame's first one. */
    bool implicit;
    bool league; /* True for an initial task of a league whose team is unknown. */
    /* True if the thread began after the team had been formed without it: it is not in the communicator. */
    bool outside;
    bool written;   /* True if its ThreadTeamBegin is in the archive. */
    bool in_hidden; /* True in a hidden team: nothing in the frame is shown. */
    /* True for an explicit task of a team that the location is not in, because its begin there is missing. */
    bool of_other_team;
};

static inline struct omptape_frame *omptape_stack_top(const struct omptape_location *location)
{
    return location->stack.frame;
}
/* Returns the id of the task. The id of an implicit task has OMPTAPE_ID_IMPLICIT set. */
static inline uint64_t omptape_stack_frame_id(const struct omptape_frame *frame)
{
    return frame->task != NULL ? frame->task->id : frame->parallel_id | OMPTAPE_ID_IMPLICIT;
}
/* Returns the frame of a task on this stack, counted from 1; 0 if it is not on this stack. */
uint32_t omptape_stack_find_frame(const struct omptape_location *location, uint64_t task_id);
/* Returns the team of the top frame, or NULL if the location is in no team. */
static inline struct omptape_team *omptape_stack_team(const struct omptape_location *location)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    return top != NULL ? top->team : NULL;
}
/* Caches the values of the top frame that each record needs. */
OMPTAPE_COMPILED_IN void omptape_stack_cache_top(struct omptape_location *location, struct omptape_frame *top,
                                                 struct omptape_open_region *floor)
{
    struct omptape_stack *stack = &location->stack;
    stack->frame = top;
    stack->floor = floor;
    stack->implicit_team = top->implicit ? top->team : NULL;
    stack->in_hidden = top->in_hidden;
    stack->is_helper = top->task == NULL && top->team != NULL && top->team->is_helper;
    /* A thread that is no member must check for the team's end itself. */
    location->pending |= stack->implicit_team != NULL && (stack->implicit_team->ended || top->outside);
}

/* Reserves memory for one more frame. Returns false if out of memory. */
bool omptape_stack_reserve_frame(struct omptape_stack *stack);

/* Pushes a copy of `frame` above all open regions. Returns NULL if out of memory. */
OMPTAPE_COMPILED_IN struct omptape_frame *omptape_stack_push(struct omptape_location *location,
                                                             const struct omptape_frame *frame)
{
    struct omptape_stack *stack = &location->stack;
    if (stack->frame_count == stack->frame_capacity && !omptape_stack_reserve_frame(stack))
        return NULL;
    struct omptape_frame *top = &stack->frames[stack->frame_count++];
    *top = *frame;
    top->base = omptape_location_depth(location);
    omptape_stack_cache_top(location, top, stack->top);
    return top;
}

/* Pops the last frame; used by omptape_stack_pop. */
void omptape_stack_pop_last(struct omptape_stack *stack);

/* Pops the top frame; its regions must be closed. */
static inline void omptape_stack_pop(struct omptape_location *location)
{
    struct omptape_stack *stack = &location->stack;
    if (stack->frame_count <= 1) {
        omptape_stack_pop_last(stack);
        return;
    }
    stack->frame_count--;
    struct omptape_frame *top = stack->frame - 1;
    omptape_stack_cache_top(location, top, stack->regions + top->base);
}

/* Kind of an open region; determines which record closes it. */
enum omptape_class {
    OMPTAPE_CLASS_NONE, /* Sentinel below all regions. */
    OMPTAPE_CLASS_PARALLEL,
    OMPTAPE_CLASS_TASK,
    OMPTAPE_CLASS_WORK,  /* Key: ompt_work_t. */
    OMPTAPE_CLASS_INNER, /* Chunk, section, block of a single: ends with the surrounding region. */
    OMPTAPE_CLASS_MASKED,
    OMPTAPE_CLASS_SYNC,      /* Key: ompt_sync_region_t. */
    OMPTAPE_CLASS_WAIT,      /* Key: ompt_sync_region_t. */
    OMPTAPE_CLASS_REDUCTION, /* Key: ompt_sync_region_t. */
    OMPTAPE_CLASS_HOLD,      /* Id: wait id; open while the lock is held. */
    OMPTAPE_CLASS_TARGET,    /* Id: target id. */
    OMPTAPE_CLASS_OPERATION, /* Id: operation id of a data operation or submission. */
    OMPTAPE_CLASS_MPI,       /* Key: number of the function. */
    OMPTAPE_CLASS_USER,      /* Key: enum of user.c (plain, step, stacked, ended). */
    /* From here on: classes that end when any record comes, except a few kinds. */
    OMPTAPE_CLASS_IMPLICIT_END,
    OMPTAPE_CLASS_CREATE = OMPTAPE_CLASS_IMPLICIT_END, /* Key: 0; for a row of records: its region's kind. */
    /* Key: ompt_mutex_t, id: wait id; begins with the request. */
    OMPTAPE_CLASS_MUTEX,
    OMPTAPE_CLASS_COUNT
};

/* Description of the region to enter, except its time. */
struct omptape_enter {
    enum omptape_region_kind kind;
    enum omptape_class class;
    uint16_t key;
    uint64_t id;
    uint64_t site;         /* 0: is looked up by `address`. */
    uint64_t address;      /* Return address. */
    OTF2_RegionRef region; /* Region of the site; 0: is looked up. */
    bool hidden;           /* True if it is part of a hidden region. */
    bool decided;          /* True if `hidden` is final. */
};

/* Kinds after `last`, OpenMP 6.0's last one, may come from later versions. Their region gets the name of
 * another kind, and the number as attribute of the next Enter. */
static inline void omptape_stack_note_kind(struct omptape_writer *writer, unsigned kind, unsigned last)
{
    if (__builtin_expect(kind > last, 0))
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_FLAGS,
                            omptape_archive_format(&writer->strings, "unknown %u", kind));
}

/* Enters a region in the top frame. Uses the attributes in the archive's list (archive.h). */
void omptape_stack_enter(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                         const struct omptape_enter *enter);
/* The same with the members of struct omptape_enter, as ".kind = OMPTAPE_REGION_FLUSH". */
#define OMPTAPE_ENTER(writer, location, time, ...)                                                           \
    omptape_stack_enter(writer, location, time, &(struct omptape_enter){__VA_ARGS__})
/* Writes the Enter of an open region that was entered while recording was off. */
void omptape_stack_write_enter(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time, struct omptape_open_region *open);
/* Writes Enter and Leave of a region without content at the same time. */
void omptape_stack_write_point(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time, enum omptape_region_kind kind, uint64_t address);

enum { OMPTAPE_ANY_KEY = 0xffff };
/* Returns true if the region has this class, this key (unless ANY) and this id (unless 0). */
static inline bool omptape_stack_is(const struct omptape_open_region *open, enum omptape_class class,
                                    uint16_t key, uint64_t id)
{
    return open->class == (uint8_t)class && (key == OMPTAPE_ANY_KEY || open->key == key) &&
           (id == 0 || open->id == id);
}
/* Returns the topmost such region of the top frame, or NULL. */
struct omptape_open_region *omptape_stack_find(const struct omptape_location *location,
                                               enum omptape_class class, uint16_t key, uint64_t id);
/* Returns the innermost open region of the top frame, or NULL. */
static inline struct omptape_open_region *omptape_stack_innermost(const struct omptape_location *location)
{
    const struct omptape_stack *stack = &location->stack;
    return stack->top != stack->floor ? stack->top : NULL;
}
/* Returns the number of open regions below the top frame's first one. */
static inline uint32_t omptape_stack_base(const struct omptape_location *location)
{
    return (uint32_t)(location->stack.floor - location->stack.regions);
}

/* Leaves `region` and all regions above it. Regions above it that do not end with their surroundings count
 * as synthesised; so does `region` itself if `synthesised`. */
void omptape_stack_leave(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                         struct omptape_open_region *region, bool synthesised);

/* Leaves all regions of the top frame except the first `keep`. */
void omptape_stack_unwind_some(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time, uint32_t keep, bool synthesised);
static inline void omptape_stack_unwind(struct omptape_writer *writer, struct omptape_location *location,
                                        uint64_t time, uint32_t keep, bool synthesised)
{
    /* Usually there is no region to leave. */
    if (location->stack.top - location->stack.floor > (ptrdiff_t)keep)
        omptape_stack_unwind_some(writer, location, time, keep, synthesised);
}

/* Takes the top frame, an explicit task's, off the stack. Stores its open regions in the task, which
 * enters them again when it resumes. */
void omptape_stack_suspend(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* Pushes the stored regions of a resumed task onto this location's stack. */
void omptape_stack_resume(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                          struct omptape_task *task);

/* Writes ThreadTaskSwitch if the running OTF2 task differs from the one announced last. */
void omptape_stack_announce(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* Marks the current task as announced, without an event. */
void omptape_stack_set_announced(struct omptape_location *location);

/* Clears the booked time before `time`, at which the archive begins. */
void omptape_stack_book_from(struct omptape_location *location, uint64_t time);
/* Ends the booking of time at `time`, because the location's thread, the program or the trace has ended.
 * Only the first call counts. A device's location books no time. */
void omptape_stack_end(struct omptape_location *location, uint64_t time);

/* Inline functions that enter and leave regions. Translators of the most frequent records use them
 * directly, because they know the region's kind, class and site. */

/* Reserves memory for one more region. Returns false if out of memory. */
bool omptape_stack_reserve_region(struct omptape_stack *stack);

/* Pushes a copy of `region`, except `nested_bucket`, the bucket for nested regions: a lock's holder no longer
 * waits. Returns NULL if out of memory. */
OMPTAPE_COMPILED_IN struct omptape_open_region *
omptape_stack_push_region(struct omptape_stack *stack, const struct omptape_open_region *region)
{
    if (stack->top + 1 == stack->end && !omptape_stack_reserve_region(stack))
        return NULL;
    struct omptape_open_region *open = ++stack->top;
    *open = *region;
    open->nested_bucket = region->class == OMPTAPE_CLASS_MUTEX ? open[-1].nested_bucket : region->bucket;
    return open;
}

OMPTAPE_COMPILED_IN uint8_t omptape_stack_bucket_for(const struct omptape_location *location,
                                                     enum omptape_region_kind kind)
{
    if (omptape_bucket_rules[kind].rule == OMPTAPE_BUCKET_AROUND)
        return location->stack.top->nested_bucket;
    if (omptape_bucket_rules[kind].rule == OMPTAPE_BUCKET_UNLESS_HELPER && location->stack.is_helper)
        return OMPTAPE_BUCKET_IDLE;
    return omptape_bucket_rules[kind].bucket;
}

/* Announces a task that has a name and is in the archive, and may not be on the stack. */
OMPTAPE_COMPILED_IN void omptape_stack_announce_task(struct omptape_writer *writer,
                                                     struct omptape_location *location, uint64_t time,
                                                     const struct omptape_task *task)
{
    if (writer->paused || omptape_task_names_equal(&task->name, &location->stack.announced))
        return;
    time = omptape_location_time(location, time);
    omptape_archive_task_switch(&writer->archive, location->events, time, &task->name);
    location->stack.announced = task->name;
    location->last = time;
}

/* Announces the running task, optimised for the task of the top frame. */
OMPTAPE_COMPILED_IN void omptape_stack_announce_top(struct omptape_writer *writer,
                                                    struct omptape_location *location, uint64_t time)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    const struct omptape_task *task = top->task;
    if (task != NULL && task->name.generation != 0 && task->written && !top->of_other_team)
        omptape_stack_announce_task(writer, location, time, task);
    else
        omptape_stack_announce(writer, location, time);
}

/* Whether and how an entered region is shown. */
struct omptape_visibility {
    bool hidden;  /* As in omptape_open_region. */
    bool counted; /* As in omptape_open_region. */
    bool written;
};

/* Returns true if some regions may not be shown. */
static inline bool omptape_stack_hides_some(const struct omptape_writer *writer)
{
    return __builtin_expect(writer->filter != NULL || writer->paused, 0);
}
/* Decides whether this region is shown (see omptape_enter). Clears the attributes if it is not written.
 * Used if omptape_stack_hides_some. */
struct omptape_visibility omptape_stack_decide_visibility(struct omptape_writer *writer,
                                                          const struct omptape_location *location,
                                                          uint64_t time, OTF2_RegionRef region, bool hidden,
                                                          bool decided);

OMPTAPE_COMPILED_IN struct omptape_site_region
omptape_stack_site_region(struct omptape_writer *writer, const struct omptape_location *location,
                          const struct omptape_enter *enter)
{
    if (enter->site == 0)
        return omptape_references_get_at(writer, location, enter->kind, enter->address);
    return (struct omptape_site_region){
        enter->site,
        enter->region != 0 ? enter->region : omptape_references_get(writer, enter->kind, enter->site)};
}

/* Enters a region whose site, region and visibility are known. */
OMPTAPE_COMPILED_IN void omptape_stack_enter_visible(struct omptape_writer *writer,
                                                     struct omptape_location *location, uint64_t time,
                                                     const struct omptape_enter *enter,
                                                     const struct omptape_site_region *found,
                                                     struct omptape_visibility visibility)
{
    const struct omptape_open_region region = {.region = found->region,
                                               .class = (uint8_t)enter->class,
                                               .bucket = omptape_stack_bucket_for(location, enter->kind),
                                               .hidden = visibility.hidden,
                                               .counted = visibility.counted,
                                               .written = visibility.written,
                                               .key = enter->key,
                                               .id = enter->id,
                                               .site = found->site,
                                               .begin = time};
    if (omptape_stack_push_region(&location->stack, &region) == NULL)
        return;
    location->last = time;
    if (visibility.written)
        omptape_archive_enter(&writer->archive, location->events, time, found->region);
}

/* Looks up site and region in the caches. Returns false if it is not there. */
OMPTAPE_COMPILED_IN bool omptape_stack_cached_region(const struct omptape_writer *writer,
                                                     const struct omptape_enter *enter,
                                                     struct omptape_site_region *found)
{
    if (enter->site == 0) {
        const struct omptape_site_region *cached =
            omptape_references_cached_at(writer, enter->kind, enter->address);
        if (cached != NULL)
            *found = *cached;
        return cached != NULL;
    }
    found->site = enter->site;
    found->region = enter->region;
    if (enter->region != 0)
        return true;
    const OTF2_RegionRef *region = omptape_references_cached(writer, enter->kind, enter->site);
    if (region != NULL)
        found->region = *region;
    return region != NULL;
}

/* Enters a region as the caller's last action. The common case calls nothing: no registers are saved. */
OMPTAPE_COMPILED_IN void omptape_stack_enter_last(struct omptape_writer *writer,
                                                  struct omptape_location *location, uint64_t time,
                                                  const struct omptape_enter *enter)
{
    struct omptape_site_region found;
    if (__builtin_expect(!omptape_stack_cached_region(writer, enter, &found) ||
                             location->stack.top + 1 == location->stack.end ||
                             omptape_stack_hides_some(writer),
                         0)) {
        /* The copy keeps `enter` itself in registers, because a pointer to it would force it into memory. */
        const struct omptape_enter copy = *enter;
        omptape_stack_enter(writer, location, time, &copy);
        return;
    }
    time = omptape_location_time(location, time);
    omptape_stack_book(location, time);
    omptape_stack_enter_visible(writer, location, time, enter, &found,
                                (struct omptape_visibility){.counted = true, .written = true});
}
#define OMPTAPE_ENTER_LAST(writer, location, time, ...)                                                      \
    omptape_stack_enter_last(writer, location, time, &(struct omptape_enter){__VA_ARGS__})

/* Returns true if the region's unreported end counts as synthesised. Some end with their surroundings. */
static inline bool omptape_stack_is_synthesised(const struct omptape_location *location,
                                                const struct omptape_open_region *open)
{
    return open->class != OMPTAPE_CLASS_INNER && open->class != OMPTAPE_CLASS_CREATE &&
           !location->stack.is_helper;
}

/* Leaves the innermost region. */
OMPTAPE_COMPILED_IN void omptape_stack_leave_inline(struct omptape_writer *writer,
                                                    struct omptape_location *location, uint64_t time,
                                                    bool synthesised)
{
    const struct omptape_open_region *open = location->stack.top;
    time = omptape_location_time(location, time);
    omptape_stack_book(location, time);
    location->stack.top--;
    location->last = time;
    if (!open->written)
        return;
    bool marked = synthesised && omptape_stack_is_synthesised(location, open);
    writer->synthesised += marked;
    omptape_archive_leave(&writer->archive, location->events, time, open->region, marked);
}

/* A region that is entered and left at the same time, and therefore not pushed. Between the two calls the
 * location gets only events of this time. */
struct omptape_stack_point {
    uint64_t time;
    OTF2_RegionRef region;
    bool written;
};

OMPTAPE_COMPILED_IN struct omptape_stack_point omptape_stack_begin_point(struct omptape_writer *writer,
                                                                         struct omptape_location *location,
                                                                         uint64_t time,
                                                                         const struct omptape_enter *enter)
{
    struct omptape_stack_point point = {.time = omptape_location_time(location, time)};
    omptape_stack_book(location, point.time);
    point.region = omptape_stack_site_region(writer, location, enter).region;
    point.written = true;
    if (omptape_stack_hides_some(writer))
        point.written = omptape_stack_decide_visibility(writer, location, point.time, point.region,
                                                        enter->hidden, enter->decided)
                            .written;
    location->last = point.time;
    if (point.written)
        omptape_archive_enter(&writer->archive, location->events, point.time, point.region);
    return point;
}

OMPTAPE_COMPILED_IN void omptape_stack_end_point(struct omptape_writer *writer,
                                                 struct omptape_location *location,
                                                 const struct omptape_stack_point *point)
{
    if (point->written)
        omptape_archive_leave(&writer->archive, location->events, point->time, point->region, false);
}
