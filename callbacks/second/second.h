/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second OMPT tool beside omptape, which the runtime does not know. The runtime calls the functions of this
 * folder. They call omptape's callback and then the other tool's, each with words of its own
 * (callbacks/second/word_pairs.h). Nothing is registered without a second tool.
 */
#pragma once

#include <omptape/ompt.h>
#include <stdbool.h>

/* Initialises the tool described by ompt_start_tool's `result`, which may then register callbacks.
 * Returns false if the tool refused; then nothing stays registered. Called once, on the runtime's
 * initialising thread. */
bool omptape_second_begin(ompt_start_tool_result_t *result, ompt_function_lookup_t lookup,
                          int initial_device_num);

/* Like the runtime's ompt_set_callback, for omptape's own callbacks. After omptape_second_begin, same
 * thread. */
ompt_set_result_t omptape_second_set_ours(ompt_callbacks_t event, ompt_callback_t function);

/* Finalizes the tool. Further calls have no effect. Any thread. */
void omptape_second_end(void);

/* Returns the function that the runtime calls for an event, or NULL if the event is unknown (calls.c). */
ompt_callback_t omptape_second_call(unsigned event);

/* Ends the other tool's traces of devices (devices.c). Nothing is delivered to it any more. */
void omptape_second_end_devices(void);

/* The callbacks that calls.c calls. Each may be NULL. */
enum { OMPTAPE_SECOND_EVENTS = 64 };
struct omptape_second_callbacks {
    ompt_callback_t ours[OMPTAPE_SECOND_EVENTS];
    _Atomic(ompt_callback_t) theirs[OMPTAPE_SECOND_EVENTS];
    /* The runtime's answers; ompt_set_error if not registered yet. */
    ompt_set_result_t answers[OMPTAPE_SECOND_EVENTS];
};
extern struct omptape_second_callbacks omptape_second_callbacks;

/* Returns the other tool's identity of a target construct or operation. A tool with the EMI callback `emi`
 * has stored its own one; 0 if that is not known any more (devices.c). */
ompt_id_t omptape_second_id(ompt_id_t id, ompt_callbacks_t emi);

/* Returns the other tool's lookup function for a device: `lookup`, or one of devices.c if omptape traces the
 * device, whose records then go to both. Called in device_initialize, after omptape's callback. */
ompt_function_lookup_t omptape_second_device(int device_num, ompt_device_t *device,
                                             ompt_function_lookup_t lookup);
