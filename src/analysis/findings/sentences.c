/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a finding's text: one sentence with numbers, a proposal if the facts support one, and the overall
 * verdict. Plain text; the caller breaks lines. Called by findings.c.
 */
#include "src/analysis/findings/sentences.h"

#include "src/analysis/findings/gathering.h"
#include "src/analysis/locks.h"
#include "src/core/buckets.h"
#include "src/core/short_names.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *key;
    const char *name;
    const char *proposal;
    const char *article; /* before the name within a sentence; NULL if none */
} kinds[OMPTAPE_FINDING_KINDS] = {
    [OMPTAPE_FINDING_IMBALANCE] = {"imbalance", "imbalance", "", NULL},
    [OMPTAPE_FINDING_LOCK] =
        {"lock", "lock contention",
         "hold it for less, use several locks, or sum up in each thread and join at the end", NULL},
    [OMPTAPE_FINDING_FINE_TASKS] = {"fine_tasks", "tasks too fine",
                                    "fewer and larger tasks: a cut-off with if() or final(), grainsize()",
                                    NULL},
    [OMPTAPE_FINDING_TASK_CHAIN] = {"task_chain", "chain of tasks",
                                    "loosen the dependences, or give the other threads work beside the chain",
                                    "a "},
    [OMPTAPE_FINDING_SERIAL] = {"serial", "serial part", "", "a "},
    [OMPTAPE_FINDING_NESTED_WAIT] = {"nested_wait", "waiting for a nested region",
                                     "even out the inner regions", NULL},
    [OMPTAPE_FINDING_OVERSUBSCRIPTION] = {"oversubscription", "more threads than processors", "", NULL},
    [OMPTAPE_FINDING_PREEMPTION] = {"preemption", "threads without a processor", "", NULL},
    [OMPTAPE_FINDING_SMALL_TRANSFERS] = {"small_transfers", "many small transfers",
                                         "move the data at once, or keep it on the device", NULL},
    [OMPTAPE_FINDING_REPEATED_TRANSFERS] = {"repeated_transfers", "data sent again and again",
                                            "keep it on the device: target data around the loop", NULL},
    [OMPTAPE_FINDING_TINY_REGIONS] = {"tiny_regions", "tiny parallel regions",
                                      "one parallel region around all of them, with nowait where no thread "
                                      "needs what the others did",
                                      NULL},
    [OMPTAPE_FINDING_NEEDLESS_BARRIER] = {"needless_barrier", "barrier that nothing needs", "nowait", "a "},
    [OMPTAPE_FINDING_LATE_SENDER] = {"late_sender", "late sender",
                                     "even out the work of the processes, or send earlier", "a "},
    [OMPTAPE_FINDING_LATE_RECEIVER] = {"late_receiver", "late receiver",
                                       "even out the work of the processes, or receive before that work",
                                       "a "},
    [OMPTAPE_FINDING_COLLECTIVE_WAIT] = {"collective_wait", "waiting at a collective",
                                         "even out the work of the processes", NULL},
    [OMPTAPE_FINDING_WINDOW_WAIT] =
        {"window_wait", "waiting for access to a window",
         "even out the work of the processes, or shorten what they do in an epoch", NULL},
    [OMPTAPE_FINDING_LATE_PROGRESS] = {"late_progress", "message that does not move on",
                                       "call MPI_Test there now and then, or wait for it before the work",
                                       "a "},
    [OMPTAPE_FINDING_COMMUNICATION] = {"communication", "threads wait for one in MPI",
                                       "let the others go on meanwhile: nowait, or a task of its own", NULL},
    [OMPTAPE_FINDING_LATE_START] = {"late_start", "threads that begin late", "", NULL},
    [OMPTAPE_FINDING_FEW_THREADS] = {"few_threads", "fewer threads or processors than possible", "", NULL},
    [OMPTAPE_FINDING_FINE_CHUNKS] = {"fine_chunks", "chunks too small", "larger chunks", NULL},
    [OMPTAPE_FINDING_HANG] = {"hang", "hang", "", "a "},
    [OMPTAPE_FINDING_OUTLIER] = {"outlier", "outlier", "", "an "},
    [OMPTAPE_FINDING_QUOTA] = {"quota", "limit of processor time", "", "the "},
    [OMPTAPE_FINDING_PAGE_FAULTS] =
        {"page_faults", "page faults",
         "allocate memory once and reuse it (glibc keeps what is freed with MALLOC_TRIM_THRESHOLD_ and "
         "MALLOC_MMAP_THRESHOLD_ set high); or huge pages: madvise",
         NULL},
    [OMPTAPE_FINDING_SYSTEM_TIME] = {"system_time", "time in the kernel",
                                     "fewer and larger calls: strace -f -c, or perf trace -s, counts them",
                                     NULL},
    [OMPTAPE_FINDING_HOT_FUNCTION] = {"hot_function", "a library's function", "", NULL},
    [OMPTAPE_FINDING_ALLOCATION] = {"allocation", "allocation of memory", "", "the "},
    [OMPTAPE_FINDING_SPIN] = {"spin", "a loop that waits", "", NULL},
    [OMPTAPE_FINDING_ATOMIC] = {"atomic", "atomic updates", "", NULL},
    [OMPTAPE_FINDING_FALSE_SHARING] = {"false_sharing", "a shared cache line", "", NULL},
    [OMPTAPE_FINDING_STRIDE] = {"stride", "accesses far apart in memory", "", NULL},
    [OMPTAPE_FINDING_TREND] = {"trend", "longer from one to the next", "", NULL},
    [OMPTAPE_FINDING_MEMORY] = {"memory", "waiting for memory",
                                "use data again while it is in the cache (loops in blocks, smaller types), "
                                "in the order in which it lies there; omptape scale shows whether more "
                                "threads help",
                                NULL},
    [OMPTAPE_FINDING_LOW_IPC] = {"low_ipc", "few instructions in a cycle",
                                 "perf annotate shows the instructions that take longest", NULL},
    [OMPTAPE_FINDING_BLOCKED] = {"blocked", "blocked",
                                 "omptape does not see for what: strace -f, or perf trace, shows the calls; "
                                 "let other work go on meanwhile, or do it less often",
                                 "being "},
};

