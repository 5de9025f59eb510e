/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resolves the connections of several MPI_COMM_WORLDs (connections.h). Called by staging.c.
 *
 * The members of a side may themselves come from an earlier connection, which must be resolved first.
 * Resolution therefore starts with connections between plain worlds and continues with connections that
 * depend on them. When no more halves can be paired, missing halves get unassigned places. Connections that
 * others depend on get them first.
 */
#include "src/unify/connections.h"

#include "src/core/array.h"
#include "src/unify/reading.h"

#include <stdlib.h>
#include <string.h>

static bool is_resolved(struct omptape_unify_connections *connections, uint32_t connection)
{
    return connections->list[omptape_unify_connection_top(connections, connection)].places != NULL;
}

/* Writes the current places of the fact's own side to `places`; returns their number. */
static uint32_t own_members(const struct omptape_unify_connections *connections,
                            const struct omptape_unify_connection_fact *fact, uint64_t *places)
{
    uint32_t count;
    const uint64_t *words = omptape_unify_connection_words(connections, fact->comm, &count);
    const uint32_t own = count - fact->remote;
    for (uint32_t i = 0; i < own; i++)
        places[i] = omptape_unify_current_place(connections, words[(fact->first ? 0 : fact->remote) + i]);
    return own;
}

/* Returns the number of the fact's half. Facts of all processes of one side have the same half. */
static uint32_t number_of_half(struct omptape_unify_connections *connections,
                               const struct omptape_unify_connection_fact *fact)
{
    enum { HEAD = 4 };
    const uint32_t count = connections->list[fact->connection].count;
    uint64_t *words = omptape_calloc((size_t)count + HEAD, sizeof(*words));
    if (words == NULL)
        return OMPTAPE_UNIFY_NONE;
    words[0] = fact->kind * 2 + fact->first;
    words[1] = fact->identity;
    words[2] = fact->depends != OMPTAPE_UNIFY_NONE
                   ? (uint64_t)omptape_unify_connection_top(connections, fact->depends) + 1
                   : 0;
    words[3] = fact->remote;
    const uint32_t own = own_members(connections, fact, words + HEAD);
    const uint32_t number = omptape_rows_number(&connections->sides, words, (own + HEAD) * sizeof(*words));
    free(words);
    return connections->sides.failed ? OMPTAPE_UNIFY_NONE : number;
}

static struct omptape_unify_connection_half *obtain_half(struct omptape_unify_connections *connections,
                                                         uint32_t number, uint32_t fact)
{
    if (number < connections->half_count)
        return &connections->halves[number];
    if (!OMPTAPE_RESERVE(connections->halves, number + 1, &connections->half_capacity))
        return NULL;
    connections->halves[connections->half_count++] =
        (struct omptape_unify_connection_half){.fact = fact,
                                               .of_root = OMPTAPE_UNIFY_NONE,
                                               .connection = connections->facts[fact].connection,
                                               .begin = UINT64_MAX,
                                               .start = UINT64_MAX};
    return &connections->halves[number];
}

static void add_fact(struct omptape_unify_connections *connections, uint32_t number)
{
    struct omptape_unify_connection_fact *fact = &connections->facts[number];
    const struct omptape_unify_model *model = connections->model;
    const uint32_t side = number_of_half(connections, fact);
    struct omptape_unify_connection_half *half =
        side != OMPTAPE_UNIFY_NONE ? obtain_half(connections, side, number) : NULL;
    if (half == NULL)
        return;
    const struct omptape_unify_clock *clock = &model->processes[fact->process].clock;
    const uint64_t start =
        omptape_unify_corrected(&model->conversion.domains[clock->domain].corrections, clock->first);
    fact->is_added = true;
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
    omptape_unify_connection_join(connections, half->connection, fact->connection);
    struct omptape_unify_connection *top =
        &connections->list[omptape_unify_connection_top(connections, fact->connection)];
    uint32_t *place = &top->half[fact->first != 0 ? 0 : 1];
    *place = *place == OMPTAPE_UNIFY_NONE ? side : *place;
    /* A previously unified archive may contain both halves. */
    for (int i = 0; i < 2 && top->half[!i] != OMPTAPE_UNIFY_NONE; i++)
        if (top->half[i] != OMPTAPE_UNIFY_NONE)
            connections->halves[top->half[i]].paired = true;
}

/* Adds facts whose own members are known to their halves. `all`: also facts that depend on each other, as
 * in damaged archives. Returns true if any was added. */
static bool add_facts(struct omptape_unify_connections *connections, bool all)
{
    bool any = false;
    for (uint32_t i = 0; i < connections->fact_count && !omptape_unify_failed(connections->model); i++) {
        const struct omptape_unify_connection_fact *fact = &connections->facts[i];
        if (fact->is_added ||
            (!all && fact->depends != OMPTAPE_UNIFY_NONE && !is_resolved(connections, fact->depends)))
            continue;
        add_fact(connections, i);
        any = true;
    }
    return any;
}

