/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writer as the program's threads see it. Called by the producer while a thread waits for a chunk, and at
 * the program's end.
 */
#include "buffers/peer.h"

#include "buffers/cancel.h"
#include "buffers/futex.h"
#include "src/core/clock.h"
#include "src/core/message.h"
#include "src/core/process_stat.h"

#include <errno.h>
#include <signal.h>

/* A writer on a slow file system still beats its heart; one that does not for this long is stopped or gone.
 */
static const uint32_t fewest_looks = 20;
static const uint64_t heartbeat_patience_ns = UINT64_C(10000000000);
/* Only then is the process looked for: that takes system calls, for which a sandbox that the program has put
 * itself into may kill it. A live writer beats ten times a second. */
static const uint64_t heartbeat_pause_ns = UINT64_C(1000000000);

/* What the waiting threads know of the writer's heart. */
static _Atomic uint32_t heart_seen;
static _Atomic uint64_t heart_seen_at;
static _Atomic uint32_t heart_looks; /* since this beat was first seen */
static _Atomic bool lost_said;

static bool process_is_gone(int32_t pid)
{
    struct omptape_process_stat stat;
    if (kill(pid, 0) != 0)
        return errno == ESRCH;
    /* A dead writer stays visible as a zombie where nobody reaps it. Without /proc the heart tells. */
    int error = omptape_process_stat_of(pid, &stat);
    return error == -ESRCH || (error == 0 && omptape_process_is_dead(&stat));
}

/* How long this beat has been the last one. Threads that wait look at the same time, and one may be held up
 * between any two steps. */
static uint64_t since_last_beat(uint32_t beat, uint64_t now)
{
    if (atomic_load(&heart_seen_at) == 0 || beat != atomic_load(&heart_seen)) {
        /* The time first: nobody must see this beat with an older time. */
        atomic_store(&heart_seen_at, now);
        atomic_store(&heart_looks, 0);
        atomic_store(&heart_seen, beat);
        return 0;
    }
    uint64_t seen_at = atomic_load(&heart_seen_at);
    atomic_fetch_add(&heart_looks, 1);
    return now > seen_at ? now - seen_at : 0;
}

bool omptape_peer_is_lost(struct omptape_shm *shm)
{
    int saved = errno;
    const int cancel = omptape_cancel_hold();
    uint32_t beat = atomic_load(&shm->heartbeat);
    int32_t pid = atomic_load(&shm->writer_pid);
    const uint64_t pause_ns = since_last_beat(beat, omptape_clock_raw_ns());
    /* A job that was stopped as a whole finds a long time passed, but it did not look meanwhile. */
    bool lost = pause_ns > heartbeat_patience_ns && atomic_load(&heart_looks) > fewest_looks;

    if (pid > 0 && pause_ns > heartbeat_pause_ns && process_is_gone(pid))
        lost = true;
    if (atomic_load(&shm->writer_state) >= OMPTAPE_WRITER_FINISHED)
        lost = true;
    else if (lost && !atomic_exchange(&lost_said, true))
        omptape_message(
            "the writer process %d is gone or stopped; the program goes on, the rest is not traced",
            (int)pid);
    omptape_cancel_release(cancel);
    errno = saved;
    return lost;
}

void omptape_peer_wake(struct omptape_shm *shm, bool needed)
{
    /* Against the writer's "set writer_sleeps, look once more, sleep". */
    atomic_thread_fence(memory_order_seq_cst);
    uint32_t sleeps = atomic_load_explicit(&shm->writer_sleeps, memory_order_relaxed);
    if (sleeps == OMPTAPE_WRITER_AWAKE || (sleeps == OMPTAPE_WRITER_NOT_NEEDED && !needed))
        return;
    if (atomic_exchange(&shm->writer_sleeps, OMPTAPE_WRITER_AWAKE) != OMPTAPE_WRITER_AWAKE) {
        atomic_fetch_add(&shm->work, 1);
        omptape_futex_wake(&shm->work);
    }
}

void omptape_peer_forget(void)
{
    atomic_store(&heart_seen_at, 0);
    atomic_store(&lost_said, false);
}
