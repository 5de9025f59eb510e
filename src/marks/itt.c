/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements Intel's ITT. The static part of ITT in a program loads the library named by INTEL_LIBITTNOTIFY64
 * and calls its __itt_api_init. That function stores a function pointer for each function that it implements.
 * Older static parts look the functions up by name. If the user has a tool of their own, that tool has stored
 * its pointers before.
 *
 * The layout follows ittnotify.h and ittnotify_config.h, described here in our own words.
 */
#include "src/marks/marks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ITT's functions have parameters that are not recorded. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct itt_domain {
    volatile int enabled;
    const char *name;
    void *wide;
    int reserved;
    struct marks_group *_Atomic group; /* field reserved for the tool */
    struct itt_domain *next;
};
struct itt_string {
    const char *text;
    void *wide;
    int reserved;
    void *reserved_too;
    struct itt_string *next;
};
struct itt_id {
    unsigned long long d1, d2, d3;
};
/* A function of the interface and the program's pointer to it. */
struct itt_function {
    const char *name;
    void **place;
    void *first; /* value of the pointer before initialisation */
    void *none;  /* value of the pointer without a tool */
    int group;
};
struct itt_global {
    unsigned char magic[8];
    unsigned long major;
    unsigned long minor;
    unsigned long build;
    volatile long initialised[3];
    pthread_mutex_t mutex;
    void *library;
    void *error_handler;
    const char **path;
    struct itt_function *functions; /* terminated by an entry whose name is NULL */
};
enum { MAJOR = 3, MAX_EVENTS = 1024 };

static const struct marks_group no_group;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct itt_domain *domains;
static struct itt_string *strings;
static char *event_names[MAX_EVENTS];
static int event_count;
static void *user_tool; /* the user's tool, or NULL */

/* Returns the domain's group, created at its first use: the static part creates domains before a tool is
 * loaded. */
static const struct marks_group *group_of(const struct itt_domain *domain)
{
    struct itt_domain *known = (struct itt_domain *)(uintptr_t)domain;
    struct marks_group *expected = NULL;
    if (domain == NULL)
        return &no_group;
    struct marks_group *group = user_tool != NULL ? marks_handle_lookup(domain) : atomic_load(&known->group);
    if (group != NULL)
        return group;
    group = marks_group_create(domain->name);
    if (user_tool != NULL) {
        marks_handle_insert(domain, group);
        return group != NULL ? group : &no_group;
    }
    if (group == NULL || atomic_compare_exchange_strong(&known->group, &expected, group))
        return group != NULL ? group : &no_group;
    return expected;
}

static const char *text_of(const struct itt_string *string)
{
    return string != NULL ? string->text : NULL;
}

static uint64_t key_of(const struct itt_id *id)
{
    uint64_t key = omptape_user_hash_word(1, id->d1);
    key = omptape_user_hash_word(key, id->d2);
    return omptape_user_hash_word(key, id->d3) | UINT64_C(1) << 63;
}

static void begin_range(const struct itt_domain *domain, const struct itt_id *id, const char *text)
{
    const struct omptape_user_name name = marks_name(group_of(domain), text);
    omptape_user_put_point(OMPTAPE_USER_RANGE_BEGIN, key_of(id), &name, NULL);
}

/* Returns the group for frames, which may overlap with the tasks of their domain. */
static struct marks_group frames_of(const struct itt_domain *domain)
{
    struct marks_group group = *group_of(domain);
    group.stack = MARKS_FIRST_STACK + (group.stack - MARKS_FIRST_STACK + MARKS_STACKS / 2) % MARKS_STACKS;
    return group;
}

/* Defines a function of the interface under the name that older static parts look up. Each function also
 * calls the user's tool's function. */
