/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The slots of threads that deliver device records. Called by whatever in device/ makes a record.
 */
#include "device/delivery.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Atomic bool has_key;

/* At the end of a thread. One that has begun as a thread of the runtime since is left to its thread_end. */
static void at_thread_end(void *unused)
{
    (void)unused;
    omptape_producer_end_delivery();
}

static void make_key(void)
{
    atomic_store(&has_key, pthread_key_create(&key, at_thread_end) == 0);
}

void omptape_delivery_prepare(void)
{
    (void)pthread_once(&once, make_key);
}

struct omptape_slot *omptape_delivery_slot(enum omptape_kind kind)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot != NULL)
        return slot;
    slot = omptape_producer_attach(kind, OMPTAPE_THREAD_DELIVERS);
    /* The value only has to be one: without any, no destructor runs. */
    if (slot != NULL && atomic_load(&has_key))
        (void)pthread_setspecific(key, slot);
    return slot;
}

bool omptape_delivery_is_recording(void)
{
    struct omptape_shm *shm = atomic_load_explicit(&omptape_producer_shm, memory_order_acquire);
    return shm != NULL &&
           atomic_load_explicit(&shm->program_state, memory_order_relaxed) == OMPTAPE_PROGRAM_RUNNING;
}
