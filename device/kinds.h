/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kinds of trace records: which there are, how large they are, which the user wants, and what the runtime
 * answers when asked for them.
 */
#ifndef OMPTAPE_DEVICE_KINDS_H
#define OMPTAPE_DEVICE_KINDS_H

#include "device/interface.h"

/* Asks for the records of `events` (bit n: callback number n) and for native ones of the same operations; the
 * answers go to `lines`. */
void omptape_kinds_ask(const struct omptape_interface *calls, ompt_device_t *device, uint64_t events,
                       struct omptape_lines *lines);

/* True if these events include one of those that devices are traced for. */
bool omptape_kinds_are_wanted(uint64_t events);

/* The size of the union's member in a record of this type (ompt_callbacks_t); -1: there is no such type. */
int omptape_kinds_member_bytes(unsigned type);

#endif
