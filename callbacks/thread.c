/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for the begin and end of threads (OpenMP 5.2 sections 19.5.2.1, 19.5.2.2). The runtime calls
 * them on that thread. The OMPT data word of a thread holds its ompt_thread_t.
 */
#include "buffers/producer.h"
#include "callbacks/callbacks.h"

static atomic_int workers;

/* The address of the OMPT data word of the runtime's first thread. It stays valid until that thread ends. */
static _Atomic(ompt_data_t *) first;

int omptape_workers(void)
{
    return atomic_load(&workers);
}

void omptape_workers_forget(void)
{
    atomic_store(&workers, 0);
    atomic_store(&first, NULL);
}

void omptape_on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data)
{
    if (thread_data != NULL)
        thread_data->value = type;
    ompt_data_t *none = NULL;
    if (type == ompt_thread_worker)
        atomic_fetch_add(&workers, 1);
    else if (type == ompt_thread_initial)
        (void)atomic_compare_exchange_strong(&first, &none, thread_data);
    omptape_producer_attach(OMPTAPE_THREAD_BEGIN, (unsigned)type);
}

void omptape_on_thread_end(ompt_data_t *thread_data)
{
    if (omptape_data_id(thread_data) == ompt_thread_worker)
        atomic_fetch_sub(&workers, 1);
    if (thread_data != NULL && thread_data == atomic_load(&first) &&
        omptape_entry_points.at_first_thread_end != NULL)
        omptape_entry_points.at_first_thread_end();
    if (omptape_producer_slot != NULL)
        omptape_put(omptape_producer_slot, OMPTAPE_THREAD_END, 0, 0);
    omptape_producer_detach();
}
