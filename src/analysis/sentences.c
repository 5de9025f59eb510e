/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What findings say to a person: one sentence with numbers, a proposal where the facts give one, and the
 * verdict. Plain text; who shows it breaks the lines. Called by findings.c.
 */
#include "src/analysis/sentences.h"

#include "src/analysis/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 512, TIME_BYTES = 32 };

static const struct {
    const char *key;
    const char *name;
    const char *proposal;
} kinds[OMPTAPE_FINDING_KINDS] = {
    [OMPTAPE_FINDING_IMBALANCE] = {"imbalance", "imbalance", ""},
    [OMPTAPE_FINDING_LOCK] =
        {"lock", "lock contention",
         "hold it for less, use several locks, or sum up in each thread and join at the end"},
    [OMPTAPE_FINDING_FINE_TASKS] = {"fine_tasks", "tasks too fine",
                                    "fewer and larger tasks: a cut-off with if() or final(), grainsize()"},
    [OMPTAPE_FINDING_TASK_CHAIN] =
        {"task_chain", "chain of tasks",
         "loosen the dependences, or give the other threads work beside the chain"},
    [OMPTAPE_FINDING_SERIAL] = {"serial", "serial part", ""},
    [OMPTAPE_FINDING_NESTED_WAIT] = {"nested_wait", "waiting for a nested region",
                                     "even out the inner regions, or give the longer one more threads"},
    [OMPTAPE_FINDING_OVERSUBSCRIPTION] = {"oversubscription", "more threads than processors", ""},
    [OMPTAPE_FINDING_PREEMPTION] = {"preemption", "threads without a processor",
                                    "keep other programs off these processors, or bind the threads"},
    [OMPTAPE_FINDING_SMALL_TRANSFERS] = {"small_transfers", "many small transfers",
                                         "move the data at once, or keep it on the device"},
    [OMPTAPE_FINDING_REPEATED_TRANSFERS] = {"repeated_transfers", "data sent again and again",
                                            "keep it on the device: target data around the loop"},
    [OMPTAPE_FINDING_TINY_REGIONS] =
        {"tiny_regions", "tiny parallel regions",
         "one parallel region around all of them, or none where there is so little work"},
    [OMPTAPE_FINDING_NEEDLESS_BARRIER] = {"needless_barrier", "barrier that nothing needs", "nowait"},
    [OMPTAPE_FINDING_LATE_SENDER] = {"late_sender", "late sender", ""},
    [OMPTAPE_FINDING_FINE_CHUNKS] = {"fine_chunks", "chunks too small",
                                     "larger chunks: schedule(dynamic, N), or schedule(static)"},
};

const char *omptape_finding_key(enum omptape_finding_kind kind)
{
    return kinds[kind].key;
}

const char *omptape_finding_name(enum omptape_finding_kind kind)
{
    return kinds[kind].name;
}

/* "3.1 us". */
static const char *time_text(const struct analysis_state *state, double ticks, char *text)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
    double ns = ticks * state->ns_per_tick;
    size_t i = 0;
    while (ns < units[i].least)
        i++;
    double value = units[i].least > 0 ? ns / units[i].least : ns;
    snprintf(text, TIME_BYTES, "%.*f %s", value < 10 ? 1 : 0, value, units[i].unit);
    return text;
}

