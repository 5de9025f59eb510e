/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Emulated device clocks. Read by the runtime's threads (ompt_get_device_time) and wherever an operation gets
 * its device times.
 */
#include "tests/emulator/device_clock.h"

#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "src/core/clock.h"
#include "tests/emulator/modes.h"
#include "tests/emulator/violations.h"

static enum omptape_clock_kind host_kind;
static uint64_t origin;     /* host ticks */
static long double host_hz; /* ticks in a second, to a few ppm: what is off is the device's rate */
static double origin_wtime; /* omp_get_wtime at the origin */
static _Atomic uint64_t random_state;

static void measure_host(void)
{
    struct omptape_clock_anchor first;
    struct omptape_clock_anchor second;
    struct timespec pause = {0, 10000000};

    omptape_clock_anchor(&first);
    nanosleep(&pause, NULL);
    omptape_clock_anchor(&second);
    host_hz = (long double)(second.ticks - first.ticks) * 1e9L / (long double)(second.raw_ns - first.raw_ns);
    origin = second.ticks;
    origin_wtime = (double)second.realtime_ns * 1e-9;
}

static double expected_wtime(uint64_t ticks)
{
    return origin_wtime + (double)((long double)(ticks - origin) / host_hz);
}

/* The system's time of day, as LLVM has it, unless this runtime's omp_get_wtime says something else. */
static void find_wtime(void)
{
    double (*wtime)(void);
    double now;
    double least;
    double most;

    *(void **)&wtime = dlsym(RTLD_DEFAULT, "omp_get_wtime");
    if (wtime == NULL) {
        em_note("no omp_get_wtime found: translated times are of CLOCK_REALTIME");
        return;
    }
    least = expected_wtime(em_host_now());
    now = wtime();
    most = expected_wtime(em_host_now()); /* this thread may have had no processor in between */
    if (now < least - 1e-3 || now > most + 1e-3)
        origin_wtime += now - least;
}

void em_clock_start(void)
{
    host_kind = omptape_clock_choose();
    omptape_clock_use(host_kind);
    measure_host();
    find_wtime();
    atomic_store(&random_state, (uint64_t)em_number(EM_SEED) * UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t em_host_now(void)
{
    return omptape_clock_now();
}

uint64_t em_host_ticks(double ns)
{
    return (uint64_t)((long double)ns * host_hz * 1e-9L);
}

void em_clock_pair(uint64_t *ticks, uint64_t *raw_ns)
{
    struct omptape_clock_anchor anchor;

    omptape_clock_anchor(&anchor);
    *ticks = anchor.ticks;
    *raw_ns = anchor.raw_ns;
}

const char *em_clock_name(void)
{
    return omptape_clock_name(host_kind);
}

uint64_t em_random(uint64_t limit)
{
    uint64_t x = atomic_fetch_add_explicit(&random_state, UINT64_C(0x9e3779b97f4a7c15), memory_order_relaxed);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return limit == 0 ? 0 : x % limit;
}

/* Since boot, since 1970, near the end of a signed word, and from zero: no arithmetic but 64-bit integers
 * keeps the ns of all. */
void em_clock_init(struct em_clock *clock, int device)
{
    static const uint64_t offsets[] = {UINT64_C(5123456789012), UINT64_C(1763650800123456789),
                                       UINT64_C(0x7fffffc000000000), UINT64_C(1)};
    static const double factors[] = {1, -1, 0.5, -0.25};
    unsigned which = (unsigned)device % 4;

    clock->hz = em_number(EM_HZ);
    clock->offset = offsets[which] + (uint64_t)device / 4 * 1000000007U;
    clock->rate = em_number(EM_PPM) * 1e-6L * factors[which];
    clock->drift = em_number(EM_DRIFT) * 1e-6L;
    clock->phase = 0.13L * (long double)device;
}

/* The error that a rate which swings as a sine has summed up after t seconds. Its steepest change is the
 * drift: amplitude = drift * period / 2 pi. */
static long double sine_error(long double t, long double drift, long double period, long double phase)
{
    const long double turn = 2 * acosl(-1.0L);
    long double amplitude = drift * period / turn;

    return amplitude * period / turn * (cosl(turn * phase) - cosl(turn * (t / period + phase)));
}

/* The integral of a rate that goes up and down between its bounds by always the same drift. */
static long double ramp_integral(long double t, long double drift, long double period)
{
    long double half = period / 2;
    long double whole = floorl(t / period);
    long double rest = t - whole * period;
    long double bound = drift * half / 2;

    if (rest < half)
        return -bound * rest + drift * rest * rest / 2;
    rest -= half;
    return bound * rest - drift * rest * rest / 2;
}

static long double ramp_error(long double t, long double drift, long double period, long double phase)
{
    return ramp_integral(t + phase * period, drift, period) - ramp_integral(phase * period, drift, period);
}

static long double drift_error(const struct em_clock *clock, long double t)
{
    long double period = em_number(EM_PERIOD);

    return em_mode(EM_RAMP) ? ramp_error(t, clock->drift, period, clock->phase)
                            : sine_error(t, clock->drift, period, clock->phase);
}

uint64_t em_clock_at(const struct em_clock *clock, uint64_t host_ticks)
{
    long double t = (long double)(int64_t)(host_ticks - origin) / host_hz;
    long double passed = t * (1 + clock->rate) + drift_error(clock, t);
    int64_t ticks = (int64_t)llroundl(passed * clock->hz);

    if (em_mode(EM_STEP_BACK) && t * 1e9L >= (long double)em_number(EM_STEP_AT))
        ticks -= (int64_t)((long double)em_number(EM_STEP) * 1e-9L * clock->hz);
    return clock->offset + (uint64_t)ticks;
}

void em_wait_until(uint64_t host_ticks)
{
    struct timespec pause = {0, 20000};

    while (em_host_now() < host_ticks)
        if (host_ticks - em_host_now() > em_host_ticks(100000))
            nanosleep(&pause, NULL);
}

static void dawdle(void)
{
    double most = em_number(EM_READ_DELAY);

    if (most > 0)
        em_wait_until(em_host_now() + em_host_ticks((double)em_random((uint64_t)most)));
}

uint64_t em_clock_read(const struct em_clock *clock)
{
    double jitter = em_number(EM_JITTER);
    double spike = em_number(EM_SPIKE);
    uint64_t time;

    if (em_mode(EM_TIME_DEAD))
        return 0;
    dawdle();
    time = em_clock_at(clock, em_host_now());
    dawdle();
    if (spike > 0 && em_random(16) == 0)
        em_wait_until(em_host_now() + em_host_ticks(spike));
    if (jitter > 0) {
        double error = (double)em_random((uint64_t)(2 * jitter) + 1) - jitter;
        time += (uint64_t)(int64_t)(error * 1e-9 * (double)clock->hz);
    }
    return time;
}

double em_clock_translate(const struct em_clock *clock, uint64_t device_time)
{
    long double first = drift_error(clock, 0.001L) / 0.001L;
    long double passed = (long double)(int64_t)(device_time - clock->offset) / clock->hz;
    long double seconds = passed / (1 + clock->rate + first);

    if (em_mode(EM_DISAGREE))
        seconds += em_number(EM_OFF_BY) * 1e-9L;
    return (double)((long double)origin_wtime + seconds);
}
