/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of meetings (meetings.h), from the processes' properties. Called by worlds.c.
 */
#include "src/unify/meetings.h"

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

/* That of the part's number, which is added if there is none. */
static uint32_t obtain_meeting(struct omptape_unify_meetings *meetings, uint32_t part, uint32_t number)
{
    const uint32_t words[] = {part, number};
    const uint32_t row = omptape_rows_number(&meetings->numbers, words, sizeof(words));
    if (row < meetings->count)
        return row;
    struct omptape_unify_meeting *list =
        omptape_array_reserve(meetings->list, row + 1, &meetings->room, sizeof(*list));
    if (list == NULL || meetings->numbers.failed) {
        omptape_unify_fail(meetings->model, "out of memory");
        return OMPTAPE_UNIFY_NONE;
    }
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

/* A property's text; false: it is damaged. Numbers are the part's own. */
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
           fact->begin < OMPTAPE_UNIFY_MOST_TICKS && fact->end < OMPTAPE_UNIFY_MOST_TICKS;
}

/* Completes a fact by what the definitions say; false: it does not go with them. */
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
    /* What a part calls by one number has one size, unless it is damaged. */
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
    struct omptape_unify_fact *facts = omptape_array_reserve(meetings->facts, meetings->fact_count + 1,
                                                             &meetings->fact_room, sizeof(*facts));
    if (facts == NULL) {
        omptape_unify_fail(meetings->model, "out of memory");
        return;
    }
    meetings->facts = facts;
    facts[meetings->fact_count++] = fact;
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