static const char *keep(struct analysis_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *keep(struct analysis_state *state, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char *copy = omptape_arena_take(&state->result->arena, strlen(text) + 1);
    if (copy == NULL) {
        state->no_memory = true;
        return "";
    }
    memcpy(copy, text, strlen(text));
    return copy;
}

static void say_tasks(struct analysis_state *state, struct omptape_finding *finding)
{
    char grain[TIME_BYTES];
    char cost[TIME_BYTES];
    char waited[TIME_BYTES];
    time_text(state, (double)finding->waited, waited);
    for (uint32_t i = 0; i < state->task_sites.count; i++) {
        const struct analysis_task_site *site = state->task_sites.list[i].value;
        uint64_t count = site->result.grain.count;
        if (site->result.region != finding->region || count == 0)
            continue;
        time_text(state, (double)site->result.grain.sum / (double)count, grain);
        time_text(state, (double)(site->result.creation + site->result.handling) / (double)count, cost);
        if (finding->kind == OMPTAPE_FINDING_FINE_TASKS) {
            finding->text =
                keep(state, "%" PRIu64 " tasks of %s each; to create, find and switch to one takes %s", count,
                     grain, cost);
        } else if (finding->kind == OMPTAPE_FINDING_IMBALANCE) {
            time_text(state, (double)site->result.grain.longest, cost);
            finding->text = keep(
                state, "a task takes %s on average, the longest %s: threads wait %s in all for the last ones",
                grain, cost, waited);
            finding->proposal = "split the longest tasks, or create them first";
        } else if (omptape_tasks_are_chain(&site->result)) {
            finding->text = keep(state,
                                 "%" PRIu64 " tasks of %s run one after another while threads wait %s in all "
                                 "for one that they may begin",
                                 count, grain, waited);
        } else {
            finding->text =
                keep(state,
                     "%" PRIu64 " tasks of %s, too few at a time: threads wait %s in all while the "
                     "last ones run",
                     count, grain, waited);
            finding->proposal = "more and smaller tasks before they are waited for";
        }
        return;
    }
}

/* " (OMP thread 3)", or "". */
static const char *thread_text(const struct analysis_state *state, uint64_t id, char *text, size_t bytes)
{
    const struct analysis_location *location = omptape_pairs_get(&state->locations, 0, id);
    text[0] = '\0';
    if (location != NULL && location->thread != NULL)
        snprintf(text, bytes, " (%s)", location->thread->name);
    return text;
}

/* What the threads' iterations say of a loop. */
static const char *loop_facts(const struct analysis_loop *loop, char *text, size_t bytes)
{
    double each = (double)loop->iterations / (double)loop->instances;
    text[0] = '\0';
    switch (loop->reason) {
    case ANALYSIS_LOOP_FEW:
        snprintf(text, bytes, "%.0f iteration%s for %u threads: ", each, each < 1.5 ? "" : "s",
                 loop->threads);
        break;
    case ANALYSIS_LOOP_ITERATIONS:
        snprintf(text, bytes, "%.0f iterations are shared out unequally, in %.0f chunks: ", each,
                 (double)loop->chunks / (double)loop->instances);
        break;
    case ANALYSIS_LOOP_COST:
        snprintf(text, bytes, "the cost of its %.0f iterations is unequal: ", each);
        break;
    default:
        if (loop->region->kind == OMPTAPE_REGION_SECTIONS && loop->iterations > 0)
            snprintf(text, bytes, "%.0f sections for %u threads: ", each, loop->threads);
        break;
    }
    return text;
}

static const char *loop_proposal(const struct analysis_loop *loop)
{
    bool is_static = omptape_loop_is_static(loop);
    bool few = loop->iterations > 0 && loop->iterations < 4 * loop->threads * loop->instances;
    if (loop->region->kind == OMPTAPE_REGION_SECTIONS)
        return "sections of equal cost, or tasks";
    if (loop->reason == ANALYSIS_LOOP_FEW || (loop->reason == ANALYSIS_LOOP_COST && few))
        return "more and smaller parts: collapse() with the loop within, or share that one out";
    if (!is_static && loop->chunks > 0 && loop->chunks == loop->iterations)
        return "the longest iterations first, or split them";
    if (!is_static)
        return "smaller chunks at the end: schedule(dynamic, 1)";
    if (loop->reason == ANALYSIS_LOOP_ITERATIONS)
        return "schedule(static) without a chunk size, or smaller chunks";
    return "schedule(dynamic) or schedule(guided), or parts of equal cost";
}

static void say_imbalance(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_loop *loop = omptape_pairs_get(&state->loops, 0, finding->region->definition->id);
    enum omptape_region_kind kind = finding->region->kind;
    char waited[TIME_BYTES];
    char facts[TEXT_BYTES / 4];
    char thread[TEXT_BYTES / 4];
    time_text(state, (double)finding->waited, waited);
    if (loop != NULL && loop->mean > 0 && loop->wall > loop->mean) {
        finding->text = keep(
            state, "%sthe slowest thread%s computes %.1f times the mean; the others wait %s in all",
            loop_facts(loop, facts, sizeof(facts)), thread_text(state, loop->slowest, thread, sizeof(thread)),
            (double)loop->wall / (double)loop->mean, waited);
        finding->proposal = loop_proposal(loop);
        return;
    }
    finding->text = keep(state, "at %" PRIu64 " barrier%s threads wait %s in all for one that does more here",
                         finding->count, finding->count == 1 ? "" : "s", waited);
    finding->proposal = "share the work out evenly, or let threads take it in small parts";
    if (kind == OMPTAPE_REGION_TASK || kind == OMPTAPE_REGION_TASK_UNTIED)
        say_tasks(state, finding);
}

/* Where most of those ask that wait while a lock is held here; NULL: nobody does. */
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

static void say_lock(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_lock_site *site =
        omptape_pairs_get(&state->lock_sites, 0, finding->region->definition->id);
    char hold[TIME_BYTES];
    char wait[TIME_BYTES];
    char waited[TIME_BYTES];
    if (site == NULL || site->result.wait.count == 0)
        return;
    const struct analysis_lock *lock = &site->result;
    time_text(state, lock->hold.count > 0 ? (double)lock->hold.sum / (double)lock->hold.count : 0, hold);
    time_text(state, (double)lock->wait.sum / (double)lock->wait.count, wait);
    if (finding->region->kind == OMPTAPE_REGION_ORDERED) {
        finding->text =
            keep(state, "a turn takes %s and is waited for %s, on average: threads wait %s in all", hold,
                 wait, time_text(state, (double)finding->waited, waited));
        finding->proposal = "do less in the ordered part, or put the results in order behind the loop";
        return;
    }
    const struct analysis_lock_holder *asker = main_asker(state, finding->region);
    if (asker != NULL && asker->asker != finding->region) {
        finding->text = keep(state, "held for %s on average; others wait for that %s in all, most at %s",
                             hold, time_text(state, (double)finding->waited, wait), asker->asker->label);
        return;
    }
    finding->text = keep(state,
                         "held for %s, waited for %s on average; %u threads asked for it %" PRIu64
                         " times, and had to wait in %.0f %% of them",
                         hold, wait, lock->threads, lock->wait.count,
                         100.0 * (double)lock->contended / (double)lock->wait.count);
}

static void say_serial(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = state->result;
    double wall = (double)(result->end - result->begin);
    double threads = result->process_count > 0 ? (double)result->threads / (double)result->process_count : 1;
    if (finding->serial == NULL) {
        char waited[TIME_BYTES];
        finding->text = keep(state, "one thread works here while the others wait %s in all",
                             time_text(state, (double)finding->waited, waited));
        finding->proposal = "share it out, or let the others go on: nowait";
        return;
    }
    double serial = (double)finding->serial->sum / (result->process_count > 0 ? result->process_count : 1);
    double share = wall > 0 ? serial / wall : 0;
    char time[TIME_BYTES];
    time_text(state, serial, time);
    finding->text = keep(
        state,
        "one thread computes for %s (%.0f %% of the time): bounds the speed-up with %.0f threads to %.1f",
        time, 100 * share, threads, threads / (1 + share * (threads - 1)));
}

static void say_tiny(struct analysis_state *state, struct omptape_finding *finding)
{
    char time[TIME_BYTES];
    char each[TIME_BYTES];
    struct analysis_parallel sum = {0};
    uint32_t places = 0;
    bool one_function = finding->region->function[0] != '\0';
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        if (parallel->tiny_with != finding->region)
            continue;
        places++;
        sum.instances += parallel->instances;
        sum.wall += parallel->wall;
        sum.useful += parallel->useful;
        one_function = one_function && strcmp(parallel->region->function, finding->region->function) == 0;
    }
    if (places == 0) {
        finding->text = keep(state, "threads begin late after the fork; the others wait %s in all",
                             time_text(state, (double)finding->waited, time));
        finding->proposal = "";
        return;
    }
    time_text(state, (double)sum.wall / (double)sum.instances, time);
    time_text(state, (double)sum.useful / (double)sum.instances, each);
    if (places == 1)
        finding->text = keep(state, "%" PRIu64 " instances take %s each for %s of work in each thread",
                             sum.instances, time, each);
    else
        finding->text = keep(
            state,
            "%" PRIu64 " instances of %u tiny regions%s%s take %s each for %s of work in each thread; this "
            "one costs most",
            sum.instances, places, one_function ? " in " : "", one_function ? finding->region->function : "",
            time, each);
}

