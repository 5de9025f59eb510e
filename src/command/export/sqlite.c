/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills the database in one pass over the events (formats.h): first the definitions, then rows as events
 * complete them. Visits are inserted in batches sorted by id, which fills the file's pages completely.
 */
#include "src/archive/read/regions.h"
#include "src/command/export/database.h"
#include "src/command/export/visit_rows.h"
#include "src/core/buckets.h"
#include "src/core/message.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "src/replay/arrows.h"

#include <errno.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { BATCH = 1 << 14 };

/* An explicit task that was created or began and is not complete. Times in ns; UINT64_MAX if unknown. */
struct task {
    uint64_t region;
    uint64_t created;
    uint64_t began;
    uint64_t ran; /* accumulated execution time */
    const struct export_place *creator;
    const struct export_place *place; /* where it began to run */
};

/* A lock that is held. */
struct hold {
    const struct export_place *place;
    uint64_t acquisition;
    uint64_t visit;
    uint64_t wanted; /* begin of the wait; UINT64_MAX if unknown */
    uint64_t acquired;
};

/* The task that a thread executes. */
struct thread {
    struct task *task; /* NULL if the thread executes no explicit task */
    uint64_t since;    /* since when, ns */
};

/* Sort key and position of a visit in the batch. */
struct batch_order {
    uint64_t id;
    uint32_t at;
};

struct filling {
    struct export_visits visits;
    struct export_database database;
    struct replay_arrows *arrows;
    struct omptape_arena arena;
    struct thread *threads;     /* by place */
    struct omptape_pairs tasks; /* (communicator, thread and generation) -> task */
    struct omptape_pairs holds; /* (process, lock) -> hold */
    struct omptape_free_list free_tasks;
    struct omptape_free_list free_holds;
    struct export_visit *batch;
    const struct export_place **batch_places;
    struct batch_order *batch_order;
    uint32_t batch_count;
    uint64_t rows[EXPORT_TABLES]; /* row ids assigned so far */
};

