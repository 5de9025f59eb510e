/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds who used the processors that the threads wanted, by measured values only
 * (include/omptape/properties.h). Called by all findings about missing processors.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"
#include "src/core/memory.h"
#include "src/core/sort.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

/* Least processor time of a rival, as a part of the threads' run-queue time. */
static const double MIN_SHARE = 0.25;

static const char *text_of(const struct analysis_state *state, uint64_t location, const char *name)
{
    const struct omptape_definition *property =
        omptape_reader_location_property(state->reader, location, name, OTF2_TYPE_STRING);
    return property != NULL ? omptape_reader_string(state->reader, property->value[1]) : NULL;
}

uint64_t omptape_rivals_number(const struct analysis_state *state, uint64_t location, const char *name)
{
    const struct omptape_definition *property =
        omptape_reader_location_property(state->reader, location, name, OTF2_TYPE_UINT64);
    return property != NULL ? property->value[1] : 0;
}

uint64_t omptape_rivals_threads(double processors)
{
    const double worth = 0.1;
    const uint64_t whole = processors > 0 ? (uint64_t)processors : 0;
    const uint64_t threads = whole + (processors - (double)whole > worth ? 1 : 0);
    return threads > 0 ? threads : 1;
}

/* A process, and the processor time that it and its writer used; ns. */
struct user {
    const struct analysis_process *process;
    const char *allowed; /* the processors that it might use, "" if not known */
    double threads;      /* of its threads in the whole run */
    double others;       /* of its threads that OpenMP and MPI do not know */
    double writer;
    double busy, nice, stolen; /* of all programs on these processors */
};

/* Sums up the program's other threads, and OpenMP threads that something bound to one processor. `users` has
 * an element for each process. */
static void look_at_threads(const struct analysis_state *state, struct analysis_rivals *rivals,
                            struct user *users)
{
    uint64_t most = 0;
    OMPTAPE_EACH_DEFINITION(location, state->reader, OMPTAPE_DEF_LOCATION) {
        const struct analysis_process *process = omptape_analysis_process(state, location->refs[1].id);
        const char *other = text_of(state, location->id, OMPTAPE_LOCATION_OTHER_THREAD);
        const char *allowed = text_of(state, location->id, OMPTAPE_LOCATION_ALLOWED);
        const uint64_t ran = omptape_rivals_number(state, location->id, OMPTAPE_LOCATION_RUNNING);
        const uint64_t queued = omptape_rivals_number(state, location->id, OMPTAPE_LOCATION_WAITING);
        *(other != NULL ? &rivals->threads : &rivals->run_ran) += (double)ran;
        *(other != NULL ? &rivals->threads_queued : &rivals->run_queued) += (double)queued;
        if (process != NULL && users != NULL) {
            struct user *user = &users[process - state->result->processes];
            *(other != NULL ? &user->others : &user->threads) += (double)ran;
        }
        if (other != NULL) {
            rivals->thread = ran >= most ? other : rivals->thread;
            most = ran > most ? ran : most;
        }
        if (allowed != NULL && allowed[strcspn(allowed, "-,")] == '\0') {
            rivals->moved += rivals->place == NULL || strcmp(rivals->place, allowed) == 0;
            rivals->place = allowed;
        }
    }
}

/* Returns true if the threads used nearly the whole limit and were throttled in at least half of the periods.
 * They then lost nothing to others. */
static bool uses_up_quota(const struct omptape_analysis *result, const struct analysis_rivals *rivals,
                          double own, double ns_per_tick)
{
    const double most = 0.75;
    const double wall = (double)omptape_minus(result->end, result->begin) * ns_per_tick;
    return rivals->quota > 0 && 2 * rivals->throttled >= rivals->periods &&
           own >= most * rivals->processors * wall;
}

/* Sets the properties of a process. */
static void describe_user(const struct analysis_state *state, uint32_t process, struct user *user)
{
    const struct omptape_analysis *result = state->result;
    user->process = &result->processes[process];
    user->allowed = omptape_reader_property_of(state->reader, user->process->number, OMPTAPE_KEY_ALLOWED);
    user->allowed = user->allowed != NULL ? user->allowed : "";
    user->threads = state->windowed ? user->threads : (double)user->process->running_ns;
    user->others += omptape_findings_number(result, process, OMPTAPE_KEY_OTHER_TIME);
    user->writer = omptape_findings_number(result, process, OMPTAPE_KEY_WRITER_TIME);
    user->busy = omptape_findings_number(result, process, OMPTAPE_KEY_PROCESSORS_BUSY);
    user->nice = omptape_findings_number(result, process, OMPTAPE_KEY_PROCESSORS_NICE);
    user->stolen = omptape_findings_number(result, process, OMPTAPE_KEY_PROCESSORS_STOLEN);
}

static int by_processors(const void *left, const void *right)
{
    const struct user *one = left;
    const struct user *other = right;
    const int nodes = strcmp(one->process->node, other->process->node);
    const int processors = nodes != 0 ? nodes : strcmp(one->allowed, other->allowed);
    return processors != 0 ? processors
                           : (one->process->begin > other->process->begin) -
                                 (one->process->begin < other->process->begin);
}

