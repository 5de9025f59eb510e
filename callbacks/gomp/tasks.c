/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wrappers for explicit tasks. libgomp copies a task's arguments. The wrapper puts a struct head with the
 * task's identity in front of them. Then libgomp calls run_task(), which records the task and calls the
 * program's function.
 *
 * With a copy function libgomp also runs tasks that were cancelled, and a taskloop keeps all copies at once.
 * So the wrapper passes one only if the program does, or, to avoid a copy, if cancellation is off.
 */
#include "callbacks/gomp/record.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Tasks with a detach clause, which complete when their function has returned and the event came. */

enum { MAX_EVENTS = 1024 };

static struct {
    uint64_t event; /* Address of the task's event; 0 if the entry is free. */
    uint64_t task;  /* Identity of the task; 0 if the task has not begun. */
    bool fulfilled;
    bool returned;
} events[MAX_EVENTS];

static unsigned used; /* Entries that were ever used. */

static atomic_flag changing = ATOMIC_FLAG_INIT;

/* Returns the index of the event's entry, created if there is none; MAX_EVENTS if the table is full. */
static unsigned find(uint64_t event)
{
    unsigned place = MAX_EVENTS;
    for (unsigned i = 0; i < used; i++) {
        if (events[i].event == event)
            return i;
        if (events[i].event == 0)
            place = i;
    }
    if (place == MAX_EVENTS && used < MAX_EVENTS)
        place = used++;
    if (place < MAX_EVENTS) {
        events[place].event = event;
        events[place].task = 0;
        events[place].fulfilled = false;
        events[place].returned = false;
    }
    return place;
}

/* Notes that the task of this event begins to run. */
static void gomp_detach_begins(uint64_t event, uint64_t task)
{
    omptape_gomp_lock(&changing);
    const unsigned place = find(event);
    if (place < MAX_EVENTS)
        events[place].task = task;
    omptape_gomp_unlock(&changing);
}

/* A detached task is complete after both. */
enum detached { RETURNED, FULFILLED };

/* Notes that the task's function has returned, or that its event is fulfilled. `*task` receives the task, or
 * 0 if unknown. Returns true if the other one came before: the task is complete. If the table is full, a
 * return counts as the last. */
static bool note_detached(uint64_t event, enum detached what, uint64_t *task)
{
    const bool fulfilled = what == FULFILLED;
    bool over = !fulfilled;
    omptape_gomp_lock(&changing);
    const unsigned place = find(event);
    *task = place < MAX_EVENTS ? events[place].task : 0;
    if (place < MAX_EVENTS) {
        over = fulfilled ? events[place].returned : events[place].fulfilled;
        events[place].fulfilled = events[place].fulfilled || fulfilled;
        events[place].returned = events[place].returned || !fulfilled;
        if (over)
            events[place].event = 0;
    }
    omptape_gomp_unlock(&changing);
    return over;
}

/* Recorded before the call: afterwards the event's memory may belong to another task. */
void omptape_omp_fulfill_event(void *event)
{
    OMPTAPE_GOMP_ENTER(omp_fulfill_event, event);
    ompt_data_t task = {.value = 0};
    (void)site;
    (void)omptape_gomp_thread(OMPTAPE_TASK_SCHEDULE);
    const bool over = note_detached((uint64_t)(uintptr_t)event, FULFILLED, &task.value);
    if (OMPTAPE_GOMP_WANTS(task_schedule))
        omptape_on_task_schedule(&task, over ? ompt_task_late_fulfill : ompt_task_early_fulfill, NULL);
    OMPTAPE_GOMP_REAL(runtime, omp_fulfill_event)(event);
}

/* The task flags that gcc passes. */
enum {
    FLAG_UNTIED = 1 << 0,
    FLAG_FINAL = 1 << 1,
    FLAG_MERGEABLE = 1 << 2,
    FLAG_DEPEND = 1 << 3,
    FLAG_UP = 1 << 8,
    FLAG_IF = 1 << 10,
    FLAG_NOGROUP = 1 << 11,
    FLAG_REDUCTION = 1 << 12,
    FLAG_DETACH = 1 << 13
};

