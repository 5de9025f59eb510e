/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the sentences about MPI (gathering.h): how long processes waited in a function, for which process,
 * and what that process did. Called by sentences.c.
 */
#include "src/analysis/causes.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t omptape_findings_late_key(const struct omptape_finding *finding)
{
    return (uint64_t)finding->kind << 32 | omptape_analysis_region_id(finding->region);
}

const struct analysis_late *omptape_findings_most_late(const struct analysis_state *state,
                                                       const struct omptape_finding *finding, uint64_t *all,
                                                       uint64_t *between)
{
    const uint64_t key = omptape_findings_late_key(finding);
    const struct analysis_late *most = NULL;
    *all = 0;
    *between = 0;
    for (uint32_t i = 0; i < state->late.count; i++) {
        const struct analysis_late *late = state->late.list[i].value;
        if (state->late.list[i].high != key)
            continue;
        omptape_add(all, late->waited);
        omptape_add(between, late->between);
        if (most == NULL || late->waited > most->waited ||
            (late->waited == most->waited && late->process < most->process))
            most = late;
    }
    return most;
}

uint64_t omptape_findings_worked_between(const struct analysis_state *state,
                                         const struct omptape_finding *finding, uint64_t all,
                                         uint64_t between)
{
    const uint64_t key = omptape_findings_late_key(finding);
    const struct analysis_late *one = NULL;
    bool is_one = true;
    uint64_t asleep = 0;
    for (uint32_t i = 0; i < state->late.count; i++) {
        const struct analysis_late *late = state->late.list[i].value;
        if (state->late.list[i].high != key)
            continue;
        is_one = is_one && late->waiter != ANALYSIS_SEVERAL && (one == NULL || one->waiter == late->waiter);
        one = late;
    }
    for (uint32_t i = 0; i < state->result->process_count && one != NULL; i++) {
        const struct analysis_process *process = &state->result->processes[i];
        if (is_one && process->group->id != one->waiter)
            continue;
        if (process->running_ns == 0) /* not known */
            return 0;
        omptape_add(&asleep, process->parts[OMPTAPE_BUCKET_BLOCKED]);
    }
    return between > all / 2 ? omptape_minus(between, asleep) : 0;
}

bool omptape_findings_is_for_one(const struct analysis_state *state, const struct omptape_finding *finding)
{
    uint64_t all;
    uint64_t between;
    const struct analysis_late *late = omptape_findings_most_late(state, finding, &all, &between);
    return late != NULL && late->waited >= all / 2;
}

/* Returns the cause with most waiting: where the awaited processes were. */
static const struct analysis_cause *main_cause(const struct analysis_state *state,
                                               const struct omptape_finding *finding)
{
    const struct analysis_cause *most = NULL;
    for (uint32_t i = 0; i < state->causes.count; i++) {
        const struct analysis_cause *cause = state->causes.list[i].value;
        if (cause->kind == finding->kind && cause->region == finding->region &&
            (most == NULL || cause->waited > most->waited ||
             (cause->waited == most->waited &&
              omptape_analysis_region_id(cause->parallel) < omptape_analysis_region_id(most->parallel))))
            most = cause;
    }
    return most;
}

/* Returns true if the awaited process was communicating itself. */
static bool communicates(const struct analysis_region *where)
{
    return where->kind == OMPTAPE_REGION_MPI && omptape_mpi_end_of(where) >= OMPTAPE_MPI_BEGINS;
}

bool omptape_findings_awaits_waiting(const struct analysis_state *state,
                                     const struct omptape_finding *finding)
{
    const struct analysis_cause *cause = main_cause(state, finding);
    return cause != NULL && cause->parallel != NULL && communicates(cause->parallel);
}

static const char *describe_where(const struct analysis_state *state, const struct analysis_cause *cause)
{
    const struct analysis_region *where = cause != NULL ? cause->parallel : NULL;
    if (where == NULL)
        return state->parallels.count > 0 ? "outside of parallel regions" : "outside of MPI";
    return omptape_sentence(state, "in %s%s", where->shown,
                            communicates(where) ? ", communicating itself" : "");
}

/* Describes the function in which the awaited processes were most, by samples, with its line; "": too few. */
static const char *describe_function(struct analysis_state *state, const struct omptape_finding *finding)
{
    enum { LEAST = 3, PLACE_BYTES = 1024 };
    const uint64_t key = omptape_findings_late_key(finding);
    struct analysis_sampled **rows = omptape_calloc((size_t)state->late_sampled.count + 1, sizeof(*rows));
    struct omptape_analysis sampled = {.reader = state->reader, .sampled = rows};
    struct omptape_inside inside;
    char place[PLACE_BYTES];
    const char *text = "";
    for (uint32_t i = 0; i < state->late_sampled.count && rows != NULL; i++) {
        struct analysis_sampled *row = state->late_sampled.list[i].value;
        if (state->late_sampled.list[i].high == key && row->context != NULL)
            rows[sampled.sampled_count++] = row;
    }
    if (rows != NULL && omptape_inside_gather_all(&sampled, &inside)) {
        if (inside.entry_count > 0 && inside.entries[0].count >= LEAST)
            text = omptape_sentence(state, ", in %s (%" PRIu64 " of %" PRIu64 " samples)",
                                    omptape_inside_describe(&inside.entries[0].call, place, sizeof(place)),
                                    inside.entries[0].count, inside.count);
        omptape_inside_free(&inside);
    }
    free(rows);
    return text;
}

