/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes arrows as Perfetto's flows (perfetto.h). The upper bits of an arrow's id hold its number, the lower
 * LANE_BITS the index of the lane on which it begins.
 */
#include "src/command/export/perfetto.h"

enum { LANE_BITS = 24, MAX_MEMBERS = 4096 };

/* An instance of a team, and the fork that created it once the fork is known. */
struct export_team {
    struct replay_team replay;
    bool is_forked;
    struct fork fork;
};

static uint64_t new_arrow(struct perfetto *perfetto, const struct export_lane *lane)
{
    return ++perfetto->arrow_count << LANE_BITS | (lane->place->index & ((1U << LANE_BITS) - 1));
}

static void wait_for_next(struct export_lane *lane, uint64_t id, bool ends)
{
    (void)OMPTAPE_APPEND(lane->arrows, lane->arrow_count, lane->arrow_capacity,
                         (struct arrow){.id = id, .ends = ends});
}

/* Adds an arrow to the event under construction. */
static void put(struct perfetto *perfetto, uint64_t id, bool ends)
{
    protobuf_fixed(&perfetto->packets.event, ends ? EVENT_FIELD_END_OF_FLOW : EVENT_FIELD_FLOW, &id);
}

/* Writes an instant at which the arrow begins or ends. */
static void mark(struct perfetto *perfetto, struct export_lane *lane, const char *name, const char *category,
                 uint64_t id, bool ends)
{
    lane_instant(perfetto, lane, name, category);
    put(perfetto, id, ends);
    packets_send(&perfetto->packets, perfetto->now);
}

/* Writes the begin of an arrow as an instant if it waits for its lane's next event, before which it ends. */
static void begin_late(struct perfetto *perfetto, uint64_t id, const char *name, const char *category)
{
    uint64_t index = id & ((1U << LANE_BITS) - 1);
    struct export_lane *lane = index < perfetto->places->count ? &perfetto->lanes[index] : NULL;
    for (uint32_t i = 0; lane != NULL && i < lane->arrow_count; i++) {
        if (lane->arrows[i].id == id && !lane->arrows[i].ends) {
            lane->arrows[i] = lane->arrows[--lane->arrow_count];
            mark(perfetto, lane, name, category, id, false);
            return;
        }
    }
}

/* Begins an arrow in the open region if that belongs to the arrow's operation (task creation, lock release),
 * otherwise at an instant of its own. */
static void begin_within(struct perfetto *perfetto, struct export_lane *lane, uint64_t id, const char *name,
                         const char *category)
{
    const struct export_frame *top = lane_top(lane);
    OTF2_RegionRole role = top != NULL ? top->region->role : OTF2_REGION_ROLE_UNKNOWN;
    if (role == OTF2_REGION_ROLE_TASK_CREATE || role == OTF2_REGION_ROLE_WRAPPER ||
        role == OTF2_REGION_ROLE_CRITICAL || role == OTF2_REGION_ROLE_ATOMIC ||
        role == OTF2_REGION_ROLE_ORDERED) {
        wait_for_next(lane, id, false);
        return;
    }
    mark(perfetto, lane, name, category, id, false);
}

/* Name and category of an instant at which an arrow begins, and the name of one at which it ends. An arrow
 * without the latter ends at its lane's next event. */
static const char *const texts[REPLAY_ARROW_KINDS][3] = {
    [REPLAY_ARROW_TASK] = {"create task", "task", NULL},
    [REPLAY_ARROW_LOCK] = {"release", "lock", NULL},
    [REPLAY_ARROW_MESSAGE] = {"send", "MPI", "receive"},
    [REPLAY_ARROW_CREATE] = {"create thread", "thread", "thread begins"},
    [REPLAY_ARROW_JOIN] = {"thread ends", "thread", "thread awaited"},
};

/* Begins an arrow. A device's begins at the next region that enters, which the replay reports after it. */
static bool begin_arrow(void *data, enum replay_arrow_kind kind, const struct omptape_event *event,
                        void **owned)
{
    struct perfetto *perfetto = data;
    struct export_lane *lane = perfetto->arrow_lane;
    (void)event;
    if (lane == NULL || lane->track == 0 || !perfetto->open || perfetto->choice->min_duration > 0)
        return false;
    uint64_t id = new_arrow(perfetto, lane);
    *owned = (void *)(uintptr_t)id;
    if (texts[kind][2] != NULL)
        mark(perfetto, lane, texts[kind][0], texts[kind][1], id, false);
    else if (kind == REPLAY_ARROW_DEVICE)
        wait_for_next(lane, id, false);
    else
        begin_within(perfetto, lane, id, texts[kind][0], texts[kind][1]);
    return true;
}

static void end_arrow(void *data, enum replay_arrow_kind kind, const struct replay_tail *tail,
                      const struct omptape_event *event)
{
    struct perfetto *perfetto = data;
    struct export_lane *lane = perfetto->arrow_lane;
    uint64_t id = (uint64_t)(uintptr_t)tail->owned;
    (void)event;
    if (id == 0 || lane == NULL || lane->track == 0)
        return;
    if (texts[kind][2] != NULL) {
        mark(perfetto, lane, texts[kind][2], texts[kind][1], id, true);
        return;
    }
    if (texts[kind][0] != NULL)
        begin_late(perfetto, id, texts[kind][0], texts[kind][1]);
    wait_for_next(lane, id, true);
}

