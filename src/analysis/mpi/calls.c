/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tracks MPI calls and determines for which processes they wait (calls.h).
 */
#include "src/analysis/mpi/calls.h"

#include "src/analysis/causes.h"
#include "src/archive/read/regions.h"
#include "src/core/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct waits_thread *omptape_waits_thread(struct waits *waits, uint64_t location)
{
    struct waits_thread *thread = omptape_pairs_get(&waits->threads, 0, location);
    if (thread != NULL)
        return thread;
    thread = omptape_pairs_obtain(&waits->threads, &waits->arena, 0, location, sizeof(*thread));
    if (thread == NULL)
        return NULL;
    thread->location = location;
    thread->process = omptape_ranks_process_of(waits->state->reader, location);
    return thread;
}

/* Stands for several threads of a process that call MPI. Only its address is used, and never what it holds.
 */
static struct waits_thread several;

static void note_caller(struct waits *waits, struct waits_thread *thread)
{
    const struct waits_thread *known = omptape_pairs_get(&waits->callers, 0, thread->process);
    (void)omptape_pairs_put(&waits->callers, 0, thread->process,
                            known == NULL || known == thread ? thread : &several);
}

const struct waits_thread *omptape_waits_caller(struct waits *waits, uint64_t process)
{
    const struct waits_thread *known = omptape_pairs_get(&waits->callers, 0, process);
    return known != &several ? known : NULL;
}

void omptape_waits_call_drop(struct waits *waits, struct waits_call *call)
{
    if (--call->uses > 0)
        return;
    omptape_free_list_free(&waits->free_calls, call);
}

static enum waits_step step_of(const char *function)
{
    static const char *const names[WAITS_STEPS] = {[WAITS_POST] = "MPI_Win_post",
                                                   [WAITS_START] = "MPI_Win_start",
                                                   [WAITS_COMPLETE] = "MPI_Win_complete",
                                                   [WAITS_WAIT] = "MPI_Win_wait"};
    for (unsigned i = WAITS_NO_STEP + 1; i < WAITS_STEPS; i++)
        if (strcmp(function, names[i]) == 0)
            return (enum waits_step)i;
    return strcmp(function, "MPI_Win_test") == 0 ? WAITS_WAIT : WAITS_NO_STEP;
}

/* Returns true if the function tests for completion or for a message, and leaves receiving to another call.
 */
static bool is_poll(const char *function)
{
    static const char *const names[] = {
        "MPI_Test",   "MPI_Testall", "MPI_Testany",  "MPI_Testsome",           "MPI_Probe",    "MPI_Iprobe",
        "MPI_Mprobe", "MPI_Improbe", "MPI_Win_test", "MPI_Request_get_status", "MPI_Parrived", NULL};
    return omptape_is_one_of(function, names);
}

/* Returns true for functions that begin or end accesses to a window, or complete them. */
static bool is_synchronisation(const char *function)
{
    return omptape_starts_with(function, "MPI_Win_fence") || omptape_starts_with(function, "MPI_Win_lock") ||
           omptape_starts_with(function, "MPI_Win_unlock") || omptape_starts_with(function, "MPI_Win_flush");
}

static struct waits_region region_of(struct waits *waits, uint64_t id)
{
    struct waits_region *known = omptape_pairs_get(&waits->regions, 0, id);
    if (known != NULL)
        return *known;
    const struct omptape_reader *reader = waits->state->reader;
    const struct omptape_definition *definition = omptape_reader_find(reader, OMPTAPE_DEF_REGION, id);
    struct waits_region region = {.kind = OMPTAPE_REGION_KIND_COUNT};
    if (definition != NULL)
        region.kind = definition->region->kind;
    if (region.kind == OMPTAPE_REGION_MPI) {
        char function[sizeof("MPI_Request_get_status_all")]; /* a place may follow the name */
        const char *name = omptape_reader_name(reader, OMPTAPE_DEF_REGION, id);
        snprintf(function, sizeof(function), "%.*s", (int)strcspn(name, " "), name);
        region.step = step_of(function);
        region.ends = strcmp(function, "MPI_Finalize") == 0;
        region.is_rma = definition->value[0] == OTF2_REGION_ROLE_RMA;
        region.waits = omptape_starts_with(function, "MPI_Wait");
        region.synchronises = is_synchronisation(function);
        region.polls = is_poll(function);
        region.fetches = strcmp(function, "MPI_Imrecv") == 0;
        region.probes = region.polls && strstr(function, "robe") != NULL;
    }
    known = omptape_pairs_obtain(&waits->regions, &waits->arena, 0, id, sizeof(*known));
    if (known != NULL)
        *known = region;
    return region;
}

