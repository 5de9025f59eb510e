/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the table of all events in one pass over the archive (formats.h). A column that does not apply is
 * empty.
 */
#include "src/command/export/cells.h"
#include "src/command/export/formats.h"
#include "src/command/export/stacks.h"
#include "src/replay/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HEAD[] =
    "time_ns,location,process,thread,event,name,file,line,team,member,generation,lock,order,"
    "remote,matching,bytes,value,attributes\n";

static const char NO_NUMBERS[] = ",,,,,,,,,"; /* all columns from `team` to `value`, empty */

/* Columns that only some events have. */
enum column { TEAM, MEMBER, GENERATION, LOCK, ORDER, REMOTE, MATCHING, BYTES, VALUE, NUMBERS };

struct csv_table {
    const struct export_job *job;
    struct omptape_arena arena;
    struct export_bytes *origins; /* by place: location, process, thread */
    struct omptape_pairs names;   /* (kind, id) -> struct export_bytes: name, file, line */
    struct export_bytes row;
    struct export_bytes attributes;
    struct replay_location *open; /* by place; NULL unless a window is given or the archive has samples */
    struct export_stacks stacks;
    bool began; /* the window has begun */
};

/* Returns the name of a definition, or "" if its kind has no name. */
static const char *name_text(struct csv_table *table, enum omptape_definition_kind kind, uint64_t id)
{
    const struct omptape_definition *definition = omptape_reader_find(table->job->places->reader, kind, id);
    return definition != NULL && definition->ref_count > 0 && definition->refs[0].kind == OMPTAPE_DEF_STRING
               ? omptape_reader_string(table->job->places->reader, definition->refs[0].id)
               : "";
}

static void put_number(struct export_bytes *row, struct omptape_number number)
{
    if (number.kind == OMPTAPE_NUMBER_UNSIGNED)
        cells_put_number(row, number.whole);
    else if (number.kind == OMPTAPE_NUMBER_SIGNED)
        cells_put_signed(row, number.integer);
    else
        cells_put_real(row, number.real);
}

static void put_value(struct csv_table *table, struct export_bytes *row, OTF2_Type type,
                      OTF2_AttributeValue value)
{
    if (type == OTF2_TYPE_STRING)
        cells_put(row, omptape_reader_string(table->job->places->reader, value.stringRef));
    else if (type == OTF2_TYPE_REGION)
        cells_put(row, name_text(table, OMPTAPE_DEF_REGION, value.regionRef));
    else
        put_number(row, omptape_value_number(type, value));
}

/* Appends the function, file and line of a calling context. */
static void describe_context(struct csv_table *table, const struct omptape_definition *context,
                             struct export_bytes *row)
{
    const struct omptape_reader *reader = table->job->places->reader;
    const struct omptape_definition *line =
        omptape_reader_find(reader, OMPTAPE_DEF_SOURCE_CODE_LOCATION, context->refs[1].id);
    cells_put_quoted(row, name_text(table, OMPTAPE_DEF_REGION, context->refs[0].id));
    cells_put(row, ",");
    if (line != NULL)
        cells_put_quoted(row, omptape_reader_string(reader, line->refs[0].id));
    cells_put(row, ",");
    if (line != NULL && line->value[0] != 0)
        cells_put_number(row, line->value[0]);
    cells_put(row, ",");
}

static void describe(struct csv_table *table, const struct omptape_reference *reference,
                     const struct omptape_definition *definition, struct export_bytes *row)
{
    const struct omptape_reader *reader = table->job->places->reader;
    const bool is_region = reference->kind == OMPTAPE_DEF_REGION && definition != NULL;
    cells_put_quoted(row, reference->kind == OMPTAPE_DEF_STRING
                              ? omptape_reader_string(reader, reference->id)
                              : name_text(table, reference->kind, reference->id));
    cells_put(row, ",");
    if (is_region)
        cells_put_quoted(row, omptape_reader_string(reader, definition->refs[3].id));
    cells_put(row, ",");
    if (is_region && definition->value[2] != 0)
        cells_put_number(row, definition->value[2]);
    cells_put(row, ",");
}

