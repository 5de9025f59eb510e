/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the list of meetings from the processes' properties, and pairs their halves (connections.h). Called
 * by worlds.c.
 */
#include "src/unify/connections.h"
#include "src/core/array.h"
#include "src/unify/reading.h"

#include <omptape/properties.h>
#include <omptape/record.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_HEAD = 4 };

const uint64_t *omptape_unify_meeting_words(const struct omptape_unify_meetings *meetings, uint64_t comm,
                                            uint32_t *count)
{
    const struct omptape_unify_model *model = meetings->model;
    const uint64_t group = omptape_unify_words(model, OMPTAPE_UNIFY_COMM, comm)[1];
    *count = omptape_unify_word_count(model, OMPTAPE_UNIFY_GROUP, group) - GROUP_HEAD;
    return omptape_unify_words(model, OMPTAPE_UNIFY_GROUP, group) + GROUP_HEAD;
}

uint64_t omptape_unify_became(const struct omptape_unify_meetings *meetings, uint64_t place)
{
    const struct omptape_hash_entry *entry = omptape_hash_next(&meetings->became, place + 1, NULL);
    return entry != NULL ? entry->number : place;
}

/* Returns the meeting with the part's number, which is added if it does not exist. */
static uint32_t obtain_meeting(struct omptape_unify_meetings *meetings, uint32_t part, uint32_t number)
{
    const uint32_t words[] = {part, number};
    const uint32_t row = omptape_rows_number(&meetings->numbers, words, sizeof(words));
    if (row < meetings->count)
        return row;
    struct omptape_unify_meeting *list =
        omptape_array_reserve(meetings->list, row + 1, &meetings->room, sizeof(*list));
    if (list == NULL || meetings->numbers.failed)
        return OMPTAPE_UNIFY_NONE;
    meetings->list = list;
    list[meetings->count++] = (struct omptape_unify_meeting){
        .comm = UINT64_MAX, .up = row, .half = {OMPTAPE_UNIFY_NONE, OMPTAPE_UNIFY_NONE}};
    return row;
}

uint32_t omptape_unify_meeting_of(struct omptape_unify_meetings *meetings, uint64_t group, uint64_t *identity)
{
    const struct omptape_unify_model *model = meetings->model;
    const uint64_t *words = omptape_unify_words(model, OMPTAPE_UNIFY_GROUP, group);
    uint32_t number;
    uint32_t part;
    if (words[1] != OTF2_GROUP_TYPE_COMM_GROUP ||
        !omptape_unify_scan_across(model, words, identity, &number, &part))
        return OMPTAPE_UNIFY_NONE;
    return obtain_meeting(meetings, part, number);
}

uint32_t omptape_unify_meeting_top(struct omptape_unify_meetings *meetings, uint32_t meeting)
{
    struct omptape_unify_meeting *list = meetings->list;
    while (list[meeting].up != meeting) {
        list[meeting].up = list[list[meeting].up].up;
        meeting = list[meeting].up;
    }
    return meeting;
}

void omptape_unify_meeting_join(struct omptape_unify_meetings *meetings, uint32_t one, uint32_t other)
{
    one = omptape_unify_meeting_top(meetings, one);
    other = omptape_unify_meeting_top(meetings, other);
    if (one == other)
        return;
    struct omptape_unify_meeting *upper = &meetings->list[one < other ? one : other];
    struct omptape_unify_meeting *lower = &meetings->list[one < other ? other : one];
    lower->up = upper->up;
    for (int i = 0; i < 2; i++)
        if (upper->half[i] == OMPTAPE_UNIFY_NONE)
            upper->half[i] = lower->half[i];
}

static uint64_t date(const struct omptape_unify_model *model, uint32_t process, uint64_t ticks)
{
    const struct omptape_unify_clock *clock = &model->processes[process].clock;
    return omptape_unify_corrected(&model->dating.domains[clock->domain].corrections, ticks);
}

