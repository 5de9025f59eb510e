/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Maintains the list of other threads. Called by observe.c, which reads these threads like OpenMP's.
 */
#include "writers/observe/others.h"

#include "src/core/array.h"
#include "src/core/sort.h"
#include "src/core/whole.h"
#include "writers/observe/switches.h"
#include "writers/state/locations.h"
#include "writers/state/sched.h"
#include "writers/translate/created_threads.h"
#include "writers/translate/samples.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of living threads in the list, of kept ended ones, and of created ones in no list. */
enum { MAX_ALIVE = 4096, MAX_ENDED = 64, MAX_CREATED = 4096 };
/* Maximum number of other threads that get a location at the end. */
enum { MAX_SHOWN = 64 };

/* A thread gets a location if it used a hundredth of the time since the start, and one tick. */
enum { PART_OF_LIFE = 100 };
static const uint64_t min_ns = 10000000;

/* Sorts by processor time, largest first. */
static int compare_times(const void *left, const void *right);

static uint64_t running(const struct omptape_location *location)
{
    return location->sched != NULL ? location->sched->latest.sums[OMPTAPE_MEMBER_RUNNING] : 0;
}

static int compare_times(const void *left, const void *right)
{
    const uint64_t one = running(*(struct omptape_location *const *)left);
    const uint64_t other = running(*(struct omptape_location *const *)right);
    return (one < other) - (one > other);
}

/* Lists the threads of OpenMP, again if there are new ones. Returns false if out of memory. */
static bool list_known(struct omptape_others *others, const struct omptape_writer *writer)
{
    if (others->known != NULL && others->known_of == writer->thread_count)
        return true;
    uint32_t *known = realloc(others->known, (2 * (size_t)writer->location_count + 1) * sizeof(*known));
    if (known == NULL)
        return false;
    others->known = known;
    others->known_count = 0;
    others->known_of = writer->thread_count;
    for (uint32_t i = 0; i < writer->location_count; i++) {
        if (!omptape_location_is_of_openmp(writer->locations[i]))
            continue;
        known[others->known_count++] = writer->locations[i]->tid;
        known[others->known_count++] = writer->locations[i]->first_tid;
    }
    omptape_sort(known, others->known_count, sizeof(*known), omptape_compare_tids);
    return true;
}

static bool is_known(const struct omptape_others *others, uint32_t tid)
{
    return bsearch(&tid, others->known, others->known_count, sizeof(tid), omptape_compare_tids) != NULL;
}

static bool is_expensive(const struct omptape_writer *writer, const struct omptape_location *location,
                         uint64_t time)
{
    const uint64_t begin = writer->begin;
    const uint64_t resolution = omptape_timeline_resolution(&writer->timeline);
    const double seconds = (double)(time > begin ? time - begin : 0) / (double)resolution;
    return running(location) >= min_ns && (double)running(location) * (double)PART_OF_LIFE >= seconds * 1e9;
}

bool omptape_others_should_have_ring(const struct omptape_writer *writer,
                                     const struct omptape_location *location, uint64_t now)
{
    return location->other == NULL || location->tid == (uint32_t)writer->settings->pid ||
           is_expensive(writer, location, now);
}

/* Adds the thread to the rest and frees it. With a flight recorder nothing is added: OpenMP may know the
 * thread, and its record may not have been read. */
static void sum_up(struct omptape_others *others, const struct omptape_writer *writer,
                   struct omptape_location *location)
{
    if (!writer->forgetting) {
        others->rest_count++;
        others->rest_ns += running(location);
    }
    omptape_location_free(location);
}

/* Keeps an ended thread if it is expensive enough; otherwise adds it to the rest. */
static void add_ended(struct omptape_others *others, const struct omptape_writer *writer,
                      struct omptape_location *location, uint64_t now)
{
    if (others->ended == NULL)
        others->ended = calloc(MAX_ENDED + 1, sizeof(struct omptape_location *));
    if (others->ended == NULL || !is_expensive(writer, location, now)) {
        sum_up(others, writer, location);
        return;
    }
    others->ended[others->ended_count++] = location;
    if (others->ended_count <= MAX_ENDED)
        return;
    omptape_sort(others->ended, others->ended_count, sizeof(struct omptape_location *), compare_times);
    sum_up(others, writer, others->ended[--others->ended_count]);
}

