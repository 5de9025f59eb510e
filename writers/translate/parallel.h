/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates parallel and teams regions and their implicit tasks.
 */
#pragma once

#include "writers/translate/stack.h"

/* Called if records of the location were dropped: its open regions may have ended in the gap. Leaves all
 * of them except parallel regions and tasks, because other records show whether these continue. */
void omptape_parallel_gap(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Joins teams forked here inside the top frame, or inside a frame that is gone: their ends were dropped. */
void omptape_parallel_join_within(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time);

/* Joins these teams if they were forked inside `region`. Returns the region, which may have moved. */
struct omptape_open_region *omptape_parallel_join_around(struct omptape_writer *writer,
                                                         struct omptape_location *location, uint64_t time,
                                                         struct omptape_open_region *region);

/* Leaves a region in which a team may have been forked; see omptape_stack_leave. */
static inline void omptape_parallel_leave(struct omptape_writer *writer, struct omptape_location *location,
                                          uint64_t time, struct omptape_open_region *region, bool synthesised)
{
    if (location->gaps.lossy)
        region = omptape_parallel_join_around(writer, location, time, region);
    omptape_stack_leave(writer, location, time, region, synthesised);
}

/* Leaves the region that omptape_stack_find finds, if there is one. */
void omptape_parallel_leave_found(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time, enum omptape_class class, uint16_t key, uint64_t id);
/* Does the same, optimised for the case that the region is the innermost one. */
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

/* Closes the top frame of any kind and all regions in it. */
void omptape_parallel_close_frame(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time);

/* Closes all frames and joins the teams forked here, because the program or the thread has ended. */
void omptape_parallel_close_all(struct omptape_writer *writer, struct omptape_location *location,
                                uint64_t time);

/* Called at the end, before locations are closed. Members that were found ahead of their begin record
 * (teams.h) get their begin at `time`, because equal teams share a communicator. */
void omptape_parallel_synthesise_workers(struct omptape_writer *writer, uint64_t time);

/* Called when recording is switched on: writes the forks, teams and regions that the location entered
 * while recording was off and has not left. */
void omptape_parallel_write_open(struct omptape_writer *writer, struct omptape_location *location,
                                 uint64_t time);

/* Returns true if the location is still in a team whose region has ended: only late ends can follow. */
static inline bool omptape_parallel_is_late(const struct omptape_location *location)
{
    return location->stack.implicit_team != NULL && location->stack.implicit_team->ended;
}
/* Returns true if only late ends of the location's team can follow; they belong to a time before recording
 * is switched on. This includes members whose primary has left: shown alone they would look like a
 * separate instance. */
bool omptape_parallel_is_over(const struct omptape_location *location);
/* The location has left a barrier. If it is its team's primary, others' late ends are clipped to this. */
void omptape_parallel_left_barrier(const struct omptape_location *location);
/* Returns the real time of a late end, which is not after the primary's end. `barrier` is true for the end
 * of a barrier, false for the end of the task. */
uint64_t omptape_parallel_clip(const struct omptape_location *location, uint64_t time, bool barrier);
