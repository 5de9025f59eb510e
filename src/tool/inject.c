/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What libcuda looks for in the library that CUDA_INJECTION64_PATH names. Called by libcuda on the thread
 * that first calls cuInit, from inside it.
 */
#include "device/cupti/cupti.h"
#include "src/tool/libc.h"

int InitializeInjection(void);

__attribute__((visibility("default"))) int InitializeInjection(void)
{
    if (omptape_libc_is_complete())
        omptape_cupti_notice();
    return 1;
}
