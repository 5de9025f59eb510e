/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements arrows.h. A tail is stored in a table of its kind, with a key of two numbers of both ends.
 */
#include "src/replay/arrows.h"

#include "src/archive/read/regions.h"
#include "src/replay/channels.h"

#include <stdlib.h>

/* Limits of tails of device operations, since some never appear on a device; tasks with dependences;
 * remembered ended tasks (the newest); predecessors of a task. */
enum { MAX_OPERATIONS = 1 << 20, MAX_DEPENDENTS = 100000, ENDED_TASKS = 1 << 14, MAX_PREDECESSORS = 8 };

/* A task with dependences, from its creation until its first execution. */
struct dependent {
    uint64_t process;
    uint64_t identity;
    bool begun;
    uint32_t count;
    uint64_t predecessors[MAX_PREDECESSORS]; /* identities of tasks */
};

struct ended_task {
    uint64_t process;
    uint64_t identity;
    struct replay_tail end;
};

struct replay_arrows {
    const struct omptape_reader *reader;
    const struct replay_arrow_observer *observer;
    void *data;
    struct omptape_arena arena;
    struct omptape_pairs tails[REPLAY_ARROW_KINDS];
    struct omptape_free_list free_tails;
    struct omptape_pairs dependents; /* (communicator, thread and generation) -> dependent */
    struct omptape_pairs creating;   /* (0, location) -> the dependent that it is creating */
    struct omptape_free_list free_dependents;
    uint64_t identity; /* on the newest Enter, of its location: */
    uint64_t identity_location;
    struct ended_task *ended; /* by identity */
    struct omptape_channels channels;
};

struct replay_arrows *replay_new_arrows(const struct omptape_reader *reader,
                                        const struct replay_arrow_observer *observer, void *data)
{
    struct replay_arrows *arrows = omptape_calloc(1, sizeof(*arrows));
    if (arrows == NULL)
        return NULL;
    arrows->reader = reader;
    arrows->observer = observer;
    arrows->data = data;
    arrows->ended = omptape_calloc(ENDED_TASKS, sizeof(*arrows->ended));
    if (omptape_channels_begin(&arrows->channels, reader, reader->beats) && arrows->ended != NULL)
        return arrows;
    replay_free_arrows(arrows);
    return NULL;
}

void replay_free_arrows(struct replay_arrows *arrows)
{
    if (arrows == NULL)
        return;
    for (int i = 0; i < REPLAY_ARROW_KINDS; i++)
        omptape_pairs_free(&arrows->tails[i]);
    omptape_channels_free(&arrows->channels);
    omptape_pairs_free(&arrows->dependents);
    omptape_pairs_free(&arrows->creating);
    omptape_arena_free(&arrows->arena);
    free(arrows->ended);
    free(arrows);
}

/* Returns the tail with this key; allocates it at the first use. Returns NULL if out of memory. */
static struct replay_tail *obtain_tail(struct replay_arrows *arrows, struct omptape_pairs *tails,
                                       uint64_t high, uint64_t low)
{
    struct replay_tail *tail = omptape_pairs_get(tails, high, low);
    if (tail != NULL)
        return tail;
    tail = omptape_free_list_alloc(&arrows->free_tails, &arrows->arena, sizeof(*tail));
    return tail != NULL && omptape_pairs_put(tails, high, low, tail) == 0 ? tail : NULL;
}

static void begin_arrow(struct replay_arrows *arrows, enum replay_arrow_kind kind, uint64_t high,
                        uint64_t low, const struct omptape_event *event)
{
    void *owned = NULL;
    if (!arrows->observer->begin(arrows->data, kind, event, &owned))
        return;
    struct replay_tail *tail = obtain_tail(arrows, &arrows->tails[kind], high, low);
    if (tail != NULL)
        *tail = (struct replay_tail){.location = event->location, .time = event->time, .owned = owned};
}

static void end_arrow(struct replay_arrows *arrows, enum replay_arrow_kind kind, uint64_t high, uint64_t low,
                      const struct omptape_event *event)
{
    struct replay_tail *tail = omptape_pairs_remove(&arrows->tails[kind], high, low);
    if (tail == NULL)
        return;
    arrows->observer->end(arrows->data, kind, tail, event);
    omptape_free_list_free(&arrows->free_tails, tail);
}

