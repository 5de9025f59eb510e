/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks up locations and regions by their ids (location.h). Called by src/analysis/reduce/pass.c for each
 * event. Frees an analysis.
 */
#include "src/analysis/devices.h"
#include "src/analysis/location.h"
#include "src/analysis/regions.h"
#include "src/analysis/state.h"
#include "src/archive/read/regions.h"
#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

/* Values of `observed.until`: without an observer all intervals are merged; with one none, until it sets
 * this. */
static const uint64_t forever = UINT64_MAX;
static const uint64_t at_once;

/* Sets the location's process, or the process whose device it is. False if that process is not analysed. */
static bool find_process(const struct analysis_state *state, struct analysis_location *location)
{
    const struct analysis_process *process =
        omptape_analysis_process(state, location->definition->refs[1].id);
    if (process != NULL)
        location->process = (uint32_t)(process - state->result->processes);
    location->process_state = &state->processes[location->process];
    return process != NULL;
}

static void open_thread(struct analysis_state *state, struct analysis_location *location)
{
    struct omptape_analysis *result = state->result;
    struct analysis_thread *thread = omptape_arena_alloc(&result->arena, sizeof(*thread));
    if (thread == NULL)
        return;
    thread->location = location->definition;
    thread->process = location->process;
    location->thread = thread;
    location->next_thread = location->process_state->threads;
    location->process_state->threads = location;
    location->outside = omptape_location_is_initial(state->reader, location->definition)
                            ? OMPTAPE_BUCKET_SERIAL
                            : OMPTAPE_BUCKET_IDLE;
    result->processes[location->process].threads++;
    location->flags = location->process_state->devices != NULL ? ANALYSIS_FLAG_WATCHED : 0;
}

struct analysis_location *omptape_analysis_find_location(struct analysis_state *state, uint64_t id)
{
    struct analysis_location *location = omptape_pairs_get(&state->locations, 0, id);
    if (location == NULL) {
        const struct omptape_definition *definition =
            omptape_reader_find(state->reader, OMPTAPE_DEF_LOCATION, id);
        if (definition == NULL)
            return NULL;
        location = omptape_pairs_obtain(&state->locations, &state->arena, 0, id, sizeof(*location));
        if (location == NULL)
            return NULL;
        location->id = id;
        location->definition = definition;
        location->observed.definition = definition;
        location->observed.until = state->observer == NULL ? &forever : &at_once;
        location->accounts.end = &location->accounts.first;
        location->phase = 1;
        location->wanted = find_process(state, location);
        if (omptape_location_is_thread(state->reader, definition) && location->wanted)
            open_thread(state, location);
        else if (location->wanted)
            omptape_analysis_device_open(
                state, location,
                omptape_reader_find(state->reader, OMPTAPE_DEF_LOCATION_GROUP, definition->refs[1].id));
    }
    state->cached_locations[(id ^ id >> 32) % ANALYSIS_CACHED_LOCATIONS] = location;
    return location;
}

void omptape_analysis_go_back(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    location->needs_slow_booking = true;
    location->went_back = true;
    location->first = time != 0 && time < location->first ? time : location->first;
    state->whole.end = location->last > state->whole.end ? location->last : state->whole.end;
}

static bool describe(struct analysis_state *state, struct analysis_region_state *known,
                     const struct omptape_definition *definition)
{
    struct omptape_arena *arena = &state->result->arena;
    const struct omptape_reader *reader = state->reader;
    struct analysis_region *region = &known->result;
    region->definition = definition;
    region->kind = definition->region->kind;
    region->label = definition->region->label;
    region->function = omptape_reader_text(arena, omptape_reader_string(reader, definition->refs[2].id));
    region->file = omptape_reader_text(arena, omptape_reader_string(reader, definition->refs[3].id));
    region->line = (uint32_t)definition->value[2];
    known->facts = omptape_region_facts(region->kind);
    if (omptape_mpi_end_of(region) < OMPTAPE_MPI_ENDS)
        known->facts.family = ANALYSIS_FAMILY_MPI_END;
    known->observed.definition = definition;
    known->number = state->regions.count;
    return region->function != NULL && region->file != NULL;
}

/* Adds a region to the direct table. Ids are usually small, but archives of other tools may have any ids. */
static void cache_region(struct analysis_state *state, struct analysis_region *region, uint64_t id)
{
    enum { MAX_NEAR = 1 << 16 };
    if (id >= MAX_NEAR)
        return;
    uint32_t count = (uint32_t)id + 1;
    if (!OMPTAPE_RESERVE(state->cached_regions, count, &state->cached_region_capacity))
        return;
    for (; state->cached_region_count < count; state->cached_region_count++)
        state->cached_regions[state->cached_region_count] = NULL;
    state->cached_regions[id] = region;
}

