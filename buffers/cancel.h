/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread of the program that is to be cancelled (pthread_cancel) must not end in the middle of the library,
 * at a read() that is a cancellation point: it would leave what the library and the runtime had begun.
 * Whatever calls such functions in the program's threads holds the cancellation off meanwhile; it comes at
 * the program's own next point. May be nested.
 */
#ifndef OMPTAPE_BUFFERS_CANCEL_H
#define OMPTAPE_BUFFERS_CANCEL_H

#include <pthread.h>

/* Returns what omptape_cancel_release takes, on the same thread. errno stays. */
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

#endif