/* Returns the cached cells "name,file,line" of a definition, or NULL if out of memory. */
static const struct export_bytes *name_of(struct csv_table *table, const struct omptape_reference *reference)
{
    struct export_bytes *row = omptape_pairs_get(&table->names, reference->kind, reference->id);
    if (row != NULL)
        return row;
    row = omptape_pairs_obtain(&table->names, &table->arena, reference->kind, reference->id, sizeof(*row));
    if (row == NULL)
        return NULL;
    const struct omptape_definition *definition =
        omptape_reader_find(table->job->places->reader, reference->kind, reference->id);
    if (reference->kind == OMPTAPE_DEF_CALLING_CONTEXT && definition != NULL)
        describe_context(table, definition, row);
    else
        describe(table, reference, definition, row);
    return row;
}

/* Where the numeric columns of an event come from: REFERENCE, the first one, or the value of this number from
 * 1 on; 0: empty. */
enum { REFERENCE = 9 };
static const uint8_t sources[OMPTAPE_EVENT_KINDS][NUMBERS] = {
    [OMPTAPE_EVENT_TEAM_BEGIN] = {[TEAM] = REFERENCE},
    [OMPTAPE_EVENT_TEAM_END] = {[TEAM] = REFERENCE},
    [OMPTAPE_EVENT_TASK_CREATE] = {[TEAM] = REFERENCE, [MEMBER] = 1, [GENERATION] = 2},
    [OMPTAPE_EVENT_TASK_SWITCH] = {[TEAM] = REFERENCE, [MEMBER] = 1, [GENERATION] = 2},
    [OMPTAPE_EVENT_TASK_COMPLETE] = {[TEAM] = REFERENCE, [MEMBER] = 1, [GENERATION] = 2},
    [OMPTAPE_EVENT_LOCK_ACQUIRE] = {[LOCK] = 1, [ORDER] = 2},
    [OMPTAPE_EVENT_LOCK_RELEASE] = {[LOCK] = 1, [ORDER] = 2},
    [OMPTAPE_EVENT_RMA_OPERATION] = {[REMOTE] = 1, [MATCHING] = 2, [BYTES] = 3},
    [OMPTAPE_EVENT_RMA_COMPLETE] = {[MATCHING] = 2},
    [OMPTAPE_EVENT_IO_OPERATION] = {[MATCHING] = 2, [BYTES] = 3},
    [OMPTAPE_EVENT_IO_COMPLETE] = {[MATCHING] = 2, [BYTES] = 3},
    [OMPTAPE_EVENT_THREAD_CREATE] = {[VALUE] = 1},
    [OMPTAPE_EVENT_THREAD_BEGIN] = {[VALUE] = 1},
    [OMPTAPE_EVENT_THREAD_WAIT] = {[VALUE] = 1},
    [OMPTAPE_EVENT_THREAD_END] = {[VALUE] = 1},
    [OMPTAPE_EVENT_FORK] = {[VALUE] = 1},
    [OMPTAPE_EVENT_MEASUREMENT] = {[VALUE] = 1},
};

/* Writes the column `value` of events whose value is not a plain number. */
static void put_special_value(struct csv_table *table, const struct omptape_event *event)
{
    struct export_bytes *row = &table->row;
    OTF2_AttributeValue value = {.uint64 = event->value[1]};
    switch (event->kind) {
    case OMPTAPE_EVENT_PARAMETER:
        if (event->value[0] == OTF2_PARAMETER_TYPE_STRING)
            cells_put_quoted(row, omptape_reader_string(table->job->places->reader, event->refs[1].id));
        else
            put_value(table, row,
                      event->value[0] == OTF2_PARAMETER_TYPE_INT64 ? OTF2_TYPE_INT64 : OTF2_TYPE_UINT64,
                      value);
        break;
    case OMPTAPE_EVENT_BUFFER_FLUSH: /* duration of the flush */
        value.uint64 = export_ns(table->job->places->reader, event->value[0]);
        cells_put_number(row, value.uint64 - export_ns(table->job->places->reader, event->time));
        break;
    case OMPTAPE_EVENT_SAMPLE:
        value.uint64 = export_stacks_ns(&table->stacks, event);
        if (value.uint64 > 0)
            cells_put_number(row, value.uint64);
        break;
    case OMPTAPE_EVENT_PROGRAM_END:
        cells_put_signed(row, (int64_t)event->value[0]);
        break;
    default:
        break;
    }
}

