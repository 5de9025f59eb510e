/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds hangs: who waits for whom when the events end (docs/report.md). For each waiting thread the search
 * follows the awaited threads to a cycle or to a thread that does not wait. All threads that lead to the same
 * goal form one finding, if there is evidence that the program would not have continued.
 */
#include "src/analysis/findings/hangs.h"

#include "src/analysis/location.h"

#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

/* Least times of a hang. MIN_CIRCLE_NS: all members of a cycle wait at the same time. MIN_STUCK_NS: no
 * known thread could end the wait. MIN_WAIT_NS: the awaited thread does not wait itself. TIMES_BEFORE:
 * factor by which the wait exceeds earlier ones there. */
enum { MIN_CIRCLE_NS = 100000000, MIN_STUCK_NS = 1000000000, MIN_WAIT_NS = 2000000000, TIMES_BEFORE = 10 };
/* A process counts as ended for others that continue for this much longer. */
enum { LONGER_NS = 50000000, MUCH_LONGER_NS = 1000000000 };

/* Returns true for a signal that the program itself causes by an error. */
static bool is_crash(int signal)
{
    static const int own[] = {4, 5, 6, 7, 8, 11, 31}; /* ILL, TRAP, ABRT, BUS, FPE, SEGV, SYS */
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (signal == own[i])
            return true;
    return false;
}

static enum hang_end end_of(const char *text)
{
    enum { MIN_OF_LAUNCHERS = 128 };
    if (text == NULL)
        return HANG_END_FROM_OUTSIDE;
    if (omptape_starts_with(text, "signal "))
        return is_crash(atoi(text + strlen("signal "))) ? HANG_END_CRASHED : HANG_END_FROM_OUTSIDE;
    if (omptape_starts_with(text, "exit status "))
        return atoi(text + strlen("exit status ")) < MIN_OF_LAUNCHERS ? HANG_END_EXITED
                                                                      : HANG_END_FROM_OUTSIDE;
    if (omptape_starts_with(text, "MPI_Abort") || omptape_starts_with(text, "exit"))
        return HANG_END_LEFT;
    return strcmp(text, "finalize") == 0 ? HANG_END_OVER : HANG_END_FROM_OUTSIDE;
}

static uint64_t ticks_of(const struct hangs *hangs, double ns)
{
    return omptape_whole(ns / hangs->state->ns_per_tick);
}

static uint64_t waited(const struct hang_node *node)
{
    return omptape_minus(node->open->end, node->open->begin);
}

/* Returns true if the process ended by itself in the middle. A process in a waiting MPI call is excluded: the
 * call fails when the launcher is ended. */
static bool has_left(const struct hang_node *node)
{
    return node->end > HANG_END_OVER && !(hang_is_waiting(node) && node->open->awaited_count > 0);
}

/* Returns true if the node has ended from the view of a node that waits longer. The threads of a process end
 * with it. A rank that ended earlier may have been ended by its launcher; only SIGKILL shows that the kernel
 * ended it. */
bool hang_is_gone(const struct hangs *hangs, const struct hang_node *node, const struct hang_node *waiting)
{
    const bool inside = node->process == waiting->process;
    const bool earlier =
        omptape_plus(hang_end_time(node), ticks_of(hangs, inside ? LONGER_NS : MUCH_LONGER_NS)) <
        hang_end_time(waiting);
    if (inside)
        return earlier;
    return has_left(node) || node->end == HANG_END_OVER || (earlier && node->is_killed);
}

/* Ranks one of several awaited nodes; the highest is followed. If one of them suffices, a node that can still
 * arrive ranks highest; otherwise a node that cannot. */
static unsigned rank_of(const struct hangs *hangs, const struct hang_node *node,
                        const struct hang_node *waiting)
{
    const bool any = waiting->open->any;
    if (hang_is_gone(hangs, node, waiting))
        return any ? 1 : 3;
    return hang_is_waiting(node) ? 2 : any ? 3 : 1;
}

static void choose_next(struct hangs *hangs, struct hang_node *node)
{
    const bool mpi = node->open->kind == ANALYSIS_OPEN_MPI;
    const uint64_t count =
        node->open->awaited_count < ANALYSIS_OPEN_AWAITED ? node->open->awaited_count : ANALYSIS_OPEN_AWAITED;
    for (uint64_t i = 0; i < count; i++) {
        struct hang_node *other =
            omptape_pairs_get(mpi ? &hangs->by_process : &hangs->by_location, 0, node->open->awaited[i] - 1);
        if (other == NULL)
            continue;
        if (node->next == NULL || rank_of(hangs, other, node) > rank_of(hangs, node->next, node) ||
            (rank_of(hangs, other, node) == rank_of(hangs, node->next, node) && hang_is_waiting(other) &&
             other->open->begin < node->next->open->begin))
            node->next = other;
    }
}

