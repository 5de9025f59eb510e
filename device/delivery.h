/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that deliver device records. Most are the runtime's own and never begin as OpenMP threads; they get
 * a slot at their first record and give it back at their end, so that short-lived helpers use none up.
 */
#ifndef OMPTAPE_DEVICE_DELIVERY_H
#define OMPTAPE_DEVICE_DELIVERY_H

#include "buffers/producer.h"

/* The calling thread's slot; a thread without one gets it as OMPTAPE_THREAD_DELIVERS and gives it back when
 * it ends. NULL: nothing is recorded. `kind` is the record that is about to be written. */
struct omptape_slot *omptape_delivery_slot(enum omptape_kind kind);
/* Must come before the first of the above. Any thread, any number of times. */
void omptape_delivery_prepare(void);

/* True while what is recorded finds a reader. */
bool omptape_delivery_is_recording(void);

#endif