/* Returns how many of the sorted `users` share processors with the first one at the same time. The first that
 * does not is on another node or on other processors alone, or begins when all have ended. */
static size_t count_sharing(const struct user *users, size_t count)
{
    struct analysis_processors set = {{0}};
    bool is_known = omptape_findings_add_allowed(&set, users[0].allowed);
    uint64_t end = users[0].process->end;
    size_t i = 1;
    for (; i < count && strcmp(users[i].process->node, users[0].process->node) == 0; i++) {
        struct analysis_processors own = {{0}};
        bool shares = strcmp(users[i].allowed, users[i - 1].allowed) == 0;
        is_known &= shares || omptape_findings_add_allowed(&own, users[i].allowed);
        for (size_t k = 0; k < sizeof(own.words) / sizeof(own.words[0]); k++) {
            shares |= (own.words[k] & set.words[k]) != 0;
            set.words[k] |= own.words[k];
        }
        if (is_known && (!shares || users[i].process->begin >= end))
            break;
        end = users[i].process->end > end ? users[i].process->end : end;
    }
    return i;
}

/* Adds what others did on processors that these processes share. Each of them has read how long these were
 * busy. */
static void add_shared(struct analysis_rivals *rivals, const struct user *users, size_t count)
{
    struct user all = {.process = NULL};
    for (size_t i = 0; i < count; i++) {
        all.nice = users[i].busy > all.busy ? users[i].nice : all.nice;
        all.busy = users[i].busy > all.busy ? users[i].busy : all.busy;
        all.stolen = users[i].stolen > all.stolen ? users[i].stolen : all.stolen;
        all.threads += users[i].threads + users[i].others;
        all.writer += users[i].writer;
    }
    const double used = all.threads + all.writer;
    const double programs = all.busy > used ? all.busy - used : 0;
    /* The writer has a positive nice value, too. */
    const double nice = all.nice > all.writer ? all.nice - all.writer : 0;
    rivals->is_known |= all.busy > 0;
    rivals->programs += programs;
    rivals->nice += nice < programs ? nice : programs;
    rivals->hypervisor += all.stolen;
}

static void look_at_limit(const struct omptape_analysis *result, struct analysis_rivals *rivals)
{
    for (uint32_t i = 0; i < result->process_count; i++) {
        const double throttled = omptape_findings_number(result, i, OMPTAPE_KEY_QUOTA_THROTTLED_TIME);
        if (throttled <= rivals->quota)
            continue;
        rivals->quota = throttled;
        rivals->periods = omptape_findings_number(result, i, OMPTAPE_KEY_QUOTA_PERIODS);
        rivals->throttled = omptape_findings_number(result, i, OMPTAPE_KEY_QUOTA_THROTTLED);
        rivals->processors = omptape_findings_number(result, i, OMPTAPE_KEY_QUOTA) / 1000;
    }
}

/* Sorts `users`. They are NULL if memory ran out; then nothing is known of the machine. */
static void look_at_machine(const struct analysis_state *state, struct analysis_rivals *rivals,
                            struct user *users)
{
    const struct omptape_analysis *result = state->result;
    const size_t count = users != NULL ? result->process_count : 0;
    double own = 0; /* processor time of the threads, and what ran beside them */
    for (uint32_t i = 0; i < count; i++) {
        describe_user(state, i, &users[i]);
        rivals->threads += omptape_findings_number(result, i, OMPTAPE_KEY_OTHER_TIME);
        own += users[i].writer * rivals->run_share;
    }
    for (uint32_t i = 0; i < result->process_count; i++)
        own += (double)result->processes[i].running_ns;
    omptape_sort(users, count, sizeof(*users), by_processors);
    for (size_t i = 0, shared; i < count; i += shared) {
        shared = count_sharing(users + i, count - i);
        add_shared(rivals, users + i, shared);
    }
    look_at_limit(result, rivals);
    double *const shared[] = {&rivals->programs, &rivals->nice,    &rivals->hypervisor,
                              &rivals->quota,    &rivals->periods, &rivals->throttled};
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
        *shared[i] *= rivals->run_share;
    rivals->is_used_up =
        uses_up_quota(result, rivals, own + rivals->threads * rivals->run_share, state->ns_per_tick);
}

