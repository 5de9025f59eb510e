/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forms teams. All members of a team are known only after its last member has begun, but the first member's
 * ThreadTeamBegin must name the communicator. They begin within microseconds, so the translation looks ahead.
 */
#include "writers/translate/teams.h"

#include "src/core/array.h"
#include "writers/regions/region_filter.h"
#include "writers/state/threads.h"

#include <errno.h>
#include <omptape/ompt.h>
#include <stdlib.h>
#include <string.h>

/* It was idle when its team was forked. Only the late ends of its last team precede its implicit task. */
enum { LOOK_AHEAD_RECORDS = 16 };
/* Few teams are open at the same time, unless regions are nested. */
enum { NEAR_TEAMS = 256 };
/* No more threads than this can record. */
enum { MAX_MEMBERS = OMPTAPE_MAX_SLOTS };

int omptape_teams_create(struct omptape_writer *writer)
{
    writer->teams = calloc(1, sizeof(*writer->teams));
    if (writer->teams != NULL)
        writer->teams->by_id = omptape_identities_create(NEAR_TEAMS);
    return writer->teams != NULL && writer->teams->by_id != NULL ? 0 : -ENOMEM;
}

/* Returns a zeroed team, except its list of members. Freed teams are reused, as there may be millions. */
static struct omptape_team *alloc_team(struct omptape_teams *teams)
{
    struct omptape_team *team = teams->free_list;
    if (team == NULL)
        return calloc(1, sizeof(*team));
    teams->free_list = team->next_free;
    *team = (struct omptape_team){.members = team->members, .capacity = team->capacity};
    return team;
}

static void free_team(struct omptape_teams *teams, struct omptape_team *team)
{
    team->next_free = teams->free_list;
    teams->free_list = team;
}

struct omptape_team *omptape_teams_add(struct omptape_writer *writer, uint64_t id, uint64_t site,
                                       struct omptape_location *primary)
{
    struct omptape_team *team = alloc_team(writer->teams);
    if (team == NULL)
        return NULL;
    if (omptape_identities_add(writer->teams->by_id, id, team) != 0) {
        free_team(writer->teams, team);
        return NULL;
    }
    team->id = id;
    team->serial = ++writer->teams->last;
    team->site = site;
    team->primary = primary;
    team->comm = OTF2_UNDEFINED_COMM;
    return team;
}

static bool reserve_members(struct omptape_team *team, uint32_t size)
{
    if (!OMPTAPE_RESERVE(team->members, size, &team->capacity))
        return false;
    memset(team->members, 0, size * sizeof(*team->members));
    team->size = size;
    return true;
}

/* Returns the size in the record, or more to include this member. Ignores damaged records' impossible
 * sizes. */
static uint32_t team_size_of(const struct omptape_record *begin)
{
    uint64_t size = begin->p[1] > 0 && begin->p[1] <= MAX_MEMBERS ? begin->p[1] : 1;
    if (begin->b >= size && begin->b < MAX_MEMBERS)
        size = (uint64_t)begin->b + 1;
    return (uint32_t)size;
}

/* Returns true if the record in this slot's stream will be translated. It may have come after the end. */
static bool will_count(const struct omptape_writer *writer, uint32_t slot,
                       const struct omptape_record *record)
{
    return !writer->final ||
           omptape_timeline_ticks(&writer->timeline, record->time) + writer->threads[slot].clock.offset <
               writer->final_horizon;
}

/* Adds the member if the begin of its implicit task is near the head of this slot's stream. */
static bool find_begin_record(struct omptape_writer *writer, struct omptape_team *team, uint32_t slot)
{
    struct omptape_lookahead ahead = omptape_consumer_lookahead(&writer->consumer.streams[slot]);
    for (unsigned i = 0; i < LOOK_AHEAD_RECORDS; i++) {
        union omptape_record_head head;
        const struct omptape_record *record = &head.record;
        if (!omptape_consumer_lookahead_next(&writer->consumer, &ahead, &head))
            return false;
        if (record->kind != OMPTAPE_IMPLICIT_BEGIN || record->words < 4 || record->p[0] != team->id)
            continue;
        if (record->b >= team->size || team->members[record->b].location != NULL ||
            !will_count(writer, slot, record))
            return false;
        team->members[record->b].location = omptape_threads_location(writer, slot);
        return team->members[record->b].location != NULL;
    }
    return false;
}

