/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A double of libcupti.so: collects the operations of the libcuda double (libcuda.c) in activity buffers, with
 * the record layouts of a CUDA version. Delivers them from a worker thread. DOUBLE_CUPTI, a list of words,
 * chooses how it behaves:
 *   unknown     no driver: everything answers 999        busy      another profiler is subscribed
 *   disabled    activities cannot be enabled             old       a version before CUDA 11
 *   cuda11      the records of CUDA 11.0                 small     uses 2 KiB of each buffer
 *   late        external ids come after all activities   truncate  buffers end within a record
 *   anonymous   knows no context's device
 * Compiled with OMIT_FLUSH it lacks cuptiActivityFlushAll. Called on any thread.
 */
#include "tests/cupti/activity.h"
#include "tests/cupti/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { SMALL = 2048, MAX_KINDS = 64, MAX_IDS = 16, MAX_LATE = 4096, QUEUE = 1024 };
enum { QUEUE_EMPTY = 17, INVALID_DEVICE = 11, BUSY = 39, UNKNOWN = 999 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static omptape_cupti_callback_t callback;
static omptape_cupti_request_t request;
static omptape_cupti_complete_t complete;
static bool context_callback;
static bool enabled[MAX_KINDS];
static uint32_t correlations;
static size_t dropped;
static struct activity_buffer filling;
static struct activity_buffer queue[QUEUE];
static size_t queue_begin;
static size_t queue_end;
static bool delivering;
static pthread_t worker;
static struct omptape_cupti_external late[MAX_LATE];
static size_t late_count;
static _Thread_local uint64_t ids[MAX_IDS];
static _Thread_local size_t id_count;

int cuptiGetVersion(uint32_t *version);
int cuptiGetTimestamp(uint64_t *time);
int cuptiSubscribe(void **subscriber, omptape_cupti_callback_t function, void *user);
int cuptiUnsubscribe(void *subscriber);
int cuptiActivityRegisterCallbacks(omptape_cupti_request_t on_request, omptape_cupti_complete_t on_complete);
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, struct omptape_cupti_activity **record);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityFlushPeriod(uint32_t milliseconds);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count);
int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id);
int cuptiActivityPopExternalCorrelationId(int kind, uint64_t *last);
int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id);
int cuptiGetContextId(void *context, uint32_t *id);
int cuptiGetDeviceId(void *context, uint32_t *id);
int cuptiGetResultString(int result, const char **text);

static bool mode(const char *word)
{
    const char *words = getenv("DOUBLE_CUPTI");
    return words != NULL && strstr(words, word) != NULL;
}

/* Everything below is called with the lock held, unless it says otherwise. */

static void deliver_filling(void)
{
    if (filling.bytes == NULL)
        return;
    struct activity_buffer full = filling;
    filling = (struct activity_buffer){0};
    while (queue_end - queue_begin == QUEUE)
        pthread_cond_wait(&changed, &lock);
    queue[queue_end++ % QUEUE] = full;
    pthread_cond_broadcast(&changed);
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (queue_begin == queue_end)
            pthread_cond_wait(&changed, &lock);
        struct activity_buffer buffer = queue[queue_begin % QUEUE];
        delivering = true;
        queue_begin++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        size_t used = mode("truncate") && buffer.used > 0 ? buffer.used - 4 : buffer.used;
        complete(NULL, 0, buffer.bytes, buffer.size, used);
        pthread_mutex_lock(&lock);
        delivering = false;
        pthread_cond_broadcast(&changed);
    }
    return unused;
}

static bool find_room(size_t bytes)
{
    while (filling.bytes != NULL && filling.size - filling.used < bytes)
        deliver_filling();
    if (filling.bytes == NULL) {
        size_t most = 0;
        request(&filling.bytes, &filling.size, &most);
        if (mode("small") && filling.size > SMALL)
            filling.size = SMALL;
        filling.used = 0;
    }
    dropped += filling.bytes == NULL;
    return filling.bytes != NULL;
}

