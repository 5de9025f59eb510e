/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A location's stack: regions inside tasks inside tasks. Keeps every location's Enter and Leave properly
 * nested whatever the runtime leaves out, and moves regions of suspended tasks off and onto the stack.
 */
#pragma once

#include "src/core/buckets.h"
#include "writers/regions/choice.h"
#include "writers/regions/references.h"
#include "writers/regions/regions.h"
#include "writers/regions/sites.h"
#include "writers/translate/tasks.h"
#include "writers/translate/teams.h"

/* The frames of a location's stack (stack.h), one for each task on it. What is asked of the top one at
 * each record is kept at hand in struct omptape_stack. */
/* A task on a location's stack: the implicit task of a team, an initial task, or an explicit task. */
struct omptape_frame {
    struct omptape_team *team; /* of the implicit or explicit task; NULL: initial task */
    struct omptape_task *task; /* explicit task, else NULL */
    uint64_t parallel_id;      /* implicit and initial tasks: what their id is made of */
    uint32_t position;         /* of this thread in the team */
    uint32_t thread_number;
    uint32_t base; /* open regions below its first */
    bool implicit;
    bool league;        /* initial task of a league whose team is not known */
    bool outside;       /* came when the team had been formed without it: is not in its communicator */
    bool written;       /* its ThreadTeamBegin is in the archive */
    bool in_hidden;     /* it is in a hidden team: nothing in it is shown */
    bool of_other_team; /* explicit task of a team that the location is not in: its begin there is missing */
};

static inline struct omptape_frame *omptape_stack_top(const struct omptape_location *location)
{
    return location->stack.frame;
}
/* The id of the task; an implicit one's has OMPTAPE_ID_IMPLICIT set. */
static inline uint64_t omptape_stack_frame_id(const struct omptape_frame *frame)
{
    return frame->task != NULL ? frame->task->id : frame->parallel_id | OMPTAPE_ID_IMPLICIT;
}
/* The frame of a task on this stack, counted from 1; 0: not here. */
uint32_t omptape_stack_find_frame(const struct omptape_location *location, uint64_t task_id);
/* NULL when the location is in no team. */
static inline struct omptape_team *omptape_stack_team(const struct omptape_location *location)
{
    const struct omptape_frame *top = omptape_stack_top(location);
    return top != NULL ? top->team : NULL;
}
/* So that it does not depend on the compiler's opinion of how large a caller may be. */
#define OMPTAPE_COMPILED_IN static inline __attribute__((always_inline))

/* Keeps at hand what is asked of the top frame at each record. */
OMPTAPE_COMPILED_IN void omptape_stack_look_at(struct omptape_location *location, struct omptape_frame *top,
                                               struct omptape_open_region *floor)
{
    struct omptape_stack *stack = &location->stack;
    stack->frame = top;
    stack->floor = floor;
    stack->within = top->implicit ? top->team : NULL;
    stack->in_hidden = top->in_hidden;
    stack->spare = top->task == NULL && top->team != NULL && top->team->spare;
    /* A thread that is no member has to look at the end of the team itself. */
    location->pending |= stack->within != NULL && (stack->within->ended || top->outside);
}

/* Makes room for one more frame: false when memory is out. */
bool omptape_stack_make_frame_room(struct omptape_stack *stack);

/* Puts a copy of `frame` on top, above all open regions. NULL: out of memory. */
OMPTAPE_COMPILED_IN struct omptape_frame *omptape_stack_push(struct omptape_location *location,
                                                             const struct omptape_frame *frame)
{
    struct omptape_stack *stack = &location->stack;
    if (stack->frame_count == stack->frame_capacity && !omptape_stack_make_frame_room(stack))
        return NULL;
    struct omptape_frame *top = &stack->frames[stack->frame_count++];
    *top = *frame;
    top->base = omptape_location_depth(location);
    omptape_stack_look_at(location, top, stack->top);
    return top;
}

/* The function below for the last frame. */
void omptape_stack_pop_last(struct omptape_stack *stack);