static void put_numbers(struct csv_table *table, const struct omptape_event *event)
{
    for (unsigned column = 0; column < NUMBERS; column++) {
        const uint8_t source = sources[event->kind][column];
        const uint64_t number =
            source == REFERENCE ? event->refs[0].id : event->value[source > 0 ? source - 1 : 0];
        if (source > 0 && (number != OTF2_UNDEFINED_UINT64 || !omptape_event_is_thread_lifetime(event)))
            cells_put_number(&table->row, number);
        else if (column == VALUE)
            put_special_value(table, event);
        cells_put(&table->row, ",");
    }
}

static void add_attribute(struct csv_table *table, const char *name, OTF2_Type type,
                          OTF2_AttributeValue value)
{
    if (table->attributes.used > 0)
        cells_put(&table->attributes, ";");
    cells_put(&table->attributes, name);
    cells_put(&table->attributes, "=");
    put_value(table, &table->attributes, type, value);
}

/* Appends a metric's values, with the names of its members as keys. */
static void add_values(struct csv_table *table, const struct omptape_event *event)
{
    const struct omptape_reader *reader = table->job->places->reader;
    const struct omptape_definition *metric = omptape_reader_metric_class(reader, event->refs[0].id);
    for (uint32_t i = 0; metric != NULL && i < event->count && i < metric->member_count; i++)
        add_attribute(table, name_text(table, OMPTAPE_DEF_METRIC_MEMBER, metric->members[i]), event->types[i],
                      (OTF2_AttributeValue){.uint64 = event->values[i].unsigned_int});
}

/* Appends a sample's stack: "stack=main | solve | for @x.c:12 | dgemv_". */
static void add_stack(struct csv_table *table, const struct export_place *place,
                      const struct omptape_event *event)
{
    struct export_stacks *stacks = &table->stacks;
    const uint32_t construct_list =
        export_stacks_constructs(stacks, &table->open[place->index], sizeof(struct export_open));
    export_stacks_list(stacks, event->refs[0].id, construct_list);
    for (uint32_t i = 0; i < stacks->count; i++) {
        cells_put(&table->attributes, i == 0 ? "stack=" : " | ");
        cells_put(&table->attributes, stacks->calls[i].name);
    }
}

/* Appends an event's attributes: "iterations=100;flags=untied". */
static void put_attributes(struct csv_table *table, const struct export_place *place,
                           const struct omptape_event *event)
{
    uint32_t count = OTF2_AttributeList_GetNumberOfElements(event->attributes);
    table->attributes.used = 0;
    if (event->kind == OMPTAPE_EVENT_METRIC)
        add_values(table, event);
    if (event->kind == OMPTAPE_EVENT_SAMPLE)
        add_stack(table, place, event);
    for (uint32_t i = 0; i < count; i++) {
        OTF2_AttributeRef attribute = OTF2_UNDEFINED_ATTRIBUTE;
        OTF2_Type type = OTF2_TYPE_NONE;
        OTF2_AttributeValue value = {.uint64 = 0};
        if (OTF2_AttributeList_GetAttributeByIndex(event->attributes, i, &attribute, &type, &value) ==
            OTF2_SUCCESS)
            add_attribute(table, name_text(table, OMPTAPE_DEF_ATTRIBUTE, attribute), type, value);
    }
    if (table->attributes.used > 0)
        cells_put_quoted_bytes(&table->row, (const char *)table->attributes.data, table->attributes.used);
}

/* Writes the columns from `time_ns` to `line`. `reference` defines the event's name, or NULL. */
static void begin_row(struct csv_table *table, const struct export_place *place, uint64_t time,
                      const char *event, const struct omptape_reference *reference)
{
    cells_put_number(&table->row, time);
    export_bytes_add(&table->row, table->origins[place->index].data, table->origins[place->index].used);
    cells_put(&table->row, event);
    cells_put(&table->row, ",");
    const struct export_bytes *name = reference != NULL ? name_of(table, reference) : NULL;
    if (name != NULL)
        export_bytes_add(&table->row, name->data, name->used);
    else
        cells_put(&table->row, ",,,");
}

