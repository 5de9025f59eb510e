/* SPDX-License-Identifier: BSD-3-Clause
 *
 * NVIDIA's NVTX, versions 2 and 3. A program's copy of NVTX loads the library that NVTX_INJECTION64_PATH
 * names, and calls its InitializeInjectionNvtx2. That asks for tables of places of function pointers, and
 * puts a function into each place that it wants to be called from; the rest stays without effect.
 *
 * The layout is that of NVTX's nvtxTypes.h and nvToolsExt.h, described here in words of our own.
 */
#include "src/marks/marks.h"

/* Tables of a copy of NVTX. */
enum { TABLE_CALLBACKS = 1 };
enum { MODULE_CORE = 1, MODULE_CORE2 = 5 };

struct nvtx_callbacks {
    size_t bytes;
    int (*get_module)(int module, marks_function ***places, unsigned *count);
};
typedef const void *nvtx_get_table(uint32_t table);

/* nvtxEventAttributes_t */
enum { MESSAGE_NONE, MESSAGE_NARROW, MESSAGE_WIDE, MESSAGE_REGISTERED };
enum {
    PAYLOAD_NONE,
    PAYLOAD_UINT64,
    PAYLOAD_INT64,
    PAYLOAD_DOUBLE,
    PAYLOAD_UINT32,
    PAYLOAD_INT32,
    PAYLOAD_FLOAT
};
struct nvtx_attributes {
    uint16_t version;
    uint16_t bytes;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type;
    int32_t reserved;
    union {
        uint64_t number;
        int64_t integer;
        double real;
        uint32_t short_number;
        int32_t short_integer;
        float short_real;
    } payload;
    int32_t message_type;
    union {
        const char *narrow;
        const wchar_t *wide;
        const struct omptape_user_name *registered;
    } message;
};

/* What callers read as "levels are not counted". */
enum { NOT_TRACKED = -2 };

static const struct marks_group no_group;

/* The domain's handle is its group; NULL is the default domain. */
static const struct marks_group *group_of(const struct marks_group *domain)
{
    return domain != NULL ? domain : &no_group;
}

static int level_of(int level)
{
    return level >= 0 ? level : NOT_TRACKED;
}

static struct omptape_user_name name_of(const struct marks_group *group,
                                        const struct nvtx_attributes *attributes, char text[MARKS_TEXT_BYTES])
{
    switch (attributes->message_type) {
    case MESSAGE_NARROW:
        return marks_name(group, attributes->message.narrow);
    case MESSAGE_WIDE:
        return marks_name(group, marks_narrow(attributes->message.wide, text));
    case MESSAGE_REGISTERED:
        if (attributes->message.registered != NULL)
            return *attributes->message.registered;
        break;
    default:
        break;
    }
    return marks_name(group, NULL);
}

/* NULL: the program passes no number. */
static const struct omptape_user_value *value_of(const struct nvtx_attributes *attributes,
                                                 struct omptape_user_value *value)
{
    switch (attributes->payload_type) {
    case PAYLOAD_UINT64:
        *value = (struct omptape_user_value){OMPTAPE_USER_UINT64, {.number = attributes->payload.number}};
        return value;
    case PAYLOAD_UINT32:
        *value =
            (struct omptape_user_value){OMPTAPE_USER_UINT64, {.number = attributes->payload.short_number}};
        return value;
    case PAYLOAD_INT64:
        *value = (struct omptape_user_value){OMPTAPE_USER_INT64, {.integer = attributes->payload.integer}};
        return value;
    case PAYLOAD_INT32:
        *value =
            (struct omptape_user_value){OMPTAPE_USER_INT64, {.integer = attributes->payload.short_integer}};
        return value;
    case PAYLOAD_DOUBLE:
        *value = (struct omptape_user_value){OMPTAPE_USER_DOUBLE, {.real = attributes->payload.real}};
        return value;
    case PAYLOAD_FLOAT:
        *value = (struct omptape_user_value){OMPTAPE_USER_DOUBLE,
                                             {.real = (double)attributes->payload.short_real}};
        return value;
    default:
        return NULL;
    }
}

static int domain_push(const struct marks_group *domain, const struct nvtx_attributes *attributes)
{
    char text[MARKS_TEXT_BYTES];
    struct omptape_user_value value;
    if (attributes == NULL)
        return NOT_TRACKED;
    const struct marks_group *group = group_of(domain);
    const struct omptape_user_name name = name_of(group, attributes, text);
    return level_of(omptape_user_enter(group->stack, &name, value_of(attributes, &value)));
}

static int push(const struct nvtx_attributes *attributes)
{
    return domain_push(NULL, attributes);
}

static int push_narrow(const char *message)
{
    return level_of(marks_enter(&no_group, message));
}

static int push_wide(const wchar_t *message)
{
    char text[MARKS_TEXT_BYTES];
    return push_narrow(marks_narrow(message, text));
}

static int domain_pop(const struct marks_group *domain)
{
    return level_of(omptape_user_leave(group_of(domain)->stack));
}

static int pop(void)
{
    return domain_pop(NULL);
}

