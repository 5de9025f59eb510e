/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds what unfinished MPI calls wait for (calls.h).
 */
#include "src/analysis/mpi/calls.h"

#include "src/analysis/opens.h"

/* Number of requests that the record of one call can contain. */
enum { MAX_WANTED = 17 };

struct call_wants {
    struct waits_call *call; /* after the call's end only its address and begin are valid */
    const struct analysis_region *region;
    uint64_t begin;
    uint32_t count;
    struct waits_wanted list[MAX_WANTED];
};

struct waits_wanted omptape_waits_wanted(const struct analysis_state *state,
                                         const struct omptape_event *event)
{
    struct waits_wanted wanted = {0};
    wanted.request = event->kind == OMPTAPE_EVENT_MPI_TESTED ? event->value[0] : OMPTAPE_EVENT_NO_REQUEST;
    wanted.is_known = omptape_event_number(state->reader, event, READER_AWAITED_COMM, &wanted.comm);
    wanted.has_rank = omptape_event_number(state->reader, event, READER_AWAITED_RANK, &wanted.rank);
    wanted.has_tag = omptape_event_number(state->reader, event, READER_AWAITED_TAG, &wanted.tag);
    wanted.is_collective =
        omptape_event_number(state->reader, event, READER_AWAITED_OPERATION, &wanted.operation);
    return wanted;
}

static bool has_request(const struct call_wants *wants, uint64_t request)
{
    for (uint32_t i = 0; i < wants->count; i++)
        if (wants->list[i].request == request)
            return true;
    return false;
}

void omptape_waits_end_wants(struct waits *waits, const struct waits_call *call,
                             const struct waits_wanted *wanted)
{
    struct call_wants *wants =
        omptape_pairs_obtain(&waits->wants, &waits->arena, 0, call->location, sizeof(*wants));
    if (wants == NULL)
        return;
    /* Only the first record of a tested request contains what it waits for. */
    if (call->about.polls && !wanted->is_known && has_request(wants, wanted->request))
        return;
    if (wants->call != call || wants->begin != call->begin)
        *wants = (struct call_wants){
            .call = (struct waits_call *)call, .region = call->region, .begin = call->begin};
    if (wants->count < MAX_WANTED)
        wants->list[wants->count++] = *wanted;
}

void omptape_waits_end_open(struct waits *waits, const struct waits_call *call)
{
    struct call_wants *wants = omptape_pairs_get(&waits->wants, 0, call->location);
    struct call_wants *open =
        omptape_pairs_obtain(&waits->unfinished, &waits->arena, call->process, call->location, sizeof(*open));
    if (open == NULL)
        return;
    if (open->call != NULL)
        omptape_waits_call_drop(waits, open->call);
    const bool same = wants != NULL && wants->call == call && wants->begin == call->begin;
    if (same || (wants != NULL && call->about.polls && wants->region == call->region))
        *open = *wants;
    else
        *open = (struct call_wants){0};
    open->call = omptape_waits_call_use((struct waits_call *)call);
}

void omptape_waits_end_lock(struct waits *waits, const struct waits_call *call,
                            const struct omptape_event *event)
{
    const struct omptape_definition *window =
        omptape_reader_find(waits->state->reader, OMPTAPE_DEF_RMA_WIN, event->refs[0].id);
    int64_t *locks = window != NULL ? omptape_pairs_obtain(&waits->lock_counts, &waits->arena,
                                                           window->refs[1].id, call->process, sizeof(*locks))
                                    : NULL;
    if (locks != NULL)
        *locks += event->kind == OMPTAPE_EVENT_RMA_LOCK ? 1 : -1;
}

/* Returns a call of the process that never ended, or NULL. With several threads it is any of them. */
static const struct call_wants *open_of(struct waits *waits, uint64_t process)
{
    for (uint32_t i = 0; i < waits->unfinished.count; i++)
        if (waits->unfinished.list[i].high == process)
            return waits->unfinished.list[i].value;
    return NULL;
}

static void await(struct analysis_open *open, uint64_t process)
{
    if (process == OMPTAPE_NO_PROCESS)
        open->untraced++;
    else if (open->awaited_count < ANALYSIS_OPEN_AWAITED)
        open->awaited[open->awaited_count++] = process + 1;
    else
        open->awaited_count++;
}

