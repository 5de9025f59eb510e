/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plays the program on one side and the writer's main loop on the other. On the test's main thread.
 */
#include "tests/unit/translate/translate_fixture.h"
#include "src/folder/beneath.h"

#include "writers/definitions/definitions.h"
#include "writers/devices/devices.h"
#include "writers/merge.h"
#include "writers/observe/observe.h"
#include "writers/regions/region_filter.h"
#include "writers/state/locations.h"
#include "writers/symbols/symbols.h"
#include "writers/translate/parallel.h"
#include "writers/translate/translate.h"
#include "writers/translate/translators.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHUNKS = 64, RESOLUTION = 1000000000 };

struct translate translate;

int translate_open(void **state)
{
    (void)state;
    struct omptape_writer *writer = &translate.writer;
    memset(&translate, 0, sizeof(translate));
    session_open(&translate.session, CHUNKS);
    /* The tests' times are made up: they count ns, however fast this machine's counter is. */
    omptape_clock_use(OMPTAPE_CLOCK_MONOTONIC_RAW);
    translate.settings.clock_kind = OMPTAPE_CLOCK_MONOTONIC_RAW;
    strcpy(translate.settings.program, "/bin/test");
    writer->settings = &translate.settings;
    writer->consumer = translate.session.consumer;
    writer->shm = writer->consumer.shm;
    omptape_timeline_start(&writer->timeline, 0, 0, 0);
    if (scratch_make(translate.folder) != 0 || omptape_symbols_create(&writer->symbols) != 0 ||
        omptape_translate_create(writer) != 0)
        return -1;
    omptape_archive_create(&writer->archive);
    int folder = omptape_beneath_open_named(translate.folder);
    int error = folder < 0 ? folder : omptape_archive_open(&writer->archive, folder);
    if (folder >= 0)
        close(folder);
    return error;
}

void translate_choose(const char *filter, uint64_t limit, bool paused)
{
    struct omptape_settings *options = &translate.settings;
    strcpy(options->filter, filter);
    options->limit_per_site = limit;
    options->paused = paused;
    omptape_region_filter_create(&translate.writer);
    assert_string_equal(omptape_region_filter_error(&translate.writer), "");
}

int translate_close(void **state)
{
    (void)state;
    struct omptape_writer *writer = &translate.writer;
    omptape_translate_free(writer);
    omptape_archive_strings_free(&writer->strings);
    omptape_symbols_destroy(writer->symbols);
    if (translate.text != NULL)
        archive_text_free(translate.text);
    session_close(&translate.session);
    return scratch_remove(translate.folder);
}

unsigned translate_thread(uint64_t time)
{
    struct omptape_slot *slot = session_new_thread();
    assert_non_null(slot);
    assert_in_range(translate.threads, 0, TRANSLATE_THREADS - 1);
    ((struct omptape_record *)(void *)slot->chunk->records)->time = time;
    translate.slots[translate.threads] = slot;
    if (translate.threads == 0 && translate.writer.begin == 0)
        translate.writer.begin = time;
    return translate.threads++;
}

void translate_end_thread(unsigned thread)
{
    session_end_thread(translate.slots[thread]);
}

void translate_put_words(unsigned thread, uint64_t time, enum omptape_kind kind, unsigned a, uint32_t b,
                         unsigned payload_words, const uint64_t *payload)
{
    struct omptape_slot *slot = translate.slots[thread];
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + payload_words;
    struct omptape_record *record = omptape_producer_reserve(slot, words, kind, a, b);
    assert_non_null(record);
    record->time = time;
    memcpy(record->p, payload, payload_words * sizeof(*payload));
    omptape_producer_commit(slot, record);
}

void translate_put(unsigned thread, uint64_t time, enum omptape_kind kind, unsigned a, uint32_t b,
                   unsigned payload_words, ...)
{
    uint64_t payload[8] = {0};
    va_list arguments;
    va_start(arguments, payload_words);
    for (unsigned i = 0; i < payload_words && i < sizeof(payload) / sizeof(payload[0]); i++)
        payload[i] = va_arg(arguments, uint64_t);
    va_end(arguments);
    translate_put_words(thread, time, kind, a, b, payload_words, payload);
}

struct omptape_merge_result translate_pass(void)
{
    return omptape_merge_pass(&translate.writer);
}

/* Each moment of a thread's life is in one bucket. */
static void expect_all_accounted(const struct omptape_writer *writer, const struct omptape_location *location)
{
    uint64_t sum = 0;
    for (int bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        sum += location->stack.bucket_ticks[bucket];
    assert_int_equal(sum, omptape_locations_lived(writer, location));
}

static void finish_at(uint64_t horizon, uint64_t time)
{
    struct omptape_writer *writer = &translate.writer;
    writer->final = true;
    writer->final_horizon = horizon;
    omptape_merge_pass(writer);
    if (writer->last_time < time)
        writer->last_time = time;
    omptape_device_finish(writer);
    omptape_parallel_synthesise_workers(writer, writer->last_time);
    if (writer->location_count > 0)
        omptape_close_regions(writer, writer->locations[0], writer->last_time);
    omptape_locations_leave_program(writer, writer->last_time, false);
    uint64_t end = writer->last_time;
    for (uint32_t i = 0; i < writer->location_count; i++)
        omptape_close_location(writer, writer->locations[i], end);
    for (uint32_t i = 0; i < writer->location_count; i++)
        expect_all_accounted(writer, writer->locations[i]);
    omptape_observe_adopt(writer, end);
    omptape_archive_check(&writer->archive, OTF2_Archive_CloseEvtFiles(writer->archive.otf2),
                          "closing the event files");
    omptape_definitions_write(writer, RESOLUTION);
    omptape_region_filter_report(writer);
    omptape_archive_close(&writer->archive);
    assert_string_equal(writer->archive.error, "");
}

void translate_finish_only(uint64_t time)
{
    finish_at(UINT64_MAX, time);
}

void translate_finish_at(uint64_t horizon, uint64_t time)
{
    finish_at(horizon, time);
    translate.text = archive_text_read(translate.folder);
}

void translate_finish(uint64_t time)
{
    translate_finish_at(UINT64_MAX, time);
}

void translate_expect(unsigned location, const char *text)
{
    assert_non_null(translate.text);
    assert_in_range(location, 0, translate.text->locations - 1);
    assert_string_equal(translate.text->events[location], text);
}

void translate_expect_readable(void)
{
    char command[512];
    char complaint[256] = "";
    /* In large pages, since it makes tables of 8 MiB for the smallest archive. */
    snprintf(command, sizeof(command),
             "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432 "
             "otf2-print --silent -Werror %s/traces.otf2 2>&1 >/dev/null",
             translate.folder);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    size_t bytes = fread(complaint, 1, sizeof(complaint) - 1, output);
    complaint[bytes] = '\0';
    int status = pclose(output);
    assert_string_equal(complaint, "");
    assert_int_equal(status, 0);
    assert_string_equal(complaint, "");
}