/* libgomp uses the first words of the arguments: a taskloop writes two and reads a third, a detachable task
 * one. */
enum { SHARED_WORDS = 3 };

/* The header in front of a task's arguments. A taskloop's tasks, created later, need the call site. */
struct head {
    uint64_t words[SHARED_WORDS]; /* Used by libgomp in place of the arguments' first words. */
    void (*function)(void *);
    /* The task's identity; 0 if the task is recorded as created only when it runs. */
    uint64_t id;
    const void *site;
    /* The task's entry in the list of waiting tasks; NULL if it cannot be discarded. */
    struct omptape_gomp_pending_task *waiting;
    uint32_t offset; /* Offset of the arguments, bytes. */
    uint16_t flags;
    uint16_t loop;
};

/* What copy_task() copies from. libgomp passes it as the task's data. */
struct source {
    struct head head;
    const void *arguments;
    size_t bytes;
    void (*copy)(void *, void *);
};

static int flags_of(const struct omptape_slot *slot, unsigned flags, bool deferred)
{
    unsigned kind = ompt_task_explicit;
    kind |= (flags & FLAG_UNTIED) != 0 ? (unsigned)ompt_task_untied : 0;
    kind |= (flags & FLAG_FINAL) != 0 ? (unsigned)ompt_task_final : 0;
    kind |= (flags & FLAG_MERGEABLE) != 0 ? (unsigned)ompt_task_mergeable : 0;
    if (!deferred || slot == NULL || slot->gomp.region == 0 || slot->gomp.final)
        kind |= (unsigned)ompt_task_undeferred;
    return (int)kind;
}

static uint64_t create(struct omptape_slot *slot, unsigned flags, bool deferred, const void *site)
{
    ompt_data_t task = {.value = 0};
    if (OMPTAPE_GOMP_WANTS(task_create))
        omptape_on_task_create(NULL, NULL, &task, flags_of(slot, flags, deferred), (flags & FLAG_DEPEND) != 0,
                               site);
    return task.value;
}

/* Writes the record of omptape_on_task_schedule (callbacks/task.c) inline. */
static inline void put_schedule(struct omptape_slot *slot, uint64_t prior, ompt_task_status_t status,
                                uint64_t next)
{
    if (OMPTAPE_GOMP_WANTS(task_schedule))
        omptape_put2(slot, OMPTAPE_TASK_SCHEDULE, (unsigned)status, 0, prior, next);
}

/* Copies the words that libgomp has written into the header to the arguments. */
static void pass_words_on(const struct head *head, void *arguments)
{
    if (head->loop)
        memcpy(arguments, head->words, 2 * sizeof(head->words[0]));
    else if ((head->flags & FLAG_DETACH) != 0)
        memcpy(arguments, head->words, sizeof(head->words[0]));
}

static ompt_task_status_t end_status(const struct head *head)
{
    uint64_t task;
    if ((head->flags & FLAG_DETACH) != 0 && !note_detached(head->words[0], RETURNED, &task))
        return ompt_task_detach;
    return ompt_task_complete;
}

