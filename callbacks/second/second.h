/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second OMPT tool beside omptape, which the runtime does not know. The runtime calls the functions of this
 * folder. They call omptape's callback and then the other tool's, each with words of its own
 * (callbacks/second/word_pairs.h). Nothing of this is registered where there is no second tool.
 */
#ifndef OMPTAPE_CALLBACKS_SECOND_SECOND_H
#define OMPTAPE_CALLBACKS_SECOND_SECOND_H

#include <omptape/ompt.h>
#include <stdbool.h>

/* Initialises the tool that ompt_start_tool's `result` describes: it may register callbacks from here on.
 * `trace_devices`: what devices record goes to omptape, so the other tool cannot have it. False: the tool
 * refused, and nothing is registered any more. Once, on the runtime's initialising thread. */
bool omptape_second_begin(ompt_start_tool_result_t *result, ompt_function_lookup_t lookup,
                          int initial_device_num, bool trace_devices);

/* As the runtime's ompt_set_callback, for omptape's own callbacks. After the function above, same thread. */
ompt_set_result_t omptape_second_set_ours(ompt_callbacks_t event, ompt_callback_t function);

/* Finalizes the tool; only the first call counts. Any thread. */
void omptape_second_end(void);

/* calls.c: the function that the runtime calls for an event, NULL for an event that is not known. */
ompt_callback_t omptape_second_call(unsigned event);

/* What calls.c calls: each may be NULL. */
enum { OMPTAPE_SECOND_EVENTS = 64 };
struct omptape_second_callbacks {
    ompt_callback_t ours[OMPTAPE_SECOND_EVENTS];
    _Atomic(ompt_callback_t) theirs[OMPTAPE_SECOND_EVENTS];
    ompt_set_result_t answers[OMPTAPE_SECOND_EVENTS]; /* the runtime's; ompt_set_error: not asked */
    ompt_function_lookup_t device_lookup;             /* the runtime's, of the device that came last */
    bool trace_devices;
};
extern struct omptape_second_callbacks omptape_second_callbacks;

/* second.c: a device's entry points without those that trace it. */
ompt_interface_fn_t omptape_second_look_up_device(const char *name);

#endif
