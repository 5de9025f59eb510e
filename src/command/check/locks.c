/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies locks, also those of critical, ordered and atomic: increasing acquisition order, one holder at a
 * time, and a release that matches its acquisition. Called by order.c and check.c.
 *
 * A runtime reports a release after it has happened, so the next acquisition may have an earlier timestamp.
 * This is accepted if the releasing location recorded nothing in between. It is not accepted in omptape's
 * archives, which date the release earlier then.
 */
#include "src/command/check/state.h"

#include <inttypes.h>
#include <stdlib.h>

static const char TOPIC[] = "lock";

/* An acquisition without a release so far. */
struct check_hold {
    struct check_place at;
    uint32_t order;
    bool overlapped; /* another location has acquired the lock since */
    uint64_t overlap_time;
    const struct check_location *overlap_location;
};

/* A lock. Its id is unique within a process and a paradigm. */
struct check_lock {
    uint32_t id;
    bool used;
    uint32_t last_order;
    struct check_hold *holds; /* in order of acquisition; all except the last are overlapped */
    uint32_t hold_count;
    uint32_t hold_capacity;
};

static struct check_lock *find_lock(struct check *check, const struct check_deferred_event *item, bool make)
{
    uint64_t group = item->at.location->definition->refs[1].id;
    uint64_t low = (item->ref << 32) | item->first;
    if (!make)
        return omptape_pairs_get(&check->locks, group, low);
    struct check_lock *lock = omptape_pairs_obtain(&check->locks, &check->arena, group, low, sizeof(*lock));
    if (lock != NULL)
        lock->id = item->first;
    return lock;
}

static struct check_hold *find_hold(const struct check_lock *lock, uint32_t order)
{
    for (size_t i = 0; i < lock->hold_count; i++)
        if (lock->holds[i].order == order)
            return &lock->holds[i];
    return NULL;
}

static struct check_label location_label(const struct check *check, const struct check_location *location)
{
    return check_label(check, OMPTAPE_DEF_LOCATION, location->definition->id);
}

static void report_overlap(struct check *check, const struct check_lock *lock, const struct check_hold *hold)
{
    check_report_at(check, TOPIC, &hold->at,
                    "lock %" PRIu32 ", acquired here with order %" PRIu32
                    ": expected its release before the next acquisition, found it acquired by %.100s at time "
                    "%" PRIu64 " while held",
                    lock->id, hold->order, location_label(check, hold->overlap_location).text,
                    hold->overlap_time);
}

static void acquire_lock(struct check *check, struct check_lock *lock,
                         const struct check_deferred_event *item)
{
    if (lock->used && item->second <= lock->last_order) {
        check_report(check, TOPIC,
                     "lock %" PRIu32 ": expected an acquisition order above %" PRIu32 ", found %" PRIu32,
                     lock->id, lock->last_order, item->second);
        return;
    }
    if (lock->hold_count > 0) {
        struct check_hold *holder = &lock->holds[lock->hold_count - 1];
        if (holder->at.location == item->at.location && !check->gaps) {
            check_report(check, TOPIC,
                         "lock %" PRIu32 ": expected it free, found it held by this location since "
                         "event %" PRIu64,
                         lock->id, holder->at.number);
        }
        holder->overlapped = true;
        holder->overlap_time = item->at.time;
        holder->overlap_location = item->at.location;
    }
    if (!OMPTAPE_APPEND(lock->holds, lock->hold_count, lock->hold_capacity,
                        (struct check_hold){.at = item->at, .order = item->second}))
        return;
    lock->used = true;
    lock->last_order = item->second;
    check->seen.acquisitions++;
}

static void report_mismatch(struct check *check, const struct check_lock *lock,
                            const struct check_deferred_event *item)
{
    if (lock == NULL || lock->hold_count == 0) {
        check_report(check, TOPIC, "lock %" PRIu32 ": expected it held, found it free (order %" PRIu32 ")",
                     item->first, item->second);
    } else {
        const struct check_hold *holder = &lock->holds[lock->hold_count - 1];
        check_report(check, TOPIC,
                     "lock %" PRIu32 ": expected the acquisition order %" PRIu32
                     " of its acquisition by %.100s, found %" PRIu32,
                     item->first, holder->order, location_label(check, holder->at.location).text,
                     item->second);
    }
}

static void release_lock(struct check *check, struct check_lock *lock,
                         const struct check_deferred_event *item)
{
    struct check_hold *hold = lock == NULL ? NULL : find_hold(lock, item->second);
    if (hold == NULL) {
        if (!check->gaps)
            report_mismatch(check, lock, item);
        return;
    }
    if (hold->at.location != item->at.location &&
        !check_in_same_team(check, item->at.location, hold->at.location)) {
        check_report(check, TOPIC,
                     "lock %" PRIu32 ": expected a release by a location of the holder's team, found "
                     "one for %.100s",
                     lock->id, location_label(check, hold->at.location).text);
    } else if (hold->overlapped && !check->gaps &&
               (check->is_own_archive || item->at.location->previous_time > hold->overlap_time)) {
        report_overlap(check, lock, hold);
    }
    size_t index = (size_t)(hold - lock->holds);
    lock->hold_count--;
    for (size_t i = index; i < lock->hold_count; i++)
        lock->holds[i] = lock->holds[i + 1];
}

enum check_fit check_lock_fit(struct check *check, const struct check_deferred_event *item)
{
    const struct check_lock *lock = find_lock(check, item, false);
    if (item->kind == OMPTAPE_EVENT_LOCK_RELEASE)
        return lock != NULL && find_hold(lock, item->second) != NULL ? CHECK_FITS : CHECK_BREAKS;
    if (lock == NULL || !lock->used)
        return CHECK_FITS;
    if (item->second <= lock->last_order)
        return CHECK_BREAKS;
    if (lock->hold_count > 0)
        return CHECK_OVERLAPS;
    return item->second == lock->last_order + 1 ? CHECK_FITS : CHECK_FITS_LATER;
}

void check_lock(struct check *check, const struct check_deferred_event *item)
{
    bool acquires = item->kind == OMPTAPE_EVENT_LOCK_ACQUIRE;
    struct check_lock *lock = find_lock(check, item, acquires);
    if (acquires && lock != NULL)
        acquire_lock(check, lock, item);
    else if (!acquires)
        release_lock(check, lock, item);
}

/* A lock may remain held at the end, but not if another location has acquired it since. */
void check_locks_end(struct check *check)
{
    for (uint32_t i = 0; i < check->locks.count; i++) {
        struct check_lock *lock = check->locks.list[i].value;
        for (size_t j = 0; j < lock->hold_count && !check->ended_early && !check->gaps; j++)
            if (lock->holds[j].overlapped)
                report_overlap(check, lock, &lock->holds[j]);
        free(lock->holds);
    }
    omptape_pairs_free(&check->locks);
}
