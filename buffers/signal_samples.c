/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The signal handler and the timers (signal_samples.h). The handler calls only the kernel and the producer,
 * which allows signal handlers. The kernel also copies the stack: copying unmapped memory fails, where
 * reading it would kill the program. The thread may be on any stack.
 */
#include "buffers/signal_samples.h"

#include "buffers/producer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { SAMPLE_SIGNAL = SIGURG };

struct omptape_signal_sampler {
    int timer;        /* The kernel's timer id. */
    uint64_t next_ns; /* CPU time of the thread at the next sample. */
    uint64_t words[OMPTAPE_SAMPLE_WORDS];
};

static _Atomic uint64_t period; /* ns; 0 if no thread takes samples. */
static pid_t process;

/* Copies the registers in the order of perf_event_open. Returns how many there are. */
#if defined(__x86_64__)
enum { STACK_POINTER = 7 };
static size_t copy_registers(const ucontext_t *context, uint64_t *words)
{
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                                REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
                                REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    enum { COUNT = sizeof(order) / sizeof(order[0]) };
    for (size_t i = 0; i < COUNT; i++)
        words[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
    return COUNT;
}
#elif defined(__aarch64__)
enum { STACK_POINTER = 31 };
static size_t copy_registers(const ucontext_t *context, uint64_t *words)
{
    enum { GENERAL = 31 };
    for (size_t i = 0; i < GENERAL; i++)
        words[i] = context->uc_mcontext.regs[i];
    words[STACK_POINTER] = context->uc_mcontext.sp;
    words[STACK_POINTER + 1] = context->uc_mcontext.pc;
    return STACK_POINTER + 2;
}
#else
#error "registers are known of x86-64 and aarch64"
#endif

/* Copies memory of the calling process, page by page, because the kernel copies each part entirely or not at
 * all. Returns how many bytes were copied. */
static size_t copy_memory(uint64_t from, void *to, size_t bytes)
{
    enum { PAGE = 4096, PARTS = OMPTAPE_SAMPLE_WORDS * 8 / PAGE + 2 };
    struct iovec remote[PARTS];
    const struct iovec local = {.iov_base = to, .iov_len = bytes};
    size_t count = 0;
    for (size_t done = 0; done < bytes && count < PARTS; count++) {
        const uint64_t address = from + done;
        size_t piece = PAGE - (size_t)(address % PAGE);
        piece = piece < bytes - done ? piece : bytes - done;
        remote[count] = (struct iovec){.iov_base = (void *)(uintptr_t)address, .iov_len = piece};
        done += piece;
    }
    const long copied = syscall(SYS_process_vm_readv, process, &local, 1UL, remote, count, 0UL);
    return copied > 0 ? (size_t)copied : 0;
}

static void put_sample(struct omptape_slot *slot, uint64_t *words, const ucontext_t *context)
{
    size_t count = copy_registers(context, words);
    count += copy_memory(words[STACK_POINTER], words + count, (OMPTAPE_SAMPLE_WORDS - count) * 8) / 8;
    for (size_t piece = 0, done = 0; done < count; piece++) {
        const size_t left = count - done;
        const size_t now = left < OMPTAPE_SAMPLE_PIECE_WORDS ? left : OMPTAPE_SAMPLE_PIECE_WORDS;
        if (!omptape_producer_put_words(slot, OMPTAPE_SAMPLE, (unsigned)piece, (uint32_t)count, words + done,
                                        now))
            return;
        done += now;
    }
}

static uint64_t ns_of(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_nsec;
}

/* Sets the timer to the next multiple of the period, so that there are as many samples as periods. Periods in
 * which the thread blocked the signal have no sample. */
static void set_timer(struct omptape_signal_sampler *sampler)
{
    struct timespec now = {0};
    const uint64_t ns = atomic_load_explicit(&period, memory_order_relaxed);
    if (ns == 0 || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return;
    sampler->next_ns += ns;
    if (sampler->next_ns <= ns_of(&now))
        sampler->next_ns = ns_of(&now) + ns;
    const struct itimerspec next = {.it_value = {.tv_sec = (time_t)(sampler->next_ns / UINT64_C(1000000000)),
                                                 .tv_nsec = (long)(sampler->next_ns % UINT64_C(1000000000))}};
    (void)syscall(SYS_timer_settime, (long)sampler->timer, (long)TIMER_ABSTIME, &next, NULL);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    const int saved = errno;
    struct omptape_slot *slot = omptape_producer_slot;
    struct omptape_signal_sampler *sampler = slot != NULL ? slot->sampler : NULL;
    (void)number;
    if (info->si_code == SI_TIMER && sampler != NULL && info->si_value.sival_ptr == sampler &&
        atomic_load_explicit(&period, memory_order_relaxed) != 0) {
        put_sample(slot, sampler->words, context);
        set_timer(sampler);
    }
    errno = saved;
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == on_signal;
}

/* Returns the period, at least the kernel's tick, because the kernel checks these timers at each tick. */
static uint64_t make_longer(uint64_t period_ns)
{
    struct timespec tick = {0};
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || ns_of(&tick) < period_ns)
        return period_ns;
    return ns_of(&tick);
}

/* Returns 0 if the process may have timers, or negative errno: the limit on pending signals
 * (RLIMIT_SIGPENDING) counts them, too. */
static int test_timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    int timer = 0;
    if (syscall(SYS_timer_create, (long)CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0)
        return -errno;
    (void)syscall(SYS_timer_delete, (long)timer);
    return 0;
}

int omptape_signal_samples_start(uint64_t *period_ns)
{
    const uint64_t from = 1;
    uint64_t to = 0;
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    struct sigaction before;
    process = getpid();
    if (sigaction(SAMPLE_SIGNAL, NULL, &before) != 0)
        return -errno;
    if (!is_ours(&before) && ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL))
        return -EBUSY;
    if (copy_memory((uintptr_t)&from, &to, sizeof(to)) != sizeof(to))
        return errno != 0 ? -errno : -EPERM;
    const int error = test_timer();
    if (error != 0)
        return error;
    sigfillset(&action.sa_mask);
    if (sigaction(SAMPLE_SIGNAL, &action, NULL) != 0)
        return -errno;
    *period_ns = make_longer(*period_ns);
    atomic_store_explicit(&period, *period_ns, memory_order_relaxed);
    return 0;
}

