/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cache lines that sampled code accesses. Finds a thread that reads from a line into which another thread
 * writes other bytes at about the same time. Then the line moves between processors, although no data does
 * ("false sharing"). Used by the thread that adds samples.
 */
#pragma once

#include "writers/symbols/sampled_code.h"

#include <stdbool.h>
#include <stdint.h>

struct omptape_shared_lines;

/* Returns NULL if out of memory. */
struct omptape_shared_lines *omptape_shared_lines_create(void);
void omptape_shared_lines_free(struct omptape_shared_lines *lines);

/* Notes what a thread's sample accesses. Samples of different threads may come out of order. Returns true if
 * the thread reads from a line into which another thread writes about that time. Neither may write a byte
 * that the other uses. */
bool omptape_shared_lines_note(struct omptape_shared_lines *lines, const struct omptape_sampled_code *code,
                               const struct omptape_stack_copy *copy);
