/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records the threads that use libgomp, and their implicit tasks. The runtime does not report threads: a
 * thread begins with its first call or its first region. A worker's implicit task ends when the worker is
 * needed again. Between the end of the region's function and that time it is in the team's barrier. The
 * writer clips this barrier, as with LLVM's workers.
 *
 * libgomp ends the workers that a smaller team does not need, and creates others for the next larger team.
 * This can happen millions of times. So a later worker reuses the slot of an ended worker. The archive then
 * has about as many timelines as there are threads at a time. The earlier worker must have ended before the
 * later worker's team was forked. The reason: from the begin of a team the writer waits for the first records
 * of its members, and their slots must contain nothing else.
 */
#include "buffers/signal_samples.h"
#include "callbacks/gomp/record.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t omptape_gomp_events;

static pthread_key_t ends;
/* Slots of workers that have ended, in the order of their ends. */
static struct omptape_slot *free_slots;
static struct omptape_slot **last_link = &free_slots;
static _Atomic uint64_t ended_workers;
static atomic_flag slots_lock = ATOMIC_FLAG_INIT;

void omptape_gomp_forget_threads(void)
{
    free_slots = NULL;
    last_link = &free_slots;
    omptape_gomp_unlock(&slots_lock);
}

static void free_worker_slot(struct omptape_slot *slot)
{
    omptape_producer_end_records();
    omptape_producer_slot = NULL;
    omptape_signal_samples_end_thread(slot);
    omptape_gomp_lock(&slots_lock);
    slot->ended = atomic_fetch_add(&ended_workers, 1) + 1;
    slot->next = NULL;
    *last_link = slot;
    last_link = &slot->next;
    omptape_gomp_unlock(&slots_lock);
}

/* Removes and returns the slot of one of the first `ended` workers that ended, or NULL if there is none. */
static struct omptape_slot *remove_free_slot(uint64_t ended)
{
    struct omptape_slot *slot = free_slots;
    if (slot == NULL || slot->ended > ended)
        return NULL;
    free_slots = slot->next;
    if (free_slots == NULL)
        last_link = &free_slots;
    return slot;
}

static struct omptape_slot *reuse_worker_slot(uint64_t ended)
{
    omptape_gomp_lock(&slots_lock);
    struct omptape_slot *slot = remove_free_slot(ended);
    omptape_gomp_unlock(&slots_lock);
    if (slot == NULL)
        return NULL;
    omptape_producer_slot = slot;
    slot->place_recorded = 0;
    slot->gomp = (struct omptape_slot_task){0};
    omptape_put(slot, OMPTAPE_THREAD_BEGIN, ompt_thread_worker, (uint32_t)syscall(SYS_gettid));
    omptape_signal_samples_begin_thread(slot);
    return slot;
}

/* Destructor of the thread-specific key: records the end of a thread, because libgomp does not report it. */
static void end_thread(void *unused)
{
    struct omptape_slot *slot = omptape_producer_slot;
    (void)unused;
    if (slot == NULL)
        return;
    omptape_gomp_end_member(slot);
    if (slot->is_shared) {
        free_worker_slot(slot);
        return;
    }
    omptape_put(slot, OMPTAPE_THREAD_END, 0, 0);
    omptape_producer_detach();
}

uint64_t omptape_gomp_count_ended(void)
{
    return atomic_load(&ended_workers);
}

int omptape_gomp_watch_threads(void)
{
    return -pthread_key_create(&ends, end_thread);
}

/* Gives the calling thread a slot and registers its end. The end of a thread that already has a slot is
 * recorded by others. `ended`, for a worker: how many workers had ended when its region was forked. */
static struct omptape_slot *attach(enum omptape_kind kind, ompt_thread_t type, uint64_t ended)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot != NULL)
        return slot;
    slot = type == ompt_thread_worker ? reuse_worker_slot(ended) : NULL;
    if (slot == NULL)
        slot = omptape_producer_attach(kind, type);
    if (slot == NULL)
        return NULL;
    slot->is_shared = type == ompt_thread_worker;
    (void)pthread_setspecific(ends, slot);
    return slot;
}

struct omptape_slot *omptape_gomp_begin_thread(enum omptape_kind kind)
{
    struct omptape_slot *slot = attach(kind, ompt_thread_initial, 0);
    if (slot == NULL || slot->gomp.task != 0)
        return slot;
    const uint64_t id = omptape_producer_id(slot);
    slot->gomp.task = id | OMPTAPE_ID_IMPLICIT;
    omptape_put2(slot, OMPTAPE_IMPLICIT_BEGIN, omptape_fold_flags(ompt_task_initial), 1, id, 1);
    return slot;
}

/* Programs may call these functions before all others to start the session (docs/using.md). Other runtimes
 * also start with any such call. */
#define QUERY(name)                                                                                          \
    int omptape_##name(void)                                                                                 \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_RESULT(name, );                                                                   \
        (void)site;                                                                                          \
        (void)omptape_gomp_thread(OMPTAPE_IMPLICIT_BEGIN);                                                   \
        return OMPTAPE_GOMP_REAL(runtime, name)();                                                           \
    }
