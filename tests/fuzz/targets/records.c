/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fuzz target of libFuzzer: the program's shared memory holds whatever it likes, and the writer translates
 * that. First come records and samples, of a few threads and with passes in between; then bytes anywhere in
 * the memory are changed; at last a second thread goes on changing words while the writer reads. The
 * consumer's mapping lies between inaccessible pages, and the archive must be written without an error.
 */
#include "src/archive/write/disk_reserve.h"
#include "tests/fuzz/targets/input.h"
#include "tests/unit/translate/translate_fixture.h"
#include "writers/clock_sync.h"
#include "writers/processors.h"
#include "writers/translate/samples.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, MAX_WORDS = 12, MAX_RECORDS = 400, START = 10 };

static void put_record(struct input *input, uint64_t *time)
{
    uint64_t payload[MAX_WORDS];
    unsigned thread = take_byte(input) % translate.threads;
    enum omptape_kind kind = (enum omptape_kind)(take_byte(input) % (OMPTAPE_KIND_COUNT + 2));
    unsigned a = (uint16_t)take_number(input);
    uint32_t b = (uint32_t)take_number(input);
    unsigned words = take_byte(input) % MAX_WORDS;
    /* Mostly later than the last one; the thread's may be earlier. */
    uint64_t step = take_number(input);
    *time = step < UINT32_MAX ? *time + step : *time - (step & UINT8_MAX);
    for (unsigned i = 0; i < words; i++)
        payload[i] = take_number(input);
    translate_put_words(thread, *time, kind, a, b, words, payload);
}

/* The modules that samples are in. None of the files is there. */
static const char maps[] = "10-40 r-xp 0 00:00 0 /none/libomp.so.5\n40-60 r-xp 0 00:00 0 /none/libc.so.6\n"
                           "60-f0 r-xp 0 00:00 0 /none/program\n";

/* A sample of some thread, now or later than its last one. */
static void put_sample(struct input *input, uint64_t time)
{
    enum { MAX_FRAMES = 12 };
    struct omptape_writer *writer = &translate.writer;
    struct omptape_call_path path = {.count = 1 + take_byte(input) % MAX_FRAMES};
    if (writer->location_count == 0)
        return;
    struct omptape_location *location = writer->locations[take_byte(input) % writer->location_count];
    for (uint32_t i = 0; i < path.count; i++)
        path.addresses[i] = take_byte(input);
    path.complete = take_byte(input) % 4 != 0;
    const OTF2_CallingContextRef context =
        take_byte(input) % 4 == 0 ? omptape_contexts_add_asleep(writer, &path, OMPTAPE_CONTEXT_BLOCKED)
                                  : omptape_contexts_add(writer, &path);
    const struct omptape_samples *samples = &location->samples;
    if (samples->count > 0 && samples->list[samples->count - 1].time > time)
        time = samples->list[samples->count - 1].time;
    if (context != OTF2_UNDEFINED_CALLING_CONTEXT && !location->closed)
        omptape_samples_queue(location, time, (struct omptape_sample){.context = context, .timed = true});
}

/* Nothing may be put after that: the producer believes its memory. A program can change the chunks that no
 * thread has taken, too. */
static void scribble(struct input *input)
{
    while (input->left > 0) {
        uint64_t place = take_number(input) << take_byte(input) % 16;
        uint64_t value = take_number(input);
        size_t size = (size_t)1 << take_byte(input) % 4;
        place = place % (translate.session.shm_bytes - sizeof(value)) / size * size;
        memcpy((char *)translate.session.shm + place, &value, size);
        if (take_byte(input) % 4 == 0)
            translate_pass();
    }
}

static atomic_bool flipping;

