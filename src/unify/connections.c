/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the list of connections from the processes' properties, and pairs their halves (connections.h).
 */
#include "src/unify/connections.h"
#include "src/core/array.h"
#include "src/core/words.h"
#include "src/unify/reading.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <omptape/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_HEAD = 4 };

const uint64_t *omptape_unify_connection_words(const struct omptape_unify_connections *connections,
                                               uint64_t comm, uint32_t *count)
{
    const struct omptape_unify_model *model = connections->model;
    const uint64_t group = omptape_unify_words(model, OMPTAPE_UNIFY_COMM, comm)[1];
    *count = omptape_unify_word_count(model, OMPTAPE_UNIFY_GROUP, group) - GROUP_HEAD;
    return omptape_unify_words(model, OMPTAPE_UNIFY_GROUP, group) + GROUP_HEAD;
}

uint64_t omptape_unify_current_place(const struct omptape_unify_connections *connections, uint64_t place)
{
    const struct omptape_hash_entry *entry = omptape_hash_next(&connections->current_places, place + 1, NULL);
    return entry != NULL ? entry->number : place;
}

/* Returns the connection with the part's number, which is added if it does not exist. */
static uint32_t obtain_connection(struct omptape_unify_connections *connections, uint32_t part,
                                  uint32_t number)
{
    const uint32_t words[] = {part, number};
    const uint32_t row = omptape_rows_number(&connections->numbers, words, sizeof(words));
    if (row < connections->count)
        return row;
    const struct omptape_unify_connection one = {
        .comm = UINT64_MAX, .up = row, .half = {OMPTAPE_UNIFY_NONE, OMPTAPE_UNIFY_NONE}};
    return !connections->numbers.failed &&
                   OMPTAPE_APPEND(connections->list, connections->count, connections->capacity, one)
               ? row
               : OMPTAPE_UNIFY_NONE;
}

uint32_t omptape_unify_connection_of(struct omptape_unify_connections *connections, uint64_t group,
                                     uint64_t *identity)
{
    const struct omptape_unify_model *model = connections->model;
    const uint64_t *words = omptape_unify_words(model, OMPTAPE_UNIFY_GROUP, group);
    uint32_t number;
    uint32_t part;
    if (words[1] != OTF2_GROUP_TYPE_COMM_GROUP ||
        !omptape_unify_scan_across(model, words, identity, &number, &part))
        return OMPTAPE_UNIFY_NONE;
    return obtain_connection(connections, part, number);
}

uint32_t omptape_unify_connection_top(struct omptape_unify_connections *connections, uint32_t connection)
{
    struct omptape_unify_connection *list = connections->list;
    while (list[connection].up != connection) {
        list[connection].up = list[list[connection].up].up;
        connection = list[connection].up;
    }
    return connection;
}

void omptape_unify_connection_join(struct omptape_unify_connections *connections, uint32_t one,
                                   uint32_t other)
{
    one = omptape_unify_connection_top(connections, one);
    other = omptape_unify_connection_top(connections, other);
    if (one == other)
        return;
    struct omptape_unify_connection *upper = &connections->list[one < other ? one : other];
    struct omptape_unify_connection *lower = &connections->list[one < other ? other : one];
    lower->up = upper->up;
    for (int i = 0; i < 2; i++)
        if (upper->half[i] == OMPTAPE_UNIFY_NONE)
            upper->half[i] = lower->half[i];
}

static uint64_t date(const struct omptape_unify_model *model, uint32_t process, uint64_t ticks)
{
    const struct omptape_unify_clock *clock = &model->processes[process].clock;
    return omptape_unify_corrected(&model->conversion.domains[clock->domain].corrections, ticks);
}

