/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Encodes and writes Perfetto's packets (packets.h). All packets form one sequence, so texts are interned
 * once and times are small differences.
 */
#include "src/command/export/packets.h"

#include <stdlib.h>

/* Perfetto's clock ids; ids from 64 on are private to a sequence. */
enum { CLOCK_REAL = 1, CLOCK_BOOT = 6, CLOCK_OF_DIFFERENCES = 64 };
/* Sequence flags: the packet resets the interned state, or depends on it. */
enum { SEQUENCE = 1, STATE_CLEARED = 1, NEEDS_STATE = 2 };
/* Maximum size of a packet's own fields with their tags. */
enum { FRAME_BYTES = 64 };

static void send_packet(struct omptape_packets *packets, Pf__TracePacket *packet)
{
    Pf__Trace trace = PF__TRACE__INIT;
    packet->trusted_packet_sequence_id = SEQUENCE;
    trace.packet = packet;
    uint8_t *place = omptape_export_stream_reserve(packets->out, pf__trace__get_packed_size(&trace));
    if (place != NULL)
        packets->out->used += pf__trace__pack(&trace, place);
}

void omptape_packets_begin(struct omptape_packets *packets, struct omptape_export_stream *out,
                           uint64_t realtime)
{
    enum { CLOCKS = 3 };
    Pf__ClockSnapshot__Clock clocks[CLOCKS];
    Pf__ClockSnapshot__Clock *list[CLOCKS];
    Pf__ClockSnapshot snapshot = PF__CLOCK_SNAPSHOT__INIT;
    Pf__TracePacketDefaults defaults = PF__TRACE_PACKET_DEFAULTS__INIT;
    Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
    packets->out = out;
    for (size_t i = 0; i < CLOCKS; i++) {
        pf__clock_snapshot__clock__init(&clocks[i]);
        list[i] = &clocks[i];
    }
    clocks[0].clock_id = CLOCK_BOOT;
    clocks[1].clock_id = CLOCK_OF_DIFFERENCES;
    clocks[1].has_is_incremental = clocks[1].is_incremental = 1;
    clocks[2].clock_id = CLOCK_REAL;
    clocks[2].timestamp = realtime;
    snapshot.n_clocks = realtime != UINT64_MAX ? CLOCKS : CLOCKS - 1;
    snapshot.clocks = list;
    snapshot.has_primary_trace_clock = 1;
    snapshot.primary_trace_clock = CLOCK_BOOT;
    defaults.has_timestamp_clock_id = 1;
    defaults.timestamp_clock_id = packets->is_unordered ? CLOCK_BOOT : CLOCK_OF_DIFFERENCES;
    packet.clock_snapshot = &snapshot;
    packet.trace_packet_defaults = &defaults;
    packet.has_sequence_flags = packet.has_previous_packet_dropped = packet.has_first_packet_on_sequence = 1;
    packet.sequence_flags = STATE_CLEARED;
    packet.previous_packet_dropped = 1;
    packet.first_packet_on_sequence = 1;
    send_packet(packets, &packet);
}

void omptape_packets_pack(struct omptape_export_bytes *row, const Pf__TrackEvent *part)
{
    uint8_t *place = omptape_export_bytes_take(row, pf__track_event__get_packed_size(part));
    if (place != NULL)
        pf__track_event__pack(part, place);
}

static void send_event(struct omptape_packets *packets, uint64_t timestamp, uint32_t clock)
{
    Pf__EventTrace trace = PF__EVENT_TRACE__INIT;
    Pf__EventPacket packet = PF__EVENT_PACKET__INIT;
    packet.timestamp = timestamp;
    packet.trusted_packet_sequence_id = SEQUENCE;
    packet.event.data = packets->event.data;
    packet.event.len = packets->event.used;
    packet.sequence_flags = NEEDS_STATE;
    packet.has_timestamp_clock_id = clock != 0;
    packet.timestamp_clock_id = clock;
    trace.packet = &packet;
    uint8_t *place = omptape_export_stream_reserve(packets->out, packets->event.used + FRAME_BYTES);
    if (place != NULL)
        packets->out->used += pf__event_trace__pack(&trace, place);
    packets->event.used = 0;
}

/* Returns a packet's timestamp on its clock: relative to the previous packet, or to the start if times are
 * unordered. */
static uint64_t advance(struct omptape_packets *packets, uint64_t time)
{
    if (packets->is_unordered)
        return time;
    /* Timestamps of a manipulated archive may decrease. */
    const uint64_t later = time > packets->last ? time : packets->last;
    const uint64_t since = later - packets->last;
    packets->last = later;
    return since;
}

void omptape_packets_send(struct omptape_packets *packets, uint64_t time)
{
    send_event(packets, advance(packets, time), 0);
}

void omptape_packets_send_at(struct omptape_packets *packets, uint64_t time)
{
    send_event(packets, time, packets->is_unordered ? 0 : CLOCK_BOOT);
}

void omptape_packets_track(struct omptape_packets *packets, Pf__TrackDescriptor *track)
{
    Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
    packet.track_descriptor = track;
    send_packet(packets, &packet);
}

void omptape_packets_sample(struct omptape_packets *packets, uint64_t time, Pf__PerfSample *sample)
{
    Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
    packet.has_timestamp = packet.has_sequence_flags = 1;
    packet.timestamp = advance(packets, time);
    packet.sequence_flags = NEEDS_STATE;
    packet.perf_sample = sample;
    send_packet(packets, &packet);
}

void omptape_packets_texts(struct omptape_packets *packets, Pf__InternedData *texts)
{
    Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
    packet.interned_data = texts;
    packet.has_sequence_flags = 1;
    packet.sequence_flags = NEEDS_STATE;
    send_packet(packets, &packet);
}

void omptape_packets_free(struct omptape_packets *packets)
{
    free(packets->event.data);
}
