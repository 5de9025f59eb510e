/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the instances of each phase (time steps, for example) in the order of time, and those that are
 * comparable. Called by results.c.
 */
#include "src/analysis/findings/gathering.h"
#include "src/core/sort.h"
#include "src/core/whole.h"

#include <stdlib.h>
#include <string.h>

static const double min_share = 0.25; /* share of the run that a detected loop needs */

uint64_t omptape_steps_median(struct analysis_step *const *steps, uint64_t count, size_t offset,
                              uint64_t from)
{
    uint64_t *list = omptape_calloc(count + 1, sizeof(*list));
    if (list == NULL)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&list[i], (const char *)steps[i] + offset, sizeof(list[i]));
        if (from > 0)
            list[i] = list[i] > from ? list[i] - from : from - list[i];
    }
    omptape_sort(list, count, sizeof(*list), omptape_compare_whole);
    const uint64_t median = list[count / 2];
    free(list);
    return median;
}

/* Sorts by phase and time, then by key. */
static int compare_steps(const void *left, const void *right)
{
    const struct omptape_pair *one = *(const struct omptape_pair *const *)left;
    const struct omptape_pair *other = *(const struct omptape_pair *const *)right;
    const uint64_t begin = ((const struct analysis_step *)one->value)->longest_begin;
    const uint64_t later = ((const struct analysis_step *)other->value)->longest_begin;
    if (one->high != other->high)
        return one->high > other->high ? 1 : -1;
    if (begin != later)
        return begin > later ? 1 : -1;
    return (one->low > other->low) - (one->low < other->low);
}

/* Lists the steps that contain the same regions as most. The list is empty if these are fewer than half. */
static void list_comparable(struct analysis_state *state, struct analysis_phase *phase)
{
    phase->comparable = phase->step_list;
    phase->comparable_count = phase->step_count;
    if (!omptape_phase_is_detected(phase))
        return;
    phase->comparable =
        omptape_arena_alloc(&state->result->arena, (phase->step_count + 1) * sizeof(struct analysis_step *));
    phase->comparable_count = 0;
    for (uint64_t i = 0; i < phase->step_count && phase->comparable != NULL; i++)
        if (phase->step_list[i]->atypical == 0)
            phase->comparable[phase->comparable_count++] = phase->step_list[i];
    if (2 * phase->comparable_count < phase->step_count)
        phase->comparable_count = 0;
}

/* Drops detected loops if the program named phases itself, or if the loop is less than a quarter of the run.
 */
static void drop_short_loops(struct analysis_state *state)
{
    const struct omptape_analysis *result = state->result;
    const uint64_t life = omptape_times(omptape_minus(state->whole.end, state->whole.begin), result->at_once);
    bool has_own = false;
    for (uint32_t i = 0; i < state->phases.count; i++) {
        const struct analysis_phase *phase = state->phases.list[i].value;
        has_own |= !omptape_phase_is_detected(phase) && phase->count >= OMPTAPE_STEPS_MIN;
    }
    for (uint32_t i = 0; i < state->phases.count; i++) {
        struct analysis_phase *phase = state->phases.list[i].value;
        if (!omptape_phase_is_detected(phase) ||
            (!has_own && (double)phase->wall >= min_share * (double)life))
            continue;
        phase->count = phase->wall = phase->step_count = 0;
    }
}

/* Returns "iteration @solver.c:80", with the place of the loop's first region. */
static const char *name_loop(struct analysis_state *state, const struct analysis_phase *phase)
{
    const char *site = strrchr(phase->region->label, '@');
    return site != NULL ? omptape_sentence(state, "iteration %s", site)
                        : omptape_sentence(state, "iteration from %s", phase->region->label);
}

/* Gives each phase its part of one list, sorted by phase and time. */
static void list_steps(struct analysis_state *state, const struct omptape_pair **pairs, uint32_t count)
{
    struct analysis_step **list =
        omptape_arena_alloc(&state->result->arena, ((size_t)count + 1) * sizeof(struct analysis_step *));
    for (uint32_t i = 0; i < count && list != NULL; i++) {
        struct analysis_phase *phase = omptape_pairs_get(&state->phases, 0, pairs[i]->high);
        list[i] = pairs[i]->value;
        if (phase == NULL)
            continue;
        phase->step_list = phase->step_count == 0 ? &list[i] : phase->step_list;
        phase->step_count++;
    }
}

void omptape_steps_finish(struct analysis_state *state)
{
    const uint32_t count = state->steps.count;
    const struct omptape_pair **pairs = omptape_calloc((size_t)count + 1, sizeof(struct omptape_pair *));
    if (pairs == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        pairs[i] = &state->steps.list[i];
    omptape_sort(pairs, count, sizeof(struct omptape_pair *), compare_steps);
    list_steps(state, pairs, count);
    free(pairs);
    drop_short_loops(state);
    for (uint32_t i = 0; i < state->phases.count; i++) {
        struct analysis_phase *phase = state->phases.list[i].value;
        list_comparable(state, phase);
        phase->name = omptape_phase_is_detected(phase) ? name_loop(state, phase) : phase->region->label;
        phase->median = omptape_steps_median(phase->comparable, phase->comparable_count,
                                             offsetof(struct analysis_step, longest), 0);
    }
}