/* Returns the process of a location, or the process that owns its device. Identities of locks and tasks are
 * unique only within a process. */
static uint64_t process_of(const struct replay_arrows *arrows, uint64_t id, bool *is_device)
{
    const struct omptape_definition *location = omptape_reader_find(arrows->reader, OMPTAPE_DEF_LOCATION, id);
    const struct omptape_definition *device =
        location != NULL ? omptape_location_device(arrows->reader, location) : NULL;
    *is_device = device != NULL;
    return device != NULL ? device->refs[2].id : location != NULL ? location->refs[1].id : 0;
}

static void forget_operations(struct replay_arrows *arrows)
{
    struct omptape_pairs *tails = &arrows->tails[REPLAY_ARROW_DEVICE];
    for (uint32_t i = 0; i < tails->count; i++)
        omptape_free_list_free(&arrows->free_tails, tails->list[i].value);
    omptape_pairs_free(tails);
    *tails = (struct omptape_pairs){.list = NULL};
}

static void on_enter(struct replay_arrows *arrows, const struct omptape_event *event)
{
    bool is_device = false;
    arrows->identity = 0;
    if (event->attributes == NULL || OTF2_AttributeList_GetNumberOfElements(event->attributes) == 0)
        return;
    (void)omptape_event_number(arrows->reader, event, READER_TASK_ID, &arrows->identity);
    arrows->identity_location = event->location;
    uint64_t operation;
    if (!omptape_event_number(arrows->reader, event, READER_OPERATION_ID, &operation) || operation == 0)
        return;
    uint64_t process = process_of(arrows, event->location, &is_device);
    if (arrows->tails[REPLAY_ARROW_DEVICE].count >= MAX_OPERATIONS)
        forget_operations(arrows);
    (is_device ? end_arrow : begin_arrow)(arrows, REPLAY_ARROW_DEVICE, process, operation, event);
}

/* Stores the task that the location has just created: its predecessors follow in later events. */
static void add_dependent(struct replay_arrows *arrows, const struct omptape_event *event)
{
    bool is_device;
    if (arrows->dependents.count >= MAX_DEPENDENTS)
        return;
    struct dependent *made = omptape_free_list_alloc(&arrows->free_dependents, &arrows->arena, sizeof(*made));
    if (made == NULL ||
        omptape_pairs_put(&arrows->dependents, event->refs[0].id, omptape_event_task(event->value), made) !=
            0 ||
        omptape_pairs_put(&arrows->creating, 0, event->location, made) != 0)
        return;
    *made = (struct dependent){.process = process_of(arrows, event->location, &is_device),
                               .identity = arrows->identity};
}

static void on_create(struct replay_arrows *arrows, const struct omptape_event *event)
{
    begin_arrow(arrows, REPLAY_ARROW_TASK, event->refs[0].id, omptape_event_task(event->value), event);
    if (arrows->identity != 0 && arrows->identity_location == event->location)
        add_dependent(arrows, event);
}

static void on_parameter(struct replay_arrows *arrows, const struct omptape_event *event)
{
    if (event->refs[0].id != arrows->reader->attribute_ids[READER_DEPENDS_ON])
        return;
    struct dependent *task = omptape_pairs_get(&arrows->creating, 0, event->location);
    if (task != NULL && task->count < MAX_PREDECESSORS)
        task->predecessors[task->count++] = event->value[1];
}

static struct ended_task *ended_of(struct replay_arrows *arrows, uint64_t identity)
{
    return &arrows->ended[identity % ENDED_TASKS];
}

static void on_switch(struct replay_arrows *arrows, const struct omptape_event *event)
{
    if (event->value[1] == 0)
        return; /* the thread resumes its implicit task */
    end_arrow(arrows, REPLAY_ARROW_TASK, event->refs[0].id, omptape_event_task(event->value), event);
    struct dependent *task =
        omptape_pairs_get(&arrows->dependents, event->refs[0].id, omptape_event_task(event->value));
    if (task == NULL || task->begun)
        return;
    task->begun = true;
    for (uint32_t i = 0; i < task->count; i++) {
        const struct ended_task *ended = ended_of(arrows, task->predecessors[i]);
        if (ended->identity == task->predecessors[i] && ended->process == task->process)
            arrows->observer->end(arrows->data, REPLAY_ARROW_DEPENDENCE, &ended->end, event);
    }
}

