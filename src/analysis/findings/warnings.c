/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes warnings about the limits of an archive: missing events, unknown places, missing processors.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/findings/inside.h"
#include "src/archive/read/regions.h"
#include "src/core/words.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WARNINGS = sizeof(((struct omptape_analysis *)0)->warnings) / sizeof(char *) };

static void warn(struct analysis_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct analysis_state *state, const char *format, ...)
{
    struct omptape_analysis *result = state->result;
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char *copy =
        result->warning_count == MAX_WARNINGS ? NULL : omptape_arena_alloc(&result->arena, strlen(text) + 1);
    if (copy != NULL)
        result->warnings[result->warning_count++] = memcpy(copy, text, strlen(text) + 1);
}

/* Returns the sum of a property over all processes. */
static uint64_t number_of(const struct analysis_state *state, const char *key)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->result->process_count; i++)
        omptape_add(&sum, omptape_reader_number_of(state->reader, state->result->processes[i].number, key));
    return sum;
}

static const struct {
    const char *key;
    const char *what;
} losses[] = {{OMPTAPE_KEY_DROPPED,
               "events were dropped for want of room: what happened meanwhile is not in the numbers"},
              {OMPTAPE_KEY_UNWRITTEN, "events came after the disk was full: the numbers end there"},
              {OMPTAPE_KEY_FORGOTTEN, "events came before what the flight recorder kept"}};

static void warn_of_lost_events(struct analysis_state *state)
{
    for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
        uint64_t lost = number_of(state, losses[i].key);
        if (lost > 0)
            warn(state, "%" PRIu64 " %s", lost, losses[i].what);
    }
}

static bool is_chosen(const struct analysis_state *state)
{
    static const char *const keys[] = {OMPTAPE_KEY_FILTER, OMPTAPE_KEY_LIMIT_PER_SITE, OMPTAPE_KEY_START};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (omptape_reader_property_of(state->reader, -1, keys[i]) != NULL)
            return true;
    return false;
}

static void warn_of_choice(struct analysis_state *state)
{
    if (is_chosen(state))
        warn(state, "not all was recorded (--filter, --limit-per-site, --start): what was left out counts as "
                    "what is around it");
}

bool omptape_findings_is_whole(const struct analysis_state *state)
{
    bool is_whole =
        !state->windowed && state->opens.count == 0 && !state->mpi_incomplete && !is_chosen(state);
    for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
        is_whole = is_whole && number_of(state, losses[i].key) == 0;
    return is_whole;
}

/* Returns true if the region's file is a source file and not a program or library. For a source file a
 * parallel region has a line, or the name has no address as in "parallel @app+0x12bd". */
static bool is_source(const struct analysis_state *state, const struct analysis_region *region)
{
    const char *site = region->definition->region->site;
    bool found = region->file[0] != '\0' && (site == NULL || strstr(site, "+0x") == NULL);
    for (uint32_t i = 0; i < state->parallels.count && !found; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        found = parallel->region->line > 0 && strcmp(parallel->region->file, region->file) == 0;
    }
    return found;
}

/* Warns if most constructs with visits have no source line. */
static void warn_of_places(struct analysis_state *state)
{
    uint32_t unknown = 0;
    uint32_t in_files = 0; /* part of `unknown`: there is debugging information, but no line for the call */
    uint32_t all = 0;
    for (uint32_t i = 0; i < state->regions.count; i++) {
        const struct analysis_region *region = state->regions.list[i].value;
        if (region->kind == OMPTAPE_REGION_PROGRAM || region->kind == OMPTAPE_REGION_USER ||
            region->kind == OMPTAPE_REGION_MPI || region->visits.count == 0)
            continue;
        all++;
        unknown += region->line == 0;
        in_files += region->line == 0 && is_source(state, region);
    }
    if (2 * unknown <= all || state->lines_warned)
        return;
    state->result->lacks_lines = 2 * in_files <= unknown;
    warn(state, "%s%" PRIu32 " of %" PRIu32 " constructs are not known%s",
         state->result->lacks_lines ? OMPTAPE_ADVICE_LINES ": those of " : "the source lines of ", unknown,
         all, state->result->lacks_lines ? "" : ": the compiler noted none for them");
}