const char *omptape_finding_key(enum omptape_finding_kind kind)
{
    return kinds[kind].key;
}

const char *omptape_finding_name(enum omptape_finding_kind kind)
{
    return kinds[kind].name;
}

/* Returns the place where most threads wait while a lock is held here, or NULL if no thread waits. */
static const struct analysis_lock_holder *main_asker(const struct analysis_state *state,
                                                     const struct analysis_region *holder)
{
    const struct analysis_lock_holder *most = NULL;
    for (uint32_t i = 0; i < state->lock_holders.count; i++) {
        const struct analysis_lock_holder *one = state->lock_holders.list[i].value;
        if (one->holder == holder && (most == NULL || one->waited > most->waited))
            most = one;
    }
    return most;
}

/* Returns the mean hold time: "3.1 us", or "3.1 us (80 % of it asleep)". */
static const char *describe_hold(const struct analysis_state *state, const struct analysis_lock *lock)
{
    const double mean = lock->hold.count > 0 ? (double)lock->hold.sum / (double)lock->hold.count : 0;
    const double asleep = lock->hold.sum > 0 ? 100 * (double)lock->slept / (double)lock->hold.sum : 0;
    const char *time = omptape_time_text(state, mean);
    return asleep < 10
               ? time
               : omptape_sentence(state, "%s (%.0f %% of it asleep)", time, asleep < 100 ? asleep : 100);
}

static void describe_lock(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_lock_site *site = omptape_analysis_of_region(&state->lock_sites, finding->region);
    if (finding->region->kind == OMPTAPE_REGION_LOOP) {
        finding->text = omptape_sentence(
            state, "iterations wait for others that they depend on (ordered depend), %s in all",
            omptape_time_text(state, (double)finding->waited));
        finding->proposal =
            "let others follow sooner: smaller parts, or depend(source) right behind what they need";
        return;
    }
    if (finding->region->kind == OMPTAPE_REGION_FLUSH) {
        finding->text = omptape_sentence(
            state,
            "threads make one flush, or atomic that is not relaxed, right after the other, as who asks for a "
            "flag does: %s in all",
            omptape_time_text(state, (double)finding->waited));
        finding->proposal = "even out what they wait for, or wait where the runtime knows of it: tasks or "
                            "iterations with depend, a barrier";
        return;
    }
    if (site == NULL || site->result.wait.count == 0)
        return;
    const struct analysis_lock *lock = &site->result;
    const char *hold = describe_hold(state, lock);
    const char *wait = omptape_time_text(state, (double)lock->wait.sum / (double)lock->wait.count);
    if (finding->region->kind == OMPTAPE_REGION_ORDERED) {
        finding->text = omptape_sentence(
            state, "a turn takes %s and is waited for %s, on average: threads wait %s in all", hold, wait,
            omptape_time_text(state, (double)finding->waited));
        finding->proposal = "do less in the ordered part, or put the results in order behind the loop";
        return;
    }
    const struct analysis_lock_holder *asker = main_asker(state, finding->region);
    if (asker != NULL && asker->asker != finding->region) {
        finding->text =
            omptape_sentence(state, "held for %s on average; others wait for that %s in all, most at %s",
                             hold, omptape_time_text(state, (double)finding->waited), asker->asker->shown);
        return;
    }
    finding->text = omptape_sentence(state,
                                     "held for %s, waited for %s on average; %u threads asked for it %" PRIu64
                                     " times, and had to wait in %.0f %% of them",
                                     hold, wait, lock->threads, lock->wait.count,
                                     100.0 * (double)lock->contended / (double)lock->wait.count);
}