static void on_complete(struct replay_arrows *arrows, const struct omptape_event *event)
{
    end_arrow(arrows, REPLAY_ARROW_TASK, event->refs[0].id, omptape_event_task(event->value), event);
    struct dependent *task =
        omptape_pairs_remove(&arrows->dependents, event->refs[0].id, omptape_event_task(event->value));
    if (task == NULL)
        return;
    *ended_of(arrows, task->identity) =
        (struct ended_task){.process = task->process,
                            .identity = task->identity,
                            .end = {.location = event->location, .time = event->time}};
    omptape_free_list_free(&arrows->free_dependents, task);
}

static void on_lock(struct replay_arrows *arrows, const struct omptape_event *event)
{
    bool is_device;
    const uint64_t process = process_of(arrows, event->location, &is_device);
    const uint64_t lock = event->refs[0].id << 32 | (event->value[0] & UINT32_MAX);
    (event->kind == OMPTAPE_EVENT_LOCK_RELEASE ? begin_arrow : end_arrow)(arrows, REPLAY_ARROW_LOCK, process,
                                                                          lock, event);
}

/* Passes every message to the channels, because only the order of all messages tells which ends match. */
static void on_message(struct replay_arrows *arrows, const struct omptape_event *event)
{
    struct omptape_message_end *made;
    struct omptape_message_end *other = omptape_channels_match(&arrows->channels, event, &made);
    if (made != NULL && event->kind == OMPTAPE_EVENT_MPI_SEND)
        (void)arrows->observer->begin(arrows->data, REPLAY_ARROW_MESSAGE, event, &made->owned);
    if (other == NULL)
        return;
    const struct replay_tail tail = {.location = other->location, .time = other->time, .owned = other->owned};
    if (event->kind == OMPTAPE_EVENT_MPI_RECEIVE)
        arrows->observer->end(arrows->data, REPLAY_ARROW_MESSAGE, &tail, event);
    omptape_channels_release(&arrows->channels, other);
}

/* Each process has a contingent of its own, whose numbers are unique. */
static void on_life(struct replay_arrows *arrows, const struct omptape_event *event)
{
    const bool is_end = event->kind == OMPTAPE_EVENT_THREAD_WAIT || event->kind == OMPTAPE_EVENT_THREAD_END;
    const bool is_tail =
        event->kind == OMPTAPE_EVENT_THREAD_CREATE || event->kind == OMPTAPE_EVENT_THREAD_END;
    if (event->value[0] != OTF2_UNDEFINED_UINT64)
        (is_tail ? begin_arrow : end_arrow)(arrows, is_end ? REPLAY_ARROW_JOIN : REPLAY_ARROW_CREATE,
                                            event->refs[0].id, event->value[0], event);
}

static void on_leave(struct replay_arrows *arrows, const struct omptape_event *event)
{
    if (arrows->creating.count > 0)
        (void)omptape_pairs_remove(&arrows->creating, 0, event->location);
}

void replay_follow_arrows(struct replay_arrows *arrows, const struct omptape_event *event)
{
    static void (*const handlers[OMPTAPE_EVENT_KINDS])(struct replay_arrows *,
                                                       const struct omptape_event *) = {
        [OMPTAPE_EVENT_ENTER] = on_enter,        [OMPTAPE_EVENT_LEAVE] = on_leave,
        [OMPTAPE_EVENT_TASK_CREATE] = on_create, [OMPTAPE_EVENT_PARAMETER] = on_parameter,
        [OMPTAPE_EVENT_TASK_SWITCH] = on_switch, [OMPTAPE_EVENT_TASK_COMPLETE] = on_complete,
        [OMPTAPE_EVENT_LOCK_ACQUIRE] = on_lock,  [OMPTAPE_EVENT_LOCK_RELEASE] = on_lock,
        [OMPTAPE_EVENT_MPI_SEND] = on_message,   [OMPTAPE_EVENT_MPI_RECEIVE] = on_message,
        [OMPTAPE_EVENT_THREAD_CREATE] = on_life, [OMPTAPE_EVENT_THREAD_BEGIN] = on_life,
        [OMPTAPE_EVENT_THREAD_WAIT] = on_life,   [OMPTAPE_EVENT_THREAD_END] = on_life,
    };
    if (handlers[event->kind] != NULL)
        handlers[event->kind](arrows, event);
}
