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
enum { SLICE_BEGIN = 1, SLICE_END = 2, OMPTAPE_INSTANT = 3, OMPTAPE_COUNTER = 4 };

/* Fields of TrackEvent. */
enum {
    EVENT_FIELD_CATEGORY = 3,
    EVENT_FIELD_ANNOTATION = 4,
    EVENT_FIELD_TYPE = 9,
    EVENT_FIELD_NAME = 10,
    EVENT_FIELD_TRACK = 11,
    EVENT_FIELD_COUNTER = 30,
    EVENT_FIELD_SOURCE = 34,
    EVENT_FIELD_REAL_COUNTER = 44,
    EVENT_FIELD_FLOW = 47,
    EVENT_FIELD_END_OF_FLOW = 48
};

struct packets {
    struct export_stream *out;
    uint64_t last;             /* time of the last packet, ns */
    bool is_unordered;         /* times are unordered, so each is relative to the start of the trace */
    struct export_bytes event; /* TrackEvent under construction */
    struct export_bytes body;  /* another message under construction */
    struct export_bytes packet;
};

/* Writes the first packet, of clocks. `realtime`: the trace's start in ns since 1970; UINT64_MAX: unknown. */
void packets_begin(struct packets *packets, struct export_stream *out, uint64_t realtime);

/* Send the event under construction. The second accepts a time earlier than the last one for some more
 * bytes. */
void packets_send(struct packets *packets, uint64_t time);
void packets_send_at(struct packets *packets, uint64_t time);

/* Send `body`: a TrackDescriptor, a PerfSample, or InternedData. */
void packets_track(struct packets *packets);
void packets_sample(struct packets *packets, uint64_t time);
void packets_texts(struct packets *packets);

/* Adds an InternedText to `body`. */
void packets_add_text(struct packets *packets, unsigned field, uint64_t number, const char *text);

void packets_free(struct packets *packets);
