/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the devices do by themselves: an operation is over some time after the host asked for it, and only
 * then its record is written.
 */
#pragma once

#include "tests/emulator/records.h"

/* Starts the thread, once. */
void em_engine_start(void);

/* Takes a record over; it is written when its time has come: by the engine's thread, or, with request_app,
 * here and now (after waiting for it). */
void em_engine_submit(struct em_pending *pending);

/* Waits until each record of a device (NULL: all) that is ready before a time is in a buffer. */
void em_engine_settle(const struct em_device *device, uint64_t host_ticks);

/* Writes the rest and ends the thread. */
void em_engine_stop(void);
