/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements NVIDIA's NVTX, versions 2 and 3. The program's copy of NVTX loads the library named by
 * NVTX_INJECTION64_PATH and calls its InitializeInjectionNvtx2. That function requests tables of function
 * pointers and stores a pointer for each function that it implements; the others have no effect.
 *
 * The user's tool, if there is one, receives a table in which these pointers are in this library. Our
 * functions call the tool, too. The program holds the tool's handles.
 *
 * The layout follows NVTX's nvtxTypes.h and nvToolsExt.h, described here in our own words.
 */
#include "src/marks/marks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* Tables that a copy of NVTX provides. */
enum { TABLE_CALLBACKS = 1 };
enum { MODULE_CORE = 1, MODULE_CORE2 = 5, MODULES, PLACES = 16 };

struct nvtx_callbacks {
    size_t bytes;
    int (*get_module)(int module, marks_function ***places, unsigned *count);
};
typedef const void *nvtx_get_table(uint32_t table);

/* Values and layout of nvtxEventAttributes_t. */
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

/* NVTX_NO_PUSH_POP_TRACKING: the nesting level is not known. */
enum { NOT_TRACKED = -2 };

static const struct marks_group no_group;

/* Function pointers that the user's tool has stored. */
static bool has_user_tool;
static marks_function theirs[MODULES][PLACES];

/* Returns the group of a domain's handle: itself, or the user's tool's handle; NULL is the default. */
static const struct marks_group *group_of(const struct marks_group *domain)
{
    if (has_user_tool)
        domain = marks_handle_lookup(domain);
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
    case MESSAGE_REGISTERED: {
        const struct omptape_user_name *registered = attributes->message.registered;
        if (has_user_tool)
            registered = marks_handle_lookup(registered);
        if (registered != NULL)
            return *registered;
        break;
    }
    default:
        break;
    }
    return marks_name(group, NULL);
}

/* Converts the payload to a value. Returns NULL if there is none. */
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

/* Records the begin of a range. `id` is the user's tool's identity, or 0. */
static uint64_t begin_range(const struct omptape_user_name *name, const struct omptape_user_value *value,
                            uint64_t id)
{
    if (id == 0)
        return marks_range_begin(name, value);
    omptape_user_put_point(OMPTAPE_USER_RANGE_BEGIN, id, name, value);
    return id;
}

static uint64_t domain_start_as(const struct marks_group *domain, const struct nvtx_attributes *attributes,
                                uint64_t id)
{
    char text[MARKS_TEXT_BYTES];
    struct omptape_user_value value;
    if (attributes == NULL)
        return id;
    const struct omptape_user_name name = name_of(group_of(domain), attributes, text);
    return begin_range(&name, value_of(attributes, &value), id);
}

static uint64_t start_as(const struct nvtx_attributes *attributes, uint64_t id)
{
    return domain_start_as(NULL, attributes, id);
}

static uint64_t start_narrow_as(const char *message, uint64_t id)
{
    const struct omptape_user_name name = marks_name(&no_group, message);
    return begin_range(&name, NULL, id);
}

