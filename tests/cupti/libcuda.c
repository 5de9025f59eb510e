/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A double of libcuda.so.1: as much of a driver as the CUPTI producer's tests need. Like the real one, its
 * first cuInit loads the library that CUDA_INJECTION64_PATH names and calls its InitializeInjection. Called
 * by test programs on any thread.
 */
#include "tests/cupti/driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_int initialised;
static void (*_Atomic listening)(const struct driver_activity *activity);
static _Thread_local int present = -1;

static void inject(void)
{
    int (*initialise)(void);
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *handle = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = handle != NULL ? dlsym(handle, "InitializeInjection") : NULL;
    if (symbol == NULL)
        return;
    memcpy(&initialise, &symbol, sizeof(symbol));
    (void)initialise();
}

EXPORT int cuInit(unsigned flags)
{
    (void)flags;
    if (!atomic_exchange(&initialised, 1))
        inject();
    return 0;
}

EXPORT int driver_context(uint32_t device)
{
    struct driver_activity created = {.work = DRIVER_CONTEXT, .device = device};
    present = (int)device;
    driver_do(&created);
    return 0;
}

EXPORT int driver_present_device(void)
{
    return present;
}

EXPORT void driver_do(const struct driver_activity *activity)
{
    void (*listener)(const struct driver_activity *) = atomic_load(&listening);
    if (listener != NULL)
        listener(activity);
}

EXPORT int driver_listen(void (*listener)(const struct driver_activity *activity))
{
    atomic_store(&listening, listener);
    return atomic_load(&initialised) ? 0 : -1;
}
