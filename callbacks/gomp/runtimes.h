/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The libgomps of this process, and which one a caller means. A call that came to us is passed on to the
 * function that its caller would have got without us: the first one behind us in the loader's order, else the
 * one among the caller's own libraries (a module that was loaded for itself alone, as Python's are, may bring
 * a copy with a name of its own).
 */
#ifndef OMPTAPE_CALLBACKS_GOMP_RUNTIMES_H
#define OMPTAPE_CALLBACKS_GOMP_RUNTIMES_H

#include "callbacks/gomp/functions.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct omptape_gomp_runtime {
    uintptr_t base;   /* where it is loaded */
    bool recorded;    /* its calls are recorded; else it does so itself (OMPT), or nothing is recorded */
    bool can_cancel;  /* OMP_CANCELLATION is on */
    const char *path; /* owned by the loader; the library stays loaded */
    _Atomic uintptr_t functions[OMPTAPE_GOMP_FUNCTIONS]; /* 0: not looked up yet */
};

/* Code that calls libgomp: a module, and where its calls go. */
struct omptape_gomp_caller {
    uintptr_t begin;
    uintptr_t bytes;
    struct omptape_gomp_runtime *runtime;
    uint64_t name; /* a number made of the module's name: other code may come to the same place */
    bool stays;    /* the main program does */
};

/* Where the calling thread's last call came from. */
extern _Thread_local const struct omptape_gomp_caller *omptape_gomp_caller
    __attribute__((tls_model("initial-exec")));

/* Starts the session with the first runtime that is to be recorded. False: nothing is recorded. Set by
 * src/tool/; called on the thread that calls libgomp first, while others wait. */
extern bool (*omptape_gomp_start_session)(struct omptape_gomp_runtime *runtime);

/* The same as below, for code other than the thread's last; or where that may be gone. */
struct omptape_gomp_runtime *omptape_gomp_find_runtime(const void *site, enum omptape_gomp_number number);

/* The runtime of the code at `site`, which calls function `number`. */
static inline struct omptape_gomp_runtime *omptape_gomp_runtime_of(const void *site,
                                                                   enum omptape_gomp_number number)
{
    const struct omptape_gomp_caller *caller = omptape_gomp_caller;
    if (__builtin_expect((uintptr_t)site - caller->begin < caller->bytes, 1))
        return caller->runtime;
    return omptape_gomp_find_runtime(site, number);
}

/* The same, and sure that the code is still what it was: libraries come and go between regions. */
static inline struct omptape_gomp_runtime *omptape_gomp_runtime_now(const void *site,
                                                                    enum omptape_gomp_number number)
{
    const struct omptape_gomp_caller *caller = omptape_gomp_caller;
    if (__builtin_expect(caller->stays && (uintptr_t)site - caller->begin < caller->bytes, 1))
        return caller->runtime;
    return omptape_gomp_find_runtime(site, number);
}

/* Looks the function up. It is there, or the process ends with a line as the loader's. */
uintptr_t omptape_gomp_look_up(struct omptape_gomp_runtime *runtime, enum omptape_gomp_number number);
/* The same; 0: it is not there. */
uintptr_t omptape_gomp_try(struct omptape_gomp_runtime *runtime, enum omptape_gomp_number number);

static inline uintptr_t omptape_gomp_address(struct omptape_gomp_runtime *runtime,
                                             enum omptape_gomp_number number)
{
    uintptr_t address = atomic_load_explicit(&runtime->functions[number], memory_order_relaxed);
    if (__builtin_expect(address == 0, 0))
        address = omptape_gomp_look_up(runtime, number);
    return address;
}

/* The runtime's own function if it is known that the code at `site` has its calls there, and that they are
 * not recorded; else 0. */
static inline uintptr_t omptape_gomp_unrecorded(const void *site, enum omptape_gomp_number number)
{
    const struct omptape_gomp_caller *caller = omptape_gomp_caller;
    if ((uintptr_t)site - caller->begin >= caller->bytes || caller->runtime->recorded)
        return 0;
    return atomic_load_explicit(&caller->runtime->functions[number], memory_order_relaxed);
}

/* The runtime's own function of this name, with its type. */
#define OMPTAPE_GOMP_REAL(runtime, name)                                                                     \
    ((omptape_type_##name *)omptape_gomp_address(runtime, OMPTAPE_CALL_##name))

/* In a forked child, which has one thread: whoever was searching is the parent's. */
void omptape_gomp_forget(void);

#endif
