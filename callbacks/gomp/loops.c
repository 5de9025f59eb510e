/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wrappers for work-sharing: loops and their chunks, sections, single, and the waiting in ordered(n)
 * loops. A program of gcc calls libgomp at the start of a loop, for each chunk and at the end. It makes no
 * call for most static loops, unless it is gcc 17 or newer with -fopenmp-ompt.
 */
#include "callbacks/gomp/record.h"

#include <stdarg.h>

enum { SCHEDULE_MASK = 0x7 };

static unsigned type_of(struct omptape_gomp_runtime *runtime, long schedule)
{
    int kind = (int)(schedule & SCHEDULE_MASK);
    int chunk;
    if (kind == OMPTAPE_GOMP_RUNTIME) {
        OMPTAPE_GOMP_REAL(runtime, omp_get_schedule)(&kind, &chunk);
        kind &= SCHEDULE_MASK;
    }
    switch (kind) {
    case OMPTAPE_GOMP_DYNAMIC:
        return OMPTAPE_WORK_LOOP_DYNAMIC;
    case OMPTAPE_GOMP_GUIDED:
        return OMPTAPE_WORK_LOOP_GUIDED;
    default:
        return OMPTAPE_WORK_LOOP_STATIC;
    }
}

static struct omptape_gomp_loop describe(struct omptape_gomp_runtime *runtime, long schedule, bool up,
                                         bool runs, uint64_t first, uint64_t last, uint64_t step)
{
    const uint64_t size = up ? step : -step;
    return (struct omptape_gomp_loop){
        .type = type_of(runtime, schedule),
        .count = runs ? omptape_gomp_count(up ? last - first : first - last, size) : 0,
        .step = size,
        .counts_down = !up};
}

struct omptape_gomp_loop omptape_gomp_loop_of(struct omptape_gomp_runtime *runtime, long schedule, long first,
                                              long last, long step)
{
    return describe(runtime, schedule, step >= 0, step < 0 ? first > last : first < last, (uint64_t)first,
                    (uint64_t)last, (uint64_t)step);
}

static struct omptape_gomp_loop ull_loop_of(struct omptape_gomp_runtime *runtime, long schedule, bool up,
                                            uint64_t first, uint64_t last, uint64_t step)
{
    return describe(runtime, schedule, up, up ? first < last : first > last, first, last, step);
}

/* Notes how many nested loops an ordered(n) loop has. Only the outermost loop is shared among the threads. */
static void note_dimensions(struct omptape_slot *slot, unsigned dimensions)
{
    if (slot != NULL)
        slot->gomp.dimensions = dimensions;
}

void omptape_gomp_begin_work(struct omptape_slot *slot, unsigned type, uint64_t count, const void *site)
{
    omptape_gomp_end_work(slot);
    if (slot == NULL || !OMPTAPE_GOMP_WANTS(work))
        return;
    omptape_on_work((ompt_work_t)type, ompt_scope_begin, NULL, NULL, count, site);
    slot->gomp.work = (uint16_t)type;
}

void omptape_gomp_begin_loop(struct omptape_slot *slot, const struct omptape_gomp_loop *loop,
                             const void *site)
{
    omptape_gomp_begin_work(slot, loop->type, loop->count, site);
    if (slot == NULL)
        return;
    slot->gomp.step = loop->step;
    slot->gomp.counts_down = loop->counts_down;
}

/* Records the chunk that the thread has received, or ends the loop if there is none left. */
static inline void put_chunk(struct omptape_slot *slot, bool more, uint64_t start, uint64_t end)
{
    if (!more) {
        omptape_gomp_end_work(slot);
        return;
    }
    if (slot == NULL || !OMPTAPE_GOMP_WANTS(dispatch))
        return;
    struct omptape_dispatch_chunk chunk = {
        .start = start,
        .iterations =
            omptape_gomp_count(slot->gomp.counts_down ? start - end : end - start, slot->gomp.step)};
    omptape_on_dispatch(NULL, NULL, (ompt_dispatch_t)OMPTAPE_DISPATCH_WS_LOOP_CHUNK,
                        (ompt_data_t){.ptr = &chunk});
}