static void say_chunks(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_loop *loop = omptape_pairs_get(&state->loops, 0, finding->region->definition->id);
    char cost[TIME_BYTES];
    char time[TIME_BYTES];
    if (loop == NULL)
        return;
    time_text(state, omptape_chunks_cost(state, loop) / state->ns_per_tick, cost);
    time_text(state, (double)loop->mean * loop->threads / (double)loop->chunks, time);
    finding->text =
        keep(state, "%" PRIu64 " chunks of %.0f iteration%s take %s each, of which about %s to get it",
             loop->chunks, (double)loop->iterations / (double)loop->chunks,
             loop->iterations < 3 * loop->chunks / 2 ? "" : "s", time, cost);
}

static void say_other(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = state->result;
    char time[TIME_BYTES];
    uint64_t count = finding->count > 0 ? finding->count : 1;
    switch (finding->kind) {
    case OMPTAPE_FINDING_NESTED_WAIT:
        finding->text = keep(state, "the outer team waits %s in all for the thread that is in here",
                             time_text(state, (double)finding->waited, time));
        break;
    case OMPTAPE_FINDING_OVERSUBSCRIPTION:
        finding->text = keep(state, "%u threads on %" PRIu64 " processors: they wait %s in all for one",
                             result->processes[0].most_threads, result->processes[0].processors,
                             time_text(state, (double)finding->waited, time));
        finding->proposal = keep(state, "OMP_NUM_THREADS=%" PRIu64, result->processes[0].processors);
        break;
    case OMPTAPE_FINDING_PREEMPTION:
        finding->text = keep(
            state,
            "the last thread to come had no processor: something else ran there; the others wait %s in all",
            time_text(state, (double)finding->waited, time));
        break;
    case OMPTAPE_FINDING_SMALL_TRANSFERS:
    case OMPTAPE_FINDING_REPEATED_TRANSFERS:
        finding->text = keep(state,
                             "%" PRIu64 " transfers of %" PRIu64 " bytes on average, %" PRIu64
                             " of them from where the same amount had been sent before; %s in all",
                             count, finding->transfer->bytes / count, finding->transfer->repeated,
                             time_text(state, (double)finding->transfer->times.sum, time));
        break;
    case OMPTAPE_FINDING_TINY_REGIONS:
        say_tiny(state, finding);
        break;
    case OMPTAPE_FINDING_FINE_CHUNKS:
        say_chunks(state, finding);
        break;
    case OMPTAPE_FINDING_NEEDLESS_BARRIER:
        finding->text =
            keep(state, "%" PRIu64 " times no thread did anything since the barrier before; %s in all",
                 finding->count, time_text(state, (double)finding->waited, time));
        break;
    default:
        break;
    }
}

