/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes on their way to a file, perhaps packed by gzip: what is put in is collected and written in large
 * pieces. For all that makes a format, in the child that reads.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_STREAM_H
#define OMPTAPE_COMMAND_EXPORT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omptape_export_stream {
    int file;
    int error; /* negative errno: something could not be written */
    uint8_t *buffer;
    size_t used;
    size_t room;
    struct omptape_export_gzip *gzip; /* or NULL */
};

/* 0 or -ENOMEM. */
int omptape_export_stream_begin(struct omptape_export_stream *stream, int file, bool gzip);

/* The rare case of the function below. */
uint8_t *omptape_export_stream_make_room(struct omptape_export_stream *stream, size_t bytes);

/* Where the next `bytes` go; they count when `used` is moved behind them. NULL: no memory (stream->error). */
static inline uint8_t *omptape_export_stream_room(struct omptape_export_stream *stream, size_t bytes)
{
    return stream->room - stream->used >= bytes ? stream->buffer + stream->used
                                                : omptape_export_stream_make_room(stream, bytes);
}

/* Writes the rest. 0, or the first error. */
int omptape_export_stream_end(struct omptape_export_stream *stream);

void omptape_export_stream_free(struct omptape_export_stream *stream);

#endif
