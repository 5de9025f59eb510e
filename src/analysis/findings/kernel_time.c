/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds regions that spend their time in the kernel, in page faults or system calls, and writes the
 * sentences. Called by findings.c and sentences.c.
 */
#include "src/analysis/findings/counted_functions.h"
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"

#include "src/archive/read/regions.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <omptape/properties.h>

/* Upper bounds for a page fault's time: on usual machines, slow virtual ones, and of a large or file's
 * page. */
static const double fault_ns = 5000;
static const double slow_fault_ns = 10000;
static const double large_fault_ns = 100000;

/* From so many first touches of a page on, memory is given back meanwhile. */
static const double many_touches = 3;
static const double least_ns = 30e6; /* kernels count their time in ticks of up to 10 ms */

/* Returns the mean number of first touches of a page of the processes, at least: page faults by the most
 * memory that they had. 0: unknown, or too little. With larger pages it is too small. */
static double count_touches(const struct analysis_state *state)
{
    const double page_bytes = 4096;
    const struct omptape_analysis *result = state->result;
    double peak = 0;
    double faults = 0;
    double system = 0;
    double others = 0; /* after forks, and of NUMA balancing: too many if several processes share a node */
    for (uint32_t i = 0; i < result->process_count; i++) {
        const double one = omptape_findings_number(result, i, OMPTAPE_KEY_PEAK_MEMORY);
        if (one <= 0)
            return 0;
        peak += one;
        others += omptape_findings_number(result, i, OMPTAPE_KEY_NUMA_FAULTS) +
                  omptape_findings_number(result, i, OMPTAPE_KEY_FORKS) * one / page_bytes;
    }
    for (uint32_t i = 0; i < state->regions.count; i++) {
        const struct analysis_region_state *known = state->regions.list[i].value;
        faults += (double)known->result.faults;
        system += (double)known->result.system * state->ns_per_tick;
    }
    return peak > 0 && faults > others && system >= least_ns ? (faults - others) * page_bytes / peak : 0;
}

bool omptape_findings_gives_back(const struct analysis_state *state)
{
    return state->page_touches >= many_touches;
}

/* Returns true if the region's kernel time is not longer than its page faults can take. */
static bool is_at_faults(const struct analysis_state *state, const struct analysis_region *region,
                         double most_ns)
{
    return region->faults > 0 &&
           (double)region->system * state->ns_per_tick < most_ns * (double)region->faults;
}

/* Work by place: one site in one function of one file. */
struct places {
    struct omptape_rows texts;
    struct omptape_pairs worked; /* key (site and file, function), value double */
};

/* Returns the work at a region's place; a region without a site has its own. NULL if out of memory. */
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

/* Returns the samples of all entries that call the same function. */
static uint64_t count_of_called(const struct omptape_inside *inside, const char *function)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < inside->entry_count; i++)
        count += inside->entries[i].call.called.function == function ? inside->entries[i].count : 0;
    return count;
}

/* Returns true for a function that does nothing but yield. */
static bool is_yield(const struct omptape_inside_call *call)
{
    static const char *const yields[] = {"sched_yield", "pthread_yield", "thrd_yield", NULL};
    char name[TEXT_BYTES / 4];
    return omptape_is_one_of(omptape_inside_plain_name(call->called.function, name, sizeof(name)), yields);
}

/* Returns the entry with most samples among functions that make system calls, if its function has half of
 * their samples, whoever calls it; NULL otherwise. Such samples fall right before or after the calls. One
 * suffices of a function that yields, if there are no others and it is a tenth of all.
 * *proposal receives the proposal, *all the samples of all such functions. */
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
        const char *helps = omptape_findings_call_proposal(
            omptape_inside_plain_name(entry->call.called.function, name, sizeof(name)));
        if (helps == NULL)
            continue;
        *all += entry->count;
        if (most == NULL || entry->count > most->count) {
            most = entry;
            *proposal = helps;
        }
    }
    const uint64_t called = most != NULL ? count_of_called(inside, most->call.called.function) : 0;
    const bool alone = called > 0 && called == *all && 10 * called >= inside->count && is_yield(&most->call);
    return called > 0 && (most->count >= MIN_SAMPLES || alone) && 2 * called >= *all ? most : NULL;
}

/* Returns the thread time in user code of a function that only makes system calls; fewer calls save it as
 * well. Other functions have findings of their own. Samples are taken in user code alone: the function has
 * its share of that time, in the serial part if it is there. */
static double time_beside_kernel(const struct analysis_state *state, const struct analysis_region *region,
                                 const struct analysis_serial *serial, const struct omptape_inside *inside,
                                 const struct omptape_inside_entry *entry)
{
    if (entry == NULL || inside->count < OMPTAPE_INSIDE_TOO_FEW ||
        omptape_findings_function_proposal(&entry->call) != NULL ||
        omptape_findings_sampled_time(state, 1) <= 0)
        return 0;
    const struct analysis_region_state *known = omptape_analysis_of_region(&state->regions, region);
    const double worked = known != NULL ? known->worked_here : 0;
    const double here = serial != NULL && (double)serial->sum < worked ? (double)serial->sum : worked;
    const double user = here - (double)region->system;
    return user > 0 ? user * (double)entry->count / (double)inside->count : 0;
}

