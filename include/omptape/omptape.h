/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For programs that want to tell the tool what they do. Nothing here is needed to be traced.
 *
 *     omptape_begin("solver");
 *     for (uint64_t i = 0; i < steps; i++) {
 *         omptape_step("time step", i);
 *         ...
 *     }
 *     omptape_end(); // the last step
 *     omptape_end(); // "solver"
 *
 * This header is all: no library has to be linked. The functions are looked up once, when the first one is
 * called. Without the tool a call costs one test. A program that is linked statically has no tool.
 *
 * Any thread may call them at any time, also before the first parallel region. A region belongs to the thread
 * that begins it, and to its task if that is an explicit one: both its ends lie in the same task. An end
 * without a begin is ignored; what is open at the end of its task, or of the program, ends there. Names are
 * copied; what is longer than 500 bytes is cut.
 *
 * C++ has a scope: omptape::region region("solver"). omptape.f90 is the same for Fortran (use omptape), and
 * omptape.py for Python.
 *
 * omp_control_tool (OpenMP 5.2 section 18.14) starts, pauses, flushes and ends the recording.
 */
#ifndef OMPTAPE_H
#define OMPTAPE_H

#include <dlfcn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma weak dlsym /* a static program has none */

struct omptape_functions {
    void (*begin)(const char *name);
    void (*step)(const char *name, uint64_t number);
    void (*end)(void);
    void (*mark)(const char *name);
    void (*value)(const char *name, double value); /* NULL: the tool is older */
    const char *(*version)(void);
    int (*is_recording)(void);
};

enum { OMPTAPE_UNKNOWN, OMPTAPE_THERE, OMPTAPE_MISSING };

static struct omptape_functions omptape_functions __attribute__((unused));
static int omptape_state __attribute__((unused)) = OMPTAPE_UNKNOWN;

/* Threads that come here at one time find the same. */
static inline int omptape_find(void)
{
    int missing = dlsym == 0;
#define OMPTAPE_FIND(member, name)                                                                           \
    {                                                                                                        \
        __typeof__(omptape_functions.member) found =                                                         \
            missing ? 0 : (__typeof__(omptape_functions.member))(uintptr_t)dlsym((void *)0, name);           \
        missing |= found == 0;                                                                               \
        __atomic_store_n(&omptape_functions.member, found, __ATOMIC_RELAXED);                                \
    }
    OMPTAPE_FIND(begin, "omptape_user_begin")
    OMPTAPE_FIND(step, "omptape_user_step")
    OMPTAPE_FIND(end, "omptape_user_end")
    OMPTAPE_FIND(mark, "omptape_user_mark")
    OMPTAPE_FIND(version, "omptape_version")
    OMPTAPE_FIND(is_recording, "omptape_is_recording")
    __atomic_store_n(
        &omptape_functions.value,
        missing ? 0
                : (__typeof__(omptape_functions.value))(uintptr_t)dlsym((void *)0, "omptape_user_put_value"),
        __ATOMIC_RELAXED);
#undef OMPTAPE_FIND
    __atomic_store_n(&omptape_state, missing ? OMPTAPE_MISSING : OMPTAPE_THERE, __ATOMIC_RELEASE);
    return missing ? OMPTAPE_MISSING : OMPTAPE_THERE;
}

/* Is the tool there? */
static inline int omptape_is_there(void)
{
    int state = __atomic_load_n(&omptape_state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(state == OMPTAPE_MISSING, 1))
        return 0;
    return (state == OMPTAPE_UNKNOWN ? omptape_find() : state) == OMPTAPE_THERE;
}

/* A region of the calling thread begins. */
static inline void omptape_begin(const char *name)
{
    if (omptape_is_there())
        omptape_functions.begin(name);
}

/* Step `number` begins: a region that also ends the step before of the same name, and what is open in it. */
static inline void omptape_step(const char *name, uint64_t number)
{
    if (omptape_is_there())
        omptape_functions.step(name, number);
}

/* The innermost region or step of the calling thread ends. */
static inline void omptape_end(void)
{
    if (omptape_is_there())
        omptape_functions.end();
}

/* Something happens: a region of no length. */
static inline void omptape_mark(const char *name)
{
    if (omptape_is_there())
        omptape_functions.mark(name);
}

/* A number at this time, as a residual: a mark with that value. */
static inline void omptape_value(const char *name, double value)
{
    if (omptape_is_there() && omptape_functions.value)
        omptape_functions.value(name, value);
}

/* 1 while events of this process are being recorded, else 0. */
static inline int omptape_is_recording(void)
{
    return omptape_is_there() ? omptape_functions.is_recording() : 0;
}

/* "major.minor.patch" of the tool; "": there is none. */
static inline const char *omptape_version(void)
{
    return omptape_is_there() ? omptape_functions.version() : "";
}

#ifdef __cplusplus
}

namespace omptape
{
/* A region as long as the object lives. */
class region
{
  public:
    explicit region(const char *name)
    {
        omptape_begin(name);
    }
    ~region()
    {
        omptape_end();
    }
    region(const region &) = delete;
    region &operator=(const region &) = delete;
};
} // namespace omptape
#endif

#endif
