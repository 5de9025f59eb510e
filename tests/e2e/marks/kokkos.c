/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls a tool as Kokkos does: loads the first library of KOKKOS_TOOLS_LIBS, and calls its functions for
 * kernels, regions, sections, copies and data. With -DTOOL it is such a tool of a user's, which counts calls.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct space {
    char name[64];
};

#ifdef TOOL

static unsigned calls;

void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *info);
void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id);
void kokkosp_end_parallel_for(uint64_t id);
void kokkosp_begin_deep_copy(struct space to_space, const char *to_name, const void *to, struct space space,
                             const char *name, const void *from, uint64_t bytes);
void kokkosp_finalize_library(void);

void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *info)
{
    (void)info;
    printf("tool: %d %d %u %s\n", sequence, version > 20000000, devices,
           strchr(getenv("KOKKOS_TOOLS_LIBS"), ';') == NULL ? "alone" : "first");
}

void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id)
{
    calls += name != NULL && device == 7;
    *id = 42;
}

void kokkosp_end_parallel_for(uint64_t id)
{
    calls += id == 42;
}

void kokkosp_begin_deep_copy(struct space to_space, const char *to_name, const void *to, struct space space,
                             const char *name, const void *from, uint64_t bytes)
{
    calls += strcmp(to_space.name, "Host") == 0 && strcmp(to_name, "to") == 0 && to == NULL &&
             strcmp(space.name, "Cuda") == 0 && strcmp(name, "from") == 0 && from == NULL && bytes == 800;
}

void kokkosp_finalize_library(void)
{
    printf("tool: %u calls\n", calls);
}

#else

static void *tool;

static void *find(const char *name)
{
    return tool != NULL ? dlsym(tool, name) : NULL;
}

#define CALL(name, parameters, ...)                                                                          \
    do {                                                                                                     \
        void(*function) parameters = (void(*) parameters)find("kokkosp_" #name);                             \
        if (function != NULL)                                                                                \
            function(__VA_ARGS__);                                                                           \
    } while (0)

static void run_team(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
        }
    }
}

static void run_kernel(const char *name)
{
    uint64_t id = 0;
    CALL(begin_parallel_for, (const char *, uint32_t, uint64_t *), name, 7, &id);
    run_team();
    CALL(end_parallel_for, (uint64_t), id);
}

int main(void)
{
    char settings[256];
    uint32_t section = 0;
    uint64_t id = 0;
    const struct space host = {"Host"};
    const struct space device = {"Cuda"};
    const char *list = getenv("KOKKOS_TOOLS_LIBS");
    char *first = list != NULL ? strndup(list, strcspn(list, ";")) : NULL;
    tool = first != NULL ? dlopen(first, RTLD_NOW | RTLD_GLOBAL) : NULL;
    memset(settings, 1, sizeof(settings));
    CALL(init_library, (int, uint64_t, uint32_t, void *), 0, 20240906, 0, NULL);
    CALL(request_tool_settings, (uint32_t, void *), 1, settings);
    CALL(push_profile_region, (const char *), "step");
    CALL(create_profile_section, (const char *, uint32_t *), "halo", &section);
    CALL(start_profile_section, (uint32_t), section);
    for (int i = 0; i < 4; i++)
        run_kernel("ComputeForce");
    run_team();
    for (int i = 0; i < 110; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%d", i);
        run_kernel(name);
    }
    CALL(begin_parallel_reduce, (const char *, uint32_t, uint64_t *), "Energy", 7, &id);
    CALL(end_parallel_reduce, (uint64_t), id);
    CALL(stop_profile_section, (uint32_t), section);
    CALL(allocate_data, (struct space, const char *, const void *, uint64_t), host, "x", NULL, 800);
    CALL(begin_deep_copy,
         (struct space, const char *, const void *, struct space, const char *, const void *, uint64_t), host,
         "to", NULL, device, "from", NULL, 800);
    CALL(end_deep_copy, (uint64_t), 0);
    CALL(pop_profile_region, (int), 0);
    CALL(finalize_library, (int), 0);
    printf("fences: %d\n", settings[0]);
    free(first);
    return 0;
}

#endif