/* Returns the thread's entry for the region. If the table is full, the entry with the least time is replaced.
 */
static struct waits_place *place_of(struct waits_thread *thread, struct analysis_region *region)
{
    struct waits_place *least = &thread->places[0];
    for (uint32_t i = 0; i < thread->place_count; i++) {
        if (thread->places[i].region == region)
            return &thread->places[i];
        if (thread->places[i].time < least->time)
            least = &thread->places[i];
    }
    struct waits_place *place =
        thread->place_count < WAITS_PLACES ? &thread->places[thread->place_count++] : least;
    *place = (struct waits_place){.region = region};
    return place;
}

/* Accounts the time since the last change to the thread's outermost construct. */
static void account_until(struct waits_thread *thread, uint64_t time)
{
    uint64_t spent = time > thread->since ? time - thread->since : 0;
    thread->since = time;
    if (thread->call == NULL && spent > 0)
        place_of(thread, thread->outermost)->time += spent;
}

static struct analysis_region *most_of(const struct waits_thread *thread)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < thread->place_count; i++)
        most = thread->places[i].time > thread->places[most].time ? i : most;
    return thread->place_count > 0 ? thread->places[most].region : NULL;
}

/* Returns the end of the history if the call continues a row: calls of one function that wait for nobody,
 * with shorter times between them. Returns NULL otherwise. */
static const struct waits_activity *row_before(const struct waits_history *history,
                                               const struct waits_activity *call)
{
    if (history->count < 2 || !call->calls || call->until > 0)
        return NULL;
    const struct waits_activity *gap = &history->list[history->count - 1];
    const struct waits_activity *before = gap - 1;
    return !gap->calls && gap->end - gap->begin < call->end - call->begin && before->calls &&
                   before->until == 0 && before->region == call->region && before->end == gap->begin
               ? before
               : NULL;
}

/* Returns the entry that is shortest compared with how long ago it ended. The last two may become a row. */
static uint32_t least_important(const struct waits_history *history, uint64_t now)
{
    uint32_t least = 0;
    double lowest = INFINITY;
    for (uint32_t i = 0; i + 2 < history->count; i++) {
        const struct waits_activity *activity = &history->list[i];
        const double age = (double)(now > activity->end ? now - activity->end : 1);
        const double share = (double)(activity->end - activity->begin) / age;
        if (share < lowest) {
            lowest = share;
            least = i;
        }
    }
    return least;
}

/* Adds what a thread did, and drops earlier entries that were shorter. A row of calls is one entry. */
static void remember(struct waits_history *history, const struct waits_activity *added)
{
    struct waits_activity extended = *added;
    const struct waits_activity *activity = &extended;
    const struct waits_activity *row = row_before(history, added);
    extended.begin = row != NULL ? row->begin : added->begin;
    while (history->count > 0 &&
           history->list[history->count - 1].end - history->list[history->count - 1].begin <=
               activity->end - activity->begin)
        history->count--;
    if (history->count == WAITS_HISTORY) {
        const uint32_t least = least_important(history, activity->end);
        history->count--;
        memmove(&history->list[least], &history->list[least + 1],
                (history->count - least) * sizeof(history->list[0]));
    }
    history->list[history->count++] = *activity;
}

static void add_gap(struct waits_polling *polling, uint64_t gap)
{
    polling->between += gap;
    polling->longest = gap > polling->longest ? gap : polling->longest;
}

/* Returns true if the time between two polling calls is similar to earlier ones. A thread that polls once and
 * then works for long does not wait. */