/* Takes the top frame off; its regions must be closed. */
static inline void omptape_stack_pop(struct omptape_location *location)
{
    struct omptape_stack *stack = &location->stack;
    if (stack->frame_count <= 1) {
        omptape_stack_pop_last(stack);
        return;
    }
    stack->frame_count--;
    struct omptape_frame *top = stack->frame - 1;
    omptape_stack_look_at(location, top, stack->regions + top->base);
}

/* What kind of interval an open region is: decides which end closes it. */
enum omptape_class {
    OMPTAPE_CLASS_NONE, /* what is below all regions */
    OMPTAPE_CLASS_PARALLEL,
    OMPTAPE_CLASS_TASK,
    OMPTAPE_CLASS_WORK,  /* key: ompt_work_t */
    OMPTAPE_CLASS_INNER, /* chunk, section, single's block: ends with what is around it */
    OMPTAPE_CLASS_MASKED,
    OMPTAPE_CLASS_SYNC,      /* key: ompt_sync_region_t */
    OMPTAPE_CLASS_WAIT,      /* key: ompt_sync_region_t */
    OMPTAPE_CLASS_REDUCTION, /* key: ompt_sync_region_t */
    OMPTAPE_CLASS_HOLD,      /* id: wait id; while it is held */
    OMPTAPE_CLASS_TARGET,    /* id: target id */
    OMPTAPE_CLASS_OPERATION, /* id: operation id: data operation or submission */
    OMPTAPE_CLASS_MPI,       /* key: the function's number */
    OMPTAPE_CLASS_USER,      /* key: 1: a step */
    OMPTAPE_CLASS_PASSING,   /* from here on: the coming of any record but a few shows it to be over */
    OMPTAPE_CLASS_CREATE = OMPTAPE_CLASS_PASSING, /* key: 0; a row: its region's kind */
    OMPTAPE_CLASS_MUTEX,                          /* key: ompt_mutex_t, id: wait id; from the request on */
    OMPTAPE_CLASS_COUNT
};

/* What to enter, besides the time. */
struct omptape_enter {
    enum omptape_region_kind kind;
    enum omptape_class class;
    uint16_t key;
    uint64_t id;
    uint64_t site;         /* 0: to be looked up by */
    uint64_t address;      /* ...the return address */
    OTF2_RegionRef region; /* of that site; 0: to be looked up */
    bool hidden;           /* it is part of something hidden, */
    bool decided;          /* or `hidden` says for certain whether it is */
};

/* OpenMP 6.0's kinds end with `last`. What is entered next may be of a later one: its region has another
 * kind's name, and the number beside it. */
static inline void omptape_stack_note_kind(struct omptape_writer *writer, unsigned kind, unsigned last)
{
    if (__builtin_expect(kind > last, 0))
        omptape_archive_set_string(&writer->archive, OMPTAPE_ATTRIBUTE_FLAGS,
                                   omptape_archive_format(&writer->strings, "unknown %u", kind));
}

/* Enters a region in the top frame. Attributes, if any, are those set in the archive's list (archive.h). */
void omptape_stack_enter(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                         const struct omptape_enter *enter);
/* Writes the Enter of an open region if it was entered while recording was off. */
void omptape_stack_show(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                        struct omptape_open_region *open);
/* Enter and Leave at one time. */
void omptape_stack_mark(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                        const struct omptape_enter *enter);

enum { OMPTAPE_ANY_KEY = 0xffff };
/* Is it of this class, with this key (unless ANY) and id (unless 0)? */
static inline bool omptape_stack_is(const struct omptape_open_region *open, enum omptape_class class,
                                    uint16_t key, uint64_t id)
{
    return open->class == (uint8_t) class && (key == OMPTAPE_ANY_KEY || open->key == key) &&
           (id == 0 || open->id == id);
}
/* The topmost such region of the top frame, or NULL. */
struct omptape_open_region *omptape_stack_find(const struct omptape_location *location,
                                               enum omptape_class class, uint16_t key, uint64_t id);
/* The innermost open region of the top frame, or NULL. */
static inline struct omptape_open_region *omptape_stack_innermost(const struct omptape_location *location)
{
    const struct omptape_stack *stack = &location->stack;
    return stack->top != stack->floor ? stack->top : NULL;
}
/* Open regions below the top frame's first. */
static inline uint32_t omptape_stack_base(const struct omptape_location *location)
{
    return (uint32_t)(location->stack.floor - location->stack.regions);
}

