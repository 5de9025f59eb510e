/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the arrows of windows (arrows.h). Of tasks that others wait for all are followed, since one may begin
 * long after it was created; of all else what is in a window.
 */
#include "src/analysis/timeline/arrows.h"

#include "src/replay/channels.h"

#include <stdlib.h>
#include <string.h>

/* Beginnings of one kind that are remembered; and of ends of tasks the newest ones. */
enum { MOST_TAILS = 100000, ENDED_TASKS = 1 << 14, MOST_PREDECESSORS = 8 };

const struct window_arrow_words omptape_window_arrow_kinds[] = {
    [WINDOW_ARROW_LOCK] = {"lock handed on", "hands the lock to", "gets the lock from"},
    [WINDOW_ARROW_TASK] = {"task created", "creates a task for", "task created by"},
    [WINDOW_ARROW_DEPENDENCE] = {"task dependence",
                                 "a task of this one depends on it:", "depends on a task of"},
    [WINDOW_ARROW_FORK] = {"fork", "forks", "forked by"},
    [WINDOW_ARROW_WAIT] = {"waiting for", "waits for", "is waited for by"},
    [WINDOW_ARROW_MESSAGE] = {"message", "sends to", "gets a message of"},
    [WINDOW_ARROW_DEVICE] = {"device operation", "starts it on", "started by"},
};

/* Where an arrow may begin. */
struct tail {
    uint64_t location;
    uint64_t time;
    bool taken;
};

/* A task with dependences, which has an identity, until it begins. */
struct dependent {
    struct dependent *next; /* free ones */
    uint64_t process;
    uint64_t identity;
    bool begun;
    uint32_t count;
    uint64_t predecessors[MOST_PREDECESSORS]; /* identities */
};

struct ended_task {
    uint64_t process;
    uint64_t identity;
    struct tail end;
};

struct omptape_arrows {
    const struct omptape_reader *reader;
    void (*draw)(void *data, const struct window_arrow *arrow);
    void *draw_data;
    bool looked_at; /* the event that goes by is in a window */
    bool no_memory;
    struct omptape_arena arena;
    struct omptape_pairs tails[WINDOW_ARROW_KINDS]; /* two numbers that both ends know -> tail */
    struct omptape_pairs dependents;                /* (communicator, thread and generation) -> dependent */
    struct omptape_pairs creating;                  /* (0, location) -> the dependent that it creates */
    struct dependent *free;
    uint64_t identity; /* on the newest Enter, of its location: */
    uint64_t identity_location;
    struct ended_task *ended; /* by identity */
    struct omptape_channels channels;
};

struct omptape_arrows *omptape_window_arrows_new(const struct omptape_reader *reader,
                                                 void (*draw)(void *data, const struct window_arrow *arrow),
                                                 void *data)
{
    struct omptape_arrows *arrows = calloc(1, sizeof(*arrows));
    if (arrows == NULL)
        return NULL;
    arrows->reader = reader;
    arrows->draw = draw;
    arrows->draw_data = data;
    arrows->ended = calloc(ENDED_TASKS, sizeof(*arrows->ended));
    if (!omptape_channels_begin(&arrows->channels, reader, reader->beats) || arrows->ended == NULL) {
        omptape_channels_free(&arrows->channels);
        free(arrows->ended);
        free(arrows);
        return NULL;
    }
    return arrows;
}

void omptape_window_arrows_free(struct omptape_arrows *arrows)
{
    if (arrows == NULL)
        return;
    for (int i = 0; i < WINDOW_ARROW_KINDS; i++)
        omptape_pairs_free(&arrows->tails[i]);
    omptape_channels_free(&arrows->channels);
    omptape_pairs_free(&arrows->dependents);
    omptape_pairs_free(&arrows->creating);
    omptape_arena_free(&arrows->arena);
    free(arrows->ended);
    free(arrows);
}

static void draw_from(const struct omptape_arrows *arrows, enum window_arrow_kind kind,
                      const struct tail *tail, const struct omptape_event *event)
{
    const struct window_arrow arrow = {kind, tail->location, event->location, tail->time, event->time};
    arrows->draw(arrows->draw_data, &arrow);
}

/* What has these two numbers may begin an arrow here, and the first event with them that ends_here() hears of
 * ends it. */
