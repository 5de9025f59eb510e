/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements interfaces without a variable that names a tool: AMD's ROCTX, Caliper, and omp_control_tool
 * before the OpenMP runtime has begun. The omptape command preloads this library into programs that import
 * their names. Each call is forwarded to the function that it would have reached, and returns its result.
 */
#include "src/marks/marks.h"

#include <string.h>

/* Looks up the next function of this name; NULL if there is none. */
#define NEXT(name, type)                                                                                     \
    static type *next;                                                                                       \
    static int looked_up;                                                                                    \
    if (!looked_up) {                                                                                        \
        const marks_function found = marks_next(name);                                                       \
        memcpy(&next, &found, sizeof(next));                                                                 \
        looked_up = 1;                                                                                       \
    }

/* A thread's regions of each of these interfaces are nested. */
static const struct marks_group roctx = {.stack = 3};
static const struct marks_group caliper = {.stack = 4};
enum { FIRST_ATTRIBUTE_STACK = 5, ATTRIBUTE_STACKS = 8 };

typedef int push_function(const char *);
EXPORTED int roctxRangePushA(const char *text);
int roctxRangePushA(const char *text)
{
    NEXT("roctxRangePushA", push_function)
    const int level = marks_enter(&roctx, text);
    return next != NULL ? next(text) : level;
}

typedef int pop_function(void);
EXPORTED int roctxRangePop(void);
int roctxRangePop(void)
{
    NEXT("roctxRangePop", pop_function)
    const int level = omptape_user_leave(roctx.stack);
    return next != NULL ? next() : level;
}

typedef void text_function(const char *);
EXPORTED void roctxMarkA(const char *text);
void roctxMarkA(const char *text)
{
    NEXT("roctxMarkA", text_function)
    marks_point(&roctx, text);
    if (next != NULL)
        next(text);
}

/* Returns the range's identity: the hash of the interface's own number. */
static uint64_t key_of(uint64_t id)
{
    return omptape_user_hash_word(2, id) | UINT64_C(1) << 63;
}

typedef uint64_t start_function(const char *);
EXPORTED uint64_t roctxRangeStartA(const char *text);
uint64_t roctxRangeStartA(const char *text)
{
    NEXT("roctxRangeStartA", start_function)
    static uint64_t ranges;
    const uint64_t id = next != NULL ? next(text) : __atomic_add_fetch(&ranges, 1, __ATOMIC_RELAXED);
    const struct omptape_user_name name = marks_name(&roctx, text);
    omptape_user_put_point(OMPTAPE_USER_RANGE_BEGIN, key_of(id), &name, NULL);
    return id;
}

typedef void stop_function(uint64_t);
EXPORTED void roctxRangeStop(uint64_t id);
void roctxRangeStop(uint64_t id)
{
    NEXT("roctxRangeStop", stop_function)
    marks_range_end(key_of(id));
    if (next != NULL)
        next(id);
}

/* Caliper's regions and phases, and its attributes by number or by name. */
#define CALIPER_TEXT(name, act)                                                                              \
    EXPORTED void name(const char *text);                                                                    \
    void name(const char *text)                                                                              \
    {                                                                                                        \
        NEXT(#name, text_function)                                                                           \
        act;                                                                                                 \
        if (next != NULL)                                                                                    \
            next(text);                                                                                      \
    }
CALIPER_TEXT(cali_begin_region, (void)marks_enter(&caliper, text))
CALIPER_TEXT(cali_end_region, (void)omptape_user_leave(caliper.stack))
CALIPER_TEXT(cali_begin_phase, (void)marks_enter(&caliper, text))
CALIPER_TEXT(cali_end_phase, (void)omptape_user_leave(caliper.stack))
CALIPER_TEXT(cali_begin_comm_region, (void)marks_enter(&caliper, text))
CALIPER_TEXT(cali_end_comm_region, (void)omptape_user_leave(caliper.stack))

static struct marks_group attribute_of(uint64_t hash)
{
    return (struct marks_group){.stack = FIRST_ATTRIBUTE_STACK + (unsigned)(hash % ATTRIBUTE_STACKS)};
}

typedef void begin_attribute_function(uint64_t, const char *);
EXPORTED void cali_begin_string(uint64_t attribute, const char *text);
void cali_begin_string(uint64_t attribute, const char *text)
{
    NEXT("cali_begin_string", begin_attribute_function)
    const struct marks_group group = attribute_of(attribute);
    (void)marks_enter(&group, text);
    if (next != NULL)
        next(attribute, text);
}

EXPORTED void cali_end(uint64_t attribute);
void cali_end(uint64_t attribute)
{
    NEXT("cali_end", stop_function)
    (void)omptape_user_leave(attribute_of(attribute).stack);
    if (next != NULL)
        next(attribute);
}

static struct marks_group attribute_named(const char *name)
{
    uint64_t hash = 0;
    for (; *name != '\0'; name++)
        hash = omptape_user_hash_word(hash, (unsigned char)*name);
    return attribute_of(hash);
}

typedef void begin_by_name_function(const char *, const char *);
EXPORTED void cali_begin_string_byname(const char *attribute, const char *text);
void cali_begin_string_byname(const char *attribute, const char *text)
{
    NEXT("cali_begin_string_byname", begin_by_name_function)
    const struct marks_group group = attribute_named(attribute);
    (void)marks_enter(&group, text);
    if (next != NULL)
        next(attribute, text);
}
CALIPER_TEXT(cali_end_byname, (void)omptape_user_leave(attribute_named(text).stack))

/* Result of a runtime that has not begun and therefore forwards nothing to a tool. */
enum { NO_TOOL = -2 };
typedef int control_function(int, int, void *);
EXPORTED int omp_control_tool(int command, int modifier, void *argument);
int omp_control_tool(int command, int modifier, void *argument)
{
    NEXT("omp_control_tool", control_function)
    const int result = next != NULL ? next(command, modifier, argument) : NO_TOOL;
    return result == NO_TOOL ? omptape_user_control(command, modifier, argument) : result;
}