/* Returns the share (0 to 1) of the threads' lives in which they wanted a processor and had none. */
static double queued_share(const struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    double queued = 0;
    double lived = 0;
    for (uint32_t i = 0; i < result->thread_count; i++) {
        queued += (double)result->thread_list[i].queued_ns;
        lived += (double)result->thread_list[i].reading_ticks * state->ns_per_tick;
    }
    return lived > 0 ? queued / lived : 0;
}

static bool is_of_lack(enum omptape_finding_kind kind)
{
    return kind == OMPTAPE_FINDING_PREEMPTION || kind == OMPTAPE_FINDING_OVERSUBSCRIPTION ||
           kind == OMPTAPE_FINDING_QUOTA || kind == OMPTAPE_FINDING_BLOCKED;
}

static void mark_proposals(struct analysis_state *state, bool is_own)
{
    for (uint32_t i = 0; i < state->result->finding_count; i++) {
        struct omptape_finding *finding = &state->result->findings[i];
        if (!is_of_lack(finding->kind) && finding->proposal[0] != '\0')
            finding->proposal =
                omptape_sentence(state, "%s; then perhaps: %s",
                                 is_own ? "mend that first" : "repeat the run first", finding->proposal);
    }
}

/* If threads lacked processors for most of the time, no other finding is reliable. */
static void warn_of_processors(struct analysis_state *state)
{
    const double most = 0.5;
    const double least = 0.1;
    const double share = queued_share(state);
    const struct analysis_rivals rivals = omptape_findings_rivals(state);
    const char *who = omptape_rivals_text(state, &rivals);
    const bool is_own = rivals.kind == ANALYSIS_RIVAL_AFFINITY || rivals.kind == ANALYSIS_RIVAL_QUOTA ||
                        rivals.kind == ANALYSIS_RIVAL_THREADS;
    if (share <= least)
        return;
    const char *text =
        omptape_sentence(state, "threads wanted a processor and had none for %.0f %% of their time%s%s",
                         100 * share, who[0] != '\0' ? ": " : "", who);
    if (share > most && omptape_findings_queued_for_others(state->result) > most) {
        state->result->banner =
            omptape_sentence(state, "all times below are inflated: %s%s", text,
                             is_own ? "" : "; what follows is about this run: repeat it on an idle machine");
        warn(state, "%s", state->result->banner);
        mark_proposals(state, is_own);
    } else {
        warn(state, "%s: the times below are longer than the work needs", text);
    }
}

/* Warns about processes with several initial threads if it is unknown which of them computed and which slept.
 */
static void warn_of_initial_threads(struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    uint64_t unknown = 0;
    if (result->serial_unknown)
        warn(state,
             "what is serial is not known: several of the program's own threads have parallel regions, "
             "and which of them computed outside of these only a trace (without --profile) tells");
    for (uint32_t i = 0; i < result->thread_count; i++) {
        const struct analysis_thread *thread = &result->thread_list[i];
        if (thread->reading_ticks == 0 && omptape_analysis_has_several(&result->processes[thread->process]))
            omptape_add(&unknown, thread->parts[OMPTAPE_BUCKET_SERIAL]);
    }
    if (unknown > omptape_minus(result->end, result->begin) / 100)
        warn(state, "what threads did outside of parallel regions is not known of all of them: the kernel "
                    "did not tell whether they computed or slept");
}

/* Returns true if threads ran or queued for most of their lives, so they did not sleep. */
static bool mostly_ran(const struct analysis_state *state)
{
    double ran = 0;
    double lived = 0;
    for (uint32_t i = 0; i < state->result->thread_count; i++) {
        const struct analysis_thread *thread = &state->result->thread_list[i];
        ran += (double)(thread->running_ns + thread->queued_ns) / state->ns_per_tick;
        lived += (double)omptape_parts_sum(thread->parts);
    }
    return ran > 0.8 * lived;
}

