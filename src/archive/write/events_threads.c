/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads' events: teams, tasks, locks. Called for each event.
 */
#include "src/archive/write/put.h"

static inline void put_u32(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                           uint8_t kind, uint32_t value)
{
    unsigned char *record = begin_event(archive, events, time, HEAD + U32);
    if (record == NULL) {
        omptape_archive_give_away(archive, events, tapped(time, kind, value, 0, 0));
        return;
    }
    unsigned char *data = omptape_encode_head(record, kind, U32);
    end_event(events, record, data, omptape_encode_u32(data, value));
}

/* Tasks and locks are written where has_room without a call that comes back. */
static inline void write_task(struct omptape_events *events, unsigned char *record, uint8_t kind,
                              const struct omptape_task_name *name)
{
    unsigned char *data = omptape_encode_head(record, kind, 3 * U32);
    if (name->code_bytes == 0) {
        end_event(events, record, data, omptape_task_name_encode(data, name));
        return;
    }
    memcpy(data, name->code, sizeof(name->code));
    end_event(events, record, data, data + name->code_bytes);
}

/* Of the three only a creation takes attributes. */
static __attribute__((noinline)) void put_other_task(struct omptape_archive *archive,
                                                     struct omptape_events *events, uint64_t time,
                                                     uint8_t kind, const struct omptape_task_name *name)
{
    const size_t most = HEAD + 3 * U32;
    unsigned char *record = kind == OMPTAPE_RECORD_THREAD_TASK_CREATE
                                ? begin_with_attributes(archive, events, time, most)
                                : begin_event(archive, events, time, most);
    if (record != NULL)
        write_task(events, record, kind, name);
}

static __attribute__((noinline)) void hand_task_over(struct omptape_archive *archive,
                                                     struct omptape_events *events, uint64_t time,
                                                     uint8_t kind, const struct omptape_task_name *name)
{
    hand_over(archive, events, time, kind, name->comm, name->creator, name->generation);
}

static inline void put_task(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            uint8_t kind, const struct omptape_task_name *name)
{
    if (has_plain_room(archive, events, HEAD + 3 * U32))
        write_task(events, place_event(archive, events, time), kind, name);
    else if (archive->tap.event != NULL)
        hand_task_over(archive, events, time, kind, name);
    else
        put_other_task(archive, events, time, kind, name);
}

static inline void write_lock(struct omptape_events *events, unsigned char *record, uint8_t kind,
                              uint32_t lock, uint32_t order)
{
    unsigned char *data = omptape_encode_head(record, kind, U8 + 2 * U32);
    unsigned char *end = omptape_encode_u32(omptape_encode_u8(data, OTF2_PARADIGM_OPENMP), lock);
    end_event(events, record, data, omptape_encode_u32(end, order));
}

static __attribute__((noinline)) void hand_lock_over(struct omptape_archive *archive,
                                                     struct omptape_events *events, uint64_t time,
                                                     uint8_t kind, uint32_t lock, uint32_t order)
{
    hand_over(archive, events, time, kind, 0, lock, order);
}

static __attribute__((noinline)) void put_any_lock(struct omptape_archive *archive,
                                                   struct omptape_events *events, uint64_t time, uint8_t kind,
                                                   uint32_t lock, uint32_t order)
{
    unsigned char *record = begin_event(archive, events, time, HEAD + U8 + 2 * U32);
    if (record != NULL)
        write_lock(events, record, kind, lock, order);
}

static inline void put_lock(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            uint8_t kind, uint32_t lock, uint32_t order)
{
    if (has_room(events, HEAD + U8 + 2 * U32))
        write_lock(events, place_event(archive, events, time), kind, lock, order);
    else if (archive->tap.event != NULL)
        hand_lock_over(archive, events, time, kind, lock, order);
    else
        put_any_lock(archive, events, time, kind, lock, order);
}

void omptape_archive_fork(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                          uint32_t requested)
{
    unsigned char *record = begin_event(archive, events, time, HEAD + U8 + U32);
    if (record == NULL) {
        omptape_archive_give_away(archive, events, tapped(time, OMPTAPE_RECORD_THREAD_FORK, 0, requested, 0));
        return;
    }
    unsigned char *data = omptape_encode_head(record, OMPTAPE_RECORD_THREAD_FORK, U8 + U32);
    unsigned char *end = omptape_encode_u8(data, OTF2_PARADIGM_OPENMP);
    end_event(events, record, data, omptape_encode_u32(end, requested));
}

void omptape_archive_join(struct omptape_archive *archive, struct omptape_events *events, uint64_t time)
{
    put_u8(archive, events, time, OMPTAPE_RECORD_THREAD_JOIN, OTF2_PARADIGM_OPENMP);
}

void omptape_archive_team_begin(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                OTF2_CommRef comm)
{
    put_u32(archive, events, time, OMPTAPE_RECORD_THREAD_TEAM_BEGIN, comm);
}

void omptape_archive_team_end(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              OTF2_CommRef comm)
{
    put_u32(archive, events, time, OMPTAPE_RECORD_THREAD_TEAM_END, comm);
}

void omptape_archive_task_create(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, const struct omptape_task_name *name)
{
    put_task(archive, events, time, OMPTAPE_RECORD_THREAD_TASK_CREATE, name);
}

void omptape_archive_task_switch(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, const struct omptape_task_name *name)
{
    put_task(archive, events, time, OMPTAPE_RECORD_THREAD_TASK_SWITCH, name);
}

void omptape_archive_task_complete(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, const struct omptape_task_name *name)
{
    put_task(archive, events, time, OMPTAPE_RECORD_THREAD_TASK_COMPLETE, name);
}

void omptape_archive_lock_acquire(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint32_t lock, uint32_t order)
{
    put_lock(archive, events, time, OMPTAPE_RECORD_THREAD_ACQUIRE_LOCK, lock, order);
}

void omptape_archive_lock_release(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint32_t lock, uint32_t order)
{
    put_lock(archive, events, time, OMPTAPE_RECORD_THREAD_RELEASE_LOCK, lock, order);
}
