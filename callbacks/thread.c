/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads: begin and end (OpenMP 5.2 sections 19.5.2.1, 19.5.2.2). Called by the runtime on the thread
 * concerned.
 */
#include "buffers/producer.h"
#include "callbacks/callbacks.h"

void omptape_on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data)
{
    (void)thread_data;
    omptape_producer_attach(OMPTAPE_THREAD_BEGIN, (unsigned)type);
}

void omptape_on_thread_end(ompt_data_t *thread_data)
{
    (void)thread_data;
    if (omptape_producer_slot != NULL)
        omptape_put(omptape_producer_slot, OMPTAPE_THREAD_END, 0, 0);
    omptape_producer_detach();
}
