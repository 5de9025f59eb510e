/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The engine: one thread that writes each record when its operation is over. Fed by the program's threads.
 */
#include "tests/emulator/engine.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "tests/emulator/buffers.h"
#include "tests/emulator/modes.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct em_pending *future;   /* not over yet, sorted by time */
static struct em_pending *complete; /* over, in the order in which they came */
static struct em_pending **complete_end = &complete;
static struct em_pending *writing;
static bool running;
static bool stopping;
static pthread_t thread;

static void append_complete(struct em_pending *one)
{
    one->next = NULL;
    *complete_end = one;
    complete_end = &one->next;
}

static void insert(struct em_pending *one)
{
    struct em_pending **at = &future;

    if (one->ready <= em_host_now()) {
        append_complete(one);
        return;
    }
    while (*at != NULL && (*at)->ready <= one->ready)
        at = &(*at)->next;
    one->next = *at;
    *at = one;
}

static void complete_future(void)
{
    uint64_t now = em_host_now();

    while (future != NULL && future->ready <= now) {
        struct em_pending *one = future;
        future = one->next;
        append_complete(one);
    }
}

/* shuffle: takes one of the first few, not the first. */
static struct em_pending *take_complete(void)
{
    uint64_t skip = em_mode(EM_SHUFFLE) ? em_random(6) : 0;
    struct em_pending **at = &complete;
    struct em_pending *one;

    while (skip-- > 0 && (*at)->next != NULL)
        at = &(*at)->next;
    one = *at;
    *at = one->next;
    if (complete_end == &one->next)
        complete_end = at;
    return one;
}

static void write_one(void)
{
    writing = take_complete();
    pthread_mutex_unlock(&lock);
    em_buffers_put(writing);
    pthread_mutex_lock(&lock);
    writing = NULL;
    pthread_cond_broadcast(&changed);
}

static void wait_a_little(void)
{
    struct timespec pause = {0, 20000};

    pthread_mutex_unlock(&lock);
    nanosleep(&pause, NULL); /* between two looks at the clock */
    pthread_mutex_lock(&lock);
}

static void *run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stopping || future != NULL || complete != NULL) {
        complete_future();
        if (complete != NULL)
            write_one();
        else if (future != NULL)
            wait_a_little();
        else
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

void em_engine_start(void)
{
    sigset_t all;
    sigset_t before;

    pthread_mutex_lock(&lock);
    if (!running && !em_mode(EM_REQUEST_APP)) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        stopping = false;
        running = pthread_create(&thread, NULL, run, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_mutex_unlock(&lock);
}

void em_engine_submit(struct em_pending *one)
{
    pthread_mutex_lock(&lock);
    if (!running) {
        pthread_mutex_unlock(&lock);
        em_wait_until(one->ready);
        em_buffers_put(one);
        return;
    }
    insert(one);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static bool is_due(const struct em_pending *one, const struct em_device *device, uint64_t host_ticks)
{
    return one != NULL && (device == NULL || one->device == device) && one->ready <= host_ticks;
}

static bool has_due(const struct em_pending *list, const struct em_device *device, uint64_t host_ticks)
{
    for (; list != NULL; list = list->next)
        if (is_due(list, device, host_ticks))
            return true;
    return false;
}

void em_engine_settle(const struct em_device *device, uint64_t host_ticks)
{
    pthread_mutex_lock(&lock);
    while (is_due(writing, device, host_ticks) || has_due(complete, device, host_ticks) ||
           has_due(future, device, host_ticks))
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void em_engine_stop(void)
{
    bool join;

    pthread_mutex_lock(&lock);
    join = running;
    stopping = true;
    running = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (join)
        pthread_join(thread, NULL);
}
