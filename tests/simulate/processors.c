/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processors and run queues. Each processor has an owner, who keeps it until it sleeps, or until its slice is
 * over and somebody wants it. Threads that are bound queue for their processor, others in one queue for all
 * or, as Linux has it, for the processor that they had last. A processor without work takes them from there.
 * A thread that yields has a processor only while no other one wants it.
 */
#include "tests/simulate/machine_state.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t never = UINT64_MAX;

struct machine_processor {
    struct machine_thread *owner;
    struct machine_thread *queue;
    uint64_t busy;
    uint64_t next_tick;
    uint64_t next_daemon;
};

static struct machine_processor *processors;
static struct machine_thread *common_queue;

void processors_start(void)
{
    const struct machine_model *model = machine_model();
    uint64_t state = model->seed * 2 + 1;
    processors = machine_get(model->processors, sizeof(*processors));
    for (unsigned i = 0; i < model->processors; i++) {
        processors[i].next_tick = (uint64_t)(machine_uniform(&state) * (double)model->tick_ns);
        processors[i].next_daemon = (uint64_t)(machine_uniform(&state) * 2 * (double)model->daemon_ns);
    }
}

void processors_stop(void)
{
    free(processors);
    processors = NULL;
    common_queue = NULL;
}

struct machine_processor *processors_get(unsigned number)
{
    return &processors[number % machine_model()->processors];
}

unsigned processors_number(const struct machine_processor *processor)
{
    return (unsigned)(processor - processors);
}

uint64_t machine_busy(unsigned first, unsigned count)
{
    uint64_t busy = 0;
    for (unsigned i = first; i < first + count; i++)
        busy += processors_get(i)->busy;
    return busy;
}

static bool is_free(const struct machine_thread *thread)
{
    return machine_model()->is_free && !thread->is_other;
}

static struct machine_thread **queue_of(const struct machine_thread *thread)
{
    return is_free(thread) && !machine_model()->has_queues ? &common_queue : &thread->processor->queue;
}

/* Returns the place of the first thread in the queue that does not yield, else of the first one at all. */
static struct machine_thread **find_next(struct machine_thread **queue)
{
    for (struct machine_thread **at = queue; *at != NULL; at = &(*at)->next)
        if (!(*at)->yields)
            return at;
    return queue;
}

/* The same of all who want this processor. The place is empty if there is nobody. */
static struct machine_thread **find_wanting(struct machine_processor *processor)
{
    struct machine_thread **own = find_next(&processor->queue);
    struct machine_thread **any = find_next(&common_queue);
    if (*own == NULL || *any == NULL)
        return *own != NULL ? own : any;
    if ((*own)->yields != (*any)->yields)
        return (*own)->yields ? any : own;
    return (*own)->wanted_at <= (*any)->wanted_at ? own : any;
}

/* Returns the place of a thread that does not yield, in the queue of another processor, and may be moved. */
static struct machine_thread **find_elsewhere(const struct machine_processor *processor)
{
    for (unsigned i = 1; i < machine_model()->processors; i++) {
        struct machine_thread **at = find_next(&processors_get(processors_number(processor) + i)->queue);
        if (*at != NULL && is_free(*at) && !(*at)->yields)
            return at;
    }
    return NULL;
}

static void hand_on(struct machine_processor *processor)
{
    struct machine_thread **at = find_wanting(processor);
    struct machine_thread **moved = *at == NULL || (*at)->yields ? find_elsewhere(processor) : NULL;
    at = moved != NULL ? moved : at;
    struct machine_thread *next = *at;
    processor->owner = next;
    if (next == NULL)
        return;
    *at = next->next;
    next->next = NULL;
    next->in_queue = false;
    next->processor = processor;
    machine_resume(next, machine_now());
}

/* A thread that yields its processor gives it to this one, which wants one and does not yield. */
static void interrupt_yielding(const struct machine_thread *thread)
{
    const unsigned all = queue_of(thread) == &common_queue ? machine_model()->processors : 1;
    for (unsigned i = 0; i < all; i++) {
        const struct machine_processor *processor = processors_get(processors_number(thread->processor) + i);
        if (processor->owner != NULL && processor->owner->yields) {
            machine_resume(processor->owner, machine_now());
            return;
        }
    }
}

static void join_queue(struct machine_thread *thread)
{
    struct machine_thread **last = queue_of(thread);
    while (*last != NULL)
        last = &(*last)->next;
    *last = thread;
    thread->in_queue = true;
    if (!thread->yields)
        interrupt_yielding(thread);
    machine_leave();
}

static struct machine_processor *find_idle(const struct machine_thread *thread)
{
    const unsigned all = is_free(thread) ? machine_model()->processors : 1;
    for (unsigned i = 0; i < all; i++) {
        struct machine_processor *processor = processors_get(processors_number(thread->processor) + i);
        if (processor->owner == NULL)
            return processor;
    }
    return NULL;
}

