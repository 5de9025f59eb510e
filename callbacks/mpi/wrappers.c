/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The common part of all wrappers: decides whether the call is recorded and calls its family. Called by the
 * exported names (src/tool/names.c) on any thread.
 */
#include "buffers/futex.h"
#include "callbacks/mpi/calls.h"
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

/* Finding the program's call site, also for calls through a language binding. */

enum { PLACES = 1024, MAX_PROBES = 8, MAX_FRAMES = 32, MAX_UNWOUND = 1 << 14 };

/* How many words of the stack are searched. There are more than this above a thread's first frame: its own
 * data or the program's environment. */
enum { MAX_WORDS = 1 << 8 };

enum { DISTANCE_BITS = 16 };

/* Return address in the binding, and the distance (words) up the stack to the program's return address. The
 * upper bits of code addresses are free. */
static _Atomic uint64_t distances[PLACES];

static _Atomic uint64_t known[PLACES]; /* Return addresses in the program. */

static atomic_uint unwound;

static size_t place_of(uint64_t address, size_t probe)
{
    return ((address ^ address >> 10 ^ address >> 20) + probe) % PLACES;
}

static bool is_known(uint64_t caller)
{
    for (size_t i = 0; i < MAX_PROBES; i++)
        if (atomic_load_explicit(&known[place_of(caller, i)], memory_order_relaxed) == caller)
            return true;
    return false;
}

static void remember(uint64_t caller)
{
    for (size_t i = 0; i < MAX_PROBES; i++) {
        uint64_t free = 0;
        if (atomic_compare_exchange_strong(&known[place_of(caller, i)], &free, caller) || free == caller)
            return;
    }
}

/* Returns the code address in a word of the stack, which aarch64 may have signed. */
static uint64_t address_in(intptr_t word)
{
    return (uint64_t)word & ((UINT64_C(1) << (64 - DISTANCE_BITS)) - 1);
}

/* Returns the distance for a return address in the binding, or 0 if it is unknown. */
static size_t distance_of(uint64_t returns)
{
    for (size_t i = 0; i < MAX_PROBES; i++) {
        uint64_t one = atomic_load_explicit(&distances[place_of(returns, i)], memory_order_relaxed);
        if (one >> DISTANCE_BITS == returns)
            return one & ((1U << DISTANCE_BITS) - 1);
    }
    return 0;
}

static void remember_distance(uint64_t returns, size_t words)
{
    const uint64_t one = returns << DISTANCE_BITS | words;
    for (size_t i = 0; i < MAX_PROBES; i++) {
        _Atomic uint64_t *place = &distances[place_of(returns, i)];
        uint64_t before = atomic_load(place);
        if ((before == 0 || before >> DISTANCE_BITS == returns) &&
            atomic_compare_exchange_strong(place, &before, one))
            return;
    }
}

/* Returns true if stacks can be unwound. The unwinder must be loaded already: backtrace() would load it. */
static bool can_unwind(void)
{
    static atomic_int can; /* 0: not determined; 1: no; 2: yes. */
    if (atomic_load(&can) == 0) {
        void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
        atomic_store(&can, library != NULL ? 2 : 1);
        if (library != NULL)
            dlclose(library);
    }
    return atomic_load(&can) == 2 && atomic_fetch_add(&unwound, 1) < MAX_UNWOUND;
}

/* Returns the first return address outside the binding, by unwinding, or 0 if there is none. */
static uint64_t unwind(uint64_t returns)
{
    void *frames[MAX_FRAMES];
    const int count = can_unwind() ? backtrace(frames, MAX_FRAMES) : 0;
    int i = 0;
    while (i < count && (uint64_t)(uintptr_t)frames[i] != returns)
        i++;
    while (i < count && omptape_mpi_real_is_binding(frames[i]))
        i++;
    return i < count ? (uint64_t)(uintptr_t)frames[i] : 0;
}

/* Returns the return address in the program's own code, or 0 if it is unknown. `returns` is the wrapper's
 * return address, `frame` an address in its frame. */
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
    /* The address is on the stack, says the unwinder. Behind a larger frame it is unwound each time. */
    for (size_t i = 1; i < MAX_WORDS; i++) {
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

/* True while MPI is in use: from MPI_Init or the first session until MPI_Finalize without open sessions. */
static atomic_bool active;
/* True when the first thread that initialised MPI knows the implementation and has made the tables. */
static atomic_bool prepared;
static atomic_flag preparing = ATOMIC_FLAG_INIT;
/* Process that holds `preparing` to start a session, or 0. A forked child finds its parent's id. */
static _Atomic uint32_t starter;
/* The recorded groups of functions (enum omptape_mpi_group). Set before `active`. */
static unsigned groups;
/* Has a value in threads that no OpenMP runtime reports. Its destructor records their ends. */
static pthread_key_t foreign;

#define ROW(name, function) [OMPTAPE_MPI_FAMILY_##name] = omptape_mpi_##function,
static omptape_mpi_family *const families[] = {OMPTAPE_MPI_FAMILIES(ROW)};

/* Returns true if the call is made inside another MPI call of this thread: its frame is further down the
 * stack. A longjmp or exception removes the other frame, which the next call that is not deeper detects. */
static bool is_inside(const struct omptape_slot *slot, uintptr_t here)
{
    enum { SAME_STACK_BYTES = 1 << 20 };
    return slot->mpi_frame != 0 && !(here >= slot->mpi_frame && here - slot->mpi_frame < SAME_STACK_BYTES);
}

static void end_foreign_thread(void *value)
{
    (void)value;
    if (omptape_producer_slot == NULL || omptape_producer_slot->shared == NULL)
        return;
    omptape_put(omptape_producer_slot, OMPTAPE_THREAD_END, 0, 0);
    omptape_producer_detach();
}

/* Attaches a thread without a slot. The slot is released when the thread ends. */
static struct omptape_slot *attach_foreign_thread(void)
{
    struct omptape_slot *slot = omptape_producer_attach(OMPTAPE_MPI_ENTER, ompt_thread_other);
    if (slot != NULL && pthread_setspecific(foreign, slot) != 0) {
        end_foreign_thread(NULL);
        slot = NULL;
    }
    return slot;
}

/* Returns the slot, and marks the thread as in MPI until end_call(); NULL if the call is only passed on. */
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
    slot->mpi_frame = here;
    atomic_signal_fence(memory_order_seq_cst);
    return slot;
}

