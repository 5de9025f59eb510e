/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OMPT types from the newest omp-tools.h that the build found, and values that older headers lack.
 * Included by all code that uses an OMPT type. The writer uses the constants only; it calls no OMPT function.
 */
#pragma once

#include <omp-tools.h>

/* Values added to OMPT after LLVM 14's header. They have other names, because newer headers define them as
 * enumerators, which the preprocessor cannot detect. OpenMP 5.2 sections 19.4.4.15/16, 6.0 section 33. */
enum {
    OMPTAPE_WORK_LOOP_STATIC = 10,
    OMPTAPE_WORK_LOOP_DYNAMIC = 11,
    OMPTAPE_WORK_LOOP_GUIDED = 12,
    OMPTAPE_WORK_LOOP_OTHER = 13,

    OMPTAPE_DISPATCH_WS_LOOP_CHUNK = 3,
    OMPTAPE_DISPATCH_TASKLOOP_CHUNK = 4,
    OMPTAPE_DISPATCH_DISTRIBUTE_CHUNK = 5,

    OMPTAPE_DEPENDENCE_OUT_ALL_MEMORY = 34,
    OMPTAPE_DEPENDENCE_INOUT_ALL_MEMORY = 35,
};

/* ompt_dispatch_chunk_t, absent from LLVM 14's header (OpenMP 5.2 section 19.4.4.14). */
struct omptape_dispatch_chunk {
    uint64_t start;
    uint64_t iterations;
};