static bool still_polls(const struct analysis_state *state, const struct waits_polling *polling, uint64_t gap)
{
    enum { TIMES = 4 };
    return gap < state->short_idle / 5 || gap / TIMES <= polling->longest;
}

/* Updates the polling state after a call. A completion, or polling for something else, ends the previous
 * wait; the next one starts from the beginning. */
static void note_polling(struct waits_thread *thread, const struct waits_call *call)
{
    struct waits_polling *polling = &thread->polling;
    thread->polled = call->about.polls && !call->completes && !call->receives_probed;
    if (call->completes || call->receives_probed ||
        (call->about.polls && call->about.probes != polling->probes))
        polling->begin = 0;
    if (!thread->polled)
        return;
    if (polling->begin == 0)
        *polling = (struct waits_polling){.begin = call->begin, .probes = call->about.probes};
    else
        add_gap(polling, thread->gap);
    polling->inside += call->end - call->begin;
    polling->region = call->region;
}

static void end_others(struct waits_thread *thread, uint64_t time)
{
    if (thread->others > 0 && time > thread->others_since)
        thread->others_time += time - thread->others_since;
    thread->others = 0;
}

static void begin_call(struct waits *waits, struct waits_thread *thread, uint64_t time, uint64_t region)
{
    struct waits_call *call = omptape_free_list_alloc(&waits->free_calls, &waits->arena, sizeof(*call));
    if (call == NULL)
        return;
    *call = (struct waits_call){.uses = 1,
                                .in_parallel = thread->depth > 0,
                                .about = region_of(waits, region),
                                .location = thread->location,
                                .process = thread->process,
                                .region = omptape_pairs_get(&waits->state->regions, 0, region),
                                .free_since = thread->free_since,
                                .sent_before = thread->sent,
                                .begin = time};
    if (thread->call_end == 0)
        note_caller(waits, thread);
    uint64_t between = time > thread->call_end ? time - thread->call_end : 0;
    thread->outside = omptape_waits_outside(thread, time);
    end_others(thread, time);
    thread->gap = thread->polled ? omptape_minus(between, thread->others_time) : 0;
    call->polling = thread->polling;
    if (still_polls(waits->state, &call->polling, thread->gap))
        add_gap(&call->polling, thread->gap);
    remember(&thread->history, &(struct waits_activity){.begin = thread->call_end,
                                                        .end = thread->call_end + between,
                                                        .region = most_of(thread)});
    call->history = thread->history;
    thread->call = call;
    thread->inner = 0;
}

/* Returns true for the program and for user-defined regions: no thread waits in them. */
static bool is_transparent(enum omptape_region_kind kind)
{
    return kind == OMPTAPE_REGION_PROGRAM || kind == OMPTAPE_REGION_USER;
}

void omptape_waits_enter(struct waits *waits, struct waits_thread *thread, uint64_t time, uint64_t region)
{
    enum omptape_region_kind kind = region_of(waits, region).kind;
    if (is_transparent(kind))
        return;
    if (thread->call != NULL) {
        thread->inner++;
    } else if (kind == OMPTAPE_REGION_MPI) {
        account_until(thread, time);
        begin_call(waits, thread, time, region);
    } else {
        if (thread->others++ == 0)
            thread->others_since = time;
        if (thread->depth++ == 0) {
            account_until(thread, time);
            thread->outermost = omptape_pairs_get(&waits->state->regions, 0, region);
        }
    }
}

static struct analysis_late *note_late(struct analysis_state *state, const struct waits_call *call,
                                       struct analysis_region *region, uint64_t waited, uint64_t inside,
                                       uint64_t between, uint64_t end)
{
    uint64_t process = omptape_ranks_process_of(state->reader, call->late);
    struct analysis_late *late = omptape_analysis_note_late(state, call->kind, region, process, waited);
    struct analysis_mpi *mpi = omptape_analysis_at_region(state, &state->mpi, region, sizeof(*mpi));
    if (late == NULL || mpi == NULL)
        return late;
    if (late->count == 0)
        late->waiter = call->process;
    else if (late->waiter != call->process)
        late->waiter = ANALYSIS_SEVERAL;
    late->first_end = late->count == 0 || end < late->first_end ? end : late->first_end;
    late->last_end = end > late->last_end ? end : late->last_end;
    if (call->is_answered)
        omptape_add(&late->answered, waited);
    omptape_add(&late->between, between);
    late->count++;
    omptape_add(&mpi->waited, inside);
    struct analysis_process *waiter = omptape_analysis_process(state, call->process);
    if (waiter != NULL && omptape_mpi_end_of(region) < OMPTAPE_MPI_ENDS)
        omptape_add(&waiter->starting_waited, inside);
    return late;
}

