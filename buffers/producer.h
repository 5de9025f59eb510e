/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The producer side: appending records to the calling thread's chunk. Called on program threads, inside
 * callbacks. The common path reads the clock and stores one record: no lock, no atomic read-modify-write, no
 * allocation, no system call. Only a chunk change takes one read-modify-write on the pool and, if the writer
 * sleeps, one futex wake.
 *
 * Signal handlers. A handler may cause an event in the middle of a record of the same thread. From its first
 * look at the slot to its last store a record holds the slot (`busy`); whoever finds it held is such a
 * handler and puts its record aside (buffers/interrupt.c), and the holder appends what was put aside when it
 * is done. What does not fit is counted as dropped.
 *
 * Forks. What is here is wiped in a process that is made by fork, whichever way: its threads find no room
 * in a slot that is wiped, and leave the session, which is their parent's.
 */
#ifndef OMPTAPE_BUFFERS_PRODUCER_H
#define OMPTAPE_BUFFERS_PRODUCER_H

#include "buffers/slot.h"
#include "src/core/clock.h"

#include <omptape/record.h>
#include <omptape/shm.h>
#include <stdbool.h>
#include <stddef.h>

/* The calling thread's slot; NULL before its first record and after its thread_end. Initial-exec TLS: 8
 * bytes, so that the library can still be dlopened (OMP_TOOL_LIBRARIES). */
extern _Thread_local struct omptape_slot *omptape_producer_slot __attribute__((tls_model("initial-exec")));

/* The session that threads attach to; NULL: nothing is recorded. Set by the two functions below only. */
extern struct omptape_shm *_Atomic omptape_producer_shm;

/* What the threads' slots need in this process. To be called before the first session is opened. 0 or -errno.
 */
int omptape_producer_prepare(void);

/* Opens a session for this process's threads. Called by src/tool/ when there is none. */
void omptape_producer_open(struct omptape_shm *shm);

/* True if the last session was opened in this process, not in one that it was forked from. Any thread. */
bool omptape_producer_is_own(void);

/* Called when a thread without a slot records while there is no session; gives src/tool/ the chance to start
 * one (a forked child's first real event). Returns the session or NULL. Set by src/tool/. */
extern struct omptape_shm *(*omptape_producer_late_start)(enum omptape_kind kind);

/* Gives the calling thread a slot and writes its THREAD_BEGIN. `kind` is the record that is about to be
 * written, `thread_type` an ompt_thread_t, OMPTAPE_THREAD_DELIVERS or 0. A thread that only delivered records
 * so far and begins now (`kind` is THREAD_BEGIN) gets a new slot. NULL: nothing is recorded. */
struct omptape_slot *omptape_producer_attach(enum omptape_kind kind, unsigned thread_type);

/* Ends the calling thread's stream (after its THREAD_END record). If it has none, its end counts as dropped.
 */
void omptape_producer_detach(void);

/* The calling thread makes no more records: what a signal handler that never returned interrupted is given
 * up, what it put aside is appended. */
void omptape_producer_end_records(void);

/* The same as detach, with its THREAD_END, if the calling thread has a stream only because it delivered
 * records of devices (it was attached as OMPTAPE_THREAD_DELIVERS and has not begun as a thread of the runtime
 * since). */
void omptape_producer_end_delivery(void);

/* Leaves the session without touching it: in a forked child it is the parent's. */
void omptape_producer_forget(void);

/* Has the writer look at once at what was recorded so far. */
void omptape_producer_flush(void);

static inline struct omptape_slot *omptape_producer_get(enum omptape_kind kind)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (__builtin_expect(slot == NULL, 0))
        slot = omptape_producer_attach(kind, 0);
    return slot;
}

/* A new identity (include/omptape/record.h). */
uint64_t omptape_producer_id(struct omptape_slot *slot);

/* The same, between omptape_producer_short_way and omptape_producer_finish: nobody else gets one this way. */
static inline uint64_t omptape_producer_held_id(struct omptape_slot *slot)
{
    return omptape_id(slot->index, ++slot->sequence);
}

/* Room for a record of `words`, with its header filled in; NULL if it is dropped (and counted, if it is an
 * event of the program), or larger than a record can be. Must be followed by a commit, on the same thread. */