/* Replaces the parent's communicator in reserved rows. */
#define RESERVED UINT64_MAX

OTF2_CommRef omptape_teams_reserve_comm(struct omptape_writer *writer, uint32_t key)
{
    const uint64_t words[] = {RESERVED, key};
    OTF2_CommRef comm = omptape_rows_number(&writer->teams->formed, words, sizeof(words));
    return writer->teams->formed.failed ? OTF2_UNDEFINED_COMM : comm;
}

uint32_t omptape_teams_comm_count(const struct omptape_writer *writer)
{
    return writer->teams->formed.count;
}

bool omptape_teams_is_reserved(const struct omptape_row *row)
{
    const uint64_t *words = row->data;
    return words[0] == RESERVED;
}

/* Returns the communicator of a team. Teams with the same parent and the same members share one. Most
 * teams equal the previous one. */
static OTF2_CommRef number_team(struct omptape_teams *teams, const uint64_t *words, size_t bytes)
{
    const struct omptape_row *last =
        teams->formed.count > 0 ? &teams->formed.list[teams->formed_last] : &(struct omptape_row){.bytes = 0};
    if (last->bytes == bytes && memcmp(last->data, words, bytes) == 0)
        return teams->formed_last;
    OTF2_CommRef comm = omptape_rows_number(&teams->formed, words, bytes);
    if (teams->formed.failed)
        return OTF2_UNDEFINED_COMM;
    teams->formed_last = comm;
    return comm;
}

static void form_team(struct omptape_writer *writer, struct omptape_team *team)
{
    struct omptape_teams *teams = writer->teams;
    uint32_t count = 1;
    if (!OMPTAPE_RESERVE(teams->words, team->size + 1, &teams->word_capacity))
        return;
    uint64_t *words = teams->words;
    words[0] = team->parent != NULL ? team->parent->comm : OTF2_UNDEFINED_COMM;
    /* A team formed after a timeout may lack its primary, which was delayed. It is a member for certain;
     * parallel.c adds its begin if the record never comes. */
    if (team->members[0].location == NULL)
        team->members[0].location = team->primary;
    for (uint32_t i = 0; i < team->size; i++) {
        team->members[i].position = count - 1;
        if (team->members[i].location != NULL)
            words[count++] = team->members[i].location->number;
    }
    writer->incomplete_teams += count - 1 < team->size;
    team->comm = number_team(teams, words, count * sizeof(*words));
    team->formed = true;
}

/* Returns true if a thread dropped records at this time, or drops some now. Perhaps a member's begin. */
static bool may_be_dropped(const struct omptape_writer *writer, uint64_t time)
{
    for (uint32_t i = 0; i < writer->consumer.stream_count; i++) {
        const struct omptape_stream *stream = &writer->consumer.streams[i];
        const struct omptape_location *location = writer->threads[i].location;
        if (stream->active && ((location != NULL && location->gaps.end >= time) ||
                               omptape_consumer_is_dropping(&writer->consumer, stream)))
            return true;
    }
    return false;
}

void omptape_teams_decide_visibility(struct omptape_writer *writer, const struct omptape_location *location,
                                     struct omptape_team *team, uint64_t time)
{
    if (writer->filter != NULL)
        team->hidden = omptape_region_filter_hides_site(writer, location, time,
                                                        omptape_teams_region_kind(team), team->site);
}

bool omptape_teams_gather(struct omptape_writer *writer, uint32_t slot, const struct omptape_record *begin)
{
    struct omptape_team *team = omptape_teams_find(writer, begin->p[0]);
    if (team == NULL) {
        /* This is the process's initial task, or a region whose begin was dropped. */
        if ((omptape_unfold_flags(begin->a) & ompt_task_initial) != 0)
            return true;
        team = omptape_teams_add(writer, begin->p[0], 0, NULL);
        if (team == NULL)
            return true;
        omptape_teams_decide_visibility(writer, NULL, team, begin->time);
    }
    if (team->formed)
        return true;
    if (team->size == 0 && !reserve_members(team, team->is_singleton ? 1 : team_size_of(begin)))
        return true;
    /* A hidden team has no communicator. */
    team->formed = team->hidden;
    if (team->formed)
        return true;
    uint32_t found = 0;
    for (uint32_t i = 0; i < team->size; i++)
        found += team->members[i].location != NULL;
    if (begin->b < team->size && team->members[begin->b].location == NULL) {
        team->members[begin->b].location = omptape_threads_location(writer, slot);
        found++;
    }
    for (uint32_t i = 0; i < writer->consumer.stream_count && found < team->size; i++)
        if (writer->consumer.streams[i].active && i != slot)
            found += find_begin_record(writer, team, i);
    if (found < team->size && !writer->final && !writer->forms_incomplete_teams &&
        !may_be_dropped(writer, begin->time))
        return false;
    form_team(writer, team);
    return true;
}

