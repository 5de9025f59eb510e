/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the queue of a location's samples. Called by writers/observe/sampling.c and by the translation.
 */
#include "writers/translate/samples.h"

#include "src/core/array.h"
#include "src/core/whole.h"
#include "writers/state/sched.h"
#include "writers/symbols/registers.h"
#include "writers/translate/call_paths.h"
#include "writers/translate/created_threads.h"

#include <stdlib.h>
#include <string.h>

/* Most samples in a queue; if it is full, the older half is dropped. A flight recorder translates rarely.
 * Samples of a thread unknown to OpenMP wait until the end, or until it uses OpenMP, which may take hours. */
enum { MAX_SAMPLES = 1 << 16, MAX_SAMPLES_OF_OTHER = 1 << 19 };

uint64_t *omptape_samples_sums(struct omptape_location *location)
{
    struct omptape_samples *samples = &location->samples;
    if (samples->counters == NULL)
        samples->counters = calloc(1, sizeof(*samples->counters));
    return samples->counters != NULL ? samples->counters->sums : NULL;
}

/* Drops the oldest `number` samples and their counter readings. */
static void drop_oldest(struct omptape_samples *samples, uint32_t number)
{
    uint32_t readings = 0;
    if (number == 0)
        return; /* The list may not be allocated. */
    for (uint32_t i = 0; i < number; i++)
        readings += samples->list[i].counted;
    samples->count -= number;
    memmove(samples->list, samples->list + number, samples->count * sizeof(*samples->list));
    if (readings == 0)
        return;
    samples->counters->count -= readings;
    memmove(samples->counters->list, samples->counters->list + readings,
            samples->counters->count * sizeof(*samples->counters->list));
}

/* Returns how many of the oldest `number` entries are samples, not events of a thread. */
static uint32_t count_samples(const struct omptape_samples *samples, uint32_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < number; i++)
        count += samples->list[i].thread_event == 0;
    return count;
}

/* Appends the counters' present sums to the list. Returns false if out of memory. */
static bool note_sums(struct omptape_location_counters *counted)
{
    if (!OMPTAPE_RESERVE(counted->list, counted->count + 1, &counted->capacity))
        return false;
    memcpy(counted->list[counted->count++].sums, counted->sums, sizeof(counted->sums));
    return true;
}

void omptape_samples_queue(struct omptape_location *location, uint64_t time, struct omptape_sample sample)
{
    struct omptape_samples *samples = &location->samples;
    if (samples->count >= (location->other == NULL ? MAX_SAMPLES : MAX_SAMPLES_OF_OTHER)) {
        samples->dropped += count_samples(samples, samples->count / 2);
        drop_oldest(samples, samples->count / 2);
    }
    if (!OMPTAPE_RESERVE(samples->list, samples->count + 1, &samples->capacity) ||
        (sample.counted && !note_sums(samples->counters)))
        return;
    sample.time = time;
    uint32_t at = samples->count++;
    /* Counted samples keep the order of their readings. */
    for (; at > 0 && samples->list[at - 1].time > time && !(sample.counted && samples->list[at - 1].counted);
         at--)
        samples->list[at] = samples->list[at - 1];
    samples->list[at] = sample;
    location->pending = true;
}

/* A sample that is assembled from its records. */
struct omptape_own_sample {
    uint64_t time;
    uint32_t count;    /* Words received so far. */
    uint32_t expected; /* Words that the sample has. */
    uint64_t words[OMPTAPE_SAMPLE_WORDS];
};

static void note_own(struct omptape_writer *writer, struct omptape_location *location,
                     const struct omptape_own_sample *own)
{
    if (OMPTAPE_REGISTERS == 0 || own->count <= OMPTAPE_REGISTERS)
        return;
    const struct omptape_stack_copy copy = {
        .registers = own->words,
        .bytes = (const unsigned char *)(own->words + OMPTAPE_REGISTERS),
        .count = (own->count - OMPTAPE_REGISTERS) * sizeof(own->words[0]),
        .thread = location->tid,
        .time_ns = omptape_whole((double)own->time * 1e9 / (double)writer->timeline.second),
    };
    const OTF2_CallingContextRef context = omptape_contexts_unwind(writer, &copy);
    if (context != OTF2_UNDEFINED_CALLING_CONTEXT)
        omptape_samples_queue(location, own->time,
                              (struct omptape_sample){.context = context, .timed = true});
}

