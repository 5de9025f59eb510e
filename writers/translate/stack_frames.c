/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Frames of stacks. Called where the functions of the header do not do.
 */
#include "writers/translate/stack_frames.h"

#include "src/core/array.h"

uint32_t omptape_stack_find_frame(const struct omptape_location *location, uint64_t task_id)
{
    for (uint32_t i = location->stack.frame_count; i > 0; i--)
        if (omptape_stack_frame_id(&location->stack.frames[i - 1]) == task_id)
            return i;
    return 0;
}

bool omptape_stack_make_frame_room(struct omptape_stack *stack)
{
    struct omptape_frame *frames =
        omptape_array_reserve(stack->frames, stack->frame_count + 1, &stack->frame_capacity, sizeof(*frames));
    if (frames == NULL)
        return false;
    stack->frames = frames;
    return true;
}

void omptape_stack_pop_last(struct omptape_stack *stack)
{
    stack->frame_count = 0;
    stack->frame = NULL;
    stack->floor = stack->regions;
    stack->within = NULL;
    stack->in_hidden = false;
    stack->spare = false;
}
