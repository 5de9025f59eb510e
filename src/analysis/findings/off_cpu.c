/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds threads that were at work but neither ran nor waited for a processor, and writes the sentences.
 * Blocking in parallel regions is among the causes already. Called by findings.c and sentences.c.
 */
#include "src/analysis/findings/counted_functions.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"

#include "src/analysis/location.h"
#include "src/archive/read/regions.h"

#include <omptape/properties.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* No other thread works meanwhile, so all blocked time is wall time. */
void omptape_findings_add_blocked_serials(struct analysis_findings *findings)
{
    const struct analysis_state *state = findings->state;
    const struct omptape_analysis *result = state->result;
    uint64_t threads = result->process_count > 0 ? result->threads / result->process_count : 1;
    for (uint32_t i = 0; i < state->serials.count; i++) {
        const struct analysis_serial *serial = state->serials.list[i].value;
        const uint64_t blocked =
            omptape_whole((double)serial->blocked * omptape_findings_before_fork(serial));
        if (blocked == 0)
            continue;
        struct omptape_finding *finding = omptape_findings_at(findings, OMPTAPE_FINDING_BLOCKED, NULL);
        if (finding == NULL)
            return;
        finding->region = serial->after;
        finding->before = serial->before;
        finding->serial = serial;
        finding->gain = finding->cost = finding->cost_wall = blocked;
        finding->blocked_time = blocked;
        finding->blocked_threads = 1;
        finding->waited = omptape_times(blocked, omptape_minus(threads, 1));
        finding->count = serial->count;
        finding->worst_begin = serial->longest_begin;
        finding->worst_end = omptape_plus(serial->longest_begin, serial->longest);
        finding->worst_location = serial->longest_location;
    }
}

static const char *name_of(const struct analysis_state *state, uint64_t id)
{
    const struct analysis_location *location = omptape_pairs_get(&state->locations, 0, id);
    return location != NULL && location->thread != NULL ? location->thread->name : NULL;
}

/* Counts how often threads were seen asleep, waiting for a disk, and stopped by a signal. Counts the thread
 * `only`, or all threads if `all`. */
struct seen {
    uint64_t asleep;
    uint64_t disk;
    uint64_t stopped;
};

static struct seen look_at_states(const struct analysis_state *state, uint64_t only, bool all)
{
    const struct omptape_analysis *result = state->result;
    struct seen seen = {.asleep = 0};
    for (uint32_t i = 0; i < result->thread_count && !state->windowed; i++) {
        const uint64_t id = result->thread_list[i].location->id;
        if (!all && id != only)
            continue;
        seen.asleep += omptape_rivals_number(state, id, OMPTAPE_LOCATION_SEEN_BLOCKED);
        seen.disk += omptape_rivals_number(state, id, OMPTAPE_LOCATION_SEEN_DISK);
        seen.stopped += omptape_rivals_number(state, id, OMPTAPE_LOCATION_SEEN_STOPPED);
    }
    return seen;
}

static bool were_stopped(const struct seen *seen)
{
    return 2 * seen->stopped > seen->asleep;
}

/* Upper bounds for the time of a page fault: a usual page, and a large page or a file's page. */
static const double fault_ns = 5000;
static const double large_fault_ns = 100000;

/* Returns true if the region's kernel time is not longer than its page faults can take. */
static bool is_at_faults(const struct analysis_state *state, const struct analysis_region *region,
                         double most_ns)
{
    return region->faults > 0 &&
           (double)region->system * state->ns_per_tick < most_ns * (double)region->faults;
}

/* Returns true if threads in state D wait for the process's memory map: page faults block while another
 * thread changes it. */
static bool wait_for_map(const struct analysis_state *state, const struct omptape_finding *finding,
                         const struct seen *seen)
{
    const double least_ns = 30e6;
    return finding->serial == NULL && finding->region != NULL && 2 * seen->disk > seen->asleep &&
           (double)finding->region->system * state->ns_per_tick > least_ns &&
           is_at_faults(state, finding->region, fault_ns);
}

