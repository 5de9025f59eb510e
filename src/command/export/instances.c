/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes visits as rows (formats.h), in the order of their ends.
 */
#include "src/command/export/cells.h"
#include "src/command/export/visit_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char HEAD[] =
    "begin_ns,end_ns,self_ns,location,process,thread,name,file,line,instance,visit,parent,"
    "chunk_start,iterations,step\n";

struct instances {
    struct export_visits visits;
    struct export_bytes row;
};

static void put_number(struct export_bytes *row, bool is_known, uint64_t number)
{
    if (is_known)
        cells_put_number(row, number);
    cells_put(row, ",");
}

static void put_quoted(struct export_bytes *row, const char *text)
{
    cells_put_quoted(row, text);
    cells_put(row, ",");
}

static void put_region(struct instances *instances, const struct omptape_definition *region)
{
    const struct omptape_reader *reader = instances->visits.job->places->reader;
    struct export_bytes *row = &instances->row;
    put_quoted(row, region != NULL ? omptape_reader_string(reader, region->refs[0].id) : "");
    put_quoted(row, region != NULL ? omptape_reader_string(reader, region->refs[3].id) : "");
    put_number(row, region != NULL && region->value[2] != 0, region != NULL ? region->value[2] : 0);
}

static void take(void *data, const struct export_place *place, const struct export_visit *visit)
{
    struct instances *instances = data;
    struct export_bytes *row = &instances->row;
    const uint64_t duration = visit->end - visit->begin;
    if (duration < instances->visits.job->choice->min_duration)
        return;
    put_number(row, true, visit->begin);
    put_number(row, true, visit->end);
    put_number(row, true, duration > visit->children ? duration - visit->children : 0);
    put_number(row, true, place->definition->id);
    put_quoted(row, instances->visits.job->places->groups[place->group].name);
    put_quoted(row, place->name);
    put_region(instances, visit->region);
    put_number(row, true, visit->number);
    put_number(row, true, visit->id);
    put_number(row, visit->parent != 0, visit->parent);
    if (visit->has_chunk_start)
        cells_put_signed(row, visit->chunk_start);
    cells_put(row, ",");
    if (visit->has_iterations)
        cells_put_number(row, visit->iterations);
    cells_put(row, ",");
    if (visit->has_step)
        cells_put_number(row, visit->step);
    cells_put(row, "\n");
    export_stream_send(instances->visits.job->stream, row);
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct instances *instances = data;
    return export_visits_follow(&instances->visits, event) && instances->visits.job->stream->error == 0;
}

int export_instances(const struct export_job *job)
{
    struct instances instances = {.visits = {.job = job, .take = take}};
    instances.visits.data = &instances;
    int status = export_visits_begin(&instances.visits) ? 0 : -ENOMEM;
    cells_put(&instances.row, HEAD);
    export_stream_send(job->stream, &instances.row);
    if (status == 0)
        status = omptape_reader_read_events(job->places->reader, on_event, &instances, job->error,
                                            job->error_bytes);
    if (status == 0)
        export_visits_end(&instances.visits);
    export_visits_free(&instances.visits);
    free(instances.row.data);
    return status;
}