/* The description of a loop by the arguments of its start. */
#define LOOP_OF_LONG(schedule) omptape_gomp_loop_of(runtime, schedule, first, last, step)
#define LOOP_OF_ULL(schedule) ull_loop_of(runtime, schedule, up, first, last, step)
#define LOOP_OF_DOACROSS(schedule)                                                                           \
    (note_dimensions(slot, dimensions), omptape_gomp_loop_of(runtime, schedule, 0, counts[0], 1))
#define LOOP_OF_ULL_DOACROSS(schedule)                                                                       \
    (note_dimensions(slot, dimensions), ull_loop_of(runtime, schedule, true, 0, counts[0], 1))

/* `start` is NULL if the compiled code distributes the iterations itself. */
#define START(name, kind, form, its_schedule)                                                                \
    bool omptape_##name(OMPTAPE_GOMP_LOOP_PARAMETERS(kind, form))                                            \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_RESULT(name, OMPTAPE_GOMP_LOOP_ARGUMENTS(kind, form));                            \
        struct omptape_slot *const slot = omptape_gomp_thread(OMPTAPE_WORK);                                 \
        const struct omptape_gomp_loop described = LOOP_OF_##kind(its_schedule);                             \
        omptape_gomp_begin_loop(slot, &described, site);                                                     \
        const bool more = OMPTAPE_GOMP_REAL(runtime, name)(OMPTAPE_GOMP_LOOP_ARGUMENTS(kind, form));         \
        if (start != NULL)                                                                                   \
            put_chunk(omptape_producer_slot, more, (uint64_t)*start, (uint64_t)*end);                        \
        return more;                                                                                         \
    }
OMPTAPE_GOMP_LOOPS(START)

/* Returns the time if the duration of this call is to be measured, else 0. One call in 64 is measured. */
static inline uint64_t begin_taking(struct omptape_slot *slot)
{
    enum { CHUNKS_A_TIMING = 64 };
    return slot != NULL && slot->gomp.chunks++ % CHUNKS_A_TIMING == 0 ? omptape_clock_now_in_order() : 0;
}

#define NEXT(name, type)                                                                                     \
    bool omptape_##name(type *start, type *end)                                                              \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_RESULT(name, start, end);                                                         \
        const uint64_t since = begin_taking(omptape_producer_slot);                                          \
        const bool more = OMPTAPE_GOMP_REAL(runtime, name)(start, end);                                      \
        if (since > 0)                                                                                       \
            omptape_producer_time_chunk(omptape_producer_slot, since);                                       \
        put_chunk(omptape_producer_slot, more, (uint64_t)*start, (uint64_t)*end);                            \
        return more;                                                                                         \
    }
OMPTAPE_GOMP_NEXTS(NEXT)

#define NOWAIT(name, unused)                                                                                 \
    void omptape_##name(void)                                                                                \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER(name, );                                                                          \
        OMPTAPE_GOMP_REAL(runtime, name)();                                                                  \
        omptape_gomp_end_work(omptape_producer_slot);                                                        \
    }
OMPTAPE_GOMP_NOWAITS(NOWAIT)

/* Static loops of programs from gcc 17 or newer (-fopenmp-ompt). The start returns team size and thread
 * number as a complex number of two ints, which both ABIs return as one word. Chunks are reported only with
 * -fopenmp-ompt=extended. */
#define STATIC_LOOP(name, type, kind)                                                                        \
    uint64_t omptape_##name##_start(unsigned long long count)                                                \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_RESULT(name##_start, count);                                                      \
        omptape_gomp_begin_work(omptape_gomp_thread(OMPTAPE_WORK), type, count, site);                       \
        return OMPTAPE_GOMP_REAL(runtime, name##_start)(count);                                              \
    }                                                                                                        \
    void omptape_##name##_dispatch(unsigned long long start, unsigned long long count)                       \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER(name##_dispatch, start, count);                                                   \
        struct omptape_dispatch_chunk chunk = {.start = start, .iterations = count};                         \
        (void)site;                                                                                          \
        OMPTAPE_GOMP_REAL(runtime, name##_dispatch)(start, count);                                           \
        if (omptape_producer_slot != NULL && OMPTAPE_GOMP_WANTS(dispatch))                                   \
            omptape_on_dispatch(NULL, NULL, (ompt_dispatch_t)(kind), (ompt_data_t){.ptr = &chunk});          \
    }