static const char *process_name(const struct analysis_state *state, uint64_t group)
{
    const struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < result->process_count; i++)
        if (result->processes[i].group->id == group)
            return result->processes[i].name;
    return omptape_reader_name(state->reader, OMPTAPE_DEF_LOCATION_GROUP, group);
}

/* Describes the time between polling calls. The process may work there; no record shows it. */
static const char *describe_between(const struct analysis_state *state, uint64_t between, uint64_t all)
{
    if (between == 0 || between < all / 2)
        return "";
    return omptape_sentence(state, "; %s of it between calls that ask in vain, with what they compute there",
                            omptape_time_text(state, (double)between));
}

/* Returns true if the process was blocked long enough for what it is said to have slept. MPI may sleep in its
 * own calls, which is not told apart from sleep outside of them. */
static bool was_blocked(const struct analysis_state *state, const struct analysis_late *late)
{
    const struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < result->process_count; i++)
        if (result->processes[i].group->id == late->process)
            return omptape_times(result->processes[i].parts[OMPTAPE_BUCKET_BLOCKED],
                                 result->process_count - 1) >= late->slept / 2;
    return false;
}

/* Describes a late process that slept: distributing its work would not help. */
static const char *describe_slept(const struct analysis_state *state, const struct analysis_late *late,
                                  struct omptape_finding *finding)
{
    if (late == NULL || late->slept < late->waited / 2 || finding->kind == OMPTAPE_FINDING_LATE_PROGRESS ||
        !was_blocked(state, late))
        return "";
    finding->proposal = finding->kind == OMPTAPE_FINDING_LATE_SENDER
                            ? "send before what it sleeps for, or let it sleep less: strace -f, or perf "
                              "trace, shows the calls"
                            : "let it sleep less before: strace -f, or perf trace, shows the calls";
    return omptape_sentence(state, ", where it sleeps: %s of the waiting is for that",
                            omptape_time_text(state, (double)late->slept));
}

/* Returns how many processors the processes of one machine may use, if they have more threads; else 0. */
static uint32_t too_few_processors(const struct analysis_state *state)
{
    const uint32_t count = omptape_findings_allowed(state, NULL);
    return state->result->threads > count ? count : 0;
}

void omptape_describe_mpi_lack(struct analysis_state *state, struct omptape_finding *finding)
{
    const uint32_t processors = too_few_processors(state);
    uint64_t all;
    uint64_t between;
    const struct analysis_late *late = omptape_findings_most_late(state, finding, &all, &between);
    const char *share = "";
    if (processors > 0) {
        share = omptape_sentence(state, "; %" PRIu32 " threads share %" PRIu32 " processor%s",
                                 state->result->threads, processors, processors > 1 ? "s" : "");
        finding->proposal = omptape_fewer_ranks(state);
    }
    finding->text = omptape_sentence(
        state,
        "processes wait about %s in all for one that has no processor: %.0f %% of it for %s, which is mostly "
        "%s meanwhile%s",
        omptape_time_text(state, (double)finding->waited),
        late != NULL && all > 0 ? 100.0 * (double)late->waited / (double)all : 0,
        late != NULL ? process_name(state, late->process) : "one",
        describe_where(state, main_cause(state, finding)), share);
}

/* Returns true if each process has a spare processor: a progress thread of MPI spins. */
static bool may_have_more_threads(const struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    return omptape_findings_allowed(state, NULL) >= result->threads + result->at_once;
}

/* Returns true if no process has notably more work than the others: the longest time of a process outside of
 * MPI is near the mean. Then evening out the work cannot win what the finding loses. Processes may begin at
 * different times, and wait for the last one in MPI_Init: neither counts as work. */
static bool is_work_even(const struct analysis_state *state, const struct omptape_finding *finding)
{
    const double max_part = 0.25;
    const struct omptape_analysis *result = state->result;
    double sum = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        /* Negative if several threads were in MPI at the same time. */
        const double outside =
            (double)omptape_minus(process->end, process->begin) - (double)process->parts[OMPTAPE_BUCKET_MPI];
        sum += outside;
        most = outside > most ? outside : most;
    }
    const double waited = (double)omptape_plus(finding->gain, finding->remaining_wall / result->at_once);
    return result->process_count > 1 && most - sum / result->process_count < max_part * waited;
}

