/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program of libgomp's in which another runtime with OMPT begins. The program ends while that one describes
 * itself, right after the library had something to say. Built and used by test_gomp.sh.
 */
#include <dlfcn.h>
#include <omp-tools.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

typedef ompt_start_tool_result_t *(*start_tool)(unsigned, const char *);

static start_tool start;

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    (void)event;
    (void)callback;
    return ompt_set_never;
}

static ompt_interface_fn_t look_up(const char *name)
{
    if (strcmp(name, "ompt_enumerate_states") == 0) {
        (void)start(202411, "a third one");
        _exit(0);
    }
    return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set_callback : NULL;
}

int main(void)
{
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads += 1;
    start = (start_tool)dlsym(RTLD_DEFAULT, "ompt_start_tool");
    ompt_start_tool_result_t *tool = start != NULL && threads == 2 ? start(202411, "a second one") : NULL;
    return tool != NULL ? tool->initialize(look_up, 0, &tool->tool_data) : 1;
}
