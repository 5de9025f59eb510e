/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges the threads' records in order of time, with a heap of the streams' next records.
 */
#include "writers/merge.h"

#include "writers/observe/observe.h"
#include "writers/profile/profile.h"
#include "writers/state/threads.h"
#include "writers/translate/teams.h"
#include "writers/translate/translate.h"
#include "writers/translate/translators.h"

#include <stdlib.h>
#include <string.h>

/* Records up to this length are copied without a look at their length. */
enum { SHORT_WORDS = 4 };
/* Distance of the prefetch of a thread's records. They are still in the cache of another processor. */
enum { FETCH_AHEAD_BYTES = 512 };

/* The next record of a stream. */
struct merge_head {
    uint64_t time;
    /* Order tie_break records of the same time: the event's rank in the upper half, the slot in the lower
     * one. */
    uint64_t tie_break;
};

enum { HEADS = OMPTAPE_MAX_SLOTS, GUARDS = 2 };

struct merge_heap {
    /* The guards behind the last head sort after all others and replace missing children. */
    struct merge_head heads[HEADS + GUARDS];
    uint32_t count;
    uint64_t now; /* Time when the pass began. */
};

static uint64_t place_record(struct omptape_writer *writer, struct omptape_thread *thread,
                             const struct omptape_record *record, uint64_t now)
{
    return omptape_timeline_place(&writer->timeline, &thread->clock, record->time, now);
}

enum { RANK_AT = 32 };

static inline struct merge_head head_of(uint32_t slot, const struct omptape_record *record, uint64_t time)
{
    uint64_t rank = omptape_translations[record->kind].rank[omptape_translate_is_end(record)];
    return (struct merge_head){.time = time, .tie_break = rank << RANK_AT | slot};
}

static inline uint32_t slot_of(const struct merge_head *head)
{
    return (uint32_t)head->tie_break;
}

static inline bool is_head_before(const struct merge_head *a, const struct merge_head *b)
{
    return a->time < b->time || (a->time == b->time && a->tie_break < b->tie_break);
}

/* Moves the head at `at` down to its position. The heap below it is already in order. */
static void sift_down(struct merge_heap *heap, uint32_t at)
{
    struct merge_head *heads = heap->heads;
    const struct merge_head moving = heads[at];
    for (uint32_t child = 2 * at + 1; child < heap->count; child = 2 * at + 1) {
        child += is_head_before(&heads[child + 1], &heads[child]);
        if (!is_head_before(&heads[child], &moving))
            break;
        heads[at] = heads[child];
        at = child;
    }
    heads[at] = moving;
}

static void set_guards(struct merge_heap *heap)
{
    for (uint32_t i = 0; i < GUARDS; i++)
        heap->heads[heap->count + i] = (struct merge_head){.time = UINT64_MAX};
}

static void build_heap(struct merge_heap *heap)
{
    set_guards(heap);
    for (uint32_t i = heap->count / 2; i > 0; i--)
        sift_down(heap, i - 1);
}

static void finish_stream(struct omptape_writer *writer, struct omptape_stream *stream)
{
    struct omptape_location *location = writer->threads[stream->slot].location;
    uint64_t dropped;
    if (!omptape_consumer_finish(&writer->consumer, stream, &dropped))
        return;
    omptape_gaps_close(writer, location, dropped);
    writer->threads[stream->slot] = (struct omptape_thread){.location = NULL};
    if (location == NULL)
        return;
    /* The first location stays open, because it still gets the program's end. */
    if (location->index == 0)
        omptape_close_regions(writer, location, writer->last_time);
    else
        omptape_close_ended(writer, location, writer->last_time);
}

/* Returns true if the stream's thread is dropping records: its leave events may be lost until its end. */
static bool is_dropping(const struct omptape_writer *writer, const struct omptape_stream *stream)
{
    return omptape_consumer_is_dropping(&writer->consumer, stream);
}

/* Called when a stream is empty. Finishes its thread, unless that thread has dropped its last records:
 * then it waits until the other streams have been read. */