/* Follows the awaited nodes from here and sets the same goal for all nodes on the way. */
static void follow(struct hang_node *node)
{
    struct hang_node *last = node;
    for (last->on_path = true; last->goal == NULL && last->next != NULL && hang_is_waiting(last);
         last->on_path = true) {
        if (last->next->on_path)
            break;
        last = last->next;
    }
    struct hang_node *goal = last->goal != NULL ? last->goal : last;
    if (last->goal == NULL && last->next != NULL && last->next->on_path && hang_is_waiting(last)) {
        goal = last->next;
        struct hang_node *one = goal;
        do {
            one->in_cycle = true;
            one = one->next;
        } while (one != goal);
    }
    for (struct hang_node *one = node; one->on_path; one = one->next) {
        one->on_path = false;
        one->goal = goal;
        if (one->next == NULL || !hang_is_waiting(one))
            break;
    }
}

/* Ranks a thread as the representative of its process in MPI. A thread that calls MPI and works now ranks
 * highest, then a thread in an MPI call. */
static unsigned acts(const struct hang_node *node)
{
    if (node->open == NULL)
        return 0;
    if (node->open->kind == ANALYSIS_OPEN_WORK && node->thread != NULL && node->thread->messages > 0)
        return 3;
    return node->open->kind == ANALYSIS_OPEN_MPI ? 2 : 1;
}

static void add_node(struct hangs *hangs, const struct analysis_process *process,
                     const struct analysis_open *open, uint64_t location)
{
    struct hang_node *node = &hangs->nodes[hangs->count++];
    const struct analysis_location *known = omptape_pairs_get(&hangs->state->locations, 0, location);
    *node = (struct hang_node){.open = open,
                               .location = location,
                               .process = process,
                               .thread = known != NULL ? known->thread : NULL};
    node->ending = omptape_reader_property_of(hangs->state->reader, process->number, OMPTAPE_KEY_END);
    node->end = end_of(node->ending);
    node->is_killed = node->ending != NULL && strcmp(node->ending, "signal 9") == 0;
    const struct hang_node *acting = omptape_pairs_get(&hangs->by_process, 0, process->group->id);
    if (acting == NULL || acts(node) > acts(acting))
        (void)omptape_pairs_put(&hangs->by_process, 0, process->group->id, node);
    if (open != NULL)
        (void)omptape_pairs_put(&hangs->by_location, 0, location, node);
}

static void add_nodes(struct hangs *hangs)
{
    const struct analysis_state *state = hangs->state;
    for (uint32_t i = 0; i < state->opens.count; i++) {
        const uint64_t id = state->opens.list[i].low;
        const struct analysis_location *location = omptape_pairs_get(&state->locations, 0, id);
        if (location != NULL && location->process < state->result->process_count)
            add_node(hangs, &state->result->processes[location->process], state->opens.list[i].value, id);
    }
    for (uint32_t i = 0; i < state->result->process_count; i++) {
        const struct analysis_process *process = &state->result->processes[i];
        if (omptape_pairs_get(&hangs->by_process, 0, process->group->id) == NULL)
            add_node(hangs, process, NULL, UINT64_MAX);
    }
}

/* Compares by count and location, so the result does not depend on the order of reading. */
static bool is_better_head(const struct hang_group *group, const struct hang_node *node, uint32_t alike)
{
    const struct hang_node *head = group->head;
    if (head == NULL || alike != group->alike)
        return head == NULL || alike > group->alike;
    return node->location < head->location;
}

static void find_head(const struct hangs *hangs, struct hang_group *group)
{
    for (uint32_t i = 0; i < hangs->count; i++) {
        struct hang_node *node = &hangs->nodes[i];
        uint32_t alike = 0;
        if (!hang_is_of(group, node) || (hang_is_cycle(group->goal) && !node->in_cycle))
            continue;
        for (uint32_t j = 0; j < hangs->count && (group->head == NULL || !hang_are_alike(group->head, node));
             j++)
            alike += hang_is_of(group, &hangs->nodes[j]) && hang_are_alike(node, &hangs->nodes[j]);
        if (group->head != NULL && hang_are_alike(group->head, node))
            alike = group->alike;
        if (is_better_head(group, node, alike)) {
            group->head = node;
            group->alike = alike;
        }
    }
    for (uint32_t i = 0; i < hangs->count; i++) {
        const struct hang_node *node = &hangs->nodes[i];
        if (hang_is_of(group, node) && waited(node) > group->longest) {
            group->longest = waited(node);
            group->begin = node->open->begin;
        }
    }
}