/* Leaves `region` and all above it. Regions above that do not end with their surroundings count as
 * synthesised, and so does `region` itself if `synthesised`. */
void omptape_stack_leave(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                         struct omptape_open_region *region, bool synthesised);

/* Leaves all regions of the top frame from its `keep`-th on. */
void omptape_stack_unwind_some(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time, uint32_t keep, bool synthesised);
static inline void omptape_stack_unwind(struct omptape_writer *writer, struct omptape_location *location,
                                        uint64_t time, uint32_t keep, bool synthesised)
{
    /* Mostly none is left to leave. */
    if (location->stack.top - location->stack.floor > (ptrdiff_t)keep)
        omptape_stack_unwind_some(writer, location, time, keep, synthesised);
}

/* Takes an explicit task's frame, the top one, off the stack together with its open regions, which it will
 * enter again. */
void omptape_stack_suspend(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* Puts it onto this location's stack. */
void omptape_stack_resume(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                          struct omptape_task *task);

/* Writes ThreadTaskSwitch if another OTF2 task runs here than the location last said. */
void omptape_stack_announce(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* Takes over the present task as announced, without an event. */
void omptape_stack_assume(struct omptape_location *location);

/* Forgets what was booked before `time`, at which the archive begins. */
void omptape_stack_book_from(struct omptape_location *location, uint64_t time);
/* The location's thread, the program or the trace is over at `time`, and so is what is booked. Only the first
 * call counts; a device's location has nothing booked. */
void omptape_stack_end(struct omptape_location *location, uint64_t time);

/* How regions are entered and left: for the functions above, and for the translators of the commonest
 * records, into which it is compiled. There much of what is asked here is known already: a region's kind, its
 * class, that it has a site. */

/* Books the time since the last booking to the innermost region's bucket. */
OMPTAPE_COMPILED_IN void omptape_stack_book(struct omptape_location *location, uint64_t time)
{
    struct omptape_stack *stack = &location->stack;
    if (time <= stack->booked)
        return;
    stack->books[stack->top->bucket] += time - stack->booked;
    stack->booked = time;
}

/* Makes room for one more region: false when memory is out. */
bool omptape_stack_make_room(struct omptape_stack *stack);

/* Puts a copy of `region` on top, which says all but what counts around something new: who has got what it
 * asked for waits no more. NULL: out of memory. */
OMPTAPE_COMPILED_IN struct omptape_open_region *
omptape_stack_push_region(struct omptape_stack *stack, const struct omptape_open_region *region)
{
    if (stack->top + 1 == stack->end && !omptape_stack_make_room(stack))
        return NULL;
    struct omptape_open_region *open = ++stack->top;
    *open = *region;
    open->around = region->class == OMPTAPE_CLASS_MUTEX ? open[-1].around : region->bucket;
    return open;
}

OMPTAPE_COMPILED_IN uint8_t omptape_stack_bucket_for(const struct omptape_location *location,
                                                     enum omptape_region_kind kind)
{
    if (omptape_bucket_rules[kind].rule == OMPTAPE_BUCKET_AROUND)
        return location->stack.top->around;
    if (omptape_bucket_rules[kind].rule == OMPTAPE_BUCKET_UNLESS_SPARE && location->stack.spare)
        return OMPTAPE_BUCKET_IDLE;
    return omptape_bucket_rules[kind].bucket;
}

/* omptape_stack_announce of a task that has a name, is in the archive, and need not be on the stack. */
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

/* omptape_stack_announce where that mostly is the task of the top frame. */
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

/* What becomes of a region that is entered. */
struct omptape_shown {
    bool hidden;  /* as in omptape_open_region, */
    bool counted; /* ...these three */
    bool written;
};

/* Is there any region that is not shown? */
static inline bool omptape_stack_hides_some(const struct omptape_writer *writer)
{
    return __builtin_expect(writer->choice != NULL || writer->paused, 0);
}
/* Where there may be: what becomes of this one (see omptape_enter). Clears the attributes of one that is not
 * written. */
struct omptape_shown omptape_stack_choose(struct omptape_writer *writer,
                                          const struct omptape_location *location, uint64_t time,
                                          OTF2_RegionRef region, bool hidden, bool decided);

OMPTAPE_COMPILED_IN struct omptape_place omptape_stack_place(struct omptape_writer *writer,
                                                             const struct omptape_location *location,
                                                             const struct omptape_enter *enter)
{
    if (enter->site == 0)
        return omptape_references_meet(writer, location, enter->kind, enter->address);
    return (struct omptape_place){
        enter->site,
        enter->region != 0 ? enter->region : omptape_references_get(writer, enter->kind, enter->site)};
}

/* Enters a region of which it is known where it is and what becomes of it. */
OMPTAPE_COMPILED_IN void omptape_stack_enter_shown(struct omptape_writer *writer,
                                                   struct omptape_location *location, uint64_t time,
                                                   const struct omptape_enter *enter,
                                                   const struct omptape_place *place,
                                                   struct omptape_shown shown)
{
    const struct omptape_open_region region = {.region = place->region,
                                               .class = (uint8_t)enter->class,
                                               .bucket = omptape_stack_bucket_for(location, enter->kind),
                                               .hidden = shown.hidden,
                                               .counted = shown.counted,
                                               .written = shown.written,
                                               .key = enter->key,
                                               .id = enter->id,
                                               .site = place->site,
                                               .begin = time};
    if (omptape_stack_push_region(&location->stack, &region) == NULL)
        return;
    location->last = time;
    if (shown.written)
        omptape_archive_enter(&writer->archive, location->events, time, place->region);
}

/* Where it is, if that was asked lately. */
OMPTAPE_COMPILED_IN bool omptape_stack_recall(const struct omptape_writer *writer,
                                              const struct omptape_enter *enter, struct omptape_place *place)
{
    if (enter->site == 0) {
        const struct omptape_place *met = omptape_references_recall_met(writer, enter->kind, enter->address);
        if (met != NULL)
            *place = *met;
        return met != NULL;
    }
    place->site = enter->site;
    place->region = enter->region;
    if (enter->region != 0)
        return true;
    const OTF2_RegionRef *region = omptape_references_recall(writer, enter->kind, enter->site);
    if (region != NULL)
        place->region = *region;
    return region != NULL;
}

/* omptape_stack_enter where that is the caller's last act: in the usual case nothing is called, so that the
 * caller need not keep anything for when that returns. */
OMPTAPE_COMPILED_IN void omptape_stack_enter_last(struct omptape_writer *writer,
                                                  struct omptape_location *location, uint64_t time,
                                                  const struct omptape_enter *enter)
{
    struct omptape_place place;
    if (__builtin_expect(!omptape_stack_recall(writer, enter, &place) ||
                             location->stack.top + 1 == location->stack.end ||
                             omptape_stack_hides_some(writer),
                         0)) {
        /* Of what a pointer may lead to the compiler keeps all in memory, from its beginning. */
        const struct omptape_enter copy = *enter;
        omptape_stack_enter(writer, location, time, &copy);
        return;
    }
    time = omptape_location_time(location, time);
    omptape_stack_book(location, time);
    omptape_stack_enter_shown(writer, location, time, enter, &place,
                              (struct omptape_shown){.counted = true, .written = true});
}

/* A region was not told to have ended. Does it count? Some end with what is around them. */
static inline bool omptape_stack_is_synthesised(const struct omptape_location *location,
                                                const struct omptape_open_region *open)
{
    return open->class != OMPTAPE_CLASS_INNER && open->class != OMPTAPE_CLASS_CREATE &&
           !location->stack.spare;
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

/* A region that is left at the time at which it is entered comes on no stack. Between the two calls the
 * location gets events of that time at most. */
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
    point.region = omptape_stack_place(writer, location, enter).region;
    point.written = true;
    if (omptape_stack_hides_some(writer))
        point.written =
            omptape_stack_choose(writer, location, point.time, point.region, enter->hidden, enter->decided)
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
