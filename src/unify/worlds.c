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

/* Writes the current places of the record's own side to `places`; returns their number. */
static uint32_t own_members(const struct omptape_unify_connections *connections,
                            const struct omptape_unify_connection_record *record, uint64_t *places)
{
    uint32_t count;
    const uint64_t *words = omptape_unify_connection_words(connections, record->comm, &count);
    const uint32_t own = count - record->remote;
    for (uint32_t i = 0; i < own; i++)
        places[i] = omptape_unify_current_place(connections, words[(record->first ? 0 : record->remote) + i]);
    return own;
}

/* Returns the number of the half to which the record belongs. Records of all processes of one side have the
 * same half. */
static uint32_t number_of_half(struct omptape_unify_connections *connections,
                               const struct omptape_unify_connection_record *record)
{
    enum { HEAD = 4 };
    const uint32_t count = connections->list[record->connection].count;
    uint64_t *words = omptape_calloc((size_t)count + HEAD, sizeof(*words));
    if (words == NULL)
        return OMPTAPE_UNIFY_NONE;
    words[0] = record->kind * 2 + record->first;
    words[1] = record->identity;
    words[2] = record->depends != OMPTAPE_UNIFY_NONE
                   ? (uint64_t)omptape_unify_connection_top(connections, record->depends) + 1
                   : 0;
    words[3] = record->remote;
    const uint32_t own = own_members(connections, record, words + HEAD);
    const uint32_t number = omptape_rows_number(&connections->sides, words, (own + HEAD) * sizeof(*words));
    free(words);
    return connections->sides.failed ? OMPTAPE_UNIFY_NONE : number;
}

static struct omptape_unify_connection_half *obtain_half(struct omptape_unify_connections *connections,
                                                         uint32_t number, uint32_t record)
{
    if (number < connections->half_count)
        return &connections->halves[number];
    if (!OMPTAPE_RESERVE(connections->halves, number + 1, &connections->half_capacity))
        return NULL;
    connections->halves[connections->half_count++] =
        (struct omptape_unify_connection_half){.record = record,
                                               .of_root = OMPTAPE_UNIFY_NONE,
                                               .connection = connections->records[record].connection,
                                               .begin = UINT64_MAX,
                                               .start = UINT64_MAX};
    return &connections->halves[number];
}

static void add_record(struct omptape_unify_connections *connections, uint32_t number)
{
    struct omptape_unify_connection_record *record = &connections->records[number];
    const struct omptape_unify_model *model = connections->model;
    const uint32_t side = number_of_half(connections, record);
    struct omptape_unify_connection_half *half =
        side != OMPTAPE_UNIFY_NONE ? obtain_half(connections, side, number) : NULL;
    if (half == NULL)
        return;
    const struct omptape_unify_clock *clock = &model->processes[record->process].clock;
    const uint64_t start =
        omptape_unify_corrected(&model->conversion.domains[clock->domain].corrections, clock->first);
    record->is_added = true;
    half->start = start < half->start ? start : half->start;
    half->name = half->name == 0 ? record->name : half->name;
    /* The root's times are the most exact ones. */
    if (record->root != 0) {
        half->of_root = number;
        half->begin = record->begin;
        half->end = record->end;
    } else if (half->of_root == OMPTAPE_UNIFY_NONE) {
        half->begin = record->begin < half->begin ? record->begin : half->begin;
        half->end = record->end > half->end ? record->end : half->end;
    }
    omptape_unify_connection_join(connections, half->connection, record->connection);
    struct omptape_unify_connection *top =
        &connections->list[omptape_unify_connection_top(connections, record->connection)];
    uint32_t *place = &top->half[record->first != 0 ? 0 : 1];
    *place = *place == OMPTAPE_UNIFY_NONE ? side : *place;
    /* A previously unified archive may contain both halves. */
    for (int i = 0; i < 2 && top->half[!i] != OMPTAPE_UNIFY_NONE; i++)
        if (top->half[i] != OMPTAPE_UNIFY_NONE)
            connections->halves[top->half[i]].paired = true;
}

/* Adds records whose own members are known to their halves. `all`: also records that depend on each other, as
 * in damaged archives. Returns true if any was added. */
static bool add_records(struct omptape_unify_connections *connections, bool all)
{
    bool any = false;
    for (uint32_t i = 0; i < connections->record_count && !omptape_unify_failed(connections->model); i++) {
        const struct omptape_unify_connection_record *record = &connections->records[i];
        if (record->is_added ||
            (!all && record->depends != OMPTAPE_UNIFY_NONE && !is_resolved(connections, record->depends)))
            continue;
        add_record(connections, i);
        any = true;
    }
    return any;
}

/* Sets the places of one side: those of its processes, or unassigned ones. */
static void find_places(struct omptape_unify_connections *connections, struct omptape_unify_connection *top,
                        int side, uint64_t *places, uint32_t count)
{
    const uint32_t half = top->half[side];
    const struct omptape_unify_connection_record *record =
        half != OMPTAPE_UNIFY_NONE ? &connections->records[connections->halves[half].record] : NULL;
    uint32_t all;
    /* The sizes differ only in damaged archives. */
    if (record != NULL && connections->list[record->connection].count - record->remote == count) {
        own_members(connections, record, places);
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
    const struct omptape_unify_connection_record *record =
        &connections->records[connections->halves[known].record];
    const uint32_t first = record->first != 0 ? top->count - record->remote : record->remote;
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

/* Marks the connections on which remaining records depend. */
static void mark_needed(struct omptape_unify_connections *connections)
{
    for (uint32_t i = 0; i < connections->record_count; i++)
        if (!connections->records[i].is_added && connections->records[i].depends != OMPTAPE_UNIFY_NONE)
            connections->list[omptape_unify_connection_top(connections, connections->records[i].depends)]
                .needed = true;
}

/* Which connections to resolve: those with both halves; those with one half on which others depend; or all
 * with one half. */
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
            more = add_records(&connections, false);
            more = omptape_unify_connections_pair(&connections) || more;
            more = resolve_known(&connections, COMPLETE) || more;
            if (more)
                continue;
            /* Runs at most once per connection. */
            mark_needed(&connections);
            more = resolve_known(&connections, NEEDED) || resolve_known(&connections, ALL) ||
                   add_records(&connections, true);
        }
        if (!omptape_unify_failed(model))
            omptape_unify_connections_rewrite(&connections);
    }
    omptape_unify_connections_free(&connections);
}
