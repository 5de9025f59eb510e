/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The floor of a mark: what programs/marks.c calls of omptape's own header and of NVTX, one record each.
 */
#include "tests/bench/floor_ring.h"

#include <stddef.h>

#define EXPORTED __attribute__((visibility("default"))) extern
enum { BEGIN = 100, STEP, END, POINT };
enum { NVTX_CALLBACKS = 1, NVTX_CORE = 1, NVTX_PUSH = 9, NVTX_POP = 11 };

typedef void nvtx_function(void);
struct nvtx_callbacks {
    size_t bytes;
    int (*get_module)(int module, nvtx_function ****places, unsigned *count);
};

EXPORTED void omptape_user_begin(const char *name);
EXPORTED void omptape_user_step(const char *name, uint64_t number);
EXPORTED void omptape_user_end(void);
EXPORTED void omptape_user_mark(const char *name);
EXPORTED const char *omptape_version(void);
EXPORTED int omptape_is_recording(void);
EXPORTED int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t));

void omptape_user_begin(const char *name)
{
    put(BEGIN, 0, 0, (uint64_t)(uintptr_t)name, 0);
}

void omptape_user_step(const char *name, uint64_t number)
{
    put(STEP, 0, 0, (uint64_t)(uintptr_t)name, number);
}

void omptape_user_end(void)
{
    put(END, 0, 0, 0, 0);
}

void omptape_user_mark(const char *name)
{
    put(POINT, 0, 0, (uint64_t)(uintptr_t)name, 0);
}

const char *omptape_version(void)
{
    return "floor";
}

int omptape_is_recording(void)
{
    return RECORDS;
}

static int push(const char *name)
{
    omptape_user_begin(name);
    return 0;
}

static int pop(void)
{
    omptape_user_end();
    return 0;
}

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t))
{
    const struct nvtx_callbacks *callbacks = get_table(NVTX_CALLBACKS);
    nvtx_function ***places = NULL;
    unsigned count = 0;
    if (callbacks == NULL || !callbacks->get_module(NVTX_CORE, &places, &count) || count <= NVTX_POP)
        return 0;
    *places[NVTX_PUSH] = (nvtx_function *)push;
    *places[NVTX_POP] = (nvtx_function *)pop;
    return 1;
}