/* Returns the reason for the sleep, as far as the record shows it. */
static const char *describe_why(struct analysis_state *state, const struct seen *seen, bool for_map)
{
    enum { FEW_LOOKS = 3 };
    if (for_map)
        return omptape_sentence(state,
                                " (in %" PRIu64 " of %" PRIu64
                                " looks in state D, as page faults are while another thread changes the "
                                "process's memory map)",
                                seen->disk, seen->asleep);
    if (seen->asleep < FEW_LOOKS)
        return " (input, output, another program, or a lock that is not OpenMP's)";
    if (seen->stopped > seen->disk)
        return omptape_sentence(state,
                                " (stopped by a signal or a debugger in %" PRIu64 " of %" PRIu64
                                " looks: SIGSTOP, Ctrl-Z, a batch system that suspends jobs)",
                                seen->stopped, seen->asleep);
    if (seen->disk == 0)
        return omptape_sentence(
            state,
            " (a sleep, a pipe, a socket, another program, or a lock that is not OpenMP's; in "
            "none of %" PRIu64 " looks for a disk)",
            seen->asleep);
    return omptape_sentence(
        state, " (%s; in %" PRIu64 " of %" PRIu64 " looks for a disk or a network's file system: state D)",
        2 * seen->disk > seen->asleep ? "mostly input or output" : "input or output among them", seen->disk,
        seen->asleep);
}

static const char keep_memory[] =
    "keep the memory and use it again: each change of the map stops the other threads' page faults";

/* System calls and functions that make them, by prefix, with a proposal. */
enum { MAX_CALLS = 11 };
static const struct {
    const char *names[MAX_CALLS];
    const char *proposal;
} kernel_calls[] = {
    {{"fsync", "fdatasync", "sync", "msync"},
     "sync less often, or in a thread of its own while the others go on"},
    {{"nanosleep", "clock_nanosleep", "usleep", "sleep", "thrd_sleep"},
     "the program sleeps by itself: do it less often, wait for what it sleeps for, or let other work go on "
     "meanwhile"},
    {{"pthread_mutex", "pthread_rwlock", "pthread_spin", "mtx_lock", "lll_lock"},
     "a lock that is not OpenMP's: hold it for less, use several, or sum up in each thread and join at the "
     "end"},
    {{"pthread_cond", "sem_", "pthread_join", "pthread_clockjoin", "pthread_barrier", "futex", "pthread_once",
      "std::thread::join"},
     "another thread of the program is awaited: let other work go on meanwhile"},
    {{"read", "pread", "fread", "fgets", "getline", "recv", "accept", "getc"},
     "read ahead, more at a time, or let other work go on meanwhile"},
    {{"write", "pwrite", "fwrite", "fflush", "send", "fputs", "fclose", "fprintf", "vfprintf",
      "buffered_vfprintf", "puts"},
     "write more at a time, or in a thread of its own while the others go on"},
    {{"wait", "system", "pclose", "posix_spawn"},
     "another program is awaited: let other work go on meanwhile"},
    {{"poll", "select", "ppoll", "pselect", "epoll"}, "it waits for input: let other work go on meanwhile"},
    {{"rand", "random", "drand48", "lrand48"},
     "a generator for each thread: rand_r, erand48, or std::mt19937 in a private variable"},
    {{"mmap", "munmap", "mremap", "madvise", "mprotect", "brk", "sbrk", "malloc_trim"}, keep_memory},
    {{"malloc", "free", "calloc", "realloc"},
     "allocate once, before the loop or in each thread; or another allocator (jemalloc, tcmalloc)"},
    {{"open", "close", "stat", "fstat", "lstat", "access", "lseek", "readdir", "fopen", "std::locale",
      "setlocale"},
     "open it once, before the loop"},
    {{"syscall", "getpid", "getppid", "gettid", "getrusage", "sysinfo", "uname", "ioctl"},
     "ask once, before the loop"},
    {{"pthread_create", "std::thread", "clone", "pthread_clone"},
     "tasks of OpenMP, or threads that stay and take the pieces in turn"},
    {{"sched_yield", "sched_setaffinity", "pthread_setaffinity", "sched_getaffinity"},
     "do it less often, or wait where the runtime knows of it"},
};

