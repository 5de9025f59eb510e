/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The CUPTI producer: for NVIDIA devices of which the runtime offers no trace, it is the runtime's tracing
 * interface (device/tracing.h) over CUPTI's activity API. CUDA is noticed in three ways:
 * - the runtime initialises a device of type "sm_NN";
 * - libcuda calls InitializeInjection (src/tool/inject.c), as its cuInit does with the library that
 *   CUDA_INJECTION64_PATH names; the omptape command sets that variable;
 * - libcuda is there when the tool starts, and the variable names another library or none.
 *
 * Devices that the runtime initialises keep its numbers. Those that the program uses without target
 * constructs are OMPTAPE_FIRST_CUDA_DEVICE + CUDA's ordinal, which no runtime ever comes near, and which
 * fits in 16 bits with a sign.
 */
#ifndef OMPTAPE_DEVICE_CUPTI_CUPTI_H
#define OMPTAPE_DEVICE_CUPTI_CUPTI_H

#include "src/core/options.h"

#include <omptape/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To be called on the host thread around whatever makes a device work, with the operation's identity. */
typedef void (*omptape_cupti_push_t)(uint64_t operation);
typedef void (*omptape_cupti_pop_t)(void);
/* Takes the two functions above for the callbacks of target operations; called whenever a device of the
 * runtime's is opened, on that thread. Without such a device it is never called. */
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
/* The tool starts: from now on CUDA is looked out for, or never. To be called once there is a session and
 * before the first callback is registered. `paused`: nothing is to be recorded yet. Where there is no CUDA
 * this costs a dlopen that loads nothing, or less. Prints a line only if the user asked for CUDA, or the
 * program uses a device that cannot be traced. */
void omptape_cupti_start(enum omptape_cuda cuda, bool paused, omptape_cupti_correlate_t correlate);

/* To be called by the thread that initialises a device, for which the runtime offers no trace. If it is
 * NVIDIA's and CUPTI can be used, the device is opened (omptape_tracing_open) and true returned. Else false,
 * and `why` holds a phrase; it is empty if the device is not NVIDIA's. */
bool omptape_cupti_open_device(int device_num, const char *type, char *why, size_t why_bytes);

/* In a forked child: CUDA and CUPTI are the parent's. */
void omptape_cupti_forget(void);

/* The program begins to use CUDA: said by libcuda from inside cuInit, once or more, before or after the
 * tool's start. */
void omptape_cupti_notice(void);
#endif

#endif