/* libgomp calls this function to run a task. */
static void run_task(void *data)
{
    const struct head *head = data;
    char *arguments = (char *)data + head->offset;
    struct omptape_slot *slot = omptape_gomp_thread(OMPTAPE_TASK_SCHEDULE);
    const struct omptape_slot_task outside = slot != NULL ? slot->gomp : (struct omptape_slot_task){0};
    const uint64_t id = head->id != 0 ? head->id : create(slot, head->flags, true, head->site);
    if (head->loop || (head->flags & FLAG_DETACH) != 0)
        pass_words_on(head, arguments);
    if ((head->flags & FLAG_DETACH) != 0)
        gomp_detach_begins(head->words[0], id);
    if (head->waiting != NULL)
        omptape_gomp_pending_task_remove(head->waiting);
    put_schedule(slot, outside.task, ompt_task_switch, id);
    if (slot != NULL)
        slot->gomp = (struct omptape_slot_task){
            .task = id, .region = outside.region, .final = outside.final || (head->flags & FLAG_FINAL) != 0};
    head->function(arguments);
    slot = omptape_producer_slot;
    omptape_gomp_end_work(slot);
    put_schedule(slot, id, end_status(head), outside.task);
    if (slot != NULL && outside.task != 0)
        slot->gomp = outside;
}

static void copy_task(void *to, void *from)
{
    const struct source *source = from;
    struct head *head = to;
    char *arguments = (char *)to + source->head.offset;
    *head = source->head;
    if (source->copy != NULL)
        source->copy(arguments, (void *)(uintptr_t)source->arguments);
    else
        memcpy(arguments, source->arguments, source->bytes);
    if (head->loop)
        head->id = create(omptape_producer_slot, head->flags, (head->flags & FLAG_IF) != 0, head->site);
}

static struct head head_of(void (*function)(void *), long alignment, unsigned flags, const void *site)
{
    const size_t unit = alignment > (long)sizeof(uint64_t) ? (size_t)alignment : sizeof(uint64_t);
    return (struct head){.function = function,
                         .site = site,
                         .offset = (uint32_t)((sizeof(struct head) + unit - 1) & ~(unit - 1)),
                         .flags = (uint16_t)flags};
}

/* Puts header and arguments into one block, which libgomp copies itself: `capacity` if they fit, else memory
 * that the caller frees. Returns NULL if out of memory. */
static char *join(const struct head *head, const void *data, size_t bytes, char *capacity,
                  size_t capacity_bytes)
{
    char *joined = head->offset + bytes <= capacity_bytes ? capacity : malloc(head->offset + bytes);
    if (joined == NULL)
        return NULL;
    memcpy(joined, head, sizeof(*head));
    memcpy(joined + head->offset, data, bytes);
    return joined;
}

enum { ROOM_BYTES = 256 };

/* Creates a task without a copy function. Not inlined: tasks that are executed at once nest deeply, and the
 * buffer would use the program's stack. */
static __attribute__((noinline)) void pass_joined(omptape_type_GOMP_task *real, const struct source *source,
                                                  long unit, bool deferred, void **depend, int priority,
                                                  void *detach)
{
    _Alignas(16) char capacity[ROOM_BYTES];
    const unsigned flags = source->head.flags;
    char *joined = join(&source->head, source->arguments, source->bytes, capacity, sizeof(capacity));
    const long all = (long)source->head.offset + (long)source->bytes;
    if (joined != NULL)
        real(run_task, joined, NULL, all, unit, deferred, flags, depend, priority, detach);
    else
        real(source->head.function, (void *)(uintptr_t)source->arguments, NULL, (long)source->bytes, unit,
             deferred, flags, depend, priority, detach);
    if (joined != capacity)
        free(joined);
}

void omptape_GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long bytes,
                       long alignment, bool deferred, unsigned flags, void **depend, int priority,
                       void *detach)
{
    OMPTAPE_GOMP_ENTER(GOMP_task, function, data, copy, bytes, alignment, deferred, flags, depend, priority,
                       detach);
    omptape_type_GOMP_task *real = OMPTAPE_GOMP_REAL(runtime, GOMP_task);
    struct omptape_slot *slot = omptape_gomp_thread(OMPTAPE_TASK_CREATE);
    const long unit = alignment > (long)sizeof(uint64_t) ? alignment : (long)sizeof(uint64_t);
    const void *const place = omptape_gomp_call_site(site, function);
    struct source source = {.head = head_of(function, alignment, flags, place),
                            .arguments = data,
                            .bytes = (size_t)bytes,
                            .copy = copy};
    source.head.id = create(slot, flags, deferred, place);
    if (runtime->can_cancel && slot != NULL && source.head.id != 0)
        source.head.waiting = omptape_gomp_pending_task_add(source.head.id, slot->gomp.region);
    if ((flags & FLAG_DEPEND) != 0)
        omptape_gomp_put_dependences(source.head.id, depend);
    if (copy == NULL && runtime->can_cancel)
        pass_joined(real, &source, unit, deferred, depend, priority, detach);
    else
        real(run_task, &source, copy_task, (long)source.head.offset + bytes, unit, deferred, flags, depend,
             priority, detach);
}