#define ITT(type, name, parameters)                                                                          \
    static type(*next_##name) parameters;                                                                    \
    EXPORTED type __itt_##name parameters;                                                                   \
    type __itt_##name parameters
#define CHAIN(name, arguments)                                                                               \
    do {                                                                                                     \
        if (next_##name != NULL)                                                                             \
            next_##name arguments;                                                                           \
    } while (0)

ITT(struct itt_domain *, domain_create, (const char *name))
{
    if (next_domain_create != NULL)
        return next_domain_create(name);
    struct itt_domain *domain;
    if (name == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    for (domain = domains; domain != NULL && strcmp(domain->name, name) != 0;)
        domain = domain->next;
    if (domain == NULL && (domain = calloc(1, sizeof(*domain))) != NULL) {
        domain->enabled = 1;
        domain->name = strdup(name);
        domain->next = domains;
        if (domain->name != NULL)
            domains = domain;
    }
    pthread_mutex_unlock(&lock);
    return domain;
}

ITT(struct itt_string *, string_handle_create, (const char *text))
{
    if (next_string_handle_create != NULL)
        return next_string_handle_create(text);
    struct itt_string *string;
    if (text == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    for (string = strings; string != NULL && strcmp(string->text, text) != 0;)
        string = string->next;
    if (string == NULL && (string = calloc(1, sizeof(*string))) != NULL) {
        string->text = strdup(text);
        string->next = strings;
        if (string->text != NULL)
            strings = string;
    }
    pthread_mutex_unlock(&lock);
    return string;
}

ITT(void, task_begin,
    (const struct itt_domain *domain, struct itt_id id, struct itt_id parent, const struct itt_string *name))
{
    CHAIN(task_begin, (domain, id, parent, name));
    (void)marks_enter(group_of(domain), text_of(name));
}

ITT(void, task_begin_fn,
    (const struct itt_domain *domain, struct itt_id id, struct itt_id parent, void *function))
{
    CHAIN(task_begin_fn, (domain, id, parent, function));
    Dl_info info;
    (void)marks_enter(group_of(domain),
                      dladdr(function, &info) != 0 && info.dli_sname != NULL ? info.dli_sname : "(function)");
}

ITT(void, task_end, (const struct itt_domain *domain))
{
    CHAIN(task_end, (domain));
    (void)omptape_user_leave(group_of(domain)->stack);
}

ITT(void, task_begin_ex,
    (const struct itt_domain *domain, void *clock, unsigned long long time, struct itt_id id,
     struct itt_id parent, const struct itt_string *name))
{
    CHAIN(task_begin_ex, (domain, clock, time, id, parent, name));
    (void)marks_enter(group_of(domain), text_of(name));
}

ITT(void, task_end_ex, (const struct itt_domain *domain, void *clock, unsigned long long time))
{
    CHAIN(task_end_ex, (domain, clock, time));
    (void)omptape_user_leave(group_of(domain)->stack);
}

ITT(void, task_begin_overlapped,
    (const struct itt_domain *domain, struct itt_id id, struct itt_id parent, const struct itt_string *name))
{
    CHAIN(task_begin_overlapped, (domain, id, parent, name));
    begin_range(domain, &id, text_of(name));
}

ITT(void, task_end_overlapped, (const struct itt_domain *domain, struct itt_id id))
{
    CHAIN(task_end_overlapped, (domain, id));
    marks_range_end(key_of(&id));
}

ITT(void, region_begin,
    (const struct itt_domain *domain, struct itt_id id, struct itt_id parent, const struct itt_string *name))
{
    CHAIN(region_begin, (domain, id, parent, name));
    begin_range(domain, &id, text_of(name));
}

ITT(void, region_end, (const struct itt_domain *domain, struct itt_id id))
{
    CHAIN(region_end, (domain, id));
    marks_range_end(key_of(&id));
}

ITT(void, frame_begin_v3, (const struct itt_domain *domain, struct itt_id *id))
{
    CHAIN(frame_begin_v3, (domain, id));
    const struct marks_group frames = frames_of(domain);
    if (id != NULL)
        begin_range(domain, id, "frame");
    else
        (void)marks_enter(&frames, "frame");
}

ITT(void, frame_end_v3, (const struct itt_domain *domain, struct itt_id *id))
{
    CHAIN(frame_end_v3, (domain, id));
    if (id != NULL)
        marks_range_end(key_of(id));
    else
        (void)omptape_user_leave(frames_of(domain).stack);
}

ITT(void, marker,
    (const struct itt_domain *domain, struct itt_id id, const struct itt_string *name, int scope))
{
    CHAIN(marker, (domain, id, name, scope));
    marks_point(group_of(domain), text_of(name));
}

/* Returns the event's number, from 1 on, or 0 if there are too many events. */
ITT(int, event_create, (const char *name, int length))
{
    const int theirs = next_event_create != NULL ? next_event_create(name, length) : 0;
    pthread_mutex_lock(&lock);
    const int number = next_event_create != NULL ? theirs : event_count + 1;
    /* The user's tool may return the same number for the same name again. */
    const int is_new = number > 0 && number < MAX_EVENTS && event_names[number] == NULL;
    char *copy = name != NULL && is_new ? strndup(name, (size_t)length) : NULL;
    if (copy != NULL) {
        event_count = number;
        event_names[number] = copy;
    }
    pthread_mutex_unlock(&lock);
    return copy != NULL ? number : theirs;
}

static uint64_t key_of_event(int event)
{
    return UINT64_C(1) << 62 | (uint64_t)event;
}

ITT(int, event_start, (int event))
{
    const int theirs = next_event_start != NULL ? next_event_start(event) : 0;
    if (event <= 0 || event >= MAX_EVENTS || event_names[event] == NULL)
        return next_event_start != NULL ? theirs : -1;
    const struct omptape_user_name name = marks_name(&no_group, event_names[event]);
    omptape_user_put_point(OMPTAPE_USER_RANGE_BEGIN, key_of_event(event), &name, NULL);
    return theirs;
}

ITT(int, event_end, (int event))
{
    marks_range_end(key_of_event(event));
    return next_event_end != NULL ? next_event_end(event) : 0;
}

ITT(void, thread_set_name, (const char *name))
{
    CHAIN(thread_set_name, (name));
    omptape_user_name_thread(0, name);
}

ITT(void, pause, (void))
{
    CHAIN(pause, ());
    omptape_user_record(0);
}

ITT(void, resume, (void))
{
    CHAIN(resume, ());
    omptape_user_record(1);
}

ITT(void, pause_scoped, (int scope))
{
    CHAIN(pause_scoped, (scope));
    omptape_user_record(0);
}

ITT(void, resume_scoped, (int scope))
{
    CHAIN(resume_scoped, (scope));
    omptape_user_record(1);
}

/* Returns true if this is the static part inside an OpenMP runtime, which reports the same as OMPT. */
static int is_runtime(const struct itt_global *global)
{
    Dl_info own;
    Dl_info runtime;
    void *fork_call = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
    return fork_call != NULL && dladdr(fork_call, &runtime) != 0 && dladdr(global, &own) != 0 &&
           own.dli_fbase == runtime.dli_fbase && own.dli_fname != NULL &&
           strstr(own.dli_fname, ".so") != NULL;
}

#define ROW(name) {"__itt_" #name, (marks_function)__itt_##name, &next_##name}
#define ROWS                                                                                                 \
    ROW(domain_create), ROW(string_handle_create), ROW(task_begin), ROW(task_begin_fn), ROW(task_end),       \
        ROW(task_begin_ex), ROW(task_end_ex), ROW(task_begin_overlapped), ROW(task_end_overlapped),          \
        ROW(region_begin), ROW(region_end), ROW(frame_begin_v3), ROW(frame_end_v3), ROW(marker),             \
        ROW(event_create), ROW(event_start), ROW(event_end), ROW(thread_set_name), ROW(pause), ROW(resume),  \
        ROW(pause_scoped), ROW(resume_scoped)
static const struct {
    const char *name;
    marks_function own;
    void *next; /* address of the pointer to the user's tool's function */
} rows[] = {ROWS};

/* Initialises the user's tool. Its init function reads from `global` which library it is. */
static void attach_user_tool(struct itt_global *global, int groups)
{
    void (*init)(struct itt_global *, int);
    if (user_tool == NULL)
        user_tool = marks_load_user_tool("INTEL_LIBITTNOTIFY64");
    void *found = user_tool != NULL ? dlsym(user_tool, "__itt_api_init") : NULL;
    void *own = global->library;
    if (found == NULL)
        return;
    memcpy(&init, &found, sizeof(init));
    global->library = user_tool;
    init(global, groups);
    global->library = own;
}

/* Stores the pointer to our function, if there is one; it calls the user's tool's function. Otherwise the
 * pointer stays the user's tool's, or the one without a tool. */
static void attach(const struct itt_function *function, int is_ours)
{
    void *there = *function->place;
    void *next = user_tool != NULL && there != function->first && there != function->none ? there : NULL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && is_ours; i++) {
        void *own;
        memcpy(&own, &rows[i].own, sizeof(own));
        if (strcmp(rows[i].name, function->name) != 0)
            continue;
        if (next != own)
            memcpy(rows[i].next, &next, sizeof(next));
        *function->place = own;
        return;
    }
    if (next == NULL)
        *function->place = function->none;
}

/* Called by the static part of ITT. Functions that this file lacks behave as without a tool. */
EXPORTED void __itt_api_init(struct itt_global *global, int groups);
void __itt_api_init(struct itt_global *global, int groups)
{
    if (global == NULL || global->major != MAJOR || global->functions == NULL)
        return;
    attach_user_tool(global, groups);
    const int is_ours = !is_runtime(global);
    for (struct itt_function *function = global->functions; function->name != NULL; function++)
        attach(function, is_ours);
}
