/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Encodes numbers as bytes and decodes them: seven bits per byte, lowest first, because most numbers are
 * small. For sums that are kept in files (partial.h, profile.h). Decoded bytes are not trusted. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Growing buffer; all zeros: empty. */
struct omptape_bytes {
    unsigned char *list; /* malloc'ed */
    size_t count;
    size_t capacity;
    bool failed; /* memory was exhausted: numbers are missing */
};

void omptape_bytes_put(struct omptape_bytes *bytes, uint64_t number);
void omptape_bytes_put_raw(struct omptape_bytes *bytes, const void *data, size_t count);
void omptape_bytes_free(struct omptape_bytes *bytes);

/* Bytes that are still to be decoded. */
struct omptape_bytes_rest {
    const unsigned char *at;
    const unsigned char *end;
    bool bad; /* bytes were missing: all further numbers are 0 */
};

uint64_t omptape_bytes_take(struct omptape_bytes_rest *rest);

/* Encoding of many numbers, most of them zero: a zero is followed by the number of further zeros. */
struct omptape_bytes_run {
    uint64_t zeros;
};
void omptape_bytes_put_sparse(struct omptape_bytes *bytes, struct omptape_bytes_run *run, uint64_t number);
/* Must be called after the last number of a run. */
void omptape_bytes_end_sparse(struct omptape_bytes *bytes, struct omptape_bytes_run *run);
uint64_t omptape_bytes_take_sparse(struct omptape_bytes_rest *rest, struct omptape_bytes_run *run);