bool omptape_findings_are_page_faults(const struct analysis_state *state,
                                      const struct analysis_region *region)
{
    return is_at_faults(state, region, fault_ns);
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

/* Returns true if most of the region's work is outside of parallel regions. */
static bool is_mostly_serial(const struct analysis_state *state, const struct analysis_region *region)
{
    const struct analysis_region_state *known = omptape_analysis_of_region(&state->regions, region);
    return known != NULL && 2 * (double)region->parts[OMPTAPE_BUCKET_SERIAL] > known->worked_here;
}

/* True if page faults explain the kernel time. *beside receives the user time of system calls there. */
static bool look_for_faults(const struct analysis_state *state, const struct analysis_region *region,
                            double *beside)
{
    struct omptape_inside inside;
    const char *proposal;
    uint64_t all;
    *beside = 0;
    if (omptape_findings_are_page_faults(state, region))
        return true;
    const struct analysis_serial *serial = is_mostly_serial(state, region) ? find_main_serial(state) : NULL;
    if (!omptape_inside_gather(state->result, region, serial, &inside))
        return false;
    *beside = time_beside_kernel(state, region, serial, &inside, find_kernel_call(&inside, &proposal, &all));
    const double most_ns = inside.count < OMPTAPE_INSIDE_TOO_FEW ? slow_fault_ns : large_fault_ns;
    omptape_inside_free(&inside);
    return all == 0 && is_at_faults(state, region, most_ns);
}

/* Sets the text about the function that makes the calls, and the proposal. */
static void describe_kernel_call(struct analysis_state *state, struct omptape_finding *finding,
                                 const struct analysis_region *region, const char **call)
{
    struct omptape_inside inside;
    const char *proposal;
    char text[TEXT_BYTES / 2];
    const char *took = "";
    if (!omptape_inside_gather(state->result, finding->region, finding->serial, &inside))
        return;
    uint64_t all;
    const struct omptape_inside_entry *entry = find_kernel_call(&inside, &proposal, &all);
    if (entry != NULL) {
        const double beside = time_beside_kernel(state, region, finding->serial, &inside, entry);
        if (beside > 0)
            took = omptape_sentence(state, "%s beside the kernel, ", omptape_time_text(state, beside));
        *call = omptape_sentence(state, ", most likely %s (%sin %" PRIu64 " of %" PRIu64 " samples)",
                                 omptape_inside_describe(&entry->call, text, sizeof(text)), took,
                                 entry->count, inside.count);
        finding->proposal = proposal;
    }
    omptape_inside_free(&inside);
}

/* Takes one of `parts` equal parts off the gain: it remains. */
static void leave_part(struct omptape_finding *finding, double parts)
{
    finding->remaining_wall = omptape_whole((double)finding->gain / parts);
    finding->gain -= finding->remaining_wall;
}

/* Adapts a finding whose kernel time is mostly serial. The gain results from distributing it over the
 * threads, unless memory is given back: then all of it can go. `in_kernel` excludes this time from findings
 * about serial parts (serial_parts.c). */
static void set_serial(struct analysis_findings *findings, struct omptape_finding *finding)
{
    const struct omptape_analysis *result = findings->state->result;
    const struct analysis_serial *serial = find_main_serial(findings->state);
    const double threads = omptape_analysis_mean_threads(result);
    const bool can_go =
        finding->kind == OMPTAPE_FINDING_PAGE_FAULTS && omptape_findings_gives_back(findings->state);
    findings->serial_in_kernel += (double)finding->cost_wall;
    if (threads > 1 && !can_go)
        leave_part(finding, threads);
    if (serial == NULL)
        return;
    finding->around = finding->region;
    omptape_findings_set_serial(finding, serial);
}

/* Returns true if the region spends a considerable part of its time in the kernel. Where memory is given back
 * and touched again, every region with page faults counts: one change resolves all. */
static bool is_in_kernel(const struct analysis_state *state, const struct analysis_region_state *known)
{
    const double good_part = 0.1;
    const double system = (double)known->result.system;
    if (known->result.system_parts == 0)
        return false;
    if (omptape_findings_gives_back(state) && is_at_faults(state, &known->result, fault_ns))
        return true;
    return system * state->ns_per_tick >= least_ns && system > good_part * known->worked_here;
}

void omptape_findings_add_system(struct analysis_findings *findings)
{
    struct analysis_state *state = findings->state;
    add_up_places(state);
    state->page_touches = count_touches(state);
    for (uint32_t i = 0; i < state->regions.count; i++) {
        const struct analysis_region_state *known = state->regions.list[i].value;
        const struct analysis_region *region = &known->result;
        const double system = (double)region->system;
        if (!is_in_kernel(state, known))
            continue;
        double beside;
        const bool at_faults = look_for_faults(state, region, &beside);
        struct omptape_finding *finding = omptape_findings_at(
            findings, at_faults ? OMPTAPE_FINDING_PAGE_FAULTS : OMPTAPE_FINDING_SYSTEM_TIME, region);
        const double rest = known->worked_here > system ? known->worked_here - system : 0;
        const double all = system + (beside < rest ? beside : rest);
        finding->gain = finding->cost_wall = omptape_whole((double)region->system_parts / 256 * all / system);
        finding->cost = omptape_whole(all) > finding->gain ? omptape_whole(all) : finding->gain;
        finding->count = at_faults ? region->faults : region->visits.count;
        omptape_findings_set_worst(finding, &region->visits);
        if (at_faults && omptape_findings_gives_back(state)) /* the first touch of each page stays */
            leave_part(finding, state->page_touches);
        if (is_mostly_serial(state, region))
            set_serial(findings, finding);
    }
}

/* Returns "; 98 % of those counted are in touch @a.c:18", or "" if faults were not counted. */
static const char *describe_faulting(const struct analysis_state *state, const struct analysis_region *region)
{
    const struct omptape_analysis *result = state->result;
    const uint32_t all = omptape_counter_number(result, "page-faults");
    const uint32_t counter = all > 0 ? all : omptape_counter_number(result, "minor-faults");
    char place[OMPTAPE_COUNTED_PLACE_BYTES];
    double percent = 0;
    return counter > 0 && omptape_counted_mostly(result, region, counter, &percent, place, sizeof(place))
               ? omptape_sentence(state, "; %.0f %% of those counted are in %s", percent, place)
               : "";
}

static void set_fault_proposal(const struct analysis_state *state, struct omptape_finding *finding)
{
    if (omptape_findings_gives_back(state))
        finding->proposal =
            "allocate or map it once and reuse it (what malloc gave: MALLOC_TRIM_THRESHOLD_=-1 "
            "MALLOC_MMAP_MAX_=0 lets glibc keep it)";
    else if (finding->serial != NULL)
        finding->proposal = "touch it for the first time in parallel, in the threads that use it; what is "
                            "allocated again and again, once, to be reused";
}

/* Writes the sentence for page faults at `region` and at places merged into the finding. percent: of the work
 * at `region`. */
static void describe_faults(struct analysis_state *state, struct omptape_finding *finding,
                            const struct analysis_region *region, double percent)
{
    const char *disk = region->major_faults > 0
                           ? omptape_sentence(state, " (%s read from a disk)",
                                              omptape_count_text(state, region->major_faults))
                           : "";
    const char *where = finding->others > 0
                            ? omptape_sentence(state, " here and at %" PRIu32 " more place%s",
                                               finding->others, finding->others == 1 ? "" : "s")
                            : "";
    const double system = finding->others > 0 ? (double)finding->cost : (double)region->system;
    const char *share =
        finding->others == 0 ? omptape_sentence(state, ", %.0f %% of the time at work here", percent) : "";
    const char *why = "memory is touched for the first time, or again after it was given back";
    if (omptape_findings_gives_back(state))
        why = omptape_sentence(state, "memory is given back and touched again, %.0f times on average",
                               state->page_touches);
    finding->text =
        omptape_sentence(state, "about %s page faults%s%s take %s of processor time in the kernel%s: %s%s",
                         omptape_count_text(state, finding->count), where, disk,
                         omptape_time_text(state, system), share, why, describe_faulting(state, region));
    set_fault_proposal(state, finding);
}

void omptape_describe_system(struct analysis_state *state, struct omptape_finding *finding)
{
    const struct analysis_region *region = finding->serial != NULL ? finding->around : finding->region;
    const struct analysis_region_state *known = omptape_analysis_of_region(&state->regions, region);
    const double worked = known != NULL ? known->worked_here : 0;
    const double percent = worked > (double)region->system ? 100 * (double)region->system / worked : 100;
    const char *system = omptape_time_text(state, (double)region->system);
    if (finding->kind == OMPTAPE_FINDING_PAGE_FAULTS)
        describe_faults(state, finding, region, percent);
    else {
        const char *call = "";
        describe_kernel_call(state, finding, region, &call);
        const bool is_open = call[0] == '\0' && is_at_faults(state, region, large_fault_ns);
        if (is_open)
            finding->proposal =
                "perf trace -s counts the calls; if there are few, allocate memory once and touch it "
                "first in the threads that use it";
        finding->text =
            is_open
                ? omptape_sentence(state,
                                   "threads are in the kernel for about %s, %.0f %% of their time at work "
                                   "here: %s page faults, or system calls; the record does not show "
                                   "which",
                                   system, percent, omptape_count_text(state, region->faults))
                : omptape_sentence(state,
                                   "threads are in the kernel for about %s, %.0f %% of their time at work "
                                   "here: system calls%s, for page faults (%s) are too few",
                                   system, percent, call, omptape_count_text(state, region->faults));
    }
}
