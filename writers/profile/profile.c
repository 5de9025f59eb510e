/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profile's life (profile.h): events come from the archive's tap, wait until they are in order, become
 * known to the analysis and go through it.
 */
#include "writers/profile/profile.h"

#include "src/analysis/location.h"
#include "src/analysis/locks.h"
#include "src/analysis/reduce/pass.h"
#include "src/analysis/reduce/profile.h"
#include "src/analysis/tasks.h"
#include "src/analysis/timeline/pyramid.h"
#include "src/archive/otf2_files.h"
#include "src/folder/atomic_file.h"
#include "writers/model/sched.h"
#include "writers/profile/feed.h"
#include "writers/profile/known.h"
#include "writers/profile/order.h"
#include "writers/translate/teams.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Not more events wait for those that are told late. */
enum { MOST = 1 << 16 };

struct omptape_profile {
    struct profile_order order;
    struct omptape_known known;
    struct omptape_fed fed;
    struct omptape_arena arena; /* of what events said */
    struct omptape_said *free;
    struct omptape_analysis_watcher watcher;
    struct omptape_analysis_options options;
    struct analysis_plan plan;
    struct analysis_state *pass; /* NULL: no event yet */
    struct omptape_pyramid *pyramid;
    uint32_t locations; /* that the pyramid has */
    uint64_t events;    /* that were handed on */
    bool no_memory;
};

static inline bool has_said(const struct omptape_tapped *event)
{
    return event->number == OMPTAPE_RECORD_ENTER || event->number == OMPTAPE_RECORD_LEAVE ||
           event->number == OMPTAPE_RECORD_METRIC;
}

static void on_event(void *data, struct omptape_events *events, const struct omptape_tapped *event,
                     const struct omptape_attributes *attributes)
{
    struct omptape_profile *profile = data;
    struct omptape_tapped own = *event;
    if (events->lane == NULL)
        events->lane = (struct omptape_tap_lane *)profile_order_lane(&profile->order, events->location);
    if (events->lane == NULL ||
        (has_said(event) && attributes != NULL &&
         !omptape_feed_attributes(&profile->free, &profile->arena, attributes, &own.said)) ||
        !profile_order_add(&profile->order, (struct profile_order_lane *)events->lane, &own))
        profile->no_memory = true;
}

int omptape_profile_create(struct omptape_writer *writer)
{
    struct omptape_profile *profile = calloc(1, sizeof(*profile));
    writer->profile = profile;
    if (profile == NULL)
        return -ENOMEM;
    omptape_attributes_want(&writer->archive.attributes, omptape_feed_wanted());
    writer->archive.tap = (struct omptape_tap){.data = profile, .event = on_event};
    return 0;
}

bool omptape_profile_is_full(const struct omptape_profile *profile)
{
    return profile->order.is_full;
}

uint64_t omptape_profile_events(const struct omptape_profile *profile)
{
    return profile->events + profile_order_waiting(&profile->order);
}

/* When there is something to look at: by then it is known how fast the clock is. */
static bool begin(struct omptape_profile *profile, struct omptape_writer *writer)
{
    uint64_t resolution = omptape_timeline_resolution(&writer->timeline);
    if (!omptape_known_begin(&profile->known, writer, resolution))
        return false;
    profile->pyramid = omptape_pyramid_begin_growing(profile->known.reader, writer->begin);
    if (profile->pyramid == NULL)
        return false;
    profile->watcher = omptape_pyramid_watcher(profile->pyramid);
    profile->options.watcher = &profile->watcher;
    if (omptape_analysis_plan_make(&profile->plan, profile->known.reader, &profile->options) != 0)
        return false;
    profile->pass = omptape_pass_begin(&profile->plan, 0, 1);
    return profile->pass != NULL;
}

static bool know_locations(struct omptape_profile *profile, struct omptape_writer *writer)
{
    bool good = omptape_known_locations(&profile->known, writer);
    for (; profile->locations < writer->location_count && good; profile->locations++)
        good = omptape_pyramid_add_location(profile->pyramid,
                                            omptape_reader_find(profile->known.reader, OMPTAPE_DEF_LOCATION,
                                                                writer->locations[profile->locations]->ref));
    return good;
}

/* The earliest that may still come is told late: workers tell of the end of a region when they begin the next
 * one, and get the time that the primary thread has told. */
