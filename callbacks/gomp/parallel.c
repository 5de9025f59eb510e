/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wrappers for parallel regions and host teams. They pass libgomp a function of the library instead of
 * the region's function, and a struct region instead of its data. Each member of the team records its begin
 * and then calls the region's function.
 */
#include "callbacks/gomp/record.h"

#include <stdlib.h>

/* A region between its begin and end. It is in the memory of the encountering thread: no member uses it after
 * the last one has returned from the region's function. */
struct region {
    /* libgomp reads this word from the region's data if the region has reductions. */
    void *first_word;
    void (*function)(void *);
    void *data;
    struct omptape_gomp_runtime *runtime;
    uint64_t id;
    uint64_t ended; /* How many workers had ended when the region was forked. */
    const void *site;
    struct omptape_gomp_loop loop;
    /* The state of the encountering thread before the region. */
    struct omptape_slot_task outside;
};

/* Like OMPTAPE_GOMP_ENTER, for functions that begin a region. */
#define ENTER(name, ...)                                                                                     \
    const void *const site = __builtin_return_address(0);                                                    \
    struct omptape_gomp_runtime *const runtime = omptape_gomp_runtime_now(site, OMPTAPE_CALL_##name);        \
    OMPTAPE_GOMP_PASS(name, __VA_ARGS__)

static void begin_member(const struct region *region)
{
    const int number = OMPTAPE_GOMP_REAL(region->runtime, omp_get_thread_num)();
    const int size = OMPTAPE_GOMP_REAL(region->runtime, omp_get_num_threads)();
    omptape_gomp_begin_member(region->id, region->ended, (unsigned)number, (unsigned)size);
    if (region->loop.type == ompt_work_sections)
        omptape_gomp_begin_work(omptape_producer_slot, ompt_work_sections, region->loop.count, region->site);
    else if (region->loop.type != 0)
        omptape_gomp_begin_loop(omptape_producer_slot, &region->loop, region->site);
}

/* libgomp calls this function on each member. */
static void run_member(void *data)
{
    const struct region *region = data;
    begin_member(region);
    region->function(region->data);
    omptape_gomp_begin_final_barrier();
}

static void begin_region(struct region *region, unsigned threads)
{
    const int flags = (int)(ompt_parallel_team | ompt_parallel_invoker_runtime);
    struct omptape_slot *slot = omptape_gomp_thread(OMPTAPE_PARALLEL_BEGIN);
    ompt_data_t task = {.value = slot != NULL ? slot->gomp.task : 0};
    ompt_data_t parallel = {.value = 0};
    if (threads == 0)
        threads = (unsigned)OMPTAPE_GOMP_REAL(region->runtime, omp_get_max_threads)();
    if (slot != NULL)
        region->outside = slot->gomp;
    region->ended = omptape_gomp_count_ended();
    omptape_on_parallel_begin(&task, NULL, &parallel, threads, flags, region->site);
    region->id = parallel.value;
}

static void end_region(const struct region *region)
{
    const int flags = (int)(ompt_parallel_team | ompt_parallel_invoker_runtime);
    struct omptape_slot *slot = omptape_producer_slot;
    ompt_data_t parallel = {.value = region->id};
    if (region->runtime->can_cancel)
        omptape_gomp_pending_tasks_discard(region->id);
    if (slot != NULL)
        omptape_gomp_end_member(slot);
    omptape_on_parallel_end(&parallel, NULL, flags, region->site);
    if (slot != NULL && region->outside.task != 0)
        slot->gomp = region->outside;
}

#define REGION(its_loop)                                                                                     \
    struct region region = {                                                                                 \
        .function = function,                                                                                \
        .data = data,                                                                                        \
        .runtime = runtime,                                                                                  \
        .site = omptape_gomp_call_site(site, function),                                                      \
        .loop = (its_loop),                                                                                  \
    };                                                                                                       \
    begin_region(&region, threads)
static const struct omptape_gomp_loop no_loop;

void omptape_GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
    ENTER(GOMP_parallel, function, data, threads, flags);
    REGION(no_loop);
    OMPTAPE_GOMP_REAL(runtime, GOMP_parallel)(run_member, &region, threads, flags);
    end_region(&region);
}

unsigned omptape_GOMP_parallel_reductions(void (*function)(void *), void *data, unsigned threads,
                                          unsigned flags)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_parallel_reductions, function, data, threads, flags);
    REGION(no_loop);
    region.first_word = *(void **)data;
    const unsigned size =
        OMPTAPE_GOMP_REAL(runtime, GOMP_parallel_reductions)(run_member, &region, threads, flags);
    end_region(&region);
    return size;
}

static struct omptape_gomp_loop sections_of(unsigned count)
{
    return (struct omptape_gomp_loop){.type = ompt_work_sections, .count = count};
}

void omptape_GOMP_parallel_sections(void (*function)(void *), void *data, unsigned threads, unsigned count,
                                    unsigned flags)
{
    ENTER(GOMP_parallel_sections, function, data, threads, count, flags);
    REGION(sections_of(count));
    OMPTAPE_GOMP_REAL(runtime, GOMP_parallel_sections)(run_member, &region, threads, count, flags);
    end_region(&region);
}