/* Returns the proposal for processes that have as much work as each other, but at different times. */
static const char *proposal_for_even(enum omptape_finding_kind kind)
{
    switch (kind) {
    case OMPTAPE_FINDING_LATE_SENDER:
        return "all have as much work, but at different times: send parts as they are ready, or work on "
               "until the message is needed (MPI_Irecv)";
    case OMPTAPE_FINDING_LATE_RECEIVER:
        return "all have as much work, but at different times: receive before that work (MPI_Irecv), or "
               "work on meanwhile (MPI_Isend)";
    case OMPTAPE_FINDING_COLLECTIVE_WAIT:
        return "all have as much work, but at different times: leave the call out where nothing needs it, "
               "or work on until its result is needed (MPI_Iallreduce and its kind)";
    case OMPTAPE_FINDING_WINDOW_WAIT:
        return "all have as much work, but at different times: shorten what they do in an epoch";
    default:
        return NULL;
    }
}

/* Returns true if several processes wait for one that answers their messages. */
static bool is_answering(const struct omptape_finding *finding, const struct analysis_late *late)
{
    return finding->kind == OMPTAPE_FINDING_LATE_SENDER && late != NULL && late->waiter == ANALYSIS_SEVERAL &&
           late->answered >= late->waited / 2;
}

void omptape_describe_mpi(struct analysis_state *state, struct omptape_finding *finding)
{
    static const char *const what[OMPTAPE_FINDING_KINDS] = {
        [OMPTAPE_FINDING_LATE_SENDER] = "for messages that are sent late",
        [OMPTAPE_FINDING_LATE_RECEIVER] = "until what they send is received",
        [OMPTAPE_FINDING_COLLECTIVE_WAIT] = "for others to come",
        [OMPTAPE_FINDING_WINDOW_WAIT] = "for others' epochs of a window",
        [OMPTAPE_FINDING_LATE_PROGRESS] = "for one that moves nothing on while it is outside of MPI"};
    uint64_t all;
    uint64_t between;
    const struct analysis_late *late = omptape_findings_most_late(state, finding, &all, &between);
    const char *time = omptape_time_text(state, (double)finding->waited);
    if (finding->kind == OMPTAPE_FINDING_COMMUNICATION && finding->spent_wall > 0) {
        omptape_describe_calls(state, finding);
        return;
    }
    if (finding->kind == OMPTAPE_FINDING_COMMUNICATION) {
        finding->text =
            omptape_sentence(state, "one thread is in here while the others wait %s in all", time);
        return;
    }
    if (finding->kind == OMPTAPE_FINDING_LATE_PROGRESS && may_have_more_threads(state))
        finding->proposal = "call MPI_Test there from time to time, have MPI do it by a thread (MPICH: "
                            "MPIR_CVAR_ASYNC_PROGRESS=1), or wait for it before the work";
    const struct analysis_cause *cause = main_cause(state, finding);
    const char *where = describe_where(state, cause);
    const struct analysis_region *meanwhile = cause != NULL ? cause->parallel : NULL;
    if (is_answering(finding, late))
        finding->proposal =
            "more work in each answer, less work of that process for it, or several that answer";
    else if (meanwhile != NULL && communicates(meanwhile))
        finding->proposal =
            finding->kind == OMPTAPE_FINDING_COLLECTIVE_WAIT
                ? "make the calls that it is in less often, or with less data"
                : "one waits for the other in turn: fewer and larger messages, or more of them at a time";
    else if (meanwhile != NULL && omptape_mpi_end_of(meanwhile) < OMPTAPE_MPI_BEGINS)
        finding->proposal = "";
    else if (proposal_for_even(finding->kind) != NULL && is_work_even(state, finding))
        finding->proposal = proposal_for_even(finding->kind);
    const uint64_t worked = omptape_findings_worked_between(state, finding, all, between);
    const char *asking = describe_between(state, between - worked, all - worked);
    const char *slept = describe_slept(state, late, finding);
    const bool computes = slept[0] == '\0' && (meanwhile == NULL || !communicates(meanwhile));
    const char *function = computes ? describe_function(state, finding) : "";
    if (finding->gain_of_others > 0) { /* joined: each process waits at its own place */
        const bool is_one_pair = late != NULL && (double)late->waited >= 0.95 * (double)all;
        finding->text = omptape_sentence(state,
                                         "%s wait for each other in turn, %s in all, %s of it "
                                         "here %s: for %s, which is mostly %s "
                                         "meanwhile%s%s",
                                         is_one_pair ? "two processes" : "processes, two at a time,", time,
                                         omptape_time_text(state, (double)all), what[finding->kind],
                                         late != NULL ? process_name(state, late->process) : "one", where,
                                         function, slept);
        return;
    }
    finding->text = omptape_sentence(
        state, "processes wait %s in all %s: %.0f %% of it for %s, which %sis mostly %s meanwhile%s%s%s",
        time, what[finding->kind], late != NULL && all > 0 ? 100.0 * (double)late->waited / (double)all : 0,
        late != NULL ? process_name(state, late->process) : "one",
        is_answering(finding, late) ? "answers one after the other and " : "", where, function, slept,
        asking);
}