/* Arguments of has_arrived: an operation, and in how many of its order the waiting process took part before.
 */
struct arrival {
    struct waits *waits;
    uint64_t order;
    uint64_t comm;
    uint64_t operation;
    uint64_t before;
};

static bool wants_operation(const struct call_wants *wants, const struct arrival *arrival)
{
    for (uint32_t i = 0; i < wants->count; i++)
        if (wants->list[i].is_collective && wants->list[i].comm == arrival->comm &&
            wants->list[i].operation == arrival->operation)
            return true;
    return false;
}

static bool has_arrived(const struct arrival *arrival, uint64_t process)
{
    struct waits *waits = arrival->waits;
    const uint64_t count = omptape_waits_collectives_of(waits, arrival->order, process);
    if (count != arrival->before)
        return count > arrival->before;
    for (uint32_t i = 0; i < waits->unfinished.count; i++)
        if (waits->unfinished.list[i].high == process &&
            wants_operation(waits->unfinished.list[i].value, arrival))
            return true;
    return false;
}

static void await_absent(struct analysis_open *open, const struct arrival *arrival,
                         const struct omptape_rank_list *ranks, uint64_t own)
{
    for (uint32_t i = 0; i < ranks->size; i++)
        if (ranks->processes[i] != own &&
            (ranks->processes[i] == OMPTAPE_NO_PROCESS || !has_arrived(arrival, ranks->processes[i])))
            await(open, ranks->processes[i]);
}

/* Adds the processes that a collective operation waits for. The root's data may reach others through any
 * member. */
static void await_collective(struct waits *waits, struct analysis_open *open, const struct waits_call *call,
                             const struct waits_wanted *wanted)
{
    const struct omptape_rank_list *ranks = omptape_ranks_of(&waits->channels.ranks, wanted->comm);
    const uint64_t order = (call->about.waits ? WAITS_POSTED : WAITS_BLOCKING) | wanted->comm;
    const struct arrival arrival = {.waits = waits,
                                    .order = order,
                                    .comm = wanted->comm,
                                    .operation = wanted->operation,
                                    .before = omptape_waits_collectives_of(waits, order, call->process)};
    open->why = ANALYSIS_OPEN_WHY_COLLECTIVE;
    if (ranks == NULL)
        return;
    const uint64_t root =
        wanted->has_rank && wanted->rank < ranks->size ? ranks->processes[wanted->rank] : call->process;
    if (omptape_collective_needs_of(wanted->operation) == OMPTAPE_NEEDS_ROOT && root != call->process &&
        root != OMPTAPE_NO_PROCESS && !has_arrived(&arrival, root))
        await(open, root);
    else
        await_absent(open, &arrival, ranks, call->process);
}

static bool is_from(const struct omptape_unreceived *sent, uint64_t sender, uint64_t receiver)
{
    return sent->count > 0 && sent->receiver == receiver &&
           (sender == OMPTAPE_NO_PROCESS || sent->sender == sender);
}

/* Returns true if the awaited message was sent. Notes messages with other tags that nobody received. */
static bool is_sent(struct waits *waits, struct analysis_open *open, uint64_t receiver,
                    const struct waits_wanted *wanted, uint64_t sender)
{
    struct omptape_unreceived sent;
    for (uint32_t i = 0; omptape_channels_unreceived(&waits->channels, i, &sent); i++) {
        if (!is_from(&sent, sender, receiver) || sent.comm != wanted->comm)
            continue;
        if (!wanted->has_tag || sent.tag == wanted->tag)
            return true;
        open->other += sent.count;
        open->other_tag = sent.tag;
    }
    return false;
}