/* Changes words of the header, the slots and the first chunks, until told to stop. */
static void *flip_words(void *argument)
{
    uint64_t random = *(const uint64_t *)argument | 1;
    char *memory = (char *)translate.session.shm;
    const size_t ends[] = {sizeof(struct omptape_shm),
                           OMPTAPE_SLOTS_OFFSET + sizeof(struct omptape_shared_slot[8]),
                           OMPTAPE_LINKS_OFFSET + 64, translate.session.layout.chunks_offset + 65536,
                           translate.session.layout.chunks_offset + 256};
    const size_t begins[] = {0, OMPTAPE_SLOTS_OFFSET, OMPTAPE_LINKS_OFFSET,
                             translate.session.layout.chunks_offset, translate.session.layout.chunks_offset};
    while (atomic_load(&flipping)) {
        const uint64_t choice = session_random(&random);
        const size_t part = choice % (sizeof(ends) / sizeof(ends[0]));
        const size_t words = (ends[part] - begins[part]) / sizeof(uint32_t);
        volatile uint32_t *word =
            (volatile uint32_t *)(void *)(memory + begins[part]) + (choice >> 8) % words;
        const uint64_t value = session_random(&random);
        *word = choice >> 63 != 0 ? *word ^ 1U << value % 32 : (uint32_t)(value >> value % 40);
    }
    return NULL;
}

static void ask_for_all(struct omptape_writer_clock_sync *clock_sync, const struct omptape_output *output)
{
    struct omptape_consumer copy;
    struct omptape_writer *writer = &translate.writer;
    char text[256];
    char reference[256];
    (void)omptape_clock_sync_serve(clock_sync, writer, output);
    (void)omptape_clock_sync_describe(writer, text, sizeof(text), reference, sizeof(reference));
    (void)omptape_consumer_chunks_in_use(&writer->consumer);
    (void)omptape_consumer_timings(&writer->consumer);
    free(omptape_runtime_info_copy(writer));
    if (omptape_consumer_copy(&writer->consumer, &copy) == 0)
        omptape_consumer_close(&copy);
}

/* The writer's passes while another thread overwrites what it reads. */
static void pass_while_flipping(uint64_t seed)
{
    enum { PASSES = 12 };
    static struct omptape_writer_clock_sync clock_sync;
    static struct omptape_output output;
    pthread_t thread;
    clock_sync = (struct omptape_writer_clock_sync){.started = false};
    snprintf(output.marks.folder, sizeof(output.marks.folder), "%s", translate.folder);
    translate.settings.job.size = 3;
    atomic_store(&flipping, true);
    if (pthread_create(&thread, NULL, flip_words, &seed) != 0)
        abort();
    for (unsigned i = 0; i < PASSES; i++) {
        translate_pass();
        ask_for_all(&clock_sync, &output);
    }
    atomic_store(&flipping, false);
    pthread_join(thread, NULL);
    omptape_clock_sync_end(&clock_sync, &output);
    translate.writer.compared = NULL;
}

static uint64_t seed_of(const uint8_t *data)
{
    uint64_t seed;
    memcpy(&seed, data, sizeof(seed));
    return seed;
}

static void translate_input(const uint8_t *data, size_t bytes)
{
    struct input input = {data, bytes};
    uint64_t time = START;
    translate.writer.forms_incomplete_teams = true;
    translate.settings.sample_ns = 1;
    (void)omptape_symbols_add_maps(translate.writer.symbols, maps, sizeof(maps) - 1);
    for (unsigned i = 0; i < THREADS; i++)
        translate_thread(START);
    for (unsigned records = 0; input.left > 0 && records < MAX_RECORDS; records++) {
        uint8_t choice = take_byte(&input);
        if (choice == UINT8_MAX)
            break;
        if (choice % 16 == 0)
            translate_pass();
        if (choice % 4 == 1)
            put_sample(&input, time);
        put_record(&input, &time);
    }
    scribble(&input);
    pass_while_flipping(bytes >= sizeof(uint64_t) ? seed_of(data) : bytes);
    omptape_disk_reserve_end(&translate.writer.archive.disk_reserve);
    translate_finish_only(time);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    /* The writer goes to its archive's folder. */
    int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (before < 0 || translate_open(NULL) != 0)
        return -1;
    translate_input(data, bytes);
    int result = translate_close(NULL);
    if (fchdir(before) != 0)
        result = -1;
    close(before);
    return result;
}
