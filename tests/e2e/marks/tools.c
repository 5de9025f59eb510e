/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A user's tools for NVTX and ITT, which marks.py sets in the interfaces' variables beside omptape. Each tool
 * returns handles of its own and counts the calls with right and with wrong handles. It prints both numbers
 * when the program ends.
 */
#include <dlfcn.h>
#include <ittnotify.h>
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <string.h>

static unsigned calls;
static unsigned wrong;
static const char *kind;

static void count(int is_right)
{
    __atomic_add_fetch(is_right ? &calls : &wrong, 1, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void say(void)
{
    if (kind != NULL)
        printf("%s tool: %u calls, %u wrong\n", kind, calls, wrong);
}

/* NVTX */
enum { FIRST_LEVEL = 100, FIRST_RANGE = 1000 };
static int level;
static uint64_t ranges;
static char domain_handle, string_handle;

static void nvtx_mark(const nvtxEventAttributes_t *event)
{
    count(event->payload.dValue == 0.5);
}

static void nvtx_mark_narrow(const char *text)
{
    count(text != NULL);
}

static uint64_t nvtx_start(const char *text)
{
    count(strcmp(text, "across") == 0);
    return FIRST_RANGE + ranges++;
}

static void nvtx_end(uint64_t id)
{
    count(id >= FIRST_RANGE && id < FIRST_RANGE + ranges);
}

static int nvtx_push(const char *text)
{
    count(text != NULL);
    return FIRST_LEVEL + level++;
}

static int nvtx_push_wide(const wchar_t *text)
{
    count(text != NULL);
    return FIRST_LEVEL + level++;
}

static int nvtx_pop(void)
{
    count(1);
    return FIRST_LEVEL + --level;
}

static void nvtx_name(uint32_t tid, const char *text)
{
    count(tid != 0 && strncmp(text, "input", 5) == 0);
}

static int nvtx_domain_push(const void *domain, const nvtxEventAttributes_t *event)
{
    count(domain == &domain_handle && event->message.registered == &string_handle);
    return FIRST_LEVEL;
}

static int nvtx_domain_pop(const void *domain)
{
    count(domain == &domain_handle);
    return FIRST_LEVEL;
}

static void *nvtx_register(const void *domain, const char *text)
{
    count(domain == &domain_handle && strcmp(text, "join") == 0);
    return &string_handle;
}

static void *nvtx_create(const char *text)
{
    count(strcmp(text, "library") == 0);
    return &domain_handle;
}

struct nvtx_callbacks {
    size_t bytes;
    int (*get_module)(int, nvtx_function ***, unsigned *);
};

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t));
int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t))
{
    const struct nvtx_callbacks *callbacks = get_table(1);
    nvtx_function **core;
    nvtx_function **core2;
    unsigned count;
    if (callbacks->get_module(NVTX_CORE, NULL, &count) == 0 || count <= 14 ||
        callbacks->get_module(NVTX_CORE, &core, NULL) == 0 ||
        callbacks->get_module(NVTX_CORE2, &core2, &count) == 0 || count <= 12)
        return 0;
    kind = "NVTX";
    *core[1] = (nvtx_function)nvtx_mark;
    *core[2] = (nvtx_function)nvtx_mark_narrow;
    *core[5] = (nvtx_function)nvtx_start;
    *core[7] = (nvtx_function)nvtx_end;
    *core[9] = (nvtx_function)nvtx_push;
    *core[10] = (nvtx_function)nvtx_push_wide;
    *core[11] = (nvtx_function)nvtx_pop;
    *core[14] = (nvtx_function)nvtx_name;
    *core2[4] = (nvtx_function)nvtx_domain_push;
    *core2[5] = (nvtx_function)nvtx_domain_pop;
    *core2[10] = (nvtx_function)nvtx_register;
    *core2[12] = (nvtx_function)nvtx_create;
    return 1;
}

/* ITT, by its functions' names. What is reserved for a tool is this one's. */
static char reserved;

static void *itt_create_domain(const char *name)
{
    static __itt_domain domain = {.flags = 1, .extra2 = &reserved};
    domain.nameA = name;
    count(strcmp(name, "solver") == 0);
    return &domain;
}

static void *itt_create_string(const char *text)
{
    __itt_string_handle *string = calloc(1, sizeof(*string));
    count(string != NULL);
    if (string == NULL)
        abort();
    string->strA = text;
    string->extra2 = &reserved;
    return string;
}

static void itt_task_begin(const __itt_domain *domain, __itt_id id, __itt_id parent,
                           __itt_string_handle *name)
{
    (void)id;
    (void)parent;
    count(domain->extra2 == &reserved && name->extra2 == &reserved);
}

static void itt_task_end(const __itt_domain *domain)
{
    count(domain->extra2 == &reserved);
}

static void itt_region_end(const __itt_domain *domain, __itt_id id)
{
    count(domain->extra2 == &reserved && id.d2 == 1);
}

static void itt_frame(const __itt_domain *domain, __itt_id *id)
{
    count(domain->extra2 == &reserved && id == NULL);
}

static void itt_pause(void)
{
    count(1);
}

static void *itt_function_of(const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {{"__itt_domain_create", (void (*)(void))itt_create_domain},
                     {"__itt_string_handle_create", (void (*)(void))itt_create_string},
                     {"__itt_task_begin", (void (*)(void))itt_task_begin},
                     {"__itt_task_end", (void (*)(void))itt_task_end},
                     {"__itt_region_begin", (void (*)(void))itt_task_begin},
                     {"__itt_region_end", (void (*)(void))itt_region_end},
                     {"__itt_frame_begin_v3", (void (*)(void))itt_frame},
                     {"__itt_frame_end_v3", (void (*)(void))itt_frame},
                     {"__itt_pause", (void (*)(void))itt_pause},
                     {"__itt_resume", (void (*)(void))itt_pause},
                     {"__itt_sync_prepare", (void (*)(void))itt_pause}};
    void *found = NULL;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (strcmp(functions[i].name, name) == 0)
            memcpy(&found, &functions[i].function, sizeof(found));
    return found;
}

struct itt_client {
    unsigned char magic[8];
    unsigned long major, minor, build;
    volatile long state[3];
    pthread_mutex_t mutex;
    void *library;
    void *error_handler;
    const char **path;
    struct itt_function *functions;
};

void __itt_api_init(struct itt_client *client, int groups);
void __itt_api_init(struct itt_client *client, int groups)
{
    (void)groups;
    kind = dlsym(client->library, "InitializeInjectionNvtx2") == (void *)(size_t)InitializeInjectionNvtx2
               ? "ITT"
               : "other";
    for (struct itt_function *one = client->functions; one->name != NULL; one++) {
        void *found = itt_function_of(one->name);
        *one->place = found != NULL ? found : one->null;
    }
}