void omptape_samples_translate(struct omptape_writer *writer, struct omptape_location *location,
                               const struct omptape_record *record, uint64_t time)
{
    struct omptape_own_sample *own = location->samples.own;
    const uint32_t count = record->words - (uint32_t)OMPTAPE_RECORD_HEADER_WORDS;
    if (own == NULL) {
        location->samples.own = own = calloc(1, sizeof(*own));
        writer->contexts->threads += own != NULL;
    }
    if (own == NULL)
        return;
    if (record->a == 0) {
        own->time = time;
        own->count = 0;
        own->expected = record->b;
    }
    /* A piece may have been dropped. */
    if (own->count != record->a * (uint32_t)OMPTAPE_SAMPLE_PIECE_WORDS || own->expected != record->b ||
        count > OMPTAPE_SAMPLE_WORDS - own->count)
        return;
    memcpy(own->words + own->count, record->p, count * sizeof(own->words[0]));
    own->count += count;
    if (own->count == own->expected)
        note_own(writer, location, own);
}

/* Returns false if out of memory. */
static bool note_use(struct omptape_samples *samples, OTF2_CallingContextRef context)
{
    const uint32_t byte = context / 8;
    if (!OMPTAPE_RESERVE_CLEARED(samples->used, byte + 1, &samples->used_bytes))
        return false;
    samples->used[byte] = (uint8_t)(samples->used[byte] | 1U << context % 8);
    return true;
}

/* Writes the counters' sums since the first shown sample, before the sample to which they belong. If there
 * is no such sample, `context` is written with the sums; it may be undefined. */
static void write_counters(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                           const struct omptape_counter_sums *reading, OTF2_CallingContextRef context)
{
    struct omptape_location_counters *counted = location->samples.counters;
    for (uint32_t i = 0; i < writer->archive.counters; i++)
        counted->written.sums[i] = reading->sums[i] - counted->hidden.sums[i];
    location->last = omptape_location_time(location, time);
    if (context != OTF2_UNDEFINED_CALLING_CONTEXT)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_CALLING_CONTEXT, context);
    omptape_archive_metric(&writer->archive, location->events, location->last, OMPTAPE_METRIC_COUNTERS,
                           OTF2_TYPE_INT64, (uint8_t)writer->archive.counters, counted->written.sums);
}

/* Skips a sample that would be the first event of an OpenMP thread, because readers expect its begin there.
 */
static void write_sample(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_sample *sample, const struct omptape_counter_sums *reading)
{
    if (!omptape_archive_can_write(&writer->archive, location->events) || location->off_written ||
        (writer->profile == NULL && location->other == NULL && location->events->count == 0))
        return;
    if (sample->thread_event != 0) {
        omptape_created_threads_write(writer, location, sample);
        return;
    }
    const OTF2_CallingContextRef context = sample->context != OTF2_UNDEFINED_CALLING_CONTEXT
                                               ? omptape_call_path(writer, location, sample->context)
                                               : sample->context;
    /* Local definitions of the first location define the contexts of all locations in a profile. */
    struct omptape_location *user = writer->profile != NULL ? writer->locations[0] : location;
    if (context != OTF2_UNDEFINED_CALLING_CONTEXT && !note_use(&user->samples, context))
        return;
    if (reading != NULL)
        write_counters(writer, location, sample->time, reading,
                       sample->timed ? OTF2_UNDEFINED_CALLING_CONTEXT : context);
    if (!sample->timed)
        return;
    location->last = omptape_location_time(location, sample->time);
    omptape_archive_sample(&writer->archive, location->events, location->last, context);
    writer->contexts->samples++;
}

/* Excludes the counts up to `reading` from the shown sums. */
static void hide_counters(struct omptape_location_counters *counted,
                          const struct omptape_counter_sums *reading)
{
    for (uint32_t i = 0; i < OMPTAPE_MAX_COUNTERS; i++)
        counted->hidden.sums[i] = reading->sums[i] - counted->written.sums[i];
}

void omptape_samples_write(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_samples *samples = &location->samples;
    uint32_t done = 0;
    uint32_t readings = 0;
    for (; done < samples->count && samples->list[done].time <= time; done++) {
        const struct omptape_sample *sample = &samples->list[done];
        const struct omptape_counter_sums *reading =
            sample->counted ? &samples->counters->list[readings++] : NULL;
        if (omptape_sched_has_pending(location))
            omptape_sched_write(writer, location, sample->time);
        if (!writer->forgetting && !writer->paused && sample->time >= location->begin)
            write_sample(writer, location, sample, reading);
        else if (reading != NULL)
            hide_counters(samples->counters, reading);
    }
    if (done > 0)
        drop_oldest(samples, done);
    if (omptape_sched_has_pending(location))
        omptape_sched_write(writer, location, time);
}

void omptape_samples_finish(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    if (omptape_samples_are_pending(location))
        omptape_samples_write(writer, location, time);
    drop_oldest(&location->samples, location->samples.count);
}

void omptape_samples_finish_other(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time)
{
    struct omptape_samples *samples = &location->samples;
    const bool paused = writer->paused;
    uint32_t old = 0;
    while (old < samples->count && samples->list[old].time < location->last)
        old++;
    drop_oldest(samples, old);
    writer->contexts->lost += samples->dropped;
    writer->paused = false;
    omptape_samples_finish(writer, location, time);
    writer->paused = paused;
}