#define PARALLEL_LOOP(name, form, schedule)                                                                  \
    void omptape_##name(OMPTAPE_GOMP_REGION_PARAMETERS_##form, unsigned flags)                               \
    {                                                                                                        \
        ENTER(name, function, data, OMPTAPE_GOMP_REGION_ARGUMENTS_##form, flags);                            \
        REGION(omptape_gomp_loop_of(runtime, schedule, first, last, step));                                  \
        OMPTAPE_GOMP_REAL(runtime, name)(run_member, &region, OMPTAPE_GOMP_REGION_ARGUMENTS_##form, flags);  \
        end_region(&region);                                                                                 \
    }
OMPTAPE_GOMP_PARALLEL_LOOPS(PARALLEL_LOOP)

/* Begins a region for compilers before gcc 4.9. They call its function themselves on the encountering thread,
 * between a start and an end. Returns NULL if out of memory; the region is then not recorded. */
static struct region *start_region(struct omptape_gomp_runtime *runtime, const void *site,
                                   void (*function)(void *), void *data, unsigned threads,
                                   struct omptape_gomp_loop loop)
{
    struct region *region =
        omptape_gomp_thread(OMPTAPE_PARALLEL_BEGIN) != NULL ? malloc(sizeof(*region)) : NULL;
    if (region == NULL)
        return NULL;
    *region = (struct region){.function = function,
                              .data = data,
                              .runtime = runtime,
                              .site = omptape_gomp_call_site(site, function),
                              .loop = loop};
    begin_region(region, threads);
    return region;
}

static void enter_started(struct region *region)
{
    if (region == NULL)
        return;
    begin_member(region);
    if (omptape_producer_slot != NULL)
        omptape_producer_slot->gomp.started = region;
}

#define STARTED(name, its_loop, ...)                                                                         \
    struct region *region = start_region(runtime, site, function, data, threads, its_loop);                  \
    if (region != NULL)                                                                                      \
        OMPTAPE_GOMP_REAL(runtime, name)(run_member, region, __VA_ARGS__);                                   \
    else                                                                                                     \
        OMPTAPE_GOMP_REAL(runtime, name)(function, data, __VA_ARGS__);                                       \
    enter_started(region)

void omptape_GOMP_parallel_start(void (*function)(void *), void *data, unsigned threads)
{
    ENTER(GOMP_parallel_start, function, data, threads);
    STARTED(GOMP_parallel_start, no_loop, threads);
}

void omptape_GOMP_parallel_sections_start(void (*function)(void *), void *data, unsigned threads,
                                          unsigned count)
{
    ENTER(GOMP_parallel_sections_start, function, data, threads, count);
    STARTED(GOMP_parallel_sections_start, sections_of(count), threads, count);
}

#define STARTED_LOOP(name, form, schedule)                                                                   \
    void omptape_##name(OMPTAPE_GOMP_REGION_PARAMETERS_##form)                                               \
    {                                                                                                        \
        ENTER(name, function, data, OMPTAPE_GOMP_REGION_ARGUMENTS_##form);                                   \
        STARTED(name, omptape_gomp_loop_of(runtime, schedule, first, last, step),                            \
                OMPTAPE_GOMP_REGION_ARGUMENTS_##form);                                                       \
    }
OMPTAPE_GOMP_STARTED_LOOPS(STARTED_LOOP)

void omptape_GOMP_parallel_end(void)
{
    OMPTAPE_GOMP_ENTER(GOMP_parallel_end, );
    struct omptape_slot *slot = omptape_producer_slot;
    struct region *region = slot != NULL ? slot->gomp.started : NULL;
    (void)site;
    if (region != NULL)
        omptape_gomp_begin_final_barrier();
    OMPTAPE_GOMP_REAL(runtime, GOMP_parallel_end)();
    if (region == NULL)
        return;
    end_region(region);
    free(region);
}

/* libgomp executes a host league's teams in turn on the encountering thread: recorded as one team. */
void omptape_GOMP_teams_reg(void (*function)(void *), void *data, unsigned teams, unsigned limit,
                            unsigned flags)
{
    ENTER(GOMP_teams_reg, function, data, teams, limit, flags);
    const int kind = (int)((unsigned)ompt_parallel_league | ompt_parallel_invoker_runtime);
    const void *const place = omptape_gomp_call_site(site, function);
    struct omptape_slot *slot = omptape_gomp_thread(OMPTAPE_PARALLEL_BEGIN);
    const struct omptape_slot_task outside = slot != NULL ? slot->gomp : (struct omptape_slot_task){0};
    ompt_data_t task = {.value = outside.task};
    ompt_data_t league = {.value = 0};
    omptape_on_parallel_begin(&task, NULL, &league, teams > 0 ? teams : 1, kind, place);
    omptape_on_implicit_task(ompt_scope_begin, &league, &task, 1, 0, ompt_task_initial);
    if (slot != NULL)
        slot->gomp = (struct omptape_slot_task){.task = task.value};
    OMPTAPE_GOMP_REAL(runtime, GOMP_teams_reg)(function, data, teams, limit, flags);
    omptape_on_implicit_task(ompt_scope_end, NULL, &task, 0, 0, ompt_task_initial);
    omptape_on_parallel_end(&league, NULL, kind, place);
    slot = omptape_producer_slot;
    if (slot != NULL && outside.task != 0)
        slot->gomp = outside;
}