struct analysis_rivals omptape_findings_rivals(const struct analysis_state *state)
{
    struct analysis_rivals rivals = {.kind = ANALYSIS_RIVAL_UNKNOWN};
    uint64_t threads;
    struct user *users = omptape_calloc((size_t)state->result->process_count + 1, sizeof(*users));
    look_at_threads(state, &rivals, users);
    if (rivals.thread != NULL)
        rivals.busiest = (double)omptape_inside_thread_ns(state->reader, rivals.thread, &threads);
    const double located = rivals.threads;
    for (uint32_t i = 0; i < state->result->process_count; i++)
        rivals.queued += (double)state->result->processes[i].queued_ns;
    const bool is_part = state->windowed && rivals.queued < rivals.run_queued;
    rivals.run_share = is_part ? rivals.queued / rivals.run_queued : 1;
    look_at_machine(state, &rivals, users);
    free(users);
    rivals.threads_queued *= located > 0 ? rivals.threads / located : 1;
    const struct {
        enum analysis_rival kind;
        double ns;
    } all[] = {{ANALYSIS_RIVAL_QUOTA, rivals.quota},
               {ANALYSIS_RIVAL_THREADS, rivals.threads * rivals.run_share},
               {ANALYSIS_RIVAL_PROGRAMS, rivals.programs},
               {ANALYSIS_RIVAL_HYPERVISOR, rivals.hypervisor}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i].ns > rivals.ns && all[i].ns >= MIN_SHARE * rivals.queued) {
            rivals.kind = all[i].kind;
            rivals.ns = all[i].ns;
        }
    }
    if (rivals.is_used_up) {
        rivals.kind = ANALYSIS_RIVAL_QUOTA;
        rivals.ns = rivals.quota;
    }
    if (rivals.moved > 1)
        rivals.kind = ANALYSIS_RIVAL_AFFINITY;
    return rivals;
}

const char *omptape_rivals_text(struct analysis_state *state, const struct analysis_rivals *rivals)
{
    const char *time = omptape_time_text(state, rivals->ns / state->ns_per_tick);
    const char *about = rivals->run_share < 1 ? "about " : "";
    switch (rivals->kind) {
    case ANALYSIS_RIVAL_AFFINITY:
        return omptape_sentence(state,
                                "since their first region %u threads may run on processor %s alone "
                                "(sched_setaffinity in the program or a library, or taskset -p)",
                                rivals->moved, rivals->place);
    case ANALYSIS_RIVAL_QUOTA:
        return omptape_sentence(state, "the limit of its cgroup, %.3g processors, stopped threads for %s%s",
                                rivals->processors, about, time);
    case ANALYSIS_RIVAL_THREADS:
        return omptape_sentence(state, "other threads of the program ran for %s%s%s%s", about, time,
                                rivals->thread != NULL ? ", most of all " : "",
                                rivals->thread != NULL ? rivals->thread : "");
    case ANALYSIS_RIVAL_PROGRAMS:
        return omptape_sentence(state, "other programs ran there for %s%s", about, time);
    case ANALYSIS_RIVAL_HYPERVISOR:
        return omptape_sentence(state, "the hypervisor gave the processors to others for %s%s", about, time);
    case ANALYSIS_RIVAL_UNKNOWN:
        break;
    }
    return "";
}

const char *omptape_rivals_raise(struct analysis_state *state, const struct analysis_rivals *rivals)
{
    static const char *const higher = "a higher limit (cpu.max; docker --cpus, the pod's or the job's limit)";
    const uint64_t threads = omptape_rivals_threads(rivals->processors);
    uint64_t most = 0;
    for (uint32_t i = 0; i < state->result->process_count; i++)
        most =
            state->result->processes[i].most_threads > most ? state->result->processes[i].most_threads : most;
    return most > threads
               ? omptape_sentence(state,
                                  "%s; under this one OMP_NUM_THREADS=%" PRIu64 ", which uses all of it",
                                  higher, threads)
               : omptape_sentence(state, "%s; fewer threads would use less than this one allows", higher);
}

const char *omptape_rivals_proposal(struct analysis_state *state, const struct analysis_rivals *rivals)
{
    static const char *const proposals[] = {
        [ANALYSIS_RIVAL_UNKNOWN] = "",
        [ANALYSIS_RIVAL_AFFINITY] =
            "give each thread a processor of its own, or leave that to OMP_PLACES and OMP_PROC_BIND",
        [ANALYSIS_RIVAL_THREADS] =
            "fewer OpenMP threads by those that run beside them (OMP_NUM_THREADS), or let these do less",
        [ANALYSIS_RIVAL_PROGRAMS] = "keep other programs off these processors, or bind the threads",
        [ANALYSIS_RIVAL_HYPERVISOR] = "a machine whose processors are not shared"};
    return rivals->kind == ANALYSIS_RIVAL_QUOTA ? omptape_rivals_raise(state, rivals)
                                                : proposals[rivals->kind];
}

void omptape_findings_add_quota(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const struct omptape_analysis *result = state->result;
    const struct analysis_rivals *rivals = &findings->rivals;
    const uint64_t wall = omptape_minus(result->end, result->begin);
    double stopped = rivals->throttled > 0 && rivals->periods > 0 ? rivals->throttled / rivals->periods : 0;
    const double threads = result->threads > 0 ? (double)result->threads : 1;
    const double without = rivals->is_used_up ? rivals->queued : rivals->quota;
    double lost = without / threads / state->ns_per_tick;
    lost = lost < stopped * (double)wall ? lost : stopped * (double)wall;
    if (lost <= 0)
        return;
    struct omptape_finding *finding = omptape_findings_at(findings, OMPTAPE_FINDING_QUOTA, NULL);
    omptape_findings_set_cost(finding, omptape_whole(lost), omptape_whole(lost));
    finding->count = (uint64_t)rivals->throttled;
    finding->worst = (struct analysis_worst){.begin = result->begin, .end = result->end};
}
