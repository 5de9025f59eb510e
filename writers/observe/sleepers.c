/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks at sleeping threads and records each look as a sample whose path ends in a marker.
 */
#include "writers/observe/sleepers.h"

#include "src/core/buckets.h"
#include "src/core/clock.h"
#include "writers/observe/switches.h"
#include "writers/observe/thread_files.h"
#include "writers/regions/contexts.h"
#include "writers/regions/modules.h"
#include "writers/regions/references.h"
#include "writers/symbols/registers.h"
#include "writers/translate/samples.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* STACK_BYTES is the size of a sample's stack copy. */
enum { STACK_BYTES = 8192, THREADS_AT_ONCE = 8 };

/* Looks may take 1/200 of the time since the start, and in addition this much in the first moments, ns. */
enum { PART_FOR_LOOKS = 200 };
static const uint64_t looks_at_start_ns = 2000000;

/* Interval between looks: the usual one, and the one for `alert_ns` after a sleeper was found, ns. */
static const uint64_t usual_period_ns = 50000000;
static const uint64_t alert_period_ns = 10000000;
static const uint64_t alert_ns = 1000000000;

void omptape_sleepers_start(struct omptape_sleepers *sleepers, const struct omptape_writer *writer)
{
    *sleepers =
        (struct omptape_sleepers){.begin = omptape_clock_raw_ns(),
                                  .refused = writer->settings->sample_ns == 0 || OMPTAPE_REGISTERS == 0};
}

/* Copies the stack from the address `from` up to its end. Returns the number of bytes; 0 if unreadable. */
static size_t copy_stack(uint32_t tid, uint64_t from, unsigned char bytes[STACK_BYTES])
{
    size_t count = 0;
    /* A copy ends at a page boundary, because a copy across the end of a mapping fails as a whole. */
    while (count < STACK_BYTES) {
        enum { PAGE = 4096 };
        const uint64_t address = from + count;
        size_t piece = PAGE - (size_t)(address % PAGE);
        piece = piece < STACK_BYTES - count ? piece : STACK_BYTES - count;
        const struct iovec local = {.iov_base = bytes + count, .iov_len = piece};
        const struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = piece};
        const ssize_t copied = process_vm_readv((pid_t)tid, &local, 1, &remote, 1, 0);
        if (copied <= 0)
            break;
        count += (size_t)copied;
    }
    return count;
}

/* Returns the calling context of a thread whose program counter and stack pointer are known. Returns
 * OTF2_UNDEFINED_CALLING_CONTEXT if the thread is in the runtime or its stack cannot be unwound. */
static OTF2_CallingContextRef find_context(struct omptape_writer *writer, uint32_t tid,
                                           const struct omptape_thread_call *call, bool stopped)
{
    static unsigned char stack[STACK_BYTES];
    uint64_t registers[OMPTAPE_REGISTERS + 1] = {0};
    struct omptape_call_path path;
    registers[OMPTAPE_REGISTER_SP] = call->stack_pointer;
    registers[OMPTAPE_REGISTER_PC] = call->program_counter;
    const struct omptape_stack_copy copy = {.registers = registers,
                                            .bytes = stack,
                                            .count = copy_stack(tid, call->stack_pointer, stack),
                                            .few_registers = true};
    if (copy.count == 0)
        return OTF2_UNDEFINED_CALLING_CONTEXT;
    omptape_modules_cover(writer, call->program_counter + 1);
    if (!omptape_symbols_unwind(writer->symbols, &copy, &path))
        return OTF2_UNDEFINED_CALLING_CONTEXT;
    return omptape_contexts_add_asleep(writer, &path,
                                       stopped ? OMPTAPE_CONTEXT_STOPPED : OMPTAPE_CONTEXT_BLOCKED);
}

/* Returns the thread for whose end this system call waits, or 0. pthread_join waits until the kernel clears a
 * word that has the TID. Other waits of the C library are for private words. */
static uint32_t find_joined(const struct omptape_thread_call *call)
{
    const uint64_t wait = call->arguments[1] & (uint64_t)FUTEX_CMD_MASK;
    const bool is_join = call->number == SYS_futex && (wait == FUTEX_WAIT || wait == FUTEX_WAIT_BITSET) &&
                         (call->arguments[1] & FUTEX_PRIVATE_FLAG) == 0;
    return is_join ? (uint32_t)call->arguments[2] : 0;
}

