/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tracks the threads of the process that neither OpenMP nor MPI knows: those of the program's own pool, a
 * library or a runtime. Threads with much processor time get a location at the end. The others are only
 * summed up, so memory does not grow with the number of threads that start and end. Writer's main thread.
 */
#pragma once

#include "writers/state/writer.h"

struct omptape_switch_rings;

/* `alive` holds the threads of the last list, sorted by number. `ended` holds the ended threads with the most
 * processor time. No entry is in the writer's list of locations. The structure is initialised to zeros. */
/* A thread whose creation the kernel has recorded, and that was in no list of threads so far. */
struct omptape_created_thread {
    uint32_t tid;
    uint32_t creator;
    uint32_t number; /* writers/translate/created_threads.h */
    uint64_t time;
    bool is_missed; /* a list of threads was read since then */
};

struct omptape_others {
    struct omptape_location **alive;
    uint32_t alive_count;
    struct omptape_location **ended;
    uint32_t ended_count;
    uint32_t rest_count; /* number of ended threads that are not in `ended` */
    uint64_t rest_ns;    /* processor time of these, ns */
    uint32_t *known;     /* sorted numbers of OpenMP's threads */
    uint32_t known_count;
    uint32_t known_of; /* the writer's thread_count when `known` was made */
    struct omptape_created_thread *created;
    uint32_t created_count;
    uint32_t created_capacity;
};

/* All observed threads: the writer's locations, followed by the other living threads. */
static inline uint32_t omptape_others_thread_count(const struct omptape_others *others,
                                                   const struct omptape_writer *writer)
{
    return writer->location_count + others->alive_count;
}
static inline struct omptape_location *
omptape_others_thread_at(const struct omptape_others *others, const struct omptape_writer *writer, uint32_t i)
{
    return i < writer->location_count ? writer->locations[i] : others->alive[i - writer->location_count];
}

/* Returns true if the thread should get a ring of events at the time `now`. This holds for OpenMP's threads,
 * for other threads with much processor time, and for the initial thread, which OpenMP may soon register. */
bool omptape_others_should_have_ring(const struct omptape_writer *writer,
                                     const struct omptape_location *location, uint64_t now);

/* Returns true if samples of the thread are recorded now. For OpenMP's threads the translation decides. */
static inline bool omptape_others_are_recorded(const struct omptape_writer *writer,
                                               const struct omptape_location *location)
{
    return location->other == NULL || !(writer->forgetting ? writer->paused_by_program : writer->paused);
}

/* Notes a thread that the kernel has recorded as created. */
void omptape_others_note_created(struct omptape_others *others, const struct omptape_created_thread *created);
/* Notes that the location's thread ended at `time`: this ends the wait of the thread that joins it. */
void omptape_others_note_ended(const struct omptape_others *others, struct omptape_writer *writer,
                               struct omptape_location *location, uint64_t time);
/* Notes that `joiner` was found waiting for the end of the thread `tid`, which may be one of OpenMP's. */
void omptape_others_note_joining(const struct omptape_others *others, const struct omptape_writer *writer,
                                 uint32_t tid, uint32_t joiner);

/* Updates the list with the threads that exist at the time `now` (`tids`, sorted). New threads are added;
 * ended threads and threads that OpenMP has registered are removed. */
void omptape_others_update(struct omptape_others *others, struct omptape_switch_rings *rings,
                           struct omptape_writer *writer, const uint32_t *tids, uint32_t count, uint64_t now);

/* Called when OpenMP has registered the location's thread: moves what was observed before to the location. */
void omptape_others_move_to_location(struct omptape_others *others, struct omptape_switch_rings *rings,
                                     struct omptape_location *location);

/* Called after all records have been read. Moves readings to the locations that were never read, because
 * OpenMP's records came late (flight recorder). */
void omptape_others_move_remaining(struct omptape_others *others, struct omptape_switch_rings *rings,
                                   struct omptape_writer *writer);

/* Gives each of the most expensive threads a location with its samples and readings, up to `time`. Called
 * before the archive is finished. OMPTAPE_KEY_OTHER_THREADS and _TIME describe the remaining threads. */
void omptape_others_adopt(struct omptape_others *others, struct omptape_switch_rings *rings,
                          struct omptape_writer *writer, uint64_t time);

void omptape_others_free(struct omptape_others *others);
