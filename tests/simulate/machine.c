/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads are contexts of their own (makecontext for the start, then setjmp and longjmp, which make no system
 * call). A queue of moments says who goes on next. Each processor has an owner and a line of those that want
 * it. An owner keeps it until it parks, or its slice is over and somebody is in line.
 */
#include "tests/simulate/machine.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK_BYTES = 65536 };

struct machine_thread {
    ucontext_t context;
    sigjmp_buf jump_point;
    bool begun;
    bool ended;
    void *stack;
    void (*function)(void *);
    void *argument;
    struct machine_processor *processor;
    struct machine_thread *next; /* in the processor's line */
    uint64_t noise;              /* state of its random numbers */
    uint64_t numbers;            /* the same of machine_random */
    uint64_t queued;
    uint64_t slice; /* what is left of it */
};

struct machine_processor {
    struct machine_thread *owner;
    struct machine_thread *first;
    struct machine_thread *last;
    uint64_t next_tick;
    uint64_t next_daemon;
};

struct moment {
    uint64_t time;
    uint64_t order; /* of two at the same time the one that was asked for first */
    struct machine_thread *thread;
};

static struct machine_model model;
static struct machine_processor *processors;
static struct moment *moments;
static size_t moment_count;
static size_t moment_capacity;
static uint64_t orders;
static uint64_t now;
static struct machine_thread *self;
static uint64_t living;
static uint64_t spawned;
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

static double uniform(uint64_t *state)
{
    return (double)(random_of(state) >> 11) / (double)(UINT64_C(1) << 53);
}

/* Normally distributed, by the sum of twelve: never further than 6 from 0. */
static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(state);
    return sum;
}

static bool is_before(const struct moment *one, const struct moment *other)
{
    return one->time != other->time ? one->time < other->time : one->order < other->order;
}

static void push(struct machine_thread *thread, uint64_t time)
{
    if (moment_count == moment_capacity) {
        moment_capacity = moment_capacity == 0 ? 1024 : 2 * moment_capacity;
        moments = realloc(moments, moment_capacity * sizeof(*moments));
        must(moments != NULL, "realloc");
    }
    const struct moment added = {.time = time > now ? time : now, .order = orders++, .thread = thread};
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

/* Back to the scheduler, which goes on with this thread when its moment has come. */
static void leave(void)
{
    if (sigsetjmp(self->jump_point, 0) == 0)
        siglongjmp(scheduler, 1);
}

static void wait_until(uint64_t time)
{
    push(self, time);
    leave();
}

static void hand_on(struct machine_processor *processor)
{
    struct machine_thread *next = processor->first;
    processor->owner = next;
    if (next == NULL)
        return;
    processor->first = next->next;
    if (next->next == NULL)
        processor->last = NULL;
    next->next = NULL;
    push(next, now);
}

static void join_line(struct machine_thread *thread)
{
    struct machine_processor *processor = thread->processor;
    if (processor->last != NULL)
        processor->last->next = thread;
    else
        processor->first = thread;
    processor->last = thread;
}

static void obtain_processor(void)
{
    const uint64_t begin = now;
    if (self->processor->owner == self)
        return;
    if (self->processor->owner == NULL) {
        self->processor->owner = self;
    } else {
        join_line(self);
        leave();
    }
    self->queued += now - begin;
    self->slice = model.slice_ns;
}

/* Its slice is over: whoever is in line has the processor now. */
static void give_way(void)
{
    self->slice = model.slice_ns;
    if (self->processor->first == NULL)
        return;
    const uint64_t begin = now;
    join_line(self);
    hand_on(self->processor);
    leave();
    self->queued += now - begin;
}

static void begin_thread(void)
{
    obtain_processor();
    self->function(self->argument);
    hand_on(self->processor);
    self->ended = true;
    living--;
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
    processors = calloc(model.processors, sizeof(*processors));
    must(processors != NULL, "calloc");
    uint64_t state = model.seed * 2 + 1;
    for (unsigned i = 0; i < model.processors; i++) {
        processors[i].next_tick = (uint64_t)(uniform(&state) * (double)model.tick_ns);
        processors[i].next_daemon = (uint64_t)(uniform(&state) * 2 * (double)model.daemon_ns);
    }
}

const struct machine_model *machine_model(void)
{
    return &model;
}

struct machine_thread *machine_spawn(void (*function)(void *), void *argument, unsigned processor,
                                     uint64_t time)
{
    struct machine_thread *thread = calloc(1, sizeof(*thread));
    must(thread != NULL, "calloc");
    thread->stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(thread->stack != MAP_FAILED, "mmap");
    must(getcontext(&thread->context) == 0, "getcontext");
    thread->context.uc_stack.ss_sp = thread->stack;
    thread->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&thread->context, begin_thread, 0);
    thread->function = function;
    thread->argument = argument;
    thread->processor = &processors[processor % model.processors];
    thread->noise = (model.seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + ++spawned * 0x10001;
    thread->numbers = thread->noise * 3 + 1;
    for (int i = 0; i < 8; i++)
        (void)random_of(&thread->noise);
    living++;
    push(thread, time);
    return thread;
}

bool machine_run(void)
{
    while (moment_count > 0) {
        const struct moment next = pop();
        now = next.time;
        go_on(next.thread);
        if (next.thread->ended)
            munmap(next.thread->stack, STACK_BYTES);
    }
    return living == 0;
}

void machine_stop(void)
{
    free(processors);
    free(moments);
    processors = NULL;
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

unsigned machine_socket(const struct machine_thread *thread)
{
    const unsigned number = (unsigned)(thread->processor - processors);
    return number * model.sockets / model.processors;
}

/* What interrupts the processor in so much work takes time, too. */
static uint64_t with_interruptions(struct machine_processor *processor, uint64_t ns)
{
    while (model.tick_ns > 0 && processor->next_tick < now + ns) {
        ns += processor->next_tick >= now ? model.tick_takes_ns : 0;
        processor->next_tick += model.tick_ns;
    }
    while (model.daemon_ns > 0 && processor->next_daemon < now + ns) {
        ns += processor->next_daemon >= now ? model.daemon_takes_ns : 0;
        processor->next_daemon += (uint64_t)(-log(1 - uniform(&self->noise)) * (double)model.daemon_ns) + 1;
    }
    return ns;
}

static void spend_slices(uint64_t ns)
{
    obtain_processor();
    while (ns > 0) {
        const uint64_t step = model.slice_ns > 0 && ns > self->slice ? self->slice : ns;
        wait_until(now + step);
        ns -= step;
        if (model.slice_ns == 0)
            continue;
        self->slice -= step;
        if (self->slice == 0)
            give_way();
    }
}

void machine_work(uint64_t ns)
{
    double factor = 1 + model.jitter * normal(&self->noise);
    const uint64_t work = (uint64_t)((double)ns * (factor > 0.1 ? factor : 0.1));
    spend_slices(with_interruptions(self->processor, work));
}

void machine_spend(uint64_t ns)
{
    spend_slices(ns);
}

void machine_park(void)
{
    if (self->processor->owner == self)
        hand_on(self->processor);
    leave();
    obtain_processor();
}

void machine_wake(struct machine_thread *thread, uint64_t time)
{
    push(thread, time);
}

double machine_random(void)
{
    return uniform(&self->numbers);
}

uint64_t machine_queued(const struct machine_thread *thread)
{
    return thread->queued;
}
