/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Handles forked children. They must never write into their parent's buffers, and get their own session when
 * they use OpenMP. The handler runs in the child inside fork(), before the runtime's makes its first
 * callbacks.
 */
#include "buffers/producer.h"
#include "callbacks/callbacks.h"
#include "callbacks/gomp/gomp.h"
#include "callbacks/gomp/record.h"
#include "callbacks/gomp/runtimes.h"
#include "device/cupti/cupti.h"
#include "device/tracing.h"
#include "src/tool/libc.h"
#include "src/tool/tool.h"

#include <pthread.h>
#include <stdatomic.h>

static int32_t parent_pid; /* process of the session that this child was forked from; 0: none */

static void in_child(void)
{
    omptape_process_start_reset();
    omptape_workers_forget();
    omptape_gomp_forget();
    omptape_gomp_forget_threads();
    omptape_gomp_pending_tasks_forget();
    omptape_cupti_forget();
    omptape_tracing_forget();
    int32_t pid = omptape_session_forget();
    if (pid != 0)
        parent_pid = pid;
}

/* Returns true for callbacks that the runtime makes in a child that does not use OpenMP. Its fork handler
 * announces the thread and the initial task, and its destructor ends the parent's devices. */
static bool is_only_an_announcement(enum omptape_kind kind)
{
    return kind == OMPTAPE_THREAD_BEGIN || kind == OMPTAPE_THREAD_END || kind == OMPTAPE_IMPLICIT_BEGIN ||
           kind == OMPTAPE_IMPLICIT_END || kind == OMPTAPE_DEVICE_FINALIZE || kind == OMPTAPE_DEVICE_UNLOAD;
}

/* Records the thread and the initial task, which the runtime announced before the session started. */
static void announce_again(void)
{
    struct omptape_slot *slot = omptape_producer_attach(OMPTAPE_THREAD_BEGIN, ompt_thread_initial);
    if (slot == NULL)
        return;
    const uint64_t id = omptape_producer_id(slot);
    slot->gomp.task = id | OMPTAPE_ID_IMPLICIT;
    omptape_put2(slot, OMPTAPE_IMPLICIT_BEGIN, omptape_fold_flags(ompt_task_initial), 1, id, 1);
}

static struct omptape_shm *start_in_child(enum omptape_kind kind)
{
    if (parent_pid == 0 || is_only_an_announcement(kind))
        return NULL;
    int32_t parent = parent_pid;
    parent_pid = 0;
    if (omptape_session_start(parent) != 0)
        return NULL;
    announce_again();
    return atomic_load(&omptape_producer_shm);
}

void omptape_fork_watch(void)
{
    omptape_producer_late_start = start_in_child;
}

/* Registers the handler in a constructor, before the runtime registers its own: the child's handlers run in
 * the order of their registration. */
__attribute__((constructor)) static void register_handler(void)
{
    if (omptape_libc_may_act())
        pthread_atfork(NULL, NULL, in_child);
}
