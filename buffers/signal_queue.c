/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queues the records that signal handlers make in the middle of another record. Called by buffers/producer.c
 * on the recording thread; all functions except omptape_signal_queue_first run in its signal handlers.
 */
#include "buffers/signal_queue.h"

#include "src/core/clock.h"

#include <errno.h>
#include <sys/mman.h>

/* The queue holds thousands of records, because the interrupted record may wait for a chunk. It is mapped
 * when a thread first needs it, which is rare. */
enum { QUEUE_BYTES = 131072, QUEUE_WORDS = QUEUE_BYTES / 8 - 2 };

struct omptape_signal_queue {
    /* Words in use. May exceed the size for a moment, while a handler finds that its record does not fit. */
    _Atomic size_t used;
    /* Words appended to the chunk. Stored here, because a handler may leave the holder by longjmp. */
    _Atomic size_t done;
    uint64_t words[QUEUE_WORDS];
};

/* A signal handler's frame is at least this far below the interrupted function. Callbacks at the same call
 * depth differ by less. */
enum { SIGNAL_FRAME_BYTES = 768 };
/* Another stack is farther away than this. */
enum { SAME_STACK_BYTES = 1 << 20 };

static bool is_on_signal_stack(void)
{
    stack_t stack;
    return sigaltstack(NULL, &stack) != 0 || (stack.ss_flags & SS_ONSTACK) != 0;
}

bool omptape_signal_queue_is_abandoned(uintptr_t holder)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    int saved = errno;
    /* Stacks grow downwards: a handler that interrupted the holder is below it, unless on its own stack. */
    bool abandoned =
        here + SIGNAL_FRAME_BYTES > holder && here < holder + SAME_STACK_BYTES && !is_on_signal_stack();
    errno = saved;
    return abandoned;
}

static struct omptape_signal_queue *queue_of(struct omptape_slot *slot)
{
    if (slot->signal_queue == NULL) {
        int saved = errno;
        void *map = mmap(NULL, sizeof(*slot->signal_queue), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        /* A handler that interrupted this function may have mapped the memory. */
        struct omptape_signal_queue *none = NULL;
        if (map != MAP_FAILED && !__atomic_compare_exchange_n(&slot->signal_queue, &none, map, false,
                                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            munmap(map, sizeof(*slot->signal_queue));
        errno = saved;
    }
    return slot->signal_queue;
}

static void count_lost(struct omptape_slot *slot, uint64_t header)
{
    if ((header & 0xffU) < OMPTAPE_FIRST_OWN)
        atomic_fetch_add_explicit(&slot->lost, 1, memory_order_relaxed);
}

struct omptape_record *omptape_signal_queue_reserve(struct omptape_slot *slot, uint64_t header)
{
    size_t words = header >> 8 & 0xffU;
    struct omptape_signal_queue *queue = queue_of(slot);
    atomic_store_explicit(&slot->interrupted, 1, memory_order_relaxed);
    if (queue == NULL) {
        count_lost(slot, header);
        return NULL;
    }
    size_t at = atomic_fetch_add_explicit(&queue->used, words, memory_order_relaxed);
    if (at > QUEUE_WORDS || words > QUEUE_WORDS - at) {
        /* Handlers that took words since have already returned them. */
        atomic_fetch_sub_explicit(&queue->used, words, memory_order_relaxed);
        count_lost(slot, header);
        return NULL;
    }
    queue->words[at + 1] = header;
    queue->words[at] = omptape_clock_now();
    return (struct omptape_record *)(void *)&queue->words[at];
}

/* Empties the queue. Returns false if a handler adds another record at this moment. */
static bool reset_queue(struct omptape_signal_queue *queue, size_t used, size_t done)
{
    atomic_store_explicit(&queue->done, 0, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_compare_exchange_strong_explicit(&queue->used, &used, 0, memory_order_relaxed,
                                                memory_order_relaxed))
        return true;
    atomic_store_explicit(&queue->done, done, memory_order_relaxed);
    return false;
}

struct omptape_record *omptape_signal_queue_first(struct omptape_slot *slot)
{
    struct omptape_signal_queue *queue = slot->signal_queue;
    if (queue == NULL)
        return NULL;
    for (;;) {
        size_t used = atomic_load_explicit(&queue->used, memory_order_relaxed);
        size_t done = atomic_load_explicit(&queue->done, memory_order_relaxed);
        if (done >= used) {
            if (reset_queue(queue, used, done))
                return NULL;
            continue;
        }
        struct omptape_record *record = (struct omptape_record *)(void *)&queue->words[done];
        if (record->words >= OMPTAPE_RECORD_HEADER_WORDS && record->words <= used - done)
            return record;
        /* A handler was left by longjmp between two stores. The records behind it are lost. */
        atomic_fetch_add_explicit(&slot->lost, 1, memory_order_relaxed);
        atomic_store_explicit(&queue->done, used, memory_order_relaxed);
    }
}

void omptape_signal_queue_remove(struct omptape_slot *slot, struct omptape_record *record)
{
    struct omptape_signal_queue *queue = slot->signal_queue;
    size_t done = atomic_load_explicit(&queue->done, memory_order_relaxed);
    atomic_store_explicit(&queue->done, done + record->words, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    /* The header is cleared, so that it is never taken for a record later. */
    record->words = 0;
}

void omptape_signals_block(sigset_t *mask)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, mask);
}

void omptape_signals_restore(const sigset_t *mask)
{
    pthread_sigmask(SIG_SETMASK, mask, NULL);
}