static void run_out(struct omptape_writer *writer, struct omptape_stream *stream)
{
    if (!is_dropping(writer, stream))
        finish_stream(writer, stream);
}

static void finish_dropping_streams(struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < writer->consumer.stream_count; i++) {
        struct omptape_stream *stream = &writer->consumer.streams[i];
        if (stream->active && is_dropping(writer, stream) &&
            omptape_consumer_peek(&writer->consumer, stream) == NULL)
            finish_stream(writer, stream);
    }
}

static void collect_heads(struct omptape_writer *writer, struct merge_heap *heap, uint64_t horizon)
{
    heap->count = 0;
    omptape_consumer_refresh(&writer->consumer);
    for (uint32_t i = 0; i < writer->consumer.stream_count; i++) {
        struct omptape_stream *stream = &writer->consumer.streams[i];
        if (!stream->active)
            continue;
        const struct omptape_record *record = omptape_consumer_peek(&writer->consumer, stream);
        if (record == NULL) {
            run_out(writer, stream);
            continue;
        }
        uint64_t time = place_record(writer, &writer->threads[i], record, heap->now);
        if (time < horizon)
            heap->heads[heap->count++] = head_of(i, record, time);
    }
    build_heap(heap);
}

/* Returns the time of the second earliest record, at most `horizon`. The earliest may be translated until
 * then. */
static uint64_t second_time(const struct merge_heap *heap, uint64_t horizon)
{
    uint64_t second = heap->heads[1].time < heap->heads[2].time ? heap->heads[1].time : heap->heads[2].time;
    return second < horizon ? second : horizon;
}

/* Converts the record's time, and further clock readings in some of omptape's records, to the trace's
 * times. */
static void date_record(const struct omptape_timeline *timeline, struct omptape_record *record, uint64_t time)
{
    uint64_t by = time - omptape_timeline_ticks(timeline, record->time);
    unsigned words = record->words - (unsigned)OMPTAPE_RECORD_HEADER_WORDS;
    record->time = time;
    if (record->kind < OMPTAPE_FIRST_OWN)
        return;
    if (record->kind == OMPTAPE_STALL && words > 0)
        record->p[0] = omptape_timeline_ticks(timeline, record->p[0]) + by;
    if (record->kind == OMPTAPE_DROPPED && words > 1)
        record->p[1] = omptape_timeline_ticks(timeline, record->p[1]) + by;
    if (record->kind != OMPTAPE_DEVICE_ANCHOR || record->a == OMPTAPE_ANCHOR_TRANSLATED)
        return;
    for (unsigned i = 0; i + 3 <= words; i += 3) {
        record->p[i] = omptape_timeline_ticks(timeline, record->p[i]) + by;
        record->p[i + 2] = omptape_timeline_ticks(timeline, record->p[i + 2]) + by;
    }
}

/* A copy of a record, which the program cannot change during the translation. */
union merge_copy {
    struct omptape_record record;
    uint64_t words[OMPTAPE_RECORD_MAX_WORDS];
};

/* Copies the header. The second word has the kind and the length; it is read only once, because the
 * program may overwrite it at any time. */
static inline void copy_head(union merge_copy *copy, const unsigned char *from)
{
    copy->words[1] = ((const volatile uint64_t *)(const volatile void *)from)[1];
    memcpy(copy->words, from, sizeof(copy->words[0]));
}

/* Reading position of a stream in its chunk. */
struct merge_place {
    const unsigned char *at; /* Address of the next record. */
    /* Highest address at which a short record still lies completely in the committed bytes. */
    const unsigned char *last;
};

static inline struct merge_place place_of(const struct omptape_stream *stream)
{
    const unsigned char *records = stream->chunk->records;
    return (struct merge_place){.at = records + stream->offset,
                                .last = records + stream->committed - sizeof(uint64_t[SHORT_WORDS])};
}

static inline void set_place(struct omptape_stream *stream, const struct merge_place *place)
{
    stream->offset = (uint32_t)(place->at - stream->chunk->records);
}

