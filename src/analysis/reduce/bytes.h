/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers as bytes, and back: seven bits in each byte, the lowest first, since most numbers are small. For
 * sums that are kept in files (partial.h, profile.h). Nothing that is read is believed. One
 * thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros: none yet. */
struct omptape_bytes {
    unsigned char *list; /* malloc'ed */
    size_t count;
    size_t room;
    bool failed; /* memory ran out: some are missing */
};

void omptape_bytes_put(struct omptape_bytes *bytes, uint64_t number);
void omptape_bytes_put_raw(struct omptape_bytes *bytes, const void *data, size_t count);
void omptape_bytes_free(struct omptape_bytes *bytes);

/* What is still to be read. */
struct omptape_bytes_rest {
    const unsigned char *at;
    const unsigned char *end;
    bool bad; /* something was missing: numbers are 0 from then on */
};

uint64_t omptape_bytes_take(struct omptape_bytes_rest *rest);

/* Many numbers of which most may be zero: a zero is followed by how many more there are. */
struct omptape_bytes_run {
    uint64_t zeros;
};
void omptape_bytes_put_sparse(struct omptape_bytes *bytes, struct omptape_bytes_run *run, uint64_t number);
/* Behind the last number of a run. */
void omptape_bytes_end_sparse(struct omptape_bytes *bytes, struct omptape_bytes_run *run);
uint64_t omptape_bytes_take_sparse(struct omptape_bytes_rest *rest, struct omptape_bytes_run *run);
