/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that ask again and again (polls.h). The end of the last one is held back (buffers/held.h): the next
 * one puts it off and needs no records of its own, unless something else came in between.
 */
#include "callbacks/mpi/polls.h"

#include "buffers/held.h"

/* So many of a row are recorded one by one, and so many of a thread: there is room for those of a short run.
 */
enum { ALONE = 256, ALONE_OF_THREAD = 50000 };
/* A row is dense if it takes no more than so long from one to the next in the mean, and goes on as long as
 * none takes more than a few times that: what a program does meanwhile is to be seen. */
enum { MOST_MEAN_NS = 2000, MOST_TIMES_MEAN = 8 };

bool omptape_mpi_polls_each;

static bool goes_on(const struct omptape_mpi_call *call, uint64_t now)
{
    const struct omptape_polls *row = &call->slot->polls;
    return row->count > 0 && row->function == call->number && row->site == call->site &&
           row->after == call->slot->cursor && (row->count <= ALONE || now - row->last <= row->most_between);
}

struct omptape_mpi_poll omptape_mpi_poll_enter(const struct omptape_mpi_call *call)
{
    struct omptape_polls *row = &call->slot->polls;
    const uint64_t now = omptape_clock_now();
    if (!goes_on(call, now))
        row->count = 0;
    if (row->count > ALONE && omptape_held_is_last(call->slot))
        return (struct omptape_mpi_poll){.begin = now};
    omptape_mpi_enter(call);
    return (struct omptape_mpi_poll){.begin = 0};
}

void omptape_mpi_poll_found(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll)
{
    if (poll->begin == 0)
        return;
    struct omptape_record *record = omptape_producer_reserve(call->slot, OMPTAPE_RECORD_HEADER_WORDS + 1,
                                                             OMPTAPE_MPI_ENTER, call->number, 0);
    if (record != NULL) {
        /* What came meanwhile is before it. */
        if (omptape_held_is_last(call->slot))
            record->time = poll->begin;
        record->p[0] = call->site;
        omptape_producer_commit(call->slot, record);
    }
    poll->begin = 0;
}

/* There are enough of them: are they dense? */
static bool is_dense(struct omptape_polls *row)
{
    const uint64_t mean_ns = (omptape_clock_raw_ns() - row->first_raw_ns) / ALONE;
    row->most_between = (row->last - row->first) / ALONE * MOST_TIMES_MEAN;
    return mean_ns <= MOST_MEAN_NS;
}

/* One more, whose begin is recorded. */
static void count_one(const struct omptape_mpi_call *call)
{
    struct omptape_polls *row = &call->slot->polls;
    if (row->count > ALONE && row->alone >= ALONE_OF_THREAD) {
        row->together = 1;
        omptape_held_put(call->slot, OMPTAPE_MPI_LEAVE, call->number, 0, row->together);
    } else {
        row->alone++;
        omptape_mpi_leave(call);
    }
    if (omptape_mpi_polls_each)
        return;
    row->last = omptape_clock_now();
    row->after = call->slot->cursor;
    if (row->count++ == 0) {
        row->function = call->number;
        row->site = call->site;
        row->first = row->last;
        row->first_raw_ns = omptape_clock_raw_ns();
    } else if (row->count == ALONE + 1 && !is_dense(row)) {
        row->count = 0;
    }
}

void omptape_mpi_poll_leave(const struct omptape_mpi_call *call, struct omptape_mpi_poll *poll, bool found)
{
    struct omptape_polls *row = &call->slot->polls;
    if (found) {
        omptape_mpi_poll_found(call, poll);
        omptape_mpi_leave(call);
        row->count = 0;
    } else if (poll->begin == 0) {
        count_one(call);
    } else {
        row->last = omptape_clock_now();
        if (omptape_held_renew(call->slot, row->last, row->together + 1)) {
            row->together++;
        } else { /* something came meanwhile */
            omptape_mpi_poll_found(call, poll);
            omptape_mpi_leave(call);
            row->count = 0;
        }
    }
}
