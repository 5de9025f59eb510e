/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The CUPTI producer. For NVIDIA devices whose runtime offers no trace, it implements the tracing interface
 * (device/tracing.h) by CUPTI's activity API. The use of CUDA is detected in three ways:
 *
 * - the runtime initialises a device of type "sm_NN";
 * - cuInit calls InitializeInjection (src/tool/inject.c) of the library that CUDA_INJECTION64_PATH names; the
 *   omptape command sets that variable;
 * - libcuda is loaded when the tool starts, and the variable does not name this library.
 *
 * Devices that the runtime initialises keep its numbers. Devices that the program uses without target
 * constructs have the number OMPTAPE_FIRST_CUDA_DEVICE + CUDA's ordinal. Such numbers are larger than any
 * runtime's, and fit in 16 signed bits.
 */
#pragma once

#include "src/core/options.h"

#include <omptape/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called on the host thread before and after it starts an operation, with the operation's identity. */
typedef void (*omptape_cupti_push_t)(uint64_t operation);
typedef void (*omptape_cupti_pop_t)(void);
/* Receives the two functions above for the callbacks of target operations. Called each time a device of the
 * runtime is opened, on that thread. */
typedef void (*omptape_cupti_correlate_t)(omptape_cupti_push_t push, omptape_cupti_pop_t pop);

#ifdef OMPTAPE_WITHOUT_CUPTI
static inline void omptape_cupti_start(enum omptape_cuda cuda, bool paused,
                                       omptape_cupti_correlate_t correlate)
{
    (void)cuda, (void)paused, (void)correlate;
}

static inline bool omptape_cupti_open_device(int device_num, const char *type, char *why, size_t why_bytes)
{
    (void)device_num, (void)type;
    if (why_bytes > 0)
        why[0] = '\0';
    return false;
}

static inline void omptape_cupti_forget(void)
{
}

static inline void omptape_cupti_notice(void)
{
}
#else
/* Begins to detect the use of CUDA, unless `cuda` is off. Called once there is a session, before the first
 * callback is registered. `paused` means that nothing is recorded yet. Costs little without CUDA. Prints a
 * message only if the user requested CUDA, or if the program uses a device that cannot be traced. */
void omptape_cupti_start(enum omptape_cuda cuda, bool paused, omptape_cupti_correlate_t correlate);

/* Opens an NVIDIA device by CUPTI (omptape_tracing_open). Called by the thread that initialises a device
 * whose runtime offers no trace. Returns false if this fails; `why` then receives a phrase, which is empty if
 * the device is not NVIDIA's. */
bool omptape_cupti_open_device(int device_num, const char *type, char *why, size_t why_bytes);

/* Forgets CUDA and CUPTI in a forked child, because they are the parent's. */
void omptape_cupti_forget(void);

/* Notes that the program uses CUDA. Called by libcuda inside cuInit, perhaps repeatedly, before or after the
 * start. */
void omptape_cupti_notice(void);
#endif
