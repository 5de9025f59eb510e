/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The process's threads that neither OpenMP nor MPI knows: those of the program's own pool, of a library, of
 * a runtime. Threads that used much of a processor get a location at the end. Of the others only the sum is
 * kept. So memory does not grow with the number of threads that come and go. The writer's main thread.
 */
#pragma once

#include "writers/state/writer.h"

struct omptape_switch_rings;

/* `alive` are those that were there when the threads were listed last, in the order of their numbers. `ended`
 * are the most expensive of those that are gone. Neither is in the writer's list of locations. All zeros at
 * first. */
struct omptape_others {
    struct omptape_location **alive;
    uint32_t alive_count;
    uint32_t alive_capacity;
    struct omptape_location **ended;
    uint32_t ended_count;
    uint32_t rest_count; /* of those that are gone and not in `ended`, */
    uint64_t rest_ns;    /* ...and their processor time */
    uint32_t *known;     /* numbers of OpenMP's threads, sorted */
    uint32_t known_count;
    uint32_t known_of; /* the writer's thread_count when they were listed */
};

/* All threads that are observed: the writer's locations, and then the other threads that live. */
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

/* Is the thread worth a ring of events at the time `now`? One of OpenMP's is, and another that uses much of a
 * processor. So is the initial one, which may be OpenMP's soon. */
bool omptape_others_is_worth_it(const struct omptape_writer *writer, const struct omptape_location *location,
                                uint64_t now);

/* Are samples of the thread recorded now? The translation decides for a thread that OpenMP knows. */
static inline bool omptape_others_are_recorded(const struct omptape_writer *writer,
                                               const struct omptape_location *location)
{
    return location->other == NULL || !(writer->forgetting ? writer->paused_by_program : writer->paused);
}

/* These threads exist at the time `now` (`tids`, sorted): notes which are new, which are gone, and which
 * OpenMP knows by now. */
void omptape_others_update(struct omptape_others *others, struct omptape_switch_rings *rings,
                           struct omptape_writer *writer, const uint32_t *tids, uint32_t count, uint64_t now);

/* OpenMP knows the location's thread from now on: the location gets what was observed before. */
void omptape_others_give(struct omptape_others *others, struct omptape_switch_rings *rings,
                         struct omptape_location *location);

/* All records have been read. What was read of threads that OpenMP knows only now, as a flight recorder's, is
 * for their locations, if these were never read. */
void omptape_others_hand_over(struct omptape_others *others, struct omptape_switch_rings *rings,
                              struct omptape_writer *writer);

/* The archive is about to be finished, at `time`: the writer gets a location for each of the most expensive,
 * with its samples and readings. OMPTAPE_KEY_OTHER_THREADS and _TIME tell of the rest. */
void omptape_others_adopt(struct omptape_others *others, struct omptape_switch_rings *rings,
                          struct omptape_writer *writer, uint64_t time);

void omptape_others_free(struct omptape_others *others);
