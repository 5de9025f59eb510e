/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resolves the meetings of several MPI_COMM_WORLDs (connections.h). Called by staging.c.
 *
 * The members of a side may themselves come from an earlier meeting, which must be resolved first. Resolution
 * therefore starts with meetings between plain worlds and continues with meetings that depend on them. When
 * no more halves can be paired, missing halves get unassigned places. Meetings that others depend on get them
 * first.
 */
#include "src/unify/connections.h"

#include "src/core/array.h"
#include "src/unify/reading.h"

#include <stdlib.h>
#include <string.h>

static bool is_settled(struct omptape_unify_meetings *meetings, uint32_t meeting)
{
    return meetings->list[omptape_unify_meeting_top(meetings, meeting)].places != NULL;
}

/* Writes the current places of the fact's own side to `places`; returns their number. */
static uint32_t own_members(const struct omptape_unify_meetings *meetings,
                            const struct omptape_unify_fact *fact, uint64_t *places)
{
    uint32_t count;
    const uint64_t *words = omptape_unify_meeting_words(meetings, fact->comm, &count);
    const uint32_t own = count - fact->remote;
    for (uint32_t i = 0; i < own; i++)
        places[i] = omptape_unify_became(meetings, words[(fact->first ? 0 : fact->remote) + i]);
    return own;
}

/* Returns the number of the half to which the fact belongs. Facts of all processes of one side have the same
 * half. */
static uint32_t side_of(struct omptape_unify_meetings *meetings, const struct omptape_unify_fact *fact)
{
    enum { HEAD = 4 };
    const uint32_t count = meetings->list[fact->meeting].count;
    uint64_t *words = omptape_calloc((size_t)count + HEAD, sizeof(*words));
    if (words == NULL)
        return OMPTAPE_UNIFY_NONE;
    words[0] = fact->way * 2 + fact->first;
    words[1] = fact->identity;
    words[2] = fact->depends != OMPTAPE_UNIFY_NONE
                   ? (uint64_t)omptape_unify_meeting_top(meetings, fact->depends) + 1
                   : 0;
    words[3] = fact->remote;
    const uint32_t own = own_members(meetings, fact, words + HEAD);
    const uint32_t number = omptape_rows_number(&meetings->sides, words, (own + HEAD) * sizeof(*words));
    free(words);
    return meetings->sides.failed ? OMPTAPE_UNIFY_NONE : number;
}

static struct omptape_unify_half *obtain_half(struct omptape_unify_meetings *meetings, uint32_t number,
                                              uint32_t fact)
{
    if (number < meetings->half_count)
        return &meetings->halves[number];
    if (!OMPTAPE_RESERVE(meetings->halves, number + 1, &meetings->half_room))
        return NULL;
    meetings->halves[meetings->half_count++] =
        (struct omptape_unify_half){.fact = fact,
                                    .of_root = OMPTAPE_UNIFY_NONE,
                                    .meeting = meetings->facts[fact].meeting,
                                    .begin = UINT64_MAX,
                                    .start = UINT64_MAX};
    return &meetings->halves[number];
}

static void take_fact(struct omptape_unify_meetings *meetings, uint32_t number)
{
    struct omptape_unify_fact *fact = &meetings->facts[number];
    const struct omptape_unify_model *model = meetings->model;
    const uint32_t side = side_of(meetings, fact);
    struct omptape_unify_half *half = side != OMPTAPE_UNIFY_NONE ? obtain_half(meetings, side, number) : NULL;
    if (half == NULL)
        return;
    const struct omptape_unify_clock *clock = &model->processes[fact->process].clock;
    const uint64_t start =
        omptape_unify_corrected(&model->dating.domains[clock->domain].corrections, clock->first);
    fact->taken = true;
    half->start = start < half->start ? start : half->start;
    half->name = half->name == 0 ? fact->name : half->name;
    /* The root's times are the most exact ones. */
    if (fact->root != 0) {
        half->of_root = number;
        half->begin = fact->begin;
        half->end = fact->end;
    } else if (half->of_root == OMPTAPE_UNIFY_NONE) {
        half->begin = fact->begin < half->begin ? fact->begin : half->begin;
        half->end = fact->end > half->end ? fact->end : half->end;
    }
    omptape_unify_meeting_join(meetings, half->meeting, fact->meeting);
    struct omptape_unify_meeting *top = &meetings->list[omptape_unify_meeting_top(meetings, fact->meeting)];
    uint32_t *place = &top->half[fact->first != 0 ? 0 : 1];
    *place = *place == OMPTAPE_UNIFY_NONE ? side : *place;
    /* A previously unified archive may contain both halves. */
    for (int i = 0; i < 2 && top->half[!i] != OMPTAPE_UNIFY_NONE; i++)
        if (top->half[i] != OMPTAPE_UNIFY_NONE)
            meetings->halves[top->half[i]].paired = true;
}

/* Adds facts whose own members are known to their halves. `all`: also facts that depend on each other, as in
 * damaged archives. Returns true if any was added. */
static bool take_facts(struct omptape_unify_meetings *meetings, bool all)
{
    bool any = false;
    for (uint32_t i = 0; i < meetings->fact_count && !omptape_unify_failed(meetings->model); i++) {
        const struct omptape_unify_fact *fact = &meetings->facts[i];
        if (fact->taken ||
            (!all && fact->depends != OMPTAPE_UNIFY_NONE && !is_settled(meetings, fact->depends)))
            continue;
        take_fact(meetings, i);
        any = true;
    }
    return any;
}