void omptape_waits_sample(struct waits_thread *thread, uint64_t time, uint64_t context)
{
    if (thread->call == NULL)
        thread->samples[thread->sample_count++ % WAITS_SAMPLES] =
            (struct waits_sample){.time = time, .context = context};
}

/* Returns true at the first time for these waits: several processes may wait for the thread at a place. */
static bool is_first(struct waits_sample *sample, uint64_t key)
{
    for (size_t i = 0; i < WAITS_SAMPLE_PLACES; i++)
        if (sample->keys[i] == key)
            return false;
    sample->keys[sample->key_count++ % WAITS_SAMPLE_PLACES] = key;
    return true;
}

/* Sums up the late thread's samples between these times. */
static void add_samples(struct analysis_state *state, const struct waits_call *call,
                        const struct analysis_region *region, struct waits_thread *late, uint64_t from,
                        uint64_t to)
{
    const uint64_t key = (uint64_t)call->kind << 32 | omptape_analysis_region_id(region);
    const uint64_t first = omptape_minus(late->sample_count, WAITS_SAMPLES);
    for (uint64_t i = first; i < late->sample_count; i++) {
        struct waits_sample *sample = &late->samples[i % WAITS_SAMPLES];
        const bool is_within = sample->time > from && sample->time <= to && sample->time >= state->from;
        struct analysis_sampled *sum = is_within && is_first(sample, key)
                                           ? omptape_pairs_obtain(&state->late_sampled, &state->arena, key,
                                                                  sample->context, sizeof(*sum))
                                           : NULL;
        if (sum == NULL)
            continue;
        sum->context = omptape_reader_find(state->reader, OMPTAPE_DEF_CALLING_CONTEXT, sample->context);
        sum->count++;
    }
}

/* Charges the waiting from `from` to `to` to the call's function, or to the polling calls before it. */
static void charge_at(struct waits *waits, const struct waits_call *call, uint64_t from, uint64_t to)
{
    struct analysis_state *state = waits->state;
    const struct analysis_process *process = omptape_analysis_process(state, call->process);
    const struct waits_polling *polling = from < call->begin ? &call->polling : NULL;
    struct analysis_region *region = polling != NULL ? polling->region : call->region;
    uint64_t waited = omptape_analysis_clipped(state, from, to);
    uint64_t inside = waited;
    uint64_t between = 0;
    if (polling != NULL) {
        uint64_t all = call->begin - polling->begin;
        inside = omptape_analysis_part(waited, polling->inside, all);
        waited = omptape_analysis_part(waited, polling->inside + polling->between, all);
        between = omptape_minus(waited, inside);
    }
    if (process == NULL || region == NULL || waited == 0)
        return;
    struct analysis_cause *cause = omptape_analysis_cause(state, call->kind, region, call->late_in);
    uint64_t threads = call->in_parallel ? process->most_threads : 1;
    if (cause != NULL)
        cause->charged = call->late_in; /* the late process caused it, not the function */
    omptape_analysis_charge(state, cause, waited, threads, from, to, call->late);
    struct analysis_late *noted = note_late(state, call, region, waited, inside, between, to);
    struct waits_thread *late = omptape_waits_thread(waits, call->late);
    const uint64_t outside = call->late_since > from ? call->late_since : from;
    const struct waits_pending pending = {
        .cause = cause,
        .late = noted,
        .threads = threads,
        .waited = to > outside ? omptape_analysis_part(waited, to - outside, to - from) : 0};
    if (late != NULL)
        add_samples(state, call, region, late, from, to);
    if (late != NULL && cause != NULL && pending.waited > 0)
        omptape_waits_sched_attribute(state, &late->sched, call->late, pending, call->late_since, to);
}

