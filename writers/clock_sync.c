/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Passes requests for clock comparison from the shared memory to the synchronisation in the job's folder, and
 * its results back. Called by writers/main.c and writers/report.c.
 */
#include "writers/clock_sync.h"

#include "buffers/futex.h"
#include "src/core/clock.h"
#include "src/core/text_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bounds of the pause between two look-ups. Other processes usually answer within milliseconds; if they do
 * not, the file system must not be polled often. */
static const uint64_t shortest_ns = 1000000;
static const uint64_t longest_ns = 50000000;

/* Writes the key of the clock: boot id, clock kind and node name. Processes with different keys have
 * unrelated clocks. Unification groups processes by the node name. */
static void name_host(const struct omptape_settings *settings, char *name, size_t bytes)
{
    char boot[40];
    (void)omptape_read_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
    boot[strcspn(boot, "\n")] = '\0';
    snprintf(name, bytes, "%s %u %s", boot, (unsigned)settings->clock_kind, settings->job.node);
}

/* Rejects values that do not fit the job, because the program may have overwritten the shared memory. */
static bool is_valid(const struct omptape_job *job, int32_t rank, int32_t size)
{
    enum { MAX_RANKS = 1 << 24 };
    return rank == job->rank && rank >= 0 && rank < size && size <= MAX_RANKS &&
           (job->size <= 0 || size == job->size);
}

/* Sets what other processes learn about rank 0: its pid, clock scale and host. */
static void describe_reference(struct omptape_clock_sync_found *found, const struct omptape_writer *writer)
{
    found->reference_pid = writer->settings->pid;
    found->reference_scale = (uint32_t)writer->timeline.scale;
    snprintf(found->reference_host, sizeof(found->reference_host), "%s", writer->settings->job.node);
}

/* Returns false if the program's process takes part in no synchronisation. */
static bool begin(struct omptape_writer_clock_sync *clock_sync, const struct omptape_writer *writer,
                  const struct omptape_output *output, uint64_t now)
{
    const struct omptape_clock_sync *request = &writer->shm->clock_sync;
    const int32_t rank = atomic_load(&request->rank);
    const int32_t size = atomic_load(&request->size);
    char host[OMPTAPE_JOB_CLOCK_SYNC_KEY];
    clock_sync->clock_sync.folder = -1;
    if (output->marks.folder[0] == '\0' || !is_valid(&writer->settings->job, rank, size))
        return false;
    name_host(writer->settings, host, sizeof(host));
    describe_reference(&clock_sync->found, writer);
    return omptape_job_clock_sync_begin(&clock_sync->clock_sync, output->marks.folder, rank, size, host,
                                        now) == 0;
}

static void answer(struct omptape_writer_clock_sync *clock_sync, struct omptape_writer *writer,
                   enum omptape_clock_sync_state state)
{
    struct omptape_clock_sync *request = &writer->shm->clock_sync;
    uint32_t expected = OMPTAPE_CLOCK_SYNC_ASKED;
    if (state == OMPTAPE_CLOCK_SYNC_AGREED) {
        request->found = clock_sync->found;
        writer->compared = &clock_sync->found;
    }
    (void)atomic_compare_exchange_strong(&request->state, &expected, (uint32_t)state);
    omptape_futex_wake(&request->state);
}

uint64_t omptape_clock_sync_serve(struct omptape_writer_clock_sync *clock_sync, struct omptape_writer *writer,
                                  const struct omptape_output *output)
{
    const struct omptape_clock_sync *request = &writer->shm->clock_sync;
    if (clock_sync->finished ||
        atomic_load_explicit(&request->state, memory_order_acquire) != OMPTAPE_CLOCK_SYNC_ASKED)
        return UINT64_MAX;
    const uint64_t now = omptape_clock_raw_ns();
    enum omptape_clock_sync_state state = OMPTAPE_CLOCK_SYNC_ALONE;
    if (clock_sync->started || begin(clock_sync, writer, output, now))
        state = omptape_job_clock_sync_look(&clock_sync->clock_sync, &clock_sync->found, now);
    clock_sync->started = true;
    if (state == OMPTAPE_CLOCK_SYNC_ASKED) {
        const uint64_t pause = (now - clock_sync->clock_sync.begun) / 4;
        return pause < shortest_ns ? shortest_ns : pause > longest_ns ? longest_ns : pause;
    }
    clock_sync->finished = true;
    answer(clock_sync, writer, state);
    if (clock_sync->clock_sync.folder >= 0 && clock_sync->clock_sync.rank != 0)
        omptape_job_clock_sync_end(&clock_sync->clock_sync, output->marks.folder);
    return UINT64_MAX;
}

void omptape_clock_sync_end(struct omptape_writer_clock_sync *clock_sync, const struct omptape_output *output)
{
    if (clock_sync->started && clock_sync->clock_sync.folder >= 0 && output->marks.folder[0] != '\0')
        omptape_job_clock_sync_end(&clock_sync->clock_sync, output->marks.folder);
}

bool omptape_clock_sync_describe(const struct omptape_writer *writer, char *samples, size_t bytes,
                                 char *reference, size_t reference_bytes)
{
    const struct omptape_clock_sync_found *found = writer->compared;
    const struct omptape_clock_sync *met = &writer->shm->clock_sync;
    const uint32_t count = found != NULL ? atomic_load_explicit(&met->sample_count, memory_order_acquire) : 0;
    size_t length = 0;
    samples[0] = '\0';
    /* Samples are useless if the clock has jumped back since they were taken. */
    for (uint32_t i = 0; i < count && i < OMPTAPE_CLOCK_SYNC_SAMPLES && writer->timeline.jumps == 0; i++) {
        const struct omptape_clock_sample sample = met->samples[i];
        int n = snprintf(samples + length, bytes - length, "%s%" PRIu64 ":%" PRIu64 ":%" PRIu64,
                         i > 0 ? " " : "", omptape_timeline_ticks(&writer->timeline, sample.ticks),
                         sample.reference * found->reference_scale,
                         omptape_timeline_ticks(&writer->timeline, sample.error));
        length += n > 0 && (size_t)n < bytes - length ? (size_t)n : 0;
    }
    if (found != NULL)
        snprintf(reference, reference_bytes, "%d %s", (int)found->reference_pid, found->reference_host);
    return length > 0;
}