STATIC_LOOP(GOMP_loop_static_worksharing, OMPTAPE_WORK_LOOP_STATIC, OMPTAPE_DISPATCH_WS_LOOP_CHUNK)
STATIC_LOOP(GOMP_distribute_static_worksharing, ompt_work_distribute, OMPTAPE_DISPATCH_DISTRIBUTE_CHUNK)

static unsigned put_section(unsigned section)
{
    if (section == 0)
        omptape_gomp_end_work(omptape_producer_slot);
    else if (OMPTAPE_GOMP_WANTS(dispatch))
        omptape_on_dispatch(NULL, NULL, ompt_dispatch_section, (ompt_data_t){.value = section});
    return section;
}

unsigned omptape_GOMP_sections_start(unsigned count)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_sections_start, count);
    omptape_gomp_begin_work(omptape_gomp_thread(OMPTAPE_WORK), ompt_work_sections, count, site);
    return put_section(OMPTAPE_GOMP_REAL(runtime, GOMP_sections_start)(count));
}

unsigned omptape_GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_sections2_start, count, reductions, memory);
    omptape_gomp_begin_work(omptape_gomp_thread(OMPTAPE_WORK), ompt_work_sections, count, site);
    return put_section(OMPTAPE_GOMP_REAL(runtime, GOMP_sections2_start)(count, reductions, memory));
}

unsigned omptape_GOMP_sections_next(void)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_sections_next, );
    return put_section(OMPTAPE_GOMP_REAL(runtime, GOMP_sections_next)());
}

static void begin_single(bool executes, const void *site)
{
    struct omptape_slot *slot = omptape_gomp_thread(OMPTAPE_WORK);
    omptape_gomp_begin_work(slot, executes ? ompt_work_single_executor : ompt_work_single_other, 1, site);
    if (!executes)
        omptape_gomp_end_work(slot);
}

bool omptape_GOMP_single_start(void)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_single_start, );
    const bool executes = OMPTAPE_GOMP_REAL(runtime, GOMP_single_start)();
    begin_single(executes, site);
    return executes;
}

bool omptape_GOMP_single_start_with_end(void)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_single_start_with_end, );
    const bool executes = OMPTAPE_GOMP_REAL(runtime, GOMP_single_start_with_end)();
    begin_single(executes, site);
    return executes;
}

bool omptape_GOMP_has_masked_thread_num_with_end(int filter)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_has_masked_thread_num_with_end, filter);
    const bool executes = OMPTAPE_GOMP_REAL(runtime, GOMP_has_masked_thread_num_with_end)(filter);
    if (executes && omptape_gomp_thread(OMPTAPE_MASKED) != NULL && OMPTAPE_GOMP_WANTS(masked))
        omptape_on_masked(ompt_scope_begin, NULL, NULL, site);
    return executes;
}

void omptape_GOMP_masked_end(void)
{
    OMPTAPE_GOMP_ENTER(GOMP_masked_end, );
    OMPTAPE_GOMP_REAL(runtime, GOMP_masked_end)();
    if (omptape_producer_slot != NULL && OMPTAPE_GOMP_WANTS(masked))
        omptape_on_masked(ompt_scope_end, NULL, NULL, site);
}

/* A thread that does not execute the block waits in this call for the copied data. Only the result shows
 * which thread executes the block. */
void *omptape_GOMP_single_copy_start(void)
{
    OMPTAPE_GOMP_ENTER_RESULT(GOMP_single_copy_start, );
    void *copied = OMPTAPE_GOMP_REAL(runtime, GOMP_single_copy_start)();
    begin_single(copied == NULL, site);
    if (copied == NULL)
        return NULL;
    omptape_gomp_begin_sync(ompt_sync_region_barrier_implementation, site);
    omptape_gomp_end_sync(ompt_sync_region_barrier_implementation);
    return copied;
}

void omptape_GOMP_single_copy_end(void *data)
{
    OMPTAPE_GOMP_ENTER(GOMP_single_copy_end, data);
    omptape_gomp_end_work(omptape_producer_slot);
    omptape_gomp_begin_sync(ompt_sync_region_barrier_implementation, site);
    omptape_gomp_begin_wait(ompt_sync_region_barrier_implementation, site);
    OMPTAPE_GOMP_REAL(runtime, GOMP_single_copy_end)(data);
    omptape_gomp_end_wait(ompt_sync_region_barrier_implementation);
    omptape_gomp_end_sync(ompt_sync_region_barrier_implementation);
}

