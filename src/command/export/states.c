/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts readings of scheduler statistics to slices (perfetto.h). If the kernel reported each context
 * switch, there is a reading at each of them and a slice is one state. Between periodic readings, a state is
 * written if it fills nine tenths of the time.
 */
#include "src/command/export/perfetto.h"

enum { ON_PROCESSOR, RUNNABLE, BLOCKED, STATES };
static const char *const names[STATES] = {"on a processor", "runnable", "blocked"};

static const char *name_of(const uint64_t *parts, uint64_t all)
{
    for (int state = 0; state < STATES; state++)
        if (parts[state] >= all - all / 10)
            return names[state];
    return "partly on a processor";
}

/* Writes the current state up to the last reading. */
static void send(struct perfetto *perfetto, const struct export_lane *lane)
{
    const struct export_state *state = &lane->state;
    const struct export_choice *choice = perfetto->choice;
    const uint64_t begin = state->begin > choice->from ? state->begin : choice->from;
    const uint64_t end = state->time < choice->to ? state->time : choice->to;
    struct export_bytes *slice = &perfetto->packets.event;
    if (state->name == NULL || end <= begin || end - begin < choice->min_duration)
        return;
    for (int i = 0; i < STATES; i++)
        if (state->parts[i] > 0)
            names_annotate(&perfetto->names, slice, names[i], OTF2_TYPE_UINT64,
                           (OTF2_AttributeValue){.uint64 = state->parts[i]});
    names_put(&perfetto->names, SLICE_BEGIN, state->name, "state");
    protobuf_number(slice, EVENT_FIELD_TRACK, state->track);
    packets_send_at(&perfetto->packets, begin);
    export_bytes_add(slice, perfetto->end.data, perfetto->end.used);
    protobuf_number(slice, EVENT_FIELD_TRACK, state->track);
    packets_send_at(&perfetto->packets, end);
}

/* Extends or replaces the current state for the time from the last reading to `time`. */
static void extend(struct perfetto *perfetto, struct export_lane *lane, const uint64_t *parts, uint64_t time)
{
    struct export_state *state = &lane->state;
    const char *name = name_of(parts, time - state->time);
    if (name != state->name) {
        send(perfetto, lane);
        state->name = name;
        state->begin = state->time;
        for (int i = 0; i < STATES; i++)
            state->parts[i] = 0;
    }
    for (int i = 0; i < STATES; i++)
        state->parts[i] += parts[i];
}

static uint64_t difference(uint64_t later, uint64_t earlier, uint64_t max)
{
    const uint64_t since = later > earlier ? later - earlier : 0;
    return since < max ? since : max;
}

void export_states_restart(struct perfetto *perfetto, struct export_lane *lane)
{
    send(perfetto, lane);
    lane->state.name = NULL;
    lane->state.has_reading = false;
}

void export_states_reading(struct perfetto *perfetto, struct export_lane *lane,
                           const struct omptape_event *event)
{
    struct export_state *state = &lane->state;
    if (!omptape_event_is_scheduling_metric(event) || lane->track == 0)
        return;
    const uint64_t sums[] = {event->values[0].unsigned_int, event->values[1].unsigned_int};
    const uint64_t time = perfetto->now;
    if (state->track == 0)
        state->track = tracks_slices(perfetto, lane, "state");
    if (sums[0] < state->sums[0] || sums[1] < state->sums[1])
        export_states_restart(perfetto, lane);
    if (state->has_reading && time > state->time) {
        const uint64_t all = time - state->time;
        const uint64_t on = difference(sums[0], state->sums[0], all);
        const uint64_t queued = difference(sums[1], state->sums[1], all - on);
        const uint64_t parts[STATES] = {on, queued, all - on - queued};
        extend(perfetto, lane, parts, time);
    }
    state->has_reading = true;
    state->time = time;
    state->sums[0] = sums[0];
    state->sums[1] = sums[1];
}

void export_states_close(struct perfetto *perfetto)
{
    for (uint32_t i = 0; i < perfetto->places->count; i++)
        send(perfetto, &perfetto->lanes[i]);
}