/* Returns true if kernel time in serial parts is a finding of its own. */
static bool has_kernel(const struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct omptape_finding *one = &result->findings[i];
        if (one->serial != NULL && one->around != NULL &&
            (one->kind == OMPTAPE_FINDING_PAGE_FAULTS || one->kind == OMPTAPE_FINDING_SYSTEM_TIME))
            return true;
    }
    return false;
}

/* Explains why the serial part is longer in the table than its computation. */
static const char *describe_rest(struct analysis_state *state, const struct omptape_finding *finding,
                                 double serial)
{
    const double all = (double)finding->serial->sum * omptape_findings_before_fork(finding->serial) /
                       state->result->process_count;
    if (finding->gain_of_others > 0 || all < 1.05 * serial)
        return "";
    return omptape_sentence(state, " in a stretch of %s, where it %slacked a processor at times%s",
                            omptape_time_text(state, all), has_kernel(state) ? "was in the kernel or " : "",
                            finding->serial->after == NULL ? " or omptape began" : "");
}

/* For a finding that covers several serial parts: names the others. */
static const char *describe_others(struct analysis_state *state, const struct omptape_finding *finding)
{
    char name[OMPTAPE_SHORT_NAME_BYTES];
    if (finding->gain_of_others == 0)
        return "";
    if (finding->others == 0)
        return ", at the program's begin or end as well";
    omptape_short_name_of_function(finding->inside, name);
    return omptape_sentence(state, ", mostly in %s, which it calls between other regions, too (%u places)",
                            name, finding->others + 1);
}

static void describe_serial(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = state->result;
    double wall = (double)omptape_minus(result->end, result->begin);
    /* As in serial_parts.c, which multiplied by these numbers. */
    uint32_t processes = result->process_count > 0 ? result->process_count : 1;
    uint64_t threads = result->threads / processes;
    if (finding->serial == NULL) {
        bool barrier = omptape_region_is_barrier(finding->region->kind);
        finding->text = omptape_sentence(state, "one thread works %s while the others wait %s in all",
                                         barrier ? "before it" : "here",
                                         omptape_time_text(state, (double)finding->waited));
        finding->proposal = barrier ? "share it out, or give the others work meanwhile"
                                    : "share it out, or let the others go on: nowait";
        return;
    }
    double others = threads > 1 ? (double)(threads - 1) : 1;
    double serial = (double)finding->waited / others / processes;
    double share = wall > 0 ? serial / wall : 0;
    double bound = (1 + others) / (1 + share * others);
    const char *time = omptape_time_text(state, serial);
    finding->text = omptape_sentence(
        state,
        "one thread computes for %s (%.0f %% of the time)%s%s: bounds the speed-up with %" PRIu64
        " threads to %.*f",
        time, 100 * share, describe_others(state, finding), describe_rest(state, finding, serial), threads,
        bound < 10 ? 2 : 1, bound);
}

/* Proposes threads for the outer regions alone, or fewer for the regions within them. */
static const char *fewer_nested(const struct analysis_state *state, const struct analysis_process *process,
                                const struct analysis_parallel *parallel)
{
    const uint64_t inner = process->processors / parallel->outer;
    const char *less = parallel->outer > process->processors
                           ? omptape_sentence(state, "OMP_NUM_THREADS=%" PRIu64 " and ", process->processors)
                           : "";
    return inner > 1
               ? omptape_sentence(state, "OMP_NUM_THREADS=%u,%" PRIu64 ", or num_threads() of these regions",
                                  parallel->outer, inner)
               : omptape_sentence(state,
                                  "%sOMP_MAX_ACTIVE_LEVELS=1: the outer regions have %u threads for %" PRIu64
                                  " processors",
                                  less, parallel->outer, process->processors);
}