/* Sets the places of one side: those of its processes, or unassigned ones. */
static void find_places(struct omptape_unify_connections *connections, struct omptape_unify_connection *top,
                        int side, uint64_t *places, uint32_t count)
{
    const uint32_t half = top->half[side];
    const struct omptape_unify_connection_fact *fact =
        half != OMPTAPE_UNIFY_NONE ? &connections->facts[connections->halves[half].fact] : NULL;
    uint32_t all;
    /* The sizes differ only in damaged archives. */
    if (fact != NULL && connections->list[fact->connection].count - fact->remote == count) {
        own_members(connections, fact, places);
        return;
    }
    /* Keeps the places that an earlier unification has assigned. */
    const uint64_t *words =
        omptape_unify_connection_words(connections, top->comm, &all) + (side == 0 ? 0 : all - count);
    bool assigned = true;
    for (uint32_t i = 0; i < count; i++) {
        places[i] = omptape_unify_current_place(connections, words[i]);
        assigned = assigned && places[i] < OMPTAPE_UNIFY_FOREIGN_PLACES;
    }
    const uint32_t first = assigned ? 0 : omptape_unify_add_places(connections->model, count);
    for (uint32_t i = 0; i < count && !assigned; i++)
        places[i] = first + i;
}

static void resolve(struct omptape_unify_connections *connections, struct omptape_unify_connection *top)
{
    const uint32_t known = top->half[top->half[0] != OMPTAPE_UNIFY_NONE ? 0 : 1];
    const struct omptape_unify_connection_fact *fact = &connections->facts[connections->halves[known].fact];
    const uint32_t first = fact->first != 0 ? top->count - fact->remote : fact->remote;
    top->places = omptape_calloc((size_t)top->count + 1, sizeof(*top->places));
    if (top->places == NULL)
        return;
    find_places(connections, top, 0, top->places, first);
    find_places(connections, top, 1, top->places + first, top->count - first);
}

/* Maps the places that the part used for its members to the resolved ones. */
static void substitute(struct omptape_unify_connections *connections,
                       const struct omptape_unify_connection *connection,
                       const struct omptape_unify_connection *top)
{
    uint32_t count;
    const uint64_t *words = omptape_unify_connection_words(connections, connection->comm, &count);
    for (uint32_t i = 0; i < count && i < top->count; i++)
        if (words[i] != top->places[i] && omptape_unify_current_place(connections, words[i]) == words[i])
            (void)omptape_hash_join(&connections->current_places, words[i] + 1, top->places[i]);
}

/* Marks the connections on which remaining facts depend. */
static void mark_needed(struct omptape_unify_connections *connections)
{
    for (uint32_t i = 0; i < connections->fact_count; i++)
        if (!connections->facts[i].is_added && connections->facts[i].depends != OMPTAPE_UNIFY_NONE)
            connections->list[omptape_unify_connection_top(connections, connections->facts[i].depends)]
                .needed = true;
}

/* Which connections to resolve: with both halves; with one half on which others depend; or all with one
 * half. */
enum which { COMPLETE, NEEDED, ALL };

static bool resolve_known(struct omptape_unify_connections *connections, enum which which)
{
    bool any = false;
    for (uint32_t i = 0; i < connections->count && !omptape_unify_failed(connections->model); i++) {
        struct omptape_unify_connection *top = &connections->list[i];
        const int halves = (top->half[0] != OMPTAPE_UNIFY_NONE) + (top->half[1] != OMPTAPE_UNIFY_NONE);
        const bool alone = which == ALL || (which == NEEDED && top->needed);
        if (top->up != i || top->places != NULL || halves < (alone ? 1 : 2))
            continue;
        resolve(connections, top);
        any = true;
    }
    for (uint32_t i = 0; i < connections->count && any && !omptape_unify_failed(connections->model); i++) {
        struct omptape_unify_connection *connection = &connections->list[i];
        const struct omptape_unify_connection *top =
            &connections->list[omptape_unify_connection_top(connections, i)];
        if (top->places == NULL || connection->comm == UINT64_MAX || connection->substituted)
            continue;
        substitute(connections, connection, top);
        connection->substituted = true;
    }
    return any;
}

void omptape_unify_resolve_connections(struct omptape_unify_model *model)
{
    struct omptape_unify_connections connections = {.model = model};
    /* Places of other worlds without a connection occur only in damaged archives. */
    if (omptape_unify_connections_collect(&connections) || model->foreign_places > 0) {
        bool more = true;
        while (more && !omptape_unify_failed(model)) {
            more = add_facts(&connections, false);
            more = omptape_unify_connections_pair(&connections) || more;
            more = resolve_known(&connections, COMPLETE) || more;
            if (more)
                continue;
            /* Runs at most once per connection. */
            mark_needed(&connections);
            more = resolve_known(&connections, NEEDED) || resolve_known(&connections, ALL) ||
                   add_facts(&connections, true);
        }
        if (!omptape_unify_failed(model))
            omptape_unify_connections_rewrite(&connections);
    }
    omptape_unify_connections_free(&connections);
}
