/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Configures the kernel's samples and decodes sample records. Called by switches.c and observe.c.
 */
#include "writers/observe/sampling.h"

#include "src/core/message.h"
#include "src/core/text_file.h"
#include "writers/regions/contexts.h"
#include "writers/symbols/registers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* 8 KiB are enough to unwind nearly all stacks to main; the kernel copies them in 2 us. */
enum { STACK_BYTES = 8192, DEEP_STACK_BYTES = 2 * STACK_BYTES };
/* Size of a ring by the number of open rings, because each user's locked memory is limited. A ring of the
 * first size holds more than half a second of samples at 100 Hz. The writer may wait as long for a processor
 * on a busy machine. */
static const struct {
    uint32_t rings; /* applies to rings below this number */
    uint64_t bytes;
} sizes[] = {{4, 512 * 1024}, {16, 256 * 1024}, {64, 128 * 1024}, {UINT32_MAX, 64 * 1024}};
static const uint64_t min_bytes = 32 * 1024;
/* One ring takes at most 1/16 of the budget, so that later rings get some memory. */
enum { PARTS_OF_BUDGET = 16 };

/* Layout of a sample record, as sample_type orders it, up to the registers. */
struct sample_head {
    struct perf_event_header header;
    uint32_t pid;
    uint32_t tid;
    uint64_t time;
    uint64_t abi;
};
enum { REGISTER_BYTES = OMPTAPE_REGISTERS * 8, SIZE_BYTES = 8 };
enum { SAMPLE_BYTES = sizeof(struct sample_head) + REGISTER_BYTES + SIZE_BYTES + STACK_BYTES + SIZE_BYTES };

/* Returns the number in a file, or INT_MIN if unknown. */
static int read_setting(const char *path)
{
    char text[32];
    char *end = text;
    (void)omptape_read_text(AT_FDCWD, path, text, sizeof(text));
    const long number = strtol(text, &end, 10);
    return end != text ? (int)number : INT_MIN;
}

/* Returns the memory that the rings may lock: a part of what all of the user's processes share per processor,
 * and the process's own limit. */
static uint64_t find_budget(uint32_t processors)
{
    struct rlimit limit;
    const int kib = read_setting("/proc/sys/kernel/perf_event_mlock_kb");
    const uint64_t shared = kib > 0 ? (uint64_t)kib * 1024 * processors / 4 * 3 : 0;
    const bool known = getrlimit(RLIMIT_MEMLOCK, &limit) == 0;
    return known && limit.rlim_cur < UINT64_MAX - shared ? shared + limit.rlim_cur : UINT64_MAX;
}

void omptape_sampling_start(struct omptape_sampling *sampling, const struct omptape_writer *writer,
                            uint32_t processors)
{
    *sampling = (struct omptape_sampling){
        .period_ns = writer->settings->sample_by_signal == 0 ? writer->settings->sample_ns : 0,
        .max_ring_bytes = UINT64_MAX,
        .paranoid = INT_MIN,
        .sleep_ns = UINT64_MAX};
    if (sampling->period_ns != 0)
        sampling->budget = find_budget(processors);
}

void omptape_sampling_configure(const struct omptape_sampling *sampling, bool deep,
                                struct perf_event_attr *event)
{
    event->config = PERF_COUNT_SW_TASK_CLOCK;
    event->sample_period = sampling->period_ns;
    event->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    event->sample_regs_user = OMPTAPE_REGISTER_MASK;
    event->sample_stack_user = deep ? DEEP_STACK_BYTES : STACK_BYTES;
}

uint64_t omptape_sampling_min_bytes(void)
{
    return min_bytes;
}

uint64_t omptape_sampling_ring_bytes(const struct omptape_sampling *sampling, uint32_t rings)
{
    size_t i = 0;
    while (rings >= sizes[i].rings)
        i++;
    uint64_t bytes = sizes[i].bytes;
    while (bytes > min_bytes &&
           (bytes > sampling->max_ring_bytes || sampling->locked + bytes > sampling->budget ||
            bytes > sampling->budget / PARTS_OF_BUDGET))
        bytes /= 2;
    return bytes;
}

void omptape_sampling_opened(struct omptape_sampling *sampling, uint64_t bytes)
{
    /* Time in which half of the ring fills; the other half is a reserve for a writer that gets no processor.
     */
    const uint64_t ns = bytes / SAMPLE_BYTES * sampling->period_ns / 2;
    sampling->threads++;
    sampling->locked += bytes;
    sampling->sleep_ns = ns < sampling->sleep_ns ? ns : sampling->sleep_ns;
}

void omptape_sampling_closed(struct omptape_sampling *sampling, uint64_t bytes)
{
    sampling->locked -= bytes < sampling->locked ? bytes : sampling->locked;
}

