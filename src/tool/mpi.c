/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts a session at MPI_Init or MPI_Session_init, because a program may use OpenMP later or never. Reports
 * at the program's end if MPI was initialised without a recorded call.
 */
#include "callbacks/mpi/mpi.h"
#include "buffers/futex.h"
#include "buffers/writer_monitor.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/real.h"
#include "src/core/clock.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The request to the writer for the processes with which this one compares its host's clock
 * (include/omptape/clock_sync.h). */

static const uint64_t slice_ns = 100000000;

/* Longest wait for the writer's answer; it takes longer only if the file system hangs. */
static const uint64_t timeout_ns = 15000000000;

/* Returns true if this is the process that the launcher started as the rank, and others may run elsewhere. */
static bool may_be_apart(const struct omptape_job *job, int rank, int size, enum omptape_clock_sync_when when)
{
    if (when == OMPTAPE_CLOCK_SYNC_OFF || size < 2 || job->launcher[0] == '\0' || job->rank != rank ||
        (job->size > 0 && job->size != size))
        return false;
    return when == OMPTAPE_CLOCK_SYNC_ON || job->local_size != size;
}

/* Asks the writer for the processes with which this one, rank `rank` of `size` in MPI_COMM_WORLD, compares
 * its host's clock. Returns NULL if there are none. Waits for the answer some seconds at most, and not at all
 * if all ranks are on one host. Called by the thread that initialises MPI. */
static struct omptape_clock_sync *session_sync_clocks(int rank, int size, enum omptape_clock_sync_when when)
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
    omptape_writer_monitor_wake(shm, true);
    while ((state = atomic_load_explicit(&shm->clock_sync.state, memory_order_acquire)) ==
           OMPTAPE_CLOCK_SYNC_ASKED)
        if (atomic_load(&shm->writer_state) >= OMPTAPE_WRITER_FINISHED ||
            omptape_writer_monitor_is_lost(shm) || omptape_clock_raw_ns() - begun > timeout_ns)
            (void)atomic_compare_exchange_strong(&shm->clock_sync.state, &state, OMPTAPE_CLOCK_SYNC_ALONE);
        else
            omptape_futex_wait(&shm->clock_sync.state, OMPTAPE_CLOCK_SYNC_ASKED, slice_ns);
    errno = saved;
    return state == OMPTAPE_CLOCK_SYNC_AGREED ? &shm->clock_sync : NULL;
}

__attribute__((visibility("default"))) int omptape_mpi_gate(unsigned number, const void *caller, intptr_t *a)
{
    return omptape_mpi_handle_call(number, caller, a);
}

__attribute__((visibility("default"))) void omptape_mpi_gate_fortran(unsigned number, bool f08, intptr_t *a)
{
    omptape_mpi_handle_fortran(number, f08, a);
}

/* Called, one at a time, on each thread that initialises MPI or opens an MPI session
 * (callbacks/mpi/mpi.h). */
static bool start_session(uint64_t *events)
{
    struct omptape_options options;
    if (!omptape_libc_is_complete())
        return false;
    (void)omptape_options_read(&options, NULL, 0);
    *events = options.events;
    if (options.mpi == OMPTAPE_MPI_OFF)
        return false;
    return omptape_session_start_by_call();
}

/* Called by exit() before all destructors. */
static void note_exit(int status, void *data)
{
    struct omptape_shm *shm = omptape_session_shm();
    (void)data;
    if (omptape_session_is_own())
        atomic_store(&shm->exit_status, 1 + (status & 0xff));
}

/* Starts a session and registers note_exit. */
static bool use_session(uint64_t *events)
{
    static bool watched;
    const bool there = start_session(events);
    if (there && !watched)
        watched = on_exit(note_exit, NULL) == 0;
    return there;
}

/* Called on the thread that has initialised MPI. */
static struct omptape_clock_sync *sync_clocks(int rank, int size)
{
    struct omptape_options options;
    if (!omptape_session_is_own())
        return NULL;
    (void)omptape_options_read(&options, NULL, 0);
    return session_sync_clocks(rank, size, options.clock_sync);
}

static pid_t process; /* process that loaded the library; forked children do not report its MPI */
static enum omptape_mpi_when when; /* as the variables said at the start; they may be gone at the end */

/* Returns true if the process has initialised an MPI. MPI_Initialized may be called at any time. */
static bool is_initialized(void)
{
    int (*initialized)(int *) = (int (*)(int *))(uintptr_t)omptape_mpi_real_symbol("PMPI_Initialized");
    int flag = 0;
    return initialized != NULL && initialized(&flag) == OMPTAPE_MPI_SUCCESS && flag != 0;
}

void omptape_mpi_say_unseen(void)
{
    static atomic_flag requested = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&requested) || atomic_load(&omptape_mpi_was_seen) || !omptape_libc_may_act())
        return;
    /* Of programs without MPI no system call is asked for: a filter may not allow it. */
    if (when == OMPTAPE_MPI_OFF || !is_initialized() || process != getpid())
        return;
    if (omptape_mpi_real_names_are_there())
        omptape_session_unrecorded(
            "MPI's calls: MPI_Init was called past omptape (through a handle of dlsym or "
            "ctypes, with RTLD_DEEPBIND, or by another tool)");
    else
        omptape_session_unrecorded(
            "MPI's calls: libomptape-mpi.so was not loaded (omptape --mpi=on, or LD_PRELOAD "
            "with it in front of libomptape.so)");
}

__attribute__((constructor)) static void offer(void)
{
    struct omptape_options options;
    omptape_mpi_sync_clocks = sync_clocks;
    omptape_mpi_start_session = use_session;
    if (!omptape_libc_may_act())
        return;
    const int saved = errno;
    process = getpid();
    (void)omptape_options_read(&options, NULL, 0);
    when = options.mpi;
    errno = saved;
}