/* Returns the proposal for a call, or NULL if it is not in the table. */
static const char *proposal_of_call(const char *name)
{
    for (size_t i = 0; i < sizeof(kernel_calls) / sizeof(kernel_calls[0]); i++)
        for (size_t j = 0; j < MAX_CALLS && kernel_calls[i].names[j] != NULL; j++)
            if (strncmp(name, kernel_calls[i].names[j], strlen(kernel_calls[i].names[j])) == 0)
                return kernel_calls[i].proposal;
    return NULL;
}

/* Sets text and proposal by the call in which threads were found asleep. Returns false if the record does not
 * show it. */
static bool describe_call(struct analysis_state *state, const struct omptape_finding *finding,
                          const char **text, const char **proposal)
{
    enum { FEW_LOOKS = 3 };
    struct omptape_inside inside;
    char call[TEXT_BYTES / 2];
    char name[TEXT_BYTES / 4] = "";
    if (!omptape_inside_gather(state->result, finding->serial != NULL ? NULL : finding->region,
                               finding->serial, &inside))
        return false;
    const struct omptape_inside_entry *most = omptape_inside_most_blocked(&inside);
    const bool found = most != NULL && !most->call.stopped && most->blocked >= FEW_LOOKS &&
                       3 * most->blocked >= inside.blocked;
    if (found) {
        *text = omptape_sentence(state, ": in %s (%" PRIu64 " of %" PRIu64 " looks)",
                                 omptape_inside_describe(&most->call, call, sizeof(call)), most->blocked,
                                 inside.blocked);
        if (most->call.called.function != NULL)
            omptape_inside_plain_name(most->call.called.function, name, sizeof(name));
        *proposal = most->call.own.function != NULL ? proposal_of_call(name) : NULL;
        if (*proposal == NULL)
            *proposal = "let other work go on meanwhile, or do it less often";
    }
    omptape_inside_free(&inside);
    return found;
}

static const char *blocked_proposal(const struct seen *seen, bool holds, bool for_map)
{
    if (for_map)
        return keep_memory;
    if (were_stopped(seen))
        return "trace a run that nobody stops";
    if (2 * seen->disk > seen->asleep)
        return "write or read more at a time, sync less often, or let other work go on meanwhile: strace -f "
               "shows the calls";
    if (holds)
        return "omptape does not see for what: strace -f, or perf trace, shows the calls; do it less often, "
               "or "
               "without the lock, before or after it";
    return "omptape does not see for what: strace -f, or perf trace, shows the calls; let other work go on "
           "meanwhile, or do it less often";
}

/* Writes ", 81 % of 120 samples in compute @a.cpp:12", or an empty text if there are too few samples. */
static void describe_thread(struct analysis_state *state, const char *thread, char *text, size_t bytes)
{
    char place[TEXT_BYTES / 8];
    struct omptape_inside inside;
    text[0] = '\0';
    if (!omptape_inside_gather_thread(state->result, thread, &inside))
        return;
    if (inside.count >= OMPTAPE_INSIDE_FEW)
        (void)snprintf(text, bytes, ", %.0f %% of %" PRIu64 " samples in %s",
                       100 * (double)inside.entries[0].count / (double)inside.count, inside.count,
                       omptape_inside_describe(&inside.entries[0].call, place, sizeof(place)));
    omptape_inside_free(&inside);
}

/* Mentions threads unknown to OpenMP if they ran for about as long as the serial thread slept, because it may
 * wait for them. Their sums do not show when they ran, so the sentence claims no more. */
static void describe_others_compute(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = state->result;
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    const double ran = rivals.threads / state->ns_per_tick;
    const double wall = (double)omptape_minus(result->end, result->begin);
    char time[TIME_BYTES];
    char hottest[TEXT_BYTES / 4];
    if (finding->serial == NULL || rivals.thread == NULL || 2 * ran < (double)finding->blocked_time ||
        wall <= 0)
        return;
    describe_thread(state, rivals.thread, hottest, sizeof(hottest));
    finding->text = omptape_sentence(
        state,
        "%s; the program's other threads, which OpenMP does not know, run for %s, most of all %s (%.0f %% of "
        "a processor over the run%s): it may wait for these",
        finding->text, omptape_time_text(state, ran, time), rivals.thread,
        100 * rivals.busiest / state->ns_per_tick / wall, hottest);
    finding->proposal =
        "if it waits for that thread: do its work in a parallel region, or let OpenMP's threads go "
        "on meanwhile";
}

