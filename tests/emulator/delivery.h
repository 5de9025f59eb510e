/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that hand ranges over to the tool, in whatever order, and gates that hold them back.
 */
#pragma once

#include "tests/emulator/buffers.h"

/* Starts the threads, once. */
void em_delivery_start(void);

/* Takes a range over. Any thread; complete_app delivers it at once, on this thread. */
void em_delivery_push(struct em_range *range);

/* Lets go what a late mode holds back for a device (NULL: all). */
void em_delivery_release(const struct em_device *device);

/* Waits until all that may be handed over for a device (NULL: all) has been. Not on a delivering thread. */
void em_delivery_drain(const struct em_device *device);

/* Hands over the rest and ends the threads. */
void em_delivery_stop(void);

/* Whether a late mode is on, which opens its gate elsewhere than at a flush. */
bool em_delivery_is_late(void);