static void await_message(struct waits *waits, struct analysis_open *open, const struct waits_call *call,
                          const struct waits_wanted *wanted)
{
    const struct omptape_rank_list *ranks = omptape_ranks_of(&waits->channels.ranks, wanted->comm);
    const uint64_t sender = wanted->has_rank ? omptape_ranks_process(&waits->channels.ranks, wanted->comm,
                                                                     wanted->rank, call->process)
                                             : OMPTAPE_NO_PROCESS;
    open->why = ANALYSIS_OPEN_WHY_MESSAGE;
    open->any = !wanted->has_rank;
    open->has_tag = wanted->has_tag;
    open->tag = wanted->tag;
    if (is_sent(waits, open, call->process, wanted, sender)) {
        open->why = ANALYSIS_OPEN_WHY_NOTHING;
        return;
    }
    if (wanted->has_rank)
        await(open, sender);
    for (uint32_t i = 0; !wanted->has_rank && ranks != NULL && i < ranks->size; i++)
        if (ranks->processes[i] != call->process)
            await(open, ranks->processes[i]);
}

static void await_receive(struct waits *waits, struct analysis_open *open, const struct waits_call *call,
                          const struct waits_wanted *wanted)
{
    const uint64_t receiver =
        omptape_ranks_process(&waits->channels.ranks, wanted->comm, wanted->rank, call->process);
    struct omptape_unreceived sent;
    open->why = ANALYSIS_OPEN_WHY_NOTHING;
    open->has_tag = true;
    open->tag = wanted->tag;
    for (uint32_t i = 0; omptape_channels_unreceived(&waits->channels, i, &sent); i++)
        if (is_from(&sent, call->process, receiver) && sent.comm == wanted->comm && sent.tag == wanted->tag)
            open->why = ANALYSIS_OPEN_WHY_RECEIVE;
    if (open->why == ANALYSIS_OPEN_WHY_RECEIVE)
        await(open, receiver);
}

static bool is_in_window(struct waits *waits, uint64_t process, uint64_t comm)
{
    const struct call_wants *wants = open_of(waits, process);
    for (uint32_t i = 0; wants != NULL && i < wants->count; i++)
        if (wants->list[i].is_known && wants->list[i].comm == comm && !wants->list[i].is_collective &&
            !wants->list[i].has_tag && wants->call->about.is_rma)
            return true;
    return false;
}

/* Returns the group of the epoch that the call ends; NULL if it is the whole communicator or unknown. */
static const struct omptape_rank_list *group_of(struct waits *waits, const struct waits_call *call)
{
    const enum waits_step begun = call->about.step == WAITS_WAIT       ? WAITS_POST
                                  : call->about.step == WAITS_COMPLETE ? WAITS_START
                                                                       : WAITS_NO_STEP;
    const uint64_t *group = omptape_pairs_get(&waits->groups, begun, call->process);
    return group != NULL ? omptape_ranks_of_group(&waits->channels.ranks, *group) : NULL;
}

void omptape_waits_end_group(struct waits *waits, const struct waits_call *call,
                             const struct omptape_event *event)
{
    uint64_t *group =
        omptape_pairs_obtain(&waits->groups, &waits->arena, call->about.step, call->process, sizeof(*group));
    if (group != NULL)
        *group = event->refs[1].id;
}

/* Adds the processes that a window operation waits for: the holders of a lock, or the target if nobody holds
 * one. Without a rank: all members that are in no call on this window. */
static void await_window(struct waits *waits, struct analysis_open *open, const struct waits_call *call,
                         const struct waits_wanted *wanted)
{
    const struct omptape_rank_list *ranks = omptape_ranks_of(&waits->channels.ranks, wanted->comm);
    open->why = ANALYSIS_OPEN_WHY_WINDOW;
    for (uint32_t i = 0; ranks != NULL && wanted->has_rank && i < ranks->size; i++) {
        const int64_t *locks = omptape_pairs_get(&waits->lock_counts, wanted->comm, ranks->processes[i]);
        if (ranks->processes[i] == call->process || locks == NULL || *locks <= 0)
            continue;
        await(open, ranks->processes[i]);
        open->locked = true;
    }
    if (wanted->has_rank && open->awaited_count == 0)
        await(open, omptape_ranks_process(&waits->channels.ranks, wanted->comm, wanted->rank, call->process));
    const struct omptape_rank_list *group = group_of(waits, call);
    ranks = group != NULL ? group : ranks;
    for (uint32_t i = 0; ranks != NULL && !wanted->has_rank && i < ranks->size; i++)
        if (ranks->processes[i] != call->process && !is_in_window(waits, ranks->processes[i], wanted->comm))
            await(open, ranks->processes[i]);
}