void omptape_describe_blocked(struct analysis_state *state, struct omptape_finding *finding)
{
    char lacked[TIME_BYTES];
    char waited[TIME_BYTES];
    char who[TEXT_BYTES / 4];
    char others[TEXT_BYTES / 4] = "";
    char longest[TEXT_BYTES / 4] = "";
    const char *name = name_of(state, finding->worst_location);
    const bool many = finding->blocked_threads > 1;
    const bool holds =
        finding->serial == NULL && omptape_analysis_of_region(&state->lock_sites, finding->region) != NULL;
    const struct seen seen = look_at_states(state, finding->worst_location, many);
    omptape_time_text(state, (double)finding->blocked_time, lacked);
    if (finding->serial == NULL && finding->waited > 0)
        snprintf(others, sizeof(others), "; the others wait %s in all for that",
                 omptape_time_text(state, (double)finding->waited, waited));
    if (many)
        snprintf(who, sizeof(who), "%" PRIu64 " threads", finding->blocked_threads);
    else
        snprintf(who, sizeof(who), "%s",
                 finding->serial != NULL || name == NULL ? "the one thread that works here" : name);
    if (many && name != NULL)
        snprintf(longest, sizeof(longest), ", longest %s", name);
    const char *why;
    const char *proposal;
    if (were_stopped(&seen) || !describe_call(state, finding, &why, &proposal)) {
        const bool for_map = wait_for_map(state, finding, &seen);
        why = describe_why(state, &seen, for_map);
        proposal = blocked_proposal(&seen, holds, for_map);
    }
    if (finding->blocked_threads == 0)
        finding->text =
            omptape_sentence(state, "the last thread to come slept or waited before%s%s", why, others);
    else
        finding->text = omptape_sentence(state, "%s sleep%s or wait%s%s: %s in all%s%s%s", who,
                                         many ? "" : "s", many ? "" : "s",
                                         !holds ? ""
                                         : many ? ", while they have the lock"
                                                : ", while it has the lock",
                                         lacked, longest, why, others);
    finding->proposal = proposal;
    describe_others_compute(state, finding);
}

/* Work by place: one site in one function of one file. */
struct places {
    struct omptape_rows texts;
    struct omptape_pairs worked; /* key (site and file, function), value double */
};

/* Returns the work at a region's place; a region without a site has its own. Returns NULL if memory is
 * exhausted. */
static double *obtain_worked(struct places *places, const struct analysis_region *region)
{
    const char *site = region->definition->region->site;
    uint64_t high = UINT64_MAX;
    uint64_t low = region->definition->id;
    if (site != NULL) {
        high = (uint64_t)omptape_rows_text(&places->texts, site) << 32 |
               omptape_rows_text(&places->texts, region->file);
        low = omptape_rows_text(&places->texts, region->function);
    }
    return omptape_pairs_obtain(&places->worked, &places->texts.arena, high, low, sizeof(double));
}

/* Sets `worked_here` of each region. Kernel time is recorded for a loop as a whole, but work for its chunks,
 * so both are summed up by place. */
static void add_up_places(struct analysis_state *state)
{
    struct places places = {.texts = {.count = 0}};
    for (uint32_t i = 0; i < state->regions.count; i++) {
        const struct analysis_region *region = state->regions.list[i].value;
        double *worked = obtain_worked(&places, region);
        if (worked != NULL)
            *worked += (double)omptape_analysis_worked(region->parts);
    }
    for (uint32_t i = 0; i < state->regions.count && !omptape_out_of_memory; i++) {
        struct analysis_region_state *known = state->regions.list[i].value;
        const double *worked = obtain_worked(&places, &known->result);
        known->worked_here = worked != NULL ? *worked : 0;
    }
    omptape_pairs_free(&places.worked);
    omptape_rows_free(&places.texts);
}

/* Returns the entry with most samples among functions that make system calls, if it has half of their
 * samples; NULL otherwise. Such samples fall right before or after the calls. *proposal receives the
 * proposal, *all the samples of all such functions. */
