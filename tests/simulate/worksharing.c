/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops and other work-sharing.
 */
#include "tests/simulate/runtime_state.h"

#include <omptape/ompt.h>

/* LLVM's since 5.1, which older headers lack. */
enum { LOOP_STATIC = 10, LOOP_DYNAMIC = 11, LOOP_GUIDED = 12, WS_LOOP_CHUNK = 3 };

static void begin_work(struct omp_thread *thread, unsigned type, uint64_t count, uint64_t site)
{
    session_put2(&thread->stream, machine_now(), OMPTAPE_WORK, omptape_pack_endpoint(type, ompt_scope_begin),
                 0, count, site);
}

static void end_work(struct omp_thread *thread, unsigned type)
{
    session_put(&thread->stream, machine_now(), OMPTAPE_WORK, omptape_pack_endpoint(type, ompt_scope_end), 0);
}

static void run_chunk(struct omp_thread *thread, uint64_t begin, uint64_t end, omp_iteration *iteration,
                      void *argument, struct machine_place place)
{
    uint64_t ns = 0;
    session_put2(&thread->stream, machine_now(), OMPTAPE_DISPATCH, WS_LOOP_CHUNK, 0, begin, end - begin);
    for (uint64_t i = begin; i < end; i++)
        ns += iteration(i, argument);
    machine_work(ns, place);
}

void omp_for_static(uint64_t iterations, omp_iteration *iteration, void *argument, bool nowait)
{
    struct omp_thread *thread = runtime_self();
    const uint64_t site = runtime_site(__builtin_return_address(0));
    const uint64_t begin = iterations * thread->index / thread->team->size;
    const uint64_t end = iterations * (thread->index + 1) / thread->team->size;
    begin_work(thread, LOOP_STATIC, iterations, site);
    if (end > begin)
        run_chunk(thread, begin, end, iteration, argument, MACHINE_CALLER);
    end_work(thread, LOOP_STATIC);
    if (!nowait)
        runtime_wait_in_barrier(thread, ompt_sync_region_barrier_implicit_workshare, site);
}

void omp_for_cyclic(uint64_t iterations, uint64_t chunk, omp_iteration *iteration, void *argument)
{
    struct omp_thread *thread = runtime_self();
    const uint64_t site = runtime_site(__builtin_return_address(0));
    uint64_t ns = 0;
    begin_work(thread, LOOP_STATIC, iterations, site);
    session_put2(&thread->stream, machine_now(), OMPTAPE_DISPATCH, WS_LOOP_CHUNK, 0, chunk * thread->index,
                 chunk);
    for (uint64_t i = 0; i < iterations; i++)
        if (i / chunk % thread->team->size == thread->index)
            ns += iteration(i, argument);
    machine_work(ns, MACHINE_CALLER);
    end_work(thread, LOOP_STATIC);
    runtime_wait_in_barrier(thread, ompt_sync_region_barrier_implicit_workshare, site);
}

/* A loop whose chunks free threads take. A guided one has chunks of half of each thread's part of the rest.
 */
struct turns {
    unsigned type;
    uint64_t iterations;
    uint64_t chunk; /* at least */
    omp_iteration *iteration;
    void *argument;
};

static uint64_t chunk_of(const struct turns *turns, const struct team *team, uint64_t begin)
{
    const uint64_t part = (turns->iterations - begin) / 2 / team->size;
    const uint64_t chunk = turns->type == LOOP_GUIDED && part > turns->chunk ? part : turns->chunk;
    return begin + chunk < turns->iterations ? chunk : turns->iterations - begin;
}

static void run_in_turn(const struct turns *turns, uint64_t site, struct machine_place place)
{
    struct omp_thread *thread = runtime_self();
    struct team *team = thread->team;
    const struct omp_costs *costs = &team->process->costs;
    struct loop *loop = &team->loops[thread->loops++ % LOOPS];
    begin_work(thread, turns->type, turns->iterations, site);
    for (;;) {
        runtime_spend_until(runtime_turn(&loop->free_at, costs->chunk_line));
        machine_spend(costs->chunk);
        const uint64_t begin = loop->next;
        if (begin >= turns->iterations)
            break;
        const uint64_t end = begin + chunk_of(turns, team, begin);
        loop->next = end;
        run_chunk(thread, begin, end, turns->iteration, turns->argument, place);
    }
    end_work(thread, turns->type);
    if (++loop->left == team->size)
        *loop = (struct loop){0};
    runtime_wait_in_barrier(thread, ompt_sync_region_barrier_implicit_workshare, site);
}

void omp_for_dynamic(uint64_t iterations, uint64_t chunk, omp_iteration *iteration, void *argument)
{
    run_in_turn(&(struct turns){LOOP_DYNAMIC, iterations, chunk, iteration, argument},
                runtime_site(__builtin_return_address(0)), MACHINE_CALLER);
}

void omp_for_guided(uint64_t iterations, uint64_t chunk, omp_iteration *iteration, void *argument)
{
    run_in_turn(&(struct turns){LOOP_GUIDED, iterations, chunk, iteration, argument},
                runtime_site(__builtin_return_address(0)), MACHINE_CALLER);
}

void omp_single(void (*body)(void *), void *argument)
{
    struct omp_thread *thread = runtime_self();
    struct team *team = thread->team;
    const uint64_t site = runtime_site(__builtin_return_address(0));
    const bool is_first = thread->singles++ == team->singles;
    const unsigned type = is_first ? ompt_work_single_executor : ompt_work_single_other;
    team->singles += is_first;
    begin_work(thread, type, 1, site);
    if (is_first)
        body(argument);
    end_work(thread, type);
    runtime_wait_in_barrier(thread, ompt_sync_region_barrier_implicit_workshare, site);
}

void omp_masked(void (*body)(void *), void *argument)
{
    struct omp_thread *thread = runtime_self();
    const uint64_t site = runtime_site(__builtin_return_address(0));
    if (thread->index != 0)
        return;
    session_put1(&thread->stream, machine_now(), OMPTAPE_MASKED, omptape_pack_endpoint(0, ompt_scope_begin),
                 0, site);
    body(argument);
    session_put1(&thread->stream, machine_now(), OMPTAPE_MASKED, omptape_pack_endpoint(0, ompt_scope_end), 0,
                 site);
}
