/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the wrappers of all functions do: is the call to be recorded, and by which family? Called by the names
 * of src/tool/names.c on any thread.
 */
#include "buffers/futex.h"
#include "callbacks/mpi/calls.h"
#include "callbacks/mpi/clock.h"
#include "callbacks/mpi/handles.h"
#include "callbacks/mpi/mpi.h"
#include "callbacks/mpi/real.h"
#include "callbacks/mpi/sessions.h"
#include "src/core/events.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <omptape/ompt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Where a program calls a function of MPI's, also through the bindings of another language. Called by the
 * wrappers (wrappers.c) on any thread. */

enum { PLACES = 1024, MOST_PROBES = 8, MOST_FRAMES = 32, MOST_UNWOUND = 1 << 14 };

/* Up the stack: above a thread's first frame lies more than that, its own data or the program's environment.
 */
enum { MOST_WORDS = 1 << 8 };

enum { DISTANCE_BITS = 16 };

/* Return address in the binding and, in words, how far up the program's one is. Addresses of code have their
 * upper bits free. */
static _Atomic uint64_t distances[PLACES];

static _Atomic uint64_t known[PLACES]; /* return addresses in the program */

static atomic_uint unwound;

static size_t place_of(uint64_t address, size_t probe)
{
    return ((address ^ address >> 10 ^ address >> 20) + probe) % PLACES;
}

static bool is_known(uint64_t caller)
{
    for (size_t i = 0; i < MOST_PROBES; i++)
        if (atomic_load_explicit(&known[place_of(caller, i)], memory_order_relaxed) == caller)
            return true;
    return false;
}

static void remember(uint64_t caller)
{
    for (size_t i = 0; i < MOST_PROBES; i++) {
        uint64_t free = 0;
        if (atomic_compare_exchange_strong(&known[place_of(caller, i)], &free, caller) || free == caller)
            return;
    }
}

/* A return address as it lies on the stack: aarch64 may have signed it. */
static uint64_t address_in(intptr_t word)
{
    return (uint64_t)word & ((UINT64_C(1) << (64 - DISTANCE_BITS)) - 1);
}

/* 0: not known. */
static size_t distance_of(uint64_t returns)
{
    for (size_t i = 0; i < MOST_PROBES; i++) {
        uint64_t one = atomic_load_explicit(&distances[place_of(returns, i)], memory_order_relaxed);
        if (one >> DISTANCE_BITS == returns)
            return one & ((1U << DISTANCE_BITS) - 1);
    }
    return 0;
}

static void remember_distance(uint64_t returns, size_t words)
{
    const uint64_t one = returns << DISTANCE_BITS | words;
    for (size_t i = 0; i < MOST_PROBES; i++) {
        _Atomic uint64_t *place = &distances[place_of(returns, i)];
        uint64_t before = atomic_load(place);
        if ((before == 0 || before >> DISTANCE_BITS == returns) &&
            atomic_compare_exchange_strong(place, &before, one))
            return;
    }
}

/* Only where somebody else has loaded what unwinds: libc would do it now. */
static bool can_unwind(void)
{
    static atomic_int can; /* 1: no, 2: yes */
    if (atomic_load(&can) == 0) {
        void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
        atomic_store(&can, library != NULL ? 2 : 1);
        if (library != NULL)
            dlclose(library);
    }
    return atomic_load(&can) == 2 && atomic_fetch_add(&unwound, 1) < MOST_UNWOUND;
}

/* The frame below the binding's. 0: there is none. */
static uint64_t unwind(uint64_t returns)
{
    void *frames[MOST_FRAMES];
    const int count = can_unwind() ? backtrace(frames, MOST_FRAMES) : 0;
    int i = 0;
    while (i < count && (uint64_t)(uintptr_t)frames[i] != returns)
        i++;
    while (i < count && omptape_mpi_real_is_binding(frames[i]))
        i++;
    return i < count ? (uint64_t)(uintptr_t)frames[i] : 0;
}

/* `returns` is the return address of the call of our name, and `frame` lies in the frame of that function.
 * The return address in the program's own code; 0: it cannot be told. */
static uint64_t find_caller(uintptr_t returns, const intptr_t *frame)
{
    if (!omptape_mpi_real_is_binding((const void *)returns))
        return returns;
    const size_t distance = distance_of(returns);
    if (distance > 0 && is_known(address_in(frame[distance])))
        return address_in(frame[distance]);
    const uint64_t caller = unwind(returns);
    if (caller == 0)
        return 0;
    /* It is on the stack, since the unwinder found it. Behind a larger frame it is looked for each time. */
    for (size_t i = 1; i < MOST_WORDS; i++) {
        if (address_in(frame[i]) != caller)
            continue;
        remember(caller);
        remember_distance(returns, i);
        break;
    }
    return caller;
}

bool (*omptape_mpi_start_session)(uint64_t *events);

atomic_bool omptape_mpi_was_seen;

