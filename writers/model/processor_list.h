/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A set of processors as a text. Any thread.
 */
#ifndef OMPTAPE_WRITERS_MODEL_PROCESSOR_LIST_H
#define OMPTAPE_WRITERS_MODEL_PROCESSOR_LIST_H

#include <stddef.h>
#include <stdint.h>

/* "0-3,8": the bits of a mask as the kernel lists them. The caller frees it; NULL: none, or no memory. */
char *omptape_processor_list(const uint64_t *mask, size_t words);

#endif
