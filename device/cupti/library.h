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

enum omptape_cupti_answer { OMPTAPE_CUPTI_TAKEN, OMPTAPE_CUPTI_NEXT, OMPTAPE_CUPTI_STOP };
/* Returns TAKEN, or another value with the reason, a phrase, in `why`. */
typedef enum omptape_cupti_answer (*omptape_cupti_take_t)(const struct omptape_cupti_library *library,
                                                          char *why, size_t why_bytes);

/* Offers each libcupti to `take` until that returns another value than NEXT. Searches beside the loaded CUDA
 * libraries, in the dynamic linker's folders, in $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. An offered
 * library stays loaded, because it may have threads. Returns false if none was taken. `why` (at least one
 * byte) then receives the reason of STOP, or of the first library, which matches best. */
bool omptape_cupti_library_find(omptape_cupti_take_t take, char *why, size_t why_bytes);
