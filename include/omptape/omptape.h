/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions by which a program annotates its trace: regions, steps, marks and values. Tracing works without
 * them.
 *
 *     omptape_begin("solver");
 *     for (uint64_t i = 0; i < steps; i++) {
 *         omptape_step("time step", i);
 *         ...
 *     }
 *     omptape_end(); // the last step
 *     omptape_end(); // "solver"
 *
 * The program needs only this header and no library. The functions are looked up once, when the first one is
 * called. Without the tool a call costs one test. A statically linked program never has the tool.
 *
 * Any thread may call the functions at any time, also before the first parallel region. A region belongs to
 * the thread that begins it. If that thread executes an explicit task, the region must end in the same task.
 * An end without a begin is ignored. Regions that are open at the end of their task, or of the program, end
 * there. Names are copied, and cut at 500 bytes.
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

#pragma weak dlsym /* NULL in a static program. */

struct omptape_functions {
    void (*begin)(const char *name);
    void (*step)(const char *name, uint64_t number);
    void (*end)(void);
    void (*mark)(const char *name);
    void (*value)(const char *name, double value); /* NULL with an older tool. */
    const char *(*version)(void);
    int (*is_recording)(void);
};

enum { OMPTAPE_UNKNOWN, OMPTAPE_THERE, OMPTAPE_MISSING };

static struct omptape_functions omptape_functions __attribute__((unused));
static int omptape_state __attribute__((unused)) = OMPTAPE_UNKNOWN;

/* Looks up the functions. Threads that call this at the same time get the same result. */
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

/* Returns 1 if the tool is present, else 0. */
static inline int omptape_is_there(void)
{
    int state = __atomic_load_n(&omptape_state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(state == OMPTAPE_MISSING, 1))
        return 0;
    return (state == OMPTAPE_UNKNOWN ? omptape_find() : state) == OMPTAPE_THERE;
}

/* Begins a region of the calling thread. */
static inline void omptape_begin(const char *name)
{
    if (omptape_is_there())
        omptape_functions.begin(name);
}

/* Begins step `number`, a region. Ends the previous step of the same name, and all regions open in that. */
static inline void omptape_step(const char *name, uint64_t number)
{
    if (omptape_is_there())
        omptape_functions.step(name, number);
}

/* Ends the innermost region or step of the calling thread. */
static inline void omptape_end(void)
{
    if (omptape_is_there())
        omptape_functions.end();
}

/* Marks an event without a duration. */
static inline void omptape_mark(const char *name)
{
    if (omptape_is_there())
        omptape_functions.mark(name);
}

/* Records a value, for example a residual. The trace shows the values of one name as a curve. */
static inline void omptape_value(const char *name, double value)
{
    if (omptape_is_there() && omptape_functions.value)
        omptape_functions.value(name, value);
}

/* Returns 1 while events of this process are recorded, else 0. */
static inline int omptape_is_recording(void)
{
    return omptape_is_there() ? omptape_functions.is_recording() : 0;
}

/* Returns the tool's version "major.minor.patch", or "" without a tool. */
static inline const char *omptape_version(void)
{
    return omptape_is_there() ? omptape_functions.version() : "";
}

#ifdef __cplusplus
}

namespace omptape
{
/* A region that lasts as long as the object. */
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