/* Warns about a long time in a parallel region without events: threads that spin on a flag look busy. */
static void warn_of_silence(struct analysis_state *state)
{
    enum { SHORT_NS = 500000000, LONG_NS = 2000000000 };
    const struct omptape_analysis *result = state->result;
    const uint64_t wall = omptape_minus(result->end, result->begin);
    const struct analysis_region *most = NULL;
    for (uint32_t i = 0; i < state->parallels.count; i++) {
        const struct analysis_parallel *parallel = state->parallels.list[i].value;
        const struct analysis_region *region = parallel->region;
        const double ns = (double)region->silent * state->ns_per_tick;
        if (parallel->threads > 1 && (most == NULL || region->silent > most->silent) &&
            (ns > (double)LONG_NS || (ns > (double)SHORT_NS && region->silent > wall / 2)))
            most = region;
    }
    if (most != NULL && mostly_ran(state))
        warn(state,
             "%s: no event for up to %s: whether its threads compute or wait for each other by hand "
             "(spinning on a flag) no event tells",
             most->shown, omptape_time_text(state, (double)most->silent));
}

/* Below a fiftieth of the time tracing disturbs little. */
static void warn_of_tracing(struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    const struct analysis_perturbation *tracing = &result->perturbation;
    double writing = tracing->of_queue * (double)tracing->queued;
    double lived = 0;
    for (uint32_t i = 0; i < result->thread_count; i++)
        lived += (double)omptape_parts_sum(result->thread_list[i].parts);
    const double all = (double)tracing->recording + (double)tracing->switching + writing;
    if (all <= lived / 50)
        return;
    const struct {
        const char *who;
        double ticks;
    } parts[] = {{"recording", (double)tracing->recording},
                 {"the writer, which had no processor of its own,", writing},
                 {"the kernel, to record context switches,", (double)tracing->switching}};
    const char *text =
        omptape_sentence(state, "tracing took about %.0f %% of the threads' time", 100 * all / lived);
    const char *before = ": ";
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const double percent = 100 * parts[i].ticks / lived;
        if (percent < 0.5)
            continue;
        text = omptape_sentence(state, "%s%s%s %.0f %%", text, before, parts[i].who, percent);
        before = ", ";
    }
    warn(state, "%s", text);
}

/* Up to a hundredth of the time stalls disturb nothing. */
static void warn_of_stalls(struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    uint64_t stalled = 0;
    uint64_t lived = 0;
    for (uint32_t i = 0; i < result->thread_count; i++) {
        omptape_add(&stalled, result->thread_list[i].stalled);
        omptape_add(&lived, omptape_parts_sum(result->thread_list[i].parts));
    }
    if (stalled > lived / 100)
        warn(state,
             "the threads stood still for %.0f %% of their time until there was room for their events: what "
             "they were in seems longer, and others seem to wait for it",
             100 * (double)stalled / (double)lived);
}

static void warn_of_messages(struct analysis_state *state)
{
    if (state->result->absent != NULL)
        warn(state, "how long others waited in MPI for %s, without a trace, is not known",
             state->result->absent);
    if (state->mpi_incomplete)
        warn(state,
             "who waited for whom in MPI is not known, or not of all: events of processes are missing");
    if (state->mpi_unmatched)
        warn(state, "who waited for whom in MPI is not known: a profile holds each process's calls, and no "
                    "messages; a trace (without --profile) tells");
}

/* Repeats the archive's own warnings about what was not recorded. */
static void warn_of_unrecorded(struct analysis_state *state)
{
    enum { MAX = 6 };
    char key[32] = OMPTAPE_KEY_WARNING;
    uint32_t repeated = 0;
    uint32_t more = 0;
    for (unsigned number = 1;; number++) {
        const char *text = omptape_reader_property_of(state->reader, -1, key);
        if (text == NULL)
            break;
        snprintf(key, sizeof(key), OMPTAPE_KEY_WARNING "::%u", number);
        if (strstr(text, OMPTAPE_WARNING_UNRECORDED) == NULL &&
            strstr(text, OMPTAPE_WARNING_NO_TRACE) == NULL)
            continue;
        state->lines_warned |= strstr(text, OMPTAPE_WARNING_LINES) != NULL;
        if (repeated++ < MAX)
            warn(state, "%s", text);
        else
            more++;
    }
    if (more > 0)
        warn(state, "%" PRIu32 " more say that something was not recorded (omptape info shows them)", more);
}