void omptape_finding_say(struct analysis_state *state, struct omptape_finding *finding)
{
    finding->text = "";
    finding->proposal = kinds[finding->kind].proposal;
    switch (finding->kind) {
    case OMPTAPE_FINDING_IMBALANCE:
        say_imbalance(state, finding);
        break;
    case OMPTAPE_FINDING_LOCK:
        say_lock(state, finding);
        break;
    case OMPTAPE_FINDING_FINE_TASKS:
    case OMPTAPE_FINDING_TASK_CHAIN:
        say_tasks(state, finding);
        break;
    case OMPTAPE_FINDING_SERIAL:
        say_serial(state, finding);
        break;
    default:
        say_other(state, finding);
        break;
    }
}

void omptape_findings_verdict(struct analysis_state *state)
{
    struct omptape_analysis *result = state->result;
    const struct analysis_efficiency *efficiency = &result->efficiency;
    double percent = 100 * efficiency->parallel;
    double wall = (double)(result->end - result->begin);
    char time[TIME_BYTES];
    if (result->finding_count == 0) {
        result->verdict =
            result->threads <= result->process_count
                ? "Nothing ran in parallel."
                : keep(state, "Nothing stands out: threads compute for %.0f %% of their time.", percent);
        return;
    }
    const struct omptape_finding *first = &result->findings[0];
    const char *place = first->region != NULL   ? first->region->label
                        : first->before != NULL ? first->before->label
                                                : "the program";
    const char *where = first->serial == NULL ? "" : first->region != NULL ? "after " : "before ";
    result->verdict = keep(
        state, "Most is lost to %s: %s%s, %s (%.0f %%) to win. Threads compute for %.0f %% of their time.",
        omptape_finding_name(first->kind), where, place, time_text(state, (double)first->gain, time),
        wall > 0 ? 100 * (double)first->gain / wall : 0, percent);
}