/* Copies the next record. Returns false if it is not short, or if this chunk may have no more records.
 * Most records are so short that copying SHORT_WORDS words is faster than checking their length. */
static inline bool copy_short(const struct merge_place *place, union merge_copy *copy)
{
    const unsigned char *from = place->at;
    if (from > place->last)
        return false;
    copy_head(copy, from);
    memcpy(copy->words + 2, from + 2 * sizeof(copy->words[0]), (SHORT_WORDS - 2) * sizeof(copy->words[0]));
    return copy->record.words - 2U <= SHORT_WORDS - 2U;
}

/* Copies the next record of any length, found by omptape_consumer_peek. Returns false if there is none. */
static __attribute__((noinline)) bool copy_any(struct omptape_writer *writer, struct omptape_stream *stream,
                                               union merge_copy *copy)
{
    const struct omptape_record *record;
    while ((record = omptape_consumer_peek(&writer->consumer, stream)) != NULL) {
        copy_head(copy, (const void *)record);
        size_t bytes = copy->record.words * sizeof(copy->words[0]);
        if (bytes >= sizeof(copy->record) && bytes <= stream->committed - stream->offset) {
            memcpy(copy->record.p, record->p, bytes - sizeof(copy->record));
            return true;
        }
    }
    return false;
}

/* Returns true for records of a thread that only delivers devices' records. It gets no location. */
static bool only_delivers(struct omptape_thread *thread, const struct omptape_record *record)
{
    if (record->kind == OMPTAPE_THREAD_BEGIN && record->a == OMPTAPE_THREAD_DELIVERS) {
        thread->delivers = record->b;
        return true;
    }
    return record->kind >= OMPTAPE_FIRST_OF_DEVICES ||
           (thread->delivers != 0 && thread->location == NULL &&
            (record->kind >= OMPTAPE_FIRST_OWN || record->kind == OMPTAPE_THREAD_END));
}

static bool has_freed_enough(const struct omptape_writer *writer)
{
    return writer->stop_at_freed != 0 && writer->consumer.chunks_returned >= writer->stop_at_freed;
}

/* Returns true if the record begins a member of a team that is already formed. */
static bool joins_formed(const struct omptape_writer *writer, const struct omptape_record *record)
{
    return record->kind == OMPTAPE_IMPLICIT_BEGIN && record->words >= 4 &&
           omptape_teams_is_formed(writer, record);
}

/* Returns the translator of an event that concerns only its own thread, or NULL for other events. */
static inline omptape_translator *translator_of(const struct omptape_writer *writer,
                                                const struct omptape_record *record,
                                                const struct omptape_translation *translation)
{
    omptape_translator *own = translation->translate[omptape_translate_is_end(record)];
    return __builtin_expect(own == NULL, 0) && joins_formed(writer, record) ? translation->unusual : own;
}

/* Translates all other records: the first of a thread or team, omptape's own, those of devices. Returns
 * false if the record has to wait. */
static __attribute__((noinline)) bool translate_unusual(struct omptape_writer *writer, uint32_t slot,
                                                        struct omptape_record *record, uint64_t time)
{
    struct omptape_thread *thread = &writer->threads[slot];
    bool full = writer->archive.disk_reserve.full;
    date_record(&writer->timeline, record, time);
    if (!full && record->kind == OMPTAPE_IMPLICIT_BEGIN && record->words >= 4 &&
        !omptape_teams_gather(writer, slot, record))
        return false;
    /* The location of a thread that begins may exist already: another member's record formed its team. */
    const bool is_new = thread->location == NULL || record->kind == OMPTAPE_THREAD_BEGIN;
    if (only_delivers(thread, record) || full || omptape_threads_location(writer, slot) != NULL) {
        if (is_new && thread->location != NULL)
            omptape_observe_thread_registered(writer, thread->location);
        omptape_translate(writer, thread->location, record);
    }
    return true;
}

