/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records polling calls (calls.h) as rows (buffers/repeats.h).
 */
#include "callbacks/mpi/calls.h"

#include "buffers/held.h"
#include "buffers/repeats.h"

bool omptape_mpi_polls_each;

struct omptape_mpi_poll omptape_mpi_poll_enter(const struct omptape_mpi_call *call)
{
    const uint64_t begin = omptape_repeats_continue(call->slot, call->number, call->site);
    if (begin == 0)
        omptape_mpi_enter(call);
    return (struct omptape_mpi_poll){.begin = begin};
}

bool omptape_mpi_poll_must_describe(const struct omptape_mpi_call *call, const struct omptape_mpi_poll *poll)
{
    if (poll->begin != 0 || call->slot->repeats.polled_site == call->site)
        return false;
    call->slot->repeats.polled_site = call->site;
    return true;
}

struct omptape_mpi_poll omptape_mpi_poll_enter_receiving(const struct omptape_mpi_call *call,
                                                         const struct omptape_mpi_comm *comm, int sender,
                                                         int tag)
{
    const struct omptape_mpi_poll poll = {.begin =
                                              omptape_repeats_continue(call->slot, call->number, call->site)};
    if (poll.begin != 0)
        return poll;
    if (omptape_mpi_poll_must_describe(call, &poll))
        omptape_mpi_enter_receiving(call, comm, sender, tag);
    else
        omptape_mpi_enter(call);
    return poll;
}

void omptape_mpi_poll_found(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll)
{
    if (poll->begin == 0)
        return;
    struct omptape_record *record = omptape_producer_reserve(call->slot, OMPTAPE_RECORD_HEADER_WORDS + 1,
                                                             OMPTAPE_MPI_ENTER, call->number, 0);
    if (record != NULL) {
        /* Other records that came meanwhile must not be later. */
        if (omptape_held_is_last(call->slot))
            record->time = poll->begin;
        record->p[0] = call->site;
        omptape_producer_commit(call->slot, record);
    }
    poll->begin = 0;
}

/* Counts an unsuccessful poll whose begin is recorded. */
static void count_one(const struct omptape_mpi_call *call)
{
    const bool held = omptape_repeats_must_hold(call->slot);
    if (held)
        omptape_held_put(call->slot, OMPTAPE_MPI_LEAVE, call->number, 0, 1, 0);
    else
        (void)omptape_mpi_leave(call, 0);
    if (!omptape_mpi_polls_each)
        omptape_repeats_count(call->slot, call->number, call->site, held);
}

void omptape_mpi_poll_leave(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll, bool found)
{
    if (!found && poll->begin == 0) {
        count_one(call);
        return;
    }
    if (!found && omptape_repeats_extend(call->slot, omptape_clock_now()))
        return;
    omptape_mpi_poll_found(call, poll);
    (void)omptape_mpi_leave(call, 0);
    omptape_repeats_end(call->slot);
    if (found)
        call->slot->repeats.polled_site = 0;
}
