/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Intel's ITT. A program's copy of its static part loads the library that INTEL_LIBITTNOTIFY64 names, and
 * calls its __itt_api_init. That puts a function into each place that it wants to be called from. Older
 * copies look the functions up by their names.
 *
 * The layout is that of ittnotify.h and ittnotify_config.h, described here in words of our own.
 */
#include "src/marks/marks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct itt_domain {
    volatile int enabled;
    const char *name;
    void *wide;
    int reserved;
    struct marks_group *_Atomic group; /* reserved for the tool */
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
/* A function of the interface, and where the program keeps it. */
struct itt_function {
    const char *name;
    void **place;
    void *first; /* what is there before this library comes */
    void *none;  /* what is there without a tool */
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
    struct itt_function *functions; /* ends with a name that is NULL */
};
enum { MAJOR = 3, MOST_EVENTS = 1024 };

static const struct marks_group no_group;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct itt_domain *domains;
static struct itt_string *strings;
static char *event_names[MOST_EVENTS];
static int event_count;

/* The static part makes domains itself before a tool is there. */
static const struct marks_group *group_of(const struct itt_domain *domain)
{
    struct itt_domain *known = (struct itt_domain *)(uintptr_t)domain;
    struct marks_group *expected = NULL;
    if (domain == NULL)
        return &no_group;
    struct marks_group *group = atomic_load(&known->group);
    if (group != NULL)
        return group;
    group = marks_group_create(domain->name);
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

/* Frames overlap with the tasks of their domain. */
static struct marks_group frames_of(const struct itt_domain *domain)
{
    struct marks_group group = *group_of(domain);
    group.stack ^= OMPTAPE_USER_STACKS / 2;
    return group;
}

/* The functions of the interface, by the names by which older copies look them up. */
#define ITT(type, name, parameters)                                                                          \
    EXPORTED type __itt_##name parameters;                                                                   \
    type __itt_##name parameters

ITT(struct itt_domain *, domain_create, (const char *name))
{
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
    (void)id;
    (void)parent;
    (void)marks_enter(group_of(domain), text_of(name));
}

ITT(void, task_begin_fn,
    (const struct itt_domain *domain, struct itt_id id, struct itt_id parent, void *function))
{
    Dl_info info;
    (void)id;
    (void)parent;
    (void)marks_enter(group_of(domain),
                      dladdr(function, &info) != 0 && info.dli_sname != NULL ? info.dli_sname : "(function)");
}

ITT(void, task_end, (const struct itt_domain *domain))
{
    (void)omptape_user_leave(group_of(domain)->stack);
}

ITT(void, task_begin_ex,
    (const struct itt_domain *domain, void *clock, unsigned long long time, struct itt_id id,
     struct itt_id parent, const struct itt_string *name))
{
    (void)clock;
    (void)time;
    __itt_task_begin(domain, id, parent, name);
}

ITT(void, task_end_ex, (const struct itt_domain *domain, void *clock, unsigned long long time))
{
    (void)clock;
    (void)time;
    __itt_task_end(domain);
}

ITT(void, task_begin_overlapped,
    (const struct itt_domain *domain, struct itt_id id, struct itt_id parent, const struct itt_string *name))
{
    (void)parent;
    begin_range(domain, &id, text_of(name));
}

ITT(void, task_end_overlapped, (const struct itt_domain *domain, struct itt_id id))
{
    (void)domain;
    marks_range_end(key_of(&id));
}

ITT(void, region_begin,
    (const struct itt_domain *domain, struct itt_id id, struct itt_id parent, const struct itt_string *name))
{
    (void)parent;
    begin_range(domain, &id, text_of(name));
}

ITT(void, region_end, (const struct itt_domain *domain, struct itt_id id))
{
    (void)domain;
    marks_range_end(key_of(&id));
}

ITT(void, frame_begin_v3, (const struct itt_domain *domain, struct itt_id *id))
{
    const struct marks_group frames = frames_of(domain);
    if (id != NULL)
        begin_range(domain, id, "frame");
    else
        (void)marks_enter(&frames, "frame");
}

ITT(void, frame_end_v3, (const struct itt_domain *domain, struct itt_id *id))
{
    if (id != NULL)
        marks_range_end(key_of(id));
    else
        (void)omptape_user_leave(frames_of(domain).stack);
}

ITT(void, marker,
    (const struct itt_domain *domain, struct itt_id id, const struct itt_string *name, int scope))
{
    (void)id;
    (void)scope;
    marks_point(group_of(domain), text_of(name));
}

/* An event's number, from 1 on; 0: there are too many. */
ITT(int, event_create, (const char *name, int length))
{
    int number = 0;
    pthread_mutex_lock(&lock);
    char *copy = name != NULL && event_count + 1 < MOST_EVENTS ? strndup(name, (size_t)length) : NULL;
    if (copy != NULL) {
        number = ++event_count;
        event_names[number] = copy;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

static uint64_t key_of_event(int event)
{
    return UINT64_C(1) << 62 | (uint64_t)event;
}

ITT(int, event_start, (int event))
{
    if (event <= 0 || event >= MOST_EVENTS || event_names[event] == NULL)
        return -1;
    const struct omptape_user_name name = marks_name(&no_group, event_names[event]);
    omptape_user_put_point(OMPTAPE_USER_RANGE_BEGIN, key_of_event(event), &name, NULL);
    return 0;
}

ITT(int, event_end, (int event))
{
    marks_range_end(key_of_event(event));
    return 0;
}

ITT(void, thread_set_name, (const char *name))
{
    omptape_user_name_thread(0, name);
}

ITT(void, pause, (void))
{
    omptape_user_record(0);
}

ITT(void, resume, (void))
{
    omptape_user_record(1);
}

ITT(void, pause_scoped, (int scope))
{
    (void)scope;
    omptape_user_record(0);
}

ITT(void, resume_scoped, (int scope))
{
    (void)scope;
    omptape_user_record(1);
}

/* Is it the copy of an OpenMP runtime, which would tell what OMPT tells? */
static int is_runtime(const struct itt_global *global)
{
    Dl_info own;
    Dl_info runtime;
    void *fork_call = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
    return fork_call != NULL && dladdr(fork_call, &runtime) != 0 && dladdr(global, &own) != 0 &&
           own.dli_fbase == runtime.dli_fbase && own.dli_fname != NULL &&
           strstr(own.dli_fname, ".so") != NULL;
}

/* What the program keeps stays as it is without a tool where there is no function of this library. */
EXPORTED void __itt_api_init(struct itt_global *global, int groups);
void __itt_api_init(struct itt_global *global, int groups)
{
    static const char prefix[] = "__itt_";
    Dl_info info;
    (void)groups;
    if (global == NULL || global->major != MAJOR || global->functions == NULL)
        return;
    void *own = NULL;
    if (!is_runtime(global) && dladdr((void *)(uintptr_t)__itt_api_init, &info) != 0)
        own = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    for (struct itt_function *function = global->functions; function->name != NULL; function++) {
        void *found = own != NULL && strncmp(function->name, prefix, sizeof(prefix) - 1) == 0
                          ? dlsym(own, function->name)
                          : NULL;
        *function->place = found != NULL ? found : function->none;
    }
}
