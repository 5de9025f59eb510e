/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes Perfetto's packets to the output stream. An event is composed of encoded parts and sent with its
 * time. The time is the difference to the previous packet in ns, on a clock of our own. If times are
 * unordered, it is relative to the start of the trace. Used by the rest of the Perfetto format. The numbers
 * of fields are those of Perfetto's public format (protos/perfetto/trace/ there).
 */
#pragma once

#include "src/command/export/formats.h"
#include "src/command/export/protobuf.h"

#include <stdbool.h>

/* Values of TrackEvent.Type. */
enum { OMPTAPE_SLICE_BEGIN = 1, OMPTAPE_SLICE_END = 2, OMPTAPE_INSTANT = 3, OMPTAPE_COUNTER = 4 };

/* Fields of TrackEvent. */
enum {
    OMPTAPE_EVENT_FIELD_CATEGORY = 3,
    OMPTAPE_EVENT_FIELD_ANNOTATION = 4,
    OMPTAPE_EVENT_FIELD_TYPE = 9,
    OMPTAPE_EVENT_FIELD_NAME = 10,
    OMPTAPE_EVENT_FIELD_TRACK = 11,
    OMPTAPE_EVENT_FIELD_COUNTER = 30,
    OMPTAPE_EVENT_FIELD_SOURCE = 34,
    OMPTAPE_EVENT_FIELD_REAL_COUNTER = 44,
    OMPTAPE_EVENT_FIELD_FLOW = 47,
    OMPTAPE_EVENT_FIELD_END_OF_FLOW = 48
};

struct omptape_packets {
    struct omptape_export_stream *out;
    uint64_t last;     /* time of the last packet, ns */
    bool is_unordered; /* times are unordered, so each is relative to the start of the trace */
    struct omptape_export_bytes event; /* TrackEvent under construction */
    struct omptape_export_bytes body;  /* another message under construction */
    struct omptape_export_bytes packet;
};

/* Writes the first packet, which defines the clocks. `realtime` is the start of the trace in ns since 1970,
 * or UINT64_MAX if unknown. */
void omptape_packets_begin(struct omptape_packets *packets, struct omptape_export_stream *out,
                           uint64_t realtime);

/* Send the event under construction. The second function accepts a time earlier than the last one and needs
 * some more bytes. */
void omptape_packets_send(struct omptape_packets *packets, uint64_t time);
void omptape_packets_send_at(struct omptape_packets *packets, uint64_t time);

/* Send `body`: a TrackDescriptor, a PerfSample, or InternedData. */
void omptape_packets_track(struct omptape_packets *packets);
void omptape_packets_sample(struct omptape_packets *packets, uint64_t time);
void omptape_packets_texts(struct omptape_packets *packets);

/* Adds an InternedText to `body`. */
void omptape_packets_add_text(struct omptape_packets *packets, unsigned field, uint64_t number,
                              const char *text);

void omptape_packets_free(struct omptape_packets *packets);
