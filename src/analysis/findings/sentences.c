/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a finding's text: one sentence with numbers, and a proposal if the facts support one. Plain text;
 * the caller breaks lines. Called by findings.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"
#include "src/analysis/locks.h"
#include "src/core/short_names.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

/* Returns true for an atomic region that is held longer than updates of one variable take. Code of gcc's
 * joins the copies of a reduction in such a region. */
static bool is_reduction(const struct analysis_state *state, const struct analysis_lock *lock)
{
    const double longest_update_ns = 2000;
    return lock->region->kind == OMPTAPE_REGION_ATOMIC &&
           (double)omptape_durations_median(&lock->hold, state->reader->clock_resolution) *
                   state->ns_per_tick >
               longest_update_ns;
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
    const bool reduces = is_reduction(state, lock);
    finding->text = omptape_sentence(state,
                                     "held for %s, waited for %s on average; %u threads asked for it %s "
                                     "times, and had to wait in %.0f %% of them%s",
                                     hold, wait, lock->threads, omptape_count_text(state, lock->wait.count),
                                     100.0 * (double)lock->contended / (double)lock->wait.count,
                                     reduces ? ": if gcc compiled it, most likely a reduction, to whose "
                                               "result one thread after the other adds its copy"
                                             : "");
    if (reduces)
        finding->proposal = omptape_findings_function_proposal(
            &(struct omptape_inside_call){.mark = OMPTAPE_INSIDE_REDUCING});
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
    const double all =
        (double)finding->serial->sum * omptape_findings_before_fork(finding->serial) / state->result->at_once;
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
    const double threads = omptape_analysis_mean_threads(result);
    if (finding->serial == NULL) {
        bool barrier = omptape_region_is_barrier(finding->region->kind);
        finding->text = omptape_sentence(state, "one thread works %s while the others wait %s in all",
                                         barrier ? "before it" : "here",
                                         omptape_time_text(state, (double)finding->waited));
        finding->proposal = barrier ? "share it out, or give the others work meanwhile"
                                    : "share it out, or let the others go on: nowait";
        return;
    }
    double others = threads > 1 ? threads - 1 : 1;
    double serial = (double)finding->waited / others / result->at_once;
    double share = wall > 0 ? serial / wall : 0;
    double bound = (1 + others) / (1 + share * others);
    const char *time = omptape_time_text(state, serial);
    finding->text = omptape_sentence(
        state,
        "one thread computes for %s (%.0f %% of the time)%s%s: bounds the speed-up with %.*f "
        "threads to %.*f",
        time, 100 * share, describe_others(state, finding), describe_rest(state, finding, serial),
        threads > floor(threads) ? 1 : 0, threads, bound < 10 ? 2 : 1, bound);
}

static void describe_transfers(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_transfer *transfer = finding->transfer;
    uint64_t count = transfer->times.count;
    const char *back = finding->count > count
                           ? omptape_sentence(state, ", and %s the other way",
                                              omptape_count_text(state, finding->count - count))
                           : "";
    finding->text = omptape_sentence(state,
                                     "%s transfers of %s bytes on average, %s of them from where the same "
                                     "amount had been sent before%s; %s in all",
                                     omptape_count_text(state, count),
                                     omptape_count_text(state, omptape_mean(transfer->bytes, count)),
                                     omptape_count_text(state, transfer->repeated), back,
                                     omptape_time_text(state, (double)finding->waited));
}

static void describe_nested_wait(struct analysis_state *state, struct omptape_finding *finding)
{
    finding->text = omptape_sentence(state, "the outer team waits %s in all for the thread that is in here",
                                     omptape_time_text(state, (double)finding->waited));
}

static void describe_needless_barrier(struct analysis_state *state, struct omptape_finding *finding)
{
    finding->text = omptape_sentence(
        state, "%s time%s threads did nothing, or less than a barrier takes, since the one before; %s in all",
        omptape_count_text(state, finding->count), finding->count == 1 ? "" : "s",
        omptape_time_text(state, (double)finding->waited));
    if (finding->region != NULL && finding->region->kind == OMPTAPE_REGION_BARRIER)
        finding->proposal = "leave it out if nothing behind it needs what was done before; else do more "
                            "between two barriers, as with whole iterations of an outer loop for each thread";
}

