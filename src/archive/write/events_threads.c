/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes events of threads: teams, tasks and locks. Called for each event.
 */
#include "src/archive/write/put.h"

static inline void put_u32(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                           uint8_t number, enum omptape_event_kind kind, uint32_t value)
{
    unsigned char *record = begin_event(archive, events, time, HEAD + U32, subject_of(kind, value), 0, 0);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, number, U32);
    end_event(events, record, data, omptape_encode_u32(data, value));
}

/* After has_space, tasks and locks are written inline, without a function call. */
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

/* Of the three kinds, only task creation has attributes. */
static __attribute__((noinline)) void put_other_task(struct omptape_archive *archive,
                                                     struct omptape_events *events, uint64_t time,
                                                     uint8_t kind, const struct omptape_task_name *name)
{
    const size_t max_bytes = HEAD + 3 * U32;
    unsigned char *record = kind == OMPTAPE_RECORD_THREAD_TASK_CREATE
                                ? begin_with_attributes(archive, events, time, max_bytes)
                                : begin_record(archive, events, time, max_bytes);
    if (record != NULL)
        write_task(events, record, kind, name);
}

static inline void put_task(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            uint8_t number, enum omptape_event_kind kind,
                            const struct omptape_task_name *name)
{
    if (has_plain_space(archive, events, HEAD + 3 * U32))
        write_task(events, place_event(archive, events, time), number, name);
    else if (!is_observed(archive, events, time, subject_of(kind, name->comm), name->creator,
                          name->generation))
        put_other_task(archive, events, time, number, name);
}

static inline void write_lock(struct omptape_events *events, unsigned char *record, uint8_t kind,
                              uint32_t lock, uint32_t order)
{
    unsigned char *data = omptape_encode_head(record, kind, U8 + 2 * U32);
    unsigned char *end = omptape_encode_u32(omptape_encode_u8(data, OTF2_PARADIGM_OPENMP), lock);
    end_event(events, record, data, omptape_encode_u32(end, order));
}

static __attribute__((noinline)) void put_any_lock(struct omptape_archive *archive,
                                                   struct omptape_events *events, uint64_t time, uint8_t kind,
                                                   uint32_t lock, uint32_t order)
{
    unsigned char *record = begin_record(archive, events, time, HEAD + U8 + 2 * U32);
    if (record != NULL)
        write_lock(events, record, kind, lock, order);
}

static inline void put_lock(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            uint8_t number, enum omptape_event_kind kind, uint32_t lock, uint32_t order)
{
    if (has_space(events, HEAD + U8 + 2 * U32))
        write_lock(events, place_event(archive, events, time), number, lock, order);
    else if (!is_observed(archive, events, time, subject_of(kind, OTF2_PARADIGM_OPENMP), lock, order))
        put_any_lock(archive, events, time, number, lock, order);
}

void omptape_archive_fork(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                          uint32_t requested)
{
    unsigned char *record = begin_event(archive, events, time, HEAD + U8 + U32,
                                        subject_of(OMPTAPE_EVENT_FORK, OTF2_PARADIGM_OPENMP), requested, 0);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, OMPTAPE_RECORD_THREAD_FORK, U8 + U32);
    unsigned char *end = omptape_encode_u8(data, OTF2_PARADIGM_OPENMP);
    end_event(events, record, data, omptape_encode_u32(end, requested));
}

void omptape_archive_join(struct omptape_archive *archive, struct omptape_events *events, uint64_t time)
{
    unsigned char *record = begin_event(archive, events, time, HEAD + U8, subject_of(OMPTAPE_EVENT_JOIN, 0),
                                        OTF2_PARADIGM_OPENMP, 0);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, OMPTAPE_RECORD_THREAD_JOIN, U8);
    end_event(events, record, data, omptape_encode_u8(data, OTF2_PARADIGM_OPENMP));
}

void omptape_archive_team_begin(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                                OTF2_CommRef comm)
{
    put_u32(archive, events, time, OMPTAPE_RECORD_THREAD_TEAM_BEGIN, OMPTAPE_EVENT_TEAM_BEGIN, comm);
}

void omptape_archive_team_end(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              OTF2_CommRef comm)
{
    put_u32(archive, events, time, OMPTAPE_RECORD_THREAD_TEAM_END, OMPTAPE_EVENT_TEAM_END, comm);
}

void omptape_archive_task_create(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, const struct omptape_task_name *name)
{
    put_task(archive, events, time, OMPTAPE_RECORD_THREAD_TASK_CREATE, OMPTAPE_EVENT_TASK_CREATE, name);
}

void omptape_archive_task_switch(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, const struct omptape_task_name *name)
{
    put_task(archive, events, time, OMPTAPE_RECORD_THREAD_TASK_SWITCH, OMPTAPE_EVENT_TASK_SWITCH, name);
}

void omptape_archive_task_complete(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, const struct omptape_task_name *name)
{
    put_task(archive, events, time, OMPTAPE_RECORD_THREAD_TASK_COMPLETE, OMPTAPE_EVENT_TASK_COMPLETE, name);
}

void omptape_archive_lock_acquire(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint32_t lock, uint32_t order)
{
    put_lock(archive, events, time, OMPTAPE_RECORD_THREAD_ACQUIRE_LOCK, OMPTAPE_EVENT_LOCK_ACQUIRE, lock,
             order);
}

void omptape_archive_lock_release(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t time, uint32_t lock, uint32_t order)
{
    put_lock(archive, events, time, OMPTAPE_RECORD_THREAD_RELEASE_LOCK, OMPTAPE_EVENT_LOCK_RELEASE, lock,
             order);
}
