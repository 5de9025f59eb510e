/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes sets of processors. Called for what the library recorded of a thread's binding, and for what the
 * kernel says of it later.
 */
#include "writers/model/processor_list.h"

#include <stdio.h>
#include <stdlib.h>

char *omptape_processor_list(const uint64_t *mask, size_t words)
{
    enum { BYTES_A_BIT = 5 }; /* "16000-16001," takes three */
    size_t bits = words * 64;
    size_t bytes = bits * BYTES_A_BIT + 1;
    size_t used = 0;
    char *text = malloc(bytes);
    for (size_t i = 0; i < bits && text != NULL; i++) {
        size_t first = i;
        while (i < bits && (mask[i / 64] >> (i % 64) & 1) != 0)
            i++;
        if (i == first)
            continue;
        used += (size_t)snprintf(text + used, bytes - used, i - first > 1 ? "%s%zu-%zu" : "%s%zu",
                                 used > 0 ? "," : "", first, i - 1);
    }
    if (used > 0)
        return text;
    free(text);
    return NULL;
}
