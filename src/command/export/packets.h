/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes Perfetto's packets to the output stream. An event is composed of parts, which protobuf-c encodes,
 * and sent with its time. The time is the difference to the previous packet in ns, on a clock of our own. If
 * times are unordered, it is relative to the start of the trace. Used by the rest of the Perfetto format.
 */
#pragma once

#include "perfetto.pb-c.h"
#include "src/command/export/bytes.h"
#include "src/command/export/formats.h"

#include <stdbool.h>

/* Values of TrackEvent.Type. */
enum { OMPTAPE_SLICE_BEGIN = 1, OMPTAPE_SLICE_END = 2, OMPTAPE_INSTANT = 3, OMPTAPE_COUNTER = 4 };

struct omptape_packets {
    struct omptape_export_stream *out;
    uint64_t last;     /* time of the last packet, ns */
    bool is_unordered; /* times are unordered, so each is relative to the start of the trace */
    struct omptape_export_bytes event; /* event under construction */
};

/* Writes the first packet, which defines the clocks. `realtime` is the start of the trace in ns since 1970,
 * or UINT64_MAX if unknown. */
void omptape_packets_begin(struct omptape_packets *packets, struct omptape_export_stream *out,
                           uint64_t realtime);

/* Appends an encoded part to a byte buffer. */
void omptape_packets_pack(struct omptape_export_bytes *row, const Pf__TrackEvent *part);

/* Send the event under construction. The second function accepts a time earlier than the last one and needs
 * some more bytes. */
void omptape_packets_send(struct omptape_packets *packets, uint64_t time);
void omptape_packets_send_at(struct omptape_packets *packets, uint64_t time);

/* Send packets that are not track events. */
void omptape_packets_track(struct omptape_packets *packets, Pf__TrackDescriptor *track);
void omptape_packets_sample(struct omptape_packets *packets, uint64_t time, Pf__PerfSample *sample);
void omptape_packets_texts(struct omptape_packets *packets, Pf__InternedData *texts);

void omptape_packets_free(struct omptape_packets *packets);
