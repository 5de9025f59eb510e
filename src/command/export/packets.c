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

/* Fields of TracePacket. */
enum {
    CLOCK_SNAPSHOT = 6,
    TIMESTAMP = 8,
    SEQUENCE_ID = 10,
    TRACK_EVENT = 11,
    INTERNED_DATA = 12,
    SEQUENCE_FLAGS = 13,
    PREVIOUS_PACKET_DROPPED = 42,
    TIMESTAMP_CLOCK = 58,
    DEFAULTS = 59,
    TRACK_DESCRIPTOR = 60,
    PERF_SAMPLE = 66,
    FIRST_ON_SEQUENCE = 87
};

static void add_body(struct packets *packets, unsigned field)
{
    protobuf_bytes(&packets->packet, field, packets->body.data, packets->body.used);
    packets->body.used = 0;
}

static void send_packet(struct packets *packets)
{
    enum { PACKET = 1 };
    protobuf_bytes(&packets->body, PACKET, packets->packet.data, packets->packet.used);
    export_stream_send(packets->out, &packets->body);
    packets->packet.used = 0;
}

static void add_clock(struct export_bytes *snapshot, uint64_t id, uint64_t timestamp)
{
    enum { CLOCK = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, IS_INCREMENTAL = 3 };
    const uint32_t clock = protobuf_begin(snapshot, CLOCK);
    protobuf_number(snapshot, CLOCK_ID, id);
    protobuf_number(snapshot, CLOCK_TIMESTAMP, timestamp);
    if (id == CLOCK_OF_DIFFERENCES)
        protobuf_number(snapshot, IS_INCREMENTAL, 1);
    protobuf_end(snapshot, clock);
}

void packets_begin(struct packets *packets, struct export_stream *out, uint64_t realtime)
{
    enum { PRIMARY_CLOCK = 2 };
    packets->out = out;
    add_clock(&packets->body, CLOCK_BOOT, 0);
    add_clock(&packets->body, CLOCK_OF_DIFFERENCES, 0);
    if (realtime != UINT64_MAX)
        add_clock(&packets->body, CLOCK_REAL, realtime);
    protobuf_number(&packets->body, PRIMARY_CLOCK, CLOCK_BOOT);
    add_body(packets, CLOCK_SNAPSHOT);
    protobuf_number(&packets->packet, SEQUENCE_ID, SEQUENCE);
    protobuf_number(&packets->packet, SEQUENCE_FLAGS, STATE_CLEARED);
    protobuf_number(&packets->packet, PREVIOUS_PACKET_DROPPED, 1);
    protobuf_number(&packets->body, TIMESTAMP_CLOCK,
                    packets->is_unordered ? CLOCK_BOOT : CLOCK_OF_DIFFERENCES);
    add_body(packets, DEFAULTS);
    protobuf_number(&packets->packet, FIRST_ON_SEQUENCE, 1);
    send_packet(packets);
}

static void send_event(struct packets *packets, uint64_t timestamp, uint32_t clock)
{
    struct export_bytes *packet = &packets->packet;
    protobuf_number(packet, TIMESTAMP, timestamp);
    protobuf_number(packet, SEQUENCE_ID, SEQUENCE);
    protobuf_bytes(packet, TRACK_EVENT, packets->event.data, packets->event.used);
    protobuf_number(packet, SEQUENCE_FLAGS, NEEDS_STATE);
    if (clock != 0)
        protobuf_number(packet, TIMESTAMP_CLOCK, clock);
    packets->event.used = 0;
    send_packet(packets);
}

/* Returns a packet's timestamp on its clock: relative to the last packet, or to the start if unordered. */
static uint64_t advance(struct packets *packets, uint64_t time)
{
    if (packets->is_unordered)
        return time;
    /* Timestamps of a manipulated archive may decrease. */
    const uint64_t later = time > packets->last ? time : packets->last;
    const uint64_t since = later - packets->last;
    packets->last = later;
    return since;
}

void packets_send(struct packets *packets, uint64_t time)
{
    send_event(packets, advance(packets, time), 0);
}

void packets_send_at(struct packets *packets, uint64_t time)
{
    send_event(packets, time, packets->is_unordered ? 0 : CLOCK_BOOT);
}

void packets_track(struct packets *packets)
{
    protobuf_number(&packets->packet, SEQUENCE_ID, SEQUENCE);
    add_body(packets, TRACK_DESCRIPTOR);
    send_packet(packets);
}

void packets_sample(struct packets *packets, uint64_t time)
{
    protobuf_number(&packets->packet, TIMESTAMP, advance(packets, time));
    protobuf_number(&packets->packet, SEQUENCE_ID, SEQUENCE);
    protobuf_number(&packets->packet, SEQUENCE_FLAGS, NEEDS_STATE);
    add_body(packets, PERF_SAMPLE);
    send_packet(packets);
}

void packets_texts(struct packets *packets)
{
    protobuf_number(&packets->packet, SEQUENCE_ID, SEQUENCE);
    add_body(packets, INTERNED_DATA);
    protobuf_number(&packets->packet, SEQUENCE_FLAGS, NEEDS_STATE);
    send_packet(packets);
}

void packets_add_text(struct packets *packets, unsigned field, uint64_t number, const char *text)
{
    enum { NUMBER = 1, NAME = 2 };
    const uint32_t entry = protobuf_begin(&packets->body, field);
    protobuf_number(&packets->body, NUMBER, number);
    protobuf_text(&packets->body, NAME, text);
    protobuf_end(&packets->body, entry);
}

void packets_free(struct packets *packets)
{
    free(packets->event.data);
    free(packets->body.data);
    free(packets->packet.data);
}