static void put_activity(const struct driver_activity *a, uint32_t correlation)
{
    static const int kinds[] = {[DRIVER_KERNEL] = OMPTAPE_CUPTI_KIND_CONCURRENT_KERNEL,
                                [DRIVER_COPY] = OMPTAPE_CUPTI_KIND_MEMCPY,
                                [DRIVER_PEER] = OMPTAPE_CUPTI_KIND_MEMCPY2,
                                [DRIVER_SET] = OMPTAPE_CUPTI_KIND_MEMSET,
                                [DRIVER_SYNC] = OMPTAPE_CUPTI_KIND_SYNCHRONIZATION,
                                [DRIVER_ALLOC] = OMPTAPE_CUPTI_KIND_MEMORY2,
                                [DRIVER_FREE] = OMPTAPE_CUPTI_KIND_MEMORY2};
    const uint32_t device_memory = 3;
    if (a->work == DRIVER_CONTEXT || !enabled[kinds[a->work]] ||
        !find_room(activity_size((uint32_t)kinds[a->work])))
        return;
    switch (a->work) {
    case DRIVER_KERNEL:
        activity_kernel(&filling, a->start, a->end, a->device, a->stream, correlation, a->name);
        break;
    case DRIVER_COPY:
        activity_copy(&filling, (uint8_t)a->copy_kind, a->start, a->end, a->device, a->stream, correlation,
                      a->bytes);
        break;
    case DRIVER_PEER:
        activity_peer(&filling, a->start, a->end, a->peer, a->device, correlation, a->bytes);
        break;
    case DRIVER_SET:
        activity_set(&filling, a->start, a->end, a->device, a->stream, correlation, a->bytes);
        break;
    case DRIVER_SYNC:
        activity_sync(&filling, OMPTAPE_CUPTI_SYNC_STREAM, a->start, a->end, activity_context(a->device),
                      a->stream, correlation);
        break;
    default:
        activity_memory(&filling,
                        a->work == DRIVER_ALLOC ? OMPTAPE_CUPTI_MEMORY_ALLOCATION
                                                : OMPTAPE_CUPTI_MEMORY_RELEASE,
                        device_memory, a->start, a->device, correlation, a->bytes);
        break;
    }
}

/* A call of the driver: with it go the external ids of its thread. */
static void put_call(uint32_t correlation)
{
    if (!enabled[OMPTAPE_CUPTI_KIND_DRIVER])
        return;
    if (id_count > 0 && enabled[OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION]) {
        struct omptape_cupti_external external = {.external_kind = OMPTAPE_CUPTI_EXTERNAL_CUSTOM0,
                                                  .external_id = ids[id_count - 1],
                                                  .correlation = correlation};
        if (mode("late") && late_count < MAX_LATE)
            late[late_count++] = external;
        else if (find_room(activity_size(OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION)))
            activity_external(&filling, external.external_kind, external.external_id, correlation);
    }
    if (find_room(activity_size(OMPTAPE_CUPTI_KIND_DRIVER)))
        activity_driver(&filling, correlation);
}

/* Without the lock: the tool calls us back. */
static void tell_of_context(uint32_t device)
{
    uintptr_t context = (uintptr_t)activity_context(device);
    struct omptape_cupti_resource resource = {.context = (void *)context};
    if (callback != NULL && context_callback)
        callback(NULL, OMPTAPE_CUPTI_DOMAIN_RESOURCE, OMPTAPE_CUPTI_CONTEXT_CREATED, &resource);
}

static void listen(const struct driver_activity *activity)
{
    if (activity->work == DRIVER_CONTEXT)
        tell_of_context(activity->device);
    pthread_mutex_lock(&lock);
    if (request != NULL && activity->work != DRIVER_CONTEXT) {
        uint32_t correlation = ++correlations;
        put_call(correlation);
        put_activity(activity, correlation);
    }
    pthread_mutex_unlock(&lock);
}

static void *find_driver(const char *name)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return driver != NULL ? dlsym(driver, name) : NULL;
}

EXPORT int cuptiGetVersion(uint32_t *version)
{
    if (mode("cuda11"))
        activity_cuda = ACTIVITY_CUDA_11_0;
    *version = mode("old") ? 5 : activity_version();
    return 0;
}

