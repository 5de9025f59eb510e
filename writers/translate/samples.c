/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The queue of a location's samples. Called by observe/sampling.c and by the translation.
 */
#include "writers/translate/samples.h"

#include "src/core/array.h"
#include "writers/model/sched.h"
#include "writers/translate/call_paths.h"

#include <stdlib.h>
#include <string.h>

/* A flight recorder does not come to them for long: of so many half are forgotten. */
enum { MOST_SAMPLES = 1 << 16 };

void omptape_samples_note(struct omptape_location *location, uint64_t time, OTF2_CallingContextRef context)
{
    struct omptape_samples *samples = &location->samples;
    if (samples->count == MOST_SAMPLES) {
        samples->count /= 2;
        memmove(samples->list, samples->list + samples->count, samples->count * sizeof(*samples->list));
    }
    if (!OMPTAPE_RESERVE(samples->list, samples->count + 1, &samples->capacity))
        return;
    samples->list[samples->count++] = (struct omptape_sample){.time = time, .context = context};
    location->pending = true;
}

/* False: no memory. */
static bool note_use(struct omptape_samples *samples, OTF2_CallingContextRef context)
{
    const uint32_t byte = context / 8;
    const uint32_t before = samples->used_bytes;
    uint8_t *used = omptape_array_reserve(samples->used, byte + 1, &samples->used_bytes, 1);
    if (used == NULL)
        return false;
    samples->used = used;
    memset(used + before, 0, samples->used_bytes - before);
    used[byte] = (uint8_t)(used[byte] | 1U << context % 8);
    return true;
}

static void write_sample(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_sample *sample)
{
    if (!omptape_archive_can_write(&writer->archive, location->events) || location->off_written)
        return;
    const OTF2_CallingContextRef context = omptape_call_path(writer, location, sample->context);
    /* A profile's sums of all locations are read by the first one's local definitions. */
    struct omptape_location *user = writer->profile != NULL ? writer->locations[0] : location;
    if (!note_use(&user->samples, context))
        return;
    location->last = omptape_location_time(location, sample->time);
    omptape_archive_sample(&writer->archive, location->events, location->last, context);
    writer->contexts->samples++;
}

void omptape_samples_show(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    struct omptape_samples *samples = &location->samples;
    uint32_t done = 0;
    for (; done < samples->count && samples->list[done].time <= time; done++) {
        if (omptape_sched_waits(location))
            omptape_sched_show(writer, location, samples->list[done].time);
        if (!writer->forgetting && !writer->paused && samples->list[done].time >= location->begin)
            write_sample(writer, location, &samples->list[done]);
    }
    if (done > 0) {
        samples->count -= done;
        memmove(samples->list, samples->list + done, samples->count * sizeof(*samples->list));
    }
    if (omptape_sched_waits(location))
        omptape_sched_show(writer, location, time);
}

void omptape_samples_finish(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    if (omptape_samples_wait(location))
        omptape_samples_show(writer, location, time);
    location->samples.count = 0;
}
