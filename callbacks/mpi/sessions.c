/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The open sessions (sessions.h).
 */
#include "callbacks/mpi/sessions.h"

#include "callbacks/mpi/handles.h"
#include "callbacks/mpi/interface.h"

enum { MAX_SESSIONS = 64 };

/* Held while a group of a session is used. */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static intptr_t sessions[MAX_SESSIONS];
static unsigned session_count;
static bool world;
/* True if the end of a session may have been missed. Then no session is used any more. */
static atomic_bool unsure;

void omptape_mpi_sessions_add(intptr_t handle)
{
    if (!omptape_mpi_lock(&lock))
        return;
    if (session_count < MAX_SESSIONS)
        sessions[session_count++] = handle;
    omptape_mpi_unlock(&lock);
}

bool omptape_mpi_sessions_remove(intptr_t handle)
{
    if (!omptape_mpi_lock(&lock)) {
        atomic_store(&unsure, true);
        return false;
    }
    unsigned i = 0;
    while (i < session_count && sessions[i] != handle)
        i++;
    const bool known = i < session_count;
    if (known)
        sessions[i] = sessions[--session_count];
    omptape_mpi_unlock(&lock);
    return known;
}

void omptape_mpi_sessions_end_use(atomic_bool *used)
{
    if (!omptape_mpi_lock(&lock))
        return;
    if (session_count == 0)
        atomic_store(used, false);
    omptape_mpi_unlock(&lock);
}

void omptape_mpi_sessions_set_world(bool exists)
{
    if (!omptape_mpi_lock(&lock)) {
        atomic_store(&unsure, true);
        return;
    }
    world = exists;
    omptape_mpi_unlock(&lock);
}

/* Queries the group; the caller holds `lock`. MPI_Group_translate_ranks may then receive groups of two
 * sessions, which all known MPIs accept. */
static bool query_group(intptr_t *group)
{
    *group = 0;
    if (world)
        return omptape_mpi.comm_group(omptape_mpi.comm_world, group) == OMPTAPE_MPI_SUCCESS;
    return session_count > 0 && omptape_mpi.group_from_session_pset != NULL &&
           omptape_mpi.group_from_session_pset(sessions[session_count - 1], "mpi://WORLD", group) ==
               OMPTAPE_MPI_SUCCESS;
}

bool omptape_mpi_sessions_acquire_group(intptr_t *group)
{
    if (!omptape_mpi_lock(&lock))
        return false;
    const bool known = !atomic_load(&unsure) && query_group(group);
    if (!known)
        omptape_mpi_unlock(&lock);
    return known;
}

void omptape_mpi_sessions_release_group(intptr_t *group)
{
    omptape_mpi.group_free(group);
    omptape_mpi_unlock(&lock);
}
