/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds and loads libcupti. Called once in a process, by the thread that starts the CUPTI producer.
 */
#pragma once

#include "device/cupti/abi.h"

#include <stdbool.h>

struct omptape_cupti_library {
    struct omptape_cupti_functions functions;
    uint32_t version; /* The result of cuptiGetVersion. */
    char path[512];   /* Path for messages, as far as it is known. */
};

enum omptape_cupti_verdict { OMPTAPE_CUPTI_ACCEPT, OMPTAPE_CUPTI_SKIP, OMPTAPE_CUPTI_STOP };
/* Returns ACCEPT, or another value with the reason, a phrase, in `why`. */
typedef enum omptape_cupti_verdict (*omptape_cupti_accept_t)(const struct omptape_cupti_library *library,
                                                             char *why, size_t why_bytes);

/* Offers each libcupti to `accept` until that returns another value than SKIP. Searches beside the loaded
 * CUDA libraries, in the dynamic linker's folders, in $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. An offered
 * library stays loaded, because it may have threads. Returns false if none was accepted. `why` (at least one
 * byte) then receives the reason of STOP, or of the first library, which matches best. */
bool omptape_cupti_library_find(omptape_cupti_accept_t accept, char *why, size_t why_bytes);