static void note_off(const struct machine_thread *self)
{
    const struct machine_observer *observer = &machine_model()->observer;
    if (observer->was_off != NULL && !self->is_other && machine_now() > self->left_at)
        observer->was_off(self->argument, self->left_at, self->wanted_at);
}

void processors_obtain(void)
{
    struct machine_thread *self = machine_self();
    if (self->processor->owner == self)
        return;
    struct machine_processor *idle = find_idle(self);
    self->wanted_at = machine_now();
    if (idle != NULL) {
        self->processor = idle;
        idle->owner = self;
    } else {
        join_queue(self);
    }
    self->slice = machine_model()->slice_ns;
    note_off(self);
}

void processors_release(void)
{
    struct machine_thread *self = machine_self();
    if (self->processor->owner != self)
        return;
    self->left_at = machine_now();
    hand_on(self->processor);
}

/* Its slice is over, or it yields: whoever wants the processor has it now. */
static void give_way(struct machine_thread *self)
{
    const bool is_over = self->slice == 0;
    const struct machine_thread *wants = *find_wanting(self->processor);
    if (is_over)
        self->slice = machine_model()->slice_ns;
    if (wants == NULL || (wants->yields && !(self->yields && is_over)))
        return;
    self->left_at = self->wanted_at = machine_now();
    hand_on(self->processor);
    join_queue(self);
    note_off(self);
    self->slice = machine_model()->slice_ns;
}

/* Runs until `time`, until its slice is over, or until somebody has it go on before. */
static void run_until(struct machine_thread *self, uint64_t time, const struct machine_place *place)
{
    const struct machine_model *model = machine_model();
    const uint64_t begin = machine_now();
    machine_resume(self, time < begin + self->slice ? time : begin + self->slice);
    machine_leave();
    const uint64_t ran = machine_now() - begin;
    self->processor->busy += ran;
    self->slice -= ran < self->slice ? ran : self->slice;
    if (model->observer.ran != NULL && !self->is_other && ran > 0)
        model->observer.ran(self->argument, begin, place);
}

/* Spends processor time. A thread that others have wait for its processor loses it after a slice. */
static void spend(uint64_t ns, const struct machine_place *place)
{
    struct machine_thread *self = machine_self();
    processors_obtain();
    while (ns > 0) {
        const uint64_t begin = machine_now();
        run_until(self, begin + ns, place);
        ns -= machine_now() - begin;
        if (self->slice == 0)
            give_way(self);
    }
}

/* What interrupts the processor in so much work takes time, too. */
static uint64_t with_interruptions(struct machine_thread *self, uint64_t ns)
{
    const struct machine_model *model = machine_model();
    struct machine_processor *processor = self->processor;
    const uint64_t now = machine_now();
    while (model->tick_ns > 0 && processor->next_tick < now + ns) {
        ns += processor->next_tick >= now ? model->tick_takes_ns : 0;
        processor->next_tick += model->tick_ns;
    }
    while (model->daemon_ns > 0 && processor->next_daemon < now + ns) {
        ns += processor->next_daemon >= now ? model->daemon_takes_ns : 0;
        processor->next_daemon +=
            (uint64_t)(-log(1 - machine_uniform(&self->noise)) * (double)model->daemon_ns) + 1;
    }
    return ns;
}

/* Normally distributed, by the sum of twelve: never further than 6 from 0. */
static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += machine_uniform(state);
    return sum;
}

void machine_work(uint64_t ns, struct machine_place place)
{
    struct machine_thread *self = machine_self();
    const double factor = 1 + machine_model()->jitter * normal(&self->noise);
    const uint64_t work = (uint64_t)((double)ns * (factor > 0.1 ? factor : 0.1));
    spend(with_interruptions(self, work), &place);
}

void machine_spend(uint64_t ns)
{
    const struct machine_place place = MACHINE_CALLER;
    spend(ns, &place);
}

void machine_park(void)
{
    processors_release();
    machine_leave();
    processors_obtain();
}

void machine_sleep(uint64_t ns)
{
    machine_resume(machine_self(), machine_now() + ns);
    machine_park();
}

void machine_spin(bool yields, struct machine_place place)
{
    struct machine_thread *self = machine_self();
    self->woken_at = never;
    self->yields = yields;
    processors_obtain();
    while (self->woken_at > machine_now()) {
        if (yields || self->slice == 0)
            give_way(self);
        if (self->woken_at > machine_now())
            run_until(self, self->woken_at, &place);
    }
    self->yields = false;
    self->woken_at = 0;
}

void machine_wake(struct machine_thread *thread, uint64_t time)
{
    thread->woken_at = time;
    thread->yields = false;
    if (!thread->in_queue)
        machine_resume(thread, time);
    else
        interrupt_yielding(thread);
}
