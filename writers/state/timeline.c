/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is done when a clock goes back, and how fast it runs. Called by the merge for records whose time is
 * out of the ordinary, and by the writer's main loop.
 */
#include "writers/state/timeline.h"

#include "src/core/clock.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* How far ahead a processor's counter may be of another's, at the very most. */
static const uint64_t future_ticks = UINT64_C(1) << 32;
/* The shortest time over which the clock's rate is measured: 20 ns of error in it are a millionth. */
static const uint64_t calibration_ns = 20000000;
/* Suspensions shorter than this do not spoil the rate of a run. */
static const uint64_t suspension_ns = 10000000;
static const uint64_t usual_second = 2000000000;
/* Times are distinct at the cost of a nanosecond then. A bit less, for the rate is measured: processes of one
 * machine are to agree, and counters have 1 GHz, 100 MHz, 24 MHz. */
static const uint64_t fine_second = 900000000;
static const uint64_t most_scale = 4096;

/* 0: cannot be told. */
static uint64_t rate_between(const struct omptape_clock_anchor *from, const struct omptape_clock_anchor *to)
{
    if (to->ticks <= from->ticks || to->raw_ns <= from->raw_ns)
        return 0;
    long double seconds = (long double)(to->raw_ns - from->raw_ns) / 1e9L;
    long double rate = (long double)(to->ticks - from->ticks) / seconds + 0.5L;
    return rate < 1e18L ? (uint64_t)rate : 0;
}

/* A number that the program may have written over; 0 if no clock runs like that. */
static uint64_t plausible_second(uint64_t second)
{
    const uint64_t least = 1000000;
    const uint64_t most = UINT64_C(100000000000);
    return second >= least && second <= most ? second : 0;
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
                                          .suspended = omptape_clock_asleep_ns(),
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
    while (timeline->scale < most_scale && timeline->second < fine_second) {
        timeline->scale *= 2;
        timeline->second *= 2;
        timeline->newest *= 2;
    }
}

uint64_t omptape_timeline_now(struct omptape_timeline *timeline)
{
    uint64_t ticks = omptape_timeline_ticks(timeline, timeline->clock());
    if (ticks + timeline->second < timeline->newest) {
        /* What was recorded just before is not read yet, and what came after is older than this reading: a
         * second between them keeps the two apart. */
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

/* By more than what the processors' counters and the threads' delays explain. */
static bool is_behind(const struct omptape_timeline *timeline, const struct omptape_stream_clock *clock,
                      uint64_t time)
{
    return time < clock->newest && clock->newest - time > timeline->second;
}

/* The clock itself did not go back, but this stream did: its time goes on from where it was. Streams that do
 * so alike stay together. */
static void stream_went_back(struct omptape_timeline *timeline, struct omptape_stream_clock *clock,
                             uint64_t ticks, uint64_t now)
{
    uint64_t time = ticks + timeline->guess;
    if (is_behind(timeline, clock, time) || time > now + future_ticks) {
        timeline->guess = clock->newest - ticks;
        timeline->jumps++;
    }
    clock->offset = timeline->guess;
    /* Not the clock's own: each record is looked at whether it still holds. */
    clock->epoch = timeline->epoch - 1;
}

uint64_t omptape_timeline_correct(struct omptape_timeline *timeline, struct omptape_stream_clock *clock,
                                  uint64_t ticks, uint64_t now)
{
    uint64_t latest = omptape_timeline_now(timeline);
    /* A reading from before the clock went back is greater than any since. */
    if (clock->epoch != timeline->epoch && ticks <= timeline->newest + timeline->second / 2 &&
        !is_behind(timeline, clock, ticks + timeline->offset)) {
        clock->offset = timeline->offset;
        clock->epoch = timeline->epoch;
    }
    uint64_t time = ticks + clock->offset;
    if (is_behind(timeline, clock, time)) {
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
    if (timeline->jumps > 0 || omptape_clock_asleep_ns() > timeline->suspended + suspension_ns ||
        rate_between(&since, &now) == 0)
        since = now;
    while (now.raw_ns - since.raw_ns < calibration_ns) {
        usleep((useconds_t)((calibration_ns - (now.raw_ns - since.raw_ns)) / 1000 + 100));
        omptape_clock_anchor(&now);
    }
    uint64_t rate = rate_between(&since, &now);
    return omptape_timeline_ticks(timeline, rate != 0 ? rate : usual_second);
}