/* Ends the observation of a thread that has ended or that OpenMP has registered. Returns false and frees the
 * entry if OpenMP has registered it. */
static bool end_entry(const struct omptape_others *others, struct omptape_switch_rings *rings,
                      struct omptape_writer *writer, struct omptape_location *location)
{
    if (!is_known(others, location->tid)) {
        omptape_switches_note_last(rings, writer, location);
        omptape_switches_close(rings, writer, location);
        return true;
    }
    omptape_switches_discard(rings, location);
    omptape_location_free(location);
    return false;
}

/* Removes a thread from the list of living ones. Its place becomes empty: searches follow. */
static void drop(struct omptape_others *others, struct omptape_switch_rings *rings,
                 struct omptape_writer *writer, struct omptape_location **place, uint64_t now)
{
    struct omptape_location *location = *place;
    const bool has_ended = end_entry(others, rings, writer, location);
    *place = NULL;
    if (has_ended)
        add_ended(others, writer, location, now);
}

/* Returns the thread's entry in the sorted list of living threads, or NULL if it is new. Drops the entries
 * with smaller numbers, which have ended, and advances `left`. */
static struct omptape_location *find_alive(struct omptape_others *others, struct omptape_switch_rings *rings,
                                           struct omptape_writer *writer, uint32_t tid,
                                           struct omptape_location ***left, uint64_t now)
{
    struct omptape_location **end = others->alive + others->alive_count;
    for (; *left < end && (**left)->tid < tid; (*left)++)
        drop(others, rings, writer, *left, now);
    return *left < end && (**left)->tid == tid ? *(*left)++ : NULL;
}

static struct omptape_location *find_entry(const struct omptape_others *others, uint32_t tid)
{
    for (uint32_t i = 0; i < others->alive_count; i++)
        if (others->alive[i] != NULL && others->alive[i]->tid == tid)
            return others->alive[i];
    for (uint32_t i = 0; i < others->ended_count; i++)
        if (others->ended[i] != NULL && others->ended[i]->tid == tid)
            return others->ended[i];
    return NULL;
}

static void set_creation(struct omptape_location *location, const struct omptape_created_thread *created)
{
    location->origin.creator = created->creator;
    location->origin.number = created->number;
    /* Its begin follows its creation also in the order of time. */
    location->begin = created->time + 1;
    location->first_begin = location->begin;
}

void omptape_others_note_created(struct omptape_others *others, const struct omptape_created_thread *created)
{
    struct omptape_location *entry = find_entry(others, created->tid);
    /* An entry that began before is of an earlier thread with the same number. */
    if (entry != NULL && entry->origin.creator == 0 && created->time <= entry->begin)
        set_creation(entry, created);
    else if (others->created_count < MAX_CREATED)
        (void)OMPTAPE_APPEND(others->created, others->created_count, others->created_capacity, *created);
}

/* Removes the thread from the list of created threads. Returns false if it is not there. */
static bool take_created(struct omptape_others *others, uint32_t tid, struct omptape_created_thread *created)
{
    for (uint32_t i = 0; i < others->created_count; i++) {
        if (others->created[i].tid != tid)
            continue;
        *created = others->created[i];
        others->created[i] = others->created[--others->created_count];
        return true;
    }
    return false;
}

/* Removes the threads that the last two lists did not show: their lives were short. */
static void drop_missed(struct omptape_others *others, const struct omptape_writer *writer, bool at_end)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < others->created_count; i++) {
        struct omptape_created_thread created = others->created[i];
        if (is_known(others, created.tid))
            continue;
        if (created.is_missed || at_end) {
            others->rest_count += !writer->forgetting;
            continue;
        }
        created.is_missed = true;
        others->created[left++] = created;
    }
    others->created_count = left;
}

