/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation of parallel and teams regions and their implicit tasks.
 */
#pragma once

#include "writers/translate/stack.h"

/* Some of the location's records were dropped: what was going on may long be over. Leaves all but what other
 * records refer to, and so can be told to go on or not: parallel regions and tasks. */
void omptape_parallel_gap(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Joins what was forked here from within the top frame, or from one that is gone: its end was dropped. */
void omptape_parallel_join_within(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time);

/* The same, if that was within `region` too. Returns the region, which may have moved. */
struct omptape_open_region *omptape_parallel_join_around(struct omptape_writer *writer,
                                                         struct omptape_location *location, uint64_t time,
                                                         struct omptape_open_region *region);

/* omptape_stack_leave for a region that a team may have been forked in since it was entered. */
static inline void omptape_parallel_leave(struct omptape_writer *writer, struct omptape_location *location,
                                          uint64_t time, struct omptape_open_region *region, bool synthesised)
{
    if (location->gaps.lossy)
        region = omptape_parallel_join_around(writer, location, time, region);
    omptape_stack_leave(writer, location, time, region, synthesised);
}

/* The same for the region that omptape_stack_find finds, if there is one. */
void omptape_parallel_leave_found(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time, enum omptape_class class, uint16_t key, uint64_t id);
/* The same: mostly it is the innermost. */
OMPTAPE_COMPILED_IN void omptape_parallel_leave_one(struct omptape_writer *writer,
                                                    struct omptape_location *location, uint64_t time,
                                                    enum omptape_class class, uint16_t key, uint64_t id)
{
    const struct omptape_open_region *top = location->stack.top;
    if (__builtin_expect(top != location->stack.floor && omptape_stack_is(top, class, key, id) &&
                             !location->gaps.lossy,
                         1))
        omptape_stack_leave_inline(writer, location, time, false);
    else
        omptape_parallel_leave_found(writer, location, time, class, key, id);
}

/* Closes the top frame, whatever it is, with all that is open in it. */
void omptape_parallel_close_frame(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time);

/* Closes all frames, and joins the teams that were forked here: the program, or the thread, is over. */
void omptape_parallel_close_all(struct omptape_writer *writer, struct omptape_location *location,
                                uint64_t time);

/* The end comes while teams form: what was seen ahead of a member's begin (teams.h) is not translated any
 * more. Each gets its begin at `time`, since equal teams share a communicator. Before locations are closed.
 */
void omptape_parallel_make_up_workers(struct omptape_writer *writer, uint64_t time);

/* Recording goes on: writes the forks, teams and regions that the location entered while it was off and is
 * still in. */
void omptape_parallel_show(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* True if the location is still inside a team whose region has ended: all that can come are its own late
 * ends. */
static inline bool omptape_parallel_is_late(const struct omptape_location *location)
{
    return location->stack.within != NULL && location->stack.within->ended;
}
/* Will only late ends come of the location's team? They belong to a time before recording goes on. A member
 * that its primary has left is as good as gone: shown alone it would be an instance of the team of its own.
 */
bool omptape_parallel_is_over(const struct omptape_location *location);
/* The location has left a barrier: if it is its team's primary, others' late ends are no later. */
void omptape_parallel_left_barrier(const struct omptape_location *location);
/* The time at which a late end really was: no later than the primary's. `barrier`: the end of a barrier, not
 * of the task. */
uint64_t omptape_parallel_clip(const struct omptape_location *location, uint64_t time, bool barrier);
