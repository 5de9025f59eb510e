/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds where functions begin in a module without symbols: by the index of its call frame information
 * (.eh_frame_hdr), which strip keeps.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/* Sets *start to the linked address at which the function around `address` begins. A part that the compiler
 * placed elsewhere counts as a function. Returns false if the file has no such index, or another encoding of
 * it. */
bool omptape_frame_index_find(Elf *elf, uint64_t address, uint64_t *start);
