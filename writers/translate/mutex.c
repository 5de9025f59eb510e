/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates mutual exclusion. The construct's region is entered when the thread requests the lock, so that
 * waiting shows. The constructs critical, atomic and ordered hold their lock in a nested region. Locks may be
 * released in any order, so only lock events show how long they are held.
 */
#include "writers/translate/mutex.h"

#include "writers/translate/parallel.h"
#include "writers/translate/stack.h"
#include "writers/translate/translators.h"

#include <omptape/ompt.h>
#include <stdlib.h>

struct omptape_lock {
    uint32_t id;
    OTF2_RegionRef region;           /* Region of the request that was granted last. */
    bool is_routine;                 /* True if that region has ended: a routine's. */
    uint32_t order;                  /* Number of acquisitions written so far. */
    bool written;                    /* True if the current acquisition is in the archive. */
    struct omptape_location *holder; /* NULL: free. */
    struct omptape_moment released;
    struct omptape_lock *next_held; /* See held_routines in writer.h. */
};

/* Locks whose release was written before its record came. More at one location are not distinct. */
enum { MAX_EARLY_RELEASES = 8 };

struct omptape_early_releases {
    uint32_t count;
    uint64_t wait_ids[MAX_EARLY_RELEASES];
};

/* Region kinds of each kind of mutual exclusion. */
struct mutex_kinds {
    enum omptape_region_kind init;
    enum omptape_region_kind destroy;
    enum omptape_region_kind acquire;
    enum omptape_region_kind release;
    enum omptape_region_kind hold;
    bool construct; /* True for critical, atomic and ordered: a block of code, not a routine. */
};

/* Indexed by ompt_mutex_t. */
static const struct mutex_kinds mutex_kinds[] = {
#define LOCK_KINDS(call, lock)                                                                               \
    {.init = OMPTAPE_REGION_INIT_##lock,                                                                     \
     .destroy = OMPTAPE_REGION_DESTROY_##lock,                                                               \
     .acquire = OMPTAPE_REGION_##call##_##lock,                                                              \
     .release = OMPTAPE_REGION_UNSET_##lock}
    [0] = LOCK_KINDS(SET, LOCK),
    [ompt_mutex_lock] = LOCK_KINDS(SET, LOCK),
    [ompt_mutex_test_lock] = LOCK_KINDS(TEST, LOCK),
    [ompt_mutex_nest_lock] = LOCK_KINDS(SET, NEST_LOCK),
    [ompt_mutex_test_nest_lock] = LOCK_KINDS(TEST, NEST_LOCK),
#undef LOCK_KINDS
    [ompt_mutex_critical] = {.acquire = OMPTAPE_REGION_CRITICAL,
                             .hold = OMPTAPE_REGION_CRITICAL_SBLOCK,
                             .construct = true},
    [ompt_mutex_atomic] = {.acquire = OMPTAPE_REGION_ATOMIC,
                           .hold = OMPTAPE_REGION_ATOMIC_SBLOCK,
                           .construct = true},
    [ompt_mutex_ordered] = {.acquire = OMPTAPE_REGION_ORDERED,
                            .hold = OMPTAPE_REGION_ORDERED_SBLOCK,
                            .construct = true},
};

/* Kinds that the table lacks are treated as locks. */
static const struct mutex_kinds *mutex_kinds_of(unsigned kind)
{
    return &mutex_kinds[kind < sizeof(mutex_kinds) / sizeof(mutex_kinds[0]) ? kind : 0];
}

/* All locks without a wait id share one key. */
static uint64_t lock_key(uint64_t wait_id)
{
    return wait_id != 0 ? wait_id : UINT64_MAX;
}

static struct omptape_lock *find_lock(struct omptape_writer *writer, uint64_t wait_id)
{
    uint64_t key = lock_key(wait_id);
    struct omptape_lock *lock = omptape_hash_get(&writer->locks->by_id, key);
    if (lock != NULL)
        return lock;
    lock = calloc(1, sizeof(*lock));
    if (lock == NULL)
        return NULL;
    lock->id = writer->locks->next++;
    if (omptape_hash_put(&writer->locks->by_id, key, lock) != 0) {
        free(lock);
        return NULL;
    }
    return lock;
}

void omptape_mutex_write_awaited(struct omptape_writer *writer, const struct omptape_location *location)
{
    const struct omptape_open_region *open = omptape_stack_innermost(location);
    if (open == NULL || !open->written || open->class != OMPTAPE_CLASS_MUTEX)
        return;
    const struct omptape_lock *lock = omptape_hash_get(&writer->locks->by_id, lock_key(open->id));
    if (lock != NULL && omptape_archive_can_write(&writer->archive, location->events))
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_LOCK, lock->id);
}

void omptape_locks_free(struct omptape_writer *writer)
{
    for (size_t i = 0; i < writer->locks->by_id.capacity; i++)
        if (writer->locks->by_id.entries[i].key != 0)
            free(writer->locks->by_id.entries[i].value);
    omptape_hash_free(&writer->locks->by_id);
    free(writer->locks);
    for (uint32_t i = 0; i < writer->location_count; i++)
        free(writer->locations[i]->early_releases);
}

