/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records functions of programs that are built with -finstrument-functions. A function that is called very
 * often and takes hardly any time is excluded from then on, so that it does not hide the others.
 */
#include "src/marks/marks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

enum { FUNCTIONS = 8192, DEPTH = 256, MAX_CALLS = 10000, TIMED = 64, BRIEF_NS = 2000, FUNCTION_STACK = 13 };

/* One function of the program. Its table entry never moves. */
struct function {
    _Atomic uintptr_t address; /* 0 if the entry is free */
    atomic_uint calls;
    atomic_uint_fast64_t ns; /* sum over the timed calls */
    atomic_bool is_excluded;
};
static struct function functions[FUNCTIONS];

/* An open call on this thread. */
struct call {
    struct function *function; /* NULL if the table was full */
    uint64_t begin;            /* ns; 0 if the call is not timed */
    bool recorded;
};
static _Thread_local struct call calls[DEPTH];
static _Thread_local unsigned depth;

static uint64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

/* Returns the entry of the function and adds it if needed. Returns NULL if the table is full. */
static struct function *find(uintptr_t address)
{
    const size_t first = (size_t)omptape_user_hash_word(0, address) % FUNCTIONS;
    for (size_t i = 0; i < 16; i++) {
        struct function *function = &functions[(first + i) % FUNCTIONS];
        uintptr_t known = atomic_load_explicit(&function->address, memory_order_relaxed);
        if (known == 0 && atomic_compare_exchange_strong(&function->address, &known, address))
            return function;
        if (known == address)
            return function;
    }
    return NULL;
}

/* Counts the call and returns true if it is recorded. *begin receives its begin, or 0 if it is not timed. */
static bool is_recorded(struct function *function, uint64_t *begin)
{
    *begin = 0;
    if (function == NULL)
        return true;
    if (atomic_load_explicit(&function->is_excluded, memory_order_relaxed))
        return false;
    const unsigned before = atomic_load_explicit(&function->calls, memory_order_relaxed);
    atomic_store_explicit(&function->calls, before + 1, memory_order_relaxed);
    if (before % TIMED == 0)
        *begin = now();
    if (before < MAX_CALLS)
        return true;
    const uint64_t brief = (uint64_t)(before / TIMED) * BRIEF_NS;
    if (atomic_load_explicit(&function->ns, memory_order_relaxed) > brief ||
        atomic_exchange(&function->is_excluded, true))
        return true;
    omptape_user_exclude((const void *)atomic_load(&function->address));
    return false;
}

EXPORTED void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    if (depth >= DEPTH) {
        depth++;
        return;
    }
    struct call *call = &calls[depth++];
    call->function = find((uintptr_t)function);
    call->recorded = is_recorded(call->function, &call->begin);
    if (call->recorded)
        (void)omptape_user_enter_function(FUNCTION_STACK, function);
}

EXPORTED void __cyg_profile_func_exit(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
    if (depth == 0 || --depth >= DEPTH)
        return;
    const struct call *call = &calls[depth];
    if (call->begin != 0)
        atomic_fetch_add(&call->function->ns, now() - call->begin);
    if (call->recorded)
        (void)omptape_user_leave(FUNCTION_STACK);
}
