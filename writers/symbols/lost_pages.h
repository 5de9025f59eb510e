/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the writer alive if a file that libelf has mapped becomes shorter. The traced program, or a build,
 * may shorten its own files at any time. An access behind the file's end would end the writer with SIGBUS.
 */
#pragma once

#include <stddef.h>

/* From now on a page that a mapped file has lost reads as zeros, in this process and its children. Pages of
 * the `bytes` from `shared` on are excepted: both sides must see the same ones. So are pages of the program
 * and of libraries that are loaded by now: zeros are no code. Called once, at the start. */
void omptape_lost_pages_replace(const void *shared, size_t bytes);
