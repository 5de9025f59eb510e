/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Encodes the pyramid's bins as bytes (page.h). Bytes of the same kind are adjacent, which compresses best.
 */
#include "src/command/page/page.h"

#include "src/core/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 255, MAX_REGIONS = 65535 };

bool page_has_plane(const struct omptape_pyramid *pyramid, int bucket)
{
    for (uint32_t i = 0; i < pyramid->row_count; i++)
        if (pyramid->rows[i].buckets[bucket] != NULL)
            return true;
    return false;
}

static uint8_t share_of(const struct omptape_pyramid *pyramid, uint64_t ticks)
{
    double share = (double)ticks / (double)pyramid->width;
    return (uint8_t)((share < 1 ? share : 1) * (double)WHOLE + 0.5);
}

/* Writes a bucket's share of each bin. Rounds cumulative sums, so that a bin's shares never exceed it. */
static void fill_shares(const struct omptape_pyramid *pyramid, const struct pyramid_row *row, int bucket,
                        uint8_t *bytes)
{
    if (row->buckets[bucket] == NULL)
        return;
    for (uint32_t bin = 0; bin < pyramid->bins; bin++) {
        uint64_t ticks = row->buckets[bucket][bin];
        uint64_t before = 0;
        for (int i = 0; ticks > 0 && i < bucket; i++)
            omptape_add(&before, row->buckets[i] != NULL ? row->buckets[i][bin] : 0);
        bytes[bin] = (uint8_t)(share_of(pyramid, omptape_plus(before, ticks)) - share_of(pyramid, before));
    }
}

bool page_has_states(const struct omptape_pyramid *pyramid)
{
    for (uint32_t i = 0; i < pyramid->row_count; i++)
        if (pyramid->rows[i].states[0] != NULL)
            return true;
    return false;
}

/* Like fill_shares, but the last plane holds the sum of all known states. It is mostly the whole bin, which
 * compresses well. */
static void fill_states(const struct omptape_pyramid *pyramid, const struct pyramid_row *row, int state,
                        uint8_t *bytes)
{
    for (uint32_t bin = 0; row->states[state] != NULL && bin < pyramid->bins; bin++) {
        uint64_t before = 0;
        for (int i = 0; i < state; i++)
            omptape_add(&before, row->states[i][bin]);
        uint8_t until = share_of(pyramid, omptape_plus(before, row->states[state][bin]));
        bytes[bin] = (uint8_t)(state == PYRAMID_STATES - 1 ? until : until - share_of(pyramid, before));
    }
}

enum top_part { TOP_LOW, TOP_HIGH, TOP_SHARE, TOP_PARTS };

static void fill_tops(const struct omptape_pyramid *pyramid, const struct pyramid_row *row, unsigned top,
                      enum top_part part, uint8_t *bytes)
{
    if (row->tops == NULL)
        return;
    for (uint32_t bin = 0; bin < pyramid->bins; bin++) {
        uint32_t region = row->tops[bin].region[top];
        if (region > MAX_REGIONS)
            continue;
        if (part == TOP_SHARE)
            bytes[bin] = share_of(pyramid, row->tops[bin].ticks[top]);
        else
            bytes[bin] = (uint8_t)(part == TOP_LOW ? region : region >> 8);
    }
}

int page_bins(FILE *out, const struct omptape_pyramid *pyramid)
{
    struct page_block *block = page_block_begin(out);
    uint8_t *bytes = malloc(pyramid->bins);
    int status = -ENOMEM;
    if (block == NULL || bytes == NULL)
        goto out;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++) {
        for (uint32_t i = 0; page_has_plane(pyramid, bucket) && i < pyramid->row_count; i++) {
            memset(bytes, 0, pyramid->bins);
            fill_shares(pyramid, &pyramid->rows[i], bucket, bytes);
            page_block_add(block, bytes, pyramid->bins);
        }
    }
    for (unsigned plane = 0; plane < PYRAMID_TOPS * TOP_PARTS; plane++) {
        for (uint32_t i = 0; i < pyramid->row_count; i++) {
            memset(bytes, 0, pyramid->bins);
            fill_tops(pyramid, &pyramid->rows[i], plane / TOP_PARTS, (enum top_part)(plane % TOP_PARTS),
                      bytes);
            page_block_add(block, bytes, pyramid->bins);
        }
    }
    for (int state = 0; page_has_states(pyramid) && state < PYRAMID_STATES; state++) {
        for (uint32_t i = 0; i < pyramid->row_count; i++) {
            memset(bytes, 0, pyramid->bins);
            fill_states(pyramid, &pyramid->rows[i], state, bytes);
            page_block_add(block, bytes, pyramid->bins);
        }
    }
    status = 0;
out:
    free(bytes);
    if (block != NULL) {
        int ended = page_block_end(block);
        status = status != 0 ? status : ended;
    }
    return status;
}