/* MPI_Finalize: adds all members of the world that have not called it. */
static void await_end(struct waits *waits, struct analysis_open *open, const struct waits_call *call)
{
    const uint64_t world = omptape_ranks_world_of(&waits->channels.ranks, call->process);
    const struct omptape_rank_list *ranks = omptape_ranks_of(&waits->channels.ranks, world);
    open->why = ANALYSIS_OPEN_WHY_COLLECTIVE;
    for (uint32_t i = 0; ranks != NULL && i < ranks->size; i++)
        if (ranks->processes[i] != call->process &&
            omptape_waits_collectives_of(waits, WAITS_END | world, ranks->processes[i]) == 0)
            await(open, ranks->processes[i]);
}

static void await_one(struct waits *waits, struct analysis_open *open, const struct waits_call *call,
                      const struct waits_wanted *wanted)
{
    if (!wanted->is_known)
        return;
    if (wanted->sends)
        await_receive(waits, open, call, wanted);
    else if (wanted->is_collective)
        await_collective(waits, open, call, wanted);
    else if (call->about.is_rma)
        await_window(waits, open, call, wanted);
    else
        await_message(waits, open, call, wanted);
}

/* Adds the processes for the first request that cannot have completed. Returns false if there is none. */
static bool await_first(struct waits *waits, struct analysis_open *open, const struct waits_call *call,
                        const struct call_wants *wants)
{
    const struct analysis_open plain = *open;
    for (uint32_t i = 0; i < wants->count; i++) {
        *open = plain;
        await_one(waits, open, call, &wants->list[i]);
        if (open->awaited_count > 0 || open->untraced > 0)
            return true;
    }
    return false;
}

static void find_awaited(struct waits *waits, struct analysis_open *open, const struct call_wants *wants)
{
    const struct waits_call *call = wants->call;
    if (call->about.polls && call->polling.begin != 0) {
        open->polls = true;
        open->begin = call->polling.begin;
        open->before = 0;
    }
    if (await_first(waits, open, call, wants))
        return;
    if (call->sent.sends)
        await_receive(waits, open, call, &call->sent);
    else if (call->about.ends)
        await_end(waits, open, call);
}

/* For a thread that polls until its events end: uses its last polling call. */
static void store_polling(struct waits *waits, const struct waits_thread *thread)
{
    struct analysis_open *open = omptape_pairs_get(&waits->state->opens, 0, thread->location);
    const struct waits_polling *polling = &thread->polling;
    if (open == NULL || open->kind != ANALYSIS_OPEN_WORK || thread->call != NULL || !thread->polled ||
        polling->region == NULL ||
        omptape_times(2, omptape_plus(polling->inside, polling->between)) <
            omptape_minus(open->end, polling->begin))
        return;
    open->kind = ANALYSIS_OPEN_MPI;
    open->polls = true;
    open->region = polling->region->definition->id + 1;
    open->begin = polling->begin;
    open->before = 0;
    const struct call_wants *wants = omptape_pairs_get(&waits->wants, 0, thread->location);
    const struct waits_call polled = {.process = thread->process};
    if (wants != NULL && wants->region == polling->region)
        (void)await_first(waits, open, &polled, wants);
}

void omptape_waits_ends_store(struct waits *waits)
{
    struct analysis_state *state = waits->state;
    for (uint32_t i = 0; i < waits->threads.count && !state->mpi_incomplete; i++)
        store_polling(waits, waits->threads.list[i].value);
    for (uint32_t i = 0; i < waits->unfinished.count; i++) {
        const struct call_wants *wants = waits->unfinished.list[i].value;
        struct analysis_open *open = omptape_pairs_get(&state->opens, 0, wants->call->location);
        if (open != NULL && open->kind == ANALYSIS_OPEN_MPI && !state->mpi_incomplete &&
            !omptape_out_of_memory)
            find_awaited(waits, open, wants);
        omptape_waits_call_drop(waits, wants->call);
    }
}
