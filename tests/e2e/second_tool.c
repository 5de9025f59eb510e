/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Another OMPT tool beside omptape, which trusts nothing (second.py): it registers every callback, gives each
 * thread, region, task and target construct a note of its own, and finds each one again in whatever the
 * runtime passes and answers. At its end it writes the counts of all events and of all faults to the file
 * SECOND_TOOL_FILE. SECOND_TOOL says how it behaves: "refuse" gives ompt_start_tool no answer, "decline"
 * fails to initialise, "old" has only the older callbacks of devices, "leave" ends itself at the first
 * omp_control_tool. Linked into a program, or loaded as a library.
 */
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 64, NOTES = 1 << 20, COMMAND_ANSWER = 5 };
enum kind { NONE, THREAD, PARALLEL, TASK, TARGET };

struct note {
    enum kind kind;
    _Atomic int ended;
};

static struct note notes[NOTES];
static atomic_uint note_count;
static atomic_uint counts[EVENTS];
static atomic_uint faults;
static char first_fault[200];
static ompt_data_t *tool_word;
static atomic_int finalized;

static ompt_get_thread_data_t get_thread_data;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;
static ompt_get_callback_t get_callback;
static ompt_finalize_tool_t finalize_self;

static __thread void *own_thread;

static int behaves(const char *how)
{
    const char *wanted = getenv("SECOND_TOOL");
    return wanted != NULL && strcmp(wanted, how) == 0;
}

static void find_fault(const char *event, const char *what)
{
    if (atomic_fetch_add(&faults, 1) == 0)
        snprintf(first_fault, sizeof(first_fault), "%s: %s", event, what);
}

/* A note for a word of something that begins, and that the runtime must have cleared. */
static void give_note(const char *event, ompt_data_t *word, enum kind kind)
{
    unsigned number = atomic_fetch_add(&note_count, 1) % NOTES;
    if (word == NULL)
        return;
    notes[number].kind = kind;
    atomic_store(&notes[number].ended, 0);
    word->ptr = &notes[number];
}

/* The word holds a note of that kind, or none: some have no event at their begin. */
static void see(const char *event, const ompt_data_t *word, enum kind kind, int may_have_ended)
{
    if (word == NULL || word->ptr == NULL)
        return;
    const struct note *note = word->ptr;
    if (note < notes || note >= notes + NOTES)
        find_fault(event, "a word that is not this tool's");
    else if (note->kind != kind)
        find_fault(event, "a word of something else");
    else if (atomic_load(&note->ended) && !may_have_ended)
        find_fault(event, "a word of something that has ended");
}

static void end_note(ompt_data_t *word)
{
    const struct note *note = word != NULL ? word->ptr : NULL;
    if (note >= notes && note < notes + NOTES)
        atomic_store(&((struct note *)word->ptr)->ended, 1);
}

/* What the entry points answer on this thread. */
static void ask(const char *event)
{
    ompt_data_t *thread = get_thread_data();
    ompt_data_t *task = NULL;
    ompt_data_t *parallel = NULL;
    ompt_frame_t *frame = NULL;
    int flags = 0;
    int number = 0;
    if (thread != NULL && thread->ptr != own_thread)
        find_fault(event, "ompt_get_thread_data has another thread's word");
    for (int level = 0; get_task_info(level, &flags, &task, &frame, &parallel, &number) == 2; level++) {
        see(event, task, TASK, 1);
        see(event, parallel, PARALLEL, 1);
    }
    for (int level = 0; get_parallel_info(level, &parallel, &number) == 2; level++)
        see(event, parallel, PARALLEL, 1);
}

static void count(ompt_callbacks_t event)
{
    atomic_fetch_add(&counts[event], 1);
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
    (void)type;
    count(ompt_callback_thread_begin);
    give_note("thread begin", thread, THREAD);
    own_thread = thread->ptr;
}

static void on_thread_end(ompt_data_t *thread)
{
    count(ompt_callback_thread_end);
    if (own_thread != NULL && thread->ptr != own_thread)
        find_fault("thread end", "another thread's word");
    end_note(thread);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                              unsigned requested, int flags, const void *site)
{
    (void)frame;
    (void)requested;
    (void)flags;
    (void)site;
    count(ompt_callback_parallel_begin);
    see("parallel begin", task, TASK, 0);
    give_note("parallel begin", parallel, PARALLEL);
    ask("parallel begin");
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *site)
{
    (void)flags;
    (void)site;
    count(ompt_callback_parallel_end);
    see("parallel end", parallel, PARALLEL, 0);
    see("parallel end", task, TASK, 0);
    if (parallel->ptr == NULL)
        find_fault("parallel end", "an empty word");
    end_note(parallel);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                             unsigned actual, unsigned index, int flags)
{
    (void)actual;
    (void)index;
    (void)flags;
    count(ompt_callback_implicit_task);
    see("implicit task", parallel, PARALLEL, endpoint == ompt_scope_end);
    if (endpoint == ompt_scope_begin)
        give_note("implicit task", task, TASK);
    else {
        see("implicit task end", task, TASK, 0);
        end_note(task);
    }
}

