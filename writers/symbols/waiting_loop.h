/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops in machine code that wait for a change in memory. They only read it, at an address that stays the
 * same, and compare. Or they exchange it atomically, as a lock does. x86-64; on other machines none is found.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is the instruction at `at` in such a loop? `at` is where one begins. */
bool omptape_is_waiting_loop(const unsigned char *code, size_t bytes, size_t at);
