/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for parallel regions, teams regions and their implicit tasks (OpenMP 5.2 sections 19.5.2.3,
 * 19.5.2.4, 19.5.2.11). The runtime calls them on the encountering thread, and for an implicit task on the
 * member of the team.
 */
#include "buffers/producer.h"
#include "callbacks/callbacks.h"
#include "callbacks/module.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Records the place and the processors of the calling thread. It must not be called in thread_begin: the
 * runtime would then determine its places at once, and deadlock in a forked child. */
static __attribute__((noinline, cold)) void note_places(struct omptape_slot *slot)
{
    static atomic_bool described;
    if (!atomic_exchange(&described, true) && omptape_entry_points.at_first_parallel != NULL)
        omptape_entry_points.at_first_parallel();
    slot->place_recorded = 1;
    enum { MASK_WORDS = 128 };
    uint64_t mask[MASK_WORDS];
    int saved = errno;
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
    errno = saved;
    size_t words = bytes > 0 ? (size_t)bytes / sizeof(mask[0]) : 0;
    int place = omptape_entry_points.get_place_num != NULL ? omptape_entry_points.get_place_num() : -1;
    omptape_producer_put_words(slot, OMPTAPE_PLACE, 0, place >= 0 ? (uint32_t)place : UINT32_MAX, mask,
                               words);
}

enum { BEGIN_WORDS = OMPTAPE_RECORD_HEADER_WORDS + 3 };

static __attribute__((noinline, cold)) void begin_parallel_slowly(struct omptape_slot *slot, uint64_t header,
                                                                  ompt_data_t *parallel_data,
                                                                  const void *codeptr_ra, uint64_t task)
{
    parallel_data->value = omptape_producer_id(slot);
    omptape_producer_put_slow(slot, header, parallel_data->value, omptape_address(codeptr_ra), task);
}

void omptape_on_parallel_begin(ompt_data_t *encountering_task, const ompt_frame_t *frame,
                               ompt_data_t *parallel_data, unsigned requested, int flags,
                               const void *codeptr_ra)
{
    (void)frame;
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_PARALLEL_BEGIN);
    if (slot == NULL)
        return;
    omptape_module_check(slot, (uintptr_t)codeptr_ra);
    uint64_t header =
        omptape_record_header(OMPTAPE_PARALLEL_BEGIN, BEGIN_WORDS, omptape_fold_flags(flags), requested);
    uint64_t task = omptape_data_id(encountering_task);
    uint64_t *place = omptape_producer_fast_reserve(slot, BEGIN_WORDS);
    if (place == NULL) {
        begin_parallel_slowly(slot, header, parallel_data, codeptr_ra, task);
        return;
    }
    uint64_t id = omptape_producer_fast_id(slot);
    parallel_data->value = id;
    place[1] = header;
    place[2] = id;
    place[3] = omptape_address(codeptr_ra);
    place[4] = task;
    omptape_producer_fast_commit(slot, place, BEGIN_WORDS);
}

void omptape_on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *encountering_task, int flags,
                             const void *codeptr_ra)
{
    (void)encountering_task;
    (void)codeptr_ra;
    omptape_put1(omptape_producer_slot, OMPTAPE_PARALLEL_END, omptape_fold_flags(flags), 0,
                 omptape_data_id(parallel_data));
}

void omptape_on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                              ompt_data_t *task_data, unsigned actual, unsigned index, int flags)
{
    if (endpoint == ompt_scope_end) {
        /* The runtime no longer passes the region here. The task's word still has its identity. */
        omptape_put1(omptape_producer_slot, OMPTAPE_IMPLICIT_END, omptape_fold_flags(flags), index,
                     omptape_data_id(task_data) & ~OMPTAPE_ID_IMPLICIT);
        return;
    }
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_IMPLICIT_BEGIN);
    if (slot == NULL)
        return;
    uint64_t id = omptape_data_id(parallel_data);
    if (id != 0 && slot->place_recorded == 0)
        note_places(slot);
    /* The initial task belongs to an implicit region without a parallel_begin. */
    if (id == 0)
        id = omptape_producer_id(slot);
    if (task_data != NULL)
        task_data->value = id | OMPTAPE_ID_IMPLICIT;
    omptape_put2(slot, OMPTAPE_IMPLICIT_BEGIN, omptape_fold_flags(flags), index, id, actual);
}