/* Returns the living thread with this number, whether OpenMP knows it or not; NULL: none. */
static struct omptape_location *find_living(const struct omptape_others *others,
                                            const struct omptape_writer *writer, uint32_t tid)
{
    for (uint32_t i = 0; i < omptape_others_thread_count(others, writer); i++) {
        struct omptape_location *location = omptape_others_thread_at(others, writer, i);
        if (location != NULL && location->tid == tid && location->device == NULL && location->end == 0)
            return location;
    }
    return NULL;
}

void omptape_others_note_ended(const struct omptape_others *others, struct omptape_writer *writer,
                               struct omptape_location *location, uint64_t time)
{
    location->origin.ended = time;
    if (location->other != NULL && location->origin.number == 0 &&
        location->tid != (uint32_t)writer->settings->pid)
        location->origin.number = omptape_created_threads_number(writer);
    const bool is_shown = location->other != NULL || omptape_created_threads_has_begun(writer, location);
    struct omptape_location *joiner = location->origin.joiner != 0 && is_shown
                                          ? find_living(others, writer, location->origin.joiner)
                                          : NULL;
    /* The wait ends after the thread also in the order of time. */
    if (joiner != NULL)
        omptape_created_threads_queue(joiner, time + 1, OMPTAPE_RECORD_THREAD_WAIT, location->origin.number);
}

void omptape_others_note_joining(const struct omptape_others *others, const struct omptape_writer *writer,
                                 uint32_t tid, uint32_t joiner)
{
    struct omptape_location *joined = find_living(others, writer, tid);
    if (joined == NULL)
        return;
    joined->origin.joiner = joiner;
    joined->origin.seen_joining++;
}

/* Creates an entry. The initial thread exists since the program's begin, any other one since its creation, or
 * since `now` if that is unknown. */
static struct omptape_location *make_entry(struct omptape_others *others, const struct omptape_writer *writer,
                                           uint32_t tid, uint64_t now)
{
    struct omptape_created_thread created;
    struct omptape_location *entry =
        omptape_location_of_other(tid, tid == (uint32_t)writer->settings->pid ? writer->begin : now);
    if (entry != NULL && take_created(others, tid, &created))
        set_creation(entry, &created);
    return entry;
}

void omptape_others_update(struct omptape_others *others, struct omptape_switch_rings *rings,
                           struct omptape_writer *writer, const uint32_t *tids, uint32_t count, uint64_t now)
{
    struct omptape_location **list = calloc((size_t)count + 1, sizeof(struct omptape_location *));
    struct omptape_location **left = others->alive;
    uint32_t alive = 0;
    if (list == NULL || !list_known(others, writer)) {
        free(list);
        return;
    }
    for (uint32_t i = 0; i < count && alive < MAX_ALIVE; i++) {
        struct omptape_location *location = find_alive(others, rings, writer, tids[i], &left, now);
        if (location != NULL && is_known(others, tids[i]))
            drop(others, rings, writer, left - 1, now);
        else if (!is_known(others, tids[i]) &&
                 (location != NULL || (location = make_entry(others, writer, tids[i], now)) != NULL))
            list[alive++] = location;
    }
    (void)find_alive(others, rings, writer, UINT32_MAX, &left, now);
    free(others->alive);
    others->alive = list;
    others->alive_count = alive;
    drop_missed(others, writer, false);
}

void omptape_others_move_to_location(struct omptape_others *others, struct omptape_switch_rings *rings,
                                     struct omptape_location *location)
{
    struct omptape_location *entry =
        omptape_location_is_of_openmp(location) ? find_entry(others, location->tid) : NULL;
    struct omptape_created_thread created = {.creator = 0};
    if (entry == NULL && take_created(others, location->tid, &created)) {
        location->origin.creator = created.creator;
        location->origin.number = created.number;
    }
    if (entry == NULL)
        return;
    location->origin = entry->origin;
    if (location->sched == NULL) {
        location->sched = entry->sched;
        entry->sched = NULL;
    }
    if (location->samples.list == NULL && location->samples.used == NULL) {
        location->samples = entry->samples;
        location->pending = true;
        entry->samples = (struct omptape_samples){.list = NULL};
    }
    omptape_switches_move_ring(rings, entry, location);
    /* The entry stays until the threads are listed again; it must not get a ring of its own. */
    entry->switches_tid = entry->tid;
}