QUERY(omp_get_max_threads)
QUERY(omp_get_max_threads_)

/* Handles the call here, because libgomp has no tool interface and mostly lacks the function. */
static int control_tool(int command, int modifier, void *argument, const void *site)
{
    (void)omptape_gomp_thread(OMPTAPE_CONTROL_TOOL);
    return omptape_on_control_tool((uint64_t)command, (uint64_t)modifier, argument, site);
}

/* The result of omp_control_tool if there is no tool (OpenMP 5.2 section 18.14). */
enum { CONTROL_NO_TOOL = -2 };

/* Returns the function of a runtime whose calls are not recorded, or 0 if it has none. LLVM's runtime is
 * initialised first: before the first parallel region it would answer that there is no tool. */
static uintptr_t find_control_tool(struct omptape_gomp_runtime *runtime, enum omptape_gomp_number number)
{
    static atomic_bool asked;
    uintptr_t real = atomic_load_explicit(&runtime->functions[number], memory_order_relaxed);
    if (real == 0)
        real = omptape_gomp_find_function(runtime, number);
    /* Only once: a signal handler may have interrupted the runtime. */
    if (real != 0 && omptape_workers() == 0 && !atomic_exchange(&asked, true))
        (void)OMPTAPE_GOMP_REAL(runtime, omp_get_max_threads)();
    return real;
}

int omptape_omp_control_tool(int command, int modifier, void *argument)
{
    const void *const site = __builtin_return_address(0);
    struct omptape_gomp_runtime *const runtime =
        omptape_gomp_runtime_of(site, OMPTAPE_CALL_omp_get_thread_num);
    if (!runtime->is_traced) {
        omptape_type_omp_control_tool *const real =
            (omptape_type_omp_control_tool *)find_control_tool(runtime, OMPTAPE_CALL_omp_control_tool);
        return real != NULL ? real(command, modifier, argument) : CONTROL_NO_TOOL;
    }
    return control_tool(command, modifier, argument, site);
}

int omptape_omp_control_tool_(const int *command, const int *modifier)
{
    const void *const site = __builtin_return_address(0);
    struct omptape_gomp_runtime *const runtime =
        omptape_gomp_runtime_of(site, OMPTAPE_CALL_omp_get_thread_num);
    if (!runtime->is_traced) {
        omptape_type_omp_control_tool_ *const real =
            (omptape_type_omp_control_tool_ *)find_control_tool(runtime, OMPTAPE_CALL_omp_control_tool_);
        return real != NULL ? real(command, modifier) : CONTROL_NO_TOOL;
    }
    return control_tool(*command, *modifier, NULL, site);
}

void omptape_gomp_begin_member(uint64_t region, uint64_t ended, unsigned number, unsigned size)
{
    struct omptape_slot *slot = attach(OMPTAPE_IMPLICIT_BEGIN, ompt_thread_worker, ended);
    ompt_data_t parallel = {.value = region};
    ompt_data_t task = {.value = 0};
    if (slot == NULL)
        return;
    omptape_gomp_end_member(slot);
    omptape_on_implicit_task(ompt_scope_begin, &parallel, &task, size, number, ompt_task_implicit);
    slot->gomp = (struct omptape_slot_task){.task = task.value,
                                            .region = task.value & ~OMPTAPE_ID_IMPLICIT,
                                            .number = (uint16_t)number,
                                            .is_single = size == 1};
}

void omptape_gomp_begin_final_barrier(void)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot == NULL)
        return;
    omptape_gomp_end_work(slot);
    slot->gomp.ending = slot->gomp.is_single ? OMPTAPE_GOMP_ENDS_SINGLE : OMPTAPE_GOMP_ENDS;
    if (slot->gomp.is_single)
        return;
    omptape_gomp_begin_sync(ompt_sync_region_barrier_implicit_parallel, NULL);
    omptape_gomp_begin_wait(ompt_sync_region_barrier_implicit_parallel, NULL);
}

void omptape_gomp_end_member(struct omptape_slot *slot)
{
    ompt_data_t task = {.value = slot->gomp.task};
    if (slot->gomp.ending == OMPTAPE_GOMP_RUNS)
        return;
    if (slot->gomp.ending == OMPTAPE_GOMP_ENDS) {
        omptape_gomp_end_wait(ompt_sync_region_barrier_implicit_parallel);
        omptape_gomp_end_sync(ompt_sync_region_barrier_implicit_parallel);
    }
    slot->gomp.ending = OMPTAPE_GOMP_RUNS;
    omptape_on_implicit_task(ompt_scope_end, NULL, &task, 0, slot->gomp.number, ompt_task_implicit);
}

bool omptape_gomp_is_in_region(void)
{
    return omptape_producer_slot != NULL && omptape_producer_slot->gomp.region != 0;
}