/* Inserts a row of these values into a table of `filling`. */
#define INSERT(table, ...)                                                                                   \
    export_database_insert(&filling->database, EXPORT_##table, (const struct export_value[]){__VA_ARGS__})

static struct export_value next_id(struct filling *filling, enum export_table table)
{
    return export_number(++filling->rows[table]);
}

static struct export_value place_id(const struct export_place *place)
{
    return export_number_if(place != NULL, place != NULL ? place->index : 0);
}

static void insert_meta(struct filling *filling, const char *key, struct export_value value)
{
    INSERT(META, export_text(key), value);
}

static void insert_archive_properties(struct filling *filling)
{
    struct omptape_reader *reader = filling->visits.job->places->reader;
    const char *version = omptape_reader_property_of(reader, -1, OMPTAPE_KEY_VERSION);
    const char *program = omptape_reader_property_of(reader, -1, OMPTAPE_KEY_PROGRAM);
    insert_meta(filling, "schema", export_number(EXPORT_SCHEMA_VERSION));
    insert_meta(filling, "archive", export_text(omptape_reader_path(reader)));
    insert_meta(filling, "recorded by", export_text(version != NULL ? version : ""));
    insert_meta(filling, "program", export_text(program != NULL ? program : ""));
    insert_meta(filling, "start",
                export_number_if(reader->clock_realtime != UINT64_MAX, reader->clock_realtime));
    insert_meta(filling, "length",
                export_number(export_ns(reader, reader->clock_offset + reader->clock_length)));
    insert_meta(filling, "events", export_number(omptape_reader_announced_events(reader)));
}

static void insert_places(struct filling *filling)
{
    const struct export_places *places = filling->visits.job->places;
    for (uint32_t i = 0; i < places->group_count; i++) {
        const struct export_group *group = &places->groups[i];
        if (group->chosen)
            INSERT(PROCESS, export_number(i), export_text(group->name),
                   export_text(group->process == i ? "process" : "device"),
                   export_number_if(group->real_pid > 0, (uint64_t)group->real_pid),
                   export_number_if(group->process != i, group->process));
    }
    for (uint32_t i = 0; i < places->count; i++) {
        const struct export_place *place = &places->list[i];
        const char *kind = !place->holds_regions ? "metrics" : place->is_thread ? "thread" : "stream";
        if (place->chosen)
            INSERT(LOCATION, export_number(i), export_number(place->group), export_number(place->number),
                   export_text(place->name), export_text(kind),
                   export_number_if(place->is_thread, (uint64_t)place->tid),
                   export_number(place->definition->id));
    }
}

static void insert_region(struct filling *filling, const struct omptape_definition *region)
{
    static const char *const works[] = {[OMPTAPE_DEVICE_OTHER] = "",
                                        [OMPTAPE_DEVICE_KERNEL] = "kernel",
                                        [OMPTAPE_DEVICE_TRANSFER] = "transfer"};
    const struct omptape_reader *reader = filling->visits.job->places->reader;
    char construct[64];
    snprintf(construct, sizeof(construct), "%.*s", region->region->construct_bytes, region->region->label);
    INSERT(REGION, export_number(region->id), export_text(region->region->label), export_text(construct),
           export_text(region->region->site != NULL ? region->region->site : ""),
           export_text(omptape_reader_string(reader, region->refs[2].id)),
           export_text(omptape_reader_string(reader, region->refs[3].id)),
           export_number_if(region->value[2] != 0, region->value[2]),
           export_text(omptape_reader_name(reader, OMPTAPE_DEF_PARADIGM, region->value[1])),
           export_text(works[omptape_reader_device_work(region)]));
}

static void insert_context(struct filling *filling, const struct omptape_definition *context)
{
    const struct omptape_reader *reader = filling->visits.job->places->reader;
    const struct omptape_definition *line =
        omptape_reader_find(reader, OMPTAPE_DEF_SOURCE_CODE_LOCATION, context->refs[1].id);
    const struct omptape_definition *region =
        omptape_reader_find(reader, OMPTAPE_DEF_REGION, context->refs[0].id);
    const bool has_parent = !omptape_reference_undefined(&context->refs[2]);
    INSERT(CONTEXT, export_number(context->id), export_number_if(has_parent, context->refs[2].id),
           export_text(region != NULL ? region->region->label : ""),
           export_text(line != NULL ? omptape_reader_string(reader, line->refs[0].id) : ""),
           export_number_if(line != NULL && line->value[0] != 0, line != NULL ? line->value[0] : 0));
}

static void insert_definitions(struct filling *filling)
{
    const struct omptape_reader *reader = filling->visits.job->places->reader;
    OMPTAPE_EACH_DEFINITION(definition, reader, OMPTAPE_DEF_REGION)
        insert_region(filling, definition);
    OMPTAPE_EACH_DEFINITION(definition, reader, OMPTAPE_DEF_CALLING_CONTEXT)
        insert_context(filling, definition);
    OMPTAPE_EACH_DEFINITION(definition, reader, OMPTAPE_DEF_METRIC_MEMBER)
        INSERT(METRIC, export_number(definition->id),
               export_text(omptape_reader_string(reader, definition->refs[0].id)),
               export_text(omptape_reader_string(reader, definition->refs[2].id)));
}

static void insert_visit(struct filling *filling, const struct export_place *place,
                         const struct export_visit *visit)
{
    const uint64_t duration = visit->end - visit->begin;
    INSERT(VISIT, export_number(visit->id), place_id(place), export_number(visit->open.region),
           export_number(visit->begin), export_number(duration),
           export_number(duration > visit->children ? duration - visit->children : 0),
           export_number_if(visit->parent != 0, visit->parent), export_number(visit->number),
           export_number_if(visit->has_chunk_start, (uint64_t)visit->chunk_start),
           export_number_if(visit->has_iterations, visit->iterations),
           export_number_if(visit->has_step, visit->step));
}

static int compare_ids(const void *left, const void *right)
{
    return omptape_order(((const struct batch_order *)left)->id, ((const struct batch_order *)right)->id);
}

static void insert_batch(struct filling *filling)
{
    for (uint32_t i = 0; i < filling->batch_count; i++)
        filling->batch_order[i] = (struct batch_order){.id = filling->batch[i].id, .at = i};
    omptape_sort(filling->batch_order, filling->batch_count, sizeof(*filling->batch_order), compare_ids);
    for (uint32_t i = 0; i < filling->batch_count; i++) {
        const uint32_t at = filling->batch_order[i].at;
        insert_visit(filling, filling->batch_places[at], &filling->batch[at]);
    }
    filling->batch_count = 0;
}

static void take_visit(void *data, const struct export_place *place, const struct export_visit *visit)
{
    struct filling *filling = data;
    if (filling->batch_count == BATCH)
        insert_batch(filling);
    filling->batch[filling->batch_count] = *visit;
    filling->batch_places[filling->batch_count++] = place;
}

/* Returns the event's task and creates it if it is unknown. Returns NULL for an implicit task or if out of
 * memory. */
static struct task *obtain_task(struct filling *filling, const struct omptape_event *event)
{
    struct task *task =
        omptape_pairs_get(&filling->tasks, event->refs[0].id, omptape_event_task(event->value));
    if (task != NULL || event->value[1] == 0)
        return task;
    task = omptape_free_list_alloc(&filling->free_tasks, &filling->arena, sizeof(*task));
    if (task == NULL ||
        omptape_pairs_put(&filling->tasks, event->refs[0].id, omptape_event_task(event->value), task) != 0)
        return NULL;
    *task = (struct task){.region = UINT64_MAX, .created = UINT64_MAX, .began = UINT64_MAX};
    return task;
}

/* Accounts the time of the thread's current task and switches to `task`, which may be NULL. */
static void switch_task(struct filling *filling, const struct export_place *place, struct task *task,
                        uint64_t time)
{
    struct thread *thread = &filling->threads[place->index];
    if (thread->task != NULL)
        thread->task->ran += time - thread->since;
    thread->task = task;
    thread->since = time;
    if (task != NULL && task->began == UINT64_MAX) {
        task->began = time;
        task->place = place;
    }
}

static void insert_task(struct filling *filling, const struct task *task, uint64_t ended)
{
    INSERT(TASK, next_id(filling, EXPORT_TASK), export_number_if(task->region != UINT64_MAX, task->region),
           place_id(task->creator), export_number_if(task->created != UINT64_MAX, task->created),
           place_id(task->place), export_number_if(task->began != UINT64_MAX, task->began),
           export_number_if(ended != UINT64_MAX, ended), export_number(task->ran));
}

static void complete_task(struct filling *filling, const struct export_place *place,
                          const struct omptape_event *event, uint64_t time)
{
    struct thread *thread = &filling->threads[place->index];
    struct task *task =
        omptape_pairs_remove(&filling->tasks, event->refs[0].id, omptape_event_task(event->value));
    if (task == NULL)
        return;
    if (thread->task == task)
        switch_task(filling, place, NULL, time);
    if (time >= filling->visits.job->choice->from)
        insert_task(filling, task, time);
    omptape_free_list_free(&filling->free_tasks, task);
}

/* Takes the first region that a task enters as the task's region. */
static void name_task(struct filling *filling, const struct export_place *place)
{
    const struct export_visit *visit = export_visits_top(&filling->visits, place);
    struct task *task = filling->threads[place->index].task;
    if (task != NULL && task->region == UINT64_MAX && visit != NULL)
        task->region = visit->open.region;
}

static bool is_wait_for_lock(const struct export_visit *visit)
{
    return visit != NULL && visit->region != NULL && omptape_region_is_lock(visit->region->region->kind);
}

static void acquire_lock(struct filling *filling, const struct export_place *place,
                         const struct omptape_event *event, uint64_t time)
{
    const struct export_visit *visit = export_visits_top(&filling->visits, place);
    struct hold *hold = omptape_pairs_get(&filling->holds, place->process, event->value[0]);
    if (hold == NULL) {
        hold = omptape_free_list_alloc(&filling->free_holds, &filling->arena, sizeof(*hold));
        if (hold == NULL || omptape_pairs_put(&filling->holds, place->process, event->value[0], hold) != 0)
            return;
    }
    *hold = (struct hold){.place = place,
                          .acquisition = event->value[1],
                          .visit = visit != NULL ? visit->id : 0,
                          .wanted = is_wait_for_lock(visit) ? visit->open.replay.begin : UINT64_MAX,
                          .acquired = time};
}

static void release_lock(struct filling *filling, const struct export_place *place,
                         const struct omptape_event *event, uint64_t time)
{
    struct hold *hold = omptape_pairs_remove(&filling->holds, place->process, event->value[0]);
    if (hold == NULL)
        return;
    if (time >= filling->visits.job->choice->from)
        INSERT(LOCK, next_id(filling, EXPORT_LOCK), export_number(place->process),
               export_number(event->value[0]), export_number(hold->acquisition), place_id(hold->place),
               export_number_if(hold->visit != 0, hold->visit),
               export_number_if(hold->wanted != UINT64_MAX, hold->wanted), export_number(hold->acquired),
               export_number(time));
    omptape_free_list_free(&filling->free_holds, hold);
}

static struct export_value visit_id(const struct filling *filling, const struct export_place *place)
{
    const struct export_visit *visit = export_visits_top(&filling->visits, place);
    return export_number_if(visit != NULL, visit != NULL ? visit->id : 0);
}

static void insert_sample(struct filling *filling, const struct export_place *place,
                          const struct omptape_event *event, uint64_t time)
{
    struct export_stacks *stacks = &filling->visits.stacks;
    const struct omptape_definition *region = export_stacks_attributed_region(
        stacks,
        export_stacks_constructs(stacks, &filling->visits.open[place->index], sizeof(struct export_visit)));
    const uint64_t ns = export_stacks_ns(stacks, event);
    INSERT(SAMPLE, next_id(filling, EXPORT_SAMPLE), place_id(place), export_number(time),
           visit_id(filling, place), export_number_if(region != NULL, region != NULL ? region->id : 0),
           export_number(event->refs[0].id), export_number_if(ns > 0, ns));
}

static struct export_value metric_value(OTF2_Type type, OTF2_MetricValue value)
{
    if (type == OTF2_TYPE_DOUBLE)
        return (struct export_value){.kind = EXPORT_REAL, .real = value.floating_point};
    return export_number(value.unsigned_int);
}

static void insert_metrics(struct filling *filling, const struct export_place *place,
                           const struct omptape_event *event, uint64_t time)
{
    const struct omptape_reader *reader = filling->visits.job->places->reader;
    const struct omptape_definition *metric = omptape_reader_metric_class(reader, event->refs[0].id);
    for (uint32_t i = 0; metric != NULL && i < event->count && i < metric->member_count; i++)
        INSERT(METRIC_VALUE, export_number(metric->members[i]), place_id(place), export_number(time),
               metric_value(event->types[i], event->values[i]));
}

/* Inserts the row of an event that is a row by itself. */
static void insert_event(struct filling *filling, const struct export_place *place,
                         const struct omptape_event *event, uint64_t time)
{
    const struct omptape_reader *reader = filling->visits.job->places->reader;
    switch (event->kind) {
    case OMPTAPE_EVENT_SAMPLE:
        insert_sample(filling, place, event, time);
        break;
    case OMPTAPE_EVENT_METRIC:
        insert_metrics(filling, place, event, time);
        break;
    case OMPTAPE_EVENT_RMA_OPERATION:
        INSERT(TRANSFER, next_id(filling, EXPORT_TRANSFER), place_id(place), visit_id(filling, place),
               export_number(time), export_number(event->value[2]));
        break;
    case OMPTAPE_EVENT_MPI_COLLECTIVE:
    case OMPTAPE_EVENT_MPI_COLLECTIVE_LATER:
        INSERT(COLLECTIVE, next_id(filling, EXPORT_COLLECTIVE), place_id(place), visit_id(filling, place),
               export_number(time),
               export_text(omptape_reader_name(reader, OMPTAPE_DEF_COMM, event->refs[0].id)),
               export_number_if(event->value[1] < UINT32_MAX - 1, event->value[1]),
               export_number(event->value[2]), export_number(event->value[3]));
        break;
    default:
        break;
    }
}

/* Tracks tasks and locks, also before the window, and inserts the other events of the window. */
static void follow(struct filling *filling, const struct export_place *place,
                   const struct omptape_event *event, uint64_t time)
{
    struct task *task;
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
        name_task(filling, place);
        break;
    case OMPTAPE_EVENT_TASK_CREATE:
        task = obtain_task(filling, event);
        if (task != NULL) {
            task->created = time;
            task->creator = place;
        }
        break;
    case OMPTAPE_EVENT_TASK_SWITCH:
        switch_task(filling, place, obtain_task(filling, event), time);
        break;
    case OMPTAPE_EVENT_TASK_COMPLETE:
        complete_task(filling, place, event, time);
        break;
    case OMPTAPE_EVENT_LOCK_ACQUIRE:
        acquire_lock(filling, place, event, time);
        break;
    case OMPTAPE_EVENT_LOCK_RELEASE:
        release_lock(filling, place, event, time);
        break;
    default:
        if (time >= filling->visits.job->choice->from)
            insert_event(filling, place, event, time);
        break;
    }
}