/* Is MPI in use: from MPI_Init or the first session on, until an MPI_Finalize at which no session is open. */
static atomic_bool active;
/* What MPI it is, and what is remembered of it, was found by whoever initialised it first, who held this. */
static atomic_bool prepared;
static atomic_flag preparing = ATOMIC_FLAG_INIT;
/* The process of which a thread holds it to start a session of ours; 0: none does. A forked one finds its
 * parent there. */
static _Atomic uint32_t starter;
/* What is recorded of it: enum omptape_mpi_group. Set before that. */
static unsigned groups;
/* Has a value in threads that no OpenMP runtime tells of: who else would tell of their ends? */
static pthread_key_t foreign;

#define ROW(name, function) [OMPTAPE_MPI_FAMILY_##name] = omptape_mpi_##function,
static omptape_mpi_family *const families[] = {OMPTAPE_MPI_FAMILIES(ROW)};

/* A call inside another one is further down the stack; after a longjmp or an exception the other one's frame
 * is gone, and the next call that is not from deeper finds that. */
static bool is_inside(const struct omptape_slot *slot, uintptr_t here)
{
    enum { SAME_STACK_BYTES = 1 << 20 };
    return slot->in_mpi != 0 && !(here >= slot->in_mpi && here - slot->in_mpi < SAME_STACK_BYTES);
}

static void end_foreign_thread(void *value)
{
    (void)value;
    if (omptape_producer_slot == NULL || omptape_producer_slot->shared == NULL)
        return;
    omptape_put(omptape_producer_slot, OMPTAPE_THREAD_END, 0, 0);
    omptape_producer_detach();
}

/* A buffer for a thread that has none, which is given back when the thread ends. */
static struct omptape_slot *attach_foreign_thread(void)
{
    struct omptape_slot *slot = omptape_producer_attach(OMPTAPE_MPI_ENTER, ompt_thread_other);
    if (slot != NULL && pthread_setspecific(foreign, slot) != 0) {
        end_foreign_thread(NULL);
        slot = NULL;
    }
    return slot;
}

/* The slot with which the call is recorded, or kept as the program's, held until end_call; NULL: it is passed
 * on. */
static struct omptape_slot *begin_call(bool recorded)
{
    struct omptape_slot *slot = omptape_producer_slot;
    if (slot == NULL && recorded)
        slot = attach_foreign_thread();
    if (slot == NULL || slot->shared == NULL)
        return NULL;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (is_inside(slot, here))
        return NULL;
    slot->in_mpi = here;
    atomic_signal_fence(memory_order_seq_cst);
    return slot;
}

static void end_call(struct omptape_slot *slot)
{
    atomic_signal_fence(memory_order_seq_cst);
    slot->in_mpi = 0;
}

static unsigned groups_of(uint64_t events)
{
    return OMPTAPE_MPI_GROUP_ALWAYS | (unsigned)((events & OMPTAPE_EVENTS_MPI) >> OMPTAPE_EVENTS_MPI_FIRST);
}

/* A writer may take longer to start than a lock is waited for. Who comes meanwhile is to be recorded as well,
 * and waits as long as a thread of this process is at it, but not for ever. */
static bool lock_for_start(void)
{
    enum { NAPS = 100, NAP_NS = 100000000 };
    const uint32_t own = (uint32_t)getpid();
    bool held = omptape_mpi_lock(&preparing);
    for (unsigned i = 0; i < NAPS && !held && atomic_load(&starter) == own; i++) {
        omptape_futex_wait(&starter, own, NAP_NS);
        held = omptape_mpi_lock(&preparing);
    }
    if (held)
        atomic_store(&starter, own);
    return held;
}

static void unlock_after_start(void)
{
    atomic_store(&starter, 0);
    omptape_mpi_unlock(&preparing);
    omptape_futex_wake(&starter);
}

/* There is a session of ours, in which the first thread that comes here has a buffer: it may use no OpenMP.
 */
static bool find_session(uint64_t *events)
{
    static bool keyed;
    if (!lock_for_start())
        return false;
    const bool there = omptape_mpi_start_session != NULL && omptape_mpi_start_session(events);
    if (there && !keyed) {
        (void)omptape_producer_attach(OMPTAPE_MPI_ENTER, ompt_thread_initial);
        keyed = omptape_producer_slot != NULL && pthread_key_create(&foreign, end_foreign_thread) == 0;
    }
    unlock_after_start();
    return there && keyed;
}

/* By the first that initialised MPI. */
static bool prepare(uint64_t events)
{
    if (!omptape_mpi_lock(&preparing))
        return false;
    bool done = atomic_load(&prepared);
    if (!done) {
        groups = groups_of(events);
        omptape_mpi_polls_each = (groups & OMPTAPE_MPI_GROUP_REST) != 0;
        done = omptape_mpi_interface_find() && omptape_mpi_requests_begin() && omptape_mpi_comms_begin();
        atomic_store(&prepared, done);
    }
    omptape_mpi_unlock(&preparing);
    return done;
}