void omptape_others_move_remaining(struct omptape_others *others, struct omptape_switch_rings *rings,
                                   struct omptape_writer *writer)
{
    if (others->known_of == writer->thread_count)
        return;
    for (uint32_t i = 0; i < writer->location_count; i++)
        if (writer->locations[i]->sched == NULL)
            omptape_others_move_to_location(others, rings, writer->locations[i]);
}

/* Adds the location to the archive, writes its samples and readings, and closes it. Returns false if out of
 * memory. */
static bool add_to_archive(struct omptape_writer *writer, struct omptape_location *location, uint64_t time)
{
    if (!omptape_locations_adopt(writer, location, time))
        return false;
    if (location->begin >= writer->window_begin)
        omptape_created_threads_begin(writer, location);
    if (location->origin.creator != 0 && location->begin >= writer->window_begin)
        omptape_sched_write_begin(writer, location);
    /* The time of its last event and the time of its end differ by some ns. */
    const uint64_t ended = location->origin.ended;
    const uint64_t until = ended > 0 && ended <= time ? ended - 1 : time;
    omptape_samples_finish_other(writer, location, until);
    omptape_sched_finish(writer, location, until);
    omptape_created_threads_end(writer, location, time);
    location->closed = true;
    (void)omptape_archive_close_location(&writer->archive, location->events);
    return true;
}

/* Sorts by begin, the earliest first, then by number. */
static int compare_begins(const void *left, const void *right)
{
    const struct omptape_location *one = *(struct omptape_location *const *)left;
    const struct omptape_location *other = *(struct omptape_location *const *)right;
    const int order = omptape_order(one->begin, other->begin);
    return order != 0 ? order : omptape_order(one->tid, other->tid);
}

/* Adds the most expensive threads of `list` to the archive, at most MAX_SHOWN, a creator before the threads
 * that it created. Adds the others to the rest. */
static void add_locations(struct omptape_others *others, struct omptape_writer *writer,
                          struct omptape_location **list, uint32_t count, uint64_t time)
{
    omptape_sort(list, count, sizeof(struct omptape_location *), compare_times);
    uint32_t shown = 0;
    while (shown < count && shown < MAX_SHOWN && is_expensive(writer, list[shown], time))
        shown++;
    for (uint32_t i = shown; i < count; i++)
        sum_up(others, writer, list[i]);
    omptape_sort(list, shown, sizeof(struct omptape_location *), compare_begins);
    for (uint32_t i = 0; i < shown; i++)
        if (!add_to_archive(writer, list[i], time))
            sum_up(others, writer, list[i]);
}

void omptape_others_adopt(struct omptape_others *others, struct omptape_switch_rings *rings,
                          struct omptape_writer *writer, uint64_t time)
{
    const uint32_t count = others->alive_count + others->ended_count;
    struct omptape_location **all = calloc((size_t)count + 1, sizeof(struct omptape_location *));
    uint32_t unknown = 0;
    if (all == NULL || !list_known(others, writer)) {
        free(all);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct omptape_location **place =
            i < others->alive_count ? &others->alive[i] : &others->ended[i - others->alive_count];
        if (end_entry(others, rings, writer, *place))
            all[unknown++] = *place;
        else
            *place = NULL; /* Rings that are read later search the lists. */
    }
    others->alive_count = 0;
    others->ended_count = 0;
    drop_missed(others, writer, true);
    add_locations(others, writer, all, unknown, time);
    free(all);
}

void omptape_others_free(struct omptape_others *others)
{
    for (uint32_t i = 0; i < others->alive_count; i++)
        omptape_location_free(others->alive[i]);
    for (uint32_t i = 0; i < others->ended_count; i++)
        omptape_location_free(others->ended[i]);
    free(others->alive);
    free(others->ended);
    free(others->known);
    free(others->created);
    *others = (struct omptape_others){.alive = NULL};
}