/* Proposes as many threads as processors. If only several regions at once have more, proposes fewer of the
 * program's own threads as well. */
static const char *fewer_threads(struct analysis_state *state, const struct analysis_process *process)
{
    uint64_t most = 1;
    const struct analysis_parallel *largest = NULL;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        const uint64_t threads = (uint64_t)parallel->threads * parallel->outer;
        largest = threads > most ? parallel : largest;
        most = threads > most ? threads : most;
    }
    if (largest != NULL && largest->outer > 1 && largest->threads > 1 && most > process->processors)
        return fewer_nested(state, process, largest);
    if (most > process->processors || !omptape_analysis_has_several(process))
        return omptape_sentence(state, "OMP_NUM_THREADS=%" PRIu64, process->processors);
    const uint64_t each = process->processors * most / process->most_threads;
    return omptape_sentence(
        state, "fewer of the program's own threads in regions at once, or OMP_NUM_THREADS=%" PRIu64,
        each > 0 ? each : 1);
}

/* With several processes, the sentence describes the first one: they run the same program. */
static void describe_oversubscription(struct analysis_state *state, struct omptape_finding *finding)
{
    const double processes = state->result->process_count;
    const struct analysis_process *process = &state->result->processes[0];
    const char *time = omptape_time_text(state, (double)finding->waited);
    const char *took = omptape_time_text(state, (double)finding->cost_wall / processes);
    const char *need =
        omptape_time_text(state, (double)finding->cost_wall / processes - (double)finding->gain);
    const char *how = omptape_findings_are_measured(state, 0) ? "" : " (estimated)";
    if (process->team_processors == 0 || process->team_processors >= process->processors) {
        finding->text = omptape_sentence(state,
                                         "%u threads on %" PRIu64
                                         " processor%s wait %s in all for one: what takes %s could take %s%s",
                                         process->most_threads, process->processors,
                                         process->processors == 1 ? "" : "s", time, took, need, how);
        finding->proposal = fewer_threads(state, process);
        if (omptape_findings_allowed(state) > 0 &&
            omptape_findings_online(state) > omptape_findings_allowed(state))
            finding->proposal = omptape_sentence(state,
                                                 "%s; or more of the machine's %" PRIu64
                                                 " processors: taskset, --cpus-per-task, --bind-to",
                                                 finding->proposal, omptape_findings_online(state));
        return;
    }
    finding->text = omptape_sentence(state,
                                     "%u threads are bound to %" PRIu64 " of %" PRIu64
                                     " processors and wait %s in all for %s: what takes %s could take %s%s",
                                     process->most_threads, process->team_processors, process->processors,
                                     time, process->team_processors == 1 ? "it" : "one", took, need, how);
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    if (rivals.kind == ANALYSIS_RIVAL_AFFINITY) {
        finding->proposal = omptape_sentence(state, "the program or a library calls sched_setaffinity: %s",
                                             omptape_rivals_proposal(state, &rivals));
        return;
    }
    finding->proposal = process->most_threads > process->processors
                            ? omptape_sentence(state, "OMP_NUM_THREADS=%" PRIu64 ", each bound to its own",
                                               process->processors)
                            : "bind each to a processor of its own: OMP_PLACES, OMP_PROC_BIND, KMP_AFFINITY";
}

static void describe_transfers(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_transfer *transfer = finding->transfer;
    uint64_t count = transfer->times.count;
    const char *back = finding->count > count ? omptape_sentence(state, ", and %" PRIu64 " the other way",
                                                                 finding->count - count)
                                              : "";
    finding->text = omptape_sentence(state,
                                     "%" PRIu64 " transfers of %" PRIu64 " bytes on average, %" PRIu64
                                     " of them from where the same amount had been sent before%s; %s in all",
                                     count, omptape_mean(transfer->bytes, count), transfer->repeated, back,
                                     omptape_time_text(state, (double)finding->waited));
}