static void end_call(struct omptape_slot *slot)
{
    atomic_signal_fence(memory_order_seq_cst);
    slot->mpi_frame = 0;
}

/* Acquires `preparing` for the start of a session, which may take longer than locks are waited for. Threads
 * that arrive meanwhile must be recorded, too. So they wait while a thread of this process starts it, for ten
 * seconds at most. */
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

/* Starts the tracing session. The first thread here gets a slot as initial thread, as OpenMP may be
 * unused. */
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

/* Determines the MPI implementation and allocates the tables. Only the first call does this. */
static bool prepare(uint64_t events)
{
    if (!omptape_mpi_lock(&preparing))
        return false;
    bool done = atomic_load(&prepared);
    if (!done) {
        groups =
            OMPTAPE_MPI_GROUP_ALWAYS | (unsigned)((events & OMPTAPE_EVENTS_MPI) >> OMPTAPE_EVENTS_MPI_FIRST);
        omptape_mpi_polls_each = (groups & OMPTAPE_MPI_GROUP_REST) != 0;
        done = omptape_mpi_interface_find() && omptape_mpi_requests_alloc() && omptape_mpi_comms_alloc();
        atomic_store(&prepared, done);
    }
    omptape_mpi_unlock(&preparing);
    return done;
}

/* Notes that MPI_Init or the opening of a session was successful. */
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

/* Handles MPI_Init and MPI_Session_init. Several threads may open sessions at the same time. */
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

/* Records the begin of a call that ends a use of MPI. The use also ends if the thread has no slot. */
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

/* MPI remains in use if sessions are open. */
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

/* Handles the end of a session, even if it is not recorded: no function may use the session afterwards. */
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

static int call_of_program(unsigned number, enum omptape_mpi_family family, omptape_mpi_address *real,
                           unsigned count, intptr_t *a)
{
    const struct omptape_mpi_function *function = &omptape_mpi_functions[number];
    struct omptape_mpi_call call = {.number = number,
                                    .detail = function->detail,
                                    .count = count,
                                    .large = function->large,
                                    .real = real,
                                    .a = a};
    if (family >= OMPTAPE_MPI_FAMILY_INIT && family <= OMPTAPE_MPI_FAMILY_FINALIZE)
        return families[family](&call);
    if (!atomic_load_explicit(&active, memory_order_acquire))
        return omptape_mpi_pass(&call);
    const bool recorded = (function->groups & groups) != 0;
    call.slot = begin_call(recorded);
    if (call.slot == NULL)
        return omptape_mpi_pass(&call);
    if (recorded)
        call.site = find_caller((uintptr_t)a[-1], a);
    /* MPI's own calls inside this call are not the program's, even if this call is not recorded. */
    int result = recorded ? families[family](&call) : omptape_mpi_pass(&call);
    end_call(call.slot);
    return result;
}

int omptape_mpi_handle_call(unsigned number, const void *caller, intptr_t *a)
{
    const struct omptape_mpi_function *function = &omptape_mpi_functions[number];
    omptape_mpi_address *real =
        omptape_mpi_real_find(number, caller != NULL ? OMPTAPE_MPI_NAMED_PROFILING : OMPTAPE_MPI_NAMED_C);
    if (real == NULL)
        return OMPTAPE_MPI_ERR_OTHER;
    if (caller != NULL && !omptape_mpi_real_is_binding(caller))
        return omptape_mpi_real_call(real, function->arguments, a);
    return call_of_program(number, function->family, real, function->arguments, a);
}

/* Returns true if the binding handles the call itself. Of functions that complete requests these are calls
 * without a request, whose number is the first argument. */
static bool is_shortcut(unsigned number, const intptr_t *a)
{
    return omptape_mpi_functions[number].family != OMPTAPE_MPI_FAMILY_COMPLETE ||
           (a[0] != 0 && *(const int *)a[0] == 0);
}

void omptape_mpi_handle_fortran(unsigned number, bool f08, intptr_t *a)
{
    enum { FEW = 6 }; /* arguments, the error code included */
    omptape_mpi_address *real =
        omptape_mpi_real_find(number, f08 ? OMPTAPE_MPI_NAMED_F08 : OMPTAPE_MPI_NAMED_FORTRAN);
    const unsigned last = omptape_mpi_functions[number].arguments; /* C's functions return the error code */
    if (real == NULL && a[last] != 0)
        *(int *)a[last] = OMPTAPE_MPI_ERR_OTHER;
    if (real == NULL)
        return;
    if (is_shortcut(number, a))
        (void)call_of_program(number, OMPTAPE_MPI_FAMILY_REGION, real, FEW, a);
    else
        (void)omptape_mpi_real_call(real, FEW, a);
}
