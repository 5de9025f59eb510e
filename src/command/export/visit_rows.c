/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tracks visits of regions (visit_rows.h).
 */
#include "src/command/export/visit_rows.h"

#include "src/archive/read/visits.h"
#include "src/replay/replay.h"

#include <stdlib.h>

/* Returns a visit's number in its region. One inside another of the same region has that one's number. */
static uint64_t number_of(struct export_visits *visits, const struct replay_location *location,
                          const struct export_visit *visit, uint64_t id)
{
    const bool of_teams = visit->region != NULL && omptape_region_is_of_teams(visit->region->value[0]);
    const struct export_visit *enclosing = replay_outer(location, &visit->open.replay, sizeof(*enclosing));
    if (enclosing != NULL)
        return enclosing->number;
    uint64_t *count = omptape_pairs_obtain(&visits->counts, &visits->arena, visit->open.region,
                                           of_teams ? id : UINT64_MAX, sizeof(*count));
    if (count == NULL)
        return 0;
    return ++*count;
}

static void take_attributes(const struct omptape_reader *reader, struct export_visit *visit,
                            const struct omptape_event *event)
{
    uint64_t start;
    visit->has_chunk_start = omptape_event_number(reader, event, READER_CHUNK_START, &start);
    visit->chunk_start = (int64_t)start;
    visit->has_iterations = omptape_event_number(reader, event, READER_ITERATIONS, &visit->iterations);
}

static void enter(void *data, struct replay_location *location, struct replay_frame *frame,
                  const struct omptape_event *event)
{
    struct export_visits *visits = data;
    const struct omptape_reader *reader = visits->job->places->reader;
    struct export_visit *visit = (struct export_visit *)frame;
    export_open_begin(&visit->open, reader, event);
    visit->region = omptape_reader_find(reader, OMPTAPE_DEF_REGION, visit->open.region);
    visit->id = ++visits->last;
    visit->parent = 0;
    if (location->depth > 1)
        visit->parent =
            ((const struct export_visit *)replay_frame_at(location, location->depth - 2, sizeof(*visit)))->id;
    visit->number = number_of(visits, location, visit, event->location);
    visit->children = 0;
    visit->has_step = false;
    take_attributes(reader, visit, event);
}

static void leave(void *data, struct replay_location *location, struct replay_frame *frame, uint64_t time)
{
    struct export_visits *visits = data;
    const struct export_choice *choice = visits->job->choice;
    struct export_visit *visit = (struct export_visit *)frame;
    const size_t place = (size_t)(location - visits->open);
    visit->begin = frame->begin > choice->from ? frame->begin : choice->from;
    visit->end = time < choice->to ? time : choice->to;
    if (visit->end < visit->begin)
        return;
    if (location->depth > 1) {
        struct export_visit *enclosing = replay_frame_at(location, location->depth - 2, sizeof(*enclosing));
        enclosing->children += visit->end - visit->begin;
    }
    visits->take(visits->data, &visits->job->places->list[place], visit);
}

static const struct replay_observer observer = {
    .frame_bytes = sizeof(struct export_visit), .enter = enter, .leave = leave};

bool export_visits_begin(struct export_visits *visits)
{
    visits->stacks.reader = visits->job->places->reader;
    visits->open = omptape_calloc(visits->job->places->count + 1U, sizeof(*visits->open));
    return visits->open != NULL;
}

/* Stores the step number, which follows the region's begin as a parameter. */
static void take_step(const struct export_visits *visits, const struct export_place *place,
                      const struct omptape_event *event)
{
    struct export_visit *top = export_visits_top(visits, place);
    if (event->kind != OMPTAPE_EVENT_PARAMETER || top == NULL ||
        event->refs[0].id != visits->job->places->reader->attribute_ids[READER_STEP])
        return;
    top->has_step = true;
    top->step = event->value[1];
}

bool export_visits_follow(struct export_visits *visits, const struct omptape_event *event)
{
    const struct export_place *place = export_place_of(visits->job->places, event->location);
    const uint64_t time = export_ns(visits->job->places->reader, event->time);
    visits->job->progress->done++;
    if (time > visits->job->choice->to)
        return false;
    visits->now = time;
    if (place != NULL && place->chosen &&
        replay_follow(&observer, visits, &visits->open[place->index], event, time))
        take_step(visits, place, event);
    return !omptape_out_of_memory;
}

void export_visits_end(struct export_visits *visits)
{
    const uint64_t end = visits->job->choice->to != UINT64_MAX ? visits->job->choice->to : visits->now;
    for (uint32_t i = 0; i < visits->job->places->count; i++)
        replay_end(&observer, visits, &visits->open[i], end);
}

void export_visits_free(struct export_visits *visits)
{
    for (uint32_t i = 0; visits->open != NULL && i < visits->job->places->count; i++)
        replay_free(&visits->open[i]);
    free(visits->open);
    export_stacks_free(&visits->stacks);
    omptape_pairs_free(&visits->counts);
    omptape_arena_free(&visits->arena);
}

struct export_visit *export_visits_top(const struct export_visits *visits, const struct export_place *place)
{
    return replay_top(&visits->open[place->index], sizeof(struct export_visit));
}
