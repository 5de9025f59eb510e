/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A block of data in the page: deflated (zlib), then base64, which has no character that HTML knows. The
 * browser unpacks it with DecompressionStream("deflate"). On the command's only thread.
 */
#ifndef OMPTAPE_COMMAND_PAGE_BLOCK_H
#define OMPTAPE_COMMAND_PAGE_BLOCK_H

#include <stddef.h>
#include <stdio.h>

struct page_block;

/* NULL: no memory. */
struct page_block *omptape_block_begin(FILE *out);
/* Errors show at the end. */
void omptape_block_add(struct page_block *block, const void *data, size_t bytes);
/* Writes the rest and frees the block. 0, -ENOMEM or -EIO. */
int omptape_block_end(struct page_block *block);

#endif
