/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Encodes numbers as bytes (byte_coding.h).
 */
#include "src/analysis/reduce/byte_coding.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 10, FIRST_BYTES = 4096 };

void omptape_bytes_put_raw(struct omptape_bytes *bytes, const void *data, size_t count)
{
    if (bytes->capacity - bytes->count < count) {
        size_t capacity = 2 * bytes->capacity + count + FIRST_BYTES;
        unsigned char *grown = realloc(bytes->list, capacity);
        if (grown == NULL) {
            bytes->failed = true;
            return;
        }
        bytes->list = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->list + bytes->count, data, count);
    bytes->count += count;
}

void omptape_bytes_put(struct omptape_bytes *bytes, uint64_t number)
{
    unsigned char some[NUMBER_BYTES];
    size_t count = 0;
    for (; number > 0x7F; number >>= 7)
        some[count++] = (unsigned char)(number | 0x80);
    some[count++] = (unsigned char)number;
    omptape_bytes_put_raw(bytes, some, count);
}

void omptape_bytes_free(struct omptape_bytes *bytes)
{
    free(bytes->list);
    *bytes = (struct omptape_bytes){.list = NULL};
}

uint64_t omptape_bytes_take(struct omptape_bytes_rest *rest)
{
    uint64_t number = 0;
    for (unsigned shift = 0; rest->at < rest->end && shift < 64; shift += 7) {
        unsigned char byte = *rest->at++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte <= 0x7F)
            return number;
    }
    rest->bad = true;
    rest->at = rest->end;
    return 0;
}

void omptape_bytes_put_sparse(struct omptape_bytes *bytes, struct omptape_bytes_run *run, uint64_t number)
{
    if (number == 0) {
        run->zeros++;
        return;
    }
    omptape_bytes_end_sparse(bytes, run);
    omptape_bytes_put(bytes, number);
}

void omptape_bytes_end_sparse(struct omptape_bytes *bytes, struct omptape_bytes_run *run)
{
    if (run->zeros > 0) {
        omptape_bytes_put(bytes, 0);
        omptape_bytes_put(bytes, run->zeros - 1);
    }
    run->zeros = 0;
}

uint64_t omptape_bytes_take_sparse(struct omptape_bytes_rest *rest, struct omptape_bytes_run *run)
{
    if (run->zeros > 0) {
        run->zeros--;
        return 0;
    }
    uint64_t number = omptape_bytes_take(rest);
    if (number == 0)
        run->zeros = omptape_bytes_take(rest);
    return number;
}
