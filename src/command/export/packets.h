/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Perfetto's packets, one after the other on their way to the file. An event is put together of parts, each
 * packed by protobuf-c, and sent with its time. That is the ns since the packet before, by a clock of our
 * own. Where times come out of order it is the time since the trace's start. For the rest of the Perfetto
 * format.
 */
#pragma once

#include "perfetto.pb-c.h"
#include "src/command/export/bytes.h"
#include "src/command/export/formats.h"

#include <stdbool.h>

/* TrackEvent's types. */
enum { OMPTAPE_SLICE_BEGIN = 1, OMPTAPE_SLICE_END = 2, OMPTAPE_INSTANT = 3, OMPTAPE_COUNTER = 4 };

struct omptape_packets {
    struct omptape_export_stream *out;
    uint64_t last;                     /* the last packet's time, ns */
    bool any_order;                    /* every time is told from the trace's start */
    struct omptape_export_bytes event; /* the event that is being put together */
};

/* The first packet: clocks. `realtime`: ns since 1970 at the trace's start, or UINT64_MAX. */
void omptape_packets_begin(struct omptape_packets *packets, struct omptape_export_stream *out,
                           uint64_t realtime);

/* Adds a part to a row of bytes. */
void omptape_packets_pack(struct omptape_export_bytes *row, const Pf__TrackEvent *part);

/* Sends the event that was put together. The second, for a time that may be any, needs some bytes more. */
void omptape_packets_send(struct omptape_packets *packets, uint64_t time);
void omptape_packets_send_at(struct omptape_packets *packets, uint64_t time);

/* Sends what is no event. */
void omptape_packets_track(struct omptape_packets *packets, Pf__TrackDescriptor *track);
void omptape_packets_sample(struct omptape_packets *packets, uint64_t time, Pf__PerfSample *sample);
void omptape_packets_texts(struct omptape_packets *packets, Pf__InternedData *texts);

void omptape_packets_free(struct omptape_packets *packets);