/* An upper limit for n in ordered(n); real loops have far fewer dimensions. */
enum { MAX_DIMENSIONS = 64, FEW_DIMENSIONS = 6 };

static unsigned dimensions_of_loop(void)
{
    const struct omptape_slot *slot = omptape_producer_slot;
    const unsigned dimensions = slot != NULL ? slot->gomp.dimensions : 0;
    return dimensions < MAX_DIMENSIONS ? dimensions : MAX_DIMENSIONS;
}

static void put_iteration(const uint64_t *iteration, unsigned dimensions, ompt_dependence_type_t type)
{
    const struct omptape_slot *slot = omptape_producer_slot;
    ompt_dependence_t list[MAX_DIMENSIONS];
    if (slot == NULL || dimensions == 0 || !OMPTAPE_GOMP_WANTS(dependences))
        return;
    ompt_data_t task = {.value = slot->gomp.task};
    for (unsigned i = 0; i < dimensions; i++) {
        list[i].variable.value = iteration[i];
        list[i].dependence_type = type;
    }
    omptape_on_dependences(&task, list, (int)dimensions);
}

#define POST(name, type)                                                                                     \
    void omptape_##name(type *counts)                                                                        \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER(name, counts);                                                                    \
        uint64_t iteration[MAX_DIMENSIONS];                                                                  \
        const unsigned dimensions = dimensions_of_loop();                                                    \
        for (unsigned i = 0; i < dimensions; i++)                                                            \
            iteration[i] = (uint64_t)counts[i];                                                              \
        (void)site;                                                                                          \
        OMPTAPE_GOMP_REAL(runtime, name)(counts);                                                            \
        put_iteration(iteration, dimensions, ompt_dependence_type_source);                                   \
    }
POST(GOMP_doacross_post, long)
POST(GOMP_doacross_ull_post, unsigned long long)

/* Passes on at least as many arguments as the loop has dimensions. Superfluous arguments do no harm. */
#define TEN(x, i)                                                                                            \
    x[i], x[i + 1], x[i + 2], x[i + 3], x[i + 4], x[i + 5], x[i + 6], x[i + 7], x[i + 8], x[i + 9]
#define WAIT(name, type)                                                                                     \
    void omptape_##name(type first, ...)                                                                     \
    {                                                                                                        \
        OMPTAPE_GOMP_FIND(name);                                                                             \
        (void)site;                                                                                          \
        const unsigned known = dimensions_of_loop();                                                         \
        const unsigned dimensions = known > 0 ? known : MAX_DIMENSIONS;                                      \
        const unsigned passed = dimensions <= FEW_DIMENSIONS ? FEW_DIMENSIONS : MAX_DIMENSIONS;              \
        type x[MAX_DIMENSIONS];                                                                              \
        uint64_t iteration[MAX_DIMENSIONS];                                                                  \
        va_list list;                                                                                        \
        va_start(list, first);                                                                               \
        for (unsigned i = 0; i < passed; i++) {                                                              \
            x[i] = i == 0 ? first : i < dimensions ? va_arg(list, type) : 0;                                 \
            iteration[i] = (uint64_t)x[i];                                                                   \
        }                                                                                                    \
        va_end(list);                                                                                        \
        if (dimensions <= FEW_DIMENSIONS)                                                                    \
            OMPTAPE_GOMP_REAL(runtime, name)(x[0], x[1], x[2], x[3], x[4], x[5]);                            \
        else                                                                                                 \
            OMPTAPE_GOMP_REAL(runtime, name)                                                                 \
        (TEN(x, 0), TEN(x, 10), TEN(x, 20), TEN(x, 30), TEN(x, 40), TEN(x, 50), x[60], x[61], x[62], x[63]); \
        if (runtime->is_traced)                                                                              \
            put_iteration(iteration, known, ompt_dependence_type_sink);                                      \
    }
WAIT(GOMP_doacross_wait, long)
WAIT(GOMP_doacross_ull_wait, unsigned long long)
