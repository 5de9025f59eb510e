/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of the counting tool's file: families of counters, each with room for COUNT_VALUES kinds.
 * Written by count_tool.c in the traced program; tests/harness/counts.py reads it and repeats the order of
 * the families.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum count_family {
    COUNT_THREAD_BEGIN,
    COUNT_THREAD_END,
    COUNT_PARALLEL_BEGIN,
    COUNT_PARALLEL_END,
    COUNT_TASK_CREATE,
    COUNT_TASK_SCHEDULE,
    COUNT_IMPLICIT_BEGIN,
    COUNT_IMPLICIT_END,
    COUNT_SYNC_BEGIN,
    COUNT_SYNC_WAIT,
    COUNT_REDUCTION,
    COUNT_WORK,
    COUNT_MASKED,
    COUNT_DISPATCH,
    COUNT_MUTEX_ACQUIRE,
    COUNT_MUTEX_ACQUIRED,
    COUNT_MUTEX_RELEASED,
    COUNT_LOCK_INIT,
    COUNT_LOCK_DESTROY,
    COUNT_NEST_LOCK,
    COUNT_DEPENDENCES,
    COUNT_DEPENDENCE_ITEM,
    COUNT_TASK_DEPENDENCE,
    COUNT_FLUSH,
    COUNT_CANCEL,
    COUNT_ERROR,
    COUNT_CONTROL_TOOL,
    COUNT_DEVICE_INITIALIZE,
    COUNT_TARGET,
    COUNT_DATA_OP,
    COUNT_SUBMIT,
    COUNT_FINALIZE,
    COUNT_SCOPE_END,
    COUNT_FAMILIES
};

/* COUNT_FINALIZE's kinds: 0: how often, 1: how many callbacks there were before. */
enum { COUNT_FINALIZE_BEFORE = 1 };

enum { COUNT_VALUES = 16, COUNT_SLOTS = COUNT_FAMILIES * COUNT_VALUES };

/* Kinds beyond the room share the last counter: a test that meets one fails on the sum, it is never lost. */
static inline size_t count_index(enum count_family family, int value)
{
    unsigned kind = (unsigned)value < COUNT_VALUES ? (unsigned)value : COUNT_VALUES - 1;

    return (size_t)family * COUNT_VALUES + kind;
}
