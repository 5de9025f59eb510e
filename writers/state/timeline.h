/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From readings of the clock to times of the trace. Both are the same in ticks, or a power of two apart where
 * a tick is too long for distinct times. This changes when the clock goes back: a processor's counter
 * restarts after the machine was suspended, or a virtual machine is moved. From then on an offset is added,
 * so that the trace's time goes on. Small differences (a thread on another processor) are left to the stacks,
 * which never let the time of a location go back.
 */
#pragma once

#include <stdint.h>

/* Of one thread's records. All zero: of a new one. */
struct omptape_stream_clock {
    uint64_t offset; /* to be added to the times of its records, */
    uint64_t newest; /* ...the greatest time so far, */
    uint32_t epoch;  /* ...and which of the clock's epochs this is */
};

struct omptape_timeline {
    uint64_t (*clock)(void); /* reads the clock; another one in tests */
    uint64_t scale;          /* ticks of the trace, in which all that follows is, in one of the clock */
    uint64_t second;         /* about: going back by more is no difference between processors */
    uint64_t newest;         /* reading of the clock */
    uint64_t offset;         /* of its readings since it last went back, */
    uint64_t before;         /* ...of those before, */
    uint32_t epoch;          /* ...and how often it did */
    uint64_t guess;          /* the offset that was last made for streams that went back by themselves */
    uint64_t jumps;          /* times that a clock went back, as far as the writer saw */
    uint64_t suspended;      /* ns that the machine had been suspended at the start */
    uint64_t start_ticks;    /* the session's start on the clock, */
    uint64_t start_raw;      /* ...and on CLOCK_MONOTONIC_RAW, ns */
    uint64_t known_second;   /* the clock's ticks in a second if the session knows them, or 0 */
};

/* `start_ticks`, `start_raw` and `known_second` are the session's (settings.h's clock_second; a value that no
 * clock has counts as unknown). To be called when the clock's kind is set. */
void omptape_timeline_start(struct omptape_timeline *timeline, uint64_t start_ticks, uint64_t start_raw,
                            uint64_t known_second);

/* Makes the trace's ticks a nanosecond at most, so that records that are a tick apart are not far apart. To
 * be called at once after the start, or not at all. */
void omptape_timeline_refine(struct omptape_timeline *timeline);

/* Ticks of the clock in those of the trace: a span, or a moment as long as the clock did not go back. */
static inline uint64_t omptape_timeline_ticks(const struct omptape_timeline *timeline, uint64_t ticks)
{
    return ticks * timeline->scale;
}

/* The time `ns` before a reading of the clock, by its rate at the start. Where the clock does not reach back
 * that far: the reading itself. */
uint64_t omptape_timeline_before(const struct omptape_timeline *timeline, uint64_t ticks, uint64_t ns);

/* The time now. Notices when the clock has gone back. */
uint64_t omptape_timeline_now(struct omptape_timeline *timeline);

/* The time of a moment that has been read lately by somebody else (the program's end). */
uint64_t omptape_timeline_of(struct omptape_timeline *timeline, uint64_t ticks);

/* The rare cases of omptape_timeline_place; `ticks` of the trace. */
uint64_t omptape_timeline_correct(struct omptape_timeline *timeline, struct omptape_stream_clock *clock,
                                  uint64_t ticks, uint64_t now);

/* The time of a thread's next record. `now` is a time from omptape_timeline_now. A record from the future is
 * damaged: it gets the time of now, so that it does not hold up later records for ever. The function may be
 * called again for the same record. */
static inline uint64_t omptape_timeline_place(struct omptape_timeline *timeline,
                                              struct omptape_stream_clock *clock, uint64_t ticks,
                                              uint64_t now)
{
    ticks = omptape_timeline_ticks(timeline, ticks);
    uint64_t time = ticks + clock->offset;
    if (__builtin_expect(time > now || time < clock->newest || clock->epoch != timeline->epoch, 0))
        return omptape_timeline_correct(timeline, clock, ticks, now);
    clock->newest = time;
    return time;
}

/* Ticks of the trace in a second, as the session knows them, else measured over the whole run. They are
 * measured anew (in 20 ms) where the counter or the system's clock stood still or went back meanwhile. Two
 * measurements differ by some millionths. */
uint64_t omptape_timeline_resolution(const struct omptape_timeline *timeline);