static const char *const arrow_names[REPLAY_ARROW_KINDS] = {[REPLAY_ARROW_DEPENDENCE] = "dependence",
                                                            [REPLAY_ARROW_DEVICE] = "device",
                                                            [REPLAY_ARROW_CREATE] = "create",
                                                            [REPLAY_ARROW_JOIN] = "join"};

static bool begin_arrow(void *data, enum replay_arrow_kind kind, const struct omptape_event *event,
                        void **owned)
{
    (void)data;
    (void)event;
    (void)owned;
    return kind == REPLAY_ARROW_MESSAGE || arrow_names[kind] != NULL;
}

/* Inserts a message from the receiver's event, which holds all its properties. */
static void insert_message(struct filling *filling, const struct export_place *from, uint64_t sent,
                           const struct export_place *to, const struct omptape_event *event)
{
    const struct omptape_reader *reader = filling->visits.job->places->reader;
    INSERT(MESSAGE, next_id(filling, EXPORT_MESSAGE), place_id(from), place_id(to), export_number(sent),
           export_number(export_ns(reader, event->time)), export_number(event->value[2]),
           export_number(event->value[1]),
           export_text(omptape_reader_name(reader, OMPTAPE_DEF_COMM, event->refs[0].id)));
}

static void end_arrow(void *data, enum replay_arrow_kind kind, const struct replay_tail *tail,
                      const struct omptape_event *event)
{
    struct filling *filling = data;
    struct export_places *places = filling->visits.job->places;
    const struct export_place *from = export_place_of(places, tail->location);
    const struct export_place *to = export_place_of(places, event->location);
    const uint64_t begin = export_ns(places->reader, tail->time);
    const uint64_t end = export_ns(places->reader, event->time);
    if (from == NULL || to == NULL || !from->chosen || !to->chosen || end < filling->visits.job->choice->from)
        return;
    if (kind == REPLAY_ARROW_MESSAGE && event->kind == OMPTAPE_EVENT_MPI_SEND)
        return; /* the clocks differ: the message was received before it was sent */
    if (kind == REPLAY_ARROW_MESSAGE)
        insert_message(filling, from, begin, to, event);
    else
        INSERT(ARROW, next_id(filling, EXPORT_ARROW), export_text(arrow_names[kind]), place_id(from),
               export_number(begin), place_id(to), export_number(end));
}

