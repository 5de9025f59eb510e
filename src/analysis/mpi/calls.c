/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of MPI, and for whom they wait (calls.h).
 */
#include "src/analysis/mpi/calls.h"

#include "src/analysis/causes.h"
#include "src/analysis/mpi/ranks.h"
#include "src/analysis/regions.h"

#include <stdio.h>
#include <string.h>

void omptape_waits_calls_free(struct waits_calls *calls)
{
    omptape_pairs_free(&calls->threads);
    omptape_pairs_free(&calls->regions);
    omptape_arena_free(&calls->arena);
}

struct waits_thread *omptape_waits_thread(struct waits_calls *calls, uint64_t location)
{
    struct waits_thread *thread = omptape_pairs_get(&calls->threads, 0, location);
    if (thread != NULL)
        return thread;
    thread = omptape_pairs_obtain(&calls->threads, &calls->arena, 0, location, sizeof(*thread));
    if (thread == NULL) {
        calls->state->no_memory = true;
        return NULL;
    }
    thread->location = location;
    thread->process = omptape_ranks_process_of(calls->state->reader, location);
    return thread;
}

void omptape_waits_call_drop(struct waits_calls *calls, struct waits_call *call)
{
    if (--call->uses > 0)
        return;
    call->next = calls->free;
    calls->free = call;
}

/* What the region is, also one that only processes have which are not looked at. */
struct waits_region {
    enum omptape_region_kind kind;
    enum waits_step step;
};

/* `call`: a function's name, and perhaps a place behind it. */
static enum waits_step step_of(const char *call)
{
    char function[sizeof("MPI_Win_complete")];
    snprintf(function, sizeof(function), "%.*s", (int)strcspn(call, " "), call);
    static const char *const names[WAITS_STEPS] = {[WAITS_POST] = "MPI_Win_post",
                                                   [WAITS_START] = "MPI_Win_start",
                                                   [WAITS_COMPLETE] = "MPI_Win_complete",
                                                   [WAITS_WAIT] = "MPI_Win_wait"};
    for (unsigned i = WAITS_NO_STEP + 1; i < WAITS_STEPS; i++)
        if (strcmp(function, names[i]) == 0)
            return (enum waits_step)i;
    return strcmp(function, "MPI_Win_test") == 0 ? WAITS_WAIT : WAITS_NO_STEP;
}

static struct waits_region region_of(struct waits_calls *calls, uint64_t id)
{
    struct waits_region *known = omptape_pairs_get(&calls->regions, 0, id);
    if (known != NULL)
        return *known;
    const struct omptape_reader *reader = calls->state->reader;
    const struct omptape_definition *definition = omptape_reader_find(reader, OMPTAPE_DEF_REGION, id);
    struct waits_region region = {.kind = OMPTAPE_REGION_KIND_COUNT};
    if (definition != NULL)
        region.kind = omptape_region_kind_of(reader, definition);
    if (region.kind == OMPTAPE_REGION_MPI)
        region.step = step_of(omptape_reader_name(reader, OMPTAPE_DEF_REGION, id));
    known = omptape_pairs_obtain(&calls->regions, &calls->arena, 0, id, sizeof(*known));
    if (known == NULL)
        calls->state->no_memory = true;
    else
        *known = region;
    return region;
}

/* Where the thread's time in that region is summed up; where there is no more room, the least goes. */
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

/* The thread does something else from now on. */
static void go_on(struct waits_thread *thread, uint64_t time)
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

static void begin_call(struct waits_calls *calls, struct waits_thread *thread, uint64_t time, uint64_t region)
{
    struct waits_call *call = calls->free;
    if (call != NULL)
        calls->free = call->next;
    else
        call = omptape_arena_take(&calls->arena, sizeof(*call));
    if (call == NULL) {
        calls->state->no_memory = true;
        return;
    }
    *call = (struct waits_call){.uses = 1,
                                .in_parallel = thread->depth > 0,
                                .step = region_of(calls, region).step,
                                .location = thread->location,
                                .process = thread->process,
                                .region = omptape_pairs_get(&calls->state->regions, 0, region),
                                .begin = time,
                                .before_begin = thread->before_begin,
                                .before = most_of(thread),
                                .last = thread->last};
    thread->call = call;
    thread->inner = 0;
}