static void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created, int flags,
                           int has_dependences, const void *site)
{
    (void)frame;
    (void)flags;
    (void)has_dependences;
    (void)site;
    count(ompt_callback_task_create);
    see("task create", task, TASK, 0);
    give_note("task create", created, TASK);
    ask("task create");
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    count(ompt_callback_task_schedule);
    see("task schedule, prior", prior, TASK, 0);
    see("task schedule, next", next, TASK, 0);
    if (status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_late_fulfill)
        end_note(prior);
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int number)
{
    (void)list;
    (void)number;
    count(ompt_callback_dependences);
    see("dependences", task, TASK, 0);
}

static void on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
    count(ompt_callback_task_dependence);
    see("task dependence, source", source, TASK, 1);
    see("task dependence, sink", sink, TASK, 0);
}

static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, uint64_t number, const void *site)
{
    (void)type;
    (void)endpoint;
    (void)number;
    (void)site;
    count(ompt_callback_work);
    see("work", parallel, PARALLEL, 0);
    see("work", task, TASK, 0);
    ask("work");
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
    (void)kind;
    (void)instance;
    count(ompt_callback_dispatch);
    see("dispatch", parallel, PARALLEL, 0);
    see("dispatch", task, TASK, 0);
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                      const void *site)
{
    (void)endpoint;
    (void)site;
    count(ompt_callback_masked);
    see("masked", parallel, PARALLEL, 0);
    see("masked", task, TASK, 0);
}

#define SYNC_REGION(event)                                                                                   \
    static void on_##event(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,   \
                           ompt_data_t *task, const void *site)                                              \
    {                                                                                                        \
        (void)kind;                                                                                          \
        (void)site;                                                                                          \
        count(ompt_callback_##event);                                                                        \
        see(#event, parallel, PARALLEL, endpoint == ompt_scope_end);                                         \
        see(#event, task, TASK, 0);                                                                          \
    }
SYNC_REGION(sync_region)
SYNC_REGION(sync_region_wait)
SYNC_REGION(reduction)

static void on_flush(ompt_data_t *thread, const void *site)
{
    (void)site;
    count(ompt_callback_flush);
    see("flush", thread, THREAD, 0);
}

static void on_cancel(ompt_data_t *task, int flags, const void *site)
{
    (void)flags;
    (void)site;
    count(ompt_callback_cancel);
    see("cancel", task, TASK, 0);
}

#define ACQUIRE(event)                                                                                       \
    static void on_##event(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait,             \
                           const void *site)                                                                 \
    {                                                                                                        \
        (void)kind;                                                                                          \
        (void)hint;                                                                                          \
        (void)impl;                                                                                          \
        (void)site;                                                                                          \
        count(ompt_callback_##event);                                                                        \
        if (wait == 0)                                                                                       \
            find_fault(#event, "no identity");                                                               \
    }
ACQUIRE(lock_init)
ACQUIRE(mutex_acquire)

#define MUTEX(event)                                                                                         \
    static void on_##event(ompt_mutex_t kind, ompt_wait_id_t wait, const void *site)                         \
    {                                                                                                        \
        (void)kind;                                                                                          \
        (void)wait;                                                                                          \
        (void)site;                                                                                          \
        count(ompt_callback_##event);                                                                        \
    }
MUTEX(lock_destroy)
MUTEX(mutex_acquired)
MUTEX(mutex_released)

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *site)
{
    (void)endpoint;
    (void)wait;
    (void)site;
    count(ompt_callback_nest_lock);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *site)
{
    (void)modifier;
    (void)argument;
    (void)site;
    count(ompt_callback_control_tool);
    if (behaves("leave"))
        finalize_self();
    return command == 77 ? COMMAND_ANSWER : 1;
}

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                          ompt_data_t *target_task, ompt_data_t *target, const void *site)
{
    (void)kind;
    (void)device;
    (void)site;
    count(ompt_callback_target_emi);
    see("target", task, TASK, 0);
    see("target", target_task, TASK, 0);
    if (endpoint != ompt_scope_end)
        give_note("target", target, TARGET);
    else {
        see("target", target, TARGET, 0);
        if (target->ptr == NULL)
            find_fault("target end", "an empty word");
        end_note(target);
    }
}

static __thread uint64_t operation;

static void take_operation(const char *event, ompt_scope_endpoint_t endpoint, ompt_id_t *id)
{
    static _Atomic uint64_t last = 1000;
    if (endpoint == ompt_scope_begin)
        *id = operation = atomic_fetch_add(&last, 1);
    else if (*id != operation)
        find_fault(event, "another operation's identity");
}

static void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task,
                                  ompt_data_t *target, ompt_id_t *id, ompt_target_data_op_t type, void *from,
                                  int from_device, void *to, int to_device, size_t bytes, const void *site)
{
    (void)type;
    (void)from;
    (void)from_device;
    (void)to;
    (void)to_device;
    (void)bytes;
    (void)site;
    count(ompt_callback_target_data_op_emi);
    see("data operation", target_task, TASK, 0);
    see("data operation", target, TARGET, 0);
    take_operation("data operation", endpoint, id);
}

static void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *id,
                                 unsigned teams)
{
    (void)teams;
    count(ompt_callback_target_submit_emi);
    see("submit", target, TARGET, 0);
    take_operation("submit", endpoint, id);
}

/* The older ones: identities are the runtime's, and differ while constructs are open. */
static __thread uint64_t open_target;

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_id_t target, const void *site)
{
    (void)kind;
    (void)device;
    (void)site;
    count(ompt_callback_target);
    see("target", task, TASK, 0);
    if (target == 0 || (endpoint == ompt_scope_end && target != open_target))
        find_fault("target", "another construct's identity");
    open_target = target;
}

