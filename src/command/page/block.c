/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Deflates and writes base64 (block.h).
 */
#include "src/command/page/block.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Three bytes become four characters: a multiple of three is a whole number of them. */
enum { OUT_BYTES = 3 * 4096, LEVEL = 6, MOST_AT_ONCE = 1 << 30 };

struct page_block {
    FILE *out;
    z_stream stream;
    bool failed;
    unsigned char packed[OUT_BYTES];
};

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void write_base64(FILE *out, const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 3) {
        unsigned second = i + 1 < bytes ? data[i + 1] : 0;
        unsigned third = i + 2 < bytes ? data[i + 2] : 0;
        unsigned all = (unsigned)data[i] << 16 | second << 8 | third;
        const char four[4] = {digits[all >> 18], digits[all >> 12 & 63],
                              i + 1 < bytes ? digits[all >> 6 & 63] : '=',
                              i + 2 < bytes ? digits[all & 63] : '='};
        fwrite(four, 1, sizeof(four), out);
    }
}

struct page_block *omptape_block_begin(FILE *out)
{
    struct page_block *block = calloc(1, sizeof(*block));
    if (block == NULL)
        return NULL;
    block->out = out;
    if (deflateInit(&block->stream, LEVEL) != Z_OK) {
        free(block);
        return NULL;
    }
    block->stream.next_out = block->packed;
    block->stream.avail_out = OUT_BYTES;
    return block;
}

static void pack(struct page_block *block, int flush)
{
    int status;
    do {
        status = deflate(&block->stream, flush);
        block->failed = block->failed || status == Z_STREAM_ERROR;
        if (block->stream.avail_out == 0) {
            write_base64(block->out, block->packed, OUT_BYTES);
            block->stream.next_out = block->packed;
            block->stream.avail_out = OUT_BYTES;
        }
    } while (!block->failed && (flush == Z_FINISH ? status != Z_STREAM_END : block->stream.avail_in > 0));
}

void omptape_block_add(struct page_block *block, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    while (bytes > 0) {
        size_t now = bytes < MOST_AT_ONCE ? bytes : MOST_AT_ONCE;
        block->stream.next_in = (Bytef *)(uintptr_t)at;
        block->stream.avail_in = (uInt)now;
        pack(block, Z_NO_FLUSH);
        at += now;
        bytes -= now;
    }
}

int omptape_block_end(struct page_block *block)
{
    pack(block, Z_FINISH);
    write_base64(block->out, block->packed, OUT_BYTES - block->stream.avail_out);
    deflateEnd(&block->stream);
    int status = block->failed ? -ENOMEM : 0;
    if (ferror(block->out))
        status = -EIO;
    free(block);
    return status;
}
