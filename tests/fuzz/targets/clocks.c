/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fuzz target of libFuzzer: unification dates processes whose archives say anything of their clocks
 * (src/unify/clocks/clocks.c), with offsets that somebody measured, and converts times by corrections that an
 * archive had.
 */
#include "src/unify/clocks/clocks.h"
#include "tests/fuzz/targets/input.h"

#include <stdbool.h>
#include <stdio.h>

enum { MAX_CLOCKS = 6, OFFSETS = 4, CORRECTIONS = 4 };

/* Mostly one that makes sense, in ns or ticks. */
static uint64_t take_time(struct input *input)
{
    const uint64_t usual = UINT64_C(1700000000000000000);
    uint8_t choice = take_byte(input);
    uint64_t number = take_number(input);
    uint64_t time = choice < 64 ? number : usual + number * (choice < 128 ? 1 : 1000000000);
    return time % OMPTAPE_UNIFY_MAX_TICKS;
}

static void take_clock(struct input *input, struct omptape_unify_clock *clock)
{
    static const char *const hosts[] = {"", "one", "two"};
    *clock = (struct omptape_unify_clock){.host = hosts[take_byte(input) % 3],
                                          .kind = take_byte(input) % 2 == 0 ? "tsc" : "",
                                          .rank = (int64_t)(take_byte(input) % 4) - 1,
                                          .resolution = take_number(input) *
                                                        (take_byte(input) % 2 == 0 ? 1 : 1000000000),
                                          .first = take_time(input),
                                          .error = take_number(input)};
    clock->last = clock->first + take_time(input);
    clock->start = (struct omptape_unify_anchor){.ticks = clock->first, .realtime = take_time(input)};
    clock->end = (struct omptape_unify_anchor){.ticks = take_time(input), .realtime = take_time(input)};
}

static void convert(struct input *input)
{
    struct omptape_unify_correction list[CORRECTIONS];
    struct omptape_unify_corrections corrections = {.list = list,
                                                    .count = take_byte(input) % (CORRECTIONS + 1)};
    for (uint32_t i = 0; i < corrections.count; i++)
        list[i] = (struct omptape_unify_correction){.ticks = take_time(input),
                                                    .offset = (int64_t)take_number(input)};
    uint64_t time = take_time(input);
    (void)omptape_unify_uncorrected(&corrections, omptape_unify_corrected(&corrections, time));
    (void)omptape_unify_uncorrected(&corrections, time);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct input input = {data, bytes};
    struct omptape_unify_clock clocks[MAX_CLOCKS];
    struct omptape_unify_clock *pointers[MAX_CLOCKS];
    char who[OFFSETS][8] = {"0", "1", "one", "two"}; /* sorted */
    struct omptape_unify_offset list[OFFSETS];
    struct omptape_unify_offsets offsets = {.list = list, .count = take_byte(&input) % (OFFSETS + 1)};
    struct omptape_unify_conversion conversion = {.domains = NULL};
    char line[256];
    uint32_t count = 1 + take_byte(&input) % MAX_CLOCKS;
    for (size_t i = 0; i < offsets.count; i++)
        list[i] = (struct omptape_unify_offset){
            .who = who[i], .time = (int64_t)take_time(&input), .value = (int64_t)take_time(&input)};
    for (uint32_t i = 0; i < count; i++) {
        take_clock(&input, &clocks[i]);
        pointers[i] = &clocks[i];
    }
    if (omptape_unify_convert_clocks(&conversion, pointers, count, &offsets) == 0)
        omptape_unify_find_unmeasured(&conversion, &offsets, line, sizeof(line));
    omptape_unify_conversion_free(&conversion);
    convert(&input);
    return 0;
}
