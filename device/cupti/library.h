/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds and loads libcupti. Called once a process, by the thread that starts the CUPTI producer.
 */
#ifndef OMPTAPE_DEVICE_CUPTI_LIBRARY_H
#define OMPTAPE_DEVICE_CUPTI_LIBRARY_H

#include "device/cupti/abi.h"

#include <stdbool.h>

struct omptape_cupti_library {
    struct omptape_cupti_functions functions;
    uint32_t version; /* cuptiGetVersion's */
    char path[512];   /* as far as it is known, for people */
};

enum omptape_cupti_answer { OMPTAPE_CUPTI_TAKEN, OMPTAPE_CUPTI_NEXT, OMPTAPE_CUPTI_STOP };
/* Anything but TAKEN with the reason, a phrase, in `why`. */
typedef enum omptape_cupti_answer (*omptape_cupti_take_t)(const struct omptape_cupti_library *library,
                                                          char *why, size_t why_bytes);

/* Offers each libcupti that can be found to `take`, until it answers something else than NEXT: beside the
 * CUDA libraries that the process has loaded, where the dynamic linker looks, in $CUDA_HOME, $CUDA_PATH and
 * /usr/local/cuda. A library that was offered stays loaded, since it may have threads. False: none was taken,
 * and `why` (of at least one byte) holds the reason of STOP, else that of the first, which suits best. */
bool omptape_cupti_library_find(omptape_cupti_take_t take, char *why, size_t why_bytes);

#endif