/* Parses a property's text; its numbers are the part's own. Returns false if it is damaged. */
static bool scan_fact(const char *text, struct omptape_unify_fact *fact)
{
    uint32_t comm;
    uint32_t parent;
    if (sscanf(text, "%u %u %u %u %u %u %" SCNx64 " %" SCNx64 " %" SCNu64 " %" SCNu64, &comm, &parent,
               &fact->way, &fact->first, &fact->root, &fact->remote, &fact->identity, &fact->name,
               &fact->begin, &fact->end) != 10)
        return false;
    fact->comm = comm;
    fact->parent = parent;
    return fact->way < OMPTAPE_MPI_UNKNOWN && fact->first <= 1 && fact->root <= 1 &&
           fact->begin < OMPTAPE_UNIFY_MAX_TICKS && fact->end < OMPTAPE_UNIFY_MAX_TICKS;
}

/* Converts a fact's references and times to the unified archive's. Returns false if it contradicts the
 * definitions. */
static bool place_fact(struct omptape_unify_meetings *meetings, struct omptape_unify_fact *fact)
{
    const struct omptape_unify_model *model = meetings->model;
    const struct omptape_unify_map *map =
        &model->parts[model->processes[fact->process].part].maps[OMPTAPE_UNIFY_COMM];
    uint64_t identity;
    uint32_t count = 0;
    fact->comm = omptape_unify_map_get(map, fact->comm);
    fact->parent = omptape_unify_map_get(map, fact->parent);
    if (fact->comm == UINT64_MAX || fact->parent == UINT64_MAX)
        return false;
    fact->meeting = omptape_unify_meeting_of(
        meetings, omptape_unify_words(model, OMPTAPE_UNIFY_COMM, fact->comm)[1], &identity);
    fact->depends = omptape_unify_meeting_of(
        meetings, omptape_unify_words(model, OMPTAPE_UNIFY_COMM, fact->parent)[1], &identity);
    (void)omptape_unify_meeting_words(meetings, fact->comm, &count);
    if (fact->meeting == OMPTAPE_UNIFY_NONE || fact->remote >= count)
        return false;
    struct omptape_unify_meeting *meeting = &meetings->list[fact->meeting];
    /* All communicators of one meeting of a part have the same size, unless the part is damaged. */
    if (meeting->comm != UINT64_MAX && meeting->count != count)
        return false;
    meeting->comm = fact->comm;
    meeting->count = count;
    fact->begin = date(model, fact->process, fact->begin);
    fact->end = date(model, fact->process, fact->end);
    return true;
}

static void add_fact(struct omptape_unify_meetings *meetings, uint32_t process, uint32_t property)
{
    const struct omptape_unify_process *of = &meetings->model->processes[process];
    struct omptape_unify_fact fact = {.process = process, .property = property};
    if (!scan_fact(of->properties[property].value, &fact) || !place_fact(meetings, &fact))
        return;
    if (!OMPTAPE_RESERVE(meetings->facts, meetings->fact_count + 1, &meetings->fact_room))
        return;
    meetings->facts[meetings->fact_count++] = fact;
}

bool omptape_unify_meetings_collect(struct omptape_unify_meetings *meetings)
{
    static const char prefix[] = OMPTAPE_KEY_MEETING "::";
    const struct omptape_unify_model *model = meetings->model;
    uint64_t identity;
    for (uint32_t i = 0; i < model->process_count; i++)
        for (uint32_t k = 0; k < model->processes[i].property_count; k++)
            if (strncmp(model->processes[i].properties[k].key, prefix, strlen(prefix)) == 0)
                add_fact(meetings, i, k);
    for (uint32_t i = 0; i < model->kinds[OMPTAPE_UNIFY_GROUP].count; i++)
        (void)omptape_unify_meeting_of(meetings, i, &identity);
    return meetings->count > 0;
}

void omptape_unify_meetings_free(struct omptape_unify_meetings *meetings)
{
    for (uint32_t i = 0; i < meetings->count; i++)
        free(meetings->list[i].places);
    free(meetings->list);
    free(meetings->facts);
    free(meetings->halves);
    omptape_rows_free(&meetings->numbers);
    omptape_rows_free(&meetings->sides);
    omptape_hash_free(&meetings->became);
}