static const struct replay_arrow_observer arrow_observer = {.begin = begin_arrow, .end = end_arrow};

static bool on_event(void *data, const struct omptape_event *event)
{
    struct filling *filling = data;
    const struct export_place *place = export_place_of(filling->visits.job->places, event->location);
    if (!export_visits_follow(&filling->visits, event))
        return false;
    if (place != NULL && place->chosen)
        follow(filling, place, event, filling->visits.now);
    replay_follow_arrows(filling->arrows, event);
    return !omptape_out_of_memory && filling->database.error == 0;
}

/* Inserts all visits and tasks that are open at the end. */
static void end_all(struct filling *filling)
{
    export_visits_end(&filling->visits);
    insert_batch(filling);
    for (uint32_t i = 0; i < filling->tasks.count; i++)
        insert_task(filling, filling->tasks.list[i].value, UINT64_MAX);
}

static bool begin(struct filling *filling)
{
    const size_t places = filling->visits.job->places->count + 1U;
    filling->threads = omptape_calloc(places, sizeof(*filling->threads));
    filling->batch = omptape_calloc(BATCH, sizeof(*filling->batch));
    filling->batch_places = omptape_calloc(BATCH, sizeof(*filling->batch_places));
    filling->batch_order = omptape_calloc(BATCH, sizeof(*filling->batch_order));
    filling->arrows = replay_new_arrows(filling->visits.job->places->reader, &arrow_observer, filling);
    return filling->threads != NULL && filling->batch != NULL && filling->batch_places != NULL &&
           filling->batch_order != NULL && filling->arrows != NULL && export_visits_begin(&filling->visits);
}