static uint64_t time_of_workers(const struct omptape_writer *writer, uint64_t time)
{
    for (uint32_t i = 0; i < writer->location_count; i++) {
        const struct omptape_location *location = writer->locations[i];
        const struct omptape_team *team = location->stack.within;
        if (location->closed || team == NULL || team->end == 0 || team->primary == location)
            continue;
        uint64_t earliest = omptape_location_time(location, team->barrier_end);
        time = earliest < time ? earliest : time;
    }
    return time;
}

/* Its attributes are no longer needed. */
static void give_back(struct omptape_profile *profile, struct omptape_said *said)
{
    said->next = profile->free;
    profile->free = said;
}

/* False: the region is not known so. */
static inline bool enter(struct omptape_profile *profile, struct analysis_location *location,
                         const struct omptape_tapped *tapped)
{
    const struct omptape_known *known = &profile->known;
    struct analysis_region *region =
        tapped->ref < known->region_count ? known->regions[tapped->ref].met : NULL;
    if (region == NULL)
        return false;
    if (tapped->said == NULL) {
        omptape_analysis_enter(profile->pass, location, tapped->time, region, NULL);
        return true;
    }
    const struct omptape_event event = {.plain = &tapped->said->attributes};
    omptape_analysis_enter(profile->pass, location, tapped->time, region, &event);
    give_back(profile, tapped->said);
    return true;
}

static inline bool leave(struct omptape_profile *profile, struct analysis_location *location,
                         const struct omptape_tapped *tapped)
{
    const struct omptape_known *known = &profile->known;
    struct analysis_region *region =
        tapped->ref < known->region_count ? known->regions[tapped->ref].met : NULL;
    if (region == NULL)
        return false;
    omptape_analysis_leave(profile->pass, location, tapped->time, region);
    if (tapped->said != NULL)
        give_back(profile, tapped->said);
    return true;
}

static inline void hand_on_team(struct omptape_profile *profile, struct analysis_location *location,
                                const struct omptape_tapped *tapped, enum omptape_event_kind kind)
{
    omptape_pass_team(profile->pass, location, tapped->time, kind,
                      kind == OMPTAPE_EVENT_FORK ? tapped->value[0] : tapped->ref);
}

static inline uint64_t task_name(const struct omptape_tapped *tapped)
{
    return omptape_analysis_task_name(tapped->value[0], tapped->value[1]);
}

static inline uint64_t lock_name(const struct omptape_tapped *tapped)
{
    return omptape_analysis_lock_name(tapped->ref, tapped->value[0]);
}

/* Most are of few words. A lane's own is the analysis' location, once that has met it. */
static inline bool hand_on_briefly(struct omptape_profile *profile, const struct profile_order_lane *lane,
                                   const struct omptape_tapped *tapped)
{
    struct analysis_state *pass = profile->pass;
    struct analysis_location *location = lane->own;
    if (location == NULL)
        return false;
    switch (tapped->number) {
    case OMPTAPE_RECORD_ENTER:
        return enter(profile, location, tapped);
    case OMPTAPE_RECORD_LEAVE:
        return leave(profile, location, tapped);
    case OMPTAPE_RECORD_THREAD_FORK:
        hand_on_team(profile, location, tapped, OMPTAPE_EVENT_FORK);
        return true;
    case OMPTAPE_RECORD_THREAD_JOIN:
        hand_on_team(profile, location, tapped, OMPTAPE_EVENT_JOIN);
        return true;
    case OMPTAPE_RECORD_THREAD_TEAM_BEGIN:
        if (tapped->ref >= profile->known.comms)
            return false;
        hand_on_team(profile, location, tapped, OMPTAPE_EVENT_TEAM_BEGIN);
        return true;
    case OMPTAPE_RECORD_THREAD_TEAM_END:
        hand_on_team(profile, location, tapped, OMPTAPE_EVENT_TEAM_END);
        return true;
    case OMPTAPE_RECORD_THREAD_TASK_CREATE:
        omptape_analysis_task_create(pass, location, tapped->time, task_name(tapped));
        return true;
    case OMPTAPE_RECORD_THREAD_TASK_SWITCH:
        omptape_analysis_task_switch(pass, location, tapped->time, task_name(tapped));
        return true;
    case OMPTAPE_RECORD_THREAD_TASK_COMPLETE:
        omptape_analysis_task_complete(pass, location, tapped->time, task_name(tapped));
        return true;
    case OMPTAPE_RECORD_THREAD_ACQUIRE_LOCK:
        omptape_analysis_lock_acquire(pass, location, tapped->time, lock_name(tapped));
        return true;
    case OMPTAPE_RECORD_THREAD_RELEASE_LOCK:
        omptape_analysis_lock_release(pass, location, tapped->time, lock_name(tapped));
        return true;
    default:
        return false;
    }
}