/* Returns the time in which all members of the cycle wait at the same time. */
static uint64_t together(const struct hang_node *circle)
{
    uint64_t begin = 0;
    uint64_t end = UINT64_MAX;
    const struct hang_node *one = circle;
    do {
        begin = one->open->begin > begin ? one->open->begin : begin;
        end = one->open->end < end ? one->open->end : end;
        one = one->next;
    } while (one != circle);
    return omptape_minus(end, begin);
}

/* Returns true if a node waits for at least `least`, and much longer than ever before there. */
static bool is_long(const struct hangs *hangs, const struct hang_group *group, uint64_t least)
{
    for (uint32_t i = 0; i < hangs->count; i++) {
        const struct hang_node *node = &hangs->nodes[i];
        if (hang_is_of(group, node) && waited(node) >= least &&
            waited(node) / TIMES_BEFORE >= node->open->before)
            return true;
    }
    return false;
}

static bool is_evident(const struct hangs *hangs, const struct hang_group *group)
{
    const struct hang_node *goal = group->goal;
    const struct omptape_analysis *result = hangs->state->result;
    const uint64_t wall = omptape_minus(result->end, result->begin);
    const uint64_t least = ticks_of(hangs, MIN_WAIT_NS);
    if (goal->in_cycle)
        return together(goal) >= ticks_of(hangs, MIN_CIRCLE_NS);
    if (hangs->is_running ||
        (hangs->is_profile && hang_is_waiting(goal) && goal->open->kind == ANALYSIS_OPEN_MPI))
        return false;
    if (goal->process != group->head->process && has_left(goal))
        return goal->end != HANG_END_EXITED || group->longest >= ticks_of(hangs, MIN_CIRCLE_NS);
    /* A process that ended by itself did not hang. */
    if (has_left(group->head) || (goal->process == group->head->process && goal->end > HANG_END_OVER))
        return false;
    if (goal != group->head && hang_is_gone(hangs, goal, group->head))
        return group->longest >= ticks_of(hangs, MIN_CIRCLE_NS);
    /* No known thread could end this wait. */
    if (hang_is_waiting(goal) && goal->open->kind != ANALYSIS_OPEN_MPI)
        return is_long(hangs, group, ticks_of(hangs, MIN_STUCK_NS));
    return is_long(hangs, group, least > wall / 2 ? least : wall / 2);
}

static void add_finding(struct analysis_findings *findings, const struct hangs *hangs,
                        const struct hang_group *group)
{
    const struct analysis_region *region =
        group->head->open->region != 0
            ? omptape_pairs_get(&hangs->state->regions, 0, group->head->open->region - 1)
            : NULL;
    const char *text = hang_sentence(hangs, group);
    struct omptape_finding *finding = omptape_findings_at(findings, OMPTAPE_FINDING_HANG, region);
    if (finding->text != NULL)
        return;
    finding->waited = group->longest;
    finding->count = group->alike;
    finding->worst = omptape_worst(group->longest, group->begin, group->head->location);
    finding->text = text;
    finding->hang = hang_list_steps(hangs, group);
}

static void add_groups(struct analysis_findings *findings, struct hangs *hangs)
{
    for (uint32_t i = 0; i < hangs->count; i++) {
        struct hang_group group = {.goal = hangs->nodes[i].goal};
        if (!hang_is_waiting(&hangs->nodes[i]) || group.goal->is_grouped)
            continue;
        group.goal->is_grouped = true;
        find_head(hangs, &group);
        if (group.head != NULL && is_evident(hangs, &group))
            add_finding(findings, hangs, &group);
    }
}

void omptape_findings_add_hangs(struct analysis_findings *findings)
{
    struct analysis_state *state = findings->state;
    struct hangs hangs = {.state = state,
                          .is_running = state->options != NULL && state->options->is_running,
                          .is_profile = omptape_reader_number_of(state->reader, -1, OMPTAPE_KEY_PROFILE) > 0};
    if (state->opens.count == 0)
        return;
    const size_t most = (size_t)state->opens.count + state->result->process_count;
    hangs.nodes = omptape_calloc(most, sizeof(*hangs.nodes));
    if (hangs.nodes == NULL)
        return;
    add_nodes(&hangs);
    for (uint32_t i = 0; i < hangs.count; i++)
        if (hang_is_waiting(&hangs.nodes[i]))
            choose_next(&hangs, &hangs.nodes[i]);
    for (uint32_t i = 0; i < hangs.count; i++)
        if (hangs.nodes[i].goal == NULL)
            follow(&hangs.nodes[i]);
    add_groups(findings, &hangs);
    omptape_pairs_free(&hangs.by_location);
    omptape_pairs_free(&hangs.by_process);
    free(hangs.nodes);
}
