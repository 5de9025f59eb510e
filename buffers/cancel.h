/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Delays the cancellation (pthread_cancel) of program threads. A thread must not end inside the library,
 * because work of the library and the runtime would remain unfinished. Functions that contain cancellation
 * points, such as read(), therefore disable cancellation on program threads. A pending cancellation takes
 * effect at the program's next cancellation point. Calls may be nested.
 */
#pragma once

#include <pthread.h>

/* Disables cancellation. Returns the state for omptape_cancel_release(), on the same thread. Keeps errno. */
static inline int omptape_cancel_hold(void)
{
    int state = PTHREAD_CANCEL_DISABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

static inline void omptape_cancel_release(int state)
{
    pthread_setcancelstate(state, NULL);
}