/* A taskloop over long or unsigned long long. The wrapper itself creates a group without reductions, to
 * measure the waiting at its end. */
struct taskloop {
    uint64_t count;
    bool group;
};

static struct taskloop begin_taskloop(unsigned flags, uint64_t count, struct omptape_gomp_runtime *runtime,
                                      const void *site)
{
    const struct taskloop loop = {.count = count, .group = (flags & (FLAG_NOGROUP | FLAG_REDUCTION)) == 0};
    (void)omptape_gomp_thread(OMPTAPE_WORK);
    if ((flags & FLAG_NOGROUP) == 0)
        omptape_gomp_begin_sync(ompt_sync_region_taskgroup, site);
    if (loop.group)
        OMPTAPE_GOMP_REAL(runtime, GOMP_taskgroup_start)();
    if (OMPTAPE_GOMP_WANTS(work))
        omptape_on_work(ompt_work_taskloop, ompt_scope_begin, NULL, NULL, count, site);
    return loop;
}

static void end_taskloop(const struct taskloop *loop, unsigned flags, struct omptape_gomp_runtime *runtime,
                         const void *site)
{
    if (OMPTAPE_GOMP_WANTS(work))
        omptape_on_work(ompt_work_taskloop, ompt_scope_end, NULL, NULL, loop->count, NULL);
    if ((flags & FLAG_NOGROUP) != 0)
        return;
    omptape_gomp_begin_wait(ompt_sync_region_taskgroup, site);
    if (loop->group)
        OMPTAPE_GOMP_REAL(runtime, GOMP_taskgroup_end)();
    omptape_gomp_end_wait(ompt_sync_region_taskgroup);
    omptape_gomp_end_sync(ompt_sync_region_taskgroup);
}

#define TASKLOOP(name, type, up)                                                                             \
    void omptape_##name(void (*function)(void *), void *data, void (*copy)(void *, void *), long bytes,      \
                        long alignment, unsigned flags, unsigned long tasks, int priority, type first,       \
                        type last, type step)                                                                \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER(name, function, data, copy, bytes, alignment, flags, tasks, priority, first,      \
                           last, step)                                                                       \
        omptape_type_##name *real = OMPTAPE_GOMP_REAL(runtime, name);                                        \
        const bool runs = (up) ? first < last : first > last;                                                \
        const uint64_t distance =                                                                            \
            (up) ? (uint64_t)last - (uint64_t)first : (uint64_t)first - (uint64_t)last;                      \
        const uint64_t size = (up) ? (uint64_t)step : -(uint64_t)step;                                       \
        const uint64_t count = runs ? omptape_gomp_count(distance, size) : 0;                                \
        const void *const place = omptape_gomp_call_site(site, function);                                    \
        const struct taskloop loop = begin_taskloop(flags, count, runtime, place);                           \
        const unsigned passed = loop.group ? flags | FLAG_NOGROUP : flags;                                   \
        const long unit = alignment > (long)sizeof(uint64_t) ? alignment : (long)sizeof(uint64_t);           \
        struct source source = {.head = head_of(function, alignment, flags, place),                          \
                                .arguments = data,                                                           \
                                .bytes = (size_t)bytes,                                                      \
                                .copy = copy};                                                               \
        const long all = (long)source.head.offset + bytes;                                                   \
        _Alignas(16) char capacity[ROOM_BYTES];                                                              \
        char *joined = NULL;                                                                                 \
        source.head.loop = 1;                                                                                \
        if ((flags & FLAG_REDUCTION) != 0)                                                                   \
            memcpy(source.head.words, data, sizeof(source.head.words));                                      \
        if (copy == NULL)                                                                                    \
            joined = join(&source.head, data, (size_t)bytes, capacity, sizeof(capacity));                    \
        if (copy != NULL)                                                                                    \
            real(run_task, &source, copy_task, all, unit, passed, tasks, priority, first, last, step);       \
        else if (joined != NULL)                                                                             \
            real(run_task, joined, NULL, all, unit, passed, tasks, priority, first, last, step);             \
        else                                                                                                 \
            real(function, data, copy, bytes, alignment, passed, tasks, priority, first, last, step);        \
        if (joined != capacity)                                                                              \
            free(joined);                                                                                    \
        end_taskloop(&loop, flags, runtime, place);                                                          \
    }