static void describe_preemption(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = state->result;
    const bool at_lock = finding->region != NULL && omptape_region_is_lock(finding->region->kind);
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    const char *who = omptape_rivals_text(state, &rivals);
    const char *colon = who[0] != '\0' ? ": " : "";
    finding->proposal = omptape_rivals_proposal(state, &rivals);
    /* If the gain consists of waiting alone, all threads but one waited. */
    const uint64_t others =
        result->threads > result->process_count ? result->threads - result->process_count : 1;
    if (finding->waited == 0)
        finding->text =
            omptape_sentence(state, "threads had no processor for a part of their work%s%s%s",
                             omptape_findings_are_measured(state, 0) ? "" : " (estimated)", colon, who);
    else
        finding->text = omptape_sentence(
            state, "the %s had no processor%s%s; the others wait %s in all%s",
            at_lock ? "thread that had the lock, or was next to have it," : "last thread to come", colon, who,
            omptape_time_text(state, (double)finding->waited),
            4 * others * finding->gain > 5 * finding->waited ? ", and lacked one at times themselves" : "");
}

static void describe_quota(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    finding->text = omptape_sentence(
        state,
        "its cgroup may use %.3g processors: threads were stopped in %.0f of %.0f periods, %s in all%s",
        rivals.processors, rivals.throttled, rivals.periods,
        omptape_time_text(state, rivals.quota / state->ns_per_tick),
        rivals.is_used_up ? omptape_sentence(state, " (cpu.stat), and had no processor for %s",
                                             omptape_time_text(state, rivals.queued / state->ns_per_tick))
                          : "");
    finding->proposal = omptape_rivals_raise(state, &rivals);
}

static void describe_late_start(struct analysis_state *state, struct omptape_finding *finding)
{
    const bool is_left = finding->region != NULL && finding->region->kind != OMPTAPE_REGION_PARALLEL &&
                         finding->region->kind != OMPTAPE_REGION_TEAMS;
    finding->text =
        omptape_sentence(state, "after %" PRIu64 " %s%s threads %s late; the others wait %s in all",
                         finding->count, is_left ? "barrier" : "fork", finding->count == 1 ? "" : "s",
                         is_left ? "go on" : "begin", omptape_time_text(state, (double)finding->waited));
}

static void describe_other(struct analysis_state *state, struct omptape_finding *finding)
{
    switch (finding->kind) {
    case OMPTAPE_FINDING_NESTED_WAIT:
        finding->text =
            omptape_sentence(state, "the outer team waits %s in all for the thread that is in here",
                             omptape_time_text(state, (double)finding->waited));
        break;
    case OMPTAPE_FINDING_OVERSUBSCRIPTION:
        describe_oversubscription(state, finding);
        break;
    case OMPTAPE_FINDING_PREEMPTION:
        describe_preemption(state, finding);
        break;
    case OMPTAPE_FINDING_SMALL_TRANSFERS:
    case OMPTAPE_FINDING_REPEATED_TRANSFERS:
        describe_transfers(state, finding);
        break;
    case OMPTAPE_FINDING_FEW_THREADS:
        omptape_describe_few(state, finding);
        break;
    case OMPTAPE_FINDING_LATE_START:
        describe_late_start(state, finding);
        break;
    case OMPTAPE_FINDING_TINY_REGIONS:
        omptape_describe_tiny(state, finding);
        break;
    case OMPTAPE_FINDING_FINE_CHUNKS:
        omptape_describe_chunks(state, finding);
        break;
    case OMPTAPE_FINDING_OUTLIER:
        if (finding->outlier != NULL)
            omptape_describe_outlier(state, finding);
        break;
    case OMPTAPE_FINDING_TREND:
        omptape_describe_trend(state, finding);
        break;
    case OMPTAPE_FINDING_NEEDLESS_BARRIER:
        finding->text = omptape_sentence(
            state, "%" PRIu64 " times no thread did anything since the barrier before; %s in all",
            finding->count, omptape_time_text(state, (double)finding->waited));
        if (finding->region != NULL && finding->region->kind == OMPTAPE_REGION_BARRIER)
            finding->proposal = "leave it out";
        break;
    default:
        break;
    }
}