static void domain_mark(const struct marks_group *domain, const struct nvtx_attributes *attributes)
{
    char text[MARKS_TEXT_BYTES];
    struct omptape_user_value value;
    if (attributes == NULL)
        return;
    const struct omptape_user_name name = name_of(group_of(domain), attributes, text);
    omptape_user_put_point(OMPTAPE_USER_POINT, 0, &name, value_of(attributes, &value));
}

static void mark(const struct nvtx_attributes *attributes)
{
    domain_mark(NULL, attributes);
}

static void mark_narrow(const char *message)
{
    marks_point(&no_group, message);
}

static void mark_wide(const wchar_t *message)
{
    char text[MARKS_TEXT_BYTES];
    mark_narrow(marks_narrow(message, text));
}

static uint64_t domain_start(const struct marks_group *domain, const struct nvtx_attributes *attributes)
{
    char text[MARKS_TEXT_BYTES];
    struct omptape_user_value value;
    if (attributes == NULL)
        return 0;
    const struct omptape_user_name name = name_of(group_of(domain), attributes, text);
    return marks_range_begin(&name, value_of(attributes, &value));
}

static uint64_t start(const struct nvtx_attributes *attributes)
{
    return domain_start(NULL, attributes);
}

static uint64_t start_narrow(const char *message)
{
    const struct omptape_user_name name = marks_name(&no_group, message);
    return marks_range_begin(&name, NULL);
}

static uint64_t start_wide(const wchar_t *message)
{
    char text[MARKS_TEXT_BYTES];
    return start_narrow(marks_narrow(message, text));
}

static void end(uint64_t id)
{
    marks_range_end(id);
}

static void domain_end(const struct marks_group *domain, uint64_t id)
{
    (void)domain;
    marks_range_end(id);
}

static void name_thread(uint32_t tid, const char *name)
{
    omptape_user_name_thread(tid, name);
}

static void name_thread_wide(uint32_t tid, const wchar_t *name)
{
    char text[MARKS_TEXT_BYTES];
    omptape_user_name_thread(tid, marks_narrow(name, text));
}

static struct marks_group *create_domain(const char *name)
{
    return marks_group_create(name);
}

static struct marks_group *create_domain_wide(const wchar_t *name)
{
    char text[MARKS_TEXT_BYTES];
    return create_domain(marks_narrow(name, text));
}

static struct omptape_user_name *register_string(const struct marks_group *domain, const char *text)
{
    return marks_name_register(group_of(domain), text);
}

static struct omptape_user_name *register_string_wide(const struct marks_group *domain, const wchar_t *wide)
{
    char text[MARKS_TEXT_BYTES];
    return register_string(domain, marks_narrow(wide, text));
}

/* Where a function goes in the table of its module. */
struct nvtx_function {
    int module;
    unsigned place;
    marks_function function;
};
#define AT(module, place, function)                                                                          \
    {                                                                                                        \
        module, place, (marks_function)(function)                                                            \
    }

static const struct nvtx_function functions[] = {
    AT(MODULE_CORE, 1, mark),
    AT(MODULE_CORE, 2, mark_narrow),
    AT(MODULE_CORE, 3, mark_wide),
    AT(MODULE_CORE, 4, start),
    AT(MODULE_CORE, 5, start_narrow),
    AT(MODULE_CORE, 6, start_wide),
    AT(MODULE_CORE, 7, end),
    AT(MODULE_CORE, 8, push),
    AT(MODULE_CORE, 9, push_narrow),
    AT(MODULE_CORE, 10, push_wide),
    AT(MODULE_CORE, 14, name_thread),
    AT(MODULE_CORE, 15, name_thread_wide),
    AT(MODULE_CORE, 11, pop),
    AT(MODULE_CORE2, 1, domain_mark),
    AT(MODULE_CORE2, 2, domain_start),
    AT(MODULE_CORE2, 3, domain_end),
    AT(MODULE_CORE2, 4, domain_push),
    AT(MODULE_CORE2, 5, domain_pop),
    AT(MODULE_CORE2, 10, register_string),
    AT(MODULE_CORE2, 11, register_string_wide),
    AT(MODULE_CORE2, 12, create_domain),
    AT(MODULE_CORE2, 13, create_domain_wide),
};

/* 1: the program's calls come here from now on. */
static int attach(nvtx_get_table *get_table)
{
    const struct nvtx_callbacks *callbacks = get_table != NULL ? get_table(TABLE_CALLBACKS) : NULL;
    if (callbacks == NULL || callbacks->bytes < sizeof(*callbacks) || callbacks->get_module == NULL)
        return 0;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        marks_function **places = NULL;
        unsigned count = 0;
        if (callbacks->get_module(functions[i].module, &places, &count) != 0 && places != NULL &&
            functions[i].place < count && places[functions[i].place] != NULL)
            *places[functions[i].place] = functions[i].function;
    }
    return 1;
}

/* Of version 3, and of version 2. */
EXPORTED int InitializeInjectionNvtx2(nvtx_get_table *get_table);
EXPORTED int InitializeInjectionNvtx(nvtx_get_table *get_table);

int InitializeInjectionNvtx2(nvtx_get_table *get_table)
{
    return attach(get_table);
}

int InitializeInjectionNvtx(nvtx_get_table *get_table)
{
    return attach(get_table);
}