bool omptape_teams_form_singleton(struct omptape_writer *writer, struct omptape_team *team)
{
    if (team->hidden || !reserve_members(team, 1))
        return false;
    form_team(writer, team);
    return team->formed;
}

static void release_team(struct omptape_writer *writer, struct omptape_team *team)
{
    while (team != NULL && team->ended && team->present == 0 && team->children == 0) {
        struct omptape_team *parent = team->parent;
        omptape_identities_remove(writer->teams->by_id, team->id);
        free_team(writer->teams, team);
        if (parent != NULL)
            parent->children--;
        team = parent;
    }
}

void omptape_teams_enter(struct omptape_team *team)
{
    team->present++;
}

void omptape_teams_leave(struct omptape_writer *writer, struct omptape_team *team)
{
    team->present--;
    /* No record will report the end of a region whose begin was dropped. */
    if (team->primary == NULL && team->present == 0)
        team->ended = true;
    release_team(writer, team);
}

/* Later records of members that are still inside are late ends. */
static void set_members_pending(const struct omptape_team *team)
{
    for (uint32_t i = 0; i < team->size; i++) {
        struct omptape_location *location = team->members[i].location;
        if (location != NULL && location->stack.implicit_team == team)
            location->pending = true;
    }
}

void omptape_teams_end(struct omptape_writer *writer, struct omptape_team *team, uint64_t time)
{
    team->ended = true;
    set_members_pending(team);
    if (team->end == 0)
        team->end = time;
    if (team->barrier_end == 0)
        team->barrier_end = team->end;
    release_team(writer, team);
}

void omptape_teams_write_list(struct omptape_writer *writer)
{
    OTF2_StringRef locations_name = omptape_archive_string(&writer->strings, "OpenMP");
    uint32_t count = 0;
    uint64_t *all = calloc(writer->thread_locations + 1U, sizeof(*all));
    if (all == NULL)
        return;
    for (uint32_t i = 0; i < writer->location_count; i++)
        if (omptape_location_is_of_openmp(writer->locations[i]))
            all[count++] = writer->locations[i]->ref;
    OMPTAPE_DEFINE(&writer->archive, Group, 0, locations_name, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                   OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, count, all);
    free(all);
}

uint32_t omptape_teams_write(struct omptape_writer *writer, OTF2_GroupRef first, omptape_teams_other *other)
{
    /* A thread's number is its position in group 0. */
    for (uint32_t i = 0; i < writer->teams->formed.count; i++) {
        const struct omptape_row *row = &writer->teams->formed.list[i];
        const uint64_t *words = row->data;
        if (omptape_teams_is_reserved(row)) {
            other(writer, words[1], first + i);
            continue;
        }
        uint32_t size = (uint32_t)(row->bytes / sizeof(*words)) - 1;
        OTF2_StringRef name = omptape_archive_format(&writer->strings, "Thread team %u", i);
        OMPTAPE_DEFINE(&writer->archive, Group, first + i, 0, OTF2_GROUP_TYPE_COMM_GROUP,
                       OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, size, words + 1);
        OMPTAPE_DEFINE(&writer->archive, Comm, i, name, first + i, (OTF2_CommRef)words[0],
                       OTF2_COMM_FLAG_NONE);
    }
    return writer->teams->formed.count;
}

void omptape_teams_free(struct omptape_writer *writer)
{
    struct omptape_team *there;
    size_t at = 0;
    omptape_rows_free(&writer->teams->formed);
    while (writer->teams->by_id != NULL &&
           (there = omptape_identities_next(writer->teams->by_id, &at)) != NULL)
        free_team(writer->teams, there);
    omptape_identities_free(writer->teams->by_id);
    while (writer->teams->free_list != NULL) {
        struct omptape_team *team = writer->teams->free_list;
        writer->teams->free_list = team->next_free;
        free(team->members);
        free(team);
    }
    free(writer->teams->words);
    free(writer->teams);
}
