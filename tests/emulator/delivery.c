/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The delivering threads and their queue. Fed by the lanes; emptied in order or not.
 */
#include "tests/emulator/delivery.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "tests/emulator/buffer.h"
#include "tests/emulator/modes.h"
#include "tests/emulator/violations.h"

enum { THREADS_MAX = 16, PATIENCE_SECONDS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct em_range *queue;
static struct em_range **queue_end = &queue;
static const struct em_device *busy_with[THREADS_MAX];
static pthread_t threads[THREADS_MAX];
static int thread_count;
static bool stopping;

bool em_delivery_is_late(void)
{
    return em_mode(EM_LATE_DEVICE) || em_mode(EM_LATE_FINALIZE) || em_mode(EM_AFTER_END) || em_mode(EM_NEVER);
}

/* The first that may go, or with out_of_order any. Called with the lock. */
static struct em_range *take(void)
{
    struct em_range **at = &queue;
    struct em_range **chosen = NULL;
    struct em_range *range;
    uint64_t seen = 0;

    for (; *at != NULL; at = &(*at)->next) {
        if ((*at)->released && (chosen == NULL || (em_mode(EM_OUT_OF_ORDER) && em_random(++seen + 1) == 0))) {
            chosen = at;
            if (!em_mode(EM_OUT_OF_ORDER))
                break;
        }
    }
    if (chosen == NULL)
        return NULL;
    range = *chosen;
    *chosen = range->next;
    if (queue_end == &range->next)
        queue_end = chosen;
    return range;
}

/* Lets a few more ranges come together, for a choice. */
static void linger(void)
{
    struct timespec pause = {0, (long)em_random(300000)};

    if (em_mode(EM_OUT_OF_ORDER)) {
        pthread_mutex_unlock(&lock);
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&lock);
    }
}

static void *run(void *number)
{
    int self = (int)(intptr_t)number;

    pthread_mutex_lock(&lock);
    for (;;) {
        struct em_range *range = take();
        if (range == NULL && stopping)
            break;
        if (range == NULL) {
            pthread_cond_wait(&changed, &lock);
            linger();
            continue;
        }
        busy_with[self] = range->device;
        pthread_mutex_unlock(&lock);
        em_buffers_complete(range);
        pthread_mutex_lock(&lock);
        busy_with[self] = NULL;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

void em_delivery_start(void)
{
    int wanted = (int)em_number(EM_THREADS);
    sigset_t all;
    sigset_t before;

    pthread_mutex_lock(&lock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (!stopping && thread_count < wanted && thread_count < THREADS_MAX &&
           pthread_create(&threads[thread_count], NULL, run, (void *)(intptr_t)thread_count) == 0)
        thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_unlock(&lock);
}

void em_delivery_push(struct em_range *range)
{
    range->released = !em_delivery_is_late() && !em_mode(EM_LATE);
    if (range->released && em_mode(EM_COMPLETE_APP)) {
        em_buffers_complete(range);
        return;
    }
    pthread_mutex_lock(&lock);
    range->next = NULL;
    *queue_end = range;
    queue_end = &range->next;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void em_delivery_release(const struct em_device *device)
{
    pthread_mutex_lock(&lock);
    for (struct em_range *range = queue; range != NULL; range = range->next)
        if (device == NULL || range->device == device)
            range->released = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static bool is_of(const struct em_device *one, const struct em_device *device)
{
    return one != NULL && (device == NULL || one == device);
}

static bool is_busy(const struct em_device *device)
{
    for (int i = 0; i < thread_count; i++)
        if (is_of(busy_with[i], device))
            return true;
    for (const struct em_range *range = queue; range != NULL; range = range->next)
        if (range->released && is_of(range->device, device))
            return true;
    return false;
}

void em_delivery_drain(const struct em_device *device)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_SECONDS;
    pthread_mutex_lock(&lock);
    while (thread_count > 0 && is_busy(device)) {
        if (pthread_cond_timedwait(&changed, &lock, &until) != 0) {
            em_violation("buffer_complete: not all returned within %d s", PATIENCE_SECONDS);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

void em_delivery_stop(void)
{
    int count;

    pthread_mutex_lock(&lock);
    stopping = true;
    count = thread_count;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&lock);
    thread_count = 0;
    pthread_mutex_unlock(&lock);
}