/* The rest, and the first of each. False: no memory. */
__attribute__((noinline)) static bool hand_on_whole(struct omptape_profile *profile,
                                                    struct omptape_writer *writer,
                                                    struct profile_order_lane *lane,
                                                    const struct omptape_tapped *tapped)
{
    const struct omptape_event *event = &profile->fed.event;
    if (!omptape_feed_event(&profile->fed, &profile->known, writer, lane->location, tapped) ||
        !omptape_pass_event(profile->pass, event))
        return false;
    lane->own = omptape_pass_location(profile->pass, event->location);
    if (!has_said(tapped))
        return true;
    if (tapped->number != OMPTAPE_RECORD_METRIC)
        profile->known.regions[tapped->ref].met = omptape_pass_region(profile->pass, event->refs[0].id);
    if (tapped->said != NULL)
        give_back(profile, tapped->said);
    return true;
}

/* All before `time`. */
static bool hand_on(struct omptape_profile *profile, struct omptape_writer *writer, uint64_t time)
{
    struct profile_order *order = &profile->order;
    const struct omptape_tapped *next;
    if (profile->pass == NULL && order->lanes.count > 0 && !begin(profile, writer))
        return false;
    if (profile->pass == NULL)
        return true;
    if (profile->locations < writer->location_count && !know_locations(profile, writer))
        return false;
    if (!profile_order_begin(order, time))
        return false;
    for (; (next = profile_order_take(order)) != NULL; profile->events++)
        if (!hand_on_briefly(profile, order->heap[0], next) &&
            !hand_on_whole(profile, writer, order->heap[0], next))
            return false;
    profile_order_end(order);
    return omptape_pass_goes_on(profile->pass);
}

/* A trace has a reading where the location's next event is; here others go on meanwhile. */
static void show_readings(struct omptape_writer *writer, uint64_t time)
{
    for (uint32_t i = 0; i < writer->location_count; i++)
        if (omptape_sched_waits(writer->locations[i]) && time > 0)
            omptape_sched_show(writer, writer->locations[i], time - 1);
}

void omptape_profile_advance(struct omptape_writer *writer, uint64_t time)
{
    struct omptape_profile *profile = writer->profile;
    if (writer->archive.error[0] != '\0') {
        profile_order_drop(&profile->order);
        return;
    }
    show_readings(writer, time);
    if (profile_order_waiting(&profile->order) < MOST)
        time = time_of_workers(writer, time);
    if (profile->no_memory || !hand_on(profile, writer, time))
        omptape_archive_fail(&writer->archive, -ENOMEM);
}

/* `files`: the archive's handle (src/archive/otf2_files.h). */
static int write_sums(const struct omptape_profile *profile, int files)
{
    struct omptape_bytes bytes;
    int result = omptape_sums_write(&bytes, profile->pass, profile->pyramid);
    int file = result == 0 ? omptape_otf2_files_create(files, OMPTAPE_PROFILE_FILE) : -1;
    if (result == 0)
        result = file >= 0 ? omptape_write_all(file, bytes.list, bytes.count) : file;
    if (file >= 0 && close(file) != 0 && result == 0)
        result = -errno;
    omptape_bytes_free(&bytes);
    return result;
}

void omptape_profile_finish(struct omptape_writer *writer)
{
    struct omptape_profile *profile = writer->profile;
    if (writer->archive.error[0] != '\0')
        return;
    if (profile->no_memory || !hand_on(profile, writer, UINT64_MAX) || profile->pass == NULL ||
        !omptape_pass_end(profile->pass)) {
        omptape_archive_fail(&writer->archive, -ENOMEM);
        return;
    }
    omptape_pyramid_end(profile->pyramid);
    int result = write_sums(profile, writer->archive.files);
    if (result != 0)
        omptape_archive_fail(&writer->archive, result);
}

void omptape_profile_free(struct omptape_writer *writer)
{
    struct omptape_profile *profile = writer->profile;
    if (profile == NULL)
        return;
    omptape_pass_free(profile->pass);
    omptape_analysis_plan_free(&profile->plan);
    omptape_pyramid_free(profile->pyramid);
    profile_order_free(&profile->order);
    omptape_arena_free(&profile->arena);
    omptape_known_end(&profile->known);
    writer->region_texts = NULL;
    free(profile);
    writer->profile = NULL;
}