static const struct omptape_inside_entry *find_kernel_call(const struct omptape_inside *inside,
                                                           const char **proposal, uint64_t *all)
{
    enum { MIN_SAMPLES = 3 };
    const struct omptape_inside_entry *most = NULL;
    char name[TEXT_BYTES / 4];
    *all = 0;
    for (uint32_t i = 0; i < inside->entry_count; i++) {
        const struct omptape_inside_entry *entry = &inside->entries[i];
        if (entry->call.called.function == NULL)
            continue;
        const char *helps =
            proposal_of_call(omptape_inside_plain_name(entry->call.called.function, name, sizeof(name)));
        if (helps == NULL)
            continue;
        *all += entry->count;
        if (most == NULL || entry->count > most->count) {
            most = entry;
            *proposal = helps;
        }
    }
    return most != NULL && most->count >= MIN_SAMPLES && 2 * most->count >= *all ? most : NULL;
}

/* Returns the thread time in user code of a function that only makes system calls; fewer calls save it as
 * well. Other functions have findings of their own. */
static double time_beside_kernel(const struct analysis_state *state, const struct omptape_inside_entry *entry)
{
    if (entry == NULL || omptape_findings_has_family(&entry->call))
        return 0;
    return omptape_findings_sampled_time(state, entry->count);
}

/* Returns true if page faults explain the kernel time. *beside receives the user time of system calls at this
 * place. */
static bool look_for_faults(const struct analysis_state *state, const struct analysis_region *region,
                            double *beside)
{
    struct omptape_inside inside;
    const char *proposal;
    uint64_t all;
    *beside = 0;
    if (is_at_faults(state, region, fault_ns))
        return true;
    if (!omptape_inside_gather(state->result, region, NULL, &inside))
        return false;
    *beside = time_beside_kernel(state, find_kernel_call(&inside, &proposal, &all));
    const bool calls = all > 0 || inside.count < OMPTAPE_INSIDE_TOO_FEW;
    omptape_inside_free(&inside);
    return !calls && is_at_faults(state, region, large_fault_ns);
}

/* Sets the text about the function that makes the calls, and the proposal. */
static void describe_kernel_call(struct analysis_state *state, struct omptape_finding *finding,
                                 const char **call)
{
    struct omptape_inside inside;
    const char *proposal;
    char text[TEXT_BYTES / 2];
    char time[TIME_BYTES];
    const char *took = "";
    if (!omptape_inside_gather(state->result, finding->region, finding->serial, &inside))
        return;
    uint64_t all;
    const struct omptape_inside_entry *entry = find_kernel_call(&inside, &proposal, &all);
    if (entry != NULL) {
        const double beside = time_beside_kernel(state, entry);
        if (beside > 0)
            took = omptape_sentence(state, "%s beside the kernel, ", omptape_time_text(state, beside, time));
        *call = omptape_sentence(state, ", most likely %s (%sin %" PRIu64 " of %" PRIu64 " samples)",
                                 omptape_inside_describe(&entry->call, text, sizeof(text)), took,
                                 entry->count, inside.count);
        finding->proposal = proposal;
    }
    omptape_inside_free(&inside);
}

/* Returns the serial part with more than half of the time outside of parallel regions, or NULL. */
static const struct analysis_serial *find_main_serial(const struct analysis_state *state)
{
    const struct analysis_serial *main = NULL;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->serials.count; i++) {
        const struct analysis_serial *serial = state->serials.list[i].value;
        main = main == NULL || serial->sum > main->sum ? serial : main;
        omptape_add(&sum, serial->sum);
    }
    return main != NULL && omptape_times(2, main->sum) > sum ? main : NULL;
}

/* Adapts a finding whose kernel time is mostly serial: the gain results from distributing it over the
 * threads. `in_kernel` excludes this time from findings about serial parts (findings.c). */
static void set_serial(struct analysis_findings *findings, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = findings->state->result;
    const struct analysis_serial *serial = find_main_serial(findings->state);
    const uint64_t threads = omptape_mean(result->threads, result->process_count);
    findings->in_kernel += (double)finding->gain;
    finding->remaining_wall = threads > 1 ? finding->gain / threads : 0;
    finding->gain -= finding->remaining_wall;
    if (serial == NULL)
        return;
    finding->around = finding->region;
    finding->region = serial->after;
    finding->before = serial->before;
    finding->serial = serial;
}