void omptape_sampling_refused(struct omptape_sampling *sampling, int error, bool is_private)
{
    if (sampling->refused++ > 0)
        return;
    sampling->error = -error;
    sampling->is_private = is_private;
    sampling->paranoid = read_setting("/proc/sys/kernel/perf_event_paranoid");
}

/* Finds the stack copy in a sample record. False if it is truncated or of a 32-bit process. */
static bool find_stack(const unsigned char *record, size_t bytes, struct sample_head *head,
                       uint64_t registers[OMPTAPE_REGISTERS + 1], struct omptape_stack_copy *copy)
{
    uint64_t size;
    uint64_t copied;
    const size_t before = sizeof(*head) + REGISTER_BYTES;
    if (bytes < before + SIZE_BYTES)
        return false;
    memcpy(head, record, sizeof(*head));
    if (head->abi != PERF_SAMPLE_REGS_ABI_64)
        return false;
    memcpy(registers, record + sizeof(*head), REGISTER_BYTES);
    memcpy(&size, record + before, sizeof(size));
    if (size == 0 || size > bytes - before - SIZE_BYTES || bytes - before - SIZE_BYTES - size < SIZE_BYTES)
        return false;
    memcpy(&copied, record + before + SIZE_BYTES + size, sizeof(copied));
    *copy = (struct omptape_stack_copy){.registers = registers,
                                        .bytes = record + before + SIZE_BYTES,
                                        .count = copied < size ? copied : size,
                                        .thread = head->tid,
                                        .time_ns = head->time};
    return true;
}

OTF2_CallingContextRef omptape_sampling_decode(struct omptape_writer *writer, const unsigned char *record,
                                               size_t bytes, uint64_t *raw)
{
    struct sample_head head;
    struct omptape_stack_copy copy;
    uint64_t registers[OMPTAPE_REGISTERS + 1];
    if (!find_stack(record, bytes, &head, registers, &copy))
        return OTF2_UNDEFINED_CALLING_CONTEXT;
    *raw = head.time;
    return omptape_contexts_unwind(writer, &copy);
}

/* Describes why the first refused thread is not sampled. Returns a hint at what allows it, or an empty text.
 */
static const char *describe_refusal(const struct omptape_sampling *sampling, char *text, size_t bytes)
{
    if (sampling->error == EMFILE) {
        snprintf(text, bytes, "%d threads at a time are, no more", OMPTAPE_MAX_RINGS);
        return "";
    }
    const bool denied = sampling->error == EACCES || sampling->error == EPERM;
    if (sampling->error == ENOMEM) {
        snprintf(text, bytes, "the memory that the user may lock is used up");
        return " (kernel.perf_event_mlock_kb, ulimit -l)";
    }
    if (denied && sampling->paranoid > 2) {
        snprintf(text, bytes, "kernel.perf_event_paranoid is %d", sampling->paranoid);
        return " (--sample=signal does without perf_event_open; root allows it: sysctl "
               "kernel.perf_event_paranoid=2)";
    }
    if (denied && sampling->is_private) {
        snprintf(text, bytes, "the program is not dumpable");
        return " (--sample=signal)";
    }
    if (denied) {
        snprintf(text, bytes, "seccomp or a security module refuses perf_event_open");
        return " (--sample=signal does without it; docker run --security-opt seccomp=FILE allows it)";
    }
    snprintf(text, bytes, "perf_event_open: %s", omptape_cause(sampling->error));
    return "";
}

bool omptape_sampling_explain(const struct omptape_sampling *sampling, char *text, size_t bytes)
{
    char why[128];
    if (sampling->period_ns == 0 || sampling->refused == 0)
        return false;
    const char *allowed_by = describe_refusal(sampling, why, sizeof(why));
    snprintf(text, bytes, "--sample: %s samples: %s%s", sampling->threads > 0 ? "some threads have no" : "no",
             why, allowed_by);
    return true;
}

bool omptape_sampling_cause(const struct omptape_sampling *sampling, char *text, size_t bytes)
{
    if (sampling->period_ns == 0 || sampling->refused == 0)
        return false;
    (void)describe_refusal(sampling, text, bytes);
    return true;
}

bool omptape_sampling_cause_of_own(const struct omptape_settings *settings, char *text, size_t bytes)
{
    if (settings->sample_error == 0)
        return false;
    if (settings->sample_error == -EBUSY)
        snprintf(text, bytes, "the program handles SIGURG itself");
    else if (settings->sample_error == -EAGAIN)
        snprintf(text, bytes, "the limit on pending signals allows no timer (ulimit -i raises it)");
    else
        snprintf(text, bytes, "process_vm_readv: %s", omptape_cause(settings->sample_error));
    return true;
}