static void begins_here(struct omptape_arrows *arrows, enum window_arrow_kind kind, uint64_t high,
                        uint64_t low, const struct omptape_event *event)
{
    struct omptape_pairs *tails = &arrows->tails[kind];
    struct tail *tail = omptape_pairs_get(tails, high, low);
    if (!arrows->looked_at || (tail == NULL && tails->count >= MOST_TAILS))
        return;
    if (tail == NULL)
        tail = omptape_pairs_obtain(tails, &arrows->arena, high, low, sizeof(*tail));
    if (tail == NULL)
        arrows->no_memory = true;
    else
        *tail = (struct tail){.location = event->location, .time = event->time};
}

/* What begins before `earliest` does not lead here. */
static void ends_here(struct omptape_arrows *arrows, enum window_arrow_kind kind, uint64_t high, uint64_t low,
                      const struct omptape_event *event, uint64_t earliest)
{
    struct tail *tail = omptape_pairs_get(&arrows->tails[kind], high, low);
    if (tail == NULL || tail->taken)
        return;
    if (tail->time >= earliest && arrows->looked_at)
        draw_from(arrows, kind, tail, event);
    tail->taken = true;
}

/* The process of a location, or whose device it is of: numbers of locks and the like are the process'. */
static uint64_t process_of(const struct omptape_arrows *arrows, uint64_t id, bool *is_device)
{
    const struct omptape_reader *reader = arrows->reader;
    const struct omptape_definition *location = omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, id);
    const struct omptape_definition *group =
        location == NULL ? NULL
                         : omptape_reader_find(reader, OMPTAPE_DEF_LOCATION_GROUP, location->refs[1].id);
    *is_device = group != NULL && group->value[0] == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
    return group == NULL ? 0 : *is_device ? group->refs[2].id : group->id;
}

static uint64_t number_of(const struct omptape_event *event, uint64_t attribute)
{
    uint64_t number = 0;
    if (attribute == UINT64_MAX ||
        OTF2_AttributeList_GetUint64(event->attributes, (OTF2_AttributeRef)attribute, &number) !=
            OTF2_SUCCESS)
        return 0;
    return number;
}

static void on_enter(struct omptape_arrows *arrows, const struct omptape_event *event)
{
    bool is_device = false;
    arrows->identity = 0;
    if (event->attributes == NULL || OTF2_AttributeList_GetNumberOfElements(event->attributes) == 0)
        return;
    arrows->identity = number_of(event, arrows->reader->words[READER_TASK_ID]);
    arrows->identity_location = event->location;
    uint64_t operation = number_of(event, arrows->reader->words[READER_OPERATION_ID]);
    if (operation == 0)
        return;
    uint64_t process = process_of(arrows, event->location, &is_device);
    if (is_device)
        ends_here(arrows, WINDOW_ARROW_DEVICE, process, operation, event, 0);
    else
        begins_here(arrows, WINDOW_ARROW_DEVICE, process, operation, event);
}

static uint64_t task_of(const struct omptape_event *event)
{
    return event->value[0] << 32 | (event->value[1] & UINT32_MAX);
}

/* The task just created has an identity: others may be named as what it depends on. */
static void add_dependent(struct omptape_arrows *arrows, const struct omptape_event *event)
{
    bool is_device;
    struct dependent *made = arrows->free;
    if (arrows->dependents.count >= MOST_TAILS)
        return;
    if (made != NULL)
        arrows->free = made->next;
    else
        made = omptape_arena_take(&arrows->arena, sizeof(*made));
    if (made == NULL ||
        omptape_pairs_put(&arrows->dependents, event->refs[0].id, task_of(event), made) != 0 ||
        omptape_pairs_put(&arrows->creating, 0, event->location, made) != 0) {
        arrows->no_memory = true;
        return;
    }
    *made = (struct dependent){.process = process_of(arrows, event->location, &is_device),
                               .identity = arrows->identity};
}

static void on_create(struct omptape_arrows *arrows, const struct omptape_event *event)
{
    begins_here(arrows, WINDOW_ARROW_TASK, event->refs[0].id, task_of(event), event);
    if (arrows->identity != 0 && arrows->identity_location == event->location)
        add_dependent(arrows, event);
}

