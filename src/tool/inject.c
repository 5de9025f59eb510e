/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entry point that libcuda calls in the library of CUDA_INJECTION64_PATH. Called by cuInit, on the thread
 * that first calls it.
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