struct analysis_region *omptape_analysis_find_region(struct analysis_state *state, uint64_t id)
{
    struct analysis_region_state *known = omptape_pairs_get(&state->regions, 0, id);
    const struct omptape_definition *definition =
        known != NULL ? NULL : omptape_reader_find(state->reader, OMPTAPE_DEF_REGION, id);
    if (known == NULL && definition == NULL)
        return NULL;
    if (known == NULL)
        known = omptape_pairs_obtain(&state->regions, &state->result->arena, 0, id, sizeof(*known));
    if (known == NULL || (definition != NULL && !describe(state, known, definition)))
        return NULL;
    cache_region(state, &known->result, id);
    return &known->result;
}

/* Returns the bin of a duration, for the histograms of visits, tasks and waits (state.h). */
unsigned omptape_durations_bin(uint64_t ticks, double ns_per_tick)
{
    double ns = (double)ticks * ns_per_tick;
    uint64_t whole = ns < 1 ? 1 : ns > 1e18 ? (uint64_t)1e18 : (uint64_t)ns;
    unsigned bin = 63 - (unsigned)__builtin_clzll(whole);
    return bin < ANALYSIS_BINS ? bin : ANALYSIS_BINS - 1;
}

/* The durations of one entry differ by less than a factor of two, so they lie in at most two bins. */
void omptape_durations_list_bins(struct analysis_bin bins[64], double ns_per_tick)
{
    for (unsigned i = 0; i < 64; i++) {
        uint64_t low = UINT64_C(1) << i;
        uint64_t high = low + (low - 1);
        unsigned bin = omptape_durations_bin(low, ns_per_tick);
        bool is_one = omptape_durations_bin(high, ns_per_tick) == bin;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (omptape_durations_bin(middle, ns_per_tick) > bin)
                high = middle;
            else
                low = middle + 1;
        }
        bins[i] = (struct analysis_bin){.limit = is_one ? UINT64_MAX : high, .bin = bin};
    }
}

uint64_t omptape_durations_median(const struct analysis_durations *durations, uint64_t clock_resolution)
{
    uint64_t seen = 0;
    if (durations->count == 1 || durations->count == 2) /* the mean is exact */
        return durations->sum / durations->count;
    for (unsigned bin = 0; bin < ANALYSIS_BINS; bin++) {
        seen += durations->bins[bin];
        if (2 * seen >= durations->count && durations->count > 0) {
            /* Assumes that the durations are evenly distributed in the bin. */
            uint64_t inside = durations->bins[bin];
            double part = 1 - ((double)seen - (double)durations->count / 2) / (double)inside;
            double ns = (double)((uint64_t)1 << bin) * (1 + part);
            double ticks = ns * (double)clock_resolution / 1e9;
            return ticks < (double)durations->longest ? (uint64_t)ticks : durations->longest;
        }
    }
    return 0;
}

struct analysis_durations omptape_durations_of_calls(const struct omptape_analysis *analysis,
                                                     const struct analysis_mpi *mpi)
{
    struct analysis_durations calls = mpi->region->visits;
    const double ns_per_tick = 1e9 * omptape_analysis_seconds(analysis, 1);
    if (mpi->repeated > 0)
        omptape_add(&calls.bins[omptape_durations_bin(mpi->repeated_time / mpi->repeated, ns_per_tick)],
                    mpi->repeated);
    omptape_add(&calls.count, mpi->repeated);
    return calls;
}

double omptape_analysis_seconds(const struct omptape_analysis *analysis, uint64_t ticks)
{
    uint64_t resolution = analysis->reader->clock_resolution;
    return (double)ticks / (resolution > 0 ? (double)resolution : 1e9);
}

void omptape_analysis_free(struct omptape_analysis *analysis)
{
    if (analysis == NULL)
        return;
    free(analysis->regions);
    free(analysis->loops);
    free(analysis->tasks);
    free(analysis->locks);
    free(analysis->lock_holders);
    free(analysis->phases);
    free(analysis->values);
    free(analysis->sampled);
    free(analysis->serials);
    free(analysis->outliers);
    free(analysis->transfers);
    free(analysis->mpi);
    free(analysis->devices);
    free(analysis->findings);
    omptape_arena_free(&analysis->arena);
    free(analysis);
}