static const struct replay_arrow_observer observer = {.begin = begin_arrow, .end = end_arrow};

void arrows_begin(struct perfetto *perfetto)
{
    perfetto->teams.reader = perfetto->reader;
    perfetto->teams.team_bytes = sizeof(struct export_team);
    perfetto->arrows = replay_new_arrows(perfetto->reader, &observer, perfetto);
}

void arrows_free(struct perfetto *perfetto)
{
    replay_free_teams(&perfetto->teams);
    replay_free_arrows(perfetto->arrows);
}

static void fork_team(struct perfetto *perfetto, struct export_lane *lane, const struct omptape_event *event)
{
    if (!OMPTAPE_RESERVE(lane->forks, lane->fork_count + 1, &lane->fork_capacity))
        return;
    struct fork *fork = &lane->forks[lane->fork_count++];
    uint64_t max = perfetto->places->count < MAX_MEMBERS ? perfetto->places->count : MAX_MEMBERS;
    uint64_t wanted = event->value[0] < max ? event->value[0] : max;
    *fork = (struct fork){.count = wanted > 0 ? (uint32_t)wanted - 1 : 0};
    if (!perfetto->open || lane->track == 0 || perfetto->choice->min_duration > 0)
        fork->count = 0;
    if (fork->count == 0)
        return;
    lane_instant(perfetto, lane, "fork", "parallel");
    for (uint32_t i = 0; i < fork->count; i++) {
        const uint64_t id = new_arrow(perfetto, lane);
        fork->first = i == 0 ? id : fork->first;
        put(perfetto, id, false);
    }
    packets_send(&perfetto->packets, perfetto->now);
}

static uint64_t arrow_of_member(const struct fork *fork, uint32_t member)
{
    return fork->first + ((uint64_t)(member - 1) << LANE_BITS);
}

static struct export_lane *first_lane(struct perfetto *perfetto, const struct export_team *team)
{
    const struct export_place *place =
        omptape_pairs_get(&perfetto->places->by_id, 0, team->replay.comm->locations[0]);
    return place != NULL ? lane_at(perfetto, place) : NULL;
}

/* Assigns the innermost fork of the team's first thread to the team. That is the right one, because the
 * thread begins its part of the team before it forks again. */
static void find_fork(const struct export_lane *first, struct export_team *team)
{
    struct fork *last = first != NULL && first->fork_count > 0 ? &first->forks[first->fork_count - 1] : NULL;
    if (last == NULL || last->has_team)
        return;
    last->has_team = true;
    team->is_forked = true;
    team->fork = *last;
}

/* Returns true if the fork has not been joined. After dropped events an instance may refer to an old fork. */
static bool is_open(const struct export_lane *first, const struct fork *fork)
{
    for (uint32_t i = first != NULL ? first->fork_count : 0; i-- > 0;)
        if (first->forks[i].first == fork->first)
            return true;
    return false;
}

/* Ends a member's arrow at its team begin. Those to members not created end at the forking thread. */
static void begin_team(struct perfetto *perfetto, struct export_lane *lane, const struct omptape_event *event)
{
    uint32_t own;
    struct export_team *team =
        (struct export_team *)replay_begin_team(&perfetto->teams, event->refs[0].id, event->location, &own);
    if (team == NULL)
        return;
    const struct export_lane *first = first_lane(perfetto, team);
    const struct fork *fork = &team->fork;
    team->replay.began++;
    if (!team->is_forked)
        find_fork(first, team);
    if (lane->track == 0 || fork->count == 0 || !is_open(first, fork))
        return;
    if (own > 0 && own <= fork->count)
        wait_for_next(lane, arrow_of_member(fork, own), true);
    for (uint32_t member = team->replay.comm->size; own == 0 && member <= fork->count; member++)
        wait_for_next(lane, arrow_of_member(fork, member), true);
}

static void end_team(struct perfetto *perfetto, const struct omptape_event *event)
{
    struct export_team *team =
        (struct export_team *)replay_end_team(&perfetto->teams, event->refs[0].id, event->location);
    if (team == NULL || ++team->replay.ended < team->replay.comm->size)
        return;
    team->is_forked = false;
    team->fork = (struct fork){.count = 0};
    replay_release_team(&team->replay);
}

void arrows_event(struct perfetto *perfetto, struct export_lane *lane, const struct omptape_event *event)
{
    const bool is_message = event->kind == OMPTAPE_EVENT_MPI_SEND || event->kind == OMPTAPE_EVENT_MPI_RECEIVE;
    perfetto->arrow_lane = lane;
    if (lane == NULL && !is_message)
        return;
    switch (event->kind) {
    case OMPTAPE_EVENT_FORK:
        fork_team(perfetto, lane, event);
        break;
    case OMPTAPE_EVENT_JOIN:
        lane->fork_count -= lane->fork_count > 0;
        break;
    case OMPTAPE_EVENT_TEAM_BEGIN:
        begin_team(perfetto, lane, event);
        break;
    case OMPTAPE_EVENT_TEAM_END:
        end_team(perfetto, event);
        break;
    default:
        replay_follow_arrows(perfetto->arrows, event);
        break;
    }
}

void arrows_add(struct perfetto *perfetto, struct export_lane *lane)
{
    for (uint32_t i = 0; i < lane->arrow_count; i++)
        put(perfetto, lane->arrows[i].id, lane->arrows[i].ends);
    lane->arrow_count = 0;
}
