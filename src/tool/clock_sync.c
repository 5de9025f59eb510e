/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Has the writer look for the processes with which this one compares its host's clock
 * (include/omptape/clock_sync.h).
 */
#include "buffers/futex.h"
#include "buffers/peer.h"
#include "src/core/clock.h"
#include "src/tool/tool.h"

#include <errno.h>

static const uint64_t slice_ns = 100000000;
/* Longer than the writer takes, unless its file system does not answer. */
static const uint64_t patience_ns = 15000000000;

/* Is it the process that the launcher started as this rank, beside others that may be elsewhere? */
static bool may_be_apart(const struct omptape_job *job, int rank, int size, enum omptape_clock_sync_when when)
{
    if (when == OMPTAPE_CLOCK_SYNC_OFF || size < 2 || job->launcher[0] == '\0' || job->rank != rank ||
        (job->size > 0 && job->size != size))
        return false;
    return when == OMPTAPE_CLOCK_SYNC_ON || job->local_size != size;
}

struct omptape_clock_sync *omptape_session_sync_clocks(int rank, int size, enum omptape_clock_sync_when when)
{
    struct omptape_shm *shm = omptape_session_shm();
    uint32_t state = OMPTAPE_CLOCK_SYNC_NONE;
    if (shm == NULL || !may_be_apart(omptape_session_job(), rank, size, when) ||
        atomic_load(&shm->clock_sync.state) != OMPTAPE_CLOCK_SYNC_NONE)
        return NULL;
    const int saved = errno;
    const uint64_t begun = omptape_clock_raw_ns();
    atomic_store(&shm->clock_sync.rank, rank);
    atomic_store(&shm->clock_sync.size, size);
    atomic_store_explicit(&shm->clock_sync.state, OMPTAPE_CLOCK_SYNC_ASKED, memory_order_release);
    omptape_peer_wake(shm, true);
    while ((state = atomic_load_explicit(&shm->clock_sync.state, memory_order_acquire)) ==
           OMPTAPE_CLOCK_SYNC_ASKED)
        if (atomic_load(&shm->writer_state) >= OMPTAPE_WRITER_FINISHED || omptape_peer_is_lost(shm) ||
            omptape_clock_raw_ns() - begun > patience_ns)
            (void)atomic_compare_exchange_strong(&shm->clock_sync.state, &state, OMPTAPE_CLOCK_SYNC_ALONE);
        else
            omptape_futex_wait(&shm->clock_sync.state, OMPTAPE_CLOCK_SYNC_ASKED, slice_ns);
    errno = saved;
    return state == OMPTAPE_CLOCK_SYNC_AGREED ? &shm->clock_sync : NULL;
}