/* A row for each kind of finding. `article` stands before the name within a sentence. `describe` sets the
 * text and perhaps the proposal; a hang was described when it was found. */
static const struct {
    const char *key;
    const char *name;
    const char *article;
    const char *proposal; /* unless `describe` knows a better one */
    void (*describe)(struct analysis_state *state, struct omptape_finding *finding);
} kinds[OMPTAPE_FINDING_KINDS] = {
    [OMPTAPE_FINDING_IMBALANCE] = {"imbalance", "imbalance", "", "", omptape_describe_imbalance},
    [OMPTAPE_FINDING_LOCK] =
        {"lock", "lock contention", "",
         "hold it for less, use several locks, or sum up in each thread and join at the end", describe_lock},
    [OMPTAPE_FINDING_FINE_TASKS] = {"fine_tasks", "tasks too fine", "",
                                    "fewer and larger tasks: a cut-off with if() or final(), grainsize()",
                                    omptape_describe_tasks},
    [OMPTAPE_FINDING_TASK_CHAIN] = {"task_chain", "chain of tasks", "a ",
                                    "loosen the dependences, or give the other threads work beside the chain",
                                    omptape_describe_tasks},
    [OMPTAPE_FINDING_SERIAL] = {"serial", "serial part", "a ", "", describe_serial},
    [OMPTAPE_FINDING_NESTED_WAIT] = {"nested_wait", "waiting for a nested region", "",
                                     "even out the inner regions", describe_nested_wait},
    [OMPTAPE_FINDING_OVERSUBSCRIPTION] = {"oversubscription", "more threads than processors", "", "",
                                          omptape_describe_oversubscription},
    [OMPTAPE_FINDING_PREEMPTION] = {"preemption", "threads without a processor", "", "",
                                    omptape_describe_preemption},
    [OMPTAPE_FINDING_SMALL_TRANSFERS] = {"small_transfers", "many small transfers", "",
                                         "move the data at once, or keep it on the device",
                                         describe_transfers},
    [OMPTAPE_FINDING_SMALL_MESSAGES] = {"small_messages", "many small messages", "",
                                        "fewer and larger ones: put the data together",
                                        omptape_describe_small_messages},
    [OMPTAPE_FINDING_REPEATED_CREATION] = {"repeated_creation", "what is made again and again", "",
                                           "make it once, before the loop, and use it again",
                                           omptape_describe_creations},
    [OMPTAPE_FINDING_REPEATED_TRANSFERS] = {"repeated_transfers", "data sent again and again", "",
                                            "keep it on the device: target data around the loop",
                                            describe_transfers},
    [OMPTAPE_FINDING_TINY_REGIONS] =
        {"tiny_regions", "tiny parallel regions", "",
         "one parallel region around all of them, with nowait where no thread needs what the others did",
         omptape_describe_tiny},
    [OMPTAPE_FINDING_NEEDLESS_BARRIER] = {"needless_barrier", "barrier after little work", "a ",
                                          "nowait, if nothing behind it needs what was done before; else do "
                                          "more between two barriers",
                                          describe_needless_barrier},
    [OMPTAPE_FINDING_LATE_SENDER] = {"late_sender", "late sender", "a ",
                                     "even out the work of the processes, or send earlier",
                                     omptape_describe_mpi},
    [OMPTAPE_FINDING_LATE_RECEIVER] = {"late_receiver", "late receiver", "a ",
                                       "even out the work of the processes, or receive before that work",
                                       omptape_describe_mpi},
    [OMPTAPE_FINDING_COLLECTIVE_WAIT] = {"collective_wait", "waiting at a collective", "",
                                         "even out the work of the processes", omptape_describe_mpi},
    [OMPTAPE_FINDING_WINDOW_WAIT] =
        {"window_wait", "waiting for access to a window", "",
         "even out the work of the processes, or shorten what they do in an epoch", omptape_describe_mpi},
    [OMPTAPE_FINDING_LATE_PROGRESS] =
        {"late_progress", "message that does not move on", "a ",
         "call MPI_Test there from time to time, or wait for it before the work", omptape_describe_mpi},
    [OMPTAPE_FINDING_COMMUNICATION] = {"communication", "threads wait for one in MPI", "",
                                       "let the others go on meanwhile: nowait, or a task of its own",
                                       omptape_describe_mpi},
    [OMPTAPE_FINDING_LATE_START] = {"late_start", "threads that begin late", "", "",
                                    omptape_describe_late_start},
    [OMPTAPE_FINDING_FEW_THREADS] = {"few_threads", "fewer threads or processors than possible", "", "",
                                     omptape_describe_few},
    [OMPTAPE_FINDING_FINE_CHUNKS] = {"fine_chunks", "chunks too small", "", "larger chunks",
                                     omptape_describe_chunks},
    [OMPTAPE_FINDING_HANG] = {"hang", "hang", "a ", "", NULL},
    [OMPTAPE_FINDING_OUTLIER] = {"outlier", "outlier", "an ", "", omptape_describe_outlier},
    [OMPTAPE_FINDING_QUOTA] = {"quota", "limit of processor time", "the ", "", omptape_describe_quota},
    [OMPTAPE_FINDING_PAGE_FAULTS] = {"page_faults", "page faults", "",
                                     "what is allocated again and again, once, to be reused (glibc keeps "
                                     "what is freed with MALLOC_TRIM_THRESHOLD_ and MALLOC_MMAP_THRESHOLD_ "
                                     "set high); what is touched once only, in huge pages: madvise",
                                     omptape_describe_system},
    [OMPTAPE_FINDING_SYSTEM_TIME] = {"system_time", "time in the kernel", "",
                                     "fewer and larger calls: strace -f -c, or perf trace -s, counts them",
                                     omptape_describe_system},
    [OMPTAPE_FINDING_HOT_FUNCTION] = {"hot_function", "a library's function", "", "",
                                      omptape_describe_functions},
    [OMPTAPE_FINDING_ALLOCATION] = {"allocation", "allocation of memory", "the ", "",
                                    omptape_describe_functions},
    [OMPTAPE_FINDING_SPIN] = {"spin", "a loop that waits", "", "", omptape_describe_functions},
    [OMPTAPE_FINDING_ATOMIC] = {"atomic", "atomic updates", "", "", omptape_describe_functions},
    [OMPTAPE_FINDING_FALSE_SHARING] = {"false_sharing", "a shared cache line", "", "",
                                       omptape_describe_functions},
    [OMPTAPE_FINDING_STRIDE] = {"stride", "accesses far apart in memory", "", "", omptape_describe_functions},
    [OMPTAPE_FINDING_SCATTERED] = {"scattered", "accesses in no order in memory", "", "",
                                   omptape_describe_functions},
    [OMPTAPE_FINDING_TREND] = {"trend", "longer from one to the next", "", "", omptape_describe_trend},
    [OMPTAPE_FINDING_MEMORY] =
        {"memory", "waiting for memory", "",
         "use data again while it is in the cache (loops in blocks, smaller types), in the order in which it "
         "lies there; omptape scale shows whether more threads help",
         omptape_describe_counted},
    [OMPTAPE_FINDING_LOW_IPC] = {"low_ipc", "few instructions in a cycle", "",
                                 "perf annotate shows the instructions that take longest",
                                 omptape_describe_counted},
    [OMPTAPE_FINDING_BLOCKED] = {"blocked", "blocked", "being ",
                                 "omptape does not see for what: strace -f, or perf trace, shows the calls; "
                                 "let other work go on meanwhile, or do it less often",
                                 omptape_describe_blocked},
};

const char *omptape_finding_key(enum omptape_finding_kind kind)
{
    return kinds[kind].key;
}

const char *omptape_finding_name(enum omptape_finding_kind kind)
{
    return kinds[kind].name;
}

const char *omptape_finding_article(enum omptape_finding_kind kind)
{
    return kinds[kind].article;
}

/* Writes text and proposal for the finding's kind. */
static void describe_kind(struct analysis_state *state, struct omptape_finding *finding)
{
    finding->proposal = kinds[finding->kind].proposal;
    if (finding->kind == OMPTAPE_FINDING_HANG)
        return;
    finding->text = "";
    if (finding->kind == OMPTAPE_FINDING_PREEMPTION && finding->region != NULL &&
        finding->region->kind == OMPTAPE_REGION_MPI)
        omptape_describe_mpi_lack(state, finding);
    else if (kinds[finding->kind].describe != NULL)
        kinds[finding->kind].describe(state, finding);
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
