/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts a session at the first call to a libgomp. That runtime has no OMPT. So this file describes it to the
 * writer, and the session ends with the program (end.c).
 */
#include "callbacks/gomp/gomp.h"
#include "callbacks/callbacks.h"
#include "callbacks/gomp/runtimes.h"
#include "src/core/events.h"
#include "src/core/named_functions.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <stdio.h>
#include <string.h>

static struct omptape_gomp_runtime *described; /* the first libgomp that was called */

static int get_place_num(void)
{
    return OMPTAPE_GOMP_REAL(described, omp_get_place_num)();
}

static int get_num_places(void)
{
    return OMPTAPE_GOMP_REAL(described, omp_get_num_places)();
}

static int get_num_procs(void)
{
    return OMPTAPE_GOMP_REAL(described, omp_get_num_procs)();
}

static int get_place_proc_ids(int place, int capacity, int *ids)
{
    const int count = OMPTAPE_GOMP_REAL(described, omp_get_place_num_procs)(place);
    if (count <= capacity)
        OMPTAPE_GOMP_REAL(described, omp_get_place_proc_ids)(place, ids);
    return count;
}

/* Returns libgomp's equivalents of OMPT's entry points. */
static ompt_interface_fn_t look_up(const char *name)
{
    static const struct omptape_named_function known[] = {
        {"ompt_get_num_procs", (ompt_interface_fn_t)get_num_procs},
        {"ompt_get_num_places", (ompt_interface_fn_t)get_num_places},
        {"ompt_get_place_proc_ids", (ompt_interface_fn_t)get_place_proc_ids}};
    return omptape_named_function_find(known, sizeof(known) / sizeof(known[0]), name);
}

/* Describes the runtime, unless a runtime with OMPT has already described itself. */
static void describe(struct omptape_gomp_runtime *runtime)
{
    char version[512];
    (void)snprintf(version, sizeof(version), "GNU libgomp (%s)", runtime->path);
    described = runtime;
    omptape_info_describe(look_up, 0, version);
    omptape_session_publish_info();
    if (omptape_gomp_find_function(runtime, OMPTAPE_CALL_omp_get_place_num) == 0)
        return; /* libgomp before gcc 6 */
    omptape_entry_points.get_place_num = get_place_num;
    omptape_entry_points.at_first_parallel = omptape_info_describe_places;
}

static void end_by_control(void)
{
    omptape_session_end(OMPTAPE_END_CONTROL);
}

/* Called on the thread that first calls a libgomp; calls are serialised (callbacks/gomp/runtimes.h). */
static bool start_session(struct omptape_gomp_runtime *runtime)
{
    static bool requested;
    static bool watched;
    struct omptape_options options;
    if (!omptape_libc_is_complete())
        return false;
    (void)omptape_options_read(&options, NULL, 0);
    omptape_gomp_events = options.events | omptape_events_always;
    if (!requested)
        watched = omptape_gomp_watch_threads() == 0;
    requested = true;
    if (!watched)
        return false;
    if (omptape_entry_points.at_first_parallel == NULL)
        describe(runtime);
    if (!omptape_session_start_by_call())
        return false;
    if (omptape_entry_points.end_session == NULL)
        omptape_entry_points.end_session = end_by_control;
    return true;
}

__attribute__((constructor)) static void offer(void)
{
    omptape_gomp_start_session = start_session;
}
