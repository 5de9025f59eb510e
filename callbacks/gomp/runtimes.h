/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The copies of libgomp in this process, and which one a caller uses. A wrapped call goes to the function
 * that the caller would have reached without the library. This is the next one in the loader's order, or else
 * the one among the caller's own libraries. A module with local symbols (such as a Python extension) may
 * bring its own copy.
 */
#pragma once

#include "callbacks/gomp/functions.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A spin lock for rare operations; it is held only for a few instructions, or while a runtime is searched. */
static inline void omptape_gomp_lock(atomic_flag *lock)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        sched_yield();
}
static inline void omptape_gomp_unlock(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

struct omptape_gomp_runtime {
    uintptr_t base; /* The load address. */
    /* True if its calls are recorded. Otherwise the runtime has OMPT itself, or nothing is recorded. */
    bool is_traced;
    /* False until `is_traced` is known: libraries' constructors may call libgomp before the library's run. A
     * thread caches only callers of decided runtimes. */
    atomic_bool is_decided;
    bool can_cancel;  /* True if OMP_CANCELLATION is on. */
    const char *path; /* Owned by the loader; the library stays loaded. */
    /* Addresses of its functions; 0 if not looked up yet. */
    _Atomic uintptr_t functions[OMPTAPE_GOMP_FUNCTIONS];
};

/* The address range of a module that calls libgomp, and the runtime that its calls go to. */
struct omptape_gomp_caller {
    uintptr_t begin;
    uintptr_t bytes;
    struct omptape_gomp_runtime *runtime;
    /* A hash of the module's name, because other code may be loaded at the same address. */
    uint64_t name;
    bool is_main_program; /* True for the main program, which is never unloaded. */
};

/* The module that contains the calling thread's last call. */
extern _Thread_local const struct omptape_gomp_caller *omptape_gomp_caller
    __attribute__((tls_model("initial-exec")));

/* Starts the session with the first runtime to be recorded. Returns false if nothing is recorded. Set by
 * src/tool/; called on the first thread that calls libgomp, while other threads wait. */
extern bool (*omptape_gomp_start_session)(struct omptape_gomp_runtime *runtime);

/* Looks up the runtime for a caller that is not in the cache, or that may have been unloaded. */
struct omptape_gomp_runtime *omptape_gomp_find_runtime(const void *site, enum omptape_gomp_number number);

/* Returns the runtime of the code at `site`, which calls function `number`. */
static inline struct omptape_gomp_runtime *omptape_gomp_runtime_of(const void *site,
                                                                   enum omptape_gomp_number number)
{
    const struct omptape_gomp_caller *caller = omptape_gomp_caller;
    if (__builtin_expect((uintptr_t)site - caller->begin < caller->bytes, 1))
        return caller->runtime;
    return omptape_gomp_find_runtime(site, number);
}

/* Like omptape_gomp_runtime_of, but also detects that the module was replaced since. Libraries may be loaded
 * and unloaded between regions. */
static inline struct omptape_gomp_runtime *omptape_gomp_runtime_now(const void *site,
                                                                    enum omptape_gomp_number number)
{
    const struct omptape_gomp_caller *caller = omptape_gomp_caller;
    if (__builtin_expect(caller->is_main_program && (uintptr_t)site - caller->begin < caller->bytes, 1))
        return caller->runtime;
    return omptape_gomp_find_runtime(site, number);
}

/* Looks up a function. If it does not exist, the process ends with a message, as with the loader. */
uintptr_t omptape_gomp_require_function(struct omptape_gomp_runtime *runtime,
                                        enum omptape_gomp_number number);
/* Looks up a function. Returns 0 if it does not exist. */
uintptr_t omptape_gomp_find_function(struct omptape_gomp_runtime *runtime, enum omptape_gomp_number number);

static inline uintptr_t omptape_gomp_address(struct omptape_gomp_runtime *runtime,
                                             enum omptape_gomp_number number)
{
    uintptr_t address = atomic_load_explicit(&runtime->functions[number], memory_order_relaxed);
    if (__builtin_expect(address == 0, 0))
        address = omptape_gomp_require_function(runtime, number);
    return address;
}

/* Returns the runtime's function if the caller is cached and its runtime is not recorded; else 0. */
static inline uintptr_t omptape_gomp_untraced(const void *site, enum omptape_gomp_number number)
{
    const struct omptape_gomp_caller *caller = omptape_gomp_caller;
    if ((uintptr_t)site - caller->begin >= caller->bytes || caller->runtime->is_traced)
        return 0;
    return atomic_load_explicit(&caller->runtime->functions[number], memory_order_relaxed);
}

/* The runtime's own function of this name, with its type. */
#define OMPTAPE_GOMP_REAL(runtime, name)                                                                     \
    ((omptape_type_##name *)omptape_gomp_address(runtime, OMPTAPE_CALL_##name))

/* Releases the search lock in a forked child. A thread of the parent may have held it. */
void omptape_gomp_forget(void);
