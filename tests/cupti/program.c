/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenMP on the host and CUDA kernels without target constructs, on the libcuda double: two threads with a
 * stream each on CUDA's device 1. What its archive must hold is in traces.py.
 */
#include "tests/cupti/driver.h"

#include <time.h>

enum { DEVICE = 1, FIRST_STREAM = 13, KERNELS = 100, BYTES = 4096, TO_DEVICE = 1 };

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static void work(enum driver_work what, uint32_t stream, const char *name)
{
    const struct timespec while_ns = {.tv_nsec = 10000};
    struct driver_activity activity = {.work = what,
                                       .device = DEVICE,
                                       .stream = stream,
                                       .bytes = BYTES,
                                       .copy_kind = TO_DEVICE,
                                       .name = name,
                                       .start = now()};
    nanosleep(&while_ns, 0); /* how long the work takes */
    activity.end = now();
    driver_do(&activity);
}

int main(void)
{
    cuInit(0);
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int thread = 0; thread < 2; thread++) {
        uint32_t stream = FIRST_STREAM + (uint32_t)thread;
        driver_context(DEVICE);
        work(DRIVER_COPY, stream, 0);
        for (int i = 0; i < KERNELS; i++)
            work(DRIVER_KERNEL, stream, "_Z3addPdi");
        work(DRIVER_SYNC, stream, 0);
    }
    return 0;
}