bool omptape_signal_samples_stop(void)
{
    struct sigaction now;
    const struct sigaction none = {.sa_handler = SIG_DFL};
    if (atomic_exchange_explicit(&period, 0, memory_order_relaxed) == 0)
        return true;
    return sigaction(SAMPLE_SIGNAL, NULL, &now) == 0 && is_ours(&now) &&
           sigaction(SAMPLE_SIGNAL, &none, NULL) == 0;
}

/* Returns the slot's memory for samples. A thread that ended without detaching may have left it. */
static struct omptape_signal_sampler *sampler_of(struct omptape_slot *slot)
{
    if (slot->sampler != NULL) {
        (void)syscall(SYS_timer_delete, (long)slot->sampler->timer);
        return slot->sampler;
    }
    void *map =
        mmap(NULL, sizeof(*slot->sampler), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    /* A forked child's slots are wiped. */
    (void)madvise(map, sizeof(*slot->sampler), MADV_DONTFORK);
    return map;
}

void omptape_signal_samples_begin_thread(struct omptape_slot *slot)
{
    struct omptape_signal_sampler *sampler;
    if (atomic_load_explicit(&period, memory_order_relaxed) == 0 || (sampler = sampler_of(slot)) == NULL)
        return;
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SAMPLE_SIGNAL, .sigev_value = {.sival_ptr = sampler}};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    slot->sampler = sampler;
    sampler->next_ns = 0;
    /* Direct system calls, because libc's timer_create allocates memory. */
    if (syscall(SYS_timer_create, (long)CLOCK_THREAD_CPUTIME_ID, &event, &sampler->timer) != 0) {
        slot->sampler = NULL;
        (void)munmap(sampler, sizeof(*sampler));
        return;
    }
    set_timer(sampler);
}

void omptape_signal_samples_end_thread(struct omptape_slot *slot)
{
    struct omptape_signal_sampler *sampler = slot->sampler;
    if (sampler == NULL)
        return;
    slot->sampler = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    (void)syscall(SYS_timer_delete, (long)sampler->timer);
    (void)munmap(sampler, sizeof(*sampler));
}
