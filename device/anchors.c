/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records anchors. Called by the thread that opens, flushes or closes a device, and periodically at the end
 * of a target operation on its thread.
 */
#include "device/anchors.h"

#include <dlfcn.h>
#include <string.h>

/* Ten a second. If a clock's rate changes by 5 ppm a second, it leaves the line between two anchors by less
 * than 10 ns. */
static const uint64_t interval_ns = 100000000;
/* A shorter time is not enough to determine the rate of the ticks. */
static const uint64_t min_rate_ns = 100000;

/* Limits on the readings and the time (ns) for one anchor of a slow clock. The first of each pair applies
 * while the program runs, the second when a device is opened or closed. */
enum { MAX_TRIES = 64, MAX_THOROUGH_TRIES = 256 };
static const uint64_t timeout_ns = 100000;
static const uint64_t thorough_timeout_ns = 2000000;

typedef double wtime_function(void);
static wtime_function *_Atomic get_wtime;
static _Atomic uint64_t first_ticks;
static _Atomic uint64_t first_ns;

/* Reads the clock in program order. The processor might read it early: the bracket would be too narrow. */
static uint64_t read_clock_in_order(void)
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
    /* The runtime is the traced program's: the library is not linked with one. */
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
    if (passed_ns < min_rate_ns)
        return ticks + interval_ns;
    return ticks + (uint64_t)((double)passed_ticks / (double)passed_ns * (double)interval_ns);
}

static void put_readings(const struct omptape_traced_device *device, enum omptape_anchor kind,
                         const uint64_t *readings, size_t count)
{
    if (count > 0)
        omptape_producer_put_words(omptape_delivery_slot(OMPTAPE_DEVICE_ANCHOR), OMPTAPE_DEVICE_ANCHOR,
                                   (unsigned)kind, (uint32_t)device->number, readings, count);
}

static uint64_t bits_of(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof(word));
    return word;
}

static void read_wtime(const struct omptape_traced_device *device)
{
    enum { WORDS = 3 };
    uint64_t readings[WORDS * OMPTAPE_ANCHOR_READINGS];
    wtime_function *function = atomic_load(&get_wtime);
    if (function == NULL)
        return;
    for (size_t i = 0; i < OMPTAPE_ANCHOR_READINGS; i++) {
        readings[WORDS * i] = read_clock_in_order();
        readings[WORDS * i + 1] = bits_of(function());
        readings[WORDS * i + 2] = read_clock_in_order();
    }
    put_readings(device, OMPTAPE_ANCHOR_WTIME, readings, sizeof(readings) / sizeof(readings[0]));
}

void omptape_anchors_translate(const struct omptape_traced_device *device, const uint64_t *times,
                               unsigned count)
{
    enum { WORDS = 2 };
    uint64_t readings[WORDS * OMPTAPE_ANCHOR_READINGS] = {0};
    size_t used = 0;
    if (device->calls.translate_time == NULL)
        return;
    for (unsigned i = 0; i < count && i < OMPTAPE_ANCHOR_READINGS; i++) {
        readings[used++] = times[i];
        readings[used++] = bits_of(device->calls.translate_time(device->pointer, times[i]));
    }
    put_readings(device, OMPTAPE_ANCHOR_TRANSLATED, readings, used);
    if (used > 0)
        read_wtime(device);
}

struct anchor_reading {
    uint64_t before;
    uint64_t time;
    uint64_t after;
};

/* Adds a reading, or replaces the one with the widest bracket. Returns how many there are now. */
static unsigned keep_tightest(struct anchor_reading *readings, unsigned count,
                              const struct anchor_reading *added)
{
    unsigned widest = 0;
    if (count < OMPTAPE_ANCHOR_READINGS) {
        readings[count] = *added;
        return count + 1;
    }
    for (unsigned i = 1; i < count; i++)
        if (readings[i].after - readings[i].before > readings[widest].after - readings[widest].before)
            widest = i;
    if (added->after - added->before < readings[widest].after - readings[widest].before)
        readings[widest] = *added;
    return count;
}

/* Reads the clock many times and keeps the quickest readings. A slow reading does not show when within its
 * bracket the clock was read. */
static unsigned read_clock(const struct omptape_traced_device *device, bool thorough,
                           struct anchor_reading *readings)
{
    uint64_t until = omptape_clock_raw_ns() + (thorough ? thorough_timeout_ns : timeout_ns);
    unsigned max = thorough ? MAX_THOROUGH_TRIES : MAX_TRIES;
    unsigned count = 0;
    for (unsigned i = 0; i < max && (i < OMPTAPE_ANCHOR_READINGS || omptape_clock_raw_ns() < until); i++) {
        struct anchor_reading reading;
        reading.before = read_clock_in_order();
        reading.time = device->calls.get_device_time(device->pointer);
        reading.after = read_clock_in_order();
        /* 0 is ompt_time_none: the device cannot read its clock now. */
        if (reading.time != 0)
            count = keep_tightest(readings, count, &reading);
    }
    return count;
}

void omptape_anchors_record(struct omptape_traced_device *device, bool thorough)
{
    enum { WORDS = 3 };
    struct anchor_reading readings[OMPTAPE_ANCHOR_READINGS];
    uint64_t words[WORDS * OMPTAPE_ANCHOR_READINGS] = {0};
    uint64_t times[OMPTAPE_ANCHOR_READINGS];
    if (device->calls.get_device_time == NULL)
        return;
    unsigned count = read_clock(device, thorough, readings);
    for (unsigned i = 0; i < count; i++) {
        words[WORDS * (size_t)i] = readings[i].before;
        words[WORDS * (size_t)i + 1] = times[i] = readings[i].time;
        words[WORDS * (size_t)i + 2] = readings[i].after;
    }
    if (count > 0)
        atomic_store(&device->has_clock, true);
    put_readings(device, OMPTAPE_ANCHOR_DEVICE, words, WORDS * (size_t)count);
    omptape_anchors_translate(device, times, count);
}
