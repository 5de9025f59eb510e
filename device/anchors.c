/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes anchors. Called by the thread that opens, flushes or closes a device, and now and then at the end of
 * a target operation on the thread that did it.
 */
#include "device/anchors.h"

#include <dlfcn.h>
#include <string.h>

/* Ten a second: a clock whose rate changes by 5 ppm a second strays from the line between two of them by less
 * than 10 ns. */
static const uint64_t interval_ns = 100000000;
/* Shorter than this the rate of the ticks cannot be told well enough. */
static const uint64_t shortest_ns = 100000;

typedef double wtime_function(void);
static wtime_function *_Atomic get_wtime;
static _Atomic uint64_t first_ticks;
static _Atomic uint64_t first_ns;

/* A reading that stays between what comes before and what comes after: else the processor may take it early,
 * and the bracket would be too narrow. */
static uint64_t now_in_order(void)
{
#if defined(__x86_64__)
    _mm_lfence();
    uint64_t ticks = omptape_clock_now();
    _mm_lfence();
    return ticks;
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
    uint64_t ticks = omptape_clock_now();
    __asm__ volatile("isb" ::: "memory");
    return ticks;
#else
    return omptape_clock_now();
#endif
}

void omptape_anchors_prepare(void)
{
    uint64_t none = 0;
    wtime_function *function = NULL;
    /* The traced program's runtime: the library is not linked with any. */
    void *symbol = dlsym(RTLD_DEFAULT, "omp_get_wtime");
    memcpy(&function, &symbol, sizeof(symbol));
    atomic_store(&get_wtime, function);
    if (atomic_compare_exchange_strong(&first_ns, &none, omptape_clock_raw_ns()))
        atomic_store(&first_ticks, omptape_clock_now());
}

uint64_t omptape_anchors_next_due(void)
{
    uint64_t ticks = omptape_clock_now();
    uint64_t passed_ns = omptape_clock_raw_ns() - atomic_load(&first_ns);
    uint64_t passed_ticks = ticks - atomic_load(&first_ticks);
    if (passed_ns < shortest_ns)
        return ticks + interval_ns;
    return ticks + (uint64_t)((double)passed_ticks / (double)passed_ns * (double)interval_ns);
}

static void put(const struct omptape_device *device, enum omptape_anchor kind, const uint64_t *readings,
                size_t count)
{
    struct omptape_slot *slot = count > 0 ? omptape_delivery_slot(OMPTAPE_DEVICE_ANCHOR) : NULL;
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + count;
    struct omptape_record *record = slot != NULL
                                        ? omptape_producer_reserve(slot, words, OMPTAPE_DEVICE_ANCHOR,
                                                                   (unsigned)kind, (uint32_t)device->number)
                                        : NULL;
    if (record == NULL)
        return;
    memcpy(record->p, readings, count * sizeof(readings[0]));
    omptape_producer_commit(slot, words);
}

static uint64_t bits(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof(word));
    return word;
}

static void read_wtime(const struct omptape_device *device)
{
    enum { WORDS = 3 };
    uint64_t readings[WORDS * OMPTAPE_ANCHOR_READINGS];
    wtime_function *function = atomic_load(&get_wtime);
    if (function == NULL)
        return;
    for (size_t i = 0; i < OMPTAPE_ANCHOR_READINGS; i++) {
        readings[WORDS * i] = now_in_order();
        readings[WORDS * i + 1] = bits(function());
        readings[WORDS * i + 2] = now_in_order();
    }
    put(device, OMPTAPE_ANCHOR_WTIME, readings, sizeof(readings) / sizeof(readings[0]));
}

void omptape_anchors_translate(const struct omptape_device *device, const uint64_t *times, unsigned count)
{
    enum { WORDS = 2 };
    uint64_t readings[WORDS * OMPTAPE_ANCHOR_READINGS] = {0};
    size_t used = 0;
    if (device->calls.translate_time == NULL)
        return;
    for (unsigned i = 0; i < count && i < OMPTAPE_ANCHOR_READINGS; i++) {
        readings[used++] = times[i];
        readings[used++] = bits(device->calls.translate_time(device->pointer, times[i]));
    }
    put(device, OMPTAPE_ANCHOR_TRANSLATED, readings, used);
    if (used > 0)
        read_wtime(device);
}

void omptape_anchors_take(struct omptape_device *device)
{
    enum { WORDS = 3 };
    uint64_t readings[WORDS * OMPTAPE_ANCHOR_READINGS] = {0};
    uint64_t times[OMPTAPE_ANCHOR_READINGS];
    unsigned count = 0;
    if (device->calls.get_device_time == NULL)
        return;
    for (unsigned i = 0; i < OMPTAPE_ANCHOR_READINGS; i++) {
        uint64_t before = now_in_order();
        uint64_t time = device->calls.get_device_time(device->pointer);
        uint64_t after = now_in_order();
        /* ompt_time_none: it cannot tell now. */
        if (time == 0)
            continue;
        readings[WORDS * (size_t)count] = before;
        readings[WORDS * (size_t)count + 1] = time;
        readings[WORDS * (size_t)count + 2] = after;
        times[count++] = time;
    }
    if (count > 0)
        atomic_store(&device->has_clock, true);
    put(device, OMPTAPE_ANCHOR_DEVICE, readings, WORDS * (size_t)count);
    omptape_anchors_translate(device, times, count);
}
