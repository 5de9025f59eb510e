/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A session that begins with the first call to a libgomp. That has no OMPT: what a runtime would say of
 * itself is said here, and the session ends with the program (end.c).
 */
#include "callbacks/gomp/gomp.h"
#include "callbacks/callbacks.h"
#include "callbacks/gomp/runtimes.h"
#include "src/core/events.h"
#include "src/core/message.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

static char info[OMPTAPE_INFO_BYTES];

static void describe(const struct omptape_gomp_runtime *runtime)
{
    size_t used = omptape_info_add(info, 0, sizeof(info), "runtime.version=GNU libgomp, %s", runtime->path);
    omptape_session_set_info(info, used);
}

static void end_by_control(void)
{
    omptape_session_end(OMPTAPE_END_CONTROL);
}

/* On the thread that calls a libgomp first, one at a time (callbacks/gomp/runtimes.h). */
static bool start_session(const struct omptape_gomp_runtime *runtime)
{
    static bool watched;
    static bool failed; /* and said why */
    struct omptape_options options;
    char error[256];
    if (failed || !omptape_libc_is_complete())
        return false;
    const int bad = omptape_options_read(&options, error, sizeof(error));
    omptape_gomp_events = options.events | omptape_events_always;
    if (!watched)
        failed = omptape_gomp_watch_threads() != 0;
    watched = true;
    if (failed || omptape_session_is_own())
        return !failed;
    if (bad != 0)
        omptape_message("%s; going on with the default", error);
    omptape_variables_say();
    failed = omptape_session_start(0) != 0;
    if (failed)
        return false;
    describe(runtime);
    if (omptape_entry_points.end_session == NULL)
        omptape_entry_points.end_session = end_by_control;
    omptape_fork_watch();
    return true;
}

__attribute__((constructor)) static void offer(void)
{
    omptape_gomp_start_session = start_session;
}