EXPORT int cuptiGetTimestamp(uint64_t *time)
{
    const uint64_t second = 1000000000;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (uint64_t)now.tv_sec * second + (uint64_t)now.tv_nsec;
    return 0;
}

EXPORT int cuptiSubscribe(void **subscriber, omptape_cupti_callback_t function, void *user)
{
    (void)user;
    int (*driver_listens)(void (*)(const struct driver_activity *));
    void *symbol = find_driver("driver_listen");
    if (mode("busy"))
        return BUSY;
    if (mode("unknown") || symbol == NULL)
        return UNKNOWN;
    memcpy(&driver_listens, &symbol, sizeof(symbol));
    callback = function;
    *subscriber = &callback;
    (void)driver_listens(listen);
    return 0;
}

EXPORT int cuptiUnsubscribe(void *subscriber)
{
    (void)subscriber;
    callback = NULL;
    return 0;
}

EXPORT int cuptiActivityRegisterCallbacks(omptape_cupti_request_t on_request,
                                          omptape_cupti_complete_t on_complete)
{
    pthread_mutex_lock(&lock);
    bool first = complete == NULL;
    request = on_request;
    complete = on_complete;
    if (first)
        pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}

EXPORT int cuptiActivityEnable(int kind)
{
    if (mode("disabled"))
        return UNKNOWN;
    pthread_mutex_lock(&lock);
    enabled[kind] = true;
    pthread_mutex_unlock(&lock);
    return 0;
}

EXPORT int cuptiActivityDisable(int kind)
{
    pthread_mutex_lock(&lock);
    enabled[kind] = false;
    pthread_mutex_unlock(&lock);
    return 0;
}

EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, struct omptape_cupti_activity **record)
{
    return activity_next(buffer, valid, record);
}

#ifndef OMIT_FLUSH
EXPORT int cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    pthread_mutex_lock(&lock);
    deliver_filling();
    for (size_t i = 0; i < late_count; i++)
        if (find_room(activity_size(OMPTAPE_CUPTI_KIND_EXTERNAL_CORRELATION)))
            activity_external(&filling, late[i].external_kind, late[i].external_id, late[i].correlation);
    late_count = 0;
    deliver_filling();
    while (queue_begin != queue_end || delivering)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
#endif

EXPORT int cuptiActivityFlushPeriod(uint32_t milliseconds)
{
    (void)milliseconds;
    return 0;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    (void)context;
    (void)stream;
    pthread_mutex_lock(&lock);
    *count = dropped;
    dropped = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

EXPORT int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id)
{
    (void)kind;
    if (id_count < MAX_IDS)
        ids[id_count++] = id;
    return 0;
}

EXPORT int cuptiActivityPopExternalCorrelationId(int kind, uint64_t *last)
{
    (void)kind;
    if (id_count == 0)
        return QUEUE_EMPTY;
    id_count--;
    if (last != NULL)
        *last = ids[id_count];
    return 0;
}

EXPORT int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id)
{
    (void)subscriber;
    if (domain == OMPTAPE_CUPTI_DOMAIN_RESOURCE && id == OMPTAPE_CUPTI_CONTEXT_CREATED)
        context_callback = enable != 0;
    return 0;
}

EXPORT int cuptiGetContextId(void *context, uint32_t *id)
{
    *id = (uint32_t)(uintptr_t)context;
    return 0;
}

EXPORT int cuptiGetDeviceId(void *context, uint32_t *id)
{
    int (*present_device)(void);
    void *symbol = find_driver("driver_present_device");
    if (mode("anonymous") || (context == NULL && symbol == NULL))
        return INVALID_DEVICE;
    if (context != NULL) {
        *id = (uint32_t)(uintptr_t)context - activity_context(0);
        return 0;
    }
    memcpy(&present_device, &symbol, sizeof(symbol));
    int present = present_device();
    *id = (uint32_t)present;
    return present >= 0 ? 0 : INVALID_DEVICE;
}

EXPORT int cuptiGetResultString(int result, const char **text)
{
    *text = result == UNKNOWN ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR";
    return 0;
}