void omptape_waits_enter(struct waits_calls *calls, struct waits_thread *thread, uint64_t time,
                         uint64_t region)
{
    enum omptape_region_kind kind = region_of(calls, region).kind;
    if (kind == OMPTAPE_REGION_PROGRAM)
        return;
    if (thread->call != NULL) {
        thread->inner++;
    } else if (kind == OMPTAPE_REGION_MPI) {
        go_on(thread, time);
        begin_call(calls, thread, time, region);
    } else if (thread->depth++ == 0) {
        go_on(thread, time);
        thread->outermost = omptape_pairs_get(&calls->state->regions, 0, region);
    }
}

static void note_late(struct analysis_state *state, const struct waits_call *call, uint64_t waited)
{
    uint64_t process = omptape_ranks_process_of(state->reader, call->late);
    uint64_t key = (uint64_t)call->kind << 32 | call->region->definition->id;
    struct analysis_late *late =
        omptape_pairs_obtain(&state->late, &state->arena, key, process, sizeof(*late));
    struct analysis_mpi *mpi = omptape_analysis_at_region(state, &state->mpi, call->region, sizeof(*mpi));
    if (late == NULL || mpi == NULL) {
        state->no_memory = true;
        return;
    }
    late->process = process;
    late->waited += waited;
    late->count++;
    mpi->waited += waited;
}

/* From `from` on, as far as the call went. */
static void charge(struct waits_calls *calls, const struct waits_call *call, uint64_t from)
{
    struct analysis_state *state = calls->state;
    const struct analysis_process *process = omptape_analysis_process(state, call->process);
    uint64_t to = call->until < call->end ? call->until : call->end;
    uint64_t waited = omptape_analysis_clipped(state, from, to);
    if (process == NULL || call->region == NULL || waited == 0)
        return;
    struct analysis_cause *cause = omptape_analysis_cause(state, call->kind, call->region, call->late_in);
    uint64_t threads = call->in_parallel ? process->most_threads : 1;
    if (cause != NULL)
        cause->charged = call->late_in; /* it is the late one's doing, and not the function's */
    omptape_analysis_charge(state, cause, waited, threads, from, to, call->late);
    note_late(state, call, waited);
}

void omptape_waits_leave(struct waits_calls *calls, struct waits_thread *thread, uint64_t time,
                         uint64_t region)
{
    struct waits_call *call = thread->call;
    if (region_of(calls, region).kind == OMPTAPE_REGION_PROGRAM)
        return;
    if (call == NULL) {
        thread->depth -= thread->depth > 0;
        if (thread->depth == 0) {
            go_on(thread, time);
            thread->outermost = NULL;
        }
        return;
    }
    if (thread->inner > 0) {
        thread->inner--;
        return;
    }
    call->end = time;
    if (call->until > call->begin)
        charge(calls, call, call->begin);
    go_on(thread, time);
    thread->call = NULL;
    thread->place_count = 0;
    thread->before_begin = time;
    thread->last = call->region;
    omptape_waits_call_drop(calls, call);
}

/* What the late one did while `waiting` waited: if it was in MPI itself for most of that, that. */
static struct analysis_region *doing_of(const struct waits_call *late, const struct waits_call *waiting)
{
    bool waited = late->last != NULL && late->before_begin > waiting->begin &&
                  late->before_begin - waiting->begin > late->begin - late->before_begin;
    return waited ? late->last : late->before;
}

void omptape_waits_needs(struct waits_calls *calls, struct waits_call *call, enum omptape_finding_kind kind,
                         const struct waits_call *other)
{
    uint64_t from = call->until > call->begin ? call->until : call->begin;
    if (other->begin <= from)
        return;
    /* Who went on before the message was received had not to wait for that. */
    if ((kind == OMPTAPE_FINDING_LATE_RECEIVER || kind == OMPTAPE_FINDING_WINDOW_WAIT) &&
        omptape_waits_ended_before(call, other))
        return;
    call->until = other->begin;
    call->kind = kind;
    call->late = other->location;
    call->late_in = doing_of(other, call);
    if (call->end != 0)
        charge(calls, call, from);
}
