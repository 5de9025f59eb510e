/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Corrects times after a clock has jumped back, and measures the clock's rate.
 */
#include "writers/state/timeline.h"

#include "src/core/clock.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* Upper limit of the difference between two processors' counters. */
static const uint64_t future_ticks = UINT64_C(1) << 32;
/* Shortest time over which the clock's rate is measured: an error of 20 ns is then a millionth. */
static const uint64_t calibration_ns = 20000000;
/* Shorter suspensions do not affect the rate of a run. */
static const uint64_t suspension_ns = 10000000;
static const uint64_t usual_second = 2000000000;
/* Ticks per second at which distinct times cost about a nanosecond. Slightly less than 1e9, because the
 * rate is measured, and all processes of a machine must get the same scale. Counters have 1 GHz, 100 MHz
 * or 24 MHz. */
static const uint64_t fine_second = 900000000;
static const uint64_t max_scale = 4096;

/* Returns the rate, or 0 if it cannot be determined. */
static uint64_t rate_between(const struct omptape_clock_anchor *from, const struct omptape_clock_anchor *to)
{
    if (to->ticks <= from->ticks || to->raw_ns <= from->raw_ns)
        return 0;
    long double seconds = (long double)(to->raw_ns - from->raw_ns) / 1e9L;
    long double rate = (long double)(to->ticks - from->ticks) / seconds + 0.5L;
    return rate < 1e18L ? (uint64_t)rate : 0;
}

/* Returns the number, which the program may have overwritten, or 0 if no clock has this rate. */
static uint64_t plausible_second(uint64_t second)
{
    const uint64_t min = 1000000;
    const uint64_t max = UINT64_C(100000000000);
    return second >= min && second <= max ? second : 0;
}

static uint64_t read_clock(void)
{
    return omptape_clock_now();
}

void omptape_timeline_start(struct omptape_timeline *timeline, uint64_t start_ticks, uint64_t start_raw,
                            uint64_t known_second)
{
    struct omptape_clock_anchor start = {.ticks = start_ticks, .raw_ns = start_raw};
    struct omptape_clock_anchor now;
    omptape_clock_anchor(&now);
    uint64_t known = plausible_second(known_second);
    uint64_t rate = known != 0 ? known : rate_between(&start, &now);
    *timeline = (struct omptape_timeline){.clock = read_clock,
                                          .scale = 1,
                                          .second = rate != 0 ? rate : usual_second,
                                          .newest = now.ticks,
                                          .suspended = omptape_clock_suspended_ns(),
                                          .start_ticks = start_ticks,
                                          .start_raw = start_raw,
                                          .known_second = known};
}

uint64_t omptape_timeline_before(const struct omptape_timeline *timeline, uint64_t ticks, uint64_t ns)
{
    ticks = omptape_timeline_ticks(timeline, ticks);
    long double earlier = (long double)ns * (long double)timeline->second / 1e9L;
    return earlier < (long double)ticks ? ticks - (uint64_t)earlier : ticks;
}

void omptape_timeline_refine(struct omptape_timeline *timeline)
{
    while (timeline->scale < max_scale && timeline->second < fine_second) {
        timeline->scale *= 2;
        timeline->second *= 2;
        timeline->newest *= 2;
    }
}

uint64_t omptape_timeline_now(struct omptape_timeline *timeline)
{
    uint64_t ticks = omptape_timeline_ticks(timeline, timeline->clock());
    if (ticks + timeline->second < timeline->newest) {
        /* Records from before the jump are still unread, and records after it are older than this reading.
         * A second between the offsets separates them. */
        timeline->before = timeline->offset;
        timeline->offset += timeline->newest - ticks + timeline->second;
        timeline->newest = ticks;
        timeline->epoch++;
        timeline->jumps++;
    } else if (ticks > timeline->newest) {
        timeline->newest = ticks;
    }
    return ticks + timeline->offset;
}

uint64_t omptape_timeline_of(struct omptape_timeline *timeline, uint64_t ticks)
{
    uint64_t now = omptape_timeline_now(timeline);
    ticks = omptape_timeline_ticks(timeline, ticks);
    uint64_t time = ticks + timeline->offset;
    return time <= now + timeline->second / 2 ? time : ticks + timeline->before;
}

/* Returns true if the time is earlier by more than differences of processors and delays explain. */
static bool went_back(const struct omptape_timeline *timeline, const struct omptape_stream_clock *clock,
                      uint64_t time)
{
    return time < clock->newest && clock->newest - time > timeline->second;
}

/* Called if only this stream's time went back, not the clock's: its time continues from the old value.
 * Streams with the same jump get the same offset. */
static void stream_went_back(struct omptape_timeline *timeline, struct omptape_stream_clock *clock,
                             uint64_t ticks, uint64_t now)
{
    uint64_t time = ticks + timeline->guess;
    if (went_back(timeline, clock, time) || time > now + future_ticks) {
        timeline->guess = clock->newest - ticks;
        timeline->jumps++;
    }
    clock->offset = timeline->guess;
    /* The clock's epoch does not match, so each further record is checked again. */
    clock->epoch = timeline->epoch - 1;
}

uint64_t omptape_timeline_correct(struct omptape_timeline *timeline, struct omptape_stream_clock *clock,
                                  uint64_t ticks, uint64_t now)
{
    uint64_t latest = omptape_timeline_now(timeline);
    /* A reading from before the jump is greater than any later one. */
    if (clock->epoch != timeline->epoch && ticks <= timeline->newest + timeline->second / 2 &&
        !went_back(timeline, clock, ticks + timeline->offset)) {
        clock->offset = timeline->offset;
        clock->epoch = timeline->epoch;
    }
    uint64_t time = ticks + clock->offset;
    if (went_back(timeline, clock, time)) {
        stream_went_back(timeline, clock, ticks, latest);
        time = ticks + clock->offset;
    }
    if (time > latest + future_ticks)
        return now - 1;
    if (time > clock->newest)
        clock->newest = time;
    return time;
}

uint64_t omptape_timeline_resolution(const struct omptape_timeline *timeline)
{
    struct omptape_clock_anchor since = {.ticks = timeline->start_ticks, .raw_ns = timeline->start_raw};
    struct omptape_clock_anchor now;
    if (timeline->known_second != 0)
        return omptape_timeline_ticks(timeline, timeline->known_second);
    omptape_clock_anchor(&now);
    if (timeline->jumps > 0 || omptape_clock_suspended_ns() > timeline->suspended + suspension_ns ||
        rate_between(&since, &now) == 0)
        since = now;
    while (now.raw_ns - since.raw_ns < calibration_ns) {
        usleep((useconds_t)((calibration_ns - (now.raw_ns - since.raw_ns)) / 1000 + 100));
        omptape_clock_anchor(&now);
    }
    uint64_t rate = rate_between(&since, &now);
    return omptape_timeline_ticks(timeline, rate != 0 ? rate : usual_second);
}
