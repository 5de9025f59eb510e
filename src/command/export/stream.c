/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers, compresses and writes the bytes of an export (formats.h).
 */
#include "src/command/export/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Parameters of zlib. At higher levels the size hardly shrinks, but the time multiplies. The window has 2^15
 * bytes; adding 16 selects the gzip format. */
enum { PIECE_BYTES = 1 << 20, LEVEL = 1, WINDOW_OF_GZIP = 15 + 16, MEMORY = 9 };

struct export_gzip {
    z_stream z;
    uint8_t packed[PIECE_BYTES];
};

int export_stream_begin(struct export_stream *stream, int file, bool gzip)
{
    *stream = (struct export_stream){.file = file, .capacity = PIECE_BYTES};
    stream->buffer = malloc(stream->capacity);
    stream->gzip = gzip ? omptape_calloc(1, sizeof(*stream->gzip)) : NULL;
    if (stream->buffer == NULL || (gzip && stream->gzip == NULL))
        return -ENOMEM;
    if (gzip && deflateInit2(&stream->gzip->z, LEVEL, Z_DEFLATED, WINDOW_OF_GZIP, MEMORY,
                             Z_DEFAULT_STRATEGY) != Z_OK) {
        free(stream->gzip);
        stream->gzip = NULL;
        return -ENOMEM;
    }
    return 0;
}

static void write_all(struct export_stream *stream, const uint8_t *data, size_t bytes)
{
    while (bytes > 0 && stream->error == 0) {
        ssize_t written = write(stream->file, data, bytes);
        if (written >= 0) {
            data += written;
            bytes -= (size_t)written;
        } else if (errno != EINTR) {
            stream->error = -errno;
        }
    }
}

static void pack(struct export_stream *stream, int flush)
{
    z_stream *z = &stream->gzip->z;
    int status = Z_OK;
    z->next_in = stream->buffer;
    z->avail_in = (uInt)stream->used;
    do {
        z->next_out = stream->gzip->packed;
        z->avail_out = sizeof(stream->gzip->packed);
        status = deflate(z, flush);
        write_all(stream, stream->gzip->packed, sizeof(stream->gzip->packed) - z->avail_out);
    } while (stream->error == 0 && (z->avail_out == 0 || (flush == Z_FINISH && status == Z_OK)));
}

static void empty(struct export_stream *stream)
{
    if (stream->gzip != NULL)
        pack(stream, Z_NO_FLUSH);
    else
        write_all(stream, stream->buffer, stream->used);
    stream->used = 0;
}

uint8_t *export_stream_grow(struct export_stream *stream, size_t bytes)
{
    empty(stream);
    if (stream->capacity < bytes) {
        uint8_t *larger = bytes < UINT32_MAX ? realloc(stream->buffer, bytes) : NULL;
        if (larger == NULL) {
            stream->error = stream->error != 0 ? stream->error : -ENOMEM;
            return NULL;
        }
        stream->buffer = larger;
        stream->capacity = bytes;
    }
    return stream->buffer;
}

void export_stream_send(struct export_stream *stream, struct export_bytes *bytes)
{
    uint8_t *place = export_stream_reserve(stream, bytes->used);
    if (place != NULL && bytes->data != NULL) {
        memcpy(place, bytes->data, bytes->used);
        stream->used += bytes->used;
    }
    bytes->used = 0;
}

int export_stream_end(struct export_stream *stream)
{
    if (stream->gzip != NULL) {
        pack(stream, Z_FINISH);
        stream->used = 0;
    } else {
        empty(stream);
    }
    int copy = dup(stream->file);
    /* A network file system may report a full disk only at close. */
    if (copy >= 0 && close(copy) != 0 && stream->error == 0)
        stream->error = -errno;
    return stream->error;
}

void export_stream_free(struct export_stream *stream)
{
    if (stream->gzip != NULL)
        deflateEnd(&stream->gzip->z);
    free(stream->gzip);
    free(stream->buffer);
}
