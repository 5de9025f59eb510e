/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A small client of NVTX 3, by its documented layout, for the tests: not NVIDIA's. The first call loads the
 * library that NVTX_INJECTION64_PATH names and lets it fill the tables.
 */
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
enum { NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE, NVTX_MESSAGE_TYPE_REGISTERED };
enum {
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64,
    NVTX_PAYLOAD_TYPE_DOUBLE,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32,
    NVTX_PAYLOAD_TYPE_INT32,
    NVTX_PAYLOAD_TYPE_FLOAT
};

typedef uint64_t nvtxRangeId_t;
typedef void *nvtxDomainHandle_t;
typedef void *nvtxStringHandle_t;
typedef struct {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    union {
        const char *ascii;
        const wchar_t *unicode;
        nvtxStringHandle_t registered;
    } message;
} nvtxEventAttributes_t;

typedef void (*nvtx_function)(void);
enum { NVTX_CORE = 1, NVTX_CORE2 = 5, NVTX_PLACES = 16 };
static nvtx_function nvtx_core[NVTX_PLACES], nvtx_core2[NVTX_PLACES];

static int nvtx_get_module(int module, nvtx_function ***places, unsigned *count)
{
    static nvtx_function *tables[2][NVTX_PLACES + 1];
    nvtx_function *functions = module == NVTX_CORE ? nvtx_core : nvtx_core2;
    if (module != NVTX_CORE && module != NVTX_CORE2)
        return 0;
    nvtx_function **table = tables[module == NVTX_CORE2];
    for (int i = 1; i < NVTX_PLACES; i++)
        table[i] = &functions[i];
    if (places != NULL)
        *places = table;
    if (count != NULL)
        *count = NVTX_PLACES;
    return 1;
}

static const void *nvtx_get_table(uint32_t table)
{
    static const struct {
        size_t bytes;
        int (*get_module)(int, nvtx_function ***, unsigned *);
    } callbacks = {sizeof(callbacks), nvtx_get_module};
    return table == 1 ? &callbacks : NULL;
}

static inline nvtx_function nvtx_find(const nvtx_function *functions, int place)
{
    static int state;
    if (state == 0) {
        const char *path = getenv("NVTX_INJECTION64_PATH");
        void *library = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
        int (*begin)(const void *(*)(uint32_t)) = NULL;
        if (library != NULL)
            *(void **)&begin = dlsym(library, "InitializeInjectionNvtx2");
        state = begin != NULL && begin(nvtx_get_table) != 0 ? 1 : -1;
    }
    return state > 0 ? functions[place] : NULL;
}

#define NVTX_CLIENT(type, name, parameters, table, place, arguments, otherwise)                              \
    static inline type name parameters                                                                       \
    {                                                                                                        \
        type(*function) parameters = (type(*) parameters)nvtx_find(table, place);                            \
        return function != NULL ? function arguments : otherwise;                                            \
    }
#define ATTRIBUTES const nvtxEventAttributes_t *a
#define NOTHING ((void)0)
NVTX_CLIENT(void, nvtxMarkEx, (ATTRIBUTES), nvtx_core, 1, (a), NOTHING)
NVTX_CLIENT(void, nvtxMarkA, (const char *a), nvtx_core, 2, (a), NOTHING)
NVTX_CLIENT(void, nvtxMarkW, (const wchar_t *a), nvtx_core, 3, (a), NOTHING)
NVTX_CLIENT(nvtxRangeId_t, nvtxRangeStartEx, (ATTRIBUTES), nvtx_core, 4, (a), 0)
NVTX_CLIENT(nvtxRangeId_t, nvtxRangeStartA, (const char *a), nvtx_core, 5, (a), 0)
NVTX_CLIENT(void, nvtxRangeEnd, (nvtxRangeId_t a), nvtx_core, 7, (a), NOTHING)
NVTX_CLIENT(int, nvtxRangePushEx, (ATTRIBUTES), nvtx_core, 8, (a), -2)
NVTX_CLIENT(int, nvtxRangePushA, (const char *a), nvtx_core, 9, (a), -2)
NVTX_CLIENT(int, nvtxRangePushW, (const wchar_t *a), nvtx_core, 10, (a), -2)
NVTX_CLIENT(int, nvtxRangePop, (void), nvtx_core, 11, (), -2)
NVTX_CLIENT(void, nvtxNameOsThreadA, (uint32_t tid, const char *a), nvtx_core, 14, (tid, a), NOTHING)
NVTX_CLIENT(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t d, ATTRIBUTES), nvtx_core2, 4, (d, a), -2)
NVTX_CLIENT(int, nvtxDomainRangePop, (nvtxDomainHandle_t d), nvtx_core2, 5, (d), -2)
NVTX_CLIENT(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t d, const char *a), nvtx_core2,
            10, (d, a), NULL)
NVTX_CLIENT(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *a), nvtx_core2, 12, (a), NULL)
#undef ATTRIBUTES
