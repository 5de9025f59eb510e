/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ends the session where the runtime does not finalize the tool: exit() inside a parallel region runs this
 * library's destructor, but never the tool's finalizer. Runs on the thread that called exit.
 */
#include "callbacks/gomp/gomp.h"
#include "device/tracing.h"
#include "src/tool/tool.h"

static ompt_get_task_info_t get_task_info;

void omptape_end_use(ompt_function_lookup_t lookup)
{
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
}

/* Returns true if the runtime will finalize the tool: in serial code its destructor runs later and reports
 * the last events of all threads. */
static bool finalize_will_come(void)
{
    int flags = 0;
    if (get_task_info == NULL)
        return false;
    /* The first case is a thread that never used OpenMP. */
    return get_task_info(0, &flags, NULL, NULL, NULL, NULL) == 0 ||
           ((unsigned)flags & ompt_task_initial) != 0;
}

__attribute__((destructor)) static void at_exit(void)
{
    omptape_mpi_say_unseen();
    omptape_session_leave_early();
    if (!omptape_session_is_own())
        return;
    omptape_tracing_abandon();
    const bool is_in_region = omptape_gomp_is_in_region();
    if (get_task_info == NULL && !is_in_region)
        /* MPI or libgomp started the session: no runtime finalizes the tool. */
        omptape_session_end(OMPTAPE_END_FINALIZE);
    else if (is_in_region || !finalize_will_come())
        omptape_session_end(OMPTAPE_END_EXIT_REGION);
    else if (!omptape_session_has_ended())
        return;
    omptape_session_wait();
}
