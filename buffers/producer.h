/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The producer side: appends records to the calling thread's chunk. Called on program threads, inside
 * callbacks. The fast path reads the clock and stores one record. It uses no lock, no atomic
 * read-modify-write, no allocation and no system call. Only a chunk change takes one read-modify-write on the
 * pool and, if the writer sleeps, one futex wake.
 *
 * Signal handlers: a handler may cause an event in the middle of a record of its thread. From its first
 * access to the slot to its last store a record holds the slot (`busy`). A handler that finds the slot busy
 * queues its record (buffers/signal_queue.c). The holder appends queued records when it is done. Records that
 * do not fit are counted as dropped.
 *
 * Forks: the kernel wipes the slots in a forked process, however it was forked. Its threads then find a wiped
 * slot without space, and leave the session, which belongs to the parent.
 */
#pragma once

#include "buffers/slot.h"
#include "src/core/clock.h"

#include <omptape/record.h>
#include <omptape/shm.h>
#include <stdbool.h>
#include <stddef.h>

/* The calling thread's slot; NULL before its first record and after its thread_end. Initial-exec TLS of 8
 * bytes, so that the library can still be loaded by dlopen (OMP_TOOL_LIBRARIES). */
extern _Thread_local struct omptape_slot *omptape_producer_slot __attribute__((tls_model("initial-exec")));

/* The session that threads attach to, or NULL. Changed by omptape_producer_open and
 * omptape_producer_forget. */
extern struct omptape_shm *_Atomic omptape_producer_shm;

/* Allocates the slots of this process. Called before each session is opened. Returns 0 or a negative errno.
 */
int omptape_producer_prepare(void);

/* Opens a session for this process's threads. Called by src/tool/ if no session is open. */
void omptape_producer_open(struct omptape_shm *shm);

/* True if the last session was prepared in this process, not its parent. No system call. Any thread. */
bool omptape_producer_is_own(void);

/* Called when a thread without a slot records while no session is open. src/tool/ may then start one (at a
 * forked child's first real event). Returns the session or NULL. Set by src/tool/. */
extern struct omptape_shm *(*omptape_producer_late_start)(enum omptape_kind kind);

/* Gives the calling thread a slot and writes its THREAD_BEGIN. `kind` is the record that follows.
 * `thread_type` is an ompt_thread_t, OMPTAPE_THREAD_DELIVERS or 0. A thread that has only delivered device
 * records gets a new slot if `kind` is THREAD_BEGIN. Returns NULL if nothing is recorded. */
struct omptape_slot *omptape_producer_attach(enum omptape_kind kind, unsigned thread_type);

/* Ends the calling thread's stream after its THREAD_END record. Without a stream it counts as dropped. */
void omptape_producer_detach(void);

/* Completes the calling thread's records: releases a slot that an interrupted record holds, and appends
 * queued ones. */
void omptape_producer_end_records(void);

/* Writes THREAD_END and detaches, if the calling thread has a stream only for delivering device records. It
 * was then attached as OMPTAPE_THREAD_DELIVERS and has not begun as a thread of the runtime. */
void omptape_producer_end_delivery(void);

/* Leaves the session without accessing it: in a forked child it belongs to the parent. */
void omptape_producer_forget(void);

/* Requests a snapshot of the records so far and wakes the writer. */
void omptape_producer_flush(void);

static inline struct omptape_slot *omptape_producer_get(enum omptape_kind kind)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (__builtin_expect(slot == NULL, 0))
        slot = omptape_producer_attach(kind, 0);
    return slot;
}

/* Returns a new identity (include/omptape/record.h). */
uint64_t omptape_producer_id(struct omptape_slot *slot);

/* The same, between omptape_producer_fast_reserve and omptape_producer_fast_commit. The caller holds the
 * slot. */
static inline uint64_t omptape_producer_fast_id(struct omptape_slot *slot)
{
    return omptape_id(slot->index, ++slot->sequence);
}

/* Reserves a record of `words` and fills in its header. Returns NULL if the record is too large or dropped; a
 * dropped event of the program is counted. A commit on the same thread must follow. */
struct omptape_record *omptape_producer_reserve(struct omptape_slot *slot, size_t words,
                                                enum omptape_kind kind, unsigned a, uint32_t b);

/* Publishes the reserved record. From here on it survives the end of the program. */
void omptape_producer_commit(struct omptape_slot *slot, const struct omptape_record *record);

/* Writes a whole record with `count` payload words by reserve and commit, for rare records. Returns false if
 * it is dropped or `slot` is NULL. */
bool omptape_producer_put_words(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b,
                                const uint64_t *payload, size_t count);

/* Appends records that signal handlers queued during the last record, with times not before `time`. */
void omptape_producer_append_queued(struct omptape_slot *slot, uint64_t time);

/* Measures how long the runtime took to assign a loop's chunk, requested at `since`. `slot` may be NULL. */
void omptape_producer_time_chunk(struct omptape_slot *slot, uint64_t since);