/* Writes text and proposal for the finding's kind. */
static void describe_kind(struct analysis_state *state, struct omptape_finding *finding)
{
    finding->proposal = kinds[finding->kind].proposal;
    if (finding->kind == OMPTAPE_FINDING_HANG) /* its text was written when it was found */
        return;
    finding->text = "";
    if (finding->kind == OMPTAPE_FINDING_PREEMPTION && finding->region != NULL &&
        finding->region->kind == OMPTAPE_REGION_MPI) {
        omptape_describe_mpi_lack(state, finding);
        return;
    }
    switch (finding->kind) {
    case OMPTAPE_FINDING_IMBALANCE:
        omptape_describe_imbalance(state, finding);
        break;
    case OMPTAPE_FINDING_LOCK:
        describe_lock(state, finding);
        break;
    case OMPTAPE_FINDING_FINE_TASKS:
    case OMPTAPE_FINDING_TASK_CHAIN:
        omptape_describe_tasks(state, finding);
        break;
    case OMPTAPE_FINDING_SERIAL:
        describe_serial(state, finding);
        break;
    case OMPTAPE_FINDING_BLOCKED:
        omptape_describe_blocked(state, finding);
        break;
    case OMPTAPE_FINDING_PAGE_FAULTS:
    case OMPTAPE_FINDING_SYSTEM_TIME:
        omptape_describe_system(state, finding);
        break;
    case OMPTAPE_FINDING_QUOTA:
        describe_quota(state, finding);
        break;
    case OMPTAPE_FINDING_HOT_FUNCTION:
    case OMPTAPE_FINDING_ALLOCATION:
    case OMPTAPE_FINDING_SPIN:
    case OMPTAPE_FINDING_ATOMIC:
    case OMPTAPE_FINDING_FALSE_SHARING:
    case OMPTAPE_FINDING_STRIDE:
        omptape_describe_functions(state, finding);
        break;
    case OMPTAPE_FINDING_MEMORY:
    case OMPTAPE_FINDING_LOW_IPC:
        omptape_describe_counted(state, finding);
        break;
    case OMPTAPE_FINDING_LATE_SENDER:
    case OMPTAPE_FINDING_LATE_RECEIVER:
    case OMPTAPE_FINDING_COLLECTIVE_WAIT:
    case OMPTAPE_FINDING_WINDOW_WAIT:
    case OMPTAPE_FINDING_LATE_PROGRESS:
    case OMPTAPE_FINDING_COMMUNICATION:
        omptape_describe_mpi(state, finding);
        break;
    default:
        describe_other(state, finding);
        break;
    }
}

/* Returns true if the region's name ends with the phase's name, as in a Kokkos kernel. */
static bool has_phase_in_name(const struct omptape_finding *finding)
{
    const char *name = finding->region != NULL ? finding->region->shown : "";
    const size_t length = strlen(name);
    const size_t phase = strlen(finding->phase);
    return length > phase && name[length - phase - 1] == ' ' &&
           strcmp(name + length - phase, finding->phase) == 0;
}

void omptape_finding_describe(struct analysis_state *state, struct omptape_finding *finding)
{
    const char *phase = omptape_finding_phase(state, finding);
    describe_kind(state, finding);
    finding->phase = phase != NULL && finding->kind != OMPTAPE_FINDING_HANG ? phase : "";
    if (finding->slow != NULL)
        omptape_describe_slow(state, finding);
    else if (finding->phase[0] != '\0' && !has_phase_in_name(finding))
        finding->text =
            omptape_sentence(state, "in %s%s%s", phase, finding->text[0] != '\0' ? ": " : "", finding->text);
}

/* Returns a sentence with a leading space if a process has more threads than processors; otherwise "". */
static const char *describe_processors(struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    for (uint32_t i = 0; i < result->process_count; i++) {
        const struct analysis_process *process = &result->processes[i];
        if (process->processors > 0 && process->most_threads > process->processors)
            return omptape_sentence(state, " %u threads%s share %" PRIu64 " processor%s.",
                                    process->most_threads, result->process_count > 1 ? " of a process" : "",
                                    process->processors, process->processors == 1 ? "" : "s");
    }
    return "";
}

/* Returns a sentence about the time before the first parallel region, without the tool's start-up, if it is a
 * considerable part. It has a leading space; otherwise "". */
static const char *describe_start(struct analysis_state *state, double wall)
{
    const double good_part = 0.2;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->serials.count; i++) {
        const struct analysis_serial *serial = state->serials.list[i].value;
        omptape_add(&sum, serial->after == NULL && serial->before != NULL ? serial->sum : 0);
    }
    const uint32_t processes = state->result->process_count > 0 ? state->result->process_count : 1;
    const double start = (double)omptape_minus(sum, state->result->perturbation.starting) / processes;
    return start > good_part * wall
               ? omptape_sentence(state, " %.0f %% of the run is before the first parallel region.",
                                  100 * start / wall)
               : "";
}