static void free_all(struct filling *filling)
{
    export_database_close(&filling->database);
    export_visits_free(&filling->visits);
    replay_free_arrows(filling->arrows);
    omptape_pairs_free(&filling->tasks);
    omptape_pairs_free(&filling->holds);
    omptape_arena_free(&filling->arena);
    free(filling->threads);
    free(filling->batch);
    free(filling->batch_places);
    free(filling->batch_order);
}

/* Fills the database. Returns 0 or negative errno; job->error holds a line if the archive is malformed. */
static int fill(struct filling *filling, const struct export_job *job)
{
    if (!begin(filling))
        return -ENOMEM;
    if (!export_database_open(&filling->database, job->stream->file))
        return filling->database.error;
    insert_archive_properties(filling);
    insert_places(filling);
    insert_definitions(filling);
    int status =
        omptape_reader_read_events(job->places->reader, on_event, filling, job->error, job->error_bytes);
    if (status != 0)
        return status;
    if (omptape_out_of_memory)
        return -ENOMEM;
    end_all(filling);
    (void)export_database_finish(&filling->database);
    return filling->database.error;
}

int export_sqlite(const struct export_job *job)
{
    struct filling filling = {.visits = {.job = job, .take = take_visit}};
    struct stat status;
    filling.visits.data = &filling;
    if (fstat(job->stream->file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != 0)
        return omptape_fail(job->error, job->error_bytes, -EINVAL,
                            "a database is a file of its own: say --sqlite FILE");
    int result = fill(&filling, job);
    if (result == filling.database.error && result != -ENOMEM) {
        job->stream->error = result;
        result = 0;
    }
    free_all(&filling);
    return result;
}
