/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wrappers for mutual exclusion: critical, atomic, ordered, locks and nest locks.
 */
#include "callbacks/gomp/record.h"

/* These write the records of callbacks/mutex.c inline, as a lock costs a dozen instructions. */
static inline void put_acquire(ompt_mutex_t kind, uint64_t id, const void *site)
{
    struct omptape_slot *slot = omptape_gomp_thread(OMPTAPE_MUTEX_ACQUIRE);
    if (OMPTAPE_GOMP_WANTS(mutex_acquire))
        omptape_put2(slot, OMPTAPE_MUTEX_ACQUIRE, (unsigned)kind, 0, id, omptape_address(site));
}
static inline void put_acquired(ompt_mutex_t kind, uint64_t id, const void *site)
{
    if (OMPTAPE_GOMP_WANTS(mutex_acquired))
        omptape_put2(omptape_producer_slot, OMPTAPE_MUTEX_ACQUIRED, (unsigned)kind, 0, id,
                     omptape_address(site));
}
static inline void put_released(ompt_mutex_t kind, uint64_t id, const void *site)
{
    if (OMPTAPE_GOMP_WANTS(mutex_released))
        omptape_put2(omptape_producer_slot, OMPTAPE_MUTEX_RELEASED, (unsigned)kind, 0, id,
                     omptape_address(site));
}

/* Returns the identity of a mutex without a name. The library has one lock for all unnamed criticals and one
 * for all atomics; an ordered belongs to its team. */
static inline uint64_t id_of(const struct omptape_gomp_runtime *runtime, ompt_mutex_t kind)
{
    const struct omptape_slot *slot = omptape_producer_slot;
    if (kind == ompt_mutex_ordered)
        return slot != NULL ? slot->gomp.region : 0;
    return (uint64_t)(uintptr_t)runtime + (kind == ompt_mutex_atomic);
}

#define ACQUIRE(name, kind)                                                                                  \
    void omptape_##name(void)                                                                                \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER(name, );                                                                          \
        const uint64_t id = id_of(runtime, ompt_mutex_##kind);                                               \
        put_acquire(ompt_mutex_##kind, id, site);                                                            \
        OMPTAPE_GOMP_REAL(runtime, name)();                                                                  \
        put_acquired(ompt_mutex_##kind, id, site);                                                           \
    }
#define RELEASE(name, kind)                                                                                  \
    void omptape_##name(void)                                                                                \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER(name, );                                                                          \
        OMPTAPE_GOMP_REAL(runtime, name)();                                                                  \
        put_released(ompt_mutex_##kind, id_of(runtime, ompt_mutex_##kind), site);                            \
    }
OMPTAPE_GOMP_ACQUIRES(ACQUIRE)
OMPTAPE_GOMP_RELEASES(RELEASE)

static uint64_t id_of_lock(const void *lock)
{
    return omptape_address(lock);
}

void omptape_GOMP_critical_name_start(void **name)
{
    OMPTAPE_GOMP_ENTER(GOMP_critical_name_start, name);
    put_acquire(ompt_mutex_critical, id_of_lock(name), site);
    OMPTAPE_GOMP_REAL(runtime, GOMP_critical_name_start)(name);
    put_acquired(ompt_mutex_critical, id_of_lock(name), site);
}

void omptape_GOMP_critical_name_end(void **name)
{
    OMPTAPE_GOMP_ENTER(GOMP_critical_name_end, name);
    OMPTAPE_GOMP_REAL(runtime, GOMP_critical_name_end)(name);
    put_released(ompt_mutex_critical, id_of_lock(name), site);
}

#define INIT(name, kind)                                                                                     \
    static __attribute__((noinline)) void record_##name(void *lock, const void *site)                        \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_AT(name, lock);                                                                   \
        (void)omptape_gomp_thread(OMPTAPE_LOCK_INIT);                                                        \
        OMPTAPE_GOMP_REAL(runtime, name)(lock);                                                              \
        if (OMPTAPE_GOMP_WANTS(lock_init))                                                                   \
            omptape_on_lock_init(ompt_mutex_##kind, 0, 0, id_of_lock(lock), site);                           \
    }
#define DESTROY(name, kind)                                                                                  \
    static __attribute__((noinline)) void record_##name(void *lock, const void *site)                        \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_AT(name, lock);                                                                   \
        (void)omptape_gomp_thread(OMPTAPE_LOCK_DESTROY);                                                     \
        if (OMPTAPE_GOMP_WANTS(lock_destroy))                                                                \
            omptape_on_lock_destroy(ompt_mutex_##kind, id_of_lock(lock), site);                              \
        OMPTAPE_GOMP_REAL(runtime, name)(lock);                                                              \
    }
OMPTAPE_GOMP_LOCK_INITS(INIT)
OMPTAPE_GOMP_LOCK_DESTROYS(DESTROY)

#define SET(name, kind)                                                                                      \
    static __attribute__((noinline)) void record_##name(void *lock, const void *site)                        \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_AT(name, lock);                                                                   \
        put_acquire(ompt_mutex_lock, id_of_lock(lock), site);                                                \
        OMPTAPE_GOMP_REAL(runtime, name)(lock);                                                              \
        put_acquired(ompt_mutex_lock, id_of_lock(lock), site);                                               \
    }
#define UNSET(name, kind)                                                                                    \
    static __attribute__((noinline)) void record_##name(void *lock, const void *site)                        \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_AT(name, lock);                                                                   \
        (void)omptape_gomp_thread(OMPTAPE_MUTEX_RELEASED);                                                   \
        OMPTAPE_GOMP_REAL(runtime, name)(lock);                                                              \
        put_released(ompt_mutex_lock, id_of_lock(lock), site);                                               \
    }