/* Sets the places of one side: those of its processes, or unassigned ones. */
static void find_places(struct omptape_unify_meetings *meetings, struct omptape_unify_meeting *top, int side,
                        uint64_t *places, uint32_t count)
{
    const uint32_t half = top->half[side];
    const struct omptape_unify_fact *fact =
        half != OMPTAPE_UNIFY_NONE ? &meetings->facts[meetings->halves[half].fact] : NULL;
    uint32_t all;
    /* The sizes differ only in damaged archives. */
    if (fact != NULL && meetings->list[fact->meeting].count - fact->remote == count) {
        own_members(meetings, fact, places);
        return;
    }
    /* Keeps the places that an earlier unification has assigned. */
    const uint64_t *words =
        omptape_unify_meeting_words(meetings, top->comm, &all) + (side == 0 ? 0 : all - count);
    bool given = true;
    for (uint32_t i = 0; i < count; i++) {
        places[i] = omptape_unify_became(meetings, words[i]);
        given = given && places[i] < OMPTAPE_UNIFY_ELSEWHERE;
    }
    const uint32_t first = given ? 0 : omptape_unify_add_places(meetings->model, count);
    for (uint32_t i = 0; i < count && !given; i++)
        places[i] = first + i;
}

static void settle(struct omptape_unify_meetings *meetings, struct omptape_unify_meeting *top)
{
    const uint32_t known = top->half[top->half[0] != OMPTAPE_UNIFY_NONE ? 0 : 1];
    const struct omptape_unify_fact *fact = &meetings->facts[meetings->halves[known].fact];
    const uint32_t first = fact->first != 0 ? top->count - fact->remote : fact->remote;
    top->places = omptape_calloc((size_t)top->count + 1, sizeof(*top->places));
    if (top->places == NULL)
        return;
    find_places(meetings, top, 0, top->places, first);
    find_places(meetings, top, 1, top->places + first, top->count - first);
}

/* Maps the places that the part used for its members to the resolved ones. */
static void substitute(struct omptape_unify_meetings *meetings, const struct omptape_unify_meeting *meeting,
                       const struct omptape_unify_meeting *top)
{
    uint32_t count;
    const uint64_t *words = omptape_unify_meeting_words(meetings, meeting->comm, &count);
    for (uint32_t i = 0; i < count && i < top->count; i++)
        if (words[i] != top->places[i] && omptape_unify_became(meetings, words[i]) == words[i])
            (void)omptape_hash_join(&meetings->became, words[i] + 1, top->places[i]);
}

/* Marks the meetings on which remaining facts depend. */
static void mark_needed(struct omptape_unify_meetings *meetings)
{
    for (uint32_t i = 0; i < meetings->fact_count; i++)
        if (!meetings->facts[i].taken && meetings->facts[i].depends != OMPTAPE_UNIFY_NONE)
            meetings->list[omptape_unify_meeting_top(meetings, meetings->facts[i].depends)].needed = true;
}

/* Which meetings to resolve: those with both halves; those with one half on which others depend; or all with
 * one half. */
enum which { COMPLETE, NEEDED, ALL };

static bool settle_known(struct omptape_unify_meetings *meetings, enum which which)
{
    bool any = false;
    for (uint32_t i = 0; i < meetings->count && !omptape_unify_failed(meetings->model); i++) {
        struct omptape_unify_meeting *top = &meetings->list[i];
        const int halves = (top->half[0] != OMPTAPE_UNIFY_NONE) + (top->half[1] != OMPTAPE_UNIFY_NONE);
        const bool alone = which == ALL || (which == NEEDED && top->needed);
        if (top->up != i || top->places != NULL || halves < (alone ? 1 : 2))
            continue;
        settle(meetings, top);
        any = true;
    }
    for (uint32_t i = 0; i < meetings->count && any && !omptape_unify_failed(meetings->model); i++) {
        struct omptape_unify_meeting *meeting = &meetings->list[i];
        const struct omptape_unify_meeting *top = &meetings->list[omptape_unify_meeting_top(meetings, i)];
        if (top->places == NULL || meeting->comm == UINT64_MAX || meeting->substituted)
            continue;
        substitute(meetings, meeting, top);
        meeting->substituted = true;
    }
    return any;
}

void omptape_unify_settle_worlds(struct omptape_unify_model *model)
{
    struct omptape_unify_meetings meetings = {.model = model};
    /* Places of other worlds without a meeting occur only in damaged archives. */
    if (omptape_unify_meetings_collect(&meetings) || model->elsewhere > 0) {
        bool more = true;
        while (more && !omptape_unify_failed(model)) {
            more = take_facts(&meetings, false);
            more = omptape_unify_meetings_pair(&meetings) || more;
            more = settle_known(&meetings, COMPLETE) || more;
            if (more)
                continue;
            /* Runs at most once per meeting. */
            mark_needed(&meetings);
            more = settle_known(&meetings, NEEDED) || settle_known(&meetings, ALL) ||
                   take_facts(&meetings, true);
        }
        if (!omptape_unify_failed(model))
            omptape_unify_meetings_rewrite(&meetings);
    }
    omptape_unify_meetings_free(&meetings);
}
