/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A small client of ITT, by its documented layout, for the tests: not Intel's. The first call loads the
 * library that INTEL_LIBITTNOTIFY64 names and lets its __itt_api_init fill in the functions.
 */
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct ___itt_domain {
    volatile int flags;
    const char *nameA;
    void *nameW;
    int extra1;
    void *extra2;
    struct ___itt_domain *next;
} __itt_domain;
typedef struct ___itt_string_handle {
    const char *strA;
    void *strW;
    int extra1;
    void *extra2;
    struct ___itt_string_handle *next;
} __itt_string_handle;
typedef struct {
    unsigned long long d1, d2, d3;
} __itt_id;
static const __itt_id __itt_null = {0, 0, 0};

static inline __itt_id __itt_id_make(void *address, unsigned long long extra)
{
    __itt_id id = {(unsigned long long)(size_t)address, extra, 0};
    return id;
}

struct itt_function {
    const char *name;
    void **place;
    void *init;
    void *null;
    int group;
};
enum {
    ITT_DOMAIN,
    ITT_STRING,
    ITT_TASK_BEGIN,
    ITT_TASK_END,
    ITT_REGION_BEGIN,
    ITT_REGION_END,
    ITT_FRAME_BEGIN,
    ITT_FRAME_END,
    ITT_PAUSE,
    ITT_RESUME,
    ITT_SYNC,
    ITT_FUNCTIONS
};
static void *itt_places[ITT_FUNCTIONS];
#define ITT_ENTRY(name, number)                                                                              \
    {                                                                                                        \
        "__itt_" name, &itt_places[number], NULL, NULL, -1                                                   \
    }
static struct itt_function itt_functions[] = {ITT_ENTRY("domain_create", ITT_DOMAIN),
                                              ITT_ENTRY("string_handle_create", ITT_STRING),
                                              ITT_ENTRY("task_begin", ITT_TASK_BEGIN),
                                              ITT_ENTRY("task_end", ITT_TASK_END),
                                              ITT_ENTRY("region_begin", ITT_REGION_BEGIN),
                                              ITT_ENTRY("region_end", ITT_REGION_END),
                                              ITT_ENTRY("frame_begin_v3", ITT_FRAME_BEGIN),
                                              ITT_ENTRY("frame_end_v3", ITT_FRAME_END),
                                              ITT_ENTRY("pause", ITT_PAUSE),
                                              ITT_ENTRY("resume", ITT_RESUME),
                                              ITT_ENTRY("sync_prepare", ITT_SYNC),
                                              {NULL, NULL, NULL, NULL, 0}};
static struct {
    unsigned char magic[8];
    unsigned long major, minor, build;
    volatile long api_initialized, mutex_initialized, atomic_counter;
    pthread_mutex_t mutex;
    void *lib;
    void *error_handler;
    const char **dll_path;
    struct itt_function *functions;
    void *lists[8];
} itt_global = {.magic = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30},
                .major = 3,
                .mutex = PTHREAD_MUTEX_INITIALIZER,
                .functions = itt_functions};

static inline void *itt_find(int place)
{
    if (!itt_global.api_initialized) {
        const char *path = getenv("INTEL_LIBITTNOTIFY64");
        void (*init)(void *, int) = NULL;
        itt_global.lib = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
        if (itt_global.lib != NULL)
            *(void **)&init = dlsym(itt_global.lib, "__itt_api_init");
        if (init != NULL)
            init(&itt_global, -1);
        itt_global.api_initialized = 1;
    }
    return itt_places[place];
}

#define ITT_CLIENT(type, name, number, parameters, arguments, otherwise)                                     \
    static inline type __itt_##name parameters                                                               \
    {                                                                                                        \
        type(*function) parameters = (type(*) parameters)itt_find(number);                                   \
        return function != NULL ? function arguments : otherwise;                                            \
    }
ITT_CLIENT(__itt_domain *, domain_create, ITT_DOMAIN, (const char *a), (a), NULL)
ITT_CLIENT(__itt_string_handle *, string_handle_create, ITT_STRING, (const char *a), (a), NULL)
ITT_CLIENT(void, task_begin, ITT_TASK_BEGIN,
           (const __itt_domain *d, __itt_id id, __itt_id parent, __itt_string_handle *name),
           (d, id, parent, name), (void)0)
ITT_CLIENT(void, task_end, ITT_TASK_END, (const __itt_domain *d), (d), (void)0)
ITT_CLIENT(void, region_begin, ITT_REGION_BEGIN,
           (const __itt_domain *d, __itt_id id, __itt_id parent, __itt_string_handle *name),
           (d, id, parent, name), (void)0)
ITT_CLIENT(void, region_end, ITT_REGION_END, (const __itt_domain *d, __itt_id id), (d, id), (void)0)
ITT_CLIENT(void, frame_begin_v3, ITT_FRAME_BEGIN, (const __itt_domain *d, __itt_id *id), (d, id), (void)0)
ITT_CLIENT(void, frame_end_v3, ITT_FRAME_END, (const __itt_domain *d, __itt_id *id), (d, id), (void)0)
ITT_CLIENT(void, pause, ITT_PAUSE, (void), (), (void)0)
ITT_CLIENT(void, resume, ITT_RESUME, (void), (), (void)0)
