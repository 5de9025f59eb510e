/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The frames of a location's stack (stack.h), one for each task on it. What is asked of the top one at each
 * record is kept at hand in struct omptape_stack.
 */
#ifndef OMPTAPE_WRITERS_TRANSLATE_STACK_FRAMES_H
#define OMPTAPE_WRITERS_TRANSLATE_STACK_FRAMES_H

#include "writers/translate/tasks.h"
#include "writers/translate/teams.h"

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
    /* Who is no member the team cannot tell of its end. */
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

#endif
