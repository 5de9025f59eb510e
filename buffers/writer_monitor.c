/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Monitors and wakes the writer. Called while a thread waits for a chunk, and at the end.
 */
#include "buffers/writer_monitor.h"

#include "buffers/cancel.h"
#include "buffers/futex.h"
#include "src/core/clock.h"
#include "src/core/message.h"
#include "src/core/process_stat.h"

#include <errno.h>
#include <signal.h>

/* A writer on a slow file system still increments its heartbeat. Without one for so long it is stopped or
 * dead. */
static const uint32_t min_checks = 20;
static const uint64_t heartbeat_timeout_ns = UINT64_C(10000000000);
/* Only after this pause is the process checked by system calls, because the program's own sandbox might kill
 * it for them. A live writer beats ten times a second. */
static const uint64_t heartbeat_pause_ns = UINT64_C(1000000000);

/* The writer's heartbeat as the waiting threads saw it. */
static _Atomic uint32_t last_heartbeat;
static _Atomic uint64_t last_heartbeat_ns;
static _Atomic uint32_t heartbeat_checks; /* Checks since this heartbeat was first seen. */
static _Atomic bool lost_reported;

static bool process_is_gone(int32_t pid)
{
    struct omptape_process_stat stat;
    if (kill(pid, 0) != 0)
        return errno == ESRCH;
    /* A dead writer remains as a zombie if not reaped. Without /proc only the heartbeat shows its death. */
    int error = omptape_process_stat_of(pid, &stat);
    return error == -ESRCH || (error == 0 && omptape_process_is_dead(&stat));
}

/* Returns how long (ns) `beat` has been the last beat. Several waiting threads call this at once, and each
 * may be delayed between any two steps. */
static uint64_t since_last_beat(uint32_t beat, uint64_t now)
{
    if (atomic_load(&last_heartbeat_ns) == 0 || beat != atomic_load(&last_heartbeat)) {
        /* The time is stored first: no thread may see this beat with an older time. */
        atomic_store(&last_heartbeat_ns, now);
        atomic_store(&heartbeat_checks, 0);
        atomic_store(&last_heartbeat, beat);
        return 0;
    }
    uint64_t seen_at = atomic_load(&last_heartbeat_ns);
    atomic_fetch_add(&heartbeat_checks, 1);
    return now > seen_at ? now - seen_at : 0;
}

/* Prints that the writer is lost, once. */
static void report_lost(int32_t pid)
{
    if (!atomic_exchange(&lost_reported, true))
        omptape_message(
            "the writer process %d is gone or stopped; the program goes on, the rest is not traced",
            (int)pid);
}

bool omptape_writer_monitor_is_lost(struct omptape_shm *shm)
{
    int saved = errno;
    const int cancel = omptape_cancel_hold();
    uint32_t beat = atomic_load(&shm->heartbeat);
    int32_t pid = atomic_load(&shm->writer_pid);
    const uint64_t pause_ns = since_last_beat(beat, omptape_clock_raw_ns());
    /* After a job was stopped as a whole, a long time has passed, but the threads have not looked
     * meanwhile. */
    bool lost = pause_ns > heartbeat_timeout_ns && atomic_load(&heartbeat_checks) > min_checks;
    if (pid > 0 && pause_ns > heartbeat_pause_ns && process_is_gone(pid))
        lost = true;
    /* One of another release, and one that never started, is reported at the program's end
     * (src/tool/session.c). */
    if (atomic_load(&shm->writer_state) >= OMPTAPE_WRITER_FINISHED || shm->writer_release[0] != '\0')
        lost = true;
    else if (lost && atomic_load(&shm->writer_state) != OMPTAPE_WRITER_STARTING)
        report_lost(pid);
    omptape_cancel_release(cancel);
    errno = saved;
    return lost;
}

void omptape_writer_monitor_wake(struct omptape_shm *shm, bool needed)
{
    /* Pairs with the writer, which sets `writer_sleeps`, looks once more and then sleeps. */
    atomic_thread_fence(memory_order_seq_cst);
    uint32_t sleeps = atomic_load_explicit(&shm->writer_sleeps, memory_order_relaxed);
    if (sleeps == OMPTAPE_WRITER_AWAKE || (sleeps == OMPTAPE_WRITER_NOT_NEEDED && !needed))
        return;
    if (atomic_exchange(&shm->writer_sleeps, OMPTAPE_WRITER_AWAKE) != OMPTAPE_WRITER_AWAKE) {
        atomic_fetch_add(&shm->work, 1);
        omptape_futex_wake(&shm->work);
    }
}

void omptape_writer_monitor_reset(void)
{
    atomic_store(&last_heartbeat_ns, 0);
    atomic_store(&lost_reported, false);
}
