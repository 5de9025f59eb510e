/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads are contexts of their own (makecontext for the start, then setjmp and longjmp, which make no system
 * call). A queue of moments says who goes on next.
 */
#include "tests/simulate/machine_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK_BYTES = 262144 };

struct moment {
    uint64_t time;
    uint64_t order; /* of two at the same time the one that was asked for first */
    struct machine_thread *thread;
    uint64_t token; /* the moment counts only if its thread still has this one */
};

static struct machine_model model;
static struct moment *moments;
static size_t moment_count;
static size_t moment_capacity;
static uint64_t orders;
static uint64_t now;
static struct machine_thread *self;
static uint64_t living;  /* threads that have not ended */
static uint64_t spawned; /* threads, */
static uint64_t others;  /* ...and other programs */
static sigjmp_buf scheduler;
static ucontext_t first_context;

static void must(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(2);
}

static uint64_t random_of(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

void *machine_get(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    must(memory != NULL, "calloc");
    return memory;
}

double machine_uniform(uint64_t *state)
{
    return (double)(random_of(state) >> 11) / (double)(UINT64_C(1) << 53);
}

static bool is_before(const struct moment *one, const struct moment *other)
{
    return one->time != other->time ? one->time < other->time : one->order < other->order;
}

void machine_resume(struct machine_thread *thread, uint64_t time)
{
    if (moment_count == moment_capacity) {
        moment_capacity = moment_capacity == 0 ? 1024 : 2 * moment_capacity;
        moments = realloc(moments, moment_capacity * sizeof(*moments));
        must(moments != NULL, "realloc");
    }
    const struct moment added = {
        .time = time > now ? time : now, .order = orders++, .thread = thread, .token = ++thread->token};
    size_t at = moment_count++;
    for (; at > 0 && is_before(&added, &moments[(at - 1) / 2]); at = (at - 1) / 2)
        moments[at] = moments[(at - 1) / 2];
    moments[at] = added;
}

static struct moment pop(void)
{
    const struct moment first = moments[0];
    const struct moment last = moments[--moment_count];
    size_t at = 0;
    for (size_t child = 1; child < moment_count; child = 2 * at + 1) {
        if (child + 1 < moment_count && is_before(&moments[child + 1], &moments[child]))
            child++;
        if (!is_before(&moments[child], &last))
            break;
        moments[at] = moments[child];
        at = child;
    }
    moments[at] = last;
    return first;
}

void machine_leave(void)
{
    if (sigsetjmp(self->jump_point, 0) == 0)
        siglongjmp(scheduler, 1);
}

static void begin_thread(void)
{
    processors_obtain();
    self->function(self->argument);
    processors_release();
    self->ended = true;
    living -= !self->is_other;
    siglongjmp(scheduler, 1);
}

static void go_on(struct machine_thread *thread)
{
    self = thread;
    if (sigsetjmp(scheduler, 0) != 0)
        return;
    if (thread->begun)
        siglongjmp(thread->jump_point, 1);
    thread->begun = true;
    swapcontext(&first_context, &thread->context);
}

void machine_start(const struct machine_model *chosen)
{
    model = *chosen;
    processors_start();
}

const struct machine_model *machine_model(void)
{
    return &model;
}

static struct machine_thread *spawn(void (*function)(void *), void *argument, unsigned processor,
                                    uint64_t time, bool is_other)
{
    struct machine_thread *thread = machine_get(1, sizeof(*thread));
    thread->stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(thread->stack != MAP_FAILED, "mmap");
    must(getcontext(&thread->context) == 0, "getcontext");
    thread->context.uc_stack.ss_sp = thread->stack;
    thread->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&thread->context, begin_thread, 0);
    thread->function = function;
    thread->argument = argument;
    thread->is_other = is_other;
    thread->processor = processors_get(processor);
    thread->left_at = time;
    thread->noise = (model.seed + 1) * UINT64_C(0x9e3779b97f4a7c15) +
                    (is_other ? UINT64_C(1) << 32 | ++others : ++spawned) * 0x10001;
    for (int i = 0; i < 8; i++)
        (void)random_of(&thread->noise);
    living += !is_other;
    machine_resume(thread, time);
    return thread;
}

struct machine_thread *machine_spawn(void (*function)(void *), void *argument, unsigned processor,
                                     uint64_t time)
{
    return spawn(function, argument, processor, time, false);
}

struct other_program {
    uint64_t run_ns;
    uint64_t sleep_ns;
};

static void run_other(void *argument)
{
    struct other_program *other = argument;
    while (living > 0) {
        machine_spend(other->run_ns);
        if (other->sleep_ns > 0)
            machine_sleep(other->sleep_ns);
    }
    free(other);
}

void machine_spawn_other(unsigned processor, uint64_t run_ns, uint64_t sleep_ns)
{
    struct other_program *other = machine_get(1, sizeof(*other));
    *other = (struct other_program){.run_ns = run_ns, .sleep_ns = sleep_ns};
    (void)spawn(run_other, other, processor, 0, true);
}

bool machine_run(void)
{
    while (moment_count > 0) {
        const struct moment next = pop();
        if (next.token != next.thread->token)
            continue;
        now = next.time;
        go_on(next.thread);
        if (next.thread->ended)
            munmap(next.thread->stack, STACK_BYTES);
    }
    return living == 0;
}

void machine_stop(void)
{
    processors_stop();
    free(moments);
    moments = NULL;
}

uint64_t machine_now(void)
{
    return now;
}

struct machine_thread *machine_self(void)
{
    return self;
}

void *machine_argument(void)
{
    return self->argument;
}

size_t machine_stack_bytes(const char *stack)
{
    return (size_t)((const char *)self->stack + STACK_BYTES - stack);
}