/* Parses a property's text; its numbers are the part's own. Returns false if it is damaged. */
static bool scan_fact(const char *text, struct omptape_unify_connection_fact *fact)
{
    uint32_t comm;
    uint32_t parent;
    if (sscanf(text, "%u %u %u %u %u %u %" SCNx64 " %" SCNx64 " %" SCNu64 " %" SCNu64, &comm, &parent,
               &fact->kind, &fact->first, &fact->root, &fact->remote, &fact->identity, &fact->name,
               &fact->begin, &fact->end) != 10)
        return false;
    fact->comm = comm;
    fact->parent = parent;
    return fact->kind < OMPTAPE_MPI_UNKNOWN && fact->first <= 1 && fact->root <= 1 &&
           fact->begin < OMPTAPE_UNIFY_MAX_TICKS && fact->end < OMPTAPE_UNIFY_MAX_TICKS;
}

/* Converts a fact's references and times to the unified archive's. False if it contradicts definitions. */
static bool place_fact(struct omptape_unify_connections *connections,
                       struct omptape_unify_connection_fact *fact)
{
    const struct omptape_unify_model *model = connections->model;
    const struct omptape_unify_map *map =
        &model->parts[model->processes[fact->process].part].maps[OMPTAPE_UNIFY_COMM];
    uint64_t identity;
    uint32_t count = 0;
    fact->comm = omptape_unify_map_get(map, fact->comm);
    fact->parent = omptape_unify_map_get(map, fact->parent);
    if (fact->comm == UINT64_MAX || fact->parent == UINT64_MAX)
        return false;
    fact->connection = omptape_unify_connection_of(
        connections, omptape_unify_words(model, OMPTAPE_UNIFY_COMM, fact->comm)[1], &identity);
    fact->depends = omptape_unify_connection_of(
        connections, omptape_unify_words(model, OMPTAPE_UNIFY_COMM, fact->parent)[1], &identity);
    (void)omptape_unify_connection_words(connections, fact->comm, &count);
    if (fact->connection == OMPTAPE_UNIFY_NONE || fact->remote >= count)
        return false;
    struct omptape_unify_connection *connection = &connections->list[fact->connection];
    /* All communicators of one connection of a part have the same size, unless the part is damaged. */
    if (connection->comm != UINT64_MAX && connection->count != count)
        return false;
    connection->comm = fact->comm;
    connection->count = count;
    fact->begin = date(model, fact->process, fact->begin);
    fact->end = date(model, fact->process, fact->end);
    return true;
}

static void add_fact(struct omptape_unify_connections *connections, uint32_t process, uint32_t property)
{
    const struct omptape_unify_process *of = &connections->model->processes[process];
    struct omptape_unify_connection_fact fact = {.process = process, .property = property};
    if (!scan_fact(of->properties[property].value, &fact) || !place_fact(connections, &fact))
        return;
    (void)OMPTAPE_APPEND(connections->facts, connections->fact_count, connections->fact_capacity, fact);
}

bool omptape_unify_connections_collect(struct omptape_unify_connections *connections)
{
    static const char prefix[] = OMPTAPE_KEY_MEETING "::";
    const struct omptape_unify_model *model = connections->model;
    uint64_t identity;
    for (uint32_t i = 0; i < model->process_count; i++)
        for (uint32_t k = 0; k < model->processes[i].property_count; k++)
            if (omptape_starts_with(model->processes[i].properties[k].key, prefix))
                add_fact(connections, i, k);
    for (uint32_t i = 0; i < model->kinds[OMPTAPE_UNIFY_GROUP].count; i++)
        (void)omptape_unify_connection_of(connections, i, &identity);
    return connections->count > 0;
}

void omptape_unify_connections_free(struct omptape_unify_connections *connections)
{
    for (uint32_t i = 0; i < connections->count; i++)
        free(connections->list[i].places);
    free(connections->list);
    free(connections->facts);
    free(connections->halves);
    omptape_rows_free(&connections->numbers);
    omptape_rows_free(&connections->sides);
    omptape_hash_free(&connections->current_places);
}

/* Finds which two halves belong to one connection (connections.h). Called by worlds.c.
 *
 * Both halves must have the same way of connecting, matching sizes and overlapping times. Most also record
 * the port's name, the socket's addresses or the spawning process. Two halves are paired only if each matches
 * no other half. Ambiguous halves stay unpaired, because an arrow to the wrong process is worse than none. */

