/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rings of the floor tool: a thread's beginning and end, and what was recorded so far. Called by
 * floor_tool.c on the runtime's threads, and by benchmark programs between their measurements.
 */
#include "tests/bench/floor_ring.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static _Alignas(64) char spare_ring[RING_BYTES];
_Thread_local struct floor_thread floor_self
    __attribute__((tls_model("initial-exec"))) = {.ring = spare_ring};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct floor_thread *threads;
static uint64_t ended_events;
static unsigned thread_count;

void floor_begin_thread(void)
{
    if (!RECORDS || floor_self.ring != spare_ring)
        return;
    /* Touched at once: omptape's chunks are used again and again, too. */
    char *ring =
        mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (ring == MAP_FAILED)
        return;
    floor_self.ring = ring;
    atomic_store_explicit(&floor_self.cursor, 0, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    floor_self.next = threads;
    threads = &floor_self;
    thread_count++;
    pthread_mutex_unlock(&lock);
}

void floor_end_thread(void)
{
    if (!RECORDS || floor_self.ring == spare_ring)
        return;
    pthread_mutex_lock(&lock);
    ended_events +=
        atomic_load_explicit(&floor_self.cursor, memory_order_relaxed) / sizeof(struct floor_record);
    for (struct floor_thread **link = &threads; *link != NULL; link = &(*link)->next) {
        if (*link == &floor_self) {
            *link = floor_self.next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    munmap(floor_self.ring, RING_BYTES);
    floor_self.ring = spare_ring;
}

unsigned floor_threads(void)
{
    return thread_count;
}

__attribute__((visibility("default"))) void omptape_floor_count(uint64_t *all, uint64_t *own)
{
    pthread_mutex_lock(&lock);
    *all = ended_events;
    for (const struct floor_thread *thread = threads; thread != NULL; thread = thread->next)
        *all += atomic_load_explicit(&thread->cursor, memory_order_relaxed) / sizeof(struct floor_record);
    pthread_mutex_unlock(&lock);
    *own = atomic_load_explicit(&floor_self.cursor, memory_order_relaxed) / sizeof(struct floor_record);
}
