/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Describes the runtime: version, thread states, mutex implementations, places and devices (OpenMP 5.2
 * section 19.6.1). Called once by the initialising thread. Entry points that the runtime lacks are skipped.
 */
#include "src/core/words.h"
#include "src/tool/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limits for the runtime's enumerations: a broken one must not delay the program. */
enum { MAX_ITEMS = 256, MAX_PLACES = 1024, MAX_PROCESSORS = 1024 };

static char runtime_text[OMPTAPE_INFO_BYTES];
struct omptape_info_text omptape_runtime_info = {.text = runtime_text, .bytes = sizeof(runtime_text)};

void omptape_info_add(struct omptape_info_text *info, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line, sizeof(line) - 1, format, arguments);
    va_end(arguments);
    if (n < 0)
        return;
    size_t length = (size_t)n < sizeof(line) - 2 ? (size_t)n : sizeof(line) - 2;
    for (size_t i = 0; i < length; i++)
        if (line[i] == '\n')
            line[i] = ' ';
    line[length++] = '\n';
    if (length > info->bytes - info->used)
        return;
    memcpy(info->text + info->used, line, length);
    info->used += length;
}

static void describe_states(ompt_function_lookup_t lookup)
{
    ompt_enumerate_states_t enumerate = (ompt_enumerate_states_t)lookup("ompt_enumerate_states");
    int state = ompt_state_undefined;
    const char *name = NULL;
    for (int i = 0; enumerate != NULL && i < MAX_ITEMS && enumerate(state, &state, &name); i++)
        omptape_info_add(&omptape_runtime_info, "state.0x%03x=%s", (unsigned)state,
                         name != NULL ? name : "?");
}

static void describe_mutexes(ompt_function_lookup_t lookup)
{
    ompt_enumerate_mutex_impls_t enumerate =
        (ompt_enumerate_mutex_impls_t)lookup("ompt_enumerate_mutex_impls");
    int impl = ompt_mutex_impl_none;
    const char *name = NULL;
    for (int i = 0; enumerate != NULL && i < MAX_ITEMS && enumerate(impl, &impl, &name); i++)
        omptape_info_add(&omptape_runtime_info, "mutex_impl.%d=%s", impl, name != NULL ? name : "?");
}

static ompt_get_num_procs_t get_procs;
static ompt_get_num_places_t get_places;
static ompt_get_place_proc_ids_t get_ids;

static void describe_place(int place)
{
    static int ids[MAX_PROCESSORS]; /* the program's stack may be small */
    char list[400] = "";
    int count = get_ids(place, MAX_PROCESSORS, ids);
    for (int i = 0; i < count && i < MAX_PROCESSORS && strlen(list) < sizeof(list) - 16; i++)
        omptape_append_item(list, sizeof(list), ",", "%d", ids[i]);
    omptape_info_add(&omptape_runtime_info, "place.%d=%s", place, list);
}

void omptape_info_describe_places(void)
{
    if (get_procs != NULL)
        omptape_info_add(&omptape_runtime_info, "procs=%d", get_procs());
    if (get_places != NULL) {
        int places = get_places();
        omptape_info_add(&omptape_runtime_info, "places=%d", places);
        for (int i = 0; get_ids != NULL && i < places && i < MAX_PLACES; i++)
            describe_place(i);
    }
    omptape_session_publish_info();
}

void omptape_info_describe(ompt_function_lookup_t lookup, unsigned omp_version, const char *runtime_version)
{
    omptape_session_withdraw_info();
    omptape_runtime_info.used = 0;
    omptape_info_add(&omptape_runtime_info, "runtime.version=%s",
                     runtime_version != NULL ? runtime_version : "?");
    omptape_info_add(&omptape_runtime_info, "runtime.omp_version=%u", omp_version);
    describe_states(lookup);
    describe_mutexes(lookup);
    get_procs = (ompt_get_num_procs_t)lookup("ompt_get_num_procs");
    get_places = (ompt_get_num_places_t)lookup("ompt_get_num_places");
    get_ids = (ompt_get_place_proc_ids_t)lookup("ompt_get_place_proc_ids");
    ompt_get_num_devices_t get_devices = (ompt_get_num_devices_t)lookup("ompt_get_num_devices");
    if (get_devices != NULL)
        omptape_info_add(&omptape_runtime_info, "devices=%d", get_devices());
}
