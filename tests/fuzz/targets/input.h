/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes libFuzzer's bytes as numbers and choices. Used by the fuzz targets, each on its only thread. Where
 * there are no more bytes all is zero.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct input {
    const uint8_t *at;
    size_t left;
};

static inline uint8_t take_byte(struct input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

/* Mostly a small one, which may be what another record or file has, too. */
static inline uint64_t take_number(struct input *input)
{
    enum { SMALL = 0xe0, BYTES = 8 };
    uint8_t first = take_byte(input);
    uint64_t number = 0;
    if (first < SMALL)
        return first;
    for (unsigned i = 0; i <= first % BYTES; i++)
        number = number << 8 | take_byte(input);
    return number;
}

/* The entry point. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