/* Finds which two halves belong to one meeting (connections.h). Called by worlds.c.
 *
 * Both halves must have the same way of connecting, matching sizes and overlapping times. Most also record
 * the port's name, the socket's addresses or the spawning process. Two halves are paired only if each matches
 * no other half. Ambiguous halves stay unpaired, because an arrow to the wrong process is worse than none. */

/* Condition for a pair besides way and sizes: overlapping times, or a name that both halves know. */
enum trust { BY_TIME, BY_NAME };

static const struct omptape_unify_process *process_of(const struct omptape_unify_meetings *meetings,
                                                      uint32_t fact)
{
    return &meetings->model->processes[meetings->facts[fact].process];
}

static const char *property_of(const struct omptape_unify_process *process, const char *key)
{
    const char *text = omptape_unify_property(process, key);
    return text != NULL ? text : "";
}

/* Compares how two halves were connected: port name, addresses, or spawning process. Returns 1 if equal, -1
 * if different, 0 if one is unknown. */
static int compare_names(const struct omptape_unify_meetings *meetings,
                         const struct omptape_unify_half *first, const struct omptape_unify_half *second)
{
    char spawner[512];
    if (meetings->facts[first->fact].way != OMPTAPE_MPI_SPAWN)
        return first->name == 0 || second->name == 0 ? 0 : first->name == second->name ? 1 : -1;
    const char *parent = property_of(process_of(meetings, second->fact), OMPTAPE_KEY_PARENT);
    if (parent[0] == '\0' || first->of_root == OMPTAPE_UNIFY_NONE)
        return 0;
    const struct omptape_unify_process *root = process_of(meetings, first->of_root);
    const char *step = property_of(root, OMPTAPE_KEY_STEP);
    snprintf(spawner, sizeof(spawner), "%s.%" PRId64,
             step[0] != '\0' ? step : property_of(root, OMPTAPE_KEY_JOB), root->clock.rank);
    return strcmp(spawner, parent) == 0 ? 1 : -1;
}

/* Returns true if the times of two halves overlap. Clocks of different domains may differ by up to a
 * second. */
static bool at_one_time(const struct omptape_unify_meetings *meetings, const struct omptape_unify_half *first,
                        const struct omptape_unify_half *second)
{
    const bool one_clock =
        process_of(meetings, first->fact)->clock.domain == process_of(meetings, second->fact)->clock.domain;
    const uint64_t slack = one_clock ? 0 : meetings->model->dating.resolution;
    if (meetings->facts[first->fact].way == OMPTAPE_MPI_SPAWN)
        return second->start + slack >= first->begin && second->start <= first->end + slack;
    return first->begin <= second->end + slack && second->begin <= first->end + slack;
}

static bool go_together(const struct omptape_unify_meetings *meetings, uint32_t one, uint32_t other,
                        enum trust trust)
{
    const struct omptape_unify_half *first = &meetings->halves[one];
    const struct omptape_unify_half *second = &meetings->halves[other];
    const struct omptape_unify_fact *here = &meetings->facts[first->fact];
    const struct omptape_unify_fact *there = &meetings->facts[second->fact];
    const uint32_t size = meetings->list[here->meeting].count;
    const unsigned expected = here->way == OMPTAPE_MPI_SPAWN ? OMPTAPE_MPI_SPAWNED : here->way;
    if (there->way != expected || meetings->list[there->meeting].count != size ||
        here->remote + there->remote != size)
        return false;
    const int names = compare_names(meetings, first, second);
    return names >= 0 && (trust == BY_NAME ? names > 0 : at_one_time(meetings, first, second));
}

/* The unpaired halves: first those whose ranks come first in their communicator, then the others. */
struct waiting {
    uint32_t *list[2];
    uint32_t count[2];
    uint32_t *partners; /* by half: number of unpaired halves of the other side that match it */
};

/* Returns true if two unpaired halves match; `one` is on `side`. */
static bool go_together_from(const struct omptape_unify_meetings *meetings, int side, uint32_t one,
                             uint32_t other, enum trust trust)
{
    return !meetings->halves[one].paired && !meetings->halves[other].paired &&
           go_together(meetings, side == 0 ? one : other, side == 0 ? other : one, trust);
}

