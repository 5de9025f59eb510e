/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks for explicit tasks: creation, scheduling, dependences, cancellation (OpenMP 5.2 sections
 * 19.5.2.7 to 19.5.2.10, 19.5.2.18). Called on the thread that creates, switches or cancels the task.
 */
#include "buffers/held.h"
#include "buffers/producer.h"
#include "buffers/repeats.h"
#include "callbacks/callbacks.h"

enum { CREATE_WORDS = OMPTAPE_RECORD_HEADER_WORDS + 2 };

static __attribute__((noinline, cold)) void create_slow(struct omptape_slot *slot, uint64_t header,
                                                        ompt_data_t *new_task, const void *codeptr_ra)
{
    uint64_t id = omptape_producer_id(slot);
    if (new_task != NULL)
        new_task->value = id;
    omptape_producer_put_slow(slot, header, id, omptape_address(codeptr_ra), 0);
}

void omptape_on_task_create(ompt_data_t *encountering_task, const ompt_frame_t *frame, ompt_data_t *new_task,
                            int flags, int has_dependences, const void *codeptr_ra)
{
    (void)encountering_task;
    (void)frame;
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_TASK_CREATE);
    if (slot == NULL)
        return;
    uint64_t header = omptape_record_header(OMPTAPE_TASK_CREATE, CREATE_WORDS, omptape_fold_flags(flags),
                                            (uint32_t)has_dependences);
    uint64_t *place = omptape_producer_fast_reserve(slot, CREATE_WORDS);
    if (place == NULL) {
        create_slow(slot, header, new_task, codeptr_ra);
        return;
    }
    uint64_t id = omptape_producer_fast_id(slot);
    if (new_task != NULL)
        new_task->value = id;
    place[1] = header;
    place[2] = id;
    place[3] = omptape_address(codeptr_ra);
    omptape_producer_fast_commit(slot, place, CREATE_WORDS);
}

void omptape_on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    omptape_put2(omptape_producer_slot, OMPTAPE_TASK_SCHEDULE, (unsigned)status, 0, omptape_data_id(prior),
                 omptape_data_id(next));
}

/* How many dependences one record holds: one word for each variable, then one byte for each type. */
enum { DEPENDENCES_A_RECORD = 128 };

static void put_dependences(struct omptape_slot *slot, uint64_t task, const ompt_dependence_t *deps,
                            unsigned first, unsigned count)
{
    size_t words = OMPTAPE_RECORD_HEADER_WORDS + 1 + (size_t)count + (count + 7) / 8;
    struct omptape_record *record = omptape_producer_reserve(slot, words, OMPTAPE_DEPENDENCES, count, first);
    if (record == NULL)
        return;
    record->p[0] = task;
    record->p[words - OMPTAPE_RECORD_HEADER_WORDS - 1] = 0;
    unsigned char *types = (unsigned char *)&record->p[1 + count];
    for (unsigned i = 0; i < count; i++) {
        record->p[1 + i] = deps[first + i].variable.value;
        types[i] = (unsigned char)deps[first + i].dependence_type;
    }
    omptape_producer_commit(slot, record);
}

static void put_all_dependences(struct omptape_slot *slot, uint64_t task, const ompt_dependence_t *deps,
                                unsigned count)
{
    for (unsigned first = 0; first < count; first += DEPENDENCES_A_RECORD) {
        unsigned left = count - first;
        put_dependences(slot, task, deps, first, left < DEPENDENCES_A_RECORD ? left : DEPENDENCES_A_RECORD);
    }
}

/* Records that the thread has completed an iteration of a doacross loop, or has waited for one. Successive
 * ones are merged into a row (buffers/repeats.h). */
static void turn_in_row(struct omptape_slot *slot, uint64_t task, const ompt_dependence_t *deps,
                        unsigned count)
{
    const bool is_wait = deps->dependence_type == ompt_dependence_type_sink;
    const uint64_t now = omptape_repeats_continue(slot, OMPTAPE_REPEATS_TURNS, task);
    if (now != 0 && omptape_repeats_extend_turn(slot, now, is_wait))
        return;
    const bool held = omptape_repeats_must_hold(slot);
    if (held)
        omptape_held_put(slot, OMPTAPE_TURNS, 0, 0, 1, 0);
    else
        put_all_dependences(slot, task, deps, count);
    omptape_repeats_count(slot, OMPTAPE_REPEATS_TURNS, task, held);
}

void omptape_on_dependences(ompt_data_t *task_data, const ompt_dependence_t *deps, int count)
{
    struct omptape_slot *slot = omptape_producer_get(OMPTAPE_DEPENDENCES);
    if (slot == NULL || count <= 0)
        return;
    const bool is_turn = deps->dependence_type == ompt_dependence_type_sink ||
                         deps->dependence_type == ompt_dependence_type_source;
    /* A signal handler that interrupted the recording of a row records its dependences one by one. */
    if (!is_turn || !omptape_repeats_acquire(slot)) {
        put_all_dependences(slot, omptape_data_id(task_data), deps, (unsigned)count);
        return;
    }
    turn_in_row(slot, omptape_data_id(task_data), deps, (unsigned)count);
    omptape_repeats_release(slot);
}

void omptape_on_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
    omptape_put2(omptape_producer_slot, OMPTAPE_TASK_DEPENDENCE, 0, 0, omptape_data_id(source),
                 omptape_data_id(sink));
}

void omptape_on_cancel(ompt_data_t *task_data, int flags, const void *codeptr_ra)
{
    omptape_put2(omptape_producer_slot, OMPTAPE_CANCEL, 0, (uint32_t)flags, omptape_data_id(task_data),
                 omptape_address(codeptr_ra));
}