/* Adds regions that spend a considerable part of their time in the kernel. */
void omptape_findings_add_system(struct analysis_findings *findings)
{
    struct analysis_state *state = findings->state;
    const double good_part = 0.1;
    const double least_ns = 30e6; /* kernels count it in ticks of up to 10 ms */
    add_up_places(state);
    for (uint32_t i = 0; i < state->regions.count; i++) {
        const struct analysis_region_state *known = state->regions.list[i].value;
        const struct analysis_region *region = &known->result;
        const double system = (double)region->system;
        if (region->system_parts == 0 || system * state->ns_per_tick < least_ns ||
            system <= good_part * known->worked_here)
            continue;
        double beside;
        const bool at_faults = look_for_faults(state, region, &beside);
        struct omptape_finding *finding = omptape_findings_at(
            findings, at_faults ? OMPTAPE_FINDING_PAGE_FAULTS : OMPTAPE_FINDING_SYSTEM_TIME, region);
        if (finding == NULL)
            return;
        const double rest = known->worked_here > system ? known->worked_here - system : 0;
        const double all = system + (beside < rest ? beside : rest);
        finding->gain = finding->cost_wall =
            omptape_whole((double)(region->system_parts / 256) * all / system);
        finding->cost = omptape_whole(all) > finding->gain ? omptape_whole(all) : finding->gain;
        finding->count = at_faults ? region->faults : region->visits.count;
        omptape_findings_set_worst(finding, &region->visits);
        if (2 * (double)region->parts[OMPTAPE_BUCKET_SERIAL] > known->worked_here)
            set_serial(findings, finding);
    }
}

/* Writes "; 98 % of those counted are in touch @a.c:18", or an empty text if faults were not counted. */
static void describe_faulting(const struct analysis_state *state, const struct analysis_region *region,
                              char *text, size_t bytes)
{
    const struct omptape_analysis *result = state->result;
    const uint32_t all = omptape_counter_number(result, "page-faults");
    const uint32_t counter = all > 0 ? all : omptape_counter_number(result, "minor-faults");
    char place[OMPTAPE_COUNTED_PLACE_BYTES];
    double percent = 0;
    text[0] = '\0';
    if (counter > 0 && omptape_counted_mostly(result, region, counter, &percent, place, sizeof(place)))
        (void)snprintf(text, bytes, "; %.0f %% of those counted are in %s", percent, place);
}

void omptape_describe_system(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_region *region = finding->serial != NULL ? finding->around : finding->region;
    const struct analysis_region_state *known = omptape_analysis_of_region(&state->regions, region);
    const double worked = known != NULL ? known->worked_here : 0;
    const double percent = worked > (double)region->system ? 100 * (double)region->system / worked : 100;
    char system[TIME_BYTES];
    char disk[64] = "";
    char faulting[OMPTAPE_COUNTED_PLACE_BYTES + 64];
    omptape_time_text(state, (double)region->system, system);
    if (region->major_faults > 0)
        snprintf(disk, sizeof(disk), " (%" PRIu64 " read from a disk)", region->major_faults);
    describe_faulting(state, region, faulting, sizeof(faulting));
    if (finding->kind == OMPTAPE_FINDING_PAGE_FAULTS)
        finding->text =
            omptape_sentence(state,
                             "about %" PRIu64 " page faults%s take %s of processor time in the kernel, "
                             "%.0f %% of the time at work here: memory is touched for the first time, or "
                             "again after it was given back%s",
                             region->faults, disk, system, percent, faulting);
    if (finding->kind == OMPTAPE_FINDING_PAGE_FAULTS && finding->serial != NULL)
        finding->proposal = "touch it for the first time in parallel, in the threads that use it; what is "
                            "allocated again and again, once, to be reused";
    else if (finding->kind != OMPTAPE_FINDING_PAGE_FAULTS) {
        const char *call = "";
        describe_kernel_call(state, finding, &call);
        finding->text =
            omptape_sentence(state,
                             "threads are in the kernel for about %s, %.0f %% of their time at work here: "
                             "system calls%s, for page faults (%" PRIu64 ") are too few",
                             system, percent, call, region->faults);
    }
}