static void count_partners(const struct omptape_unify_meetings *meetings, const struct waiting *waiting,
                           enum trust trust)
{
    memset(waiting->partners, 0, meetings->half_count * sizeof(*waiting->partners));
    for (uint32_t i = 0; i < waiting->count[0]; i++)
        for (uint32_t k = 0; k < waiting->count[1]; k++)
            if (go_together_from(meetings, 0, waiting->list[0][i], waiting->list[1][k], trust)) {
                waiting->partners[waiting->list[0][i]]++;
                waiting->partners[waiting->list[1][k]]++;
            }
}

/* Returns the unpaired half of the other side that matches, or OMPTAPE_UNIFY_NONE. */
static uint32_t only_partner(const struct omptape_unify_meetings *meetings, const struct waiting *waiting,
                             int side, uint32_t half, enum trust trust)
{
    for (uint32_t i = 0; i < waiting->count[!side]; i++)
        if (go_together_from(meetings, side, half, waiting->list[!side][i], trust))
            return waiting->list[!side][i];
    return OMPTAPE_UNIFY_NONE;
}

/* Returns true if another half of the same side also matches only `other`. Then one of the two lacks its
 * partner's archive, and it is unknown which one. */
static bool is_disputed(const struct omptape_unify_meetings *meetings, const struct waiting *waiting,
                        int side, uint32_t half, uint32_t other, enum trust trust)
{
    for (uint32_t i = 0; i < waiting->count[side]; i++) {
        const uint32_t rival = waiting->list[side][i];
        if (rival != half && waiting->partners[rival] == 1 &&
            go_together_from(meetings, side, rival, other, trust))
            return true;
    }
    return false;
}

/* Decrements the partner counts of all halves that match this one. */
static void leave_partners(const struct omptape_unify_meetings *meetings, const struct waiting *waiting,
                           int side, uint32_t half, enum trust trust)
{
    for (uint32_t i = 0; i < waiting->count[!side]; i++)
        if (go_together_from(meetings, side, half, waiting->list[!side][i], trust))
            waiting->partners[waiting->list[!side][i]]--;
}

static bool pair_only(struct omptape_unify_meetings *meetings, const struct waiting *waiting, int side,
                      enum trust trust)
{
    bool any = false;
    for (uint32_t i = 0; i < waiting->count[side]; i++) {
        const uint32_t half = waiting->list[side][i];
        const uint32_t other = !meetings->halves[half].paired && waiting->partners[half] == 1
                                   ? only_partner(meetings, waiting, side, half, trust)
                                   : OMPTAPE_UNIFY_NONE;
        if (other == OMPTAPE_UNIFY_NONE || is_disputed(meetings, waiting, side, half, other, trust))
            continue;
        leave_partners(meetings, waiting, side, half, trust);
        leave_partners(meetings, waiting, !side, other, trust);
        meetings->halves[half].paired = true;
        meetings->halves[other].paired = true;
        omptape_unify_meeting_join(meetings, meetings->halves[half].meeting, meetings->halves[other].meeting);
        any = true;
    }
    return any;
}

bool omptape_unify_meetings_pair(struct omptape_unify_meetings *meetings)
{
    const uint32_t count = meetings->half_count;
    uint32_t *lists = omptape_calloc(3 * (size_t)count + 1, sizeof(*lists));
    if (lists == NULL)
        return false;
    struct waiting waiting = {.list = {lists, lists + count}, .partners = lists + 2 * (size_t)count};
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        const int side = meetings->facts[meetings->halves[i].fact].first != 0 ? 0 : 1;
        if (!meetings->halves[i].paired)
            waiting.list[side][waiting.count[side]++] = i;
    }
    for (enum trust trust = BY_TIME; trust <= BY_NAME; trust++) {
        count_partners(meetings, &waiting, trust);
        for (bool more = true; more;) {
            more = pair_only(meetings, &waiting, 0, trust);
            more = pair_only(meetings, &waiting, 1, trust) || more;
            any = any || more;
        }
    }
    free(lists);
    return any;
}