void omptape_mutex_init(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time)
{
    uint32_t hint = record->b & 0xffffffU;
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_WAIT_ID, record->p[0]);
    if (hint != 0)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_HINT, hint);
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_LOCK_KIND, record->b >> 24);
    omptape_stack_note_kind(writer, record->a, ompt_mutex_ordered);
    omptape_stack_write_point(writer, location, time, mutex_kinds_of(record->a)->init, record->p[1]);
}

void omptape_mutex_destroy(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_WAIT_ID, record->p[0]);
    omptape_stack_write_point(writer, location, time, mutex_kinds_of(record->a)->destroy, record->p[1]);
    /* The next lock at this address is a different one. */
    free(omptape_hash_remove_key(&writer->locks->by_id, lock_key(record->p[0])));
}

void omptape_mutex_acquire(struct omptape_writer *writer, struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    uint32_t hint = record->kind == OMPTAPE_MUTEX_ACQUIRE ? record->b & 0xffffffU : 0;
    if (hint != 0)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_HINT, hint);
    omptape_stack_note_kind(writer, record->a, ompt_mutex_ordered);
    location->tests = location->last_test = 0;
    OMPTAPE_ENTER_LAST(writer, location, time, .kind = mutex_kinds_of(record->a)->acquire,
                       .class = OMPTAPE_CLASS_MUTEX, .key = record->a, .id = record->p[0],
                       .address = record->p[1]);
}

/* The thread tests the lock of the innermost request again and again. */
void omptape_mutex_tests(struct omptape_writer *writer, struct omptape_location *location,
                         const struct omptape_record *record, uint64_t time)
{
    const struct omptape_open_region *request = omptape_stack_innermost(location);
    (void)writer;
    if (request == NULL || request->class != OMPTAPE_CLASS_MUTEX || request->key != record->a)
        return;
    location->tests = record->p[0];
    location->last_test = time;
}

static void leave_request(struct omptape_writer *writer, struct omptape_location *location, uint64_t time,
                          struct omptape_open_region *request)
{
    if (request->written && location->tests > 1)
        omptape_archive_set(&writer->archive, OMPTAPE_ATTRIBUTE_CALLS, location->tests);
    location->tests = location->last_test = 0;
    omptape_stack_leave(writer, location, time, request, false);
}

/* Returns the region of the granted request: the innermost. Enters one at `time` if it was not reported. */
static struct omptape_open_region *find_request(struct omptape_writer *writer,
                                                struct omptape_location *location,
                                                const struct omptape_record *record, uint64_t time)
{
    const struct omptape_stack *stack = &location->stack;
    if (stack->top != stack->floor && stack->top->class == OMPTAPE_CLASS_MUTEX &&
        stack->top->id == record->p[0])
        return stack->top;
    omptape_mutex_acquire(writer, location, record, time);
    return omptape_stack_innermost(location);
}

static void write_release(struct omptape_writer *writer, struct omptape_location *location,
                          struct omptape_lock *lock, uint64_t time)
{
    time = omptape_location_time(location, time);
    if (lock->written)
        omptape_archive_lock_release(&writer->archive, location->events, time, lock->id, lock->order);
    lock->written = false;
    lock->holder = NULL;
    location->last = time;
    lock->released = omptape_location_moment(location);
}

/* Shows a release when the next thread has acquired the lock. The runtime reports a release only after the
 * lock is free, so the next holder may report first. The real release was not later than that. */
static void release_early(struct omptape_writer *writer, struct omptape_lock *lock, uint64_t wait_id,
                          uint64_t time)
{
    struct omptape_location *holder = lock->holder;
    struct omptape_open_region *hold = omptape_stack_innermost(holder);
    if (hold != NULL && hold->class == OMPTAPE_CLASS_HOLD && hold->id == wait_id)
        omptape_parallel_leave(writer, holder, time, hold, false);
    write_release(writer, holder, lock, time);
    if (holder->early_releases == NULL)
        holder->early_releases = calloc(1, sizeof(*holder->early_releases));
    struct omptape_early_releases *early = holder->early_releases;
    if (early != NULL && early->count < MAX_EARLY_RELEASES)
        early->wait_ids[early->count++] = wait_id;
}

/* Returns true if this release has been shown already. */
static bool was_released_early(struct omptape_location *location, uint64_t wait_id)
{
    struct omptape_early_releases *early = location->early_releases;
    for (uint32_t i = 0; early != NULL && i < early->count; i++) {
        if (early->wait_ids[i] == wait_id) {
            early->wait_ids[i] = early->wait_ids[--early->count];
            return true;
        }
    }
    return false;
}