/* Warns if starting or ending MPI takes most of the run, because the program does not cause this time. */
static void warn_of_starting(struct analysis_state *state)
{
    enum { MIN_REST_NS = 1000000000 };
    struct omptape_analysis *result = state->result;
    const uint64_t wall = omptape_minus(result->end, result->begin);
    uint64_t sums[OMPTAPE_MPI_ENDS + 1] = {
        0}; /* of each function at all its places; the last one: of others */
    unsigned longest = 0;
    for (uint32_t i = 0; i < state->regions.count; i++) {
        const struct analysis_region *region = state->regions.list[i].value;
        omptape_add(&sums[omptape_mpi_end_of(region)], region->visits.sum);
    }
    for (unsigned i = 0; i < OMPTAPE_MPI_ENDS; i++)
        longest = sums[i] > sums[longest] ? i : longest;
    const uint64_t most = omptape_mean(sums[longest], result->at_once);
    if (state->windowed || most <= wall / 2)
        return;
    const bool hangs = result->finding_count > 0 && result->findings[0].kind == OMPTAPE_FINDING_HANG;
    const bool is_short =
        !hangs && (double)omptape_minus(wall, most) * state->ns_per_tick < (double)MIN_REST_NS;
    const char *taken = omptape_time_text(state, (double)most);
    const char *all = omptape_time_text(state, (double)wall);
    result->starting = omptape_sentence(state, "%s takes %.0f %% of the run (%s of %s)%s",
                                        omptape_mpi_ends[longest], 100 * (double)most / (double)wall, taken,
                                        all, is_short ? ": too short to judge" : "");
    warn(state, "%s", result->starting);
}

/* Returns true if a process says that the file was compiled without optimisation. */
static bool is_unoptimised(const struct analysis_state *state, const char *file)
{
    for (uint32_t i = 0; i < state->result->process_count; i++) {
        const char *files = omptape_reader_property_of(state->reader, state->result->processes[i].number,
                                                       OMPTAPE_KEY_UNOPTIMISED);
        if (files != NULL && omptape_has_line(files, file))
            return true;
    }
    return false;
}

/* Warns if most samples are in code that was compiled without optimisation, or in what it calls. */
static void warn_of_unoptimised(struct analysis_state *state)
{
    struct omptape_inside inside;
    uint64_t count = 0;
    const char *file = NULL; /* the first one has most samples */
    bool others = false;
    if (!omptape_inside_gather_all(state->result, &inside))
        return;
    for (uint32_t i = 0; i < inside.entry_count; i++) {
        const struct omptape_inside_frame *own = &inside.entries[i].call.own;
        if (own->function == NULL || inside.entries[i].count == 0 || !is_unoptimised(state, own->file))
            continue;
        count += inside.entries[i].count;
        others = others || (file != NULL && strcmp(file, own->file) != 0);
        file = file != NULL ? file : own->file;
    }
    if (inside.count >= OMPTAPE_INSIDE_TOO_FEW && 2 * count > inside.count)
        warn(state,
             "%s%s compiled without optimisation (-O0), and %" PRIu64 " of %" PRIu64
             " samples are there: compile with -O2, and trace again",
             omptape_base_name(file), others ? " and other files were" : " was", count, inside.count);
    omptape_inside_free(&inside);
}

void omptape_analysis_warn(struct analysis_state *state)
{
    warn_of_starting(state);
    warn_of_unrecorded(state);
    warn_of_lost_events(state);
    warn_of_choice(state);
    warn_of_places(state);
    warn_of_unoptimised(state);
    warn_of_processors(state);
    warn_of_initial_threads(state);
    warn_of_silence(state);
    warn_of_tracing(state);
    warn_of_stalls(state);
    warn_of_messages(state);
}