struct omptape_record *omptape_producer_reserve(struct omptape_slot *slot, size_t words,
                                                enum omptape_kind kind, unsigned a, uint32_t b);

/* Publishes the reserved record: from here on it survives whatever happens to the program. */
void omptape_producer_commit(struct omptape_slot *slot, const struct omptape_record *record);

/* A whole record with `count` payload words, the way of the two functions above: for what is not frequent.
 * Does nothing where `slot` is NULL. False: it is dropped. */
bool omptape_producer_put_words(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b,
                                const uint64_t *payload, size_t count);

/* Appends what signal handlers put aside while the record before was made, not earlier than at `time`. */
void omptape_producer_settle(struct omptape_slot *slot, uint64_t time);

/* The runtime has handed out a chunk of a loop, for which it was asked at `since`. `slot` may be NULL. */
void omptape_producer_time_chunk(struct omptape_slot *slot, uint64_t since);

/* Is it not 0? One instruction and its branch, which compilers do not make of an atomic load. */
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

/* Holds the slot. The signal fence: what is read of the slot is read after that. */
static inline __attribute__((always_inline)) void omptape_producer_hold(struct omptape_slot *slot)
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

/* The same as below where the short way does not do: the thread has no slot yet, its chunk is full, or the
 * clock is the system's. */
void omptape_producer_put_slowly(struct omptape_slot *slot, uint64_t header, uint64_t p0, uint64_t p1,
                                 uint64_t p2);

/* Asks for a line that will be written soon: the writer's processor has it, and it takes longer to get it
 * back than to fill a few records. May point behind all memory. */
static inline void omptape_producer_fetch(const uint64_t *place)
{
    enum { AHEAD = 48 };
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(place[AHEAD]));
#else
    __builtin_prefetch(place + AHEAD, 1);
#endif
}

/* The short way: the place of a record of `words` with its time filled in; NULL where it does not do. Must be
 * followed by omptape_producer_finish. */
static inline uint64_t *omptape_producer_short_way(struct omptape_slot *slot, size_t words)
{
    if (__builtin_expect(slot == NULL, 0) || __builtin_expect(omptape_producer_is_set(&slot->busy), 0))
        return NULL;
    omptape_producer_hold(slot);
    uint64_t *place = slot->cursor;
    if (__builtin_expect((size_t)(slot->limit - place) < words, 0)) {
        omptape_producer_release(slot, 0);
        return NULL;
    }
    omptape_producer_fetch(place);
    place[0] = omptape_clock_counter();
    return place;
}

/* Ends what the short way began. */
static inline void omptape_producer_finish(struct omptape_slot *slot, uint64_t *place, size_t words)
{
    omptape_slot_advance(slot, place, words);
    omptape_producer_release(slot, 0);
    if (__builtin_expect(omptape_producer_is_set(&slot->interrupted), 0))
        omptape_producer_settle(slot, place[0]);
}

/* A record of 2 to 5 words; those of the payload that it has no room for are ignored. Everything rare is in
 * one call at the end, so that the compiler saves no registers for it. `words` is a constant in every caller.
 */
static inline __attribute__((always_inline)) void omptape_producer_put(struct omptape_slot *slot,
                                                                       size_t words, enum omptape_kind kind,
                                                                       unsigned a, uint32_t b, uint64_t p0,
                                                                       uint64_t p1, uint64_t p2)
{
    uint64_t header = omptape_record_header(kind, words, a, b);
    uint64_t *place = omptape_producer_short_way(slot, words);
    if (place == NULL) {
        omptape_producer_put_slowly(slot, header, p0, p1, p2);
        return;
    }
    place[1] = header;
    if (words > 2)
        place[2] = p0;
    if (words > 3)
        place[3] = p1;
    if (words > 4)
        place[4] = p2;
    omptape_producer_finish(slot, place, words);
}

/* Whole records with 0 to 3 payload words, for the slot of the calling thread, omptape_producer_slot. A
 * thread without one gets it. */
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

/* Copies text into payload words, zero-terminated and padded; cut to `room` words. Returns the words used (at
 * least 1). */
size_t omptape_producer_text(uint64_t *payload, size_t room, const char *text, size_t length);

#endif