#define TEST(name, kind)                                                                                     \
    static __attribute__((noinline)) int record_##name(void *lock, const void *site)                         \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_RESULT_AT(name, lock);                                                            \
        struct omptape_slot *slot = omptape_gomp_thread(OMPTAPE_MUTEX_ACQUIRE);                              \
        if (OMPTAPE_GOMP_WANTS(mutex_acquire))                                                               \
            omptape_put_test(slot, ompt_mutex_test_lock, 0, id_of_lock(lock), omptape_address(site));        \
        const int got = OMPTAPE_GOMP_REAL(runtime, name)(lock);                                              \
        if (got != 0)                                                                                        \
            put_acquired(ompt_mutex_test_lock, id_of_lock(lock), site);                                      \
        return got;                                                                                          \
    }
OMPTAPE_GOMP_LOCK_SETS(SET)
OMPTAPE_GOMP_LOCK_UNSETS(UNSET)
OMPTAPE_GOMP_LOCK_TESTS(TEST)

/* Returns how often the calling task, which owns the lock, holds it. It acquires the lock once more, which
 * always succeeds and returns the count, and releases it again. */
static int count_of(omptape_type_omp_test_nest_lock *test, omptape_type_omp_unset_nest_lock *unset,
                    void *lock)
{
    const int count = test(lock) - 1;
    unset(lock);
    return count;
}

static void put_nest_lock(ompt_scope_endpoint_t endpoint, uint64_t id, const void *site)
{
    if (OMPTAPE_GOMP_WANTS(nest_lock))
        omptape_on_nest_lock(endpoint, id, site);
}

static void put_nested(ompt_mutex_t kind, int count, uint64_t id, const void *site)
{
    if (count == 1)
        put_acquired(kind, id, site);
    else if (count > 1)
        put_nest_lock(ompt_scope_begin, id, site);
}

