/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The traced program's side of a session, without the program: the shared memory (include/omptape/shm.h) is
 * filled with records of made-up times, then omptape-writer makes an archive of it. All on the main thread.
 * Times are ns since the process began. Whatever fails ends the process with a message.
 */
#pragma once

#include <omptape/record.h>
#include <omptape/settings.h>
#include <omptape/shm.h>

#include <stddef.h>
#include <stdint.h>

/* A session of one process. */
struct session {
    struct omptape_shm *shm; /* while the writer is at work */
    int fd;
    int writer;     /* its process */
    uint64_t begin; /* reading of the clock at time 0 */
    uint64_t end;   /* time of the last record */
    uint64_t records;
    struct session_stream **streams;
    uint32_t stream_count;
    struct omptape_settings settings; /* what the caller changes in it holds */
};

/* A thread's records. */
struct session_stream {
    struct session *session;
    uint32_t index;    /* of the slot that it gets */
    uint64_t sequence; /* of the identities that the thread gives out */
    uint64_t *words;   /* the records, one after the other */
    size_t used;
    size_t capacity;
};

/* A session whose records an archive in `output` is made of. */
void session_open(struct session *session, const char *output);
/* Has the writer begin to make the archive; lines "key=value": what the runtime says of itself, and what the
 * kernel says (KERNEL_PROPERTIES). */
void session_start(struct session *session, const char *writer, const char *lines, const char *kernel);
/* Waits until it is made. */
void session_finish(struct session *session);
void session_close(struct session *session);

/* A thread begins: its stream, with THREAD_BEGIN. */
void session_begin_thread(struct session *session, struct session_stream *stream, uint64_t time,
                          unsigned type);
void session_end_thread(struct session_stream *stream, uint64_t time);

/* An identity for a region or task of this thread. */
uint64_t session_id(struct session_stream *stream);

void session_put_words(struct session_stream *stream, uint64_t time, enum omptape_kind kind, unsigned a,
                       uint32_t b, unsigned count, const uint64_t *payload);
static inline void session_put(struct session_stream *stream, uint64_t time, enum omptape_kind kind,
                               unsigned a, uint32_t b)
{
    session_put_words(stream, time, kind, a, b, 0, NULL);
}
static inline void session_put1(struct session_stream *stream, uint64_t time, enum omptape_kind kind,
                                unsigned a, uint32_t b, uint64_t p0)
{
    session_put_words(stream, time, kind, a, b, 1, &p0);
}
static inline void session_put2(struct session_stream *stream, uint64_t time, enum omptape_kind kind,
                                unsigned a, uint32_t b, uint64_t p0, uint64_t p1)
{
    const uint64_t payload[] = {p0, p1};
    session_put_words(stream, time, kind, a, b, 2, payload);
}
static inline void session_put3(struct session_stream *stream, uint64_t time, enum omptape_kind kind,
                                unsigned a, uint32_t b, uint64_t p0, uint64_t p1, uint64_t p2)
{
    const uint64_t payload[] = {p0, p1, p2};
    session_put_words(stream, time, kind, a, b, 3, payload);
}