static void put_edge(struct csv_table *table, uint32_t place, uint32_t frame, bool enters)
{
    const struct export_open *open = replay_frame_at(&table->open[place], frame, sizeof(*open));
    const struct omptape_reference region = {.kind = OMPTAPE_DEF_REGION, .id = open->replay.region};
    begin_row(table, &table->job->places->list[place],
              enters ? table->job->choice->from : table->job->choice->to, enters ? "Enter" : "Leave",
              &region);
    cells_put(&table->row, NO_NUMBERS);
    cells_put(&table->row, enters ? "window=begin\n" : "window=end\n");
    export_stream_send(table->job->stream, &table->row);
}

/* Writes an Enter at the begin of the window for each region open there. */
static void begin_window(struct csv_table *table)
{
    table->began = true;
    for (uint32_t i = 0; table->open != NULL && i < table->job->places->count; i++)
        for (uint32_t j = 0; j < table->open[i].depth; j++)
            put_edge(table, i, j, true);
}

/* Writes a Leave at the end of the window for each region open there. */
static void end_window(struct csv_table *table)
{
    for (uint32_t i = 0; table->open != NULL && i < table->job->places->count; i++)
        for (uint32_t j = table->open[i].depth; j-- > 0;)
            put_edge(table, i, j, false);
}

static void put_event(struct csv_table *table, const struct export_place *place, uint64_t time,
                      const struct omptape_event *event)
{
    begin_row(table, place, time, event->name, event->ref_count > 0 ? &event->refs[0] : NULL);
    put_numbers(table, event);
    put_attributes(table, place, event);
    cells_put(&table->row, "\n");
    export_stream_send(table->job->stream, &table->row);
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct csv_table *table = data;
    const struct export_choice *choice = table->job->choice;
    const struct export_place *place = export_place_of(table->job->places, event->location);
    uint64_t time = export_ns(table->job->places->reader, event->time);
    table->job->progress->done++;
    if (!table->began && time >= choice->from)
        begin_window(table);
    if (time > choice->to) {
        end_window(table);
        return false;
    }
    if (place == NULL || !place->chosen)
        return true;
    if (time >= choice->from)
        put_event(table, place, time, event);
    if (table->open != NULL)
        export_stacks_follow(&table->stacks, &table->open[place->index], event);
    return !omptape_out_of_memory && table->job->stream->error == 0;
}

/* Prepares the cells ",location,process,thread," of each place. */
static int describe_places(struct csv_table *table)
{
    const struct export_places *places = table->job->places;
    table->origins = omptape_calloc(places->count + 1U, sizeof(*table->origins));
    for (uint32_t i = 0; table->origins != NULL && i < places->count; i++) {
        const struct export_place *place = &places->list[i];
        struct export_bytes *row = &table->origins[i];
        cells_put(row, ",");
        cells_put_number(row, place->definition->id);
        cells_put(row, ",");
        cells_put_quoted_bytes(row, places->groups[place->group].name,
                               strlen(places->groups[place->group].name));
        cells_put(row, ",");
        cells_put_quoted_bytes(row, place->name, strlen(place->name));
        cells_put(row, ",");
    }
    if (table->job->choice->from > 0 || table->job->choice->to < UINT64_MAX ||
        places->reader->first[OMPTAPE_DEF_CALLING_CONTEXT] != NULL)
        table->open = omptape_calloc(places->count + 1U, sizeof(*table->open));
    return omptape_out_of_memory ? -ENOMEM : 0;
}

static void free_all(struct csv_table *table)
{
    for (uint32_t i = 0; table->open != NULL && i < table->job->places->count; i++)
        replay_free(&table->open[i]);
    for (uint32_t i = 0; table->origins != NULL && i < table->job->places->count; i++)
        free(table->origins[i].data);
    for (uint32_t i = 0; i < table->names.count; i++)
        free(((struct export_bytes *)table->names.list[i].value)->data);
    export_stacks_free(&table->stacks);
    omptape_pairs_free(&table->names);
    omptape_arena_free(&table->arena);
    free(table->open);
    free(table->origins);
    free(table->row.data);
    free(table->attributes.data);
}

int export_csv(const struct export_job *job)
{
    struct csv_table table = {.job = job, .stacks.reader = job->places->reader};
    int status = describe_places(&table);
    cells_put(&table.row, HEAD);
    export_stream_send(job->stream, &table.row);
    if (status == 0)
        status =
            omptape_reader_read_events(job->places->reader, on_event, &table, job->error, job->error_bytes);
    free_all(&table);
    return status;
}
