/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts the session where no OpenMP runtime does: at the first call of MPI's or libgomp's that is recorded
 * (tool.h). On the thread that calls, before other threads record.
 */
#include "src/tool/tool.h"

#include "src/core/clock.h"
#include "src/core/message.h"

bool omptape_session_start_by_call(const char *error)
{
    static bool failed;
    if (omptape_session_is_own())
        return true;
    if (failed)
        return false;
    const uint64_t begun = omptape_clock_raw_ns();
    if (error != NULL)
        omptape_message("%s; going on with the default", error);
    omptape_variables_say();
    failed = omptape_session_start(0) != 0;
    if (failed)
        return false;
    omptape_fork_watch();
    omptape_session_note_start(omptape_clock_raw_ns() - begun);
    return true;
}