/* Returns true if the word is not 0. One compare instruction and a branch, unlike an atomic load. */
static inline __attribute__((always_inline)) bool omptape_producer_is_set(_Atomic uintptr_t *word)
{
#if defined(__x86_64__)
    bool set;
    __asm__ volatile("cmpq $0, %1" : "=@ccne"(set) : "m"(*word) : "memory");
    return set;
#else
    return atomic_load_explicit(word, memory_order_relaxed) != 0;
#endif
}

/* Holds the slot. The signal fence orders all following reads of the slot after the store. */
static inline __attribute__((always_inline)) void omptape_producer_acquire(struct omptape_slot *slot)
{
#if defined(__x86_64__)
    __asm__ volatile("movq %%rsp, %0" : "=m"(slot->busy) : : "memory");
#else
    atomic_store_explicit(&slot->busy, (uintptr_t)__builtin_frame_address(0), memory_order_relaxed);
#endif
    atomic_signal_fence(memory_order_seq_cst);
}

static inline __attribute__((always_inline)) void omptape_producer_release(struct omptape_slot *slot,
                                                                           uintptr_t free)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&slot->busy, free, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

/* Writes a record if the fast path cannot: no slot, a full chunk, or the clock is the system's. */
void omptape_producer_put_slow(struct omptape_slot *slot, uint64_t header, uint64_t p0, uint64_t p1,
                               uint64_t p2);

/* Prefetches a cache line that will be written soon. The writer's processor owns the line, and fetching it
 * takes longer than writing a few records. The address may be outside of all memory. */
static inline void omptape_producer_prefetch(const uint64_t *place)
{
    enum { AHEAD = 48 };
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(place[AHEAD]));
#else
    __builtin_prefetch(place + AHEAD, 1);
#endif
}

/* Begins the fast path: returns the place of a record of `words` with its time filled in. Returns NULL if the
 * slow path is needed. omptape_producer_fast_commit must follow. */
static inline uint64_t *omptape_producer_fast_reserve(struct omptape_slot *slot, size_t words)
{
    if (__builtin_expect(slot == NULL, 0) || __builtin_expect(omptape_producer_is_set(&slot->busy), 0))
        return NULL;
    omptape_producer_acquire(slot);
    uint64_t *place = slot->cursor;
    if (__builtin_expect((size_t)(slot->limit - place) < words, 0)) {
        omptape_producer_release(slot, 0);
        return NULL;
    }
    omptape_producer_prefetch(place);
    place[0] = omptape_clock_counter();
    return place;
}

/* Commits the record of the fast path. */
static inline void omptape_producer_fast_commit(struct omptape_slot *slot, uint64_t *place, size_t words)
{
    omptape_slot_advance(slot, place, words);
    omptape_producer_release(slot, 0);
    if (__builtin_expect(omptape_producer_is_set(&slot->interrupted), 0))
        omptape_producer_append_queued(slot, place[0]);
}

/* Writes a record of 2 to 5 words; superfluous payload arguments are ignored. All rare work is in one call at
 * the end, so that the compiler saves no registers for it. `words` is a constant in every caller. */
static inline __attribute__((always_inline)) void omptape_producer_put(struct omptape_slot *slot,
                                                                       size_t words, enum omptape_kind kind,
                                                                       unsigned a, uint32_t b, uint64_t p0,
                                                                       uint64_t p1, uint64_t p2)
{
    uint64_t header = omptape_record_header(kind, words, a, b);
    uint64_t *place = omptape_producer_fast_reserve(slot, words);
    if (place == NULL) {
        omptape_producer_put_slow(slot, header, p0, p1, p2);
        return;
    }
    place[1] = header;
    if (words > 2)
        place[2] = p0;
    if (words > 3)
        place[3] = p1;
    if (words > 4)
        place[4] = p2;
    omptape_producer_fast_commit(slot, place, words);
}

/* Write whole records with 0 to 3 payload words. `slot`: omptape_producer_slot; a thread without one gets
 * one. */
static inline void omptape_put(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b)
{
    omptape_producer_put(slot, 2, kind, a, b, 0, 0, 0);
}
static inline void omptape_put1(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b,
                                uint64_t p0)
{
    omptape_producer_put(slot, 3, kind, a, b, p0, 0, 0);
}
static inline void omptape_put2(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b,
                                uint64_t p0, uint64_t p1)
{
    omptape_producer_put(slot, 4, kind, a, b, p0, p1, 0);
}
static inline void omptape_put3(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b,
                                uint64_t p0, uint64_t p1, uint64_t p2)
{
    omptape_producer_put(slot, 5, kind, a, b, p0, p1, p2);
}

/* Copies text into payload words, zero-terminated, padded, cut to `capacity`. Returns the words used (at
 * least 1). */
size_t omptape_producer_text(uint64_t *payload, size_t capacity, const char *text, size_t length);
