/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts samples in one pass over the events (samples.h).
 */
#include "src/command/export/samples.h"

#include "src/core/message.h"
#include "src/replay/replay.h"

#include <errno.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACE_BITS = 32 };

struct pass {
    struct export_samples *samples;
    const struct export_job *job;
    struct replay_location *open; /* by place */
};

static void count_sample(struct pass *pass, const struct export_place *place,
                         const struct omptape_event *event)
{
    struct export_samples *samples = pass->samples;
    const uint64_t ns = export_stacks_ns(&samples->stacks, event);
    const uint32_t construct_list =
        export_stacks_constructs(&samples->stacks, &pass->open[place->index], sizeof(struct export_open));
    struct export_sample *sample =
        omptape_pairs_obtain(&samples->list, &samples->arena, event->refs[0].id,
                             (uint64_t)place->index << PLACE_BITS | construct_list, sizeof(*sample));
    if (sample == NULL)
        return;
    sample->place = place;
    sample->context = event->refs[0].id;
    sample->construct_list = construct_list;
    sample->count++;
    samples->count++;
    sample->ns += ns;
    samples->period = ns > 0 ? ns : samples->period;
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct pass *pass = data;
    const struct export_place *place = export_place_of(pass->job->places, event->location);
    const uint64_t time = export_ns(pass->job->places->reader, event->time);
    pass->job->progress->done++;
    if (time > pass->job->choice->to)
        return false;
    if (place == NULL || !place->chosen)
        return true;
    if (event->kind == OMPTAPE_EVENT_SAMPLE && time >= pass->job->choice->from)
        count_sample(pass, place, event);
    export_stacks_follow(&pass->samples->stacks, &pass->open[place->index], event);
    return !omptape_out_of_memory;
}

/* Explains why an archive has no samples. */
static void explain_no_samples(struct omptape_reader *reader, char *error, size_t error_bytes)
{
    const char *refused = omptape_reader_property_of(reader, -1, OMPTAPE_KEY_SAMPLES_REFUSED);
    if (refused != NULL)
        snprintf(error, error_bytes, "it has no samples: %s", refused);
    else if (omptape_reader_number_of(reader, -1, OMPTAPE_KEY_SAMPLE_PERIOD) > 0)
        snprintf(error, error_bytes,
                 "it has no samples: its threads computed too shortly (omptape --sample=1000)");
    else
        snprintf(error, error_bytes, "it was recorded without samples (omptape --sample records them)");
}

int export_samples_read(struct export_samples *samples, const struct export_job *job)
{
    const struct export_places *places = job->places;
    struct pass pass = {.samples = samples, .job = job};
    samples->stacks.reader = places->reader;
    if (places->reader->first[OMPTAPE_DEF_CALLING_CONTEXT] == NULL) {
        explain_no_samples(places->reader, job->error, job->error_bytes);
        return -ENODATA;
    }
    pass.open = omptape_calloc(places->count + 1U, sizeof(*pass.open));
    int status = pass.open == NULL ? -ENOMEM
                                   : omptape_reader_read_events(places->reader, on_event, &pass, job->error,
                                                                job->error_bytes);
    status = omptape_out_of_memory ? -ENOMEM : status;
    if (status == 0 && samples->count == 0)
        status = omptape_fail(job->error, job->error_bytes, -ENODATA,
                              "it has no sample of these threads in this time");
    for (uint32_t i = 0; pass.open != NULL && i < places->count; i++)
        replay_free(&pass.open[i]);
    free(pass.open);
    return status;
}

void export_samples_free(struct export_samples *samples)
{
    omptape_pairs_free(&samples->list);
    omptape_arena_free(&samples->arena);
    export_stacks_free(&samples->stacks);
}
