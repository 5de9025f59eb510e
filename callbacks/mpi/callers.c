/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls through bindings (callers.h). Which frame is the program's is found by unwinding, once for each place
 * of the program. A binding's function has a frame of one size, most of them: so the next time the word at
 * the same distance up the stack is the return address, if it is one that was found before.
 */
#include "callbacks/mpi/callers.h"

#include "callbacks/mpi/real.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

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

uint64_t omptape_mpi_caller(uintptr_t returns, const intptr_t *frame)
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