enum stream_state { STREAM_GOES_ON, STREAM_EMPTY, STREAM_BLOCKED };

static enum stream_state empty_stream(struct omptape_writer *writer, struct omptape_stream *stream)
{
    run_out(writer, stream);
    return STREAM_EMPTY;
}

/* Translates the next record of the earliest stream, and its following records that are before `until`. */
static enum stream_state run_stream(struct omptape_writer *writer, struct merge_heap *heap, uint64_t until)
{
    static union merge_copy copy;
    struct merge_head *head = &heap->heads[0];
    const uint32_t slot = slot_of(head);
    struct omptape_stream *stream = &writer->consumer.streams[slot];
    struct omptape_thread *thread = &writer->threads[slot];
    uint64_t time = head->time;
    struct merge_place place = place_of(stream);
    if (!copy_short(&place, &copy)) {
        if (!copy_any(writer, stream, &copy))
            return empty_stream(writer, stream);
        place = place_of(stream);
    }
    for (;;) {
        __builtin_prefetch(place.at + FETCH_AHEAD_BYTES);
        const struct omptape_translation *translation = &omptape_translations[copy.record.kind];
        omptape_translator *translate = translator_of(writer, &copy.record, translation);
        if (translate != NULL && thread->location != NULL && !writer->archive.disk_reserve.full) {
            copy.record.time = time;
            writer->record_count++;
            omptape_translate_own(writer, thread->location, &copy.record, translation, translate);
            place.at += copy.record.words * sizeof(copy.words[0]);
        } else {
            set_place(stream, &place);
            if (!translate_unusual(writer, slot, &copy.record, time))
                return STREAM_BLOCKED;
            omptape_consumer_advance(stream, &copy.record);
            place = place_of(stream);
        }
        if (!copy_short(&place, &copy)) {
            set_place(stream, &place);
            if (!copy_any(writer, stream, &copy))
                return empty_stream(writer, stream);
            place = place_of(stream);
            /* copy_any may have returned a chunk to the pool, and a profile may have enough events. */
            if (has_freed_enough(writer) || (writer->sums != NULL && omptape_profile_is_full(writer->sums)))
                until = 0;
        }
        time = place_record(writer, thread, &copy.record, heap->now);
        if (time >= until)
            break;
    }
    set_place(stream, &place);
    *head = head_of(slot, &copy.record, time);
    return STREAM_GOES_ON;
}

/* Restores the heap after its top has changed, or removes the top if `over`. */
static void update_top(struct merge_heap *heap, bool over)
{
    if (over) {
        heap->heads[0] = heap->heads[--heap->count];
        set_guards(heap);
    }
    sift_down(heap, 0);
}

struct omptape_merge_result omptape_merge_pass(struct omptape_writer *writer)
{
    static struct merge_heap heap;
    struct omptape_merge_result result = {.blocked = false};
    heap.now = omptape_timeline_now(&writer->timeline);
    /* A thread's creation is known before its first record is translated. */
    const uint64_t known = writer->observed > 0 && writer->observed < heap.now ? writer->observed : heap.now;
    uint64_t horizon = writer->final ? writer->final_horizon : known;
    result.horizon = horizon;
    collect_heads(writer, &heap, horizon);
    while (heap.count > 0 && !has_freed_enough(writer)) {
        enum stream_state state = run_stream(writer, &heap, second_time(&heap, horizon));
        if (state == STREAM_BLOCKED) {
            result.blocked = true;
            break;
        }
        update_top(&heap, state == STREAM_EMPTY || heap.heads[0].time >= horizon);
        if (writer->sums != NULL && omptape_profile_is_full(writer->sums))
            omptape_profile_advance(writer, heap.count > 0 ? heap.heads[0].time : horizon);
    }
    if (!result.blocked && !has_freed_enough(writer))
        finish_dropping_streams(writer);
    if (writer->sums != NULL && !result.blocked)
        omptape_profile_advance(writer, horizon);
    omptape_consumer_wake_waiting(&writer->consumer);
    return result;
}
