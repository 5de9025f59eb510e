/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements Kokkos Tools. Kokkos loads the first library in KOKKOS_TOOLS_LIBS and looks these functions up.
 * The rest of the list is the user's tool; each call is forwarded to it.
 *
 * The interface follows Kokkos_Profiling_C_Interface.h, described here in our own words.
 */
#include "src/marks/marks.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kokkos_space {
    char name[64];
};
struct kokkos_settings {
    bool needs_fences;
    bool reserved[255];
};
enum { MAX_SECTIONS = 256 };

static const char variable[] = "KOKKOS_TOOLS_LIBS";

/* A thread's regions are nested among themselves, and so are its kernels, and its deep copies and fences. */
static const struct marks_group regions = {.stack = 1};
static const struct marks_group kernels = {.stack = OMPTAPE_USER_KERNELS};
static const struct marks_group inner = {.stack = 2};

static char *section_names[MAX_SECTIONS];
static uint32_t section_count;
static void *user_tool; /* the user's tool, or NULL */

/* Calls the function of the user's tool if it exists. */
#define CHAIN(name, arguments)                                                                               \
    do {                                                                                                     \
        static __typeof__(kokkosp_##name) *chain;                                                            \
        if (user_tool != NULL && chain == NULL)                                                              \
            *(void **)(void *)&chain = dlsym(user_tool, "kokkosp_" #name);                                   \
        if (chain != NULL)                                                                                   \
            chain arguments;                                                                                 \
    } while (false)

#define KOKKOS(name, parameters)                                                                             \
    EXPORTED void kokkosp_##name parameters;                                                                 \
    void kokkosp_##name parameters

static void enter(const struct marks_group *group, const char *text, const char *what)
{
    char whole[MARKS_TEXT_BYTES];
    snprintf(whole, sizeof(whole), "%.*s [%s]", MARKS_TEXT_BYTES - 32, text != NULL ? text : "", what);
    (void)marks_enter(group, whole);
}

static void point(const char *text, const char *what, uint64_t bytes)
{
    char whole[MARKS_TEXT_BYTES];
    const struct omptape_user_value value = {OMPTAPE_USER_UINT64, {.number = bytes}};
    snprintf(whole, sizeof(whole), "%.*s [%s]", MARKS_TEXT_BYTES - 32, text != NULL ? text : "", what);
    const struct omptape_user_name name = marks_name(&inner, whole);
    omptape_user_put_point(OMPTAPE_USER_POINT, 0, &name, &value);
}

/* Loads the user's tool. Removes this library from the variable first, as that tool may chain others. */
static void find_user_tool(void)
{
    const char *list = getenv(variable);
    const char *rest = list != NULL && strstr(list, "libomptape-marks.so") != NULL ? strchr(list, ';') : NULL;
    if (user_tool != NULL || rest == NULL || rest[1] == '\0')
        return;
    char *tools = strdup(rest + 1);
    char *first = strndup(rest + 1, strcspn(rest + 1, ";"));
    if (tools != NULL && first != NULL && setenv(variable, tools, 1) == 0)
        user_tool = dlopen(first, RTLD_NOW | RTLD_GLOBAL);
    if (tools != NULL && first != NULL && user_tool == NULL)
        fprintf(stderr, "omptape: cannot load %s of %s: %s\n", first, variable, dlerror());
    free(first);
    free(tools);
}

KOKKOS(init_library, (int sequence, uint64_t version, uint32_t devices, void *info))
{
    find_user_tool();
    CHAIN(init_library, (sequence, version, devices, info));
}

KOKKOS(finalize_library, (void))
{
    CHAIN(finalize_library, ());
}

KOKKOS(request_tool_settings, (uint32_t count, struct kokkos_settings *settings))
{
    if (count > 0 && settings != NULL)
        settings->needs_fences = false;
    CHAIN(request_tool_settings, (count, settings));
}

#define KERNEL(kind, group)                                                                                  \
    KOKKOS(begin_##kind, (const char *name, uint32_t device, uint64_t *id))                                  \
    {                                                                                                        \
        CHAIN(begin_##kind, (name, device, id));                                                             \
        enter(&group, name, #kind);                                                                          \
    }                                                                                                        \
    KOKKOS(end_##kind, (uint64_t id))                                                                        \
    {                                                                                                        \
        (void)omptape_user_leave(group.stack);                                                               \
        CHAIN(end_##kind, (id));                                                                             \
    }
KERNEL(parallel_for, kernels)
KERNEL(parallel_reduce, kernels)
KERNEL(parallel_scan, kernels)
KERNEL(fence, inner)

KOKKOS(push_profile_region, (const char *name))
{
    CHAIN(push_profile_region, (name));
    (void)marks_enter(&regions, name);
}

KOKKOS(pop_profile_region, (void))
{
    (void)omptape_user_leave(regions.stack);
    CHAIN(pop_profile_region, ());
}

/* The section gets the number of the user's tool, if there is one. */
KOKKOS(create_profile_section, (const char *name, uint32_t *id))
{
    *id = __atomic_fetch_add(&section_count, 1, __ATOMIC_RELAXED) % MAX_SECTIONS;
    CHAIN(create_profile_section, (name, id));
    section_names[*id % MAX_SECTIONS] = strdup(name != NULL ? name : "");
}

static uint64_t key_of(uint32_t section)
{
    return UINT64_C(3) << 62 | section;
}

KOKKOS(start_profile_section, (uint32_t id))
{
    const struct omptape_user_name name = marks_name(&regions, section_names[id % MAX_SECTIONS]);
    CHAIN(start_profile_section, (id));
    omptape_user_put_point(OMPTAPE_USER_RANGE_BEGIN, key_of(id), &name, NULL);
}

KOKKOS(stop_profile_section, (uint32_t id))
{
    marks_range_end(key_of(id));
    CHAIN(stop_profile_section, (id));
}

KOKKOS(destroy_profile_section, (uint32_t id))
{
    CHAIN(destroy_profile_section, (id));
}

KOKKOS(profile_event, (const char *name))
{
    marks_point(&regions, name);
    CHAIN(profile_event, (name));
}

KOKKOS(begin_deep_copy,
       (struct kokkos_space to_space, const char *to_name, const void *to, struct kokkos_space from_space,
        const char *from_name, const void *from, uint64_t bytes))
{
    char whole[MARKS_TEXT_BYTES];
    const struct omptape_user_value value = {OMPTAPE_USER_UINT64, {.number = bytes}};
    CHAIN(begin_deep_copy, (to_space, to_name, to, from_space, from_name, from, bytes));
    snprintf(whole, sizeof(whole), "%.200s = %.200s [deep_copy]", to_name != NULL ? to_name : "",
             from_name != NULL ? from_name : "");
    const struct omptape_user_name name = marks_name(&inner, whole);
    (void)omptape_user_enter(inner.stack, &name, &value);
}

KOKKOS(end_deep_copy, (void))
{
    (void)omptape_user_leave(inner.stack);
    CHAIN(end_deep_copy, ());
}

KOKKOS(allocate_data, (struct kokkos_space space, const char *label, const void *data, uint64_t bytes))
{
    point(label, "allocate", bytes);
    CHAIN(allocate_data, (space, label, data, bytes));
}

KOKKOS(deallocate_data, (struct kokkos_space space, const char *label, const void *data, uint64_t bytes))
{
    point(label, "deallocate", bytes);
    CHAIN(deallocate_data, (space, label, data, bytes));
}
