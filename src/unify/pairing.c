/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which two sides met each other (meetings.h). Called by worlds.c.
 *
 * What both sides must have in common: how they met, how many each is, and that it was at the same time. Most
 * know more: the port's name, the socket's addresses, or who spawned them. A side that goes with one other
 * only belongs to it; those that go with several are left alone: an arrow to the wrong process is worse than
 * none.
 */
#include "src/unify/meetings.h"

#include <omptape/properties.h>
#include <omptape/record.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether two sides may have met: at the same time, or, if it does not matter, by a name that both know. */
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

/* Do both know the same of what they met by? 0: they do not know. */
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

/* Of two hosts' clocks a second is not believed. */
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

/* The halves that wait, those that come first in their communicator, and the others. */
struct waiting {
    uint32_t *list[2];
    uint32_t count[2];
    uint32_t *partners; /* by half: of the other side's, so many go with it that wait as well */
};

/* `one` is on this side. */
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

/* The only one of the other side that goes with it. */
static uint32_t only_partner(const struct omptape_unify_meetings *meetings, const struct waiting *waiting,
                             int side, uint32_t half, enum trust trust)
{
    for (uint32_t i = 0; i < waiting->count[!side]; i++)
        if (go_together_from(meetings, side, half, waiting->list[!side][i], trust))
            return waiting->list[!side][i];
    return OMPTAPE_UNIFY_NONE;
}

/* Is there another one that goes with nobody but it, too? One of their partners left no archive: whose,
 * nobody can say. */
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

/* Nobody else goes with it any more. */
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
    uint32_t *lists = calloc(3 * (size_t)count + 1, sizeof(*lists));
    if (lists == NULL) {
        omptape_unify_fail(meetings->model, "out of memory");
        return false;
    }
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
