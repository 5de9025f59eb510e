/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When a team is joined. Called by parallel.c at each join.
 */
#include "writers/translate/join.h"

#include "writers/translate/stack.h"

/* The location's place in the team, counted from 1; 0: it is not in it. */
static uint32_t find_member_frame(const struct omptape_location *location, const struct omptape_team *team)
{
    uint32_t i = location->stack.frame_count;
    while (i > 0 && (location->stack.frames[i - 1].team != team || !location->stack.frames[i - 1].implicit))
        i--;
    return i;
}

/* The last moment that the member can have in the team, whose primary left it at `end`. What it will tell of
 * its own end comes no later, but for distinct times of the records in which it does, and for teams of its
 * own that it has to join before. */
static struct omptape_moment end_of_member(const struct omptape_writer *writer,
                                           const struct omptape_location *member,
                                           const struct omptape_team *team, uint64_t end)
{
    struct omptape_moment last = omptape_location_moment(member);
    uint32_t frame = find_member_frame(member, team);
    if (frame == 0)
        return last;
    uint32_t regions = omptape_location_depth(member) - member->stack.frames[frame - 1].base;
    uint32_t above = member->stack.frame_count - frame;
    last.time =
        (last.time > end ? last.time : end) + above + writer->archive.step * (regions + 2U * above + 2);
    return last;
}

uint64_t omptape_join_time(const struct omptape_writer *writer, const struct omptape_location *location,
                           const struct omptape_team *team, uint64_t time, uint64_t end)
{
    for (uint32_t i = 0; i < team->size; i++)
        if (team->members[i].location != NULL && team->members[i].location != location)
            time = omptape_location_time_after(location, time,
                                               end_of_member(writer, team->members[i].location, team, end));
    return time;
}
