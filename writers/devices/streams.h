/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A device's locations: one for each stream, and one more wherever intervals of the same stream overlap.
 * Asked for in the order in which the intervals begin.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_STREAMS_H
#define OMPTAPE_WRITERS_DEVICES_STREAMS_H

#include "writers/devices/state.h"

/* "Device 0"; "CUDA device 0" if OpenMP does not number it. Returns `text`. */
const char *omptape_device_name(const struct omptape_device *device, char *text, size_t bytes);

/* The location on which this interval (in host ticks) can be written now; regions there that are over have
 * been left. NULL: out of memory. */
struct omptape_device_stream *omptape_streams_for(struct omptape_writer *writer,
                                                  struct omptape_device *device,
                                                  const struct omptape_interval *interval);
/* The interval's region was entered there: it is left, or will be once no other can be in it. */
void omptape_streams_entered(struct omptape_writer *writer, struct omptape_device_stream *stream,
                             const struct omptape_interval *interval);
/* Some location of the device, made if there is none. NULL: out of memory. */
struct omptape_location *omptape_streams_any(struct omptape_writer *writer, struct omptape_device *device);
/* Leaves what is open. */
void omptape_streams_finish(struct omptape_writer *writer, struct omptape_device *device);

/* A place in the communicator of transfers. */
uint32_t omptape_streams_rank(struct omptape_writer *writer, struct omptape_location *location);

/* The number of bytes that the device's memory holds changes. */
void omptape_streams_memory(struct omptape_writer *writer, struct omptape_device *device, uint64_t time,
                            int64_t change, bool hidden);

#endif