/* Looks at the thread by /proc. Returns false if it is not asleep or cannot be read. */
static bool find_sleep(struct omptape_sleepers *sleepers, struct omptape_writer *writer, int tasks,
                       struct omptape_location *location, struct omptape_sleep *sleep)
{
    struct omptape_thread_call call;
    const int status = omptape_thread_files_call(tasks, location->tid, &call);
    sleepers->refused = sleepers->refused || status == -EPERM || status == -EACCES;
    if (status != 0)
        return false;
    /* A signal or a debugger can also stop a thread in a system call. */
    const char state = omptape_thread_files_state(tasks, location->tid);
    sleep->context = find_context(writer, location->tid, &call, state == 'T' || state == 't');
    sleep->joined = find_joined(&call);
    omptape_switches_keep_sleep(location, sleep);
    return true;
}

/* Records a sample if the thread sleeps in the program's code. Returns true in this case. */
static bool sample_sleeper(struct omptape_sleepers *sleepers, const struct omptape_others *others,
                           struct omptape_writer *writer, int tasks, struct omptape_location *location)
{
    struct omptape_sleep sleep;
    const uint64_t time = omptape_timeline_now(&writer->timeline);
    if (!omptape_switches_recall_sleep(location, &sleep) &&
        !find_sleep(sleepers, writer, tasks, location, &sleep))
        return false;
    if (sleep.joined != 0)
        omptape_others_note_joining(others, writer, sleep.joined, location->tid);
    if (sleep.context == OTF2_UNDEFINED_CALLING_CONTEXT)
        return false;
    omptape_samples_queue(location, time, (struct omptape_sample){.context = sleep.context, .timed = true});
    return true;
}

/* Returns true if the thread's innermost open region is not a barrier, as far as its records have been read.
 * A thread that waits in the runtime is not looked at. Of threads that OpenMP does not know, those are that
 * the archive may show. */
static bool has_work(const struct omptape_writer *writer, const struct omptape_location *location)
{
    const struct omptape_open_region *top = location->stack.top;
    if (location->other != NULL)
        return location->switches != NULL || location->tid == (uint32_t)writer->settings->pid;
    if (top == NULL || top <= location->stack.regions)
        return writer->location_count < THREADS_AT_ONCE;
    return top->region >= writer->references->count ||
           omptape_bucket_rules[writer->references->list[top->region].kind].bucket != OMPTAPE_BUCKET_BARRIER;
}

static bool should_sample(const struct omptape_writer *writer, const struct omptape_location *location)
{
    return location->device == NULL && !location->closed && location->end == 0 && location->tid != 0 &&
           has_work(writer, location) && omptape_switches_may_sleep(location) &&
           omptape_others_are_recorded(writer, location);
}

void omptape_sleepers_serve(struct omptape_sleepers *sleepers, const struct omptape_others *others,
                            struct omptape_writer *writer, int tasks)
{
    const uint64_t now = omptape_clock_raw_ns();
    if (sleepers->refused || now < sleepers->next ||
        sleepers->spent > looks_at_start_ns + (now - sleepers->begin) / PART_FOR_LOOKS)
        return;
    sleepers->next = now + (now < sleepers->frequent_until ? alert_period_ns : usual_period_ns);
    /* A look during which the writer waits for a processor costs the program nothing. */
    const uint64_t begin = omptape_clock_thread_ns();
    uint32_t looks = 0;
    const uint32_t threads = omptape_others_thread_count(others, writer);
    for (uint32_t i = 0; i < threads && looks < THREADS_AT_ONCE; i++) {
        sleepers->at = (sleepers->at + 1) % threads;
        struct omptape_location *location = omptape_others_thread_at(others, writer, sleepers->at);
        if (!should_sample(writer, location))
            continue;
        looks++;
        if (sample_sleeper(sleepers, others, writer, tasks, location))
            sleepers->frequent_until = now + alert_ns;
    }
    if (looks > 0)
        sleepers->spent += omptape_clock_thread_ns() - begin;
}

uint64_t omptape_sleepers_max_sleep_ns(const struct omptape_sleepers *sleepers, uint64_t max_ns)
{
    if (sleepers->refused)
        return max_ns;
    const bool alert = omptape_clock_raw_ns() < sleepers->frequent_until;
    const uint64_t period = alert ? alert_period_ns : usual_period_ns;
    return period < max_ns ? period : max_ns;
}