static uint64_t start_wide_as(const wchar_t *message, uint64_t id)
{
    char text[MARKS_TEXT_BYTES];
    return start_narrow_as(marks_narrow(message, text), id);
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

/* Returns the handle that the user's tool knows, or NULL if this library has created it. */
static const void *their_handle(const void *handle)
{
    return marks_handle_lookup(handle) != handle ? handle : NULL;
}

static const struct nvtx_attributes *their_attributes(const struct nvtx_attributes *attributes,
                                                      struct nvtx_attributes *copy)
{
    if (attributes == NULL || attributes->message_type != MESSAGE_REGISTERED ||
        their_handle(attributes->message.registered) != NULL)
        return attributes;
    memcpy(copy, attributes, attributes->bytes < sizeof(*copy) ? attributes->bytes : sizeof(*copy));
    copy->bytes = sizeof(*copy);
    copy->message.registered = NULL;
    return copy;
}

/* Variants of the functions that also call the user's tool and return its result. */
#define CALL_USER_TOOL(type, parameters, module, place)                                                      \
    type(*next) parameters;                                                                                  \
    memcpy(&next, &theirs[module][place], sizeof(next))
#define VOID_WITH_USER_TOOL(name, parameters, own, module, place, arguments)                                 \
    static void both_##name parameters                                                                       \
    {                                                                                                        \
        CALL_USER_TOOL(void, parameters, module, place);                                                     \
        name own;                                                                                            \
        if (next != NULL)                                                                                    \
            next arguments;                                                                                  \
    }
#define WITH_USER_TOOL(type, name, parameters, own, module, place, arguments)                                \
    static type both_##name parameters                                                                       \
    {                                                                                                        \
        CALL_USER_TOOL(type, parameters, module, place);                                                     \
        const type result = name own;                                                                        \
        return next != NULL ? next arguments : result;                                                       \
    }
/* Variants of functions that create handles. */
#define MAKE_WITH_USER_TOOL(type, name, parameters, own, module, place, arguments)                           \
    static type both_##name parameters                                                                       \
    {                                                                                                        \
        CALL_USER_TOOL(type, parameters, module, place);                                                     \
        type made = name own;                                                                                \
        type result = next != NULL ? next arguments : NULL;                                                  \
        marks_handle_insert(result != NULL ? result : made, made);                                           \
        return result != NULL ? result : made;                                                               \
    }
#define ATTRIBUTES const struct nvtx_attributes *attributes
#define DOMAIN const struct marks_group *domain
#define COPY their_attributes(attributes, &(struct nvtx_attributes){.bytes = 0})
VOID_WITH_USER_TOOL(mark, (ATTRIBUTES), (attributes), MODULE_CORE, 1, (COPY))
VOID_WITH_USER_TOOL(mark_narrow, (const char *text), (text), MODULE_CORE, 2, (text))
VOID_WITH_USER_TOOL(mark_wide, (const wchar_t *text), (text), MODULE_CORE, 3, (text))
WITH_USER_TOOL(int, push, (ATTRIBUTES), (attributes), MODULE_CORE, 8, (COPY))
WITH_USER_TOOL(int, push_narrow, (const char *text), (text), MODULE_CORE, 9, (text))
WITH_USER_TOOL(int, push_wide, (const wchar_t *text), (text), MODULE_CORE, 10, (text))
WITH_USER_TOOL(int, pop, (void), (), MODULE_CORE, 11, ())
VOID_WITH_USER_TOOL(name_thread, (uint32_t tid, const char *name), (tid, name), MODULE_CORE, 14, (tid, name))
VOID_WITH_USER_TOOL(name_thread_wide, (uint32_t tid, const wchar_t *name), (tid, name), MODULE_CORE, 15,
                    (tid, name))
VOID_WITH_USER_TOOL(domain_mark, (DOMAIN, ATTRIBUTES), (domain, attributes), MODULE_CORE2, 1,
                    (their_handle(domain), COPY))
WITH_USER_TOOL(int, domain_push, (DOMAIN, ATTRIBUTES), (domain, attributes), MODULE_CORE2, 4,
               (their_handle(domain), COPY))
WITH_USER_TOOL(int, domain_pop, (DOMAIN), (domain), MODULE_CORE2, 5, (their_handle(domain)))
MAKE_WITH_USER_TOOL(struct omptape_user_name *, register_string, (DOMAIN, const char *text), (domain, text),
                    MODULE_CORE2, 10, (their_handle(domain), text))
MAKE_WITH_USER_TOOL(struct omptape_user_name *, register_string_wide, (DOMAIN, const wchar_t *text),
                    (domain, text), MODULE_CORE2, 11, (their_handle(domain), text))
MAKE_WITH_USER_TOOL(struct marks_group *, create_domain, (const char *name), (name), MODULE_CORE2, 12, (name))
MAKE_WITH_USER_TOOL(struct marks_group *, create_domain_wide, (const wchar_t *name), (name), MODULE_CORE2, 13,
                    (name))
VOID_WITH_USER_TOOL(end, (uint64_t id), (id), MODULE_CORE, 7, (id))
VOID_WITH_USER_TOOL(domain_end, (DOMAIN, uint64_t id), (domain, id), MODULE_CORE2, 3,
                    (their_handle(domain), id))
/* Variants of functions that begin ranges; the ranges have the user's tool's identities. */
#define START_BOTH(name, parameters, module, place, arguments, ...)                                          \
    static uint64_t name parameters                                                                          \
    {                                                                                                        \
        return name##_as(__VA_ARGS__, 0);                                                                    \
    }                                                                                                        \
    static uint64_t both_##name parameters                                                                   \
    {                                                                                                        \
        CALL_USER_TOOL(uint64_t, parameters, module, place);                                                 \
        return name##_as(__VA_ARGS__, next != NULL ? next arguments : 0);                                    \
    }
START_BOTH(start, (ATTRIBUTES), MODULE_CORE, 4, (COPY), attributes)
START_BOTH(start_narrow, (const char *text), MODULE_CORE, 5, (text), text)
START_BOTH(start_wide, (const wchar_t *text), MODULE_CORE, 6, (text), text)
START_BOTH(domain_start, (DOMAIN, ATTRIBUTES), MODULE_CORE2, 2, (their_handle(domain), COPY), domain,
           attributes)

/* Position of a function in the table of its module. */
struct nvtx_function {
    int module;
    unsigned place;
    marks_function alone;
    marks_function both;
};
#define AT(module, place, function)                                                                          \
    {module, place, (marks_function)(function), (marks_function)(both_##function)}

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

/* Table function of the copy of NVTX that is being attached; protected by `lock`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static nvtx_get_table *real_table;

/* Provides the user's tool's table: the copy's table, in which the pointers of functions implemented here
 * are replaced. As with the copy's own function, the tool may pass NULL for what it does not need. */
static int get_module_for_both(int module, marks_function ***places, unsigned *count)
{
    static marks_function *own_places[MODULES][PLACES];
    const struct nvtx_callbacks *callbacks = real_table(TABLE_CALLBACKS);
    marks_function **all = NULL;
    unsigned all_count = 0;
    const int found = callbacks->get_module(module, &all, &all_count);
    if (all != NULL && (module == MODULE_CORE || module == MODULE_CORE2)) {
        marks_function **own = own_places[module];
        all_count = all_count < PLACES ? all_count : PLACES;
        memcpy(own, all, all_count * sizeof(*own));
        for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
            if (functions[i].module == module && functions[i].place < all_count)
                own[functions[i].place] = &theirs[module][functions[i].place];
        all = own;
    }
    if (places != NULL)
        *places = all;
    if (count != NULL)
        *count = all_count;
    return found;
}

static const void *get_table_for_both(uint32_t table)
{
    static const struct nvtx_callbacks callbacks = {sizeof(callbacks), get_module_for_both};
    return table == TABLE_CALLBACKS ? &callbacks : real_table(table);
}

/* Attaches the user's tool. `init` is the name of the init function by which the copy calls this library. */
static void attach_user_tool(nvtx_get_table *get_table, const char *init)
{
    static void *library;
    int (*attach_theirs)(nvtx_get_table *);
    if (library == NULL)
        library = marks_load_user_tool("NVTX_INJECTION64_PATH");
    void *found = library != NULL ? dlsym(library, init) : NULL;
    if (found == NULL)
        return;
    memcpy(&attach_theirs, &found, sizeof(attach_theirs));
    real_table = get_table;
    has_user_tool |= attach_theirs(get_table_for_both) != 0;
}

/* Attaches a copy of NVTX. Returns 1 if the program's calls reach this library from now on. */
static int attach(nvtx_get_table *get_table, const char *init)
{
    const struct nvtx_callbacks *callbacks = get_table != NULL ? get_table(TABLE_CALLBACKS) : NULL;
    if (callbacks == NULL || callbacks->bytes < sizeof(*callbacks) || callbacks->get_module == NULL)
        return 0;
    pthread_mutex_lock(&lock);
    attach_user_tool(get_table, init);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        marks_function **places = NULL;
        unsigned count = 0;
        if (callbacks->get_module(functions[i].module, &places, &count) != 0 && places != NULL &&
            functions[i].place < count && places[functions[i].place] != NULL)
            *places[functions[i].place] = has_user_tool ? functions[i].both : functions[i].alone;
    }
    pthread_mutex_unlock(&lock);
    return 1;
}

/* Entry points of version 3 and of version 2. */
EXPORTED int InitializeInjectionNvtx2(nvtx_get_table *get_table);
EXPORTED int InitializeInjectionNvtx(nvtx_get_table *get_table);

int InitializeInjectionNvtx2(nvtx_get_table *get_table)
{
    return attach(get_table, "InitializeInjectionNvtx2");
}

int InitializeInjectionNvtx(nvtx_get_table *get_table)
{
    return attach(get_table, "InitializeInjectionNvtx");
}