/* Condition for a pair besides way and sizes: overlapping times, or a name that both halves know. */
enum trust { BY_TIME, BY_NAME };

static const struct omptape_unify_process *process_of(const struct omptape_unify_connections *connections,
                                                      uint32_t fact)
{
    return &connections->model->processes[connections->facts[fact].process];
}

/* Compares how two halves were connected: port name, addresses, or spawning process. Returns 1 if equal, -1
 * if different, 0 if one is unknown. */
static int compare_names(const struct omptape_unify_connections *connections,
                         const struct omptape_unify_connection_half *first,
                         const struct omptape_unify_connection_half *second)
{
    char spawner[512];
    if (connections->facts[first->fact].kind != OMPTAPE_MPI_SPAWN)
        return first->name == 0 || second->name == 0 ? 0 : first->name == second->name ? 1 : -1;
    const char *parent =
        omptape_unify_property_text(process_of(connections, second->fact), OMPTAPE_KEY_PARENT);
    if (parent[0] == '\0' || first->of_root == OMPTAPE_UNIFY_NONE)
        return 0;
    const struct omptape_unify_process *root = process_of(connections, first->of_root);
    const char *step = omptape_unify_property_text(root, OMPTAPE_KEY_STEP);
    snprintf(spawner, sizeof(spawner), "%s.%" PRId64,
             step[0] != '\0' ? step : omptape_unify_property_text(root, OMPTAPE_KEY_JOB), root->clock.rank);
    return strcmp(spawner, parent) == 0 ? 1 : -1;
}

/* Returns true if the times of two halves overlap. Different domains' clocks may differ by up to a second. */
static bool at_one_time(const struct omptape_unify_connections *connections,
                        const struct omptape_unify_connection_half *first,
                        const struct omptape_unify_connection_half *second)
{
    const bool one_clock = process_of(connections, first->fact)->clock.domain ==
                           process_of(connections, second->fact)->clock.domain;
    const uint64_t slack = one_clock ? 0 : connections->model->conversion.resolution;
    if (connections->facts[first->fact].kind == OMPTAPE_MPI_SPAWN)
        return second->start + slack >= first->begin && second->start <= first->end + slack;
    return first->begin <= second->end + slack && second->begin <= first->end + slack;
}

static bool match(const struct omptape_unify_connections *connections, uint32_t one, uint32_t other,
                  enum trust trust)
{
    const struct omptape_unify_connection_half *first = &connections->halves[one];
    const struct omptape_unify_connection_half *second = &connections->halves[other];
    const struct omptape_unify_connection_fact *here = &connections->facts[first->fact];
    const struct omptape_unify_connection_fact *there = &connections->facts[second->fact];
    const uint32_t size = connections->list[here->connection].count;
    const unsigned expected = here->kind == OMPTAPE_MPI_SPAWN ? OMPTAPE_MPI_SPAWNED : here->kind;
    if (there->kind != expected || connections->list[there->connection].count != size ||
        here->remote + there->remote != size)
        return false;
    const int names = compare_names(connections, first, second);
    return names >= 0 && (trust == BY_NAME ? names > 0 : at_one_time(connections, first, second));
}

/* The unpaired halves: first those whose ranks come first in their communicator, then the others. */
struct unpaired {
    uint32_t *list[2];
    uint32_t count[2];
    uint32_t *partners; /* by half: number of unpaired halves of the other side that match it */
};

/* Returns true if two unpaired halves match; `one` is on `side`. */
static bool match_from(const struct omptape_unify_connections *connections, int side, uint32_t one,
                       uint32_t other, enum trust trust)
{
    return !connections->halves[one].paired && !connections->halves[other].paired &&
           match(connections, side == 0 ? one : other, side == 0 ? other : one, trust);
}