/* MPI_Init was successful, or the opening of a session. */
static void begin_use(const struct omptape_mpi_call *call, bool world)
{
    if (world) {
        omptape_mpi_note_use(OMPTAPE_MPI_IN_WORLD, 0);
        omptape_mpi_sessions_set_world(true);
        if (omptape_mpi_comms_begin_world(call->slot))
            omptape_mpi_clock_begin();
    } else if (call->a[2] != 0) {
        omptape_mpi_sessions_add(omptape_mpi_handle_at(call->a[2], 0));
        (void)omptape_mpi_comms_begin_set(call->slot);
    }
    atomic_store(&active, true);
}

/* MPI_Init, or MPI_Session_init. Threads may open sessions at a time. */
static int initialize(struct omptape_mpi_call *call, bool world)
{
    atomic_store(&omptape_mpi_was_seen, true);
    const struct omptape_slot *slot = omptape_producer_slot;
    uint64_t events = 0;
    const bool nested = slot != NULL && is_inside(slot, (uintptr_t)__builtin_frame_address(0));
    call->slot = !nested && find_session(&events) ? begin_call(true) : NULL;
    if (call->slot == NULL)
        return omptape_mpi_pass(call);
    call->site = find_caller((uintptr_t)call->a[-1], call->a);
    int result = omptape_mpi_enter_and_pass(call);
    if (result == OMPTAPE_MPI_SUCCESS && prepare(events))
        begin_use(call, world);
    (void)omptape_mpi_leave(call, result);
    end_call(call->slot);
    return result;
}

/* What ends a use of MPI does so, too, on a thread that has no buffer. */
static void enter_if_recorded(struct omptape_mpi_call *call)
{
    call->slot = atomic_load(&active) ? begin_call(true) : NULL;
    if (call->slot == NULL)
        return;
    call->site = find_caller((uintptr_t)call->a[-1], call->a);
    omptape_mpi_enter(call);
}

static int leave_if_recorded(const struct omptape_mpi_call *call, int result)
{
    if (call->slot == NULL)
        return result;
    (void)omptape_mpi_leave(call, result);
    end_call(call->slot);
    return result;
}

/* MPI goes on if there are sessions. */
static void end_world(void)
{
    omptape_mpi_note_use(OMPTAPE_MPI_LEFT, 0);
    omptape_mpi_sessions_set_world(false);
    omptape_mpi_comms_end_world();
    omptape_mpi_sessions_end_use(&active);
    omptape_mpi_clock_end();
}

int omptape_mpi_init(struct omptape_mpi_call *call)
{
    return initialize(call, true);
}

int omptape_mpi_session_init(struct omptape_mpi_call *call)
{
    return initialize(call, false);
}

int omptape_mpi_finalize(struct omptape_mpi_call *call)
{
    if (!atomic_load(&active))
        return omptape_mpi_pass(call);
    enter_if_recorded(call);
    end_world();
    int result = omptape_mpi_pass(call);
    return leave_if_recorded(call, result);
}

/* A session ends, also where that is not recorded: nobody may ask it for anything after that. */
int omptape_mpi_session_end(struct omptape_mpi_call *call)
{
    if (!atomic_load(&prepared) || call->a[0] == 0)
        return omptape_mpi_pass(call);
    const intptr_t handle = omptape_mpi_handle_at(call->a[0], 0);
    enter_if_recorded(call);
    const bool known = omptape_mpi_sessions_remove(handle);
    int result = omptape_mpi_pass(call);
    if (known && result != OMPTAPE_MPI_SUCCESS)
        omptape_mpi_sessions_add(handle);
    return leave_if_recorded(call, result);
}

static int call_of_program(unsigned number, omptape_mpi_address *real, intptr_t *a)
{
    const struct omptape_mpi_function *function = &omptape_mpi_functions[number];
    struct omptape_mpi_call call = {.number = number,
                                    .detail = function->detail,
                                    .count = function->arguments,
                                    .large = function->large,
                                    .real = real,
                                    .a = a};
    if (function->family >= OMPTAPE_MPI_FAMILY_INIT && function->family <= OMPTAPE_MPI_FAMILY_FINALIZE)
        return families[function->family](&call);
    if (!atomic_load_explicit(&active, memory_order_acquire))
        return omptape_mpi_pass(&call);
    const bool recorded = (function->groups & groups) != 0;
    call.slot = begin_call(recorded);
    if (call.slot == NULL)
        return omptape_mpi_pass(&call);
    if (recorded)
        call.site = find_caller((uintptr_t)a[-1], a);
    /* What it calls in itself is not the program's, even if it is not recorded. */
    int result = recorded ? families[function->family](&call) : omptape_mpi_pass(&call);
    end_call(call.slot);
    return result;
}

int omptape_mpi_take_call(unsigned number, const void *caller, intptr_t *a)
{
    omptape_mpi_address *real = omptape_mpi_real_find(number, caller != NULL);
    if (real == NULL)
        return OMPTAPE_MPI_ERR_OTHER;
    if (caller != NULL && !omptape_mpi_real_is_binding(caller))
        return omptape_mpi_real_call(real, omptape_mpi_functions[number].arguments, a);
    return call_of_program(number, real, a);
}
