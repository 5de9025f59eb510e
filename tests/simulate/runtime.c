/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads and processes of the simulated runtime.
 */
#include "tests/simulate/runtime_state.h"

#include <omptape/ompt.h>

#include <stdio.h>
#include <stdlib.h>

void *runtime_get(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (memory == NULL) {
        perror("calloc");
        exit(2);
    }
    return memory;
}

struct omp_costs omp_costs_of(unsigned sockets)
{
    const bool far = sockets > 1;
    return (struct omp_costs){.fork = 1000,
                              .fork_member = 20,
                              .child = far ? 120 : 60,
                              .level = far ? 600 : 200,
                              .lock = far ? 60 : 40,
                              .handover = far ? 400 : 150,
                              .chunk = 420,
                              .chunk_line = far ? 80 : 30,
                              .create = far ? 400 : 250,
                              .take = far ? 600 : 250,
                              .take_line = far ? 150 : 60};
}

struct omp_thread *runtime_self(void)
{
    return machine_argument();
}

uint64_t runtime_site(const void *return_address)
{
    return (uint64_t)(uintptr_t)return_address;
}

void runtime_spend_until(uint64_t time)
{
    if (time > machine_now())
        machine_spend(time - machine_now());
}

void runtime_wake(struct omp_thread *thread, uint64_t time)
{
    if (!thread->idle)
        return;
    thread->idle = false;
    machine_wake(thread->machine, time);
}

void runtime_wait(struct omp_thread *thread)
{
    thread->idle = true;
    if (thread->process->costs.is_passive)
        machine_park();
    else
        machine_spin(true, MACHINE_CALLER);
}

void runtime_begin_records(struct omp_thread *thread, unsigned type)
{
    session_begin_thread(thread->process->session, &thread->stream, machine_now(), type);
    kernel_begin(&thread->kernel, &thread->stream);
}

void runtime_end_records(struct omp_thread *thread)
{
    kernel_end(&thread->kernel);
    session_end_thread(&thread->stream, machine_now());
}

static void note_ran(void *argument, uint64_t begin, const struct machine_place *place)
{
    kernel_ran(&((struct omp_thread *)argument)->kernel, begin, place);
}

static void note_off(void *argument, uint64_t begin, uint64_t wanted)
{
    kernel_was_off(&((struct omp_thread *)argument)->kernel, begin, wanted);
}

const struct machine_observer omp_observer = {.ran = note_ran, .was_off = note_off};

static void put_sync(struct omp_thread *thread, enum omptape_kind record, unsigned kind, unsigned endpoint,
                     uint64_t site)
{
    const unsigned a = omptape_pack_endpoint(kind, endpoint);
    if (endpoint == ompt_scope_end)
        session_put(&thread->stream, machine_now(), record, a, 0);
    else
        session_put1(&thread->stream, machine_now(), record, a, 0, site);
}

void runtime_begin_sync(struct omp_thread *thread, unsigned kind, uint64_t site)
{
    put_sync(thread, OMPTAPE_SYNC_REGION, kind, ompt_scope_begin, site);
    put_sync(thread, OMPTAPE_SYNC_WAIT, kind, ompt_scope_begin, site);
}

void runtime_end_sync(struct omp_thread *thread, unsigned kind)
{
    put_sync(thread, OMPTAPE_SYNC_WAIT, kind, ompt_scope_end, 0);
    put_sync(thread, OMPTAPE_SYNC_REGION, kind, ompt_scope_end, 0);
}

uint64_t runtime_turn(uint64_t *free_at, uint64_t line)
{
    const uint64_t begin = *free_at > machine_now() ? *free_at : machine_now();
    *free_at = begin + line;
    return *free_at;
}

struct omp_thread *runtime_new_thread(struct omp_process *process)
{
    struct omp_thread *thread = runtime_get(1, sizeof(*thread));
    thread->process = process;
    thread->processor = (process->first_processor + process->thread_count) % machine_model()->processors;
    process->threads = realloc(process->threads, (process->thread_count + 1) * sizeof(*process->threads));
    if (process->threads == NULL)
        exit(2);
    process->threads[process->thread_count++] = thread;
    return thread;
}

struct session_stream *omp_stream(void)
{
    return &runtime_self()->stream;
}

unsigned omp_number(void)
{
    return runtime_self()->index;
}

unsigned omp_size(void)
{
    const struct omp_thread *thread = runtime_self();
    return thread->team != NULL ? thread->team->size : 1;
}

void omp_compute(uint64_t ns)
{
    machine_work(ns, MACHINE_CALLER);
}

/* The first instruction of a function that the caller of this one calls. */
#define AT_CALL(function)                                                                                    \
    ((struct machine_place){.code = (const void *)(uintptr_t)(function),                                     \
                            .stack = (const char *)__builtin_frame_address(0) + sizeof(void *)})

void omp_call(void (*function)(void), uint64_t ns)
{
    machine_work(ns, AT_CALL(function));
}

void omp_sleep(uint64_t ns)
{
    machine_sleep(ns);
}

void omp_look(struct omp_flag *flag, void (*loop)(void))
{
    struct omp_thread *thread = runtime_self();
    if (flag->is_raised)
        return;
    thread->next = flag->first;
    flag->first = thread;
    machine_spin(false, AT_CALL(loop));
}

void omp_raise(struct omp_flag *flag)
{
    flag->is_raised = true;
    for (; flag->first != NULL; flag->first = flag->first->next)
        machine_wake(flag->first->machine, machine_now());
}

static void run_program(void *argument)
{
    struct omp_thread *thread = argument;
    struct omp_process *process = thread->process;
    const uint16_t flags = omptape_fold_flags(ompt_task_initial);
    runtime_begin_records(thread, ompt_thread_initial);
    const uint64_t region = session_id(&thread->stream);
    session_put2(&thread->stream, machine_now(), OMPTAPE_IMPLICIT_BEGIN, flags, 1, region, 1);
    process->program(process->argument);
    process->is_over = true;
    for (unsigned i = 1; i < process->thread_count; i++)
        runtime_wake(process->threads[i], machine_now());
    machine_spend(1000);
    session_put1(&thread->stream, machine_now(), OMPTAPE_IMPLICIT_END, flags, 1, region);
    runtime_end_records(thread);
}

struct omp_process *omp_start(struct session *session, const struct omp_costs *costs, unsigned first,
                              void (*program)(void *), void *argument, uint64_t time)
{
    struct omp_process *process = runtime_get(1, sizeof(*process));
    *process = (struct omp_process){.session = session,
                                    .costs = *costs,
                                    .first_processor = first,
                                    .program = program,
                                    .argument = argument};
    struct omp_thread *thread = runtime_new_thread(process);
    thread->is_initial = true;
    thread->machine = machine_spawn(run_program, thread, thread->processor, time);
    return process;
}

void omp_free(struct omp_process *process)
{
    for (unsigned i = 0; i < process->thread_count; i++) {
        free(process->threads[i]->hot);
        free(process->threads[i]);
    }
    free(process->threads);
    free(process);
}