/* Returns a sentence for a run that is too short because starting threads dominates; otherwise "". */
static const char *describe_length(struct analysis_state *state, double wall)
{
    const double short_ns = 20e6;
    return wall * state->ns_per_tick < short_ns
               ? omptape_sentence(state, " A run of %s is too short to judge: a larger input shows more.",
                                  omptape_time_text(state, wall))
               : "";
}

/* Returns the threads' shares of computing and serial time, in the words and numbers of the summary. */
static const char *describe_computing(struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    double parts[] = {0, 0};
    double lives = 0;
    for (uint32_t i = 0; i < result->thread_count; i++) {
        const struct analysis_thread *thread = &result->thread_list[i];
        parts[0] += (double)thread->parts[OMPTAPE_BUCKET_COMPUTING];
        parts[1] += (double)thread->parts[OMPTAPE_BUCKET_SERIAL];
        lives += (double)omptape_analysis_life(thread);
    }
    return lives > 0 ? omptape_sentence(state, "Threads' time: computing %.1f %%, serial %.1f %%.",
                                        100 * parts[0] / lives, 100 * parts[1] / lives)
                     : "";
}

uint64_t omptape_finding_wall(const struct omptape_analysis *result)
{
    enum { INVERSE_MIN_SHARE = 20 };
    const uint64_t wall = omptape_minus(result->end, result->begin);
    uint64_t stalled = 0;
    for (uint32_t i = 0; i < result->thread_count; i++)
        if (result->thread_list[i].stalled > stalled)
            stalled = result->thread_list[i].stalled;
    const uint64_t left = omptape_minus(wall, stalled);
    return left > wall / INVERSE_MIN_SHARE ? left : wall / INVERSE_MIN_SHARE;
}

bool omptape_finding_is_little(const struct omptape_analysis *result)
{
    enum { LITTLE_PART = 20 };
    const struct omptape_finding *first = result->findings;
    return result->finding_count == 0 ||
           (first->kind != OMPTAPE_FINDING_HANG && first->spent_wall == 0 &&
            (first->is_slight || first->gain < omptape_finding_wall(result) / LITTLE_PART));
}

void omptape_findings_verdict(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    double wall = (double)omptape_minus(result->end, result->begin);
    if (result->finding_count == 0) {
        result->verdict =
            result->threads <= result->process_count && result->efficiency.lost[ANALYSIS_COMMUNICATION] == 0
                ? "Nothing ran in parallel."
                : omptape_sentence(state, "Nothing stands out. %s%s%s%s", describe_computing(state),
                                   describe_processors(state), describe_start(state, wall),
                                   describe_length(state, wall));
        return;
    }
    const struct omptape_finding *first = &result->findings[0];
    if (first->kind == OMPTAPE_FINDING_HANG) {
        result->verdict = omptape_sentence(state, "The program hangs: %s.", first->text);
        return;
    }
    const char *place = first->region != NULL   ? first->region->shown
                        : first->before != NULL ? first->before->shown
                                                : "the program";
    const char *where = first->serial == NULL ? "" : first->region != NULL ? "after " : "before ";
    if (first->gain == 0) {
        result->verdict = omptape_sentence(state, "Most time goes to %s: %s%s, %s (%.0f %%). %s%s",
                                           omptape_finding_name(first->kind), where, place,
                                           omptape_time_text(state, (double)first->spent_wall),
                                           wall > 0 ? 100 * (double)first->spent_wall / wall : 0,
                                           describe_computing(state), describe_processors(state));
        return;
    }
    result->verdict =
        omptape_sentence(state, "%s to %s%s: %s%s, %s%s (%.0f %%) to win. %s%s",
                         omptape_finding_is_little(result) ? "Little is lost, most of it" : "Most is lost",
                         kinds[first->kind].article != NULL ? kinds[first->kind].article : "",
                         omptape_finding_name(first->kind), where, place, omptape_finding_before_gain(first),
                         omptape_time_text(state, (double)first->gain),
                         wall > 0 ? 100 * (double)first->gain / wall : 0, describe_computing(state),
                         first->kind == OMPTAPE_FINDING_OVERSUBSCRIPTION ? "" : describe_processors(state));
}
