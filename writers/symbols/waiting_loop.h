/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Detects loops in machine code that wait for a change in memory. They only read memory at a constant address
 * and compare it, or exchange it atomically, as a lock does. Supports x86-64 only: on other machines no loop
 * is detected.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the instruction that begins at `at` is in such a loop. */
bool omptape_is_waiting_loop(const unsigned char *code, size_t bytes, size_t at);
