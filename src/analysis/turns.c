/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Doacross loops: threads that waited for an iteration of another one (ordered depend(sink)). Called for the
 * parameters that tell of these.
 *
 * Runtimes tell when a thread goes on, and not since when it waited. It did wait if it goes on right behind
 * the iteration's end; and then, as far as anybody knows, since it had last told of something. Of several
 * loops that are collapsed nothing is found: each has a number of its own. Rows of turns that are recorded as
 * one are an *ordered* region, which is as long as the waiting in them (locks.c).
 */
#include "src/analysis/causes.h"
#include "src/analysis/location.h"
#include "src/analysis/loops.h"
#include "src/analysis/state.h"
#include "src/analysis/team.h"

void omptape_analysis_turn(struct analysis_state *state, const struct analysis_location *location,
                           const struct omptape_event *event)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    const struct analysis_frame *top = omptape_analysis_top(location);
    uint64_t parameter = event->refs[0].id;
    uint64_t iteration = event->value[1];
    if (membership == NULL || top == NULL)
        return;
    struct analysis_team *team = membership->team;
    struct analysis_turn *turn = &team->turn;
    if (parameter == state->parameter_source)
        *turn = (struct analysis_turn){.by = location, .iteration = iteration, .time = event->time};
    else if (parameter == state->parameter_sink && turn->by != NULL && turn->by != location &&
             turn->iteration == iteration && turn->time > location->last &&
             event->time - turn->time < state->short_idle / 5)
        omptape_analysis_charge(
            state, omptape_analysis_cause(state, OMPTAPE_FINDING_LOCK, top->blamed, team->region),
            turn->time - location->last, team->threads, location->last, turn->time, turn->by->definition->id);
}
