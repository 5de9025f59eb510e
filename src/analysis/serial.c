/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Serial time: what a program's initial thread does between two parallel regions. Called when regions fork
 * and begin, and at the end.
 */
#include "src/analysis/serial.h"

#include "src/analysis/location.h"
#include "src/analysis/state.h"

struct analysis_serial *omptape_analysis_serial(struct analysis_state *state,
                                                const struct analysis_region *after,
                                                const struct analysis_region *before)
{
    struct analysis_serial *serial =
        omptape_pairs_obtain(&state->serials, &state->result->arena, omptape_analysis_region_id(after),
                             omptape_analysis_region_id(before), sizeof(*serial));
    if (serial == NULL) {
        state->no_memory = true;
        return NULL;
    }
    serial->after = after;
    serial->before = before;
    return serial;
}

void omptape_analysis_serial_ends(struct analysis_state *state, struct analysis_location *location,
                                  const struct analysis_region *before)
{
    uint64_t time = location->serial;
    location->serial = 0;
    location->in_serial_end = false;
    if (time > 0) {
        struct analysis_serial *serial = omptape_analysis_serial(state, location->last_parallel, before);
        if (serial == NULL)
            return;
        serial->count++;
        omptape_add(&serial->sum, time);
        if (time >= serial->longest) {
            serial->longest = time;
            serial->longest_begin = location->serial_begin;
            serial->longest_location = location->definition->id;
        }
        omptape_add(&state->result->processes[location->process].serial, time);
    }
    location->last_parallel = before;
}

void omptape_analysis_serial_fork(struct analysis_state *state, struct analysis_location *location)
{
    (void)state;
    location->in_serial_end = location->thread != NULL && location->membership_count == 0;
}
