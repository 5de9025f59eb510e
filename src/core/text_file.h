/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads small text files, such as those of /proc and /sys. Any thread; allocates nothing.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Reads the file `path`, relative to the descriptor `folder` (or AT_FDCWD), truncated to `bytes` - 1. `text`
 * is terminated in any case. Returns the length, or negative errno if nothing could be read. */
ssize_t omptape_read_text(int folder, const char *path, char *text, size_t bytes);

/* The same for a file that the kernel writes in one piece (stat, status, a number in /sys): one read(2). */
ssize_t omptape_read_piece(int folder, const char *path, char *text, size_t bytes);
