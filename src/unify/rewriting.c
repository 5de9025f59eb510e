/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rewrites definitions after connections are resolved (connections.h): replaces the members of groups, merges
 * rows that become equal, and updates all references to them. Called by worlds.c.
 */
#include "src/unify/connections.h"
#include "src/unify/reading.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_HEAD = 4, NAME_BYTES = 64 };

/* New rows of a kind, and the mapping from the old ones. */
struct renumbering {
    struct omptape_rows fresh;
    uint64_t *to; /* old row -> new row */
};

/* Numbers the connections in the order of the list. */
static void number_connections(struct omptape_unify_connections *connections)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < connections->count; i++)
        if (connections->list[i].up == i)
            connections->list[i].number = number++;
}

/* Returns the final place of a member. A process without an archive gets a new place. */
static uint64_t final_place(struct omptape_unify_connections *connections, uint64_t place)
{
    uint64_t now = omptape_unify_current_place(connections, place);
    if (now < OMPTAPE_UNIFY_FOREIGN_PLACES)
        return now;
    now = omptape_unify_add_places(connections->model, 1);
    (void)omptape_hash_join(&connections->current_places, place + 1, now);
    return now;
}

static void rewrite_group(struct omptape_unify_connections *connections, uint64_t row, uint64_t *words,
                          uint32_t count)
{
    char name[NAME_BYTES];
    uint64_t identity;
    if (words[1] != OTF2_GROUP_TYPE_COMM_GROUP || words[2] != OTF2_PARADIGM_MPI)
        return;
    const uint32_t connection = omptape_unify_connection_of(connections, row, &identity);
    words[3] = (uint32_t)words[3];
    for (uint32_t i = GROUP_HEAD; i < count; i++)
        words[i] = final_place(connections, words[i]);
    if (connection == OMPTAPE_UNIFY_NONE)
        return;
    snprintf(name, sizeof(name), OMPTAPE_ACROSS_NAME, identity,
             connections->list[omptape_unify_connection_top(connections, connection)].number);
    words[0] = omptape_unify_add_text(connections->model, name);
}

/* Position of a reference in the words of a row, and the mapping for it. */
struct reference {
    uint32_t word;
    const uint64_t *to;
};

static void refer(uint64_t *words, const struct reference *references, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (words[references[i].word] != OTF2_UNDEFINED_UINT32)
            words[references[i].word] = references[i].to[words[references[i].word]];
}

/* Rewrites all rows of a kind. They refer to earlier rows, or to kinds already rewritten. */
static void renumber(struct omptape_unify_connections *connections, enum omptape_unify_kind kind,
                     struct renumbering *of, const struct reference *references, unsigned reference_count)
{
    struct omptape_unify_model *model = connections->model;
    for (uint32_t i = 0; i < model->kinds[kind].count && !omptape_unify_failed(model); i++) {
        const struct omptape_row *row = &model->kinds[kind].list[i];
        uint64_t *words = omptape_calloc(1, row->bytes + 1);
        if (words == NULL)
            return;
        memcpy(words, row->data, row->bytes);
        if (kind == OMPTAPE_UNIFY_GROUP)
            rewrite_group(connections, i, words, (uint32_t)(row->bytes / sizeof(*words)));
        refer(words, references, reference_count);
        of->to[i] = omptape_rows_number(&of->fresh, words, row->bytes);
        free(words);
    }
}

/* Replaces the rows of a kind, and updates the references from parts, markers and lists. */
static void replace(struct omptape_unify_model *model, enum omptape_unify_kind kind, struct renumbering *of)
{
    for (uint32_t i = 0; i < model->part_count; i++) {
        struct omptape_unify_map *map = &model->parts[i].maps[kind];
        for (uint32_t k = 0; k < map->count; k++)
            if (map->to[k] != UINT64_MAX)
                map->to[k] = of->to[map->to[k]];
    }
    const OTF2_MarkerScope scope =
        kind == OMPTAPE_UNIFY_GROUP ? OTF2_MARKER_SCOPE_GROUP : OTF2_MARKER_SCOPE_COMM;
    for (uint32_t i = 0; i < model->marker_count && kind <= OMPTAPE_UNIFY_COMM; i++)
        if (model->markers[i].scope == scope)
            model->markers[i].scope_ref = of->to[model->markers[i].scope_ref];
    for (uint32_t i = 0; i < model->list_count && kind == OMPTAPE_UNIFY_GROUP; i++)
        model->lists[i].group = of->to[model->lists[i].group];
    omptape_rows_free(&model->kinds[kind]);
    model->kinds[kind] = of->fresh;
    of->fresh = (struct omptape_rows){.list = NULL};
}

/* Replaces the communicator numbers in the text of the connections' properties by the archive's. */
static void rewrite_facts(struct omptape_unify_connections *connections, const uint64_t *comms)
{
    struct omptape_unify_model *model = connections->model;
    for (uint32_t i = 0; i < connections->fact_count; i++) {
        const struct omptape_unify_connection_fact *fact = &connections->facts[i];
        struct omptape_unify_property *property = &model->processes[fact->process].properties[fact->property];
        char text[256];
        unsigned comm;
        unsigned parent;
        int end = 0;
        if (sscanf(property->value, "%u %u%n", &comm, &parent, &end) != 2)
            continue;
        snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 "%s", comms[fact->comm], comms[fact->parent],
                 property->value + end);
        const char *kept = omptape_rows_keep(&model->kinds[OMPTAPE_UNIFY_PROPERTY_TEXT], text, strlen(text));
        if (kept != NULL)
            property->value = kept;
    }
}

void omptape_unify_connections_rewrite(struct omptape_unify_connections *connections)
{
    static const enum omptape_unify_kind kinds[] = {OMPTAPE_UNIFY_GROUP, OMPTAPE_UNIFY_COMM,
                                                    OMPTAPE_UNIFY_RMA_WIN, OMPTAPE_UNIFY_IO_HANDLE};
    enum { GROUPS, COMMS, WINDOWS, HANDLES, KINDS };
    struct omptape_unify_model *model = connections->model;
    struct renumbering of[KINDS] = {{.to = NULL}};
    for (int i = 0; i < KINDS; i++)
        of[i].to = omptape_calloc((size_t)model->kinds[kinds[i]].count + 1, sizeof(*of[i].to));
    const struct reference references[KINDS][2] = {[COMMS] = {{1, of[GROUPS].to}, {2, of[COMMS].to}},
                                                   [WINDOWS] = {{1, of[COMMS].to}},
                                                   [HANDLES] = {{4, of[COMMS].to}}};
    static const unsigned counts[KINDS] = {[COMMS] = 2, [WINDOWS] = 1, [HANDLES] = 1};
    number_connections(connections);
    for (int i = 0; i < KINDS && !omptape_unify_failed(model); i++)
        renumber(connections, kinds[i], &of[i], references[i], counts[i]);
    if (!omptape_unify_failed(model))
        rewrite_facts(connections, of[COMMS].to);
    for (int i = 0; i < KINDS; i++) {
        if (!omptape_unify_failed(model))
            replace(model, kinds[i], &of[i]);
        omptape_rows_free(&of[i].fresh);
        free(of[i].to);
    }
}