TASKLOOP(GOMP_taskloop, long, step > 0)
TASKLOOP(GOMP_taskloop_ull, unsigned long long, (flags & FLAG_UP) != 0)

/* Returns the type for a value of omp_depend_t (GOMP_DEPEND_*). */
static ompt_dependence_type_t type_of_object(uintptr_t kind)
{
    static const uint8_t types[] = {0,
                                    ompt_dependence_type_in,
                                    ompt_dependence_type_out,
                                    ompt_dependence_type_inout,
                                    ompt_dependence_type_mutexinoutset,
                                    ompt_dependence_type_inoutset};
    const bool known = kind > 0 && kind < sizeof(types) / sizeof(types[0]);
    return known ? (ompt_dependence_type_t)types[kind] : ompt_dependence_type_inout;
}

/* Returns dependence `i` of a list. A short list begins with total and outs; a long one with 0, total, outs,
 * mutexinoutsets, ins. The variables follow: ins in a short list, pointers to omp_depend_t in a long one. */
static ompt_dependence_t dependence_of(void **depend, size_t i)
{
    const bool is_short = depend[0] != NULL;
    void **variables = depend + (is_short ? 2 : 5);
    const size_t outs = (size_t)(is_short ? depend[1] : depend[2]);
    const size_t mutexes = is_short ? 0 : (size_t)depend[3];
    const size_t ins = is_short ? (size_t)depend[0] - outs : (size_t)depend[4];
    ompt_dependence_t one = {.variable = {.ptr = variables[i]}};
    if (i < outs)
        one.dependence_type = ompt_dependence_type_inout;
    else if (i < outs + mutexes)
        one.dependence_type = ompt_dependence_type_mutexinoutset;
    else if (i < outs + mutexes + ins)
        one.dependence_type = ompt_dependence_type_in;
    else {
        void **object = variables[i];
        one.variable.ptr = object[0];
        one.dependence_type = type_of_object((uintptr_t)object[1]);
    }
    return one;
}

__attribute__((noinline)) void omptape_gomp_put_dependences(uint64_t task, void **depend)
{
    enum { FEW = 16 };
    const size_t count = (size_t)(depend[0] != NULL ? depend[0] : depend[1]);
    ompt_dependence_t few[FEW];
    ompt_data_t word = {.value = task};
    if (task == 0 || count == 0 || !OMPTAPE_GOMP_WANTS(dependences))
        return;
    ompt_dependence_t *list = count <= FEW ? few : malloc(count * sizeof(*list));
    for (size_t i = 0; list != NULL && i < count; i++)
        list[i] = dependence_of(depend, i);
    if (list != NULL)
        omptape_on_dependences(&word, list, (int)count);
    if (list != few)
        free(list);
}