/* Returns when the thread began to wait: with the first unsuccessful poll if this call completes what was
 * polled for. */
static uint64_t waits_since(const struct waits_call *call)
{
    bool has_it = call->polling.probes ? call->receives_probed : call->completes;
    return call->polling.begin != 0 && has_it ? call->polling.begin : call->begin;
}

static void add_unknown(struct analysis_state *state, struct analysis_region *region, uint64_t time)
{
    struct analysis_mpi *mpi = omptape_analysis_at_region(state, &state->mpi, region, sizeof(*mpi));
    if (mpi != NULL)
        omptape_add(&mpi->unknown_wait, time);
}

/* Adds the whole call, and the polling calls before it, as waiting for an unknown process. */
static void note_unknown(struct waits *waits, const struct waits_call *call)
{
    struct analysis_state *state = waits->state;
    if (omptape_analysis_process(state, call->process) == NULL || call->region == NULL)
        return;
    add_unknown(state, call->region, omptape_analysis_clipped(state, call->begin, call->end));
    if (waits_since(call) < call->begin && call->polling.region != NULL &&
        omptape_analysis_clipped(state, waits_since(call), call->begin) > 0)
        add_unknown(state, call->polling.region, call->polling.inside);
}

void omptape_waits_unknown(struct waits *waits, struct waits_call *call)
{
    const bool known = call->is_unknown;
    call->is_unknown = true;
    if (!known && call->end != 0)
        note_unknown(waits, call);
}

/* Charges the waiting from `from` until the end of the wait or of the call. */
static void charge(struct waits *waits, struct waits_call *call, uint64_t from)
{
    uint64_t to = call->end == 0 || call->until < call->end ? call->until : call->end;
    call->charged = call->until;
    if (from < call->begin)
        charge_at(waits, call, from, to < call->begin ? to : call->begin);
    if (to > call->begin)
        charge_at(waits, call, from > call->begin ? from : call->begin, to);
}

void omptape_waits_leave(struct waits *waits, struct waits_thread *thread, uint64_t time, uint64_t region)
{
    struct waits_call *call = thread->call;
    if (is_transparent(region_of(waits, region).kind))
        return;
    if (call == NULL) {
        thread->depth -= thread->depth > 0;
        if (thread->others == 1)
            end_others(thread, time);
        thread->others -= thread->others > 0;
        if (thread->depth == 0) {
            account_until(thread, time);
            thread->outermost = NULL;
        }
        return;
    }
    if (thread->inner > 0) {
        thread->inner--;
        return;
    }
    call->end = time;
    const uint64_t since = call->charged > waits_since(call) ? call->charged : waits_since(call);
    if (call->until > since)
        charge(waits, call, since);
    if (call->is_unknown)
        note_unknown(waits, call);
    omptape_waits_note_row(waits->state, thread, call);
    note_polling(thread, call);
    account_until(thread, time);
    remember(&thread->history, &(struct waits_activity){.begin = call->begin,
                                                        .end = time,
                                                        .region = call->region,
                                                        .calls = true,
                                                        .until = call->until < time ? call->until : time,
                                                        .late = call->late,
                                                        .late_since = call->late_since,
                                                        .late_in = call->late_in});
    thread->call = NULL;
    thread->place_count = 0;
    thread->others = 0;
    thread->others_time = 0;
    thread->call_end = time;
    const uint64_t free_since = omptape_greater(call->until, call->begin);
    thread->free_since = free_since < time ? free_since : time;
    omptape_waits_call_drop(waits, call);
}

/* Returns what the late process did for most of the time since then, or NULL. */
static const struct waits_activity *activity_since(const struct waits_call *late, uint64_t since)
{
    const struct waits_activity *longest = NULL;
    uint64_t most = 0;
    for (uint32_t i = late->history.count; i-- > 0;) {
        const struct waits_activity *activity = &late->history.list[i];
        uint64_t begin = activity->begin > since ? activity->begin : since;
        if (activity->end > begin && activity->end - begin > most) {
            most = activity->end - begin;
            longest = activity;
        }
    }
    return longest;
}