static void on_parameter(struct omptape_arrows *arrows, const struct omptape_event *event)
{
    if (event->refs[0].id != arrows->reader->words[READER_DEPENDS_ON])
        return;
    struct dependent *task = omptape_pairs_get(&arrows->creating, 0, event->location);
    if (task != NULL && task->count < MOST_PREDECESSORS)
        task->predecessors[task->count++] = event->value[1];
}

static struct ended_task *ended_of(struct omptape_arrows *arrows, uint64_t identity)
{
    return &arrows->ended[identity % ENDED_TASKS];
}

static void on_switch(struct omptape_arrows *arrows, const struct omptape_event *event)
{
    if (event->value[1] == 0)
        return; /* back to the implicit task */
    ends_here(arrows, WINDOW_ARROW_TASK, event->refs[0].id, task_of(event), event, 0);
    struct dependent *task = omptape_pairs_get(&arrows->dependents, event->refs[0].id, task_of(event));
    if (task == NULL || task->begun)
        return;
    task->begun = true;
    for (uint32_t i = 0; i < task->count; i++) {
        const struct ended_task *ended = ended_of(arrows, task->predecessors[i]);
        if (ended->identity == task->predecessors[i] && ended->process == task->process)
            draw_from(arrows, WINDOW_ARROW_DEPENDENCE, &ended->end, event);
    }
}

static void on_complete(struct omptape_arrows *arrows, const struct omptape_event *event)
{
    struct dependent *task = omptape_pairs_take(&arrows->dependents, event->refs[0].id, task_of(event));
    if (task == NULL)
        return;
    *ended_of(arrows, task->identity) =
        (struct ended_task){.process = task->process,
                            .identity = task->identity,
                            .end = {.location = event->location, .time = event->time}};
    task->next = arrows->free;
    arrows->free = task;
}

/* Who came when it was free has it from nobody. */
static void on_lock(struct omptape_arrows *arrows, const struct omptape_event *event, uint64_t asked)
{
    bool is_device;
    uint64_t process = process_of(arrows, event->location, &is_device);
    if (event->kind == OMPTAPE_EVENT_LOCK_RELEASE)
        begins_here(arrows, WINDOW_ARROW_LOCK, process, event->value[0], event);
    else
        ends_here(arrows, WINDOW_ARROW_LOCK, process, event->value[0], event, asked);
}

/* All are followed: which ends belong together is known by their order alone. */
static void on_message(struct omptape_arrows *arrows, const struct omptape_event *event)
{
    struct omptape_message_end *made;
    bool good;
    struct omptape_message_end *other = omptape_channels_meet(&arrows->channels, event, &made, &good);
    arrows->no_memory |= !good;
    if (other == NULL)
        return;
    const struct tail tail = {.location = other->location, .time = other->time};
    if (event->kind == OMPTAPE_EVENT_MPI_RECEIVE && arrows->looked_at)
        draw_from(arrows, WINDOW_ARROW_MESSAGE, &tail, event);
    omptape_channels_give_back(&arrows->channels, other);
}

bool omptape_window_arrows_event(struct omptape_arrows *arrows, const struct omptape_event *event,
                                 bool looked_at, uint64_t before)
{
    arrows->looked_at = looked_at;
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
        on_enter(arrows, event);
        break;
    case OMPTAPE_EVENT_LEAVE:
        if (arrows->creating.count > 0)
            (void)omptape_pairs_take(&arrows->creating, 0, event->location);
        break;
    case OMPTAPE_EVENT_TASK_CREATE:
        on_create(arrows, event);
        break;
    case OMPTAPE_EVENT_PARAMETER:
        on_parameter(arrows, event);
        break;
    case OMPTAPE_EVENT_TASK_SWITCH:
        on_switch(arrows, event);
        break;
    case OMPTAPE_EVENT_TASK_COMPLETE:
        on_complete(arrows, event);
        break;
    case OMPTAPE_EVENT_LOCK_ACQUIRE:
    case OMPTAPE_EVENT_LOCK_RELEASE:
        on_lock(arrows, event, before);
        break;
    case OMPTAPE_EVENT_MPI_SEND:
    case OMPTAPE_EVENT_MPI_RECEIVE:
        on_message(arrows, event);
        break;
    default:
        break;
    }
    return !arrows->no_memory;
}