static void on_target_data_op(ompt_id_t target, ompt_id_t id, ompt_target_data_op_t type, void *from,
                              int from_device, void *to, int to_device, size_t bytes, const void *site)
{
    (void)target;
    (void)type;
    (void)from;
    (void)from_device;
    (void)to;
    (void)to_device;
    (void)bytes;
    (void)site;
    count(ompt_callback_target_data_op);
    if (id == 0)
        find_fault("data operation", "no identity");
}

static void on_target_submit(ompt_id_t target, ompt_id_t id, unsigned teams)
{
    (void)teams;
    count(ompt_callback_target_submit);
    if (id == 0 || target != open_target)
        find_fault("submit", "another construct's identity");
}

static void on_device_initialize(int device, const char *type, ompt_device_t *handle,
                                 ompt_function_lookup_t lookup, const char *documentation)
{
    (void)device;
    (void)type;
    (void)handle;
    (void)lookup;
    (void)documentation;
    count(ompt_callback_device_initialize);
}

static void on_device_finalize(int device)
{
    (void)device;
    count(ompt_callback_device_finalize);
}

#define ROW(event) {#event, ompt_callback_##event, (ompt_callback_t)on_##event}
static const struct {
    const char *name;
    ompt_callbacks_t event;
    ompt_callback_t function;
} rows[] = {ROW(thread_begin),
            ROW(thread_end),
            ROW(parallel_begin),
            ROW(parallel_end),
            ROW(implicit_task),
            ROW(task_create),
            ROW(task_schedule),
            ROW(dependences),
            ROW(task_dependence),
            ROW(work),
            ROW(dispatch),
            ROW(masked),
            ROW(sync_region),
            ROW(sync_region_wait),
            ROW(reduction),
            ROW(flush),
            ROW(cancel),
            ROW(lock_init),
            ROW(lock_destroy),
            ROW(mutex_acquire),
            ROW(mutex_acquired),
            ROW(mutex_released),
            ROW(nest_lock),
            ROW(control_tool),
            ROW(device_initialize),
            ROW(device_finalize),
            ROW(target),
            ROW(target_data_op),
            ROW(target_submit),
            ROW(target_emi),
            ROW(target_data_op_emi),
            ROW(target_submit_emi)};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static ompt_set_result_t answers[ROWS];

static int is_emi(ompt_callbacks_t event)
{
    return event == ompt_callback_target_emi || event == ompt_callback_target_data_op_emi ||
           event == ompt_callback_target_submit_emi;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device;
    get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
    finalize_self = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
    if (data->value != 4711)
        find_fault("initialize", "another tool's word");
    tool_word = data;
    for (int i = 0; i < ROWS; i++) {
        ompt_callback_t registered = NULL;
        if (behaves("old") && is_emi(rows[i].event))
            continue;
        answers[i] = set_callback(rows[i].event, rows[i].function);
        if (get_callback(rows[i].event, &registered) == 1 && registered != rows[i].function)
            find_fault("initialize", "ompt_get_callback has another function");
    }
    return !behaves("decline");
}

/* A tool that has declined finds no tool interface any more. */
__attribute__((destructor)) static void ask_after_all(void)
{
    if (behaves("decline") && get_thread_data != NULL &&
        (get_thread_data() != NULL || get_parallel_info(0, NULL, NULL) != 0 ||
         get_task_info(0, NULL, NULL, NULL, NULL, NULL) != 0))
        fputs("a tool that has declined finds a thread, a region or a task\n", stderr);
}

static void finalize(ompt_data_t *data)
{
    const char *path = getenv("SECOND_TOOL_FILE");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (data != tool_word || data->value != 4711)
        find_fault("finalize", "another tool's word");
    if (atomic_fetch_add(&finalized, 1) != 0)
        find_fault("finalize", "a second time");
    if (file == NULL)
        return;
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%s %d %u\n", rows[i].name, (int)answers[i], atomic_load(&counts[rows[i].event]));
    fprintf(file, "faults 0 %u\n%s", atomic_load(&faults), first_fault);
    fclose(file);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {.value = 4711}};
    (void)version;
    (void)runtime;
    return behaves("refuse") ? NULL : &result;
}
