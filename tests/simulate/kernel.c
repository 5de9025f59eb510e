/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times are exact: a switch, a sample and a reading have the moment in which they happened.
 */
#include "tests/simulate/kernel.h"

#include "writers/symbols/registers.h"

#include <string.h>

/* Shorter times without a processor have no reading of their own. */
static const uint64_t min_off_ns = 1000000;
/* Other readings come after a part of the thread's age, within these limits. */
static const uint64_t min_period_ns = 10000000;
static const uint64_t max_period_ns = 100000000;
enum { PART_A_PERIOD = 4 };

static void put_reading(const struct kernel_thread *thread, uint64_t time, bool at_switch)
{
    session_put2(thread->stream, time, OMPTAPE_SAMPLE, KERNEL_READING, at_switch, thread->running,
                 thread->queued);
}

static void plan_reading(struct kernel_thread *thread, uint64_t time)
{
    uint64_t period = (time - thread->begin) / PART_A_PERIOD;
    period = period < min_period_ns ? min_period_ns : period < max_period_ns ? period : max_period_ns;
    thread->next_reading = time + period;
}

void kernel_begin(struct kernel_thread *thread, struct session_stream *stream)
{
    /* Threads that do the same are not sampled at the same places. */
    enum { PHASES = 89, STEP = 55 };
    const uint64_t phase = 1 + stream->index * STEP % PHASES;
    const uint64_t sample_ns = stream->session->settings.sample_ns;
    *thread = (struct kernel_thread){
        .stream = stream, .begin = machine_now(), .next_sample = sample_ns * phase / PHASES};
    plan_reading(thread, machine_now());
}

void kernel_end(struct kernel_thread *thread)
{
    put_reading(thread, machine_now(), false);
    thread->stream = NULL;
}

/* The thread's registers and its stack at this place, in pieces. */
static void put_sample(const struct kernel_thread *thread, uint64_t time, const struct machine_place *place)
{
    uint64_t words[OMPTAPE_SAMPLE_WORDS] = {0};
    const size_t most = sizeof(words) - OMPTAPE_REGISTERS * sizeof(words[0]);
    const size_t bytes = machine_stack_bytes(place->stack);
    const size_t copied = bytes < most ? bytes : most;
    const uint32_t count = OMPTAPE_REGISTERS + (uint32_t)(copied / sizeof(words[0]));
    words[OMPTAPE_REGISTER_PC] = (uintptr_t)place->code;
    words[OMPTAPE_REGISTER_SP] = (uintptr_t)place->stack;
    memcpy(words + OMPTAPE_REGISTERS, place->stack, copied);
    for (unsigned done = 0, piece = 0; done < count; done += OMPTAPE_SAMPLE_PIECE_WORDS, piece++)
        session_put_words(thread->stream, time, OMPTAPE_SAMPLE, piece, count,
                          count - done < OMPTAPE_SAMPLE_PIECE_WORDS ? count - done
                                                                    : OMPTAPE_SAMPLE_PIECE_WORDS,
                          words + done);
}

void kernel_ran(struct kernel_thread *thread, uint64_t begin, const struct machine_place *place)
{
    const uint64_t ran = machine_now() - begin;
    const uint64_t before = thread->running;
    thread->running += ran;
    if (thread->stream == NULL)
        return;
    const uint64_t period = thread->stream->session->settings.sample_ns;
    for (; period > 0 && thread->next_sample <= thread->running; thread->next_sample += period)
        put_sample(thread, begin + (thread->next_sample - before), place);
    if (machine_now() < thread->next_reading)
        return;
    put_reading(thread, machine_now(), false);
    plan_reading(thread, machine_now());
}

void kernel_was_off(struct kernel_thread *thread, uint64_t begin, uint64_t wanted)
{
    const bool is_long = thread->stream != NULL && machine_now() >= begin + min_off_ns;
    if (is_long)
        put_reading(thread, begin, true);
    thread->queued += machine_now() - wanted;
    if (is_long)
        put_reading(thread, machine_now(), true);
}