static void count_partners(const struct omptape_unify_connections *connections,
                           const struct unpaired *unpaired, enum trust trust)
{
    memset(unpaired->partners, 0, connections->half_count * sizeof(*unpaired->partners));
    for (uint32_t i = 0; i < unpaired->count[0]; i++)
        for (uint32_t k = 0; k < unpaired->count[1]; k++)
            if (match_from(connections, 0, unpaired->list[0][i], unpaired->list[1][k], trust)) {
                unpaired->partners[unpaired->list[0][i]]++;
                unpaired->partners[unpaired->list[1][k]]++;
            }
}

/* Returns the unpaired half of the other side that matches, or OMPTAPE_UNIFY_NONE. */
static uint32_t only_partner(const struct omptape_unify_connections *connections,
                             const struct unpaired *unpaired, int side, uint32_t half, enum trust trust)
{
    for (uint32_t i = 0; i < unpaired->count[!side]; i++)
        if (match_from(connections, side, half, unpaired->list[!side][i], trust))
            return unpaired->list[!side][i];
    return OMPTAPE_UNIFY_NONE;
}

/* Returns true if another half of the same side also matches only `other`. Then one of the two lacks its
 * partner's archive, and it is unknown which one. */
static bool is_disputed(const struct omptape_unify_connections *connections, const struct unpaired *unpaired,
                        int side, uint32_t half, uint32_t other, enum trust trust)
{
    for (uint32_t i = 0; i < unpaired->count[side]; i++) {
        const uint32_t rival = unpaired->list[side][i];
        if (rival != half && unpaired->partners[rival] == 1 &&
            match_from(connections, side, rival, other, trust))
            return true;
    }
    return false;
}

/* Decrements the partner counts of all halves that match this one. */
static void leave_partners(const struct omptape_unify_connections *connections,
                           const struct unpaired *unpaired, int side, uint32_t half, enum trust trust)
{
    for (uint32_t i = 0; i < unpaired->count[!side]; i++)
        if (match_from(connections, side, half, unpaired->list[!side][i], trust))
            unpaired->partners[unpaired->list[!side][i]]--;
}

static bool pair_only(struct omptape_unify_connections *connections, const struct unpaired *unpaired,
                      int side, enum trust trust)
{
    bool any = false;
    for (uint32_t i = 0; i < unpaired->count[side]; i++) {
        const uint32_t half = unpaired->list[side][i];
        const uint32_t other = !connections->halves[half].paired && unpaired->partners[half] == 1
                                   ? only_partner(connections, unpaired, side, half, trust)
                                   : OMPTAPE_UNIFY_NONE;
        if (other == OMPTAPE_UNIFY_NONE || is_disputed(connections, unpaired, side, half, other, trust))
            continue;
        leave_partners(connections, unpaired, side, half, trust);
        leave_partners(connections, unpaired, !side, other, trust);
        connections->halves[half].paired = true;
        connections->halves[other].paired = true;
        omptape_unify_connection_join(connections, connections->halves[half].connection,
                                      connections->halves[other].connection);
        any = true;
    }
    return any;
}

bool omptape_unify_connections_pair(struct omptape_unify_connections *connections)
{
    const uint32_t count = connections->half_count;
    uint32_t *lists = omptape_calloc(3 * (size_t)count + 1, sizeof(*lists));
    if (lists == NULL)
        return false;
    struct unpaired unpaired = {.list = {lists, lists + count}, .partners = lists + 2 * (size_t)count};
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        const int side = connections->facts[connections->halves[i].fact].first != 0 ? 0 : 1;
        if (!connections->halves[i].paired)
            unpaired.list[side][unpaired.count[side]++] = i;
    }
    for (enum trust trust = BY_TIME; trust <= BY_NAME; trust++) {
        count_partners(connections, &unpaired, trust);
        for (bool more = true; more;) {
            more = pair_only(connections, &unpaired, 0, trust);
            more = pair_only(connections, &unpaired, 1, trust) || more;
            any = any || more;
        }
    }
    free(lists);
    return any;
}