/* Sets the late process. If it waited most of that time for a third process, that one is the late one, unless
 * they wait for each other. */
static void note_late_one(const struct waits *waits, struct waits_call *call, const struct waits_call *other,
                          uint64_t since)
{
    const struct waits_activity *activity = activity_since(other, since);
    const uint64_t begin = activity != NULL && activity->begin > since ? activity->begin : since;
    const bool is_waiting = activity != NULL && activity->until > begin &&
                            activity->until - begin > (activity->end - begin) / 2 &&
                            omptape_ranks_process_of(waits->state->reader, activity->late) != call->process;
    call->late = is_waiting ? activity->late : other->location;
    call->late_since = is_waiting ? activity->late_since : other->free_since;
    call->late_in = is_waiting ? activity->late_in : activity != NULL ? activity->region : NULL;
    /* An answer is to what this thread sent last: others exchange messages, each after its own work. */
    call->is_answered = other->answered > 0 && !is_waiting &&
                        other->answered == (call->sends ? call->begin : call->sent_before);
}

void omptape_waits_needs(struct waits *waits, struct waits_call *call, enum omptape_finding_kind kind,
                         const struct waits_call *other)
{
    uint64_t since = waits_since(call);
    uint64_t from = call->until > since ? call->until : since;
    const uint64_t until = other->released > 0 ? other->released : other->begin;
    /* A call that sends and receives is late in both directions: the other waits for its message. */
    if (other->begin == from && kind == OMPTAPE_FINDING_LATE_SENDER && call->until == from &&
        call->end == 0 && call->kind == OMPTAPE_FINDING_LATE_RECEIVER && call->late == other->location)
        call->kind = kind;
    if (until <= from)
        return;
    /* A process that continued before the message was received did not have to wait for the receive. */
    if ((kind == OMPTAPE_FINDING_LATE_RECEIVER || kind == OMPTAPE_FINDING_WINDOW_WAIT) &&
        omptape_waits_ended_before(call, other))
        return;
    call->until = until;
    call->kind = kind;
    note_late_one(waits, call, other, since);
    if (call->end != 0)
        charge(waits, call, from);
}

/* Finds the last long time outside of MPI that delayed a message; returns NULL if there is none. MPI
 * progresses unbuffered messages only while the thread is in MPI. A message was delayed if it completed soon
 * after the thread called MPI again, compared with the time that both ends existed. */
static const struct waits_activity *find_absence(const struct waits *waits, const struct waits_thread *thread,
                                                 uint64_t since, uint64_t now)
{
    enum { SOON = 4 };
    for (uint32_t i = thread->history.count; i-- > 0;) {
        const struct waits_activity *activity = &thread->history.list[i];
        const uint64_t begin = activity->begin > since ? activity->begin : since;
        if (!activity->calls && activity->end <= now && activity->end > begin &&
            activity->end - begin >= waits->state->short_idle &&
            (now - activity->end) * SOON <= activity->end - begin)
            return activity;
    }
    return NULL;
}

void omptape_waits_stalled(struct waits *waits, struct waits_call *call, const struct waits_thread *other,
                           uint64_t since, uint64_t now)
{
    const uint64_t began = waits_since(call);
    uint64_t from = began > since ? began : since;
    from = call->until > from ? call->until : from;
    const struct waits_activity *absence = find_absence(waits, other, from, now);
    if (absence == NULL || (call->end != 0 && call->end < absence->end))
        return;
    if (call->end == 0 && call->until > began)
        charge(waits, call, call->charged > began ? call->charged : began);
    from = absence->begin > from ? absence->begin : from;
    call->charged = from;
    call->until = absence->end;
    call->kind = OMPTAPE_FINDING_LATE_PROGRESS;
    call->late = other->location;
    call->late_since = absence->begin;
    call->late_in = absence->region;
    call->is_answered = false;
    if (call->end != 0)
        charge(waits, call, from);
}