void omptape_mutex_acquired(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time)
{
    struct omptape_open_region *request = find_request(writer, location, record, time);
    struct omptape_lock *lock = find_lock(writer, record->p[0]);
    const struct mutex_kinds *kinds = mutex_kinds_of(record->a);
    if (request == NULL || lock == NULL)
        return;
    if (lock->holder != NULL)
        release_early(writer, lock, record->p[0], time);
    time = omptape_location_time_after(location, time, lock->released);
    lock->holder = location;
    /* A lock's acquisitions are numbered from 1 without gaps, because Scalasca waits for each number. */
    lock->written = !writer->paused && !request->hidden;
    lock->order += lock->written;
    if (lock->written)
        omptape_archive_lock_acquire(&writer->archive, location->events, time, lock->id, lock->order);
    location->last = time;
    lock->region = request->region;
    lock->is_routine = !kinds->construct;
    if (!kinds->construct) {
        leave_request(writer, location, time, request);
        return;
    }
    OMPTAPE_ENTER_LAST(writer, location, time, .kind = kinds->hold, .class = OMPTAPE_CLASS_HOLD,
                       .key = record->a, .id = record->p[0], .site = request->site,
                       .hidden = request->hidden);
}

static void show_release(struct omptape_writer *writer, struct omptape_location *location, uint64_t wait_id,
                         uint64_t time)
{
    struct omptape_lock *lock = find_lock(writer, wait_id);
    /* A thread other than the holder may release a lock, but here the acquisition may have been dropped. */
    if (lock != NULL && location->gaps.lossy && lock->holder != location)
        return;
    if (lock != NULL && !was_released_early(location, wait_id))
        write_release(writer, location, lock, time);
}

void omptape_mutex_released(struct omptape_writer *writer, struct omptape_location *location,
                            const struct omptape_record *record, uint64_t time)
{
    const struct mutex_kinds *kinds = mutex_kinds_of(record->a);
    uint64_t wait_id = record->p[0];
    if (kinds->construct) {
        omptape_parallel_leave_one(writer, location, time, OMPTAPE_CLASS_HOLD, OMPTAPE_ANY_KEY, wait_id);
        show_release(writer, location, wait_id, time);
        omptape_parallel_leave_one(writer, location, time, OMPTAPE_CLASS_MUTEX, OMPTAPE_ANY_KEY, wait_id);
        return;
    }
    OMPTAPE_ENTER_LAST(writer, location, time, .kind = kinds->release, .class = OMPTAPE_CLASS_INNER,
                       .address = record->p[1]);
    show_release(writer, location, wait_id, time);
    omptape_stack_leave(writer, location, time, omptape_stack_innermost(location), false);
}

void omptape_mutex_list_held(struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < writer->location_count; i++)
        writer->locations[i]->held_routines = NULL;
    for (size_t i = writer->locks->by_id.capacity; i-- > 0;) {
        const struct omptape_hash_entry *entry = &writer->locks->by_id.entries[i];
        struct omptape_lock *lock = entry->value;
        if (entry->key == 0 || lock->holder == NULL || !lock->written || !lock->is_routine)
            continue;
        lock->next_held = lock->holder->held_routines;
        lock->holder->held_routines = lock;
    }
}

void omptape_mutex_repeat_routines(struct omptape_writer *writer, struct omptape_location *location,
                                   uint64_t time)
{
    struct omptape_archive *archive = &writer->archive;
    for (const struct omptape_lock *lock = location->held_routines; lock != NULL; lock = lock->next_held) {
        omptape_archive_enter(archive, location->events, time, lock->region);
        omptape_archive_lock_acquire(archive, location->events, time, lock->id, lock->order);
        omptape_archive_leave(archive, location->events, time, lock->region, false);
    }
}

void omptape_mutex_repeat_hold(struct omptape_writer *writer, struct omptape_location *location,
                               const struct omptape_open_region *hold, uint64_t time)
{
    const struct omptape_lock *lock = omptape_hash_get(&writer->locks->by_id, lock_key(hold->id));
    if (lock != NULL && lock->holder == location && lock->written)
        omptape_archive_lock_acquire(&writer->archive, location->events, time, lock->id, lock->order);
}

void omptape_mutex_change_thread(struct omptape_location *location)
{
    if (location->early_releases != NULL)
        location->early_releases->count = 0;
}

void omptape_mutex_release_all(struct omptape_writer *writer, struct omptape_location *location,
                               uint64_t time)
{
    for (size_t i = 0; i < writer->locks->by_id.capacity; i++) {
        struct omptape_lock *lock = writer->locks->by_id.entries[i].value;
        if (writer->locks->by_id.entries[i].key != 0 && lock->holder == location)
            write_release(writer, location, lock, time);
    }
    omptape_mutex_change_thread(location);
}

void omptape_mutex_nest(struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time)
{
    if (omptape_endpoint(record->a) == ompt_scope_end) {
        omptape_stack_write_point(writer, location, time, OMPTAPE_REGION_UNSET_NEST_LOCK, record->p[1]);
        return;
    }
    struct omptape_open_region *request = omptape_stack_innermost(location);
    if (request != NULL && request->class == OMPTAPE_CLASS_MUTEX)
        leave_request(writer, location, time, request);
    else
        omptape_stack_write_point(writer, location, time, OMPTAPE_REGION_SET_NEST_LOCK, record->p[1]);
}

void omptape_mutex_cancel_request(struct omptape_writer *writer, struct omptape_location *location,
                                  struct omptape_open_region *request)
{
    leave_request(writer, location,
                  location->last_test > request->begin ? location->last_test : request->begin, request);
}
