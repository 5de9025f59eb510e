/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Registration of the callbacks, and what the runtime answered for each (OpenMP 5.2 section 19.6.2.3.1).
 * Called once by the initialising thread.
 */
#include "callbacks/callbacks.h"
#include "device/device.h"
#include "src/core/events.h"
#include "src/tool/tool.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HIGHEST_EVENT = 63 };

static void note_emi(unsigned number, ompt_set_result_t result)
{
    bool accepted = result >= ompt_set_sometimes;
    switch (number) {
    case ompt_callback_target_emi:
        omptape_entry_points.emi_target = accepted;
        break;
    case ompt_callback_target_data_op_emi:
        omptape_entry_points.emi_data_op = accepted;
        break;
    case ompt_callback_target_submit_emi:
        omptape_entry_points.emi_submit = accepted;
        break;
    case ompt_callback_target_map_emi:
        omptape_entry_points.emi_map = accepted;
        break;
    default:
        break;
    }
}

/* LLVM's runtime takes the length of an error directive's message as soon as there is an error callback, also
 * where there is no message, and its version has stayed the same for ten years. Others build on it. */
static bool crashes_at_errors(const char *runtime)
{
    static const char family[] = "OMP version: 5.0.";
    return runtime != NULL && strstr(runtime, family) != NULL;
}

static ompt_set_callback_t set_callback_again;

/* LLVM's runtime reads its first thread at the end of each critical section of any thread if a tool
 * wants to know of that: once that thread has ended, the program would crash (14 to 22). */
static void forget_mutexes(void)
{
    static const ompt_callbacks_t mutexes[] = {ompt_callback_mutex_acquire, ompt_callback_mutex_acquired,
                                               ompt_callback_mutex_released};
    for (size_t i = 0; i < sizeof(mutexes) / sizeof(mutexes[0]); i++)
        (void)set_callback_again(mutexes[i], NULL);
    /* The program's main thread mostly ends with the program. */
    if (getpid() != (pid_t)syscall(SYS_gettid))
        omptape_session_unrecorded(
            "locks and critical sections since the thread ended that used OpenMP first: "
            "LLVM's runtime would crash");
}

size_t omptape_register_callbacks(ompt_set_callback_t set_callback, const char *runtime, uint64_t events,
                                  char *text, size_t used, size_t bytes)
{
    set_callback_again = set_callback;
    if ((events & OMPTAPE_EVENT(ompt_callback_mutex_released)) != 0)
        omptape_entry_points.at_first_thread_end = forget_mutexes;
    for (unsigned number = 1; number <= HIGHEST_EVENT; number++) {
        const char *name = omptape_event_name(number);
        ompt_callback_t function = omptape_callback(number);
        if (function == NULL)
            function = omptape_device_callback(number);
        if (name == NULL || function == NULL)
            continue;
        const char *answer = "not asked";
        if (number == ompt_callback_error && (events & OMPTAPE_EVENTS_ERROR_NAMED) == 0 &&
            crashes_at_errors(runtime))
            answer = OMPTAPE_UNSAFE_ERROR_CALLBACK;
        else if ((events & OMPTAPE_EVENT(number)) != 0) {
            ompt_set_result_t result = set_callback((ompt_callbacks_t)number, function);
            note_emi(number, result);
            answer = omptape_set_result_name(result);
        }
        used = omptape_info_add(text, used, bytes, "callback.%s=%s", name, answer);
    }
    return used;
}