#define NEST_SET(name, test, unset)                                                                          \
    static __attribute__((noinline)) void record_##name(void *lock, const void *site)                        \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_AT(name, lock);                                                                   \
        put_acquire(ompt_mutex_nest_lock, id_of_lock(lock), site);                                           \
        OMPTAPE_GOMP_REAL(runtime, name)(lock);                                                              \
        const int count =                                                                                    \
            count_of(OMPTAPE_GOMP_REAL(runtime, test), OMPTAPE_GOMP_REAL(runtime, unset), lock);             \
        put_nested(ompt_mutex_nest_lock, count, id_of_lock(lock), site);                                     \
    }
#define NEST_UNSET(name, test, unset)                                                                        \
    static __attribute__((noinline)) void record_##name(void *lock, const void *site)                        \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_AT(name, lock);                                                                   \
        (void)omptape_gomp_thread(OMPTAPE_MUTEX_RELEASED);                                                   \
        const int count =                                                                                    \
            count_of(OMPTAPE_GOMP_REAL(runtime, test), OMPTAPE_GOMP_REAL(runtime, unset), lock);             \
        OMPTAPE_GOMP_REAL(runtime, name)(lock);                                                              \
        if (count > 1)                                                                                       \
            put_nest_lock(ompt_scope_end, id_of_lock(lock), site);                                           \
        else                                                                                                 \
            put_released(ompt_mutex_nest_lock, id_of_lock(lock), site);                                      \
    }
#define NEST_TEST(name, kind)                                                                                \
    static __attribute__((noinline)) int record_##name(void *lock, const void *site)                         \
    {                                                                                                        \
        OMPTAPE_GOMP_ENTER_RESULT_AT(name, lock);                                                            \
        put_acquire(ompt_mutex_test_nest_lock, id_of_lock(lock), site);                                      \
        const int count = OMPTAPE_GOMP_REAL(runtime, name)(lock);                                            \
        put_nested(ompt_mutex_test_nest_lock, count, id_of_lock(lock), site);                                \
        return count;                                                                                        \
    }
OMPTAPE_GOMP_NEST_LOCK_SETS(NEST_SET)
OMPTAPE_GOMP_NEST_LOCK_UNSETS(NEST_UNSET)
OMPTAPE_GOMP_NEST_LOCK_TESTS(NEST_TEST)

/* The lock functions are also called by programs that use LLVM's runtime. Such calls are passed on after a
 * dozen instructions. */
#define FIND_UNRECORDED(name)                                                                                \
    const void *const site = __builtin_return_address(0);                                                    \
    omptape_type_##name *const real = (omptape_type_##name *)omptape_gomp_untraced(site, OMPTAPE_CALL_##name)
#define PLAIN_LOCK(name, ...)                                                                                \
    void omptape_##name(void *lock)                                                                          \
    {                                                                                                        \
        FIND_UNRECORDED(name);                                                                               \
        if (real != NULL)                                                                                    \
            real(lock);                                                                                      \
        else                                                                                                 \
            record_##name(lock, site);                                                                       \
    }
#define TESTED_LOCK(name, ...)                                                                               \
    int omptape_##name(void *lock)                                                                           \
    {                                                                                                        \
        FIND_UNRECORDED(name);                                                                               \
        return real != NULL ? real(lock) : record_##name(lock, site);                                        \
    }
OMPTAPE_GOMP_LOCK_INITS(PLAIN_LOCK)
OMPTAPE_GOMP_LOCK_DESTROYS(PLAIN_LOCK)
OMPTAPE_GOMP_LOCK_SETS(PLAIN_LOCK)
OMPTAPE_GOMP_LOCK_UNSETS(PLAIN_LOCK)
OMPTAPE_GOMP_LOCK_TESTS(TESTED_LOCK)
OMPTAPE_GOMP_NEST_LOCK_SETS(PLAIN_LOCK)
OMPTAPE_GOMP_NEST_LOCK_UNSETS(PLAIN_LOCK)
OMPTAPE_GOMP_NEST_LOCK_TESTS(TESTED_LOCK)
